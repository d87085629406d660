"""A process that is stopping takes no new work and says so (hosting contract 5.5)."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import CLOSE, refusal, refuse
from server.drain import Drain

_REFUSED = refusal(
    503,
    "draining",
    "This process is stopping; send the request again in a few seconds.",
    headers=((b"retry-after", b"5"), CLOSE),
)


class Draining:
    """Step 7 of hosting contract 3.1."""

    def __init__(self, app: ASGIApp, *, drain: Drain) -> None:
        self._app = app
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """503, or on."""
        if self._drain.has_begun:
            await refuse(scope, send, _REFUSED)
            return
        await self._app(scope, receive, send)
