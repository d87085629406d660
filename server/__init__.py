"""paperdesk as a service: MCP, HTTP, settings and the command line."""

__version__ = "0.1.0"
