"""Decides which browser origins may talk to an MCP endpoint, by one rule for preflight and request."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.allowlists import OriginList
from server.answers import Answer, refusal, send_answer

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
_ALLOW = (b"allow", b"POST")


class OriginGuard:
    """Refuses origins off the list with 403, answers preflights, adds CORS headers (hosting contract 3.3)."""

    def __init__(self, app: ASGIApp, *, origins: OriginList) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """403, the preflight's answer, or on."""
        given = [value.strip(b" \t") for name, value in scope["headers"] if name == b"origin"]
        if given and not self._origins.allows(given[0].decode("latin-1")):
            text = "This Origin is not allowed; the operator adds it to PAPERDESK_ALLOWED_ORIGINS."
            await send_answer(send, refusal(403, "origin_not_allowed", text, headers=(_VARY,)))
            return
        added = [_VARY] if not given else [_VARY, (b"access-control-allow-origin", given[0]), *_SHARED]

        async def send_with_cors(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        if scope["method"] == "OPTIONS":
            await send_answer(send_with_cors, Answer(200, headers=(_ALLOW,)))
            return
        await self._app(scope, receive, send_with_cors)
