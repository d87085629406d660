"""Refuses a body by what its headers say, before a byte of it is read (hosting contract 3.1, step 8)."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.answers import refuse
from server.body import BodyBounds, BodyRefused, check_body_headers
from server.exchange import exchange_of


class BodyHeaders:
    """415, 400 and 413."""

    def __init__(self, app: ASGIApp, *, bounds: BodyBounds) -> None:
        self._app = app
        self._bounds = bounds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A refusal, or on."""
        try:
            check_body_headers(exchange_of(scope).fields, self._bounds)
        except BodyRefused as refused:
            await refuse(scope, send, refused.answer)
            return
        await self._app(scope, receive, send)
