"""A source that takes its time, over HTTP: callers leave, others go on, and the work is done once."""

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.scan_service import BRIEF, PLAN, Judge, ScanClient, fresh_id, serve_scans

ANSWERS_WITHIN_S = 1.0
PATIENCE_S = 30.0


class SlowServer(ThreadingHTTPServer):
    """Answers with no works, once it may; `asked` are the queries that came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), SlowSource)
        self.asked: list[str] = []
        self.may_answer = threading.Event()


class SlowSource(BaseHTTPRequestHandler):
    """One request of a `SlowServer`."""

    server: SlowServer

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        self.server.may_answer.wait(PATIENCE_S)
        body = json.dumps({"meta": {"count": 0}, "results": []}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing is logged."""


@pytest.fixture
def source() -> Iterator[SlowServer]:
    with SlowServer() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.may_answer.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def service(source: SlowServer, sample_directory: Path, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    settings = {
        "scan_sources": "catalog,openalex",
        "contact_email": "papers@desk.org.uk",
        "allow_loopback_sources": "true",
        "source_openalex_url": f"http://127.0.0.1:{source.server_address[1]}",
        "source_openalex_min_gap_ms": "1",
        "scan_max_jobs": "1",
        **request.param,
    }
    with serve_scans(sample_directory, **settings) as client:
        yield client
        source.may_answer.set()


@pytest.mark.parametrize("service", [{"scan_wait_s": "25"}], indirect=True)
def test_who_leaves_ends_nothing_and_the_work_is_done_once(service: httpx.Client, source: SlowServer) -> None:
    # scan A36, A68
    client, scan_id = ScanClient(service), fresh_id()
    params = {"name": "scan_start", "arguments": {"scan_id": scan_id, "brief": BRIEF, "queries": PLAN}}
    with pytest.raises(httpx.ReadTimeout):
        service.post("/mcp/scan", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, timeout=1)
    started_s = time.monotonic()
    told = client.call("scan_result", scan_id=scan_id)
    assert time.monotonic() - started_s < ANSWERS_WITHIN_S
    assert (told["status"], told["payload"]["code"], told["payload"]["stage"]) == (
        "in_progress",
        "stage_running",
        "retrieve",
    )
    assert (told["payload"]["poll"], 1_000 <= told["payload"]["retry_after_ms"] <= 10_000) == ("scan_result", True)
    source.may_answer.set()
    settled = client.call("scan_continue", scan_id=scan_id)
    assert (settled["status"], settled["next_action"]) == ("ok", "screen_candidates")
    primary = [path for path in source.asked if "search=" in path]
    assert len(primary) == len(set(primary)) >= len(PLAN["queries"])


@pytest.mark.parametrize("service", [{"scan_wait_s": "0"}], indirect=True)
def test_who_has_enough_at_work_waits_and_others_do_not(service: httpx.Client, source: SlowServer) -> None:
    # scan A74
    here, there = ScanClient(service), ScanClient(service, headers={"x-forwarded-for": "198.51.100.7"})
    first, second = fresh_id(), fresh_id()
    assert here.start(first)["payload"]["code"] == "stage_running"
    queued = here.start(second)
    assert (queued["status"], queued["payload"]["code"], queued["phase"]) == (
        "queued_behind_other_scan",
        "job_limit",
        "unknown",
    )
    assert (queued["payload"]["recovery"], queued["payload"]["retry_after_ms"] > 0) == ("wait", True)
    assert there.start(fresh_id())["payload"]["code"] == "stage_running"
    source.may_answer.set()
    Judge(here, first).play(here.call("scan_result", scan_id=first), until="screen_candidates")
    assert here.start(second)["status"] in ("ok", "in_progress")
