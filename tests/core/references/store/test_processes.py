"""Stores that are shared, locked, full, or left by a process that was stopped."""

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.clock import ManualClock
from core.errors import LockTimeout, LogFailed, StoreFailed
from core.references.store.disk import FORGOTTEN_S
from core.references.store.locks import LOCK_TIMEOUT_S, locked, read_locked
from core.references.store.log import ProvenanceLog, verify
from core.references.store.store import Store, Tags
from tests.core.references.store.papers import OTHER_PDF, PDF, entry, ref

ROOT = Path(__file__).resolve().parents[4]
ASKED = ref("10.1234/example")
STEM = "doi_10.1234_example"
PROGRAM = [sys.executable, "-m"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def stop_at_each_step(folder: Path) -> list[str]:
    program = [*PROGRAM, "tests.core.references.store.stopped", str(folder)]
    done = subprocess.run(program, cwd=ROOT, env=environment(), capture_output=True, text=True, check=True)
    steps: list[str] = json.loads(done.stdout)
    return steps


def tag_at_once(directory: Path, count: int) -> None:
    running = [
        subprocess.Popen(
            [*PROGRAM, "tests.core.references.store.tagging", str(directory), word, str(count)],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for word in ("a", "b")
    ]
    for process in running:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        process.communicate()
        assert process.returncode == 0


# references A106
async def test_a_stop_at_each_step_of_a_write_leaves_the_old_state_readable(tmp_path: Path) -> None:
    steps = stop_at_each_step(tmp_path)
    names = ("opened", "written", "sealed", "published", "settled")
    assert steps == [f"{what} {name}" for what in ("pdf", "toml") for name in names]
    for number, step in enumerate(steps):
        clock = ManualClock()
        store = Store(tmp_path / str(number), clock)
        kept, place = await store.read(ASKED), await store.pdf(ASKED)
        assert kept is not None and place.path is not None, step
        has_new_pdf, has_new_toml = number >= 3, number >= 8
        assert place.path.read_bytes() == (OTHER_PDF if has_new_pdf else PDF), step
        assert kept.metadata.get("venue") == ("New" if has_new_toml else None), step
        temporary = list(store.layout.root.rglob("*.tmp"))
        assert len(temporary) == (0 if step in ("pdf published", "pdf settled") or has_new_toml else 1), step
        # The next process finds no lock held, and later clears away what is left.
        await store.save(entry(venue="New"), OTHER_PDF)
        for path in temporary:
            os.utime(path, (clock.now_s() - FORGOTTEN_S - 1,) * 2)
        await Store(store.layout.root, clock).save(entry(venue="New"), OTHER_PDF)
        assert list(store.layout.root.rglob("*.tmp")) == [], step


# references A109, references A22
async def test_two_processes_on_one_store_lose_nothing(tmp_path: Path) -> None:
    directory, count = tmp_path / "papers", 12
    tag_at_once(directory, count)
    store = Store(directory, ManualClock())
    assert len(await store.search("")) == 1
    found = await store.tag(ref("10.1234/SHARED"))
    assert sorted(found.tags) == sorted(f"{word}{number}" for word in ("a", "b") for number in range(count))
    assert [(rows, broken) for _, rows, broken in verify(store.layout)] == [(2 * count, None)]


# references A109
async def test_a_held_lock_is_given_up_on_after_five_seconds(tmp_path: Path) -> None:
    clock = ManualClock()

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)

    store = Store(tmp_path / "papers", clock, sleep=sleep)
    await store.save(entry(), PDF)
    with locked(store.layout.lock(STEM)):
        for waiting in (store.save(entry()), store.tag(ASKED, add=["x"]), store.read(ASKED), store.pdf(ASKED)):
            began_s = clock.monotonic_s()
            with pytest.raises(LockTimeout):
                await waiting
            assert clock.monotonic_s() - began_s == pytest.approx(LOCK_TIMEOUT_S) == pytest.approx(5.0)
    assert await store.tag(ASKED, add=["x"]) == Tags(("x",), ())


async def test_readers_share_a_lock_and_a_lock_that_is_let_go_in_time_is_taken(tmp_path: Path) -> None:
    clock = ManualClock()
    store = Store(tmp_path / "papers", clock)
    await store.save(entry())
    with read_locked(store.layout.lock(STEM)):
        assert await store.read(ASKED) is not None
    held = locked(store.layout.lock(STEM))
    held.__enter__()

    async def sleep(seconds: float) -> None:
        clock.advance(seconds)
        if clock.monotonic_s() > 1 and not let_go:
            let_go.append(held.__exit__(None, None, None))

    let_go: list[object] = []
    waiting = Store(store.layout.root, clock, sleep=sleep)
    assert await waiting.tag(ASKED, add=["x"]) == Tags(("x",), ())
    assert let_go


@contextlib.contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """What a full disk does to whoever writes: the beginning is taken, the rest is not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_leaves_the_old_state_and_no_half_written_file(tmp_path: Path) -> None:
    store = Store(tmp_path / "papers", ManualClock())
    await store.save(entry(), PDF)
    before = {path: path.read_bytes() for path in store.layout.root.rglob("*") if path.is_file()}
    with files_of_at_most(50), pytest.raises(StoreFailed, match="look for free space"):
        await store.save(entry(), b"%PDF-" + b"x" * 100)
    with files_of_at_most(50), pytest.raises(StoreFailed, match="look for free space"):
        await store.tag(ASKED, add=["x"])
    assert {path: path.read_bytes() for path in store.layout.root.rglob("*") if path.is_file()} == before


# references A111
async def test_a_row_that_the_disk_takes_half_of_is_taken_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "papers", ManualClock())
    log = ProvenanceLog(store.layout, ManualClock())
    await log.append("fetch", capability="oa")
    size = store.layout.log.stat().st_size
    with files_of_at_most(size + 10), pytest.raises(LogFailed):
        await log.append("fetch", capability="oa")
    assert store.layout.log.stat().st_size == size
    await log.append("fetch", capability="oa")
    assert [(rows, broken) for _, rows, broken in verify(store.layout)] == [(2, None)]
