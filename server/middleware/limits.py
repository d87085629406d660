"""Admits a request, hands its ticket on, and frees what it held on every way out (hosting contract 3.1, step 10)."""

from collections.abc import Awaitable

from starlette.types import ASGIApp, Receive, Scope, Send

from server.exchange import Exchange, exchange_of
from server.limit_answers import rate_headers, refuse_limit
from server.limits.admission import Limiter, Ticket
from server.limits.budgets import PER_MINUTE
from server.limits.refusal import LimitRefused


class Limits:
    """Needs the caller in the exchange; puts the ticket there. A `LimitRefused` from inside is answered here too.

    With `at_once` the window's token is taken before anything runs, for requests that have no body to wait for.
    """

    def __init__(self, app: ASGIApp, *, limiter: Limiter, window: str = PER_MINUTE, at_once: bool = False) -> None:
        self._app = app
        self._limiter = limiter
        self._window = window
        self._at_once = at_once

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """429 or 503, or on; a preflight is not counted."""
        if scope["type"] != "http" or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        exchange = exchange_of(scope)
        if exchange.caller is None:
            raise RuntimeError("the caller is found before a request is admitted")
        try:
            ticket = await self._limiter.admit(exchange.caller, window=self._window)
        except LimitRefused as refused:
            exchange.answer_headers += rate_headers(refused.rate)
            await refuse_limit(scope, send, refused)
            return
        exchange.ticket = ticket
        exchange.before_answer = _paid
        try:
            if self._at_once:
                await ticket.take()
            await self._app(scope, receive, send)
        except LimitRefused as refused:
            await refuse_limit(scope, send, refused)
        finally:
            if ticket.leave():
                await ticket.settle_up()
            # A layer further out may still have to answer for one that failed.
            _tell(exchange, ticket)


def _paid(exchange: Exchange) -> Awaitable[None] | None:
    """Lets an answer say what is left, once its request has paid for itself; what that has to wait for, if anything."""
    ticket = exchange.ticket
    assert ticket is not None, "a request is admitted before it is answered"
    if not ticket.is_settled:
        # A request that ended before it drew on anything has its token taken here.
        return _settle(exchange, ticket)
    _tell(exchange, ticket)
    return None


async def _settle(exchange: Exchange, ticket: Ticket) -> None:
    await ticket.settle()
    _tell(exchange, ticket)


def _tell(exchange: Exchange, ticket: Ticket) -> None:
    """Adds the headers, once."""
    if exchange.before_answer is not None:
        exchange.before_answer = None
        exchange.answer_headers += rate_headers(ticket.rate)
