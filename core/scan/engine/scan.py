"""One scan in memory: its state and the documents that calls and stages work on (scan contract 8.1, 10.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import orjson

from core.errors import ArtifactCorrupt
from core.scan import batches as batching
from core.scan import documents
from core.scan.engine.state import ScanState
from core.scan.models import Batch, Plan, Pool, RankedEntry, ScreenScore, Shortlist, Verification
from core.scan.rubrics.texts import VERSIONS
from core.scan.stores.port import ScanStore, Snapshot

RUN_DIR = "scan-run://00000000-0000-4000-8000-000000000000/"
"""Stands for the scan's own address in stored documents, since no store keeps an id in clear."""

NOT_KEPT = "(not kept)"

SECTIONS = ("retrieval", "retrieval_round2", "expansion", "expansion_round2", "verification", "emit")
"""Parts of the manifest, one for each stage that has something to tell."""

Json = Mapping[str, Any]

_EMPTY = Pool()


@dataclass(frozen=True, slots=True)
class Scan:
    """Documents by what they mean; None is one that is not there yet. `written` are the bytes of finished renderings.

    `logs` holds lines by document name. Equal documents are one and the same object from one commit to the next, so
    that what changed is told by identity.
    """

    state: ScanState
    plan: Plan
    pool: Pool = _EMPTY
    scores: Mapping[str, ScreenScore] = field(default_factory=dict)
    entries: Mapping[str, RankedEntry] = field(default_factory=dict)
    verifications: Mapping[str, Verification] = field(default_factory=dict)
    shortlist: Shortlist | None = None
    coverage: Json | None = None
    expansions: Mapping[str, Json] = field(default_factory=dict)
    """`expanded.json` and `expanded-round2.json`, by name."""
    manifest: Json = field(default_factory=dict)
    logs: Mapping[str, tuple[Json, ...]] = field(default_factory=dict)
    written: Mapping[str, bytes] = field(default_factory=dict)
    damaged: frozenset[str] = frozenset()
    """Documents that were found damaged and have to be computed again."""

    @property
    def run(self) -> dict[str, Any]:
        """What every document says of the scan (8.2)."""
        state = self.state
        lower, upper = state.window.lower, state.window.upper
        return {
            "run_dir": RUN_DIR,
            "slug": state.slug,
            "date": state.start_day,
            "brief_path": "",
            "defaults": {
                "window": {"from": None if lower is None else str(lower), "to": str(upper)},
                "top": state.top,
                "foundational": state.foundational,
                "domain": self.plan.domain,
                "sources": list(state.sources),
                "profile": state.profile_name,
            },
        }

    def batch(self, batch_id: str) -> Batch | None:
        """A batch by its id."""
        return next((each for each in self.state.batches if each.id == batch_id), None)

    def moved(self, **changes: Any) -> "Scan":
        """The scan with a changed state."""
        return replace(self, state=replace(self.state, **changes))


def begun(scan: Scan, version: str) -> Scan:
    """A new scan with the manifest that its stages fill in."""
    run = scan.run
    manifest = {
        "run": run,
        "defaults": run["defaults"],
        **dict.fromkeys(SECTIONS),
        "counts": {},
        "tool_version": version,
        "rubrics": dict(VERSIONS),
        "timestamps": {},
    }
    return replace(scan, manifest=manifest)


def batch_name(batch_id: str) -> str:
    """The document of a batch."""
    return f"screen-batches/{batch_id}.json"


def batch_bytes(scan: Scan, batch: Batch) -> bytes:
    """A batch as it is handed out."""
    return _json(batching.document(batch, scan.pool, scan.plan))


def changed_documents(before: Scan | None, after: Scan, *, keeps_summary: bool) -> dict[str, bytes]:
    """The bytes of every document that a step made or changed. The brief's summary stays only where it is sealed."""
    held = {} if before is None else _parts(before)
    found: dict[str, bytes] = {}
    for name, part in _parts(after).items():
        if held.get(name) is not part and part is not None:
            found |= _written(name, after, keeps_summary=keeps_summary)
    known = () if before is None else before.state.batches
    found |= {batch_name(each.id): batch_bytes(after, each) for each in after.state.batches if each not in known}
    return found


