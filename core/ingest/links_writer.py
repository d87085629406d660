"""Writes what points at papers from outside: identifiers, lineage links and full texts."""

import hashlib
from collections.abc import Mapping

import orjson

from core.ingest.paper_lookup import PaperLookup
from core.ingest.records import Records
from core.ingest.report import FileReport
from core.ingest.staging import Staging, is_internal
from core.ingest.unite import PaperNumbers

UNKNOWN_PAPER = "unknown paper"
SECOND_TEXT = "a second text for its paper"


def write_identifiers(staging: Staging, records: Records, numbers: PaperNumbers) -> None:
    """Writes all identifiers in key order, and the slugs that papers have got."""
    last = None
    idents = staging.connection.execute("SELECT scheme, value, seq FROM ident ORDER BY scheme, value, seq")
    for scheme, value, seq in idents:
        if (scheme, value) != last and not is_internal(scheme):
            records.add("identifier", (scheme, value, int(numbers.by_seq[seq])))
        last = (scheme, value)
    records.flush()
    given = "SELECT 1 FROM ident WHERE scheme = 'slug' AND value = grp.slug"
    for slug, pid in staging.connection.execute(f"SELECT slug, pid FROM grp WHERE NOT EXISTS ({given})"):  # noqa: S608
        records.add("identifier", ("slug", slug, pid))


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
