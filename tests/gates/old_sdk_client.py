"""What a program on the protocol's SDK 1.x does with an endpoint; run by that SDK's own environment, prints JSON.

It takes one argument, a JSON object: `url`, `good`, `failing` (each a tool and its arguments) and `templates`.
"""

import asyncio
import json
import sys
from typing import Any

from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamablehttp_client


async def use(asked: dict[str, Any]) -> dict[str, Any]:
    """Handshake, list, one call, one that fails, a tool that does not exist, and templates where there are any."""
    async with streamablehttp_client(asked["url"]) as (read, write, _), ClientSession(read, write) as session:
        opened = await session.initialize()
        tools = await session.list_tools()
        good = await session.call_tool(*asked["good"])
        failing = await session.call_tool(*asked["failing"])
        try:
            await session.call_tool("no_such_tool", {})
        except McpError as error:
            unknown = error.error.code
        templates = (await session.list_resource_templates()).resourceTemplates if asked["templates"] else []
    return {
        "version": opened.protocolVersion,
        "server": opened.serverInfo.name,
        "tools": [tool.name for tool in tools.tools],
        "good": [good.isError, good.structuredContent],
        "failing": [failing.isError, failing.meta, failing.structuredContent],
        "unknown": unknown,
        "templates": [template.uriTemplate for template in templates],
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(use(json.loads(sys.argv[1])))))
