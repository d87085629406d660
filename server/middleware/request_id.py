"""Gives every request its id and every answer the headers that all answers carry."""

import ipaddress
import re
import secrets

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.exchange import SCOPE_KEY, Exchange, current_exchange

_WELL_FORMED = re.compile(rb"[A-Za-z0-9_-]{8,64}")


class RequestIds:
    """A loopback peer's own id is kept when it is well formed; anyone else gets a new one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Puts an `Exchange` into the scope and the context."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = Exchange(request_id=_given_id(scope) or secrets.token_hex(8))
        scope[SCOPE_KEY] = exchange
        token = current_exchange.set(exchange)
        added = [(b"x-request-id", exchange.request_id.encode()), (b"x-content-type-options", b"nosniff")]

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        finally:
            current_exchange.reset(token)


def _given_id(scope: Scope) -> str | None:
    if not is_loopback(scope):
        return None
    given = [value.strip(b" \t") for name, value in scope["headers"] if name == b"x-request-id"]
    return given[0].decode() if len(given) == 1 and _WELL_FORMED.fullmatch(given[0]) else None


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
