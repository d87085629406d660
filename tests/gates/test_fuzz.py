"""Ten thousand random requests against a real process: nothing makes it fail (hosting contract 7.6)."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from tests.answer_form import breaches
from tests.gates.raw_http import NoAnswer, RawAnswer, RawConnection
from tests.gates.running import DISPATCHERS, Server, serving_catalog
from tests.gates.served_toolsets import TOOLSETS
from tests.gates.wild_requests import Wild, Wilderness

pytestmark = [pytest.mark.gate, pytest.mark.timeout(600)]

SEED = 20_261_130
THROUGH_CLIENT = 4_000
RAW = 4_000
BROKEN = 2_000
PATIENCE_S = 0.05
"""How long a request whose framing is broken may leave the service waiting for more."""

CONTRACT_MS = 50.0
BOUND_MS = 1_000.0
"""The contract's figure is reported; on a busy machine only a multiple of it proves a defect."""

ALLOWED = {200, 202, 304, 400, 401, 403, 404, 405, 408, 413, 415, 421, 429, 431}
PATHS = tuple(toolset.path for toolset in TOOLSETS)
TOOLS = [
    (tool["name"], tuple(tool["inputSchema"]["properties"]))
    for toolset in TOOLSETS
    for tool in BoundToolset(toolset, None, clock=ManualClock()).tools_list
]


@pytest.fixture(scope="module", params=DISPATCHERS)
def server(
    request: pytest.FixtureRequest, sample_directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    with serving_catalog(folder, sample_directory, dispatcher=request.param) as started:
        yield started


def through_client(server: Server, wild: Iterator[Wild]) -> Iterator[tuple[Wild, RawAnswer]]:
    """Sent by an HTTP library, which sets right what it must: one connection for many requests."""
    with httpx.Client(timeout=30) as client:
        for request in wild:
            # The library sends no value with blanks around it.
            sent = [(name, value.strip(b" \t")) for name, value in request.fields]
            answer = client.request(request.method, f"{server.url}{request.target}", headers=sent, content=request.body)
            fields = tuple((name.lower(), value) for name, value in answer.headers.multi_items())
            yield request, RawAnswer(answer.status_code, fields, answer.content)


def as_bytes(server: Server, wild: Iterator[Wild]) -> Iterator[tuple[Wild, RawAnswer | None]]:
    """Sent as they are, one connection each; None where broken framing gets no answer."""
    port = int(server.url.rpartition(":")[2])
    for request in wild:
        with RawConnection(port) as connection:
            connection.send(request.bytes)
            try:
                limit_s = 30.0 if request.is_honest else PATIENCE_S
                yield request, connection.answer(to=request.method, limit_s=limit_s)
            except NoAnswer:
                assert not request.is_honest, request
                yield request, None


def test_no_request_makes_the_service_fail(server: Server, record_property: Callable[[str, object], None]) -> None:
    # hosting A7, A22
    wild = Wilderness(SEED, PATHS, TOOLS)
    statuses: Counter[int] = Counter()
    wrong: list[str] = []
    logged: set[str] = set()
    for request, answer in (
        *through_client(server, wild.requests(THROUGH_CLIENT)),
        *as_bytes(server, wild.requests(RAW)),
        *as_bytes(server, wild.broken(BROKEN)),
    ):
        statuses[0 if answer is None else answer.status] += 1
        if answer is None:
            continue
        # What was sent with broken framing may have been read as another method, but never as one without a body.
        method = request.method if request.is_honest or request.method == "HEAD" else "POST"
        wrong += breaches(method, answer.status, answer.fields, answer.body, path=request.target)
        if answer.status not in ALLOWED:
            wrong.append(f"{answer.status} to {request}")
        if request.is_honest and request.method != "OPTIONS" and is_endpoint(request.target):
            logged.add(answer.field("x-request-id"))
    server.stop()
    lines = server.requests()
    for figure in figures(statuses, lines):
        record_property("figure", figure)
    assert wrong == []
    assert sum(statuses.values()) == THROUGH_CLIENT + RAW + BROKEN
    assert server.complaints() == []
    # One line for each request to an endpoint, and none with a status that nothing was answered with.
    ids = Counter(line["request_id"] for line in lines)
    assert logged - set(ids) == set()
    assert {line["status"] for line in lines} <= {str(status) for status in (*ALLOWED, 499)}
    assert max(float(line["latency_ms"]) for line in lines) < BOUND_MS


def is_endpoint(target: str) -> bool:
    path = target.partition("?")[0]
    return path in PATHS or path.removesuffix("/") in PATHS


def figures(statuses: Counter[int], lines: list[dict[str, str]]) -> Iterator[str]:
    """What came back, and how long the service took by its own account."""
    # Where it waited for a client, the time is the client's.
    own = [line for line in lines if line["status"] not in ("408", "499")]
    latencies = sorted(float(line["latency_ms"]) for line in own)
    yield f"answers by status {dict(sorted(statuses.items()))} (0: none)"
    yield f"{len(lines)} log lines, p50 {latencies[len(own) // 2]} ms, most {latencies[-1]} ms"
    for line in own:
        if float(line["latency_ms"]) > CONTRACT_MS:
            yield f"over {CONTRACT_MS:g} ms: {line['method']} {line['tool']} {line['status']} {line['latency_ms']} ms"
