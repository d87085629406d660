"""Read-only connections to a catalog's records: pooled, bounded in time, and never on the event loop."""

import asyncio
import contextlib
import os
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from core.errors import CatalogUnusable, SourceTimeout, SourceUnreachable

T = TypeVar("T")
Connection = sqlite3.Connection

SCHEMA_VERSION = 1
TIME_LIMIT_S = 10.0
WORKERS = 8
_CACHE_KIB = 8192
_INSTRUCTIONS_PER_CHECK = 20_000


class Records:
    """The records of one catalog; each piece of work has a connection to itself for as long as it runs."""

    def __init__(self, path: Path, *, time_limit_s: float = TIME_LIMIT_S, workers: int = WORKERS) -> None:
        self._uri = f"file:{quote(os.fsencode(path.absolute()))}?mode=ro&immutable=1"
        self._time_limit_s = time_limit_s
        self._threads = ThreadPoolExecutor(workers, "records")
        self._idle: deque[_Guarded] = deque()
        self._is_closed = False
        try:
            # All at once: a path may lead to another catalog, or nowhere, by the time a later one would be opened.
            for _ in range(workers):
                self._idle.append(_Guarded(self._uri))
            (version,) = self._idle[0].connection.execute("PRAGMA user_version").fetchone()
        except (sqlite3.Error, UnicodeEncodeError) as error:
            self.close()
            raise CatalogUnusable(f"{path} is no readable catalog database. Rebuild the catalog.") from error
        if version != SCHEMA_VERSION:
            self.close()
            raise CatalogUnusable(
                f"{path} has record schema {version}, this paperdesk reads {SCHEMA_VERSION}. Rebuild the catalog."
            )

    async def run(self, work: Callable[[Connection], T]) -> T:
        """What `work` answers on a connection, in one hop to a worker thread; storage failures become `SourceError`.

        Nobody has to wait until work is done: a caller may be cancelled at any time. Work that has begun then keeps its
        thread until it ends, so that no more runs than there are connections; what has not begun is dropped.
        """
        try:
            answer = asyncio.get_running_loop().run_in_executor(self._threads, self.run_here, work)
        except RuntimeError as error:
            raise _unreadable() from error
        return await answer

    def run_here(self, work: Callable[[Connection], T]) -> T:
        """As `run`, in the calling thread."""
        with self._borrowed() as connection:
            return work(connection)

    def close(self) -> None:
        """Closes all connections; work that still runs closes its own when it ends."""
        self._is_closed = True
        self._threads.shutdown(wait=False)
        while self._idle:
            self._idle.pop().connection.close()

    @contextlib.contextmanager
    def _borrowed(self) -> Iterator[Connection]:
        guarded = None
        try:
            guarded = self._idle.pop() if self._idle else _Guarded(self._uri)
            guarded.deadline_s = time.monotonic() + self._time_limit_s
            yield guarded.connection
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise SourceTimeout("The catalog took too long. Ask for less.", source="catalog") from error
            raise _unreadable() from error
        except sqlite3.Error as error:
            raise _unreadable() from error
        finally:
            if guarded is not None and not self._is_closed:
                self._idle.append(guarded)
            elif guarded is not None:
                guarded.connection.close()


def bindable(text: str) -> str:
    """A text that storage takes: lone surrogates, which no stored text has, become U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class _Guarded:
    """A connection whose statements are interrupted once its deadline is over."""

    def __init__(self, uri: str) -> None:
        self.deadline_s = float("inf")
        self.connection = sqlite3.connect(
            uri, uri=True, check_same_thread=False, isolation_level=None, cached_statements=256
        )
        self.connection.execute("PRAGMA query_only = 1")
        # Mapping the file makes no lookup faster and counts every page that was ever read as memory of the process.
        self.connection.execute("PRAGMA mmap_size = 0")
        self.connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        self.connection.set_progress_handler(self._is_late, _INSTRUCTIONS_PER_CHECK)

    def _is_late(self) -> bool:
        return time.monotonic() > self.deadline_s


def _unreadable() -> SourceUnreachable:
    return SourceUnreachable("The catalog's records could not be read. Try again later.", source="catalog")
