"""Weekly digests: the list of them and the text of one (contract 4.7 and 4.8)."""

import datetime
import hashlib
import re

import orjson

from core.catalog.embedded.connection import Connection
from core.catalog.missing import quoted
from core.errors import Entry, InvalidInput, NotFound
from core.evidence.listing import DEFAULT_BYTES, bytes_of, ceiling, cut, fitted
from core.evidence.results import Digest, DigestPage, DigestRow
from core.evidence.service import DIGESTS_LIMIT

NEWEST_FIRST = "date desc"
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TITLE_CHARS = 300
_NOTE_BYTES = 120


def is_day(text: str) -> bool:
    """Whether a text is `YYYY-MM-DD` and such a day exists."""
    if not _DAY.fullmatch(text):
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


class NoDigest(NotFound):
    """A day without a digest; `suggestions` are the nearest earlier and later days."""


def list_digests(connection: Connection, limit: int, corpus_version: str) -> DigestPage:
    """The newest digests; blocking."""
    (total,) = connection.execute("SELECT count(*) FROM digest").fetchone()
    rows = [
        DigestRow(date=date, title=cut(title, _TITLE_CHARS), paper_count=len(orjson.loads(paper_ids)))
        for date, title, paper_ids in connection.execute(
            "SELECT date, title, paper_ids FROM digest ORDER BY date DESC LIMIT ?", (limit,)
        )
    ]
    notes = [f"There are {total} digests, the newest {limit} are listed."] if total > limit else []
    empty = DigestPage(
        results=(),
        total=total,
        returned=0,
        limit=limit,
        has_more=False,
        order=NEWEST_FIRST,
        filters_applied={},
        notes=notes,
        corpus_version=corpus_version,
        dates=[row.date for row in rows],
    )
    page = fitted(empty, rows, ceiling(limit, DIGESTS_LIMIT))
    return page.model_copy(update={"dates": [row.date for row in rows[: page.returned]]})


def get_digest(connection: Connection, date: str, corpus_version: str) -> Digest:
    """One digest; blocking. Raises `InvalidInput` for what is no day, `NotFound` with the nearest days."""
    if not is_day(date):
        raise InvalidInput(f"Invalid date {quoted(date)}. Send an existing day as YYYY-MM-DD, such as 2026-04-03.")
    row = connection.execute("SELECT title, markdown, paper_ids FROM digest WHERE date = ?", (date,)).fetchone()
    if row is None:
        near = _neighbours(connection, date)
        named = f" The nearest are {' and '.join(entry.id for entry in near)}." if near else " There is none at all."
        raise NoDigest(f"There is no digest of {date}.{named}", suggestions=near)
    title, markdown, paper_ids = row
    content = markdown.encode()
    whole = Digest(
        date=date,
        title=cut(title, _TITLE_CHARS),
        markdown=markdown,
        paper_ids=orjson.loads(paper_ids),
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        corpus_version=corpus_version,
    )
    return _within_size(whole)


def _within_size(digest: Digest) -> Digest:
    """A digest with as many of its papers as fit beside its text, which is never cut."""
    over = bytes_of(digest) - DEFAULT_BYTES
    if over <= 0:
        return digest
    over += _NOTE_BYTES
    kept = list(digest.paper_ids)
    while kept and over > 0:
        over -= len(orjson.dumps(kept.pop())) + 1
    note = f"The text links to {len(digest.paper_ids)} papers; paper_ids names the first {len(kept)}."
    return digest.model_copy(update={"paper_ids": kept, "notes": [note]})


def _neighbours(connection: Connection, date: str) -> list[Entry]:
    """The nearest earlier and the nearest later digest."""
    found = []
    for statement in (
        "SELECT date, title FROM digest WHERE date < ? ORDER BY date DESC LIMIT 1",
        "SELECT date, title FROM digest WHERE date > ? ORDER BY date LIMIT 1",
    ):
        found += connection.execute(statement, (date,)).fetchall()
    return [Entry(id=day, name=cut(title, _TITLE_CHARS)) for day, title in found]
