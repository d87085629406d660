"""Finds whom a request is counted against, and refuses credentials that are not good (hosting contract 3.1, step 9)."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import refusal, refuse
from server.exchange import exchange_of
from server.fields import Fields
from server.limit_answers import rate_headers, refuse_limit
from server.limits.admission import Limiter
from server.limits.callers import Callers, CredentialRefused
from server.limits.identity import Caller
from server.limits.refusal import LimitRefused

_AUTHORIZATION = b"authorization"
_FORWARDED = b"x-forwarded-for"
_TAG = b"x-pwc-mcp-client"

# The same for every cause: it must not tell a revoked key from one that never was.
_REFUSED = refusal(
    401,
    "invalid_credential",
    "Send a valid API key as Authorization: Bearer, or leave that header out where no key is asked for.",
    headers=((b"www-authenticate", b'Bearer realm="paperdesk"'),),
)


class Identity:
    """Puts the caller into the exchange; the credential goes no further."""

    def __init__(self, app: ASGIApp, *, callers: Callers, limiter: Limiter) -> None:
        self._app = app
        self._callers = callers
        self._limiter = limiter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """401 (429 where its own budget is used up), or on; a preflight needs no credential."""
        if scope["type"] != "http" or scope["method"] == "OPTIONS":
            await self._app(scope, receive, send)
            return
        exchange = exchange_of(scope)
        fields = exchange.fields
        authorization = fields.all(_AUTHORIZATION)
        if authorization:
            scope["headers"] = fields.without(_AUTHORIZATION)
            exchange.fields = Fields(scope["headers"])
        client = scope.get("client")
        tags = fields.all(_TAG)
        try:
            caller = await self._callers.find(
                None if client is None else client[0],
                [line.decode("latin-1") for line in fields.all(_FORWARDED)],
                tags[0].decode("latin-1") if len(tags) == 1 else None,
                authorization,
            )
        except CredentialRefused as refused:
            exchange.identity = refused.caller.kind
            await self._refuse(scope, send, refused.caller)
            return
        exchange.caller = caller
        exchange.identity = caller.kind
        await self._app(scope, receive, send)

    async def _refuse(self, scope: Scope, send: Send, caller: Caller) -> None:
        """A guess at keys is paid for like any other request."""
        headers = exchange_of(scope).answer_headers
        try:
            rate = await self._limiter.charge(caller)
        except LimitRefused as refused:
            headers += rate_headers(refused.rate)
            await refuse_limit(scope, send, refused)
            return
        headers += rate_headers(rate)
        await refuse(scope, send, _REFUSED)
