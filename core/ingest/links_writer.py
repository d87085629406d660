"""Writes what points at papers from outside: identifiers, lineage links and full texts."""

import hashlib
from collections.abc import Mapping

import orjson

from core.ingest.paper_lookup import PaperLookup
from core.ingest.records import Records
from core.ingest.report import FileReport
from core.ingest.staging import Staging, is_internal

UNKNOWN_PAPER = "unknown paper"
SECOND_TEXT = "a second text for its paper"


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


def write_identifiers(staging: Staging, records: Records) -> None:
    """Writes all identifiers in key order, and the slugs that papers have got."""
    staging.connection.create_function("is_internal", 1, is_internal, deterministic=True)
    for statement in (_IDENTIFIERS, _DERIVED_SLUGS):
        records.copy("identifier", staging.connection.execute(statement), columns=3)


def write_lineage(staging: Staging, records: Records, lookup: PaperLookup, files: Mapping[int, FileReport]) -> None:
    """Writes links whose two papers are known and differ; others are left out and counted with their file."""
    links: dict[tuple[int, int], str] = {}
    rows = staging.connection.execute("SELECT predecessor, successor, source, input FROM lineage ORDER BY rowid")
    for predecessor, successor, source, number in rows:
        one, other = lookup.linked(orjson.loads(predecessor)), lookup.linked(orjson.loads(successor))
        if one is None or other is None or one == other:
            files[number].left_out["lineage link without two known papers"] += 1
        else:
            links[one, other] = min(source, links.get((one, other), source))
    for (one, other), source in sorted(links.items()):
        records.add("lineage", (one, other, source))
        records.record("lineage", {"predecessor": lookup.id_of(one), "successor": lookup.id_of(other)})


def write_texts(staging: Staging, records: Records, lookup: PaperLookup, files: Mapping[int, FileReport]) -> None:
    """Writes one text a paper; of several the first in the order of their content, so sources may come in any order."""
    digests: dict[int, tuple[str, int]] = {}
    rows = staging.connection.execute("SELECT rowid, input, name, paper, body FROM fulltext ORDER BY rowid")
    for rowid, number, name, paper, body in rows:
        reference = orjson.loads(paper)
        pid = lookup.linked(reference)
        if pid is None and reference.get("title"):
            pid = lookup.titled(reference["title"])
        if pid is None:
            _unkept(files[number], UNKNOWN_PAPER, name)
            continue
        version = hashlib.sha256(body).hexdigest()
        if pid in digests:
            _unkept(files[number], SECOND_TEXT, name)
        if pid not in digests or version < digests[pid][0]:
            digests[pid] = (version, rowid)
    for pid, (version, rowid) in sorted(digests.items()):
        (body,) = staging.connection.execute("SELECT body FROM fulltext WHERE rowid = ?", (rowid,)).fetchone()
        records.add("fulltext", (pid, body, version, len(body)))
        records.flush()
        records.record("fulltext", {"paper": lookup.id_of(pid), "version": version})


def _unkept(file: FileReport, reason: str, name: str) -> None:
    file.kept -= 1
    file.skip(reason, name, bad=False)
