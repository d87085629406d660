"""The promises of a store of scans, over memory and a SQLite file; `tests/gates` has them over real servers."""

import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from core.clock import ManualClock
from core.scan.stores.memory import MemoryShelf
from core.scan.stores.pages import content_of, padded
from core.scan.stores.sqlite import SqliteShelf
from tests.scan_stores import Desk, ScanStorePromises

pytestmark = pytest.mark.anyio


def memory_desk() -> Desk:
    """Two workers of one process."""
    clock = ManualClock()
    shelf = MemoryShelf(clock)

    async def damage(key: str, slot: int, change: Callable[[bytes], bytes | None]) -> None:
        slots = shelf._scans[key].slots
        changed = change(slots.pop(slot))
        if changed is not None:
            slots[slot] = changed

    async def everything() -> bytes:
        parts = [(key.encode(), scan.facts.owner.encode(), *scan.slots.values()) for key, scan in shelf._scans.items()]
        return b"\n".join(part for each in parts for part in each)

    return Desk(clock, shelf, shelf, damage, everything)


def sqlite_desk(folder: Path) -> Desk:
    """Two workers with connections of their own."""
    clock, path = ManualClock(), folder / "scans" / "scans.db"

    async def damage(key: str, slot: int, change: Callable[[bytes], bytes | None]) -> None:
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            (number,) = connection.execute("SELECT number FROM scans WHERE key = ?", (key,)).fetchone()
            place = (number << 20) + slot
            (held,) = connection.execute("SELECT padded FROM contents WHERE place = ?", (place,)).fetchone()
            connection.execute("DELETE FROM contents WHERE place = ?", (place,))
            changed = change(content_of(held) or b"")
            if changed is not None:
                connection.execute("INSERT INTO contents VALUES (?, ?)", (place, padded(changed)))

    async def everything() -> bytes:
        return b"".join(each.read_bytes() for each in sorted(path.parent.iterdir()))

    return Desk(clock, SqliteShelf(path, clock), SqliteShelf(path, clock), damage, everything)


@pytest.fixture(params=["memory", "sqlite"])
async def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Desk]:
    made = memory_desk() if request.param == "memory" else sqlite_desk(tmp_path)
    yield made
    await made.store.aclose()
    await made.other.aclose()


class TestScanStore(ScanStorePromises):
    """All of them."""
