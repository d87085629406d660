"""The protocol's own client, in process and over real loopback HTTP, in every mode."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from desk_toolset import META_KEY, SECRET, TOOLSET, Desk, DeskDialect
from live import Live, serve_desk
from mcp import Client
from mcp.shared.exceptions import MCPError

from core.clock import SystemClock
from server import __version__
from server.bootstrap import DISPATCHERS
from server.endpoint.handlers import build_server
from server.registry import BoundToolset, Failure

pytestmark = pytest.mark.anyio

MODES = ("legacy", "auto", "2026-07-28")


@pytest.fixture(scope="module", params=DISPATCHERS)
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    with serve_desk(request.param) as server:
        yield server


@asynccontextmanager
async def connected(where: str, mode: Any, live: Live) -> AsyncIterator[Client]:
    target: Any = f"{live.url}/mcp"
    if where == "memory":
        target = build_server(BoundToolset(TOOLSET, Desk(), clock=SystemClock()))
    async with Client(target, mode=mode) as client:
        yield client


@pytest.mark.parametrize("where", ["memory", "http"])
@pytest.mark.parametrize("mode", MODES)
async def test_the_protocols_own_client_lists_and_calls(live: Live, where: str, mode: str) -> None:
    # hosting A39 (part)
    async with connected(where, mode, live) as client:
        if mode != "2026-07-28":
            assert client.server_info.name == "paperdesk-desk"
            assert client.server_info.version == __version__
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == [tool.name for tool in TOOLSET.tools]

        added = await client.call_tool("add", {"a": "20", "b": 22})
        assert (added.structured_content, added.is_error) == ({"total": 42}, False)

        failed = await client.call_tool("find_notes", {"query": "x", "max_results": 5})
        assert failed.is_error
        assert failed.meta is not None
        assert failed.meta[META_KEY]["suggestions"] == [{"id": "limit", "name": "limit"}]

        with pytest.raises(MCPError) as caught:
            await client.call_tool("find_note", {})
        assert caught.value.code == -32602
        assert caught.value.message.startswith("There is no tool 'find_note' here. Near: find_notes. Its tools: ")


class Speechless(DeskDialect):
    """A dialect with a defect of its own."""

    def failure(self, error: BaseException) -> Failure:
        raise RuntimeError(SECRET)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_defect_outside_a_tool_is_an_internal_error_in_fixed_words(
    mode: Any, caplog: pytest.LogCaptureFixture
) -> None:
    # hosting A20 (last row)
    server = build_server(BoundToolset(replace(TOOLSET, dialect=Speechless()), Desk(), clock=SystemClock()))
    async with Client(server, mode=mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.call_tool("miss", {"what": "x"})
    assert caught.value.code == -32603
    assert caught.value.message == "paperdesk failed to answer; the same request may succeed later."
    assert "method_crashed error=RuntimeError" in caplog.text
    assert SECRET not in caplog.text


async def test_a_client_that_caches_asks_for_a_list_once(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    # hosting A91
    caplog.set_level(logging.INFO, "paperdesk.requests")
    async with Client(f"{live.url}/mcp", mode="2026-07-28") as client:
        first, second = [await client.list_tools() for _ in range(2)]
        assert second.tools == first.tools
        await client.call_tool("add", {"a": 1})
    async with Client(f"{live.url}/mcp", mode="legacy") as client:
        # An older result says nothing of how long it holds.
        assert [(await client.list_tools()).tools for _ in range(2)] == [first.tools] * 2
    # The line of an exchange follows its answer: by one more answer those before are written.
    async with httpx.AsyncClient() as plain:
        await plain.get(f"{live.url}/health/live")
    lines = [record.getMessage() for record in caplog.records if " method=tools/list " in record.getMessage()]
    assert [line.split(" protocol=")[1].split()[0] for line in lines] == ["2026-07-28", "2025-11-25", "2025-11-25"]
