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
from core.scan.stores.port import ArtifactRef, ScanStore, Stored

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


class _Reader:
    """Reads documents of one snapshot; those that did not change since an earlier reading are taken from there."""

    def __init__(self, store: ScanStore, key: str, refs: Mapping[str, ArtifactRef], known: "Known | None") -> None:
        self._store = store
        self._key = key
        self._refs = refs
        self._known = {} if known is None else known.refs
        self.damaged: set[str] = set()

    def is_same(self, *names: str) -> bool:
        """Whether none of the documents has changed."""
        return bool(self._known) and all(self._refs.get(name) == self._known.get(name) for name in names)

    async def data(self, name: str) -> bytes | None:
        """A document's bytes; None for one that there is not, or that is damaged and can be computed again."""
        ref = self._refs.get(name)
        if ref is None:
            return None
        try:
            return await self._store.read(self._key, name, ref.version)
        except ArtifactCorrupt:
            if name not in COMPUTED:
                raise
            self.damaged.add(name)
            return None

    async def json(self, name: str, absent: Any = None) -> Any:
        """A document's content."""
        data = await self.data(name)
        return absent if data is None else orjson.loads(data)


@dataclass(frozen=True, slots=True)
class Known:
    """A scan as it was read before, whole, and its documents' references."""

    scan: Scan
    refs: Mapping[str, ArtifactRef]


async def read_scan(store: ScanStore, key: str, stored: Stored, known: Known | None = None) -> Scan:
    """The scan of a snapshot. Batches follow from the pool, and each log is one stage's own, so neither is read.

    Raises `ArtifactCorrupt` for a document that cannot be computed again, and `StoreUnavailable`.
    """
    reader = _Reader(store, key, stored.artifacts, known)
    plan = known.scan.plan if known and reader.is_same("queries.json") else None
    scan = Scan(ScanState.of(stored.state), plan or documents.plan_of(await reader.json("queries.json")))
    if known is not None:
        scan = replace(known.scan, state=scan.state, plan=scan.plan, logs={})
    if not reader.is_same("candidates.json", "aliases.json"):
        aliases = await reader.json("aliases.json")
        scan = replace(scan, pool=documents.pool_of(await reader.json("candidates.json", {}), aliases))
    if not reader.is_same("screen.json"):
        scan = replace(scan, scores=documents.scores_of(await reader.json("screen.json", {})))
    if not reader.is_same("ranked.json"):
        entries, verifications = documents.ranked_of(await reader.json("ranked.json", ()))
        scan = replace(scan, entries=entries, verifications=verifications)
    if not reader.is_same("shortlist.json"):
        row = await reader.json("shortlist.json")
        scan = replace(scan, shortlist=None if row is None else documents.shortlist_of(row))
    if not reader.is_same("coverage.json"):
        scan = replace(scan, coverage=await reader.json("coverage.json"))
    if not reader.is_same("manifest.json"):
        scan = replace(scan, manifest=await reader.json("manifest.json", {}))
    if not reader.is_same(*EXPANDED):
        rows = {name: await reader.json(name) for name in EXPANDED}
        scan = replace(scan, expansions={name: row for name, row in rows.items() if row is not None})
    if not reader.is_same(*RENDERINGS):
        found = {name: await reader.data(name) for name in RENDERINGS}
        scan = replace(scan, written={name: data for name, data in found.items() if data is not None})
    return replace(scan, damaged=frozenset(reader.damaged))


EXPANDED = ("expanded.json", "expanded-round2.json")
RENDERINGS = ("evidence.json", "evidence.md", "evidence.bib")
COMPUTED = frozenset({"coverage.json", "manifest.json", *RENDERINGS})
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


def _json(value: Any) -> bytes:
    return orjson.dumps(value, default=dict, option=orjson.OPT_APPEND_NEWLINE)


def appended(logs: Mapping[str, tuple[Json, ...]], name: str, lines: Sequence[Json]) -> Mapping[str, tuple[Json, ...]]:
    """The logs with more lines in one of them."""
    if not lines:
        return logs
    return MappingProxyType({**logs, name: (*logs.get(name, ()), *lines)})
