"""An upstream on a real loopback port that does what a test scripts: answers, breaks off, drips, or never answers."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

Params = dict[str, str]
Writer = asyncio.StreamWriter
Behaviour = Callable[[Writer], Awaitable[None]]
Script = Behaviour | Callable[[Params], Any]


def answer(
    value: Any, status: int = 200, headers: Mapping[str, str] | None = None, *, length: int | None = None
) -> Behaviour:
    """A whole HTTP answer; bytes are sent as they are, anything else as JSON. `length` may lie."""

    async def write(writer: Writer) -> None:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        named = {"content-length": str(len(body) if length is None else length), "connection": "close"}
        lines = [
            f"HTTP/1.1 {status} Scripted",
            *(f"{name}: {text}" for name, text in (named | dict(headers or {})).items()),
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)

    return write


async def silence(writer: Writer) -> None:
    """No answer at all."""
    await asyncio.Event().wait()


async def drip(writer: Writer) -> None:
    """An answer whose body never ends, byte by byte."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


async def hang_up(writer: Writer) -> None:
    """The connection ends before an answer."""


@dataclass
class ScriptedUpstream:
    """What each path below the base does, and what was asked: raw targets in order, without the base.

    A script is a behaviour, or a function from the query to the JSON of a 200 answer or to a behaviour. Paths without
    a script are 404.
    """

    url: str = ""
    scripts: dict[str, Script] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    latency_s: float = 0.0
    at_once: int = 0
    at_once_most: int = 0

    def calls(self) -> Counter[str]:
        """How often each path was asked for."""
        return Counter(urlsplit(target).path for target in self.asked)

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """One connection, one request."""
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            target = head.split(b" ", 2)[1].decode().removeprefix("/api/v1/")
            self.asked.append(target)
            self.at_once += 1
            self.at_once_most = max(self.at_once_most, self.at_once)
            try:
                await asyncio.sleep(self.latency_s)
                await self._behaviour(target)(writer)
                await writer.drain()
            finally:
                self.at_once -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    def _behaviour(self, target: str) -> Behaviour:
        parts = urlsplit(target)
        script = self.scripts.get(parts.path)
        if script is None:
            return answer({"detail": "not found"}, 404)
        if asyncio.iscoroutinefunction(script):
            return script
        found = script(dict(parse_qsl(parts.query)))  # type: ignore[arg-type]
        return found if asyncio.iscoroutinefunction(found) else answer(found)


@contextlib.asynccontextmanager
async def scripted() -> AsyncIterator[ScriptedUpstream]:
    """A scripted upstream that listens until the block ends."""
    upstream = ScriptedUpstream()
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: Writer) -> None:
        task = asyncio.create_task(upstream.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    upstream.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/api/v1"
    try:
        yield upstream
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tuple(tasks), return_exceptions=True)
        await server.wait_closed()


def page(rows: list[Any], count: int | None = None, *, next_page: int | None = None, **more: Any) -> dict[str, Any]:
    """A page envelope; without a count it is left out."""
    known = {} if count is None else {"count": count}
    return {"results": rows, "next_page": next_page, "applied_filters": {}, **known, **more}
