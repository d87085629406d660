"""Bounded drills on a server process of its own: memory, tasks and answers after many calls and after odd traffic."""

import os

import pytest

from benchmarks.soak import CALLS, Findings, calls, drilled, mixed
from server.bootstrap import DISPATCHERS

MIXED_S = 45.0

pytestmark = [
    pytest.mark.gate,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="memory of a process is read from /proc"),
]


def shown(findings: Findings) -> str:
    return f"{findings.breaches}, memory {findings.rss_kib}, {dict(findings.statuses)}"


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
def test_memory_is_flat_over_many_calls_and_no_task_stays(dispatcher: str) -> None:
    # hosting A88
    with drilled(dispatcher) as server:
        findings = calls(server)
    assert findings.statuses == {"200": sum(CALLS.values())}
    assert findings.breaches == [], shown(findings)


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
def test_odd_traffic_leaves_nothing_behind(dispatcher: str) -> None:
    # hosting A89 (short form)
    with drilled(dispatcher) as server:
        findings = mixed(server, MIXED_S)
    assert findings.breaches == [], shown(findings)
    # Every kind of traffic came.
    assert {"200", "400", "403", "404", "405", "413", "415", "421", "431", "left"} <= set(findings.statuses)
    assert len(findings.rss_kib) > 3
