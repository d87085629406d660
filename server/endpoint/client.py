"""Calling a tool of a service that runs elsewhere, as any other client of the protocol would."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import Client
from mcp.shared.exceptions import MCPError

from core.errors import OperatorError
from server.registry import ToolOutcome

ANSWER_LIMIT_S = 60.0


async def call_over_http(url: str, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
    """A tool's outcome at the MCP endpoint `url`; raises `OperatorError` where none answers."""
    try:
        async with Client(url, read_timeout_seconds=ANSWER_LIMIT_S) as client:
            try:
                result = await client.call_tool(tool, dict(arguments))
            except MCPError as error:
                return ToolOutcome(None, (f"refused: {error.message}",), is_error=True)
    except Exception as error:
        # The client wraps what went wrong in groups of its own, by where it noticed.
        raise OperatorError(f"No MCP endpoint answered at {url}; check the address, and that it is served.") from error
    texts = tuple(part.text for part in result.content if isinstance(part, types.TextContent))
    structured = result.structured_content if isinstance(result.structured_content, dict) else None
    return ToolOutcome(structured, texts, is_error=bool(result.is_error))
