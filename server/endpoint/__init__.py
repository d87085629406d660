"""One MCP endpoint for one toolset, and all else that speaks to the protocol's own SDK."""
