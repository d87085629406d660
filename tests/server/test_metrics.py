"""What is counted, and who may read it."""

from collections.abc import Iterator

import httpx
import pytest
from desk_toolset import Desk
from live import Live, desk_service, front, serve_desk
from prometheus_client.parser import text_string_to_metric_families

from core.cache import Counters
from server.app import create_app
from server.bootstrap import DISPATCHERS
from server.exchange import Exchange, current_exchange
from server.metrics import MetricsPage, State, Traffic
from server.peers import PeerTrust

pytestmark = pytest.mark.anyio

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module", params=DISPATCHERS)
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    with serve_desk(request.param) as server:
        yield server


@pytest.fixture
def client(live: Live) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live.url) as made:
        yield made


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def labels(**values: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(values.items()))


def test_requests_and_refusals_are_counted_with_labels_from_closed_lists(client: httpx.Client) -> None:
    # hosting A73
    client.post("/mcp", content=PING, headers=JSON)
    client.post("/mcp", content=PING, headers=JSON)
    client.post("/mcp", content=PING.replace(b"ping", b"planted"), headers=JSON)
    client.post("/mcp", content=PING, headers={**JSON, "mcp-protocol-version": "planted"})
    client.get("/planted")
    client.post("/mcp", content=PING, headers={**JSON, "host": "planted.example"})
    answer = client.get("/metrics")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert answer.headers["content-type"].startswith("text/plain")
    assert "planted" not in answer.text
    found = samples(answer.text)
    good = labels(toolset="desk", method="ping", tool="-", protocol="legacy", outcome="ok")
    assert found["paperdesk_requests_total", good] == 2
    assert found["paperdesk_request_seconds_count", good] == 2
    assert found["paperdesk_response_bytes_total", good] == 2 * len('{"jsonrpc":"2.0","id":1,"result":{}}')
    strange = labels(toolset="desk", method="unknown", tool="-", protocol="legacy", outcome="refused")
    assert found["paperdesk_requests_total", strange] == 1
    odd = labels(toolset="desk", method="ping", tool="-", protocol="unknown", outcome="refused")
    assert found["paperdesk_requests_total", odd] == 1
    assert found["paperdesk_refusals_total", labels(reason="not_found", budget="-")] == 1
    assert found["paperdesk_refusals_total", labels(reason="host_not_allowed", budget="-")] == 1
    assert found["paperdesk_ready", ()] == 1


def test_metrics_are_not_there_for_a_request_through_a_proxy(client: httpx.Client) -> None:
    # hosting A73
    answer = client.get("/metrics", headers={"x-forwarded-for": "127.0.0.1"})
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert client.post("/metrics").status_code == 405


async def test_metrics_are_not_there_for_another_address() -> None:
    # hosting A73
    app = create_app(desk_service(Desk()), front())
    transport = httpx.ASGITransport(app, client=("192.0.2.7", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as far:
        assert (await far.get("/metrics")).status_code == 404


async def test_state_upstream_and_caches_are_exposed_by_worker() -> None:
    traffic = Traffic()
    exchange = Exchange("abcdef01")
    token = current_exchange.set(exchange)
    traffic.count_upstream("catalog", "ok", 0.004)
    traffic.count_upstream("catalog", "ok", 2.0)
    current_exchange.reset(token)
    traffic.count_upstream("catalog", "failed", 99.0)
    assert exchange.upstream_s == pytest.approx(2.004)
    counters = Counters(hits=5, misses=4, joined=3, stale=2, evictions=1, entries=6, bytes=700)
    state = State(
        is_ready=lambda: False,
        in_flight=lambda: 7,
        identities=lambda: 8,
        store_errors=lambda: 9,
        caches=lambda: {"record": counters},
    )
    page = MetricsPage(traffic, state, unknown=None, peers=PeerTrust(), worker="2")  # type: ignore[arg-type]
    async with httpx.AsyncClient(transport=httpx.ASGITransport(page), base_url="http://localhost") as near:
        found = samples((await near.get("/metrics")).text)
    assert {name: found[name, labels(worker="2")] for name in ONE} == ONE
    upstream = {
        dict(given)["le"]: value
        for (name, given), value in found.items()
        if name == "paperdesk_upstream_seconds_bucket" and dict(given)["outcome"] == "ok"
    }
    assert (upstream["0.0025"], upstream["0.005"], upstream["1.0"], upstream["2.5"], upstream["+Inf"]) == (
        0,
        1,
        1,
        2,
        2,
    )
    failed = labels(source="catalog", outcome="failed", worker="2")
    assert (found["paperdesk_upstream_seconds_count", failed], found["paperdesk_upstream_seconds_sum", failed]) == (
        1,
        99,
    )
    events = {"hits": 5, "misses": 4, "joined": 3, "stale": 2, "evictions": 1}
    for event, count in events.items():
        assert found["paperdesk_cache_events_total", labels(tier="record", event=event, worker="2")] == count
    assert found["paperdesk_cache_bytes", labels(tier="record", worker="2")] == 700


ONE = {
    "paperdesk_in_flight": 7,
    "paperdesk_identities": 8,
    "paperdesk_limit_store_errors_total": 9,
    "paperdesk_ready": 0,
}
