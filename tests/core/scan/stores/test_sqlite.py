"""A SQLite file of scans: who may read it, what is left in it, and what happens when it cannot be used."""

import contextlib
import os
import resource
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import ManualClock
from core.errors import StoreUnavailable
from core.scan.stores.opening import open_scan_store
from core.scan.stores.pages import PAGE_BYTES, content_of, padded
from core.scan.stores.port import ScanStore, Snapshot, Stored, scan_key
from core.scan.stores.shelf import Facts
from core.scan.stores.sqlite import SqliteShelf

pytestmark = pytest.mark.anyio

KEY = scan_key("anonymous", "one")
STORED = Stored(b"{}", "retrieve", is_owed=True, is_open=True, owner="ann", expires_at_s=2e9)


def opened(path: Path) -> ScanStore:
    return open_scan_store(f"sqlite:{path}", ManualClock())


async def test_only_their_owner_may_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "state" / "scans" / "scans.db"
    mask = os.umask(0o022)
    store = opened(path)
    try:
        assert await store.create(KEY, STORED, {})
        assert await store.load(KEY) is not None
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert modes == dict.fromkeys(("scans.db", "scans.db-wal", "scans.db-shm"), 0o600)
    await store.aclose()
    assert [each.name for each in path.parent.iterdir()] == ["scans.db"]


async def test_the_file_works_as_a_log_with_overwritten_deletions(tmp_path: Path) -> None:
    shelf = SqliteShelf(tmp_path / "scans.db", ManualClock())
    await shelf.secret(b"s" * 32)

    def asked(connection: sqlite3.Connection) -> dict[str, object]:
        names = ("journal_mode", "secure_delete", "synchronous", "busy_timeout", "page_size", "user_version")
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}

    assert await shelf._changes.run(asked) == {
        "journal_mode": "wal",
        "secure_delete": 1,
        "synchronous": 2,
        "busy_timeout": 5000,
        "page_size": PAGE_BYTES,
        "user_version": 1,
    }
    await shelf.aclose()


async def test_scans_outlive_the_process_that_kept_them(tmp_path: Path) -> None:
    first = opened(tmp_path / "scans.db")
    assert await first.create(KEY, STORED, {"a.json": b"a"})
    secret = await first.secret()
    await first.aclose()
    second = opened(tmp_path / "scans.db")
    assert await second.read(KEY, "a.json", 1) == b"a"
    assert await second.secret() == secret
    await second.aclose()


@given(content=st.binary(max_size=20) | st.integers(0, 3 * PAGE_BYTES).map(os.urandom))
def test_what_is_padded_is_got_back(content: bytes) -> None:
    assert content_of(padded(content)) == content
    for damaged in (padded(content)[:-1], padded(content) + b"\0", b"\1" + padded(content)[1:], b""):
        assert content_of(damaged) is None


class Endless(bytes):
    """Bytes that say that they are more than any row holds."""

    def __len__(self) -> int:
        return 1 << 40


def test_no_content_is_longer_than_a_row() -> None:
    with pytest.raises(ValueError, match="longer than any row"):
        padded(Endless())


@settings(max_examples=30)
@given(sizes=st.lists(st.integers(0, 3 * PAGE_BYTES), min_size=1, max_size=6))
def test_a_page_that_rows_share_holds_nothing_of_them(sizes: list[int]) -> None:
    contents = [os.urandom(size) for size in [16, 470, 4060, *sizes]]
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    connection.execute("CREATE TABLE contents (place INTEGER PRIMARY KEY, padded BLOB NOT NULL)")
    places = (1, 1 << 20, 1 << 40)
    rows = [(places[number % 3] + number, padded(each)) for number, each in enumerate(contents)]
    connection.executemany("INSERT INTO contents VALUES (?, ?)", rows)
    image = connection.serialize()
    connection.close()
    pages = [image[at : at + PAGE_BYTES] for at in range(0, len(image), PAGE_BYTES)]
    shared = b"".join(page for page in pages[1:] if page[0] in (2, 5, 10, 13))
    for each in contents:
        assert not any(each[at : at + 12] in shared for at in range(0, len(each) - 12, 12))


STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "swap", "empty", "delete"]), st.integers(0, 7), st.integers(0, 2 * PAGE_BYTES)),
    min_size=5,
    max_size=25,
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
async def test_no_byte_of_a_deleted_scan_remains_in_the_files(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int, int]]
) -> None:
    # scan A73
    folder, clock = tmp_path_factory.mktemp("scans"), ManualClock()
    shelf = SqliteShelf(folder / "scans.db", clock)
    alive: dict[str, tuple[int, int]] = {}
    gone: list[bytes] = []
    written: dict[str, list[bytes]] = {}
    for number, (action, which, size) in enumerate(steps):
        key, blob = scan_key("", f"{which}"), os.urandom(16 + size)
        facts = Facts(f"owner-of-{key}", is_open=True, is_waiting=True, expires_at_s=clock.now_s() + 60)
        if action == "put" and key not in alive:
            assert await shelf.put(key, facts, {0: blob, 1: blob[::-1]})
            token = await shelf.acquire(key, f"holder-of-{key}", 60)
            assert token is not None
            alive[key], written[key] = (1, token), [blob, blob[::-1]]
        elif action in ("swap", "empty") and key in alive:
            version, token = alive[key]
            emptied = [1] if action == "empty" else []
            assert await shelf.swap(key, version, token, facts, {0: blob, number + 2: blob[::-1]}, emptied)
            alive[key] = (version + 1, token)
            written[key] += [blob, blob[::-1]]
        elif action == "delete" and key in alive:
            del alive[key]
            await shelf.delete(key)
            gone += [*written.pop(key), f"owner-of-{key}".encode(), f"holder-of-{key}".encode()]
            files = b"".join(each.read_bytes() for each in folder.iterdir())
            parts = [each[at : at + 16] for each in gone for at in range(0, len(each) - 15, 16)]
            assert not any(part in files for part in parts)
            gone.clear()
    clock.advance(60)
    assert await shelf.purge(clock.now_s()) == len(alive)
    await shelf.aclose()
    files = (folder / "scans.db").read_bytes()
    every = [part for parts in written.values() for part in parts]
    assert not any(each[at : at + 16] in files for each in every for at in range(0, len(each) - 15, 16))


def is_left(blob: bytes, folder: Path) -> bool:
    """Whether a file has these bytes."""
    return any(blob in each.read_bytes() for each in folder.iterdir())


async def test_a_reading_that_goes_on_delays_the_removal_to_the_next_purge(tmp_path: Path) -> None:
    # scan A73
    clock, path = ManualClock(), tmp_path / "scans.db"
    shelf, blob = SqliteShelf(path, clock, busy_limit_s=0.05), os.urandom(64)
    assert await shelf.put(KEY, Facts("ann", is_open=True, is_waiting=True, expires_at_s=2e9), {0: blob})
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM scans").fetchall()
        await shelf.delete(KEY)
        assert await shelf.row(KEY) is None
        assert is_left(blob, tmp_path)
    assert await shelf.purge(0) == 0
    assert not is_left(blob, tmp_path)
    await shelf.aclose()


# What cannot be used


async def test_a_file_that_someone_else_locks_is_unavailable_and_then_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "scans.db"
    shelf = SqliteShelf(path, ManualClock(), busy_limit_s=0.05)
    facts = Facts("ann", is_open=True, is_waiting=True, expires_at_s=2e9)
    assert await shelf.put(KEY, facts, {0: b"x"})
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as holding:
        holding.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="does not answer"):
            await shelf.acquire(KEY, "worker", 60)
        # A reading waits for no change.
        assert await shelf.row(KEY) is not None
    assert await shelf.acquire(KEY, "worker", 60) == 1
    await shelf.aclose()


@pytest.mark.parametrize("left", [(), ("scans.db-wal", "scans.db-shm")])
async def test_a_file_that_is_taken_away_is_made_anew_and_not_written_to_any_more(
    tmp_path: Path, left: tuple[str, ...]
) -> None:
    folder = tmp_path / "scans"
    store, other = opened(folder / "scans.db"), opened(folder / "scans.db")
    assert await store.create(KEY, STORED, {"a.json": b"old"})
    assert await other.load(KEY) is not None
    for each in folder.iterdir():
        if each.name not in left:
            each.unlink()
    assert [await each.load(KEY) for each in (store, other)] == [None, None]
    assert await store.create(KEY, STORED, {"a.json": b"new"})
    assert await other.read(KEY, "a.json", 1) == b"new"
    await store.aclose()
    await other.aclose()
    again = opened(folder / "scans.db")
    assert await again.read(KEY, "a.json", 1) == b"new"
    await again.aclose()


