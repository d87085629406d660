"""How a process stops: what runs is finished, what is new is refused, a second signal ends it."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from desk_toolset import Desk
from live import desk_service, front

from core.clock import ManualClock
from server.app import create_app
from server.bootstrap import DISPATCHERS
from server.drain import Drain
from tests.scripted_upstream import ScriptedUpstream, answer, scripted
from tests.waiting import until

pytestmark = pytest.mark.anyio


def test_a_drain_begins_once() -> None:
    clock = ManualClock()
    drain = Drain(clock)
    assert (drain.has_begun, drain.has_lasted(0)) == (False, False)
    drain.begin()
    clock.advance(2)
    drain.begin()
    assert (drain.has_begun, drain.has_lasted(2), drain.has_lasted(2.1)) == (True, True, False)


@dataclass
class Process:
    url: str
    process: asyncio.subprocess.Process
    client: httpx.AsyncClient

    async def call(self, tag: str) -> httpx.Response:
        params = {"name": "list_conferences", "arguments": {"year": int(tag)}}
        body = {"jsonrpc": "2.0", "id": tag, "method": "tools/call", "params": params}
        return await self.client.post(f"{self.url}/mcp", json=body, headers={"x-pwc-mcp-client": tag})


@asynccontextmanager
async def process_before(upstream: ScriptedUpstream) -> AsyncIterator[Process]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERDESK_", "PWC_"))}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "server", "serve", "--port", str(port), "--catalog", upstream.url),
        env=kept,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert (await process.stdout.readline()).startswith(b"Ready: ")
        async with httpx.AsyncClient(timeout=30) as client:
            yield Process(f"http://127.0.0.1:{port}", process, client)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Held:
    """An upstream whose answers wait until they are let go."""

    def __init__(self, upstream: ScriptedUpstream) -> None:
        self.upstream = upstream
        self.go = asyncio.Event()
        upstream.scripts["conferences"] = upstream.scripts["conferences/"] = self._conferences

    async def _conferences(self, writer: asyncio.StreamWriter) -> None:
        await self.go.wait()
        await answer({"count": 0, "results": []})(writer)

    def waiting(self) -> int:
        return sum(target.startswith("conferences") for target in self.upstream.asked)


async def ten_calls_in_flight(served: Process, held: Held) -> list["asyncio.Task[httpx.Response]"]:
    calls = [asyncio.create_task(served.call(str(2000 + number))) for number in range(10)]
    await until(lambda: held.waiting() == 10)
    return calls


async def is_draining(served: Process) -> bool:
    return bool((await served.client.get(f"{served.url}/health")).json().get("reason") == "draining")


async def test_a_signal_lets_calls_finish_and_refuses_new_ones() -> None:
    # hosting A75
    async with scripted() as upstream, process_before(upstream) as served:
        held = Held(upstream)
        calls = await ten_calls_in_flight(served, held)
        served.process.send_signal(signal.SIGTERM)
        await until(lambda: is_draining(served))
        health = await served.client.get(f"{served.url}/health")
        assert (health.status_code, health.headers["retry-after"]) == (503, "5")
        assert (await served.client.get(f"{served.url}/health/live")).json() == {"status": "alive"}
        refused = await served.call("2050")
        assert (refused.status_code, refused.json()["error"]) == (503, "draining")
        assert (refused.headers["retry-after"], refused.headers["connection"]) == ("5", "close")
        # Well after the listener has closed: the calls go on until they are done.
        await until(lambda: cannot_connect(served))
        assert not any(call.done() for call in calls)
        held.go.set()
        answers = [await call for call in calls]
        assert [each.status_code for each in answers] == [200] * 10
        bodies: list[dict[str, Any]] = [each.json() for each in answers]
        assert [(body["id"], body["result"]["isError"]) for body in bodies] == [
            (str(2000 + number), False) for number in range(10)
        ]
        assert await served.process.wait() in (0, -signal.SIGTERM)
        assert served.process.stderr is not None
        log = (await served.process.stderr.read()).decode()
        assert log.count("mcp_request tool=list_conferences status=200") == 10
        assert log.count("code=draining") == 1


async def cannot_connect(served: Process) -> bool:
    try:
        async with httpx.AsyncClient() as fresh:
            await fresh.get(f"{served.url}/health/live")
    except httpx.TransportError:
        return True
    return False


async def test_a_second_signal_ends_the_process_at_once() -> None:
    # hosting A75
    async with scripted() as upstream, process_before(upstream) as served:
        held = Held(upstream)
        calls = await ten_calls_in_flight(served, held)
        served.process.send_signal(signal.SIGTERM)
        await until(lambda: is_draining(served))
        served.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(5):
            assert await served.process.wait() in (0, -signal.SIGTERM)
        held.go.set()
        await asyncio.gather(*calls, return_exceptions=True)


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
async def test_a_call_that_outlasts_the_stop_ends_with_its_familys_failure(dispatcher: str) -> None:
    desk = Desk()
    service = desk_service(desk, dispatcher)
    app = create_app(service, front())
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait_for_ever"}}
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as client:
        call = asyncio.create_task(client.post("http://localhost/mcp", json=body))
        await until(desk.started.is_set)
        service.drain.begin()
        # As the server does with what still runs when its time is over.
        call.cancel()
        answer = (await call).json()
    assert answer["id"] == 7
    assert answer["result"]["isError"]
    assert answer["result"]["content"] == [
        {"type": "text", "text": "upstream_timeout: The service stopped before the call was done; send it again."}
    ]


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
async def test_a_call_that_is_cancelled_in_a_running_process_stays_cancelled(dispatcher: str) -> None:
    desk = Desk()
    app = create_app(desk_service(desk, dispatcher), front())
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait_for_ever"}}
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport) as client:
        call = asyncio.create_task(client.post("http://localhost/mcp", json=body))
        await until(desk.started.is_set)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
