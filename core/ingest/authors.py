"""Authors: one per source id, else one per folded name (catalog contract 17.2)."""

import sqlite3
from collections import Counter
from functools import lru_cache
from itertools import groupby
from typing import Any

import orjson

from core.folds import fold_hash, plain_fold
from core.ingest.ids import derived_id, free_id
from core.ingest.records import Records

_REMEMBERED_NAMES = 200_000
_REMEMBERED_USES = 200_000

_TABLES = """
CREATE TABLE known_author (natural TEXT PRIMARY KEY, id INTEGER NOT NULL, name TEXT NOT NULL, hf_username TEXT,
  orcid TEXT) WITHOUT ROWID;
CREATE TABLE author_use (id INTEGER NOT NULL, name TEXT NOT NULL, uses INTEGER NOT NULL);
"""
_ORDERED = """
SELECT author.natural, author.facts FROM author JOIN input ON input.number = author.input
ORDER BY author.natural, author.precedence, input.rank, author.line
"""
_KNOWN = "SELECT id, name, hf_username, orcid FROM known_author ORDER BY id, natural"
_SPELLINGS = """
SELECT id, name FROM author_use WHERE id NOT IN (SELECT id FROM known_author)
GROUP BY id, name ORDER BY id, sum(uses) DESC, name
"""


class Authors:
    """Gives names on papers their author ids, and writes the author table when all papers have been asked for."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        connection.executescript(_TABLES)
        self._settled = _settled_ids(connection)
        connection.executemany("INSERT INTO known_author VALUES (?, ?, ?, ?, ?)", self._known_authors())
        self._id_of_name = lru_cache(maxsize=_REMEMBERED_NAMES)(self._looked_up_name)
        self._known = lru_cache(maxsize=_REMEMBERED_NAMES)(self._looked_up_known)
        self._uses: Counter[tuple[int, str]] = Counter()

    def _known_authors(self) -> list[tuple[Any, ...]]:
        authors = []
        for natural, rows in groupby(self._connection.execute(_ORDERED), key=lambda row: row[0]):
            facts: dict[str, Any] = {}
            for row in rows:
                facts = {**orjson.loads(row[1]), **facts}
            number = int(natural[3:]) if natural.startswith("id:") else derived_id("author", natural)
            authors.append((natural, number, facts["name"], facts.get("hf_username"), facts.get("orcid")))
        return authors

    def _looked_up_name(self, name: str) -> int:
        fold = plain_fold(name)
        return self._settled.get(fold) or derived_id("author", fold)

    def _looked_up_known(self, natural: str) -> tuple[int, str]:
        row = self._connection.execute("SELECT id, name FROM known_author WHERE natural = ?", (natural,)).fetchone()
        return int(row[0]), str(row[1])

    def resolved(self, authors: list[str | list[str]]) -> list[tuple[int, str]]:
        """Ids and names of a paper's authors, in order."""
        found = [self._known(each[0]) if isinstance(each, list) else (self._id_of_name(each), each) for each in authors]
        self._uses.update(found)
        if len(self._uses) >= _REMEMBERED_USES:
            self._note_uses()
        return found

    def _note_uses(self) -> None:
        rows = ((number, name, uses) for (number, name), uses in self._uses.items())
        self._connection.executemany("INSERT INTO author_use VALUES (?, ?, ?)", rows)
        self._uses.clear()

    def write(self, records: Records) -> None:
        """Writes every author that a source describes or a paper names; the most used spelling is the name."""
        self._note_uses()
        for number, rows in groupby(self._connection.execute(_KNOWN), key=lambda row: row[0]):
            held = list(rows)
            hf_username = next((row[2] for row in held if row[2]), None)
            orcid = next((row[3] for row in held if row[3]), None)
            _write(records, number, held[0][1], hf_username, orcid)
        for number, rows in groupby(self._connection.execute(_SPELLINGS), key=lambda row: row[0]):
            _write(records, number, next(rows)[1], None, None)


def _write(records: Records, number: int, name: str, hf_username: str | None, orcid: str | None) -> None:
    records.add("author", (number, name, fold_hash(plain_fold(name)), hf_username, orcid, 0))
    records.record("author", {"id": number, "name": name, "hf_username": hf_username, "orcid": orcid})


def _settled_ids(connection: sqlite3.Connection) -> dict[str, int]:
    """Ids of the names whose first 52 bits another name has too: next to never any."""
    clashing = connection.execute(
        "SELECT DISTINCT fold FROM author_fold WHERE id IN"
        " (SELECT id FROM author_fold GROUP BY id HAVING count(DISTINCT fold) > 1) ORDER BY fold"
    ).fetchall()
    taken: set[int] = set()
    settled: dict[str, int] = {}
    for (fold,) in clashing:
        settled[fold] = free_id("author", fold, taken)
        taken.add(settled[fold])
    return settled
