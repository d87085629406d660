"""One log line for each MCP request, and the net under everything: an escaped exception is a plain 500."""

import logging
import time
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import __version__
from server.answers import Answer, refusal, send_answer
from server.exchange import Exchange, exchange_of

_requests = logging.getLogger("paperdesk.requests")
_log = logging.getLogger("paperdesk.http")


class Telemetry:
    """Fields and their order are hosting contract 3.5; `toolsets` maps the MCP paths to their toolsets."""

    def __init__(self, app: ASGIApp, *, toolsets: Mapping[str, str]) -> None:
        self._app = app
        self._toolsets = toolsets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves, then writes the line, cancelled requests included."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = exchange_of(scope)
        toolset = self._toolsets.get(scope["path"].removesuffix("/"))
        tally = _Tally(send)
        started_s = time.perf_counter()
        try:
            await self._app(scope, receive, tally.send)
        except Exception as error:
            exchange.outcome = "crashed"
            _log.error("request_crashed error=%s", type(error).__name__)
            if not tally.status:
                await send_answer(tally.send, _crashed())
        finally:
            if toolset is not None and scope["method"] != "OPTIONS":
                exchange.toolset = toolset
                _write_line(exchange, tally, (time.perf_counter() - started_s) * 1000)


class _Tally:
    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.bytes = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        else:
            self.bytes += len(message.get("body", b""))
        await self._send(message)


def _write_line(exchange: Exchange, tally: _Tally, latency_ms: float) -> None:
    status = 499 if exchange.client_left else tally.status
    _requests.info(
        "mcp_request tool=%s status=%d latency_ms=%.1f bytes=%d protocol=%s version=%s"
        " toolset=%s method=%s outcome=%s code=%s request_id=%s",
        exchange.tool,
        status,
        latency_ms,
        tally.bytes,
        exchange.protocol,
        __version__,
        exchange.toolset,
        exchange.method,
        "cancelled" if exchange.client_left else exchange.outcome,
        exchange.code,
        exchange.request_id,
    )


def _crashed() -> Answer:
    return refusal(500, "internal_error", "paperdesk failed to answer; the same request may succeed later.")