async def read_scan(store: ScanStore, key: str, snapshot: Snapshot) -> Scan:
    """The scan of a snapshot. Raises `ArtifactCorrupt` for a document that cannot be computed again, and
    `StoreUnavailable`.
    """
    refs = snapshot.stored.artifacts
    read: dict[str, Any] = {}
    damaged = set()
    for name in refs:
        if name.startswith("screen-batches/") or name.endswith(".jsonl"):
            continue  # a batch follows from the pool, and each log is one stage's own
        try:
            data = await store.read(key, name, refs[name].version)
        except ArtifactCorrupt:
            if name not in COMPUTED:
                raise
            damaged.add(name)
            continue
        read[name] = data if name in _RENDERINGS else _parsed(name, data)
    state = ScanState.of(snapshot.stored.state)
    entries, verifications = documents.ranked_of(read.get("ranked.json", ()))
    shortlist = read.get("shortlist.json")
    return Scan(
        state,
        documents.plan_of(read["queries.json"]),
        documents.pool_of(read.get("candidates.json", {}), read.get("aliases.json")),
        documents.scores_of(read.get("screen.json", {})),
        entries,
        verifications,
        None if shortlist is None else documents.shortlist_of(shortlist),
        read.get("coverage.json"),
        MappingProxyType({name: read[name] for name in EXPANDED if name in read}),
        read.get("manifest.json", {}),
        written=MappingProxyType({name: read[name] for name in _RENDERINGS if name in read}),
        damaged=frozenset(damaged),
    )


EXPANDED = ("expanded.json", "expanded-round2.json")
_RENDERINGS = ("evidence.json", "evidence.md", "evidence.bib")
COMPUTED = frozenset({"coverage.json", "aliases.json", "manifest.json", *_RENDERINGS})
"""Documents without which a scan goes on: they are computed again, or say nothing that a judgement rests on."""


def _parts(scan: Scan) -> dict[str, Any]:
    """What each document is made of."""
    parts: dict[str, Any] = {
        "manifest.json": scan.manifest,
        "queries.json": scan.plan,
        "candidates.json": scan.pool if scan.pool.candidates else None,
        "aliases.json": scan.pool if scan.pool.candidates else None,
        "screen.json": scan.scores or None,
        "coverage.json": scan.coverage,
        "shortlist.json": scan.shortlist,
        "ranked.json": scan.entries or None,
    }
    return {**parts, **scan.expansions, **scan.logs, **scan.written}


def _written(name: str, scan: Scan, *, keeps_summary: bool) -> dict[str, bytes]:
    match name:
        case "queries.json":
            plan = documents.plan_json(scan.plan)
            value: Any = plan if keeps_summary else {**plan, "brief_summary": NOT_KEPT}
        case "candidates.json":
            value = documents.candidates_json(scan.run, scan.pool)
        case "aliases.json":
            value = documents.aliases_json(scan.pool)
        case "screen.json":
            value = documents.scores_json(scan.scores)
        case "shortlist.json":
            value = documents.shortlist_json(scan.shortlist) if scan.shortlist else {}
        case "ranked.json":
            value = documents.ranked_json(scan.entries.values(), scan.verifications)
        case "coverage.json":
            value = scan.coverage
        case "manifest.json":
            value = scan.manifest
        case _:
            return {name: _other(name, scan)}
    return {name: _json(value)}


def _other(name: str, scan: Scan) -> bytes:
    if name in scan.written:
        return scan.written[name]
    if name in scan.expansions:
        return _json(scan.expansions[name])
    return b"".join(_json(line) for line in scan.logs[name])


def _parsed(name: str, data: bytes) -> Any:
    return orjson.loads(data)


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=dict, option=orjson.OPT_APPEND_NEWLINE)


def appended(logs: Mapping[str, tuple[Json, ...]], name: str, lines: Sequence[Json]) -> Mapping[str, tuple[Json, ...]]:
    """The logs with more lines in one of them."""
    if not lines:
        return logs
    return MappingProxyType({**logs, name: (*logs.get(name, ()), *lines)})
