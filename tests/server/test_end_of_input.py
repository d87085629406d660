"""A client over standard input that closes its side: what it asked for is answered, and nothing keeps the process."""

from typing import Any

import anyio
import mcp_types as types
import pytest
from desk_toolset import TOOLSET, Desk
from mcp.shared.message import SessionMessage

from core.clock import SystemClock
from server.endpoint.handlers import build_server
from server.endpoint.stdio import serve_streams
from server.registry import BoundToolset

pytestmark = pytest.mark.anyio

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
FIND = {"name": "find_notes", "arguments": {"query": "x"}}
WAIT = {"name": "wait_for_ever", "arguments": {}}
MODERN = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "c", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}


def request(id: int, method: str, **params: Any) -> SessionMessage:
    return SessionMessage(types.JSONRPCRequest(jsonrpc="2.0", id=id, method=method, params=params))


def notification(method: str, **params: Any) -> SessionMessage:
    return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params))


async def said(
    desk: Desk, *messages: SessionMessage | Exception, answered_within_s: float = 20.0
) -> dict[Any, types.JSONRPCResponse | types.JSONRPCError]:
    """The answers to messages after the last of which the input ends at once."""
    server = build_server(BoundToolset(TOOLSET, desk, clock=SystemClock()))
    to_server, heard = anyio.create_memory_object_stream[SessionMessage | Exception](len(messages))
    said, answers = anyio.create_memory_object_stream[SessionMessage](100)
    for message in messages:
        to_server.send_nowait(message)
    to_server.close()
    told: list[str] = []
    with anyio.fail_after(10):
        await serve_streams(server, heard, said, lambda: told.append("end"), answered_within_s=answered_within_s)
    assert told == ["end"]
    found = {}
    async with answers:
        async for each in answers:
            assert isinstance(each.message, types.JSONRPCResponse | types.JSONRPCError)
            found[each.message.id] = each.message
    return found


async def test_what_was_asked_just_before_the_end_is_answered() -> None:
    found = await said(
        Desk(),
        request(0, "initialize", **INITIALIZE),
        notification("notifications/initialized"),
        *(request(number, "tools/call", **FIND) for number in range(1, 9)),
    )
    assert {id: type(each) for id, each in found.items()} == dict.fromkeys(range(9), types.JSONRPCResponse)


async def test_a_modern_request_just_before_the_end_is_answered() -> None:
    found = await said(Desk(), request(1, "tools/call", **FIND, **MODERN))
    assert {id: type(each) for id, each in found.items()} == {1: types.JSONRPCResponse}


async def test_what_takes_too_long_after_the_end_is_cancelled() -> None:
    desk = Desk()
    found = await said(
        desk,
        request(0, "initialize", **INITIALIZE),
        notification("notifications/initialized"),
        request(1, "tools/call", **WAIT),
        request(2, "ping"),
        answered_within_s=0.1,
    )
    assert desk.cancelled.is_set()
    assert {id: type(each) for id, each in found.items()} == {
        0: types.JSONRPCResponse,
        1: types.JSONRPCError,
        2: types.JSONRPCResponse,
    }


@pytest.mark.parametrize("id", [1, "1"])
async def test_nobody_waits_for_what_the_client_gave_up(id: int | str) -> None:
    desk = Desk()
    found = await said(
        desk,
        request(0, "initialize", **INITIALIZE),
        notification("notifications/initialized"),
        request(1, "tools/call", **WAIT),
        notification("notifications/cancelled", requestId=id),
    )
    assert set(found) == {0}


async def test_an_input_that_ends_at_once_or_holds_no_request_ends_the_service() -> None:
    assert await said(Desk()) == {}
    assert await said(Desk(), notification("notifications/initialized")) == {}
    await said(Desk(), ValueError("no message"))
