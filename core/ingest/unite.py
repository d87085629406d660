"""Which staged rows are one paper, and the number, id and slug that each paper gets (catalog contract 17.2 and 20).

Rows are one paper if they share an identifier, also by way of a third row. Ids and slugs depend on natural keys only.
"""

import sqlite3
from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.ingest.facts import Precedence
from core.ingest.ids import derived_id, free_id

OWN_SCHEME = "own:"

_TABLES = """
CREATE TABLE grp (
  root INTEGER PRIMARY KEY, pid INTEGER, id INTEGER NOT NULL, id_is_given INTEGER NOT NULL, natural TEXT NOT NULL,
  slug TEXT NOT NULL, slug_is_given INTEGER NOT NULL, published_day INTEGER, citation_count INTEGER, velocity REAL
);
CREATE TABLE member (
  pid INTEGER NOT NULL, place INTEGER NOT NULL, seq INTEGER NOT NULL, precedence INTEGER NOT NULL,
  PRIMARY KEY (pid, place)
) WITHOUT ROWID;
"""
# -1 and infinity stand for unknown: neither SQLite knows NaN nor numpy a missing value.
_COLUMNS = """
SELECT coalesce(published_day, -1), coalesce(citation_count, -1), coalesce(velocity, 9e999)
FROM grp ORDER BY pid
"""
_ORDERED_DOCS = """
SELECT doc.root, doc.precedence, doc.id, doc.natural_rank, doc.natural, doc.slug, doc.slug_is_given, doc.published_day,
  doc.fallback_day, doc.citation_count, doc.velocity
FROM doc JOIN input ON input.number = doc.input
ORDER BY doc.root, doc.precedence, input.rank, doc.seq
"""
_SHARED_IDENTS = """
WITH shared AS (SELECT scheme, value, min(seq) AS first FROM ident GROUP BY scheme, value HAVING count(*) > 1)
SELECT shared.first, ident.seq FROM shared JOIN ident USING (scheme, value) WHERE ident.seq <> shared.first
"""
_MEMBERS = """
INSERT INTO member
SELECT grp.pid, row_number() OVER (PARTITION BY grp.pid ORDER BY doc.precedence, input.rank, doc.seq) - 1, doc.seq,
  doc.precedence
FROM doc JOIN grp ON grp.root = doc.root JOIN input ON input.number = doc.input
ORDER BY 1, 2
"""


def _find(parents: "array[int]", seq: int) -> int:
    while parents[seq] != seq:
        parents[seq] = parents[parents[seq]]
        seq = parents[seq]
    return seq


