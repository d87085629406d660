"""A scan over a catalog whose process is killed at every write: `python -m tests.gates.scan_chaos CATALOG DIRECTORY`.

Each process goes on with what the one before it left, and dies once it has the lease of a change, before the change is
kept, or right after it; so every change of the scan is tried three times. It prints the documents that an undisturbed
scan and the killed one end with, and how often a process died, as JSON.
"""

import asyncio
import functools
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.clock import ManualClock
from core.scan.engine.configuration import LEASE_S
from core.scan.engine.desk import ScanDesk
from core.scan.stores.port import ScanStore
from server import scan_desk
from server.bootstrap import open_catalog
from server.settings import Settings, parse_settings
from server.source_desk import SourceDesk, open_source_desk
from tests.scan_service import BRIEF, GAP_QUERY, PLAN, Json, Judge

SCAN_ID = "7d9f1c52-3a5e-4b1f-9c0d-2f6a81e4b7c3"
NOW_S = 1_787_184_000.0
"""The beginning of 2026-08-20 UTC, so that all ends on the same day."""
POINTS = ("before", "after", "acquired")
DOCUMENTS = (
    "evidence.json",
    "evidence.md",
    "evidence.bib",
    "candidates.json",
    "aliases.json",
    "screen.json",
    "expanded.json",
    "expanded-round2.json",
    "coverage.json",
    "shortlist.json",
    "ranked.json",
)
DEATHS_MAX = 300
CALLS = {"scan_start": "start", "scan_continue": "proceed", "scan_verify": "verify", "scan_result": "result"}


class MortalStore:
    """A store that kills its process at a point of the first change."""

    def __init__(self, store: ScanStore, point: str) -> None:
        self._store = store
        self._point = point

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._store, name)
        return functools.partial(self._asked, name, found) if name in ("acquire", "commit", "create") else found

    async def _asked(self, name: str, found: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if name != "acquire":
            self._die_at("before")
        done = await found(*arguments, **options)
        if done:
            self._die_at("acquired" if name == "acquire" else "after")
        return done

    def _die_at(self, point: str) -> None:
        if point == self._point:
            os.kill(os.getpid(), signal.SIGKILL)


class DeskClient:
    """The four tools of a desk in this process."""

    def __init__(self, desk: ScanDesk, runner: asyncio.Runner) -> None:
        self._desk = desk
        self._runner = runner

    def call(self, tool: str, arguments: Any = None, **more: Any) -> Json:
        """A tool's envelope."""
        return self._runner.run(getattr(self._desk, CALLS[tool])({**(arguments or {}), **more})).json()


def play(settings: Settings, sources: SourceDesk, point: str, now_s: float, answer: Path) -> None:
    """A process: it goes on with the scan until it is killed, or the scan is complete."""
    opened, clock = scan_desk.open_store, ManualClock(now_s=now_s)
    scan_desk.open_store = lambda *arguments: MortalStore(opened(*arguments), point)  # type: ignore[return-value]
    with asyncio.Runner() as runner:
        literature = sources.literature(open_catalog(settings).backend, settings.scan_sources, clock)
        desk = scan_desk.open_scans(settings, literature, clock)
        client = DeskClient(desk, runner)
        start = {"scan_id": SCAN_ID, "brief": BRIEF, "queries": PLAN, "force_gap_round": True}
        judge = Judge(client, SCAN_ID, gap_queries=(GAP_QUERY,))  # type: ignore[arg-type]
        assert judge.play(client.call("scan_start", start))["phase"] == "complete"
        found = {name: runner.run(desk.artifact(SCAN_ID, name)).text for name in DOCUMENTS}
        answer.write_text(json.dumps(found))
        runner.run(desk.scans.close())


def settings_of(catalog: Path, file: Path) -> Settings:
    """The settings of a service that looks into its catalog alone."""
    given = {
        "TOOLSETS": "scan",
        "EMBEDDER": "none",
        "SCAN_SOURCES": "catalog",
        "SCAN_STORE": f"sqlite:{file}",
        "SCAN_SECRET": "s" * 32,
        "CATALOG_URL": f"file:{catalog}",
    }
    return parse_settings({f"PAPERDESK_{name}": value for name, value in given.items()}, serving=False)


def died(*arguments: Any) -> bool:
    """Whether a process of its own was killed; where it was not, the scan is complete."""
    child = os.fork()
    if child == 0:
        play(*arguments)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or status == 0
    return os.WIFSIGNALED(status)


def main(catalog: Path, directory: Path) -> None:
    """The undisturbed scan, and then the killed one."""
    started_s = time.monotonic()
    whole, killed = directory / "whole.json", directory / "killed.json"
    undisturbed, disturbed = (settings_of(catalog, directory / name) for name in ("whole.db", "killed.db"))
    sources = open_source_desk(undisturbed, ManualClock(), lambda *_: None)
    assert not died(undisturbed, sources, "never", NOW_S, whole)
    deaths = 0
    # The lease of a process that died lives on.
    while died(disturbed, sources, POINTS[deaths % len(POINTS)], NOW_S + deaths * (LEASE_S + 1), killed):
        deaths += 1
        assert deaths < DEATHS_MAX
    found = {"whole": json.loads(whole.read_text()), "killed": json.loads(killed.read_text())}
    print(json.dumps({**found, "deaths": deaths, "seconds": round(time.monotonic() - started_s, 1)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
