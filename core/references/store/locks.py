"""Locks between processes on one store: exclusive to write, shared to read, waited for with patience for 5 seconds."""

import contextlib
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeVar

import anyio
import filelock

from core.clock import Clock
from core.errors import LockTimeout

if sys.platform != "win32":
    import fcntl

LOCK_TIMEOUT_S = 5.0
LOOK_EVERY_S = 0.05

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]

_FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Busy(Exception):
    """Someone else holds the lock just now."""


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a lock that nobody else may hold meanwhile; raises `Busy`. Its file stays."""
    descriptor = os.open(path, _FLAGS | os.O_CREAT, 0o600)
    try:
        if not filelock.lock_descriptor(descriptor, blocking=False):
            raise Busy
        yield
    finally:
        # Closing lets go of the lock.
        os.close(descriptor)


@contextlib.contextmanager
def read_locked(path: Path) -> Iterator[None]:
    """Holds a lock beside other readers; raises `Busy`. A file that is not there was never locked, and is not made."""
    try:
        descriptor = os.open(path, _FLAGS)
    except (FileNotFoundError, PermissionError):
        # What may only be read has no locks either; a file in the store is never half written.
        yield
        return
    try:
        if not _shared(descriptor):
            raise Busy
        yield
    finally:
        os.close(descriptor)


def _shared(descriptor: int) -> bool:
    if sys.platform == "win32":
        return filelock.lock_descriptor(descriptor, blocking=False)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Patience:
    """Runs blocking work in a thread, again and again while it finds a lock held; raises `LockTimeout` in the end."""

    def __init__(self, clock: Clock, sleep: Sleep = anyio.sleep, *, limit_s: float = LOCK_TIMEOUT_S) -> None:
        self._clock = clock
        self._sleep = sleep
        self._limit_s = limit_s

    async def run(self, work: Callable[[], T]) -> T:
        """What the work gives."""
        until_s = self._clock.monotonic_s() + self._limit_s
        while True:
            try:
                return await anyio.to_thread.run_sync(work)
            except Busy as busy:
                left_s = until_s - self._clock.monotonic_s()
                if left_s <= 0:
                    raise LockTimeout("Another process is using that part of the store; try again.") from busy
            await self._sleep(min(LOOK_EVERY_S, left_s))
