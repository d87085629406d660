"""A log line and a count for each MCP request, and the net under all: an escaped exception is a plain 500."""

import logging
import time
from collections.abc import Mapping
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from server import __version__
from server.answers import refusal, refuse
from server.exchange import Exchange, exchange_of
from server.logs import REQUESTS, LineRecord
from server.metrics import Traffic

CLIENT_LEFT = 499

_requests = logging.getLogger(REQUESTS)
_log = logging.getLogger("paperdesk.http")
_FORM = (
    "mcp_request tool=%s status=%s latency_ms=%.1f bytes=%s protocol=%s"
    f" version={__version__} toolset=%s method=%s outcome=%s code=%s budget=%s identity=%s upstream_ms=%.1f"
    " request_id=%s"
)
_CRASHED = refusal(500, "internal_error", "paperdesk failed to answer; the same request may succeed later.")


class Telemetry:
    """Fields and their order are hosting contract 3.5; `toolsets` maps the MCP paths to their toolsets."""

    def __init__(self, app: ASGIApp, *, toolsets: Mapping[str, str], traffic: Traffic) -> None:
        self._app = app
        self._traffic = traffic
        self._toolsets = {spelling: toolset for path, toolset in toolsets.items() for spelling in (path, f"{path}/")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves, then writes the line, cancelled requests included."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        exchange = exchange_of(scope)
        toolset = self._toolsets.get(scope["path"])
        started_s = time.perf_counter()
        try:
            await self._app(scope, receive, send)
        except Exception as error:
            exchange.outcome = "crashed"
            _log.error("request_crashed error=%s", type(error).__name__)
            if not exchange.status:
                await refuse(scope, send, _CRASHED)
        finally:
            if toolset is not None and scope["method"] != "OPTIONS":
                exchange.toolset = toolset
                self._note(exchange, time.perf_counter() - started_s)
            elif exchange.code != "-":
                self._traffic.count_refusal(exchange)

    def _note(self, exchange: Exchange, span_s: float) -> None:
        outcome = "cancelled" if exchange.client_left else exchange.outcome
        self._traffic.count(exchange, outcome, span_s)
        if outcome == "refused":
            self._traffic.count_refusal(exchange)
        _write_line(exchange, outcome, span_s * 1000)


class _Line(tuple[Any, ...]):
    """The values of a line, worded when it is written: a batch at a time costs less than each beside its request."""

    __slots__ = ()

    def __str__(self) -> str:
        return _FORM % self


def _write_line(exchange: Exchange, outcome: str, latency_ms: float) -> None:
    if not _requests.isEnabledFor(logging.INFO):
        return
    status = CLIENT_LEFT if exchange.client_left else exchange.status
    values = (
        exchange.tool,
        status,
        latency_ms,
        exchange.answer_bytes,
        exchange.protocol,
        exchange.toolset,
        exchange.method,
        outcome,
        exchange.code,
        exchange.budget,
        exchange.identity,
        exchange.upstream_s * 1000,
        exchange.request_id,
    )
    _requests.handle(LineRecord(_requests.name, logging.INFO, _Line(values), exchange.request_id))
