"""Adds an evidence set to a catalog that is being built."""

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from core.catalog.embedded.embedding import Embedder
from core.errors import BuildFailed
from core.evidence.stored.about import FOLDER
from core.ingest.evidence.catalog_papers import CatalogPapers
from core.ingest.evidence.corpus import corpus_version, linked
from core.ingest.evidence.reading import Folder, has_evidence, read_folder
from core.ingest.evidence.writer import EvidenceWriter
from core.ingest.report import SAMPLES_PER_REASON, FileReport, Sample, readable_name

_OFF_THE_LIST = "outcome_category off the list"


class BuiltEvidence:
    """What was read and written: records of each kind, and what was kept in another form, by place."""

    def __init__(self, records: dict[str, int], warnings: Sequence[tuple[str, str]], version: str) -> None:
        self.records = records
        self.warnings = tuple(warnings)
        self.corpus_version = version


def check_folder(path: Path) -> None:
    """Raises `BuildFailed` where a path is no folder with evidence."""
    if not os.path.exists(path):  # unlike the path's own method, False for names that no file can have
        raise BuildFailed(f"The source evidence:{path} does not exist. Nothing was built.")
    if not path.is_dir() or not has_evidence(path):
        raise BuildFailed(
            f"The source evidence:{path} holds no file of its kind: claims.jsonl, authors.jsonl or digests/."
            " Nothing was built."
        )


def evidence_digest(path: Path) -> str:
    """SHA-256 over the inputs of a folder by name."""
    total = hashlib.sha256()
    names = ("claims.jsonl", "authors.jsonl", "outcome_categories.json")
    for each in [*(path / name for name in names), *sorted((path / "digests").glob("*.md"))]:
        if each.is_file():
            total.update(f"{each.relative_to(path).as_posix()}\n".encode())
            total.update(hashlib.sha256(each.read_bytes()).digest())
    return total.hexdigest()


def evidence_report(path: Path, built: BuiltEvidence) -> FileReport:
    """The account of a folder: its records, all of them kept, and the words that were kept in another form."""
    name = readable_name(Path(path.name))
    kept = sum(built.records.values())
    report = FileReport("evidence", name, path, shape="evidence", sha256=evidence_digest(path), read=kept, kept=kept)
    report.left_out.update({_OFF_THE_LIST: len(built.warnings)} if built.warnings else {})
    report.samples += [Sample(position, reason) for position, reason in built.warnings[:SAMPLES_PER_REASON]]
    return report


def write_evidence(
    folder: Path, catalog: Path, connection: sqlite3.Connection, *, content_id: str, embedder: Embedder | None
) -> BuiltEvidence:
    """Writes the evidence of a folder into a catalog's directory; raises `BuildFailed` with every fault."""
    read: Folder = read_folder(folder)
    papers = CatalogPapers(connection)
    corpus = linked(read, papers)
    read.faults.check()
    version = corpus_version(read, content_id, None if embedder is None else embedder.model)
    writer = EvidenceWriter(catalog / FOLDER, corpus, papers, read.categories)
    writer.write(version, embedder)
    records = {
        "assessments": len(read.assessments),
        "claims": len(read.claims),
        "relations": len(read.relations),
        "authors": len(read.authors),
        "digests": len(read.digests),
    }
    return BuiltEvidence(records, read.faults.warnings, version)
