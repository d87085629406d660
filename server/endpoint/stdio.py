"""One client over standard input and output, whose last requests are answered after it closed its side."""

from collections.abc import Callable
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage

ANSWERED_WITHIN_S = 3.0
"""How long requests may still run after the end of input; what is then unanswered is cancelled."""

_Heard = SessionMessage | Exception


class _Unanswered:
    """The requests that wait for their answers."""

    def __init__(self) -> None:
        self._ids: set[types.RequestId] = set()
        self._changed = anyio.Event()

    def hear(self, item: _Heard) -> None:
        """Something from the client: a request, or a word that it no longer waits for one."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(coerce_request_id(message.id))
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            self._drop(cancelled_request_id_from_params(message.params))

    def say(self, item: SessionMessage) -> None:
        """Something to the client."""
        if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
            self._drop(item.message.id)

    async def none(self) -> None:
        """Waits until no request waits."""
        while self._ids:
            await self._changed.wait()

    def _drop(self, id: types.RequestId | None) -> None:
        if id is not None:
            # As the SDK matches them: a number may come back as text.
            self._ids.discard(coerce_request_id(id))
        self._changed.set()
        self._changed = anyio.Event()


async def serve_stdio(server: Server[Any], on_end: Callable[[], None]) -> None:
    """Serves one client until it closes its side, and then until its requests are answered; `on_end` is told first."""
    async with stdio_server() as (read_stream, write_stream):
        await serve_streams(server, read_stream, write_stream, on_end)


async def serve_streams(
    server: Server[Any],
    heard: Any,
    said: Any,
    on_end: Callable[[], None],
    *,
    answered_within_s: float = ANSWERED_WITHIN_S,
) -> None:
    """The same over two streams of messages. The SDK alone would cancel what runs as soon as the first one ends."""
    to_server, from_client = anyio.create_memory_object_stream[_Heard](0)
    to_client, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    unanswered = _Unanswered()

    async def hear(to_server: MemoryObjectSendStream[_Heard]) -> None:
        async with to_server, heard:
            async for item in heard:
                unanswered.hear(item)
                await to_server.send(item)
            on_end()
            with anyio.move_on_after(answered_within_s):
                await unanswered.none()

    async def say(from_server: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with from_server, said:
            async for item in from_server:
                await said.send(item)
                unanswered.say(item)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hear, to_server)
        tasks.start_soon(say, from_server)
        await server.run(from_client, to_client, server.create_initialization_options())
