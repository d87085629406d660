"""What a scan costs: `python -m benchmarks.scan`, or one part of it as `engine` or `latency`.

`engine` plays a whole scan over the sample catalog, with nothing outside, and tells how long the service worked.
`latency` serves scans as `paperdesk serve` does, over sources on loopback that take five seconds for each answer, and
tells how long the calls took that change a scan (scan contract A79: the 95th percentile is below 30 s).
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from server.bootstrap import built_directory
from tests.scan_service import GAP_QUERY, Json, Judge, ScanClient, fresh_id
from tests.scan_upstreams import scan_upstreams

LATENCY_S = 5.0
P95_MAX_S = 30.0
START_LIMIT_S = 120.0
CHANGING = ("scan_start", "scan_continue", "scan_verify")


class TimedClient:
    """A client that notes how long each call took, by tool."""

    def __init__(self, client: ScanClient) -> None:
        self._client = client
        self.spans_s: dict[str, list[float]] = {}

    def call(self, tool: str, arguments: Any = None, **more: Any) -> Json:
        """A tool's envelope."""
        started_s = time.perf_counter()
        answer = self._client.call(tool, arguments, **more)
        self.spans_s.setdefault(tool, []).append(time.perf_counter() - started_s)
        if answer["status"] == "in_progress":
            # As long as the answer asks for: a client that looks more often only waits more often.
            time.sleep(answer["payload"]["retry_after_ms"] / 1000)
        return answer

    def start(self, scan_id: str, **more: Any) -> Json:
        """Begins a scan."""
        return ScanClient.start(self, scan_id, **more)  # type: ignore[arg-type]

    def read(self, uri: str) -> Json:
        """A document."""
        return self._client.read(uri)


@contextlib.contextmanager
def served(catalog: Path, folder: Path, settings: Mapping[str, str]) -> Iterator[TimedClient]:
    """`paperdesk serve` over a catalog, with a client."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERDESK_", "PWC_"))}
    own = {
        "PAPERDESK_TOOLSETS": "scan",
        "PAPERDESK_EMBEDDER": "none",
        "PAPERDESK_LIMIT_PER_MINUTE": "10000",
        "PAPERDESK_SCAN_STORE": f"sqlite:{folder / 'scans.db'}",
    }
    command = [sys.executable, "-m", "server", "serve", "--catalog", f"file:{catalog}", "--port", f"{port}"]
    with (folder / "serve.log").open("wb") as log:
        process = subprocess.Popen(command, env={**kept, **own, **settings}, stdout=log, stderr=subprocess.STDOUT)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
            _await(http)
            yield TimedClient(ScanClient(http))
    finally:
        process.terminate()
        process.wait(60)


def _await(http: httpx.Client) -> None:
    ends_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < ends_s:
        with contextlib.suppress(httpx.TransportError):
            http.get("/health/live").raise_for_status()
            return
        time.sleep(0.1)
    raise TimeoutError("the service did not start")


def played(client: TimedClient, profile: str) -> tuple[dict[str, float], int]:
    """A whole scan: how long each of its stages worked, and how many calls it took."""
    scan_id = fresh_id()
    judge = Judge(client, scan_id, gap_queries=(GAP_QUERY,))  # type: ignore[arg-type]
    judge.play(client.start(scan_id, profile=profile))
    [content] = client.read(f"scan-run://{scan_id}/manifest.json")["result"]["contents"]
    sections = json.loads(content["text"]).items()
    spans = {name: each["duration_s"] for name, each in sections if isinstance(each, dict) and "duration_s" in each}
    return spans, sum(len(each) for each in client.spans_s.values())


def engine(catalog: Path, folder: Path) -> None:
    """Prints how long the service works on a scan of each profile."""
    with served(catalog, folder, {"PAPERDESK_SCAN_SOURCES": "catalog"}) as client:
        for profile in ("quick", "standard", "deep"):
            client.spans_s.clear()
            spans, calls = played(client, profile)
            whole_s = sum(map(sum, client.spans_s.values()))
            told = ", ".join(f"{name} {span_s:.2f}" for name, span_s in spans.items())
            print(f"{profile}: {sum(spans.values()):.2f} s in stages ({told}), {whole_s:.2f} s in {calls} calls")


def latency(catalog: Path, folder: Path) -> bool:
    """Prints how long calls take with slow sources; whether those that change a scan keep to their bound."""
    with (
        scan_upstreams(LATENCY_S) as upstreams,
        served(catalog, folder, upstreams.settings()) as client,
    ):
        started_s = time.monotonic()
        spans, calls = played(client, "standard")
        changing = sorted(span_s for tool in CHANGING for span_s in client.spans_s.get(tool, ()))
        p95_s = statistics.quantiles(changing, n=20, method="inclusive")[-1]
        told = ", ".join(f"{name} {span_s:.0f}" for name, span_s in spans.items())
        print(
            f"{len(changing)} calls that change: median {statistics.median(changing):.2f} s, p95 {p95_s:.2f} s, longest"
            f" {changing[-1]:.2f} s; {calls} calls and {len(upstreams.asked)} requests in"
            f" {time.monotonic() - started_s:.0f} s, of them in stages: {told}"
        )
        return p95_s < P95_MAX_S


def main() -> int:
    """Both parts, or the one that is named."""
    wanted = sys.argv[1:] or ["engine", "latency"]
    is_well = True
    with built_directory("sample:") as catalog, tempfile.TemporaryDirectory() as folder:
        if "engine" in wanted:
            engine(catalog, Path(folder))
        if "latency" in wanted:
            is_well = latency(catalog, Path(folder))
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
