"""The log of what was asked and stored in local mode: appended under a lock, rotated, closed on failure (10.4)."""

import contextlib
import errno
import gzip
import logging
import os
import re
import stat
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any, Literal

import anyio
import orjson
from ulid import ULID

from core.clock import Clock
from core.errors import LockTimeout, LogFailed, StoreError, StoreFailed
from core.references.store.chain import GENESIS, SCHEMA_VERSION, Break, chained, first_break, hash_of_line
from core.references.store.disk import Draft, sync_folder
from core.references.store.layout import Layout
from core.references.store.locks import LOCK_TIMEOUT_S, Patience, Sleep, locked

ROTATE_BYTES = 100_000_000
KEPT_DAYS = 90

Event = Literal[
    "session_start", "capability_resolved", "resolve", "fetch", "store_write", "repeat_forced", "session_end"
]
Result = Literal["ok", "err", "denied"]
Capability = Literal["oa", "metadata"]

_OLD = re.compile(r"access-([0-9]{8}T[0-9]{6}Z)-[0-9a-f]{8}\.jsonl\.gz", re.ASCII)
_OLD_TIME = "%Y%m%dT%H%M%SZ"
_TAIL_BYTES = 65_536
_LINE_BYTES_MAX = 1_048_576
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_log = logging.getLogger("paperdesk.store")
_FAILED = "A row of the store's log could not be written, so nothing was done; look at its file and the free space."


class ProvenanceLog:
    """One log per process; rows of several processes make one chain. Raises `LogFailed` where a row is not written."""

    def __init__(
        self,
        layout: Layout,
        clock: Clock,
        *,
        sleep: Sleep = anyio.sleep,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
        session_id: str | None = None,
        rotate_bytes: int = ROTATE_BYTES,
    ) -> None:
        self.session_id = session_id or str(ULID.from_timestamp(clock.now_s()))
        self._layout = layout
        self._clock = clock
        self._patience = Patience(clock, sleep, limit_s=lock_timeout_s)
        self._rotate_bytes = rotate_bytes
        self._ts_seq = 0
        # Calls of this process come one after another; the lock on the disk is for other processes.
        self._turn = anyio.Lock()

    async def append(
        self,
        event: Event,
        result: Result = "ok",
        *,
        capability: Capability,
        ref: str | None = None,
        source: str | None = None,
        error_code: str | None = None,
        license: str | None = None,
        size_bytes: int | None = None,
        store_path: str | None = None,
        canonical_digest: str | None = None,
    ) -> None:
        """Writes one row that lasts; raises `LogFailed`, or `LockTimeout` after 5 seconds of waiting."""
        row = {
            "event": event,
            "result": result,
            "capability": capability,
            "ref": ref,
            "source": source,
            "error_code": error_code,
            "license": license,
            "size_bytes": size_bytes,
            "store_path": store_path,
            "canonical_digest": canonical_digest,
            "session_id": self.session_id,
            "schema_version": SCHEMA_VERSION,
        }
        try:
            async with self._turn:
                await self._patience.run(lambda: self._append(row))
        except LockTimeout:
            raise
        except (OSError, StoreError, orjson.JSONEncodeError) as error:
            raise LogFailed(_FAILED) from error

    @asynccontextmanager
    async def call(self, capability: Capability) -> AsyncIterator[None]:
        """The rows around one call. The first must be written; the last is written where it can be."""
        await self.append("session_start", capability=capability)
        result: Result = "err"
        try:
            yield
            result = "ok"
        finally:
            with contextlib.suppress(StoreError), anyio.CancelScope(shield=True):
                await self.append("session_end", result, capability=capability)

    def _append(self, row: dict[str, Any]) -> None:
        self._layout.prepare()
        with locked(self._layout.log_lock):
            if self._layout.log.exists() and self._layout.log.stat().st_size >= self._rotate_bytes:
                self._rotate()
            with _opened(self._layout.log) as file:
                prev_hash, size = _end(file)
                line = chained({**row, "ts": _time(self._clock.now_s()), "ts_seq": self._ts_seq}, prev_hash)
                # The next row must find the hash of this one.
                if len(line) > _TAIL_BYTES:
                    raise LogFailed(_FAILED)
                try:
                    if file.write(line) != len(line):
                        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                    os.fsync(file.fileno())
                except OSError:
                    # Half a row would stop every later one.
                    with contextlib.suppress(OSError):
                        file.truncate(size)
                    raise
            self._ts_seq += 1

    def _rotate(self) -> None:
        """Packs the whole log away, named by its content, so that a second try after a stop is the same."""
        log = self._layout.log
        with _opened(log) as file:
            last_hash, _ = _end(file)
            packed = Draft(log.parent, "log")
            try:
                file.seek(0)
                # The same bytes for the same rows: no time and no name inside.
                with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as out:  # type: ignore[call-overload]
                    while chunk := file.read(_LINE_BYTES_MAX):
                        out.write(chunk)
                packed.seal()
                at = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC).strftime(_OLD_TIME)
                packed.publish(log.parent / f"access-{at}-{last_hash[:8]}.jsonl.gz")
            finally:
                packed.discard()
        log.unlink()
        sync_folder(log.parent)
        oldest = datetime.fromtimestamp(self._clock.now_s(), UTC) - timedelta(days=KEPT_DAYS)
        for path in old_logs(self._layout):
            packed_at = _old_time(path)
            if packed_at is not None and packed_at < oldest and path.is_file():
                path.unlink()