async def test_a_secret_that_is_there_is_read_while_someone_else_writes(tmp_path: Path) -> None:
    path = tmp_path / "scans.db"
    shelf = SqliteShelf(path, ManualClock(), busy_limit_s=0.05)
    assert await shelf.secret(b"s" * 32) == b"s" * 32
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as holding:
        holding.execute("BEGIN IMMEDIATE")
        assert await shelf.secret(b"t" * 32) == b"s" * 32
    await shelf.aclose()


async def test_no_file_of_scans_is_unavailable_and_its_path_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database at all, but long enough to be looked at" * 50)
    (tmp_path / "folder").mkdir()
    with contextlib.closing(sqlite3.connect(tmp_path / "newer")) as connection:
        connection.execute("PRAGMA user_version = 2")
    for path in (tmp_path / "text", tmp_path / "folder", tmp_path / "newer", tmp_path / "text" / "below"):
        store = opened(path)
        for question in (store.load(KEY), store.create(KEY, STORED, {}), store.secret()):
            with pytest.raises(StoreUnavailable) as caught:
                await question
            assert str(tmp_path) not in caught.value.message
        await store.aclose()


async def test_a_damaged_file_is_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "scans.db"
    store = opened(path)
    assert await store.create(KEY, STORED, {"a.json": os.urandom(9000)})
    await store.aclose()
    path.write_bytes(path.read_bytes()[:PAGE_BYTES] + os.urandom(path.stat().st_size - PAGE_BYTES))
    again = opened(path)
    with pytest.raises(StoreUnavailable):
        await again.load(KEY)
    await again.aclose()


async def test_a_closed_store_is_unavailable_and_may_be_closed_again(tmp_path: Path) -> None:
    store = opened(tmp_path / "scans.db")
    assert await store.create(KEY, STORED, {})
    await store.aclose()
    await store.aclose()
    with pytest.raises(StoreUnavailable):
        await store.load(KEY)


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """What a full disk does to whoever writes: the beginning is taken, the rest is not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_leaves_the_old_version_whole(tmp_path: Path) -> None:
    # scan A66
    store = opened(tmp_path / "scans.db")
    assert await store.create(KEY, STORED, {"a.json": b"old"})
    before, token = await store.load(KEY), await store.acquire(KEY, "worker", 60)
    assert before is not None
    assert token is not None
    size = (tmp_path / "scans.db-wal").stat().st_size
    with files_of_at_most(size + 9000), pytest.raises(StoreUnavailable):
        await store.commit(KEY, 1, token, before.stored, {"a.json": os.urandom(99_000)})
    assert await store.load(KEY) == Snapshot(1, before.stored, is_leased=True)
    assert await store.read(KEY, "a.json", 1) == b"old"
    assert await store.commit(KEY, 1, token, before.stored, {"a.json": b"new"})
    await store.aclose()


async def test_a_change_that_fails_halfway_is_taken_back(tmp_path: Path) -> None:
    # scan A66
    shelf = SqliteShelf(tmp_path / "scans.db", ManualClock())
    facts = Facts("ann", is_open=True, is_waiting=True, expires_at_s=2e9)
    with pytest.raises(ValueError, match="longer than any row"):
        await shelf.put(KEY, facts, {0: b"x", 1: Endless()})
    assert await shelf.row(KEY) is None
    assert await shelf.put(KEY, facts, {0: b"x"})
    await shelf.aclose()


async def test_who_is_cancelled_leaves_a_whole_change(tmp_path: Path) -> None:
    # scan A66
    store = opened(tmp_path / "scans.db")
    async with anyio.create_task_group() as group:
        group.start_soon(store.create, KEY, STORED, {"a.json": b"a" * 9000})
        await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    snapshot = await store.load(KEY)
    if snapshot is not None:
        assert await store.read(KEY, "a.json", 1) == b"a" * 9000
    await store.aclose()
