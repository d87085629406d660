"""Processes that are killed while they change a file of scans: run with a directory, it prints the stops as JSON.

A change is stopped before each of its statements, and wherever its writing makes a file grow, in the middle of pages
too. Below the directory each stop has a file of its own, in which the change began on one finished scan.
"""

import json
import os
import resource
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import anyio

from core.clock import ManualClock
from core.scan.stores.blobs import Blobs
from core.scan.stores.port import Stored, scan_key
from core.scan.stores.sealed import SealedStore
from core.scan.stores.sqlite import SqliteShelf

KEY, NEW_KEY = scan_key("", "one"), scan_key("", "new")
KEYS = (b"k" * 32,)
STORED = Stored(b"old", "retrieve", is_owed=True, is_open=True, owner="ann", expires_at_s=2e9)
OLD = {"candidates.json": os.urandom(3000).hex().encode(), "screen.json": b"old"}
NEW = {"candidates.json": b"new" * 3000, "x.json": b"x" * 9}
GROWTH_BYTES = 2100
"""About half a page, so that pages are torn."""


async def commit(store: SealedStore, token: int) -> None:
    snapshot = await store.load(KEY)
    assert snapshot is not None
    stored = replace(snapshot.stored, state=b"new", step="screen-q")
    assert await store.commit(KEY, 1, token, stored, NEW, drop_superseded=True)


async def create(store: SealedStore, _: int) -> None:
    assert await store.create(NEW_KEY, replace(STORED, state=b"new"), NEW)


async def delete(store: SealedStore, _: int) -> None:
    await store.delete(KEY)


CHANGES: dict[str, Callable[[SealedStore, int], Awaitable[None]]] = {
    "commit": commit,
    "create": create,
    "delete": delete,
}


async def change(folder: Path, name: str, arm: Callable[[SqliteShelf, Path], object]) -> None:
    """One scan, and then a change once the stop is armed."""
    path = folder / "scans.db"
    shelf = SqliteShelf(path, ManualClock())
    store = SealedStore(shelf, Blobs(KEYS))
    assert await store.create(KEY, STORED, OLD)
    token = await store.acquire(KEY, "worker", 60)
    assert token is not None
    arm(shelf, path)
    await CHANGES[name](store, token)


def at_statement(number: int) -> Callable[[SqliteShelf, Path], object]:
    """Stops before a statement of the change."""

    def arm(shelf: SqliteShelf, _: Path) -> None:
        left = [number]

        def stop(_: str) -> None:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)

        shelf._changes.run_here(lambda connection: connection.set_trace_callback(stop))

    return arm


def at_growth(number: int) -> Callable[[SqliteShelf, Path], object]:
    """Stops where a file would become longer than the log is, and so many pieces more."""

    def arm(_: SqliteShelf, path: Path) -> None:
        size = path.with_name("scans.db-wal").stat().st_size + number * GROWTH_BYTES
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return arm


def main(directory: Path) -> None:
    """Each stop is that of a child; there are no more once a change gets through."""
    stops = []
    for name in CHANGES:
        for kind, arming in (("statement", at_statement), ("growth", at_growth)):
            for number in range(1000):
                folder = directory / f"{name}-{kind}-{number}"
                child = os.fork()
                if child == 0:
                    anyio.run(change, folder, name, arming(number))
                    os._exit(0)
                _, status = os.waitpid(child, 0)
                stops.append([name, folder.name, os.WIFSIGNALED(status)])
                if not os.WIFSIGNALED(status):
                    assert status == 0
                    break
    # What one child writes another would not find again.
    print(json.dumps({"stops": stops, "old": {name: each.decode() for name, each in OLD.items()}}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
