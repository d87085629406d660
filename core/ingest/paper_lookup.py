"""Finds the paper that a row refers to, once all papers are written."""

import sqlite3
from collections.abc import Mapping
from typing import Any

from core.folds import fold_hash, key_fold, plain_fold
from core.ingest.records import Records
from core.ingest.staging import Staging
from core.ingest.unite import PaperNumbers

_BY_TITLE = "SELECT pid, title FROM paper WHERE title_key = ?"
_IN_SET = """
SELECT 1 FROM member JOIN doc ON doc.seq = member.seq JOIN source_set ON source_set.input = doc.input
WHERE member.pid = ? AND source_set.name = ? LIMIT 1
"""


class PaperLookup:
    """Resolves references by identifier, by an address that one paper alone has, and by title inside a source set."""

    def __init__(self, staging: Staging, records: Records, numbers: PaperNumbers) -> None:
        self._staging: sqlite3.Connection = staging.connection
        self._output = records.connection
        self._numbers = numbers
        self._staging.execute("CREATE INDEX address_url ON address(url)")
        self._output.execute("CREATE INDEX building_title ON paper(title_key)")

    def finish(self) -> None:
        """Drops what only a build needs."""
        self._output.execute("DROP INDEX building_title")

    def linked(self, reference: Mapping[str, Any]) -> int | None:
        """The paper that a reference names, or None; a title counts only inside the reference's own source set."""
        for scheme, value in reference["idents"]:
            if scheme == "address":
                pid = self._by_address(value)
            else:
                pid = self._numbers.of(scheme, value)
                if pid is None and scheme == "catalog":
                    pid = self._by_id(value)
            if pid is not None:
                return pid
        title, source_set = reference.get("title"), reference.get("set")
        return self._by_title(title, source_set) if title and source_set else None

    def id_of(self, pid: int | None) -> int | None:
        """The catalog id of a paper."""
        if pid is None:
            return None
        return int(self._output.execute("SELECT id FROM paper WHERE pid = ?", (pid,)).fetchone()[0])

    def titled(self, title: str) -> int | None:
        """The one paper of a title, under the plain and then the key fold; None for none or several."""
        key = key_fold(title)
        held = self._output.execute(_BY_TITLE, (fold_hash(key),)).fetchall() if key else []
        for fold in (plain_fold, key_fold):
            pids = [pid for pid, other in held if fold(other) == fold(title)]
            if pids:
                return int(pids[0]) if len(pids) == 1 else None
        return None

    def _by_id(self, value: str) -> int | None:
        row = self._output.execute("SELECT pid FROM paper WHERE id = CAST(? AS INTEGER)", (value,)).fetchone()
        return None if row is None else int(row[0])

    def _by_address(self, url: str) -> int | None:
        seqs = self._staging.execute("SELECT DISTINCT seq FROM address WHERE url = ?", (url,)).fetchall()
        pids = {int(self._numbers.by_seq[seq]) for (seq,) in seqs}
        return pids.pop() if len(pids) == 1 else None

    def _by_title(self, title: str, source_set: str) -> int | None:
        key = key_fold(title)
        if not key:
            return None
        held = self._output.execute(_BY_TITLE, (fold_hash(key),)).fetchall()
        pids = [pid for pid, other in held if key_fold(other) == key and self._is_in(pid, source_set)]
        return int(pids[0]) if len(pids) == 1 else None

    def _is_in(self, pid: int, source_set: str) -> bool:
        return self._staging.execute(_IN_SET, (pid, source_set)).fetchone() is not None
