"""How soon the longest list of tools is answered, by a real process that has nothing else to do."""

import http.client
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.gates.running import DISPATCHERS, Server, serving_catalog
from tests.gates.served_toolsets import TOOLSETS

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

ASK = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
JSON = {"Content-Type": "application/json"}
BOUND_MS = 5.0
ROUND = 100
ROUNDS = 30
"""What else this machine does counts as well, so the quietest round speaks for an idle server."""


@pytest.fixture(scope="module", params=DISPATCHERS)
def server(
    request: pytest.FixtureRequest, sample_directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    with serving_catalog(tmp_path_factory.mktemp("served"), sample_directory, dispatcher=request.param) as started:
        yield started


def p95_ms(connection: http.client.HTTPConnection, path: str) -> float:
    """Of one round of requests, one after the other."""
    taken = []
    for _ in range(ROUND):
        started_s = time.perf_counter()
        connection.request("POST", path, ASK, JSON)
        assert b'"tools":[' in connection.getresponse().read()
        taken.append((time.perf_counter() - started_s) * 1000)
    return statistics.quantiles(taken, n=20)[-1]


def test_the_longest_list_of_tools_is_answered_at_once(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    # hosting A93
    longest = max(TOOLSETS, key=lambda each: len(httpx.post(server.url + each.path, content=ASK, headers=JSON).content))
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    best = float("inf")
    for _ in range(ROUNDS):
        best = min(best, p95_ms(connection, longest.path))
        if best < BOUND_MS:
            break
    connection.close()
    with capsys.disabled():
        print(f"\ntools/list of {longest.id}: p95 {best:.1f} ms")
    assert best < BOUND_MS
