"""The last guard: an answer over the bound is not sent, not even in part."""

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.answers import refusal, send_answer

MAX_RESPONSE_BYTES = 2 * 1024 * 1024

_log = logging.getLogger("paperdesk.http")


class ResponseBound:
    """Holds an answer back until its size is known; every answer of this service comes in one part."""

    def __init__(self, app: ASGIApp, *, max_bytes: int = MAX_RESPONSE_BYTES) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes answers within the bound on unchanged; reaching it is a defect and says so in the log."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        refused = False

        async def send_bounded(message: Message) -> None:
            nonlocal start, refused
            if message["type"] == "http.response.start":
                start = message
            elif start is None:
                await (_dropped() if refused else send(message))
            elif len(message.get("body", b"")) > self._max_bytes or message.get("more_body", False):
                start, refused = None, True
                _log.error("response_too_large bytes_over=%d", self._max_bytes)
                text = "The answer was larger than this service sends; ask for less."
                await send_answer(send, refusal(503, "response_too_large", text))
            else:
                held, start = start, None
                await send(held)
                await send(message)

        await self._app(scope, receive, send_bounded)


async def _dropped() -> None:
    return None
