"""A proxy before a real service that breaks exactly one thing, and a service of its own process to put it before."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.loopback import serving

Headers = list[tuple[str, str]]
ITS_OWN = {"content-length", "transfer-encoding", "connection", "date"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request on its way to the service."""

    method: str
    path: str
    headers: Headers
    body: bytes
    forward: Callable[["Asked"], Awaitable["Answered"]] = field(repr=False)

    @property
    def message(self) -> dict[str, Any]:
        """The JSON object of the body; empty where there is none."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def rpc(self) -> str:
        """The method of the MCP message."""
        return str(self.message.get("method", ""))

    @property
    def tool(self) -> str:
        """The tool of a call."""
        return str(self.message.get("params", {}).get("name", ""))

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a call."""
        return dict(self.message.get("params", {}).get("arguments") or {})

    @property
    def is_modern(self) -> bool:
        """Whether it is of the newer era."""
        return self.header("mcp-protocol-version") == "2026-07-28"

    def header(self, name: str) -> str | None:
        """A header's value."""
        return next((value for key, value in self.headers if key == name), None)

    def with_header(self, name: str, value: str | None) -> "Asked":
        """The request with a header set, or without it."""
        kept = [(key, old) for key, old in self.headers if key != name]
        return replace(self, headers=kept if value is None else [*kept, (name, value)])

    def with_arguments(self, **changed: Any) -> "Asked":
        """The request with some arguments changed."""
        message = self.message
        message["params"]["arguments"] = {**self.arguments, **changed}
        return replace(self, body=json.dumps(message).encode())

    async def answered(self) -> "Answered":
        """What the service says."""
        return await self.forward(self)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer on its way back."""

    status: int
    headers: Headers
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        """A header's value."""
        return next((value for key, value in self.headers if key == name), None)

    def with_header(self, name: str, value: str | None) -> "Answered":
        """The answer with a header set, or without it."""
        kept = [(key, old) for key, old in self.headers if key != name]
        return replace(self, headers=kept if value is None else [*kept, (name, value)])

    def with_json(self, value: Any) -> "Answered":
        """The answer with another body."""
        return replace(self, body=json.dumps(value).encode())

    def changed(self, *path: str, to: Any) -> "Answered":
        """The answer with one value of its body changed."""
        body = self.json
        place = body
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to
        return self.with_json(body)


Twist = Callable[[Asked], Awaitable[Answered]]


async def unchanged(asked: Asked) -> Answered:
    """The proxy that breaks nothing."""
    return await asked.answered()


class Passing:
    """The ASGI application that asks a service elsewhere, and answers what it says."""

    def __init__(self, service: str) -> None:
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            async with httpx.AsyncClient(trust_env=False, timeout=20) as self._client:
                await _live(receive, send)
            return
        body = await _whole_body(receive)
        target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        headers = [(name, value) for name, value in scope["headers"] if name.decode() not in ITS_OWN]
        length = [(b"content-length", str(len(body)).encode())] if scope["method"] == "POST" else []
        # A request that is built by hand goes out with these headers and no others.
        url = httpx.URL(self._service).copy_with(raw_path=target)
        request = httpx.Request(scope["method"], url, headers=[*headers, *length], content=body or None)
        got = await self._client.send(request)
        kept = [(name.lower(), value) for name, value in got.headers.raw if name.lower().decode() not in ITS_OWN]
        # Of a HEAD and a 304, the length is another answer's.
        whole = [] if got.status_code == 304 else [(b"content-length", got.headers.get("content-length", "0").encode())]
        await send({"type": "http.response.start", "status": got.status_code, "headers": [*kept, *whole]})
        await send({"type": "http.response.body", "body": got.content})


class Twisting:
    """What stands between a port and an application: every request goes through `twist` on its way there and back."""

    def __init__(self, app: ASGIApp, twist: Twist) -> None:
        self._app = app
        self._twist = twist

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        path = scope["raw_path"].decode() + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
        headers = [(name.decode(), value.decode("latin-1")) for name, value in scope["headers"]]

        async def forward(asked: Asked) -> Answered:
            return await self._asked_of_the_app(scope, asked)

        answered = await self._twist(Asked(scope["method"], path, headers, await _whole_body(receive), forward))
        kept = [(name.encode(), value.encode()) for name, value in answered.headers if name not in ITS_OWN]
        if answered.status != 304:
            kept.append((b"content-length", str(len(answered.body)).encode()))
        await send({"type": "http.response.start", "status": answered.status, "headers": kept})
        await send({"type": "http.response.body", "body": answered.body})

    async def _asked_of_the_app(self, scope: Scope, asked: Asked) -> Answered:
        path, _, query = asked.path.partition("?")
        headers = [(name.encode(), value.encode("latin-1")) for name, value in asked.headers]
        changed = {"method": asked.method, "path": path, "raw_path": path.encode(), "query_string": query.encode()}
        told: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": asked.body, "more_body": False}

        async def send(message: Any) -> None:
            told.append(message)

        await self._app({**scope, **changed, "headers": headers}, receive, send)
        start, *parts = told
        named = [(name.decode(), value.decode()) for name, value in start["headers"]]
        return Answered(start["status"], named, b"".join(part["body"] for part in parts))


async def _whole_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def _live(receive: Receive, send: Send) -> None:
    for _ in range(2):
        message = await receive()
        await send({"type": f"{message['type']}.complete"})


@contextlib.contextmanager
def twisted(service: str, twist: Twist) -> Iterator[str]:
    """The address of a proxy before the service."""
    with serving(Passing(service), around=lambda app: Twisting(app, twist)) as served:
        yield served.url


@contextlib.contextmanager
def service_process(home: Path, **environment: str) -> Iterator[tuple[str, Path]]:
    """The address and the log of a service in a process of its own, over the sample catalog without vectors."""
    foreign = ("PAPERDESK_", "PWC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    own = {"XDG_CACHE_HOME": str(home / "cache"), "PAPERDESK_EMBEDDER": "none"}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = home / "service.log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", "server", "serve", "--port", str(port)],
            env={**kept, **own, **environment},
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
        )
        assert process.stdout is not None
        try:
            assert process.stdout.readline().startswith("Ready: "), log.read_text()
            yield f"http://127.0.0.1:{port}", log
        finally:
            process.kill()
            process.wait(10)
            process.stdout.close()
