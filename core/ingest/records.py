"""The output database of a build, and the hash over all records that names its content."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from core.ingest.staging import fast_connection

_INDEX = re.compile(r"CREATE (?:UNIQUE )?INDEX [^;]+;")
_BATCH_ROWS = 1000


def _schema() -> str:
    return files("core.catalog.embedded").joinpath("schema.sql").read_text(encoding="utf-8")


class Records:
    """Writes `catalog.sqlite`: tables first, indexes when all is in."""

    def __init__(self, path: Path) -> None:
        self.connection = fast_connection(path)
        schema = _schema()
        self._indexes = _INDEX.findall(schema)
        self.connection.executescript(_INDEX.sub("", schema))
        self.connection.execute("CREATE TEMP TABLE record_hash (hash BLOB NOT NULL)")
        self.connection.execute("BEGIN")
        self._pending: dict[str, list[tuple[Any, ...]]] = {}
        self._hashes: list[tuple[bytes]] = []

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        """Queues one row, whole and in the schema's column order."""
        pending = self._pending.setdefault(table, [])
        pending.append(row)
        if len(pending) >= _BATCH_ROWS:
            self._write(table, pending)

    def add_all(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Queues several rows."""
        if rows:
            pending = self._pending.setdefault(table, [])
            pending += rows
            if len(pending) >= _BATCH_ROWS:
                self._write(table, pending)

    def copy(self, table: str, rows: Iterable[tuple[Any, ...]], *, columns: int) -> None:
        """Writes many rows that are at hand as they are needed, without queueing them."""
        self.connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)  # noqa: S608

    def _write(self, table: str, pending: list[tuple[Any, ...]]) -> None:
        if pending:
            places = ", ".join("?" * len(pending[0]))
            self.connection.executemany(f"INSERT INTO {table} VALUES ({places})", pending)  # noqa: S608
            pending.clear()

    def flush(self) -> None:
        """Writes what is queued."""
        for table, pending in self._pending.items():
            self._write(table, pending)
        self.connection.executemany("INSERT INTO record_hash VALUES (?)", self._hashes)
        self._hashes.clear()

    def record(self, kind: str, facts: Mapping[str, Any] | list[Any]) -> None:
        """Adds a record to the content: every fact that a source stated, none that was computed from others.

        A list holds facts in an order of their kind, for the kind of which there are many.
        """
        line = orjson.dumps((kind, facts), option=orjson.OPT_SORT_KEYS)
        self._hashes.append((hashlib.sha256(line).digest(),))
        if len(self._hashes) >= _BATCH_ROWS:
            self.connection.executemany("INSERT INTO record_hash VALUES (?)", self._hashes)
            self._hashes.clear()

    def content_id(self) -> str:
        """SHA-256 over the sorted record hashes, in hexadecimal."""
        self.flush()
        total = hashlib.sha256()
        for (digest,) in self.connection.execute("SELECT hash FROM record_hash ORDER BY hash"):
            total.update(digest)
        return total.hexdigest()

    def create_indexes(self) -> None:
        """Builds the schema's indexes."""
        self.flush()
        for statement in self._indexes:
            self.connection.execute(statement)

    def finish(self) -> None:
        """Ends all work and leaves a plain file that a read-only connection can open."""
        self.connection.execute("COMMIT")
        self.connection.execute("DROP TABLE record_hash")
        self.connection.execute("ANALYZE")
        self.connection.close()

    def close(self) -> None:
        """Gives up."""
        self.connection.close()


def json_list(values: Iterable[Any]) -> str:
    """Values as the JSON text of a column."""
    return orjson.dumps(list(values)).decode()
