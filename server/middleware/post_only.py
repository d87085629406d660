"""An MCP endpoint takes POST; every other method is refused at once, so that no event stream is ever opened."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import method_not_allowed, refuse

_REFUSED = method_not_allowed("POST")


class PostOnly:
    """Step 6 of hosting contract 3.1."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """405, or on."""
        if scope["method"] != "POST":
            await refuse(scope, send, _REFUSED)
            return
        await self._app(scope, receive, send)
