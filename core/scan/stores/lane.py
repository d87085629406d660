"""One thread with one connection to a SQLite file that several processes share."""

import asyncio
import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from core.scan.stores.pages import PAGE_BYTES
from core.scan.stores.shelf import unavailable

T = TypeVar("T")
Connection = sqlite3.Connection

SCHEMA_VERSION = 1
BUSY_LIMIT_S = 5.0
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS scans (key TEXT PRIMARY KEY, number INTEGER NOT NULL, version INTEGER NOT NULL,"
    " owner TEXT NOT NULL, is_open INTEGER NOT NULL, is_waiting INTEGER NOT NULL, expires_at_s REAL NOT NULL,"
    " change INTEGER NOT NULL, token INTEGER NOT NULL, holder TEXT NOT NULL, leased_until_s REAL NOT NULL)"
    " WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS contents (place INTEGER PRIMARY KEY, padded BLOB NOT NULL)",
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


class Lane:
    """Runs pieces of work one after the other; the file is opened, and made, by the first.

    Storage failures become `StoreUnavailable`, and the next piece of work begins on a new connection. So it does when
    another file, or none, lies at the path: what is written to a file that was removed is nowhere.
    """

    def __init__(self, path: Path, *, busy_limit_s: float = BUSY_LIMIT_S) -> None:
        self._path = path
        self._busy_limit_s = busy_limit_s
        self._thread = ThreadPoolExecutor(1, "scans")
        self._connection: Connection | None = None
        self._place: tuple[int, int] | None = None

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What `work` answers. A caller may be cancelled at any time; work that has begun is done."""
        try:
            answer = asyncio.get_running_loop().run_in_executor(self._thread, self.run_here, work)
        except RuntimeError as error:
            raise unavailable() from error
        return await answer

    def run_here(self, work: Callable[[Connection], T]) -> T:
        """As `run`, in the calling thread."""
        try:
            if self._connection is not None and self._place != _place_of(self._path):
                self._drop()
            if self._connection is None:
                self._connection = _opened(self._path, self._busy_limit_s)
                self._place = _place_of(self._path)
            return work(self._connection)
        except (sqlite3.Error, OSError) as error:
            self._drop()
            raise unavailable() from error

    async def aclose(self) -> None:
        """Lets go of the file, after the work that was asked for."""
        with contextlib.suppress(RuntimeError):
            await asyncio.get_running_loop().run_in_executor(self._thread, self._drop)
        self._thread.shutdown(wait=False)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(sqlite3.Error):
                connection.close()


@contextlib.contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """A transaction that has the write lock from its beginning; all of it is kept, or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _place_of(path: Path) -> tuple[int, int] | None:
    """What tells a file from another that has its name; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _opened(path: Path, busy_limit_s: float) -> Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # SQLite gives its files beside this one the same mode.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600))
    connection = sqlite3.connect(path, timeout=busy_limit_s, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA mmap_size = 0")
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: Connection) -> None:
    """Makes the tables where they are missing; several processes may come here at once."""
    if _version(connection) == 0:
        with writing(connection):
            if _version(connection) == 0:
                for statement in _SCHEMA:
                    connection.execute(statement)
    if _version(connection) != SCHEMA_VERSION:
        raise sqlite3.DatabaseError("written by another release")
    connection.execute("PRAGMA journal_mode = WAL")


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
