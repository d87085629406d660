"""The HTTP side of an endpoint: both protocol eras on one URL, in front of a dispatcher.

This layer owns methods, content types, envelopes, routing headers, cancellation and the response bound (hosting
contract 2.2, 2.3, 2.6). No dispatcher sees a request that is refused here.
"""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import orjson
from starlette.types import Receive, Scope, Send

from core.errors import ResultTooLarge
from server.answers import NO_STORE, Answer, method_not_allowed, result_bytes, rpc_error, send_answer
from server.body import BodyBounds, BodyRefused, ClientLeft, check_body_headers, read_body
from server.endpoint.dispatch import DispatcherOf
from server.endpoint.results import call_result, methods_of, modern_result, serialised_lists, server_info
from server.endpoint.sdk import SdkDispatcher
from server.envelope import (
    INTERNAL_ERROR,
    MODERN_VERSION,
    OLD_VERSIONS,
    VERSION_HEADER,
    EnvelopeError,
    Headers,
    Message,
    check_cursor,
    check_modern,
    check_named,
    check_not_doubled,
    is_modern,
    parse_message,
    stripped_headers,
    unknown_method,
)
from server.exchange import KNOWN_METHODS, Exchange, exchange_of
from server.middleware.response_bound import MAX_RESPONSE_BYTES
from server.registry import BoundToolset
from server.running import Abandoned, while_awaited

_OLD_METHODS = frozenset({"initialize", "ping"})
_MODERN_METHODS = frozenset({"server/discover"})


class Endpoint:
    """The ASGI application of one toolset's URL; `run` is entered once, in the host application's lifespan."""

    def __init__(
        self,
        bound: BoundToolset,
        *,
        elsewhere: Mapping[str, str] | None = None,
        dispatcher: DispatcherOf = SdkDispatcher,
        body_bounds: BodyBounds | None = None,
        max_response_bytes: int = MAX_RESPONSE_BYTES,
    ) -> None:
        self.bound = bound
        self._dispatcher = dispatcher(bound, elsewhere or {})
        self._body_bounds = body_bounds or BodyBounds()
        self._max_response_bytes = max_response_bytes
        self._info = server_info(bound)
        self._listed = serialised_lists(bound)
        self._methods = methods_of(bound)

    def run(self) -> AbstractAsyncContextManager[None]:
        """The dispatcher's life."""
        return self._dispatcher.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one HTTP request, or nothing when the client has left."""
        if scope["method"] != "POST":
            await send_answer(send, method_not_allowed("POST"), without_body=scope["method"] == "HEAD")
            return
        exchange = exchange_of(scope)
        headers = stripped_headers(scope["headers"])
        exchange.protocol = _protocol(headers)
        try:
            check_body_headers(headers, self._body_bounds)
            body = await read_body(receive, self._body_bounds)
            answer = await self._answer(scope, receive, headers, body, exchange)
        except BodyRefused as refused:
            answer = refused.answer
        except EnvelopeError as error:
            answer = error.answer
        except ClientLeft:
            exchange.client_left = True
            return
        await send_answer(send, answer)

    async def _answer(
        self, scope: Scope, receive: Receive, headers: Headers, body: bytes, exchange: Exchange
    ) -> Answer:
        message = parse_message(body)
        modern = is_modern(headers)
        exchange.method = message.method if message.method in KNOWN_METHODS else "unknown"
        check_not_doubled(message, headers)
        if modern:
            check_modern(message, headers)
        if message.is_notification:
            exchange.outcome = "ok"
            return Answer(202, headers=(NO_STORE,))
        if message.method not in self._methods | (_MODERN_METHODS if modern else _OLD_METHODS):
            raise unknown_method(message, modern=modern)
        check_named(message, headers, modern=modern)
        check_cursor(message, modern=modern)
        listed = self._listed.get((message.method, modern))
        if listed is not None:
            exchange.outcome = "ok"
            return result_bytes(message.id, listed)
        if message.method == "tools/call":
            known = self.bound.tool(message.params["name"]) is not None
            exchange.tool = message.params["name"] if known else "unknown"
        return await self._dispatch(scope, receive, headers, message, exchange)

    async def _dispatch(
        self, scope: Scope, receive: Receive, headers: Headers, message: Message, exchange: Exchange
    ) -> Answer:
        """Hands a checked request on; the client's leaving cancels whatever runs for it."""
        modern = is_modern(headers)
        call = self._dispatcher.answer(message, modern=modern, headers=headers, scope=scope)
        try:
            answer = await while_awaited(lambda: _until_client_leaves(receive), call)
        except Abandoned:
            raise ClientLeft from None
        if len(answer.body) > self._max_response_bytes:
            return self._too_large(message, exchange, modern=modern)
        return answer

    def _too_large(self, message: Message, exchange: Exchange, *, modern: bool) -> Answer:
        text = "The result is larger than this service sends; ask for less."
        if message.method != "tools/call":
            return rpc_error(200, message.id, INTERNAL_ERROR, text, None)
        outcome = self.bound.outcome_of(ResultTooLarge(text), tool=exchange.tool)
        exchange.outcome, exchange.code = outcome.ending, outcome.code or "-"
        result = call_result(outcome)
        if modern:
            result = modern_result(message.method, result, self._info)
        return result_bytes(message.id, orjson.dumps(result))


async def _until_client_leaves(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _protocol(headers: Headers) -> str:
    version = headers.get(VERSION_HEADER)
    if version is None:
        return "legacy"
    return version[0] if version[0] in (*OLD_VERSIONS, MODERN_VERSION) else "unknown"