def verify(layout: Layout) -> Iterator[tuple[Path, int, Break | None]]:
    """For each file of the log, oldest first: rows that are as they were written, and the first that is not."""
    layout.check()
    if os.path.lexists(layout.metadata) and not layout.metadata.is_dir():
        raise StoreFailed("The store's .metadata is no directory; put a directory of the store's own there.")
    for path in old_logs(layout):
        with _read(path) as file, gzip.GzipFile(fileobj=file, mode="rb") as packed:
            yield path, *_checked(packed)
    if os.path.lexists(layout.log):
        with _read(layout.log) as file:
            yield layout.log, *_checked(file)


def old_logs(layout: Layout) -> list[Path]:
    """The packed logs, oldest first."""
    if not layout.metadata.is_dir():
        return []
    return sorted(path for path in layout.metadata.iterdir() if _OLD.fullmatch(path.name))


def _checked(file: IO[bytes] | gzip.GzipFile) -> tuple[int, Break | None]:
    count = 0

    def lines() -> Iterator[bytes]:
        nonlocal count
        while line := file.readline(_LINE_BYTES_MAX):
            yield line
            count += 1

    try:
        return first_break(lines())
    except (EOFError, OSError, zlib.error):
        return count, Break(count + 1, "the file cannot be read further")


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    descriptor = os.open(path, _FLAGS, 0o600)
    with open(descriptor, "r+b", buffering=0) as file:
        mode = os.fstat(descriptor).st_mode
        # The superuser could write it all the same, but whoever made it so wants no row in it.
        if not stat.S_ISREG(mode) or not mode & stat.S_IWUSR:
            raise LogFailed(_FAILED)
        yield file


@contextlib.contextmanager
def _read(path: Path) -> Iterator[IO[bytes]]:
    """A file to be looked at: neither followed elsewhere nor waited for."""
    with open(os.open(path, _READ), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "It is no plain file")
        yield file


def _end(file: IO[bytes]) -> tuple[str, int]:
    """The last hash and the size, after what a stop left half written is put right."""
    size = file.seek(0, os.SEEK_END)
    start = max(0, size - _TAIL_BYTES - 1)
    file.seek(start)
    tail = file.read(size - start)
    whole = tail.rfind(b"\n") + 1
    torn = tail[whole:]
    if torn and hash_of_line(torn + b"\n") is not None:
        file.write(b"\n")
        tail, size = tail + b"\n", size + 1
    elif torn:
        if start and not whole:
            raise LogFailed(_FAILED)
        _log.warning("store_log=torn: half a row at its end, which no call was told of, is taken away")
        tail, size = tail[:whole], size - len(torn)
        file.truncate(size)
    if not tail:
        return GENESIS, size
    last_hash = hash_of_line(tail[tail[:-1].rfind(b"\n") + 1 :])
    if last_hash is None:
        raise LogFailed("The end of the store's log was changed; look at it with `paperdesk log verify`.")
    return last_hash, size


def _time(at_s: float) -> str:
    at_ms = round(at_s * 1000)
    return f"{datetime.fromtimestamp(at_ms // 1000, UTC):%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03}Z"


def _old_time(path: Path) -> datetime | None:
    """When a packed log was packed; None where a file that somebody else put there has digits that are no time."""
    match = _OLD.fullmatch(path.name)
    assert match is not None, "only packed logs are asked about"
    with contextlib.suppress(ValueError):
        return datetime.strptime(match[1], _OLD_TIME).replace(tzinfo=UTC)
    return None
