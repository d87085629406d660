"""The HTTP side of an endpoint: both protocol eras on one URL, in front of a dispatcher.

This layer owns the body, envelopes, routing headers, cancellation and the response bound (hosting contract 2.2, 2.3,
2.6); methods, types and declared lengths are refused before it. No dispatcher sees a request that is refused here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager

from starlette.types import Receive, Scope, Send

from core.errors import PaperdeskError, ResultTooLarge, SourceTimeout
from server.answers import NO_STORE, Answer, refuse, result_answer, result_bytes, rpc_error, send_answer
from server.body import BodyBounds, BodyRefused, ClientLeft, read_body
from server.endpoint.dispatch import DispatcherOf
from server.endpoint.results import call_result, methods_of, modern_result, serialised_lists, server_info
from server.endpoint.sdk import SdkDispatcher
from server.envelope import (
    INTERNAL_ERROR,
    MODERN_VERSION,
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
from server.limits.admission import Ticket
from server.middleware.outgoing import MAX_RESPONSE_BYTES
from server.registry import BoundToolset
from server.running import Abandoned, while_awaited

_OLD_METHODS = frozenset({"initialize", "ping"})
_PROTOCOLS = {version.encode(): version for version in (*OLD_VERSIONS, MODERN_VERSION)}
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
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self.bound = bound
        self._is_stopping = is_stopping
        self._dispatcher = dispatcher(bound, elsewhere or {})
        self._body_bounds = body_bounds or BodyBounds()
        self._max_response_bytes = max_response_bytes
        self._info = server_info(bound)
        self._listed = serialised_lists(bound)
        offered = methods_of(bound)
        self._methods = {False: offered | _OLD_METHODS, True: offered | _MODERN_METHODS}

    def run(self) -> AbstractAsyncContextManager[None]:
        """The dispatcher's life."""
        return self._dispatcher.run()

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
        if message.method not in self._methods[modern]:
            raise unknown_method(message, modern=modern)
        check_named(message, fields, modern=modern)
        check_cursor(message, modern=modern)
        if exchange.ticket is not None:
            await self._pay(message, exchange.ticket)
        listed = self._listed.get((message.method, modern))
        if listed is not None:
            exchange.outcome = "ok"
            return result_bytes(message.id, listed)
        if message.method == "tools/call":
            known = self.bound.tool(message.params["name"]) is not None
            exchange.tool = message.params["name"] if known else "unknown"
        return await self._dispatch(scope, receive, message, exchange, modern=modern)

    def _pay(self, message: Message, ticket: Ticket) -> Awaitable[None]:
        """Steps 13 and 14: the body alone says what a call costs and of which budgets. Raises `LimitRefused`."""
        if message.method != "tools/call":
            return ticket.take()
        name, arguments = message.params["name"], message.params.get("arguments")
        return ticket.take(self.bound.budgets_of(name, arguments), cost=self.bound.cost_of(name, arguments))

    async def _dispatch(
        self, scope: Scope, receive: Receive, message: Message, exchange: Exchange, *, modern: bool
    ) -> Answer:
        """Hands a checked request on; the client's leaving cancels whatever runs for it."""
        call = self._dispatcher.answer(message, modern=modern, fields=exchange.fields, scope=scope)
        try:
            answer = await while_awaited(lambda: _until_client_leaves(receive), call)
        except Abandoned:
            raise ClientLeft from None
        except asyncio.CancelledError:
            if not self._is_stopping():
                raise
            # The process ends and someone still waits: the last of the time is for telling them.
            text = "The service stopped before the call was done; send it again."
            return self._failed(SourceTimeout(text, source="paperdesk"), message, exchange, modern=modern)
        if len(answer.body) > self._max_response_bytes:
            text = "The result is larger than this service sends; ask for less."
            return self._failed(ResultTooLarge(text), message, exchange, modern=modern)
        return answer

    def _failed(self, error: PaperdeskError, message: Message, exchange: Exchange, *, modern: bool) -> Answer:
        """A failure found out here: a tool's is worded by its family."""
        if message.method != "tools/call":
            return rpc_error(200, message.id, INTERNAL_ERROR, error.message, None)
        outcome = self.bound.outcome_of(error, tool=exchange.tool)
        exchange.outcome, exchange.code = outcome.ending, outcome.code or "-"
        result = call_result(outcome)
        if modern:
            result = modern_result(message.method, result, self._info)
        return result_answer(message.id, result)


async def _until_client_leaves(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _protocol(fields: Fields) -> str:
    version = fields.get(VERSION_HEADER)
    return "legacy" if version is None else _PROTOCOLS.get(version, "unknown")
