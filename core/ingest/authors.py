"""Authors: one per source id, else one per folded name (catalog contract 17.2)."""

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any

import orjson

from core.folds import fold_hash, plain_fold
from core.ingest.ids import derived_id, free_id
from core.ingest.records import Records

_REMEMBERED_NAMES = 200_000

_TABLES = """
CREATE TABLE known_author (natural TEXT PRIMARY KEY, id INTEGER NOT NULL, name TEXT NOT NULL, hf_username TEXT,
  orcid TEXT, fold TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX known_author_id ON known_author(id);
"""
_ORDERED = """
SELECT natural, facts FROM author ORDER BY natural, precedence, facts
"""
_KNOWN = "SELECT id, name, hf_username, orcid FROM known_author ORDER BY id, natural"
_SPELLINGS = "SELECT DISTINCT fold, name FROM author_name ORDER BY fold, name"
_CLASHING = """
SELECT DISTINCT fold FROM author_name
WHERE id IN (SELECT id FROM author_name GROUP BY id HAVING count(DISTINCT fold) > 1)
  OR EXISTS (
    SELECT 1 FROM known_author WHERE known_author.id = author_name.id AND known_author.fold <> author_name.fold
  )
ORDER BY fold
"""

_TAKEN = """
SELECT known_author.id FROM known_author JOIN author_name USING (id) WHERE known_author.fold <> author_name.fold
"""


class Authors:
    """Gives names on papers their author ids, and writes the author table when all papers are written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(_TABLES)
        connection.executemany("INSERT INTO known_author VALUES (?, ?, ?, ?, ?, ?)", self._known_authors())
        self._settled = _settled_ids(connection)
        self.settled = frozenset(self._settled.values())
        """Ids that do not follow from the name, of authors known by name alone."""
        self._id_of_name = lru_cache(maxsize=_REMEMBERED_NAMES)(self._looked_up_name)
        self._known = lru_cache(maxsize=_REMEMBERED_NAMES)(self._looked_up_known)

    def _known_authors(self) -> Iterator[tuple[Any, ...]]:
        for natural, rows in groupby(self._connection.execute(_ORDERED), key=lambda row: row[0]):
            facts: dict[str, Any] = {}
            for row in rows:
                facts = {**orjson.loads(row[1]), **facts}
            number = int(natural[3:]) if natural.startswith("id:") else derived_id("author", natural)
            name = facts["name"]
            yield natural, number, name, facts.get("hf_username"), facts.get("orcid"), plain_fold(name)

    def _id_of_fold(self, fold: str) -> int:
        return self._settled.get(fold) or derived_id("author", fold)

    def _looked_up_name(self, name: str) -> int:
        return self._id_of_fold(plain_fold(name))

    def _looked_up_known(self, natural: str) -> tuple[int, str]:
        row = self._connection.execute("SELECT id, name FROM known_author WHERE natural = ?", (natural,)).fetchone()
        return int(row[0]), str(row[1])

    def resolved(self, authors: list[str | list[str]]) -> list[tuple[int, str]]:
        """Ids and names of a paper's authors, in order."""
        return [self._known(each[0]) if isinstance(each, list) else (self._id_of_name(each), each) for each in authors]

    def write(self, records: Records) -> None:
        """Writes every author that a source describes or a paper names, in its plainest spelling."""
        records.flush()
        papers = _PaperCounts(records.connection)
        for number, rows in groupby(self._connection.execute(_KNOWN), key=lambda row: row[0]):
            held = list(rows)
            hf_username = next((row[2] for row in held if row[2]), None)
            orcid = next((row[3] for row in held if row[3]), None)
            _write(records, (number, held[0][1], hf_username, orcid), papers.of(number))
        for fold, rows in groupby(self._connection.execute(_SPELLINGS), key=lambda row: row[0]):
            number = self._id_of_fold(fold)
            count = papers.of(number)
            # Without papers: another source's list of authors was taken.
            if count and not self._is_described(number):
                _write(records, (number, min((row[1] for row in rows), key=_plainness), None, None), count)

    def _is_described(self, number: int) -> bool:
        return self._connection.execute("SELECT 1 FROM known_author WHERE id = ?", (number,)).fetchone() is not None


class _PaperCounts:
    """How many papers each author has: two arrays, since authors may be as many as papers."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._ids = array("q")
        self._counts = array("l")
        for number, count in connection.execute("SELECT author_id, count(DISTINCT pid) FROM paper_author GROUP BY 1"):
            self._ids.append(number)
            self._counts.append(count)

    def of(self, number: int) -> int:
        place = bisect_left(self._ids, number)
        return self._counts[place] if place < len(self._ids) and self._ids[place] == number else 0


def _plainness(name: str) -> tuple[bool, str]:
    """Spellings that differ in case only: mixed case before all capitals or none, then in code-point order."""
    return name.isupper() or name.islower(), name


def _write(records: Records, author: tuple[int, str, str | None, str | None], paper_count: int) -> None:
    number, name, hf_username, orcid = author
    records.add("author", (number, name, fold_hash(plain_fold(name)), hf_username, orcid, paper_count))
    records.record("author", list(author))


def _settled_ids(connection: sqlite3.Connection) -> dict[str, int]:
    """Ids of the names whose first 52 bits another author has too: next to never any."""
    taken = {row[0] for row in connection.execute(_TAKEN)}
    settled: dict[str, int] = {}
    for (fold,) in connection.execute(_CLASHING).fetchall():
        settled[fold] = free_id("author", fold, taken)
        taken.add(settled[fold])
    return settled
