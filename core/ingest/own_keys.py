"""The keys of one own-format folder: what its files call things, and what those things are called across sources."""

from functools import lru_cache
from pathlib import Path

from core.errors import InvalidInput
from core.ingest.facts import PaperRef
from core.ingest.staging import Staging

_REMEMBERED_KEYS = 100_000
_TWICE = """
SELECT key, max(line) FROM own_paper WHERE owner = ? GROUP BY key HAVING count(*) > 1 ORDER BY max(line) LIMIT 1
"""


class OwnKeys:
    """Natural keys by (kind, key). Kept in the staging database, since authors may be many.

    Papers are not looked up when they are referred to (a method may name its paper before papers are read): a
    reference is an identifier of the scheme `own:<folder>`, and `paper_fault` tells a dangling one at the end.
    """

    def __init__(self, staging: Staging, folder: int) -> None:
        connection = staging.connection
        self._connection = connection
        self.scheme = f"own:{folder}"
        self.file = Path()
        """The file that is being read."""
        self.papers_file = Path()
        connection.execute(f'CREATE TABLE "key_{folder}" (kind, key, natural, PRIMARY KEY (kind, key)) WITHOUT ROWID')
        self._insert = f'INSERT OR IGNORE INTO "key_{folder}" VALUES (?, ?, ?)'  # noqa: S608
        self._select = f'SELECT natural FROM "key_{folder}" WHERE kind = ? AND key = ?'  # noqa: S608
        self._missing = (
            f"SELECT natural, key FROM \"key_{folder}\" AS reference WHERE kind = 'paper reference' AND NOT EXISTS"  # noqa: S608
            " (SELECT 1 FROM own_paper WHERE own_paper.owner = ? AND own_paper.key = reference.key)"
            " ORDER BY natural, key LIMIT 1"
        )
        self._find = lru_cache(maxsize=_REMEMBERED_KEYS)(self._looked_up)

    def define(self, kind: str, key: str, natural: str) -> bool:
        """Notes what a key stands for; False when the key is taken."""
        return self._connection.execute(self._insert, (kind, key, natural)).rowcount == 1

    def _looked_up(self, kind: str, key: str) -> str:
        row = self._connection.execute(self._select, (kind, key)).fetchone()
        if row is None:
            raise InvalidInput(f"there is no {kind} with the key `{key}`")
        return str(row[0])

    def natural(self, kind: str, key: str) -> str:
        """The natural key that a key stands for; raises `InvalidInput` for a dangling one."""
        return self._find(kind, key)

    def has(self, kind: str, key: str) -> bool:
        """Whether a key is defined."""
        return self._connection.execute(self._select, (kind, key)).fetchone() is not None

    def author_by_name(self, fold: str, key: str) -> str:
        """Natural key of an author without id: the folded name, made distinct when another key has that name."""
        return fold if self.define("author name", fold, fold) else f"{fold}#{key}"

    def organization_name(self, key: str) -> str:
        """The name of a framework's organization, which may be a key or a plain name."""
        row = self._connection.execute(self._select, ("organization name", key)).fetchone()
        return key if row is None else str(row[0])

    def paper(self, key: str, line: int) -> PaperRef:
        """A reference to a paper of this folder, written at a line of the file that is being read."""
        self._connection.execute(self._insert, ("paper reference", key, f"{self.file}, line {line}"))
        return PaperRef(idents=[(self.scheme, key)])

    def paper_fault(self) -> str | None:
        """What is wrong with the papers' keys, when all files are read and flushed: used twice, or dangling."""
        twice = self._connection.execute(_TWICE, (self.scheme,)).fetchone()
        if twice is not None:
            return f"{self.papers_file}, line {twice[1]}: the key `{twice[0]}` is used twice"
        missing = self._connection.execute(self._missing, (self.scheme,)).fetchone()
        return None if missing is None else f"{missing[0]}: there is no paper with the key `{missing[1]}`"
