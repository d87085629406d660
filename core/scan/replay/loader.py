"""Reads the directory of a run: that of an export, or one recorded by the earlier system (scan contract 12)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from core.errors import InvalidInput
from core.records import PartialDate
from core.scan.days import ScanWindow, last_day
from core.scan.documents import batch_of, candidate_of, plan_of, pool_of, ranked_of, scores_of, shortlist_of
from core.scan.identity.records import dated, united
from core.scan.models import Batch, Candidate, Plan, Pool, RankedEntry, ScreenScore, Shortlist, Verification

Json = Mapping[str, Any]

EXPANSIONS = ("expanded.json", "expanded-round2.json")
_BATCH_ORDER = ("", "x", "r", "xr")


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """The documents of a run by what they mean; cids as they were recorded. The brief is not read.

    `rows` is the number of rows in `candidates.json`, which may hold a cid more than once. Documents that the run does
    not have are empty or None.
    """

    plan: Plan
    pool: Pool
    rows: int
    window: ScanWindow
    run: Json
    manifest: Json
    scores: Mapping[str, ScreenScore]
    batches: tuple[Batch, ...] = ()
    expansions: Mapping[str, Json] = field(default_factory=dict)
    coverage: Json | None = None
    shortlist: Shortlist | None = None
    entries: Mapping[str, RankedEntry] = field(default_factory=dict)
    verifications: Mapping[str, Verification] = field(default_factory=dict)
    evidence: Json | None = None


def load(directory: Path) -> RecordedRun:
    """The run in a directory. Raises `InvalidInput` where its plan or its candidates are missing or unreadable."""
    candidates = _required(directory, "candidates.json")
    run: Json = candidates.get("run") or {}
    window = _window(run)
    raw = pool_of(candidates, _read(directory, "aliases.json"))
    expansions = {name: found for name in EXPANSIONS if (found := _read(directory, name)) is not None}
    shortlist = _read(directory, "shortlist.json")
    entries, verifications = ranked_of(_read(directory, "ranked.json") or ())
    return RecordedRun(
        plan=plan_of(_required(directory, "queries.json")),
        pool=Pool(_once_each(raw.candidates, window), raw.aliases),
        rows=len(raw.candidates),
        window=window,
        run=run,
        manifest=_read(directory, "manifest.json") or {},
        scores=scores_of(_read(directory, "screen.json") or {}),
        batches=_batches(directory),
        expansions=MappingProxyType(expansions),
        coverage=_read(directory, "coverage.json"),
        shortlist=None if shortlist is None else shortlist_of(shortlist),
        entries=entries,
        verifications=verifications,
        evidence=_read(directory, "evidence.json"),
    )


def packets_of(evidence: Json, part: str = "packets") -> tuple[tuple[Candidate, Json], ...]:
    """The papers of `evidence.json`, or its alternates, each with its whole row."""
    return tuple((candidate_of(row), row) for row in evidence[part])


def _once_each(candidates: Sequence[Candidate], window: ScanWindow) -> tuple[Candidate, ...]:
    """Each cid once, where it stood first, with what all of its rows say."""
    rows: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        rows.setdefault(candidate.cid, []).append(candidate)
    return tuple(same[0] if len(same) == 1 else _joined(same, window) for same in rows.values())


def _joined(same: Sequence[Candidate], window: ScanWindow) -> Candidate:
    work = united([dated(each.work) for each in same])
    versions = tuple(dict.fromkeys(version for each in same for version in each.versions))
    is_outside = window.holds(work.publication_date, work.year) is False
    return replace(same[0], work=work, outside_window=is_outside, versions=versions)


def _window(run: Json) -> ScanWindow:
    """The window of a run in days; one without an upper end ends on the day of the run."""
    bounds = (run.get("defaults") or {}).get("window") or {}
    lower, upper = bounds.get("from"), bounds.get("to")
    upper_day = last_day(upper or run.get("date") or "") or date.max
    return ScanWindow(PartialDate.parse(lower).first_day() if lower else None, upper_day)


def _batches(directory: Path) -> tuple[Batch, ...]:
    """Plain ones, then `x`, `r` and `xr`, each by number."""
    found = [batch_of(_parsed(path)) for path in (directory / "screen-batches").glob("*.json")]

    def place(batch: Batch) -> tuple[int, int, str]:
        number = batch.id.lstrip("xr")
        prefix = batch.id[: len(batch.id) - len(number)]
        return _BATCH_ORDER.index(prefix) if prefix in _BATCH_ORDER else len(_BATCH_ORDER), len(number), number

    return tuple(sorted(found, key=place))


def _required(directory: Path, name: str) -> Json:
    found: Json | None = _read(directory, name)
    if found is None:
        raise InvalidInput(f"This directory holds no run: {name} is missing. Give one that a scan was exported to.")
    return found


def _read(directory: Path, name: str) -> Any:
    path = directory / name
    return _parsed(path) if path.is_file() else None


def _parsed(path: Path) -> Any:
    try:
        return orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"{path.name} of this run is no JSON. Export the scan again.") from error
