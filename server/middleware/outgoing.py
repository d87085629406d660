"""What every answer passes on its way out: the headers of its exchange, the last bound of size, and a count.

The bound is a guard under all others: an answer over it is not sent, not even in part.
"""

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.answers import refusal
from server.exchange import Exchange, exchange_of

MAX_RESPONSE_BYTES = 2 * 1024 * 1024

_log = logging.getLogger("paperdesk.http")


class Outgoing:
    """Holds an answer back until its size is known; every answer of this service comes in one part."""

    def __init__(self, app: ASGIApp, *, max_bytes: int = MAX_RESPONSE_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Gives what is inside the one `send` that there is."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Gate(send, exchange_of(scope), self._max_bytes))


class _Gate:
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
        if self._is_shut or start is None:
            return
        body = message.get("body", b"")
        if len(body) > self._max_bytes or message.get("more_body", False):
            start, message, body = self._too_large()
        exchange = self._exchange
        exchange.status = start["status"]
        exchange.answer_bytes = len(body)
        start["headers"] = [*start.get("headers", ()), *exchange.answer_headers]
        await self._send(start)
        await self._send(message)

    def _too_large(self) -> tuple[Message, Message, bytes]:
        """The refusal in place of an answer that nothing inside should have made."""
        self._is_shut = True
        self._exchange.outcome, self._exchange.code = "refused", "response_too_large"
        _log.error("response_too_large bytes_over=%d", self._max_bytes)
        text = "The answer was larger than this service sends; ask for less."
        answer = refusal(503, "response_too_large", text)
        headers = [*answer.headers, (b"content-length", str(len(answer.body)).encode())]
        start = {"type": "http.response.start", "status": answer.status, "headers": headers}
        return start, {"type": "http.response.body", "body": answer.body}, answer.body
