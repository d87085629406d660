"""A catalog behind HTTP: cold and warm latency, upstream requests a call, and hit rates of each tier of memory.

Serves the sample's own `/api/v1` on loopback, each of its answers late by a fixed delay, and asks the tools over it.
Ratios are to one round trip: to one request of the plain client to the same delayed service in the same run.

    python -m benchmarks.upstream
    python -m benchmarks.upstream --delay-ms 50 --rounds 5
"""

import argparse
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
from rich.console import Console
from rich.table import Table
from starlette.types import ASGIApp, Receive, Scope, Send

from core.catalog.service import Catalog
from core.clock import SystemClock
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.sources import parse_source
from server.bootstrap import open_upstream
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET
from tests.live_api import Delayed, serve_api

SAMPLE = Path(__file__).resolve().parents[1] / "core" / "catalog" / "embedded" / "sample"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("search_papers", {"query": "graph attention", "mode": "keyword"}),
    ("get_paper_info", {"paper": "1706.03762"}),
    ("get_paper_evaluations", {"paper": "1810.04805"}),
    ("read_paper", {"paper": "1706.03762"}),
    ("list_papers", {"task": "object-detection"}),
    ("list_recent_papers", {}),
    ("list_trending_papers", {}),
    ("get_related_papers", {"paper": "1706.03762"}),
    ("get_paper_lineage", {"paper": "1706.03762"}),
    ("get_task", {"task": "question-answering"}),
    ("list_tasks", {}),
    ("get_method", {"method": "transformer"}),
    ("list_methods", {}),
    ("get_conference", {"conference": "neurips-2017"}),
    ("list_conferences", {}),
    ("get_organization", {"organization": "google"}),
    ("list_organizations", {}),
    ("get_framework", {"framework": "pytorch"}),
    ("list_frameworks", {}),
    ("get_benchmark", {"benchmark": "squad1-1"}),
    ("list_benchmarks", {"task": "question-answering"}),
)
CROWD = 100


class Counted:
    """Counts the API requests by path on their way in."""

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]], requests: Counter[str]) -> None:
        self._app = app
        self._requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            self._requests[scope["path"]] += 1
        await self._app(scope, receive, send)


async def asked(tools: BoundToolset, tool: str, arguments: dict[str, Any]) -> None:
    outcome = await tools.call(tool, arguments)
    assert not outcome.is_error, outcome.texts


async def round_trip_s(url: str, rounds: int) -> float:
    """One request on an open connection, as the median over some."""
    async with httpx.AsyncClient() as client:
        times = []
        for _ in range(rounds + 1):
            started_s = time.perf_counter()
            await client.get(f"{url}/about")
            times.append(time.perf_counter() - started_s)
    return statistics.median(times[1:])


async def measure(url: str, requests: Counter[str], rounds: int, console: Console) -> None:
    trip_s = await round_trip_s(url, max(rounds, 5))
    table = Table("call", "cold ms", "cold, round trips", "cold requests", "warm ms", "warm requests")
    for tool, arguments in CALLS:
        cold: list[float] = []
        warm: list[float] = []
        counts: list[int] = []
        warm_counts: list[int] = []
        for _ in range(rounds):
            async with opened(url) as (tools, _):
                for times, numbers in ((cold, counts), (warm, warm_counts)):
                    before = requests.total()
                    started_s = time.perf_counter()
                    await asked(tools, tool, arguments)
                    times.append(time.perf_counter() - started_s)
                    numbers.append(requests.total() - before)
        cold_s, warm_s = statistics.median(cold), statistics.median(warm)
        table.add_row(
            tool,
            f"{cold_s * 1000:.1f}",
            f"{cold_s / trip_s:.2f}",
            f"{statistics.median(counts):g}",
            f"{warm_s * 1000:.2f}",
            f"{statistics.median(warm_counts):g}",
        )
    console.print(f"one round trip: {trip_s * 1000:.1f} ms", table)


async def crowd(url: str, requests: Counter[str], console: Console) -> None:
    """Many equal cold calls at once, then every call twice: what the tiers of memory say afterwards."""
    async with opened(url) as (tools, room):
        requests.clear()
        async with anyio.create_task_group() as group:
            for _ in range(CROWD):
                group.start_soon(asked, tools, "get_task", {"task": "question-answering"})
        most = max(requests.values())
        console.print(f"{CROWD} equal cold get_task calls at once: at most {most} request(s) an endpoint")
        for _ in range(2):
            for tool, arguments in CALLS:
                await asked(tools, tool, arguments)
        table = Table("tier", "hits", "loads", "joined", "hit rate", "entries", "KiB")
        for name, counters in room.cache_counters().items():
            asked_for = counters.hits + counters.misses + counters.joined
            rate = f"{(counters.hits + counters.joined) / asked_for:.2f}" if asked_for else "-"
            numbers = (counters.hits, counters.misses, counters.joined)
            table.add_row(name, *map(str, numbers), rate, str(counters.entries), f"{counters.bytes / 1024:.0f}")
        console.print(table)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[tuple[BoundToolset, Catalog]]:
    """The tools over a catalog behind HTTP with nothing remembered, and their catalog room."""
    backend = open_upstream(url, SystemClock(), timeout_s=25.0)
    room = Catalog(
        backend.backend,
        cursor_keys=("a-key-of-this-benchmark",),
        clock=SystemClock(),
        chunk_bytes=32_768,
        site_url="https://paperswithcode.co",
    )
    tools = BoundToolset(TOOLSET, room, clock=SystemClock())
    # As a service's own readiness probe does at start: the connection is open and `about` is known.
    await backend.backend.ping()
    try:
        yield tools, room
    finally:
        if backend.aclose is not None:
            await backend.aclose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--delay-ms", type=float, default=50.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=120)
    requests: Counter[str] = Counter()

    def around(app: ASGIApp) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        return Counted(Delayed(app, options.delay_ms / 1000), requests)

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "catalog"
        sources = [parse_source(f"paperdesk:{SAMPLE / 'paperdesk'}"), parse_source(f"markdown:{SAMPLE / 'markdown'}")]
        build_catalog(sources, out, options=BuildOptions(clock=SystemClock()))
        with serve_api(out, around=around) as url:
            anyio.run(measure, url, requests, options.rounds, console)
            anyio.run(crowd, url, requests, console)


if __name__ == "__main__":
    main()
