"""Opens the exchange of each request: its id, its header fields, and the headers that every answer carries."""

import ipaddress
import re
import secrets

from starlette.types import ASGIApp, Receive, Scope, Send

from server.exchange import SCOPE_KEY, Exchange, current_exchange
from server.fields import Fields

_WELL_FORMED = re.compile(rb"[A-Za-z0-9_-]{8,64}")
_NOSNIFF = (b"x-content-type-options", b"nosniff")


class RequestIds:
    """A loopback peer's own id is kept when it is well formed; anyone else gets a new one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Puts an `Exchange` into the scope and the context."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        fields = Fields(scope["headers"])
        request_id = _given_id(scope, fields) or secrets.token_hex(8)
        exchange = Exchange(request_id, fields, [(b"x-request-id", request_id.encode()), _NOSNIFF])
        scope[SCOPE_KEY] = exchange
        token = current_exchange.set(exchange)
        try:
            await self._app(scope, receive, send)
        finally:
            current_exchange.reset(token)


def _given_id(scope: Scope, fields: Fields) -> str | None:
    given = fields.get(b"x-request-id")
    if given is None or fields.is_doubled(b"x-request-id") or not is_loopback(scope):
        return None
    return given.decode() if _WELL_FORMED.fullmatch(given) else None


def is_loopback(scope: Scope) -> bool:
    """Whether the other end of the connection is this machine; a Unix socket has no address and is."""
    client = scope.get("client")
    if client is None:
        return True
    try:
        address = ipaddress.ip_address(client[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
