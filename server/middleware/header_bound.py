"""Refuses requests with too many header bytes or fields, and those whose framing or routing headers are doubled."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import CLOSE, refusal, send_answer

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADER_FIELDS = 100

_ONCE_ONLY = (b"host", b"origin", b"content-length")


class HeaderBound:
    """httptools has no bound of its own (hosting contract 3.4)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """431, 400, or on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = scope["headers"]
        # A name, a colon, a blank, a value and a line end: the bytes as they were on the wire.
        size = sum(len(name) + len(value) + 4 for name, value in headers)
        if size > MAX_HEADER_BYTES or len(headers) > MAX_HEADER_FIELDS:
            text = f"Send at most {MAX_HEADER_FIELDS} header fields and {MAX_HEADER_BYTES} bytes of them."
            await send_answer(send, refusal(431, "headers_too_large", text, headers=(CLOSE,)))
            return
        names = [name for name, _ in headers if name in _ONCE_ONLY]
        if len(names) != len(set(names)):
            text = "Send each of Host, Origin and Content-Length once only."
            await send_answer(send, refusal(400, "bad_request", text, headers=(CLOSE,)))
            return
        await self._app(scope, receive, send)
