"""Refuses requests with too many header bytes or fields, and those whose framing or routing headers are doubled."""

from starlette.types import Scope

from server.answers import CLOSE, Answer, refusal
from server.exchange import Exchange

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

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """431 or 400."""
        fields = exchange.fields
        if fields.size_bytes > MAX_HEADER_BYTES or fields.count > MAX_HEADER_FIELDS:
            return _TOO_LARGE
        return _DOUBLED if fields.is_doubled(b"host", b"origin", b"content-length") else None
