"""Refuses requests for a host that is not this service's: the guard against rebound names."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.allowlists import HostList
from server.answers import refusal, refuse
from server.exchange import exchange_of

_REFUSED = refusal(
    421,
    "host_not_allowed",
    "This host name is not served here; the operator adds it to PAPERDESK_ALLOWED_HOSTS.",
)
_REMEMBERED_MAX = 64


class HostGuard:
    """Only hosts on the list are served (hosting contract 3.2)."""

    def __init__(self, app: ASGIApp, *, hosts: HostList) -> None:
        self._app = app
        self._hosts = hosts
        # Clients name few hosts, over and over.
        self._allowed: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """421, or on."""
        host = exchange_of(scope).fields.text(b"host") or ""
        if host not in self._allowed and not self._allows(host):
            await refuse(scope, send, _REFUSED)
            return
        await self._app(scope, receive, send)

    def _allows(self, host: str) -> bool:
        if not self._hosts.allows(host):
            return False
        if len(self._allowed) < _REMEMBERED_MAX:
            self._allowed.add(host)
        return True
