"""The key file: read at start, followed while the service runs, and rewritten as a whole by its command."""

import contextlib
import logging
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

import anyio

from core.clock import Clock
from core.errors import OperatorError
from server.limits.keys import ApiKey, BadKeyRecord, KeyRing, key_line, parse_keys

LOOK_EVERY_S = 5.0
"""A changed file is read with the first request after so long: half of what is promised."""

_log = logging.getLogger("paperdesk.keys")

_Mark = tuple[int, int, int]


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """The records of the file. Raises `OperatorError` saying what to do."""
    try:
        return parse_keys(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise OperatorError(
            f"The key file {path} cannot be read; make it with `paperdesk keys new`, and let this user read it."
        ) from error
    except BadKeyRecord as bad:
        raise OperatorError(f"The key file {path} is broken: {bad}.") from bad


def write_keys(path: Path, keys: Iterable[ApiKey]) -> None:
    """Replaces the file as a whole, for its owner's eyes; who else of its group might read it still may."""
    text = "".join(f"{key_line(key)}\n" for key in keys)
    try:
        old = path.stat() if path.exists() else None
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(handle, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            if old is not None:
                _give_to(name, old)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OperatorError(f"The key file {path} cannot be written: {error.strerror}.") from error


def _give_to(name: str, old: os.stat_result) -> None:
    """A file that the service could read must not become one that it cannot: it would go on with revoked keys."""
    with contextlib.suppress(PermissionError, AttributeError):
        os.chown(name, old.st_uid, old.st_gid)
    Path(name).chmod(stat.S_IMODE(old.st_mode) & 0o640 | 0o600)


class FollowedKeys:
    """The keys in force. A file that has become unreadable or broken keeps the old set, and the log says so once."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._mark = _mark_of(path)
        self._is_broken = False
        self.ring = KeyRing(read_keys(path))
        self._looked_s = clock.monotonic_s()
        if self._mark is not None and _is_public(path):
            _log.warning("key_file=public: everybody on this machine can read it; take that right away with chmod o-r")

    async def current(self) -> KeyRing:
        """The ring, after a look at the file when one is due."""
        now_s = self._clock.monotonic_s()
        if now_s - self._looked_s >= LOOK_EVERY_S:
            self._looked_s = now_s
            await anyio.to_thread.run_sync(self._look)
        return self.ring

    def _look(self) -> None:
        mark = _mark_of(self._path)
        is_same = mark == self._mark
        # What kept it from being read, such as its rights, may have gone without a change of the file.
        if is_same and not self._is_broken:
            return
        self._mark = mark
        try:
            ring = KeyRing(read_keys(self._path))
        except OperatorError:
            if not (is_same and self._is_broken):
                _log.error("key_file=broken: the keys read before stay in force")
            self._is_broken = True
            return
        self._is_broken = False
        self.ring = ring
        _log.info("key_file=read keys=%d", len(ring))


def _mark_of(path: Path) -> _Mark | None:
    """What tells one state of the file from another."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _is_public(path: Path) -> bool:
    return bool(path.stat().st_mode & stat.S_IROTH)
