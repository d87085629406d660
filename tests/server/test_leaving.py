"""A client that leaves ends what runs for it and nothing else, over HTTP and whoever speaks the protocol."""

import asyncio
import json
import logging
from dataclasses import replace

import pytest
from desk_toolset import TOOLSET, Desk
from live import desk_service, front
from pydantic import BaseModel

from core.cache import Tier, TierCache
from core.clock import ManualClock, SystemClock
from server.app import create_app
from server.bootstrap import DISPATCHERS
from server.limits.slots import Slots
from server.registry import BoundToolset, Tool
from tests.loopback import Served, serving
from tests.waiting import until

MODERN = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Found(BaseModel):
    value: str


class Shelf:
    """Something slow that all who ask for it at once wait for together."""

    def __init__(self) -> None:
        self.cache: TierCache[str] = TierCache(Tier("shelf", 60, 10, 1000), ManualClock(), len)
        self.may_answer = asyncio.Event()
        self.loads: list[str] = []

    async def load(self) -> str:
        self.loads.append("begun")
        await self.may_answer.wait()
        self.loads.append("done")
        return "a book"


async def fetch(services: Shelf) -> Found:
    """Fetches the one thing there is."""
    return Found(value=(await services.cache.get("book", services.load)).value)


FETCHING = replace(TOOLSET, tools=(Tool(fetch, "Fetch"),), deadline_s=25.0)


def asked(era: str) -> bytes:
    params = {"name": "fetch", "arguments": {}} | ({"_meta": ENVELOPE} if era == "modern" else {})
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    routing = f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: fetch\r\n"
    head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    return f"{head}{routing if era == 'modern' else ''}Content-Length: {len(body)}\r\n\r\n{body}".encode()


async def leave_and_stay(served: Served, shelf: Shelf, slots: Slots, request: bytes) -> bytes:
    """Two ask for the same and one of them leaves; what the other one gets."""

    async def tasks() -> int:
        async def count() -> int:
            return len(asyncio.all_tasks())

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(count(), served.loop))

    before = await tasks()
    leaving, staying = [await asyncio.open_connection("127.0.0.1", served.port) for _ in range(2)]
    leaving[1].write(request)
    await until(lambda: shelf.loads == ["begun"])
    staying[1].write(request)
    await until(lambda: slots.in_progress == 2)
    leaving[1].close()
    # Its slot is free at once, while the other one still waits.
    await until(lambda: slots.in_progress == 1)
    assert shelf.loads == ["begun"]
    served.loop.call_soon_threadsafe(shelf.may_answer.set)
    answer = await staying[0].read()
    staying[1].close()

    async def is_quiet() -> bool:
        return slots.in_progress == 0 and await tasks() <= before

    await until(is_quiet)
    return answer


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
@pytest.mark.parametrize("era", ["old", "modern"])
def test_whoever_waits_for_the_same_still_gets_it(dispatcher: str, era: str, caplog: pytest.LogCaptureFixture) -> None:
    # hosting A35
    caplog.set_level(logging.INFO, "paperdesk.requests")
    shelf = Shelf()
    bound = BoundToolset(FETCHING, shelf, clock=SystemClock())
    service = replace(desk_service(Desk(), dispatcher), toolsets=(bound,))
    with serving(create_app(service, front())) as served:
        answer = asyncio.run(leave_and_stay(served, shelf, service.limits.limiter.slots, asked(era)))
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["result"]["structuredContent"] == {"value": "a book"}
    assert shelf.loads == ["begun", "done"]
    lines = [record.getMessage() for record in caplog.records if record.name == "paperdesk.requests"]
    assert [(" status=499 " in line, " outcome=cancelled " in line) for line in lines] == [(True, True), (False, False)]
