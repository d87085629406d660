"""What paperdesk knows: papers, benchmarks, references, evidence and scans; no MCP, no HTTP serving, no environment."""
