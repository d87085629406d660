"""Writes what points at papers from outside: identifiers, lineage links and full texts."""

import hashlib
from collections.abc import Mapping
from typing import NamedTuple

import orjson

from core.ingest.facts import STATED
from core.ingest.paper_lookup import PaperLookup
from core.ingest.records import Records
from core.ingest.report import FileReport
from core.ingest.staging import Staging, is_internal

UNKNOWN_PAPER = "unknown paper"
SECOND_TEXT = "a second text for its paper"
UNKNOWN_END = "lineage link without two known papers"
LOOP = "lineage link from a paper to itself"


_IDENTIFIERS = """
SELECT held.scheme, held.value, grp.pid
FROM (SELECT scheme, value, min(seq) AS seq FROM ident WHERE NOT is_internal(scheme) GROUP BY scheme, value) AS held
  JOIN doc ON doc.seq = held.seq JOIN grp ON grp.root = doc.root
ORDER BY held.scheme, held.value
"""
_DERIVED_SLUGS = """
SELECT 'slug', slug, pid FROM grp
WHERE NOT EXISTS (SELECT 1 FROM ident WHERE scheme = 'slug' AND value = grp.slug) ORDER BY slug
"""


class _Text(NamedTuple):
    """One text of a paper; the smallest is the one to keep."""

    minus_bytes: int
    version: str
    name: str
    input: int
    row: int


def write_identifiers(staging: Staging, records: Records) -> None:
    """Writes all identifiers in key order, and the slugs that papers have got."""
    staging.connection.create_function("is_internal", 1, is_internal, deterministic=True)
    for statement in (_IDENTIFIERS, _DERIVED_SLUGS):
        records.copy("identifier", staging.connection.execute(statement), columns=3)


def write_lineage(staging: Staging, records: Records, lookup: PaperLookup, files: Mapping[int, FileReport]) -> None:
    """Writes links whose two papers are known and differ; others are counted with their file: as a row or a value."""
    links: dict[tuple[int, int], str] = {}
    rows = staging.connection.execute(
        "SELECT predecessor, successor, source, input, position FROM lineage ORDER BY rowid"
    )
    for predecessor, successor, source, number, position in rows:
        one, other = lookup.linked(orjson.loads(predecessor)), lookup.linked(orjson.loads(successor))
        if one is None or other is None:
            _drop_link(files[number], UNKNOWN_END, source, position)
        elif one == other:
            _drop_link(files[number], LOOP, source, position)
        else:
            links[one, other] = min(source, links.get((one, other), source))
    for (one, other), source in sorted(links.items()):
        records.add("lineage", (one, other, source))
        records.record("lineage", {"predecessor": lookup.id_of(one), "successor": lookup.id_of(other)})


def write_texts(staging: Staging, records: Records, lookup: PaperLookup, files: Mapping[int, FileReport]) -> None:
    """Writes one text a paper; of several the longest, then by content and name, so sources may come in any order."""
    chosen: dict[int, _Text] = {}
    rows = staging.connection.execute("SELECT rowid, input, name, paper, body FROM fulltext ORDER BY rowid")
    for rowid, number, name, paper, body in rows:
        reference = orjson.loads(paper)
        pid = lookup.linked(reference)
        if pid is None and reference.get("title"):
            pid = lookup.titled(reference["title"])
        if pid is None:
            _unkept(files[number], UNKNOWN_PAPER, name)
            continue
        text = _Text(-len(body), hashlib.sha256(body).hexdigest(), name, number, rowid)
        best = min(text, chosen.get(pid, text))
        if pid in chosen:
            lost = chosen[pid] if best is text else text
            _unkept(files[lost.input], SECOND_TEXT, lost.name)
        chosen[pid] = best
    for pid, text in sorted(chosen.items()):
        (body,) = staging.connection.execute("SELECT body FROM fulltext WHERE rowid = ?", (text.row,)).fetchone()
        records.add("fulltext", (pid, body, text.version, len(body)))
        records.flush()
        records.record("fulltext", {"paper": lookup.id_of(pid), "version": text.version})


def _drop_link(file: FileReport, reason: str, source: str, position: str) -> None:
    if source == STATED:
        _unkept(file, reason, position)
    else:
        file.left_out[reason] += 1


def _unkept(file: FileReport, reason: str, name: str) -> None:
    file.kept -= 1
    file.skip(reason, name, bad=False)
