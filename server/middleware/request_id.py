"""Opens the exchange of each request: its id, its header fields, and the headers that every answer carries."""

import random
import re

from starlette.types import ASGIApp, Receive, Scope, Send

from server.exchange import SCOPE_KEY, Exchange, current_exchange
from server.fields import Fields
from server.peers import PeerTrust

_WELL_FORMED = re.compile(rb"[A-Za-z0-9_-]{8,64}")
_NOSNIFF = (b"x-content-type-options", b"nosniff")


class RequestIds:
    """A trusted peer's own id is kept when it is well formed; anyone else gets a new one (hosting contract 5.4)."""

    def __init__(self, app: ASGIApp, *, peers: PeerTrust) -> None:
        self._app = app
        self._peers = peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Puts an `Exchange` into the scope and the context."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        fields = Fields(scope["headers"])
        request_id = self._given_id(scope, fields) or f"{random.getrandbits(64):016x}"
        exchange = Exchange(request_id, fields, [(b"x-request-id", request_id.encode()), _NOSNIFF])
        scope[SCOPE_KEY] = exchange
        token = current_exchange.set(exchange)
        try:
            await self._app(scope, receive, send)
        finally:
            current_exchange.reset(token)

    def _given_id(self, scope: Scope, fields: Fields) -> str | None:
        given = fields.get(b"x-request-id")
        if given is None or fields.is_doubled(b"x-request-id") or _WELL_FORMED.fullmatch(given) is None:
            return None
        client = scope.get("client")
        return given.decode() if self._peers.is_trusted(None if client is None else client[0]) else None
