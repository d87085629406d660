"""Decides which browser origins may talk to an MCP endpoint, by one rule for preflight and request."""

from starlette.types import Scope

from server.allowlists import OriginList
from server.answers import Answer, refusal
from server.exchange import Exchange

_VARY = (b"vary", b"Origin")
_SHARED = (
    (b"access-control-allow-methods", b"GET, POST, DELETE, OPTIONS"),
    (
        b"access-control-allow-headers",
        b"Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, "
        b"Last-Event-ID",
    ),
    (
        b"access-control-expose-headers",
        b"Mcp-Session-Id, MCP-Protocol-Version, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, "
        b"WWW-Authenticate, X-Request-Id",
    ),
    (b"access-control-max-age", b"600"),
)
_REFUSED = refusal(
    403,
    "origin_not_allowed",
    "This Origin is not allowed; the operator adds it to PAPERDESK_ALLOWED_ORIGINS.",
)


class OriginGuard:
    """Refuses origins off the list with 403, answers preflights, adds CORS headers (hosting contract 3.3).

    `method` is the one that the path takes.
    """

    def __init__(self, origins: OriginList, *, method: str = "POST") -> None:
        self._origins = origins
        self._preflight = Answer(200, headers=((b"allow", method.encode()),))

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """403, or the preflight's answer."""
        exchange.answer_headers.append(_VARY)
        origin = exchange.fields.get(b"origin")
        if origin is not None:
            if not self._origins.allows(origin.decode("latin-1")):
                return _REFUSED
            exchange.answer_headers += ((b"access-control-allow-origin", origin), *_SHARED)
        return self._preflight if scope["method"] == "OPTIONS" else None
