"""What every answer passes on its way out: the headers of its exchange, the last bound of size, and a count.

The bound is a guard under all others: an answer over it is not sent, not even in part.
"""

import logging
from collections.abc import Awaitable, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.answers import Outlet, refusal, send_parts
from server.exchange import Exchange, exchange_of
from server.whole_answer import cycle_of, write_answer

MAX_RESPONSE_BYTES = 2 * 1024 * 1024

_log = logging.getLogger("paperdesk.http")


class Outgoing:
    """Holds an answer back until its size is known; every answer of this service comes in one part."""

    def __init__(self, app: ASGIApp, *, max_bytes: int = MAX_RESPONSE_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Gives what is inside the one `send` that there is."""
        if scope["type"] != "http":
            return self._app(scope, receive, send)
        return self._app(scope, receive, _Gate(send, exchange_of(scope), self._max_bytes))


class _Gate(Outlet):
    """A `send` that completes the head of an answer, or closes."""

    __slots__ = ("_exchange", "_is_shut", "_max_bytes", "_send", "_start")

    def __init__(self, send: Send, exchange: Exchange, max_bytes: int) -> None:
        self._send = send
        self._exchange = exchange
        self._max_bytes = max_bytes
        self._start: Message | None = None
        self._is_shut = False

    async def __call__(self, message: Message) -> None:
        """One part of an answer."""
        if message["type"] == "http.response.start":
            self._start = message
            return
        start, self._start = self._start, None
        if start is None:
            return
        # What comes in several parts has no length yet, so nothing of it may leave.
        body = None if message.get("more_body", False) else message.get("body", b"")
        await self._finish(start["status"], tuple(start.get("headers", ())), body, is_whole=False)

    def answer(self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> Awaitable[None]:
        """All of an answer."""
        return self._finish(status, headers, body, is_whole=True)

    async def _finish(
        self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes | None, *, is_whole: bool
    ) -> None:
        if self._is_shut:
            return
        exchange = self._exchange
        if exchange.before_answer is not None:
            waits_for = exchange.before_answer(exchange)
            if waits_for is not None:
                await waits_for
        if body is None or len(body) > self._max_bytes:
            status, headers, body = self._too_large()
        exchange.status = status
        exchange.answer_bytes = len(body)
        headers = (*headers, *exchange.answer_headers)
        cycle = cycle_of(self._send) if is_whole else None
        if cycle is not None:
            write_answer(cycle, status, headers, body)
        else:
            await send_parts(self._send, status, headers, body)

    def _too_large(self) -> tuple[int, Sequence[tuple[bytes, bytes]], bytes]:
        """The refusal in place of an answer that nothing inside should have made."""
        self._is_shut = True
        self._exchange.outcome, self._exchange.code = "refused", "response_too_large"
        _log.error("response_too_large bytes_over=%d", self._max_bytes)
        text = "The answer was larger than this service sends; ask for less."
        answer = refusal(503, "response_too_large", text)
        length = (b"content-length", b"%d" % len(answer.body))
        return answer.status, (*answer.headers, length), answer.body
