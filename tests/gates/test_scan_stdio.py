"""Scans in a process of their own over standard input and output, and what is left when its input ends."""

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.scan_service import BRIEF, PLAN, Json, Judge, ScanClient, fresh_id

pytestmark = [pytest.mark.gate, pytest.mark.timeout(120)]

ENDS_WITHIN_S = 5.0
FOREIGN = ("PAPERDESK_", "PWC_")


class StdioClient(ScanClient):
    """The same calls over a process's pipes; every line that it writes is kept."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.lines: list[str] = []
        self.number = 0

    def send(self, method: str, params: Json | None = None, *, notifies: bool = False) -> None:
        self.number += not notifies
        body: Json = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not notifies:
            body["id"] = self.number
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(body) + "\n")
        self.process.stdin.flush()

    def receive(self) -> Json:
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline()
            assert line, "the process has ended"
            self.lines.append(line)
            message: Json = json.loads(line)
            if message.get("id") == self.number:
                return message

    def raw(self, tool: str, arguments: Any) -> Json:
        self.send("tools/call", {"name": tool, "arguments": arguments})
        return self.receive()

    def read(self, uri: str) -> Json:
        self.send("resources/read", {"uri": uri})
        return self.receive()

    def open(self) -> Json:
        client = {"name": "test", "version": "1"}
        self.send("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        opened = self.receive()
        self.send("notifications/initialized", notifies=True)
        return opened


@contextmanager
def scanning(catalog: Path, folder: Path, **settings: str) -> Iterator[StdioClient]:
    """A process that serves scans over its pipes; its log goes to `folder/log`, its scans to `folder/scans.db`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    given = {"embedder": "none", "scan_sources": "catalog", "scan_store": f"sqlite:{folder / 'scans.db'}", **settings}
    named = {f"PAPERDESK_{name.upper()}": value for name, value in given.items()}
    command = [sys.executable, "-m", "server", "stdio", "--toolset", "scan", "--catalog", f"file:{catalog}"]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            command,
            env={**kept, **named},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            cwd=Path(__file__).resolve().parents[2],
        )
    try:
        yield StdioClient(process)
    finally:
        process.kill()
        process.wait(10)
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            pipe.close()


def end_of_input(client: StdioClient) -> tuple[float, int]:
    """How long the process goes on after its input has ended, and its exit status."""
    assert client.process.stdin is not None and client.process.stdout is not None
    started_s = time.monotonic()
    client.process.stdin.close()
    client.lines += client.process.stdout.readlines()
    status = client.process.wait(30)
    return time.monotonic() - started_s, status


def leases(store: Path) -> list[bool]:
    """Which scans of a store are leased at this time."""
    connection = sqlite3.connect(store)
    rows = connection.execute("SELECT leased_until_s FROM scans").fetchall()
    connection.close()
    return [until_s > time.time() for (until_s,) in rows]


def is_frame(line: str) -> bool:
    return bool(json.loads(line).get("jsonrpc") == "2.0")


def test_a_scan_goes_from_process_to_process_and_to_its_end(sample_directory: Path, tmp_path: Path) -> None:
    # scan A65, A66 (part)
    scan_id = fresh_id()
    with scanning(sample_directory, tmp_path) as client:
        assert client.open()["result"]["serverInfo"]["name"] == "paperdesk-scan"
        begun = client.call("scan_start", scan_id=scan_id, brief=BRIEF, queries=PLAN, profile="quick")
        Judge(client, scan_id).play(begun, until="rank_shortlist")
        span_s, status = end_of_input(client)
        assert (span_s < ENDS_WITHIN_S, status) == (True, 0)
        assert all(map(is_frame, client.lines))
    assert leases(tmp_path / "scans.db") == [False]
    with scanning(sample_directory, tmp_path) as client:
        client.open()
        last = Judge(client, scan_id).play(client.call("scan_result", scan_id=scan_id))
        assert (last["phase"], last["status"]) == ("complete", "ok")
        [content] = client.read(f"scan-run://{scan_id}/evidence.md")["result"]["contents"]
        assert content["text"].startswith("# ")
        assert end_of_input(client)[1] == 0
        assert all(map(is_frame, client.lines))
    log = (tmp_path / "log").read_text()
    assert "stage=emit result=done" in log
    assert scan_id not in log and BRIEF not in log and "Traceback" not in log


def test_the_end_of_input_ends_a_process_whose_source_hangs(sample_directory: Path, tmp_path: Path) -> None:
    # scan A68 (part), A69 (part)
    scan_id = fresh_id()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings = {
            "scan_sources": "catalog,openalex",
            "contact_email": "papers@desk.org.uk",
            "allow_loopback_sources": "true",
            "source_openalex_url": f"http://127.0.0.1:{silent.getsockname()[1]}",
        }
        with scanning(sample_directory, tmp_path, **settings) as client:
            client.open()
            client.send(
                "tools/call",
                {"name": "scan_start", "arguments": {"scan_id": scan_id, "brief": BRIEF, "queries": PLAN}},
            )
            asked, _ = silent.accept()
            span_s, status = end_of_input(client)
            asked.close()
            assert (span_s < ENDS_WITHIN_S, status) == (True, 0)
            assert all(map(is_frame, client.lines))
    assert leases(tmp_path / "scans.db") == [False]
    assert "Traceback" not in (tmp_path / "log").read_text()
