"""Refuses requests for a host that is not this service's: the guard against rebound names."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.allowlists import HostList
from server.answers import refusal, send_answer


class HostGuard:
    """Only hosts on the list are served (hosting contract 3.2)."""

    def __init__(self, app: ASGIApp, *, hosts: HostList) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """421, or on."""
        host = next((value.decode("latin-1").strip(" \t") for name, value in scope["headers"] if name == b"host"), "")
        if not self._hosts.allows(host):
            text = "This host name is not served here; the operator adds it to PAPERDESK_ALLOWED_HOSTS."
            await send_answer(send, refusal(421, "host_not_allowed", text))
            return
        await self._app(scope, receive, send)
