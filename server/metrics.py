"""What is counted of the traffic, and its exposition for a scraper on this machine (hosting contract 5.3).

Counting is done for every request, so it is a dictionary look-up and some additions; Prometheus' own client library
words what was counted when somebody asks. Every label value comes from a closed list.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Receive, Scope, Send

from core.cache import Counters
from server.answers import NO_STORE, Answer, method_not_allowed, refuse, send_answer
from server.exchange import Exchange, current_exchange, exchange_of
from server.peers import PeerTrust

V = TypeVar("V")

BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 60.0)
REASONS = frozenset(
    {
        "bad_request",
        "invalid_credential",
        "origin_not_allowed",
        "not_found",
        "method_not_allowed",
        "request_timeout",
        "request_too_large",
        "unsupported_media_type",
        "host_not_allowed",
        "rate_limit_exceeded",
        "headers_too_large",
        "internal_error",
        "server_saturated",
        "draining",
        "response_too_large",
    }
)
"""The codes of plain refusals (hosting contract 1.3)."""

_LABELS = ("toolset", "method", "tool", "protocol", "outcome")
Rows = Mapping[Any, V]
"""Values by their labels, a tuple of texts."""

_EVENTS = ("hits", "misses", "joined", "stale", "evictions")


class Spans:
    """A histogram of seconds."""

    __slots__ = ("counts", "total_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_S) + 1)
        self.total_s = 0.0

    def add(self, span_s: float) -> None:
        """One more."""
        self.counts[bisect_left(BUCKETS_S, span_s)] += 1
        self.total_s += span_s

    def cumulative(self) -> list[tuple[str, float]]:
        """The number of spans up to each bound, the last of them infinite."""
        counts, sum_so_far = [], 0
        for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), self.counts, strict=True):
            sum_so_far += count
            counts.append((bound, float(sum_so_far)))
        return counts


@dataclass(slots=True)
class _Row:
    spans: Spans = field(default_factory=Spans)
    answer_bytes: int = 0


class Traffic:
    """What requests and upstream calls came to since the start."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], _Row] = {}
        self.refusals: Counter[tuple[str, str]] = Counter()
        self.upstream: dict[tuple[str, str], Spans] = {}

    def count(self, exchange: Exchange, outcome: str, span_s: float) -> None:
        """One MCP request that is over."""
        labels = (exchange.toolset, exchange.method, exchange.tool, exchange.protocol, outcome)
        row = self.rows.get(labels)
        if row is None:
            row = self.rows[labels] = _Row()
        row.spans.add(span_s)
        row.answer_bytes += exchange.answer_bytes

    def count_refusal(self, exchange: Exchange) -> None:
        """One request, on whatever path, that was refused before anything ran for it."""
        if exchange.code in REASONS:
            self.refusals[exchange.code, exchange.budget] += 1

    def count_upstream(self, source: str, outcome: str, span_s: float) -> None:
        """One request to an upstream; also told to the request that it was made for."""
        self.upstream.setdefault((source, outcome), Spans()).add(span_s)
        exchange = current_exchange.get()
        if exchange is not None:
            exchange.upstream_s += span_s


@dataclass(frozen=True, slots=True)
class State:
    """What is asked for at the moment of a scrape."""

    is_ready: Callable[[], bool]
    in_flight: Callable[[], int] = lambda: 0
    identities: Callable[[], int] = lambda: 0
    store_errors: Callable[[], int] = lambda: 0
    caches: Callable[[], Mapping[str, Counters]] = dict


class MetricsPage:
    """`GET /metrics` for a scraper on this machine, through no proxy; for everyone else the path is not there."""

    def __init__(
        self,
        traffic: Traffic,
        state: State,
        *,
        unknown: ASGIApp,
        peers: PeerTrust,
        worker: str | None = None,
    ) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Collector(traffic, state, worker))
        self._unknown = unknown
        self._peers = peers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The exposition, or 404."""
        client = scope.get("client")
        is_near = self._peers.is_loopback(None if client is None else client[0])
        if not is_near or exchange_of(scope).fields.get(b"x-forwarded-for") is not None:
            await self._unknown(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await refuse(scope, send, method_not_allowed("GET", "HEAD"))
        else:
            kind = (b"content-type", b"text/plain; version=0.0.4; charset=utf-8")
            answer = Answer(200, generate_latest(self._registry), (kind, NO_STORE))
            await send_answer(send, answer, without_body=scope["method"] == "HEAD")


class _Collector(Collector):
    """Words the numbers in the client library's terms; `worker` tells processes of one service apart."""

    def __init__(self, traffic: Traffic, state: State, worker: str | None) -> None:
        self._traffic = traffic
        self._state = state
        self._names: tuple[str, ...] = () if worker is None else ("worker",)
        self._values: tuple[str, ...] = () if worker is None else (worker,)

    def collect(self) -> Iterable[Metric]:
        """Everything, in a fixed order."""
        yield from self._requests()
        yield self._counter(
            "paperdesk_refusals",
            "Requests refused before anything ran",
            ("reason", "budget"),
            dict(self._traffic.refusals),
        )
        state = self._state
        yield self._gauge("paperdesk_in_flight", "MCP and API requests in progress", state.in_flight())
        yield self._gauge("paperdesk_identities", "Identities remembered by the limiter", state.identities())
        errors = {(): state.store_errors()}
        yield self._counter("paperdesk_limit_store_errors", "Failures of the limits' store", (), errors)
        yield self._gauge("paperdesk_ready", "Whether the catalog can answer", int(state.is_ready()))
        yield self._spans(
            "paperdesk_upstream_seconds", "Upstream requests", ("source", "outcome"), self._traffic.upstream
        )
        yield from self._caches()

    def _requests(self) -> Iterable[Metric]:
        rows = self._traffic.rows
        totals = {labels: sum(row.spans.counts) for labels, row in rows.items()}
        yield self._counter("paperdesk_requests", "MCP requests", _LABELS, totals)
        spans = {labels: row.spans for labels, row in rows.items()}
        yield self._spans("paperdesk_request_seconds", "Time of MCP requests", _LABELS, spans)
        sizes = {labels: row.answer_bytes for labels, row in rows.items()}
        yield self._counter("paperdesk_response_bytes", "Bytes of MCP answers", _LABELS, sizes)

    def _caches(self) -> Iterable[Metric]:
        caches = self._state.caches()
        events = {(tier, event): getattr(each, event) for tier, each in caches.items() for event in _EVENTS}
        yield self._counter("paperdesk_cache_events", "What the catalog's memory did", ("tier", "event"), events)
        held = GaugeMetricFamily("paperdesk_cache_bytes", "What it holds", labels=("tier", *self._names))
        for tier, counters in caches.items():
            held.add_metric((tier, *self._values), counters.bytes)
        yield held

    def _counter(self, name: str, text: str, labels: tuple[str, ...], rows: Rows[int]) -> Metric:
        family = CounterMetricFamily(name, text, labels=(*labels, *self._names))
        for values, count in rows.items():
            family.add_metric((*values, *self._values), count)
        return family

    def _gauge(self, name: str, text: str, value: int) -> Metric:
        family = GaugeMetricFamily(name, text, labels=self._names)
        family.add_metric(self._values, value)
        return family

    def _spans(self, name: str, text: str, labels: tuple[str, ...], rows: Rows[Spans]) -> Metric:
        family = HistogramMetricFamily(name, text, labels=(*labels, *self._names))
        for values, spans in rows.items():
            family.add_metric((*values, *self._values), spans.cumulative(), spans.total_s)
        return family
