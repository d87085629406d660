"""What tests of the evidence room share: a small catalog with an evidence folder, built and opened."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import ManualClock
from core.evidence.connector.desk import ConnectorDesk
from core.evidence.desk import EvidenceDesk
from core.evidence.semantic import LocalEmbedder, QueryEmbedder
from core.evidence.stored.evidence_set import EvidenceSet
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.sources import Source, SourceKind

Json = dict[str, Any]
T = TypeVar("T")
NOW_S = 1_790_000_000.0


def run(answer: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(answer)


def lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


@dataclass(slots=True)
class Room:
    """An opened catalog with its evidence."""

    directory: Path
    backend: EmbeddedCatalog
    stored: EvidenceSet
    desk: EvidenceDesk
    connector: ConnectorDesk

    def close(self) -> None:
        self.stored.close()
        self.backend.close()


class Folder:
    """Sources on disk: papers in the own format, and evidence."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.papers: list[Json] = []
        self.others: dict[str, list[Json]] = {}
        self.claims: list[Json] = []
        self.authors: list[Json] = []
        self.digests: dict[str, str] = {}
        self.texts: dict[str, str] = {}

    def paper(self, key: str, title: str, **fields: Any) -> None:
        fields["authors"] = [{"name": name} for name in fields.get("authors", ())]
        self.papers.append({"key": key, "title": title, **fields})

    def assess(self, paper_id: str, paper_type: str = "rct", **fields: Any) -> None:
        fields.setdefault("themes", [])
        self.claims.append({"kind": "assessment", "paper_id": paper_id, "paper_type": paper_type, **fields})

    def claim(self, claim_id: int, paper_id: str, text: str, **fields: Any) -> None:
        fields.setdefault("outcome_category", "other")
        fields.setdefault("evidence_grade", "high")
        fields.setdefault("locator", {"page": 1})
        row = {"kind": "claim", "claim_id": claim_id, "paper_id": paper_id, "claim_text": text, **fields}
        self.claims.append({name: value for name, value in row.items() if value is not None})

    def relate(self, relation_id: int, type_: str, one: int, other: int, **fields: Any) -> None:
        fields.setdefault("confidence", 0.5)
        row = {"relation_id": relation_id, "type": type_, "from_claim": one, "to_claim": other, **fields}
        self.claims.append({"kind": "relation", **row})

    def write(self) -> None:
        lines(self.root / "paperdesk" / "papers.jsonl", self.papers)
        for name, rows in self.others.items():
            lines(self.root / "paperdesk" / f"{name}.jsonl", rows)
        for name, text in self.texts.items():
            path = self.root / "paperdesk" / "texts" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        lines(self.root / "evidence" / "claims.jsonl", self.claims)
        lines(self.root / "evidence" / "authors.jsonl", self.authors)
        for name, text in self.digests.items():
            path = self.root / "evidence" / "digests" / f"{name}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def build(self, out: Path, *, embedder: Embedder | None = None) -> Path:
        self.write()
        sources = (
            Source(SourceKind.PAPERDESK, self.root / "paperdesk"),
            Source(SourceKind.EVIDENCE, self.root / "evidence"),
        )
        build_catalog(sources, out, options=BuildOptions(clock=ManualClock(NOW_S), embedder=embedder))
        return out

    def opened(self, out: Path, *, embedder: Embedder | None = None) -> Room:
        return open_room(self.build(out, embedder=embedder), None if embedder is None else LocalEmbedder(embedder))


def open_room(directory: Path, embedder: QueryEmbedder | None = None) -> Room:
    backend = EmbeddedCatalog.open(directory, kind="file")
    stored = EvidenceSet.open(directory)
    desk = EvidenceDesk(stored, backend, clock=ManualClock(NOW_S), embedder=embedder)
    return Room(directory, backend, stored, desk, ConnectorDesk(backend, desk))


Opened = Callable[..., Room]