def unite(connection: sqlite3.Connection, docs: int) -> None:
    """Fills `grp` (one row a paper) and `member` (its rows, best heard first). Inputs must have been ranked."""
    connection.execute("CREATE INDEX ident_value ON ident(scheme, value, seq)")
    _set_roots(connection, docs)
    connection.executescript(_TABLES)
    rows = _groups(connection.execute(_ORDERED_DOCS))
    connection.executemany("INSERT INTO grp VALUES (?, NULL, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    _settle_ids(connection)
    _settle_slugs(connection)
    _number(connection)
    connection.execute(_MEMBERS)


def _set_roots(connection: sqlite3.Connection, docs: int) -> None:
    parents = array("q", range(docs))
    for one, other in connection.execute(_SHARED_IDENTS):
        one, other = _find(parents, one), _find(parents, other)
        # The smaller seq stays the root, so a root never has to be renamed.
        parents[max(one, other)] = min(one, other)
    moved = ((_find(parents, seq), seq) for seq in range(docs) if parents[seq] != seq)
    connection.executemany("UPDATE doc SET root = ? WHERE seq = ?", moved)


def _groups(docs: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """One row of `grp` for each paper, from its rows in the order in which they are heard."""
    for root, members in groupby(docs, key=lambda doc: doc[0]):
        rows = list(members)
        if len(rows) == 1:
            _, _, given, _, natural, slug, slug_is_given, day, fallback_day, citations, velocity = rows[0]
            number = derived_id("paper", natural) if given is None else given
            day = fallback_day if day is None else day
            yield root, number, given is not None, natural, slug, slug_is_given, day, citations, velocity
            continue
        _, _, natural = min((row[3], place, row[4]) for place, row in enumerate(rows))
        given = next((row[2] for row in rows if row[2] is not None), None)
        slugged = next((row for row in rows if row[6]), rows[0])
        openalex_first = sorted(rows, key=lambda row: row[1] != Precedence.OPENALEX)
        yield (
            root,
            derived_id("paper", natural) if given is None else given,
            given is not None,
            natural,
            slugged[5],
            slugged[6],
            _first(rows, 7) if _first(rows, 7) is not None else _first(rows, 8),
            _first(openalex_first, 9),
            _first(rows, 10),
        )


def _first(rows: list[tuple[Any, ...]], column: int) -> Any:
    return next((row[column] for row in rows if row[column] is not None), None)


def _settle_ids(connection: sqlite3.Connection) -> None:
    """Given ids stay; of derived ones that clash, the first in natural-key order stays."""
    connection.execute("CREATE INDEX grp_id ON grp(id)")
    clashing = connection.execute(
        "SELECT root, natural, id, id_is_given FROM grp WHERE id = 0"
        " OR id IN (SELECT id FROM grp GROUP BY id HAVING count(*) > 1) ORDER BY id, id_is_given DESC, natural"
    ).fetchall()
    holders = {row[2]: row[0] for row in reversed(clashing) if row[2] != 0}
    for root, natural, number, _ in sorted(clashing, key=lambda row: row[1]):
        if holders.get(number) == root:
            continue
        taken = _Taken(connection)
        connection.execute("UPDATE grp SET id = ? WHERE root = ?", (free_id("paper", natural, taken), root))


class _Taken:
    """The ids in use, asked one by one."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __contains__(self, number: object) -> bool:
        return self._connection.execute("SELECT 1 FROM grp WHERE id = ?", (number,)).fetchone() is not None


_CLASHING_SLUGS = """
SELECT root, slug FROM grp
WHERE NOT slug_is_given AND (
  slug IN (SELECT value FROM ident WHERE scheme = 'slug')
  OR slug IN (SELECT slug FROM grp WHERE NOT slug_is_given GROUP BY slug HAVING count(*) > 1)
)
ORDER BY slug, natural
"""
_HAS_SLUG = """
SELECT 1 FROM grp WHERE slug = ?1 AND root <> ?2 UNION ALL SELECT 1 FROM ident WHERE scheme = 'slug' AND value = ?1
"""


def _settle_slugs(connection: sqlite3.Connection) -> None:
    """Given slugs are identifiers and so never clash; derived ones that do get `-1`, `-2` in natural-key order."""
    connection.execute("CREATE INDEX grp_slug ON grp(slug)")
    last = None
    number = 0
    for root, slug in connection.execute(_CLASHING_SLUGS).fetchall():
        if slug != last:
            last, number = slug, 0
            is_free = (
                connection.execute("SELECT 1 FROM ident WHERE scheme = 'slug' AND value = ?", (slug,)).fetchone()
                is None
            )
            if is_free:
                continue
        number += 1
        while connection.execute(_HAS_SLUG, (f"{slug}-{number}", root)).fetchone():
            number += 1
        connection.execute("UPDATE grp SET slug = ? WHERE root = ?", (f"{slug}-{number}", root))


def _number(connection: sqlite3.Connection) -> None:
    """Numbers papers densely from 0 in the order of their ids."""
    connection.execute(
        "UPDATE grp SET pid = numbered.pid FROM (SELECT root, row_number() OVER (ORDER BY id) - 1 AS pid FROM grp)"
        " AS numbered WHERE grp.root = numbered.root"
    )


class PaperNumbers:
    """The papers by number: columns that ranks and links need, a few bytes each."""

    def __init__(self, connection: sqlite3.Connection, docs: int) -> None:
        self._connection = connection
        self.by_seq: NDArray[np.int32] = np.fromiter(
            (
                row[0]
                for row in connection.execute("SELECT pid FROM doc JOIN grp ON grp.root = doc.root ORDER BY doc.seq")
            ),
            dtype=np.int32,
            count=docs,
        )
        self.count = int(connection.execute("SELECT count(*) FROM grp").fetchone()[0])
        columns = np.fromiter(
            connection.execute(_COLUMNS),
            dtype=[("day", "<i4"), ("cited", "<i8"), ("velocity", "<f8")],
            count=self.count,
        )
        self.published_day: NDArray[np.int32] = columns["day"]
        self.citation_count: NDArray[np.int64] = columns["cited"]
        self.velocity: NDArray[np.float64] = np.where(np.isinf(columns["velocity"]), np.nan, columns["velocity"])

    def of(self, scheme: str, value: str) -> int | None:
        """The paper that an identifier, or a key of an own-format folder, names."""
        if scheme.startswith(OWN_SCHEME):
            statement = "SELECT seq FROM own_paper WHERE owner = ? AND key = ?"
            row = self._connection.execute(statement, (scheme, value)).fetchone()
            return None if row is None else int(self.by_seq[row[0]])
        row = self._connection.execute(
            "SELECT seq FROM ident WHERE scheme = ? AND value = ? LIMIT 1", (scheme, value)
        ).fetchone()
        return None if row is None else int(self.by_seq[row[0]])
