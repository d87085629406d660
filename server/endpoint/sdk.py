"""The protocol's own SDK as a dispatcher: the reference that every other one is held against."""

import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import anyio
import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Message as AsgiMessage
from starlette.types import Scope

from server.answers import NO_STORE, Answer
from server.body import MAX_BODY_BYTES
from server.endpoint.handlers import build_server
from server.envelope import METHOD_HEADER, NAME_HEADER, VERSION_HEADER, Message
from server.fields import Fields
from server.registry import BoundToolset


class SdkDispatcher:
    """Hands each request to the SDK's session manager and keeps its answer until its form is known."""

    def __init__(self, bound: BoundToolset, elsewhere: Mapping[str, str]) -> None:
        self._path = bound.toolset.path
        self._manager = StreamableHTTPSessionManager(
            build_server(bound, elsewhere=elsewhere),
            stateless=True,
            json_response=True,
            max_request_body_size=MAX_BODY_BYTES,
            # Host and Origin have one owner, in front of the endpoint.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )

    def run(self) -> AbstractAsyncContextManager[None]:
        """The session manager's life."""
        return self._manager.run()

    async def answer(self, message: Message, *, modern: bool, fields: Fields, scope: Scope) -> Answer:
        """What the SDK answers; the era it reads from the version header."""
        captured = _Captured()
        inner = {**scope, "path": self._path, "headers": _inner_headers(fields)}
        await self._manager.handle_request(inner, _Replay(_written(message)), captured.send)
        return captured.answer()


class _Replay:
    """A `receive` that gives one body; the SDK never sees the client leave, the endpoint does."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def __call__(self) -> AsgiMessage:
        if self._body is None:
            await anyio.sleep_forever()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Captured:
    """The SDK's answer, kept until its form is known."""

    def __init__(self) -> None:
        self.status = 0
        self.body = b""

    async def send(self, message: AsgiMessage) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.body += message.get("body", b"")

    def answer(self) -> Answer:
        body = self.body
        if b"\\u" in body:
            # One of the SDK's two writers escapes all that is not ASCII; a reader would pay for it in tokens.
            body = json.dumps(json.loads(body), ensure_ascii=False, separators=(",", ":")).encode()
        return Answer(self.status, body, ((b"content-type", b"application/json"), NO_STORE))


def _written(message: Message) -> bytes:
    """The message as it was understood: another parser may see other numbers or members in the body that came."""
    return orjson.dumps({"jsonrpc": "2.0", "id": message.id, "method": message.method, "params": message.params})


def _inner_headers(fields: Fields) -> list[tuple[bytes, bytes]]:
    """What the SDK needs to see: nothing of sessions, credentials or the client's taste in formats."""
    inner = [(b"content-type", b"application/json"), (b"accept", b"application/json, text/event-stream")]
    for name in (VERSION_HEADER, METHOD_HEADER, NAME_HEADER):
        value = fields.get(name)
        if value is not None:
            inner.append((name, value))
    return inner
