"""The HTTP side of an endpoint: both protocol eras on one URL, in front of the protocol's own SDK.

This layer owns the body, envelopes, routing headers, cancellation and the response bound (hosting contract 2.2, 2.3,
2.6); methods, types and declared lengths are refused before it. The SDK never sees a request that is refused here.
"""

import asyncio
import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import mcp_types as types
import orjson
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.methods import serialize_server_result
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from core.errors import ResultTooLarge
from server.answers import NO_STORE, Answer, refuse, result_bytes, rpc_error, send_answer
from server.body import MAX_BODY_BYTES, BodyBounds, BodyRefused, ClientLeft, read_body
from server.endpoint.handlers import COMPLETE, LIST_TTL_MS, build_server, call_result, lists_of
from server.envelope import (
    INTERNAL_ERROR,
    METHOD_HEADER,
    MODERN_VERSION,
    NAME_HEADER,
    OLD_VERSIONS,
    VERSION_HEADER,
    EnvelopeError,
    Message,
    check_cursor,
    check_modern,
    check_named,
    check_not_doubled,
    is_modern,
    parse_message,
    unknown_method,
)
from server.exchange import KNOWN_METHODS, Exchange, exchange_of
from server.fields import Fields
from server.middleware.outgoing import MAX_RESPONSE_BYTES
from server.registry import BoundToolset

_OLD_METHODS = frozenset({"initialize", "ping"})
_MODERN_METHODS = frozenset({"server/discover"})


class Endpoint:
    """The ASGI application of one toolset's URL; `run` is entered once, in the host application's lifespan."""

    def __init__(
        self,
        bound: BoundToolset,
        *,
        elsewhere: Mapping[str, str] | None = None,
        body_bounds: BodyBounds | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self.bound = bound
        self.server = build_server(bound, elsewhere=elsewhere)
        self._body_bounds = body_bounds or BodyBounds()
        self._max_response_bytes = max_response_bytes
        self._manager = StreamableHTTPSessionManager(
            self.server,
            stateless=True,
            json_response=True,
            max_request_body_size=MAX_BODY_BYTES,
            # Host and Origin have one owner, in front of this class.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        self._listed = {
            (method, modern): self._serialised_list(method, result, modern=modern)
            for method, result in lists_of(bound).items()
            for modern in (False, True)
        }
        offered = frozenset(KNOWN_METHODS) - _OLD_METHODS - _MODERN_METHODS
        self._methods = {method for method in offered if self.server.get_request_handler(method) is not None}

    def run(self) -> AbstractAsyncContextManager[None]:
        """The session manager's life."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one POST, or nothing when the client has left."""
        exchange = exchange_of(scope)
        exchange.protocol = _protocol(exchange.fields)
        try:
            body = await read_body(receive, self._body_bounds)
            answer = await self._answer(scope, receive, body, exchange)
        except BodyRefused as refused:
            await refuse(scope, send, refused.answer)
        except EnvelopeError as error:
            await refuse(scope, send, error.answer)
        except ClientLeft:
            exchange.client_left = True
        else:
            await send_answer(send, answer)

    async def _answer(self, scope: Scope, receive: Receive, body: bytes, exchange: Exchange) -> Answer:
        message = parse_message(body)
        fields = exchange.fields
        modern = is_modern(fields)
        exchange.method = message.method if message.method in KNOWN_METHODS else "unknown"
        check_not_doubled(message, fields)
        if modern:
            check_modern(message, fields)
        if message.is_notification:
            exchange.outcome = "ok"
            return Answer(202, headers=(NO_STORE,))
        if message.method not in self._methods | (_MODERN_METHODS if modern else _OLD_METHODS):
            raise unknown_method(message, modern=modern)
        check_named(message, fields, modern=modern)
        check_cursor(message, modern=modern)
        listed = self._listed.get((message.method, modern))
        if listed is not None:
            exchange.outcome = "ok"
            return result_bytes(message.id, listed)
        if message.method == "tools/call":
            known = self.bound.tool(message.params["name"]) is not None
            exchange.tool = message.params["name"] if known else "unknown"
        return await self._dispatch(scope, receive, body, message, exchange)

    async def _dispatch(
        self, scope: Scope, receive: Receive, body: bytes, message: Message, exchange: Exchange
    ) -> Answer:
        """Hands a checked request to the SDK; the client's leaving cancels whatever runs for it."""
        captured = _Captured()
        inner = {**scope, "path": self.bound.toolset.path, "headers": _inner_headers(exchange.fields)}
        with anyio.CancelScope() as running:
            # A bare task costs a fraction of a task group, and this is done for every call.
            watcher = asyncio.create_task(_until_client_leaves(receive))
            watcher.add_done_callback(lambda done: None if done.cancelled() else running.cancel())
            try:
                await self._manager.handle_request(inner, _Replay(body), captured.send)
            finally:
                watcher.cancel()
        if running.cancelled_caught:
            raise ClientLeft
        modern = is_modern(exchange.fields)
        if len(captured.body) > self._max_response_bytes:
            return self._too_large(message, exchange, modern=modern)
        return captured.answer()

    def _too_large(self, message: Message, exchange: Exchange, *, modern: bool) -> Answer:
        text = "The result is larger than this service sends; ask for less."
        if message.method != "tools/call":
            return rpc_error(200, message.id, INTERNAL_ERROR, text, None)
        outcome = self.bound.outcome_of(ResultTooLarge(text), tool=exchange.tool)
        exchange.outcome, exchange.code = outcome.ending, outcome.code or "-"
        result = call_result(outcome)
        if modern:
            stamp = {types.SERVER_INFO_META_KEY: self.server.server_info_stamp}
            result = {**result, **COMPLETE, "_meta": {**(outcome.meta or {}), **stamp}}
        return result_bytes(message.id, orjson.dumps(result))

    def _serialised_list(self, method: str, listed: Mapping[str, Any], *, modern: bool) -> bytes:
        result = dict(listed)
        if modern:
            result |= {**COMPLETE, "ttlMs": LIST_TTL_MS, "cacheScope": "public"}
            result["_meta"] = {types.SERVER_INFO_META_KEY: self.server.server_info_stamp}
        # Only to prove, at start, that the list has the form of its era.
        serialize_server_result(method, MODERN_VERSION if modern else OLD_VERSIONS[0], result)
        return orjson.dumps(result)


async def _until_client_leaves(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


class _Replay:
    """A `receive` that gives a body that was read before; the SDK never sees the client leave, this layer does."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body

    async def __call__(self) -> AsgiMessage:
        if self._body is None:
            await anyio.sleep_forever()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Captured:
    """The SDK's answer, kept until its size and form are known."""

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


def _protocol(fields: Fields) -> str:
    version = fields.text(VERSION_HEADER)
    if version is None:
        return "legacy"
    return version if version in (*OLD_VERSIONS, MODERN_VERSION) else "unknown"


def _inner_headers(fields: Fields) -> list[tuple[bytes, bytes]]:
    """What the SDK needs to see: nothing of sessions, credentials or the client's taste in formats."""
    inner = [(b"content-type", b"application/json"), (b"accept", b"application/json, text/event-stream")]
    for name in (VERSION_HEADER, METHOD_HEADER, NAME_HEADER):
        value = fields.get(name)
        if value is not None:
            inner.append((name, value))
    return inner
