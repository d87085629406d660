"""Refuses requests with too many header bytes or fields, and those whose framing or routing headers are doubled."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import CLOSE, refusal, refuse
from server.exchange import exchange_of

MAX_HEADER_BYTES = 16 * 1024
MAX_HEADER_FIELDS = 100

_TOO_LARGE = refusal(
    431,
    "headers_too_large",
    f"Send at most {MAX_HEADER_FIELDS} header fields and {MAX_HEADER_BYTES} bytes of them.",
    headers=(CLOSE,),
)
_DOUBLED = refusal(400, "bad_request", "Send each of Host, Origin and Content-Length once only.", headers=(CLOSE,))


class HeaderBound:
    """httptools has no bound of its own (hosting contract 3.4)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """431, 400, or on."""
        if scope["type"] == "http":
            fields = exchange_of(scope).fields
            if fields.size_bytes > MAX_HEADER_BYTES or fields.count > MAX_HEADER_FIELDS:
                await refuse(scope, send, _TOO_LARGE)
                return
            if fields.is_doubled(b"host", b"origin", b"content-length"):
                await refuse(scope, send, _DOUBLED)
                return
        await self._app(scope, receive, send)
