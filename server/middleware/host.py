"""Refuses requests for a host that is not this service's: the guard against rebound names."""

from starlette.types import Scope

from server.allowlists import HostList
from server.answers import Answer, refusal
from server.exchange import Exchange

_REFUSED = refusal(
    421,
    "host_not_allowed",
    "This host name is not served here; the operator adds it to PAPERDESK_ALLOWED_HOSTS.",
)
_REMEMBERED_MAX = 64


class HostGuard:
    """Only hosts on the list are served (hosting contract 3.2)."""

    def __init__(self, hosts: HostList) -> None:
        self._hosts = hosts
        # Clients name few hosts, over and over.
        self._allowed: set[str] = set()

    def check(self, scope: Scope, exchange: Exchange) -> Answer | None:
        """421."""
        host = exchange.fields.text(b"host") or ""
        return None if host in self._allowed or self._allows(host) else _REFUSED

    def _allows(self, host: str) -> bool:
        if not self._hosts.allows(host):
            return False
        if len(self._allowed) < _REMEMBERED_MAX:
            self._allowed.add(host)
        return True
