"""A SQLite file of scans under several real processes, and under processes that are killed while they write it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.clock import ManualClock, SystemClock
from core.scan.stores.blobs import Blobs
from core.scan.stores.opening import open_scan_store
from core.scan.stores.port import ArtifactRef, ScanStore
from core.scan.stores.sealed import SealedStore
from core.scan.stores.sqlite import SqliteShelf
from tests.core.scan.stores import contending, stopped

pytestmark = [pytest.mark.gate, pytest.mark.anyio, pytest.mark.timeout(300)]

PROCESSES = 4


async def whole(store: ScanStore, key: str) -> tuple[int, str, dict[str, str]] | None:
    """A scan with all of its artifacts, each of which is checked as it is read."""
    snapshot = await store.load(key)
    if snapshot is None:
        return None
    refs: dict[str, ArtifactRef] = dict(snapshot.stored.artifacts)
    texts = {name: (await store.read(key, name, ref.version)).decode() for name, ref in refs.items()}
    return snapshot.version, snapshot.stored.state.decode(), texts


@pytest.fixture
def killed(tmp_path: Path) -> dict[str, Any]:
    """What was killed, each in a folder of the test's."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.core.scan.stores.stopped", str(tmp_path)],
        capture_output=True,
        check=True,
        text=True,
        timeout=200,
    )
    found: dict[str, Any] = json.loads(told.stdout)
    return found


async def test_a_kill_at_any_point_leaves_the_old_or_the_new_version_whole(
    tmp_path: Path, killed: dict[str, Any]
) -> None:
    # scan A66
    new = {name: text.decode() for name, text in stopped.NEW.items()}
    before = (1, "old", killed["old"])
    outcomes = {
        "commit": (stopped.KEY, before, (2, "new", killed["old"] | new)),
        "create": (stopped.NEW_KEY, None, (1, "new", new)),
        "delete": (stopped.KEY, before, None),
    }
    seen: dict[str, list[bool]] = {name: [] for name in outcomes}
    for name, folder, was_killed in killed["stops"]:
        key, old, following = outcomes[name]
        store = SealedStore(SqliteShelf(tmp_path / folder / "scans.db", ManualClock()), Blobs(stopped.KEYS))
        found = await whole(store, key)
        assert found in ((old, following) if was_killed else (following,)), folder
        if key == stopped.NEW_KEY:
            assert await whole(store, stopped.KEY) == before
        seen[name].append(found == following)
        # The change may be made again, and what it was stopped in leaves nothing behind.
        await store.delete(stopped.KEY)
        files = b"".join(each.read_bytes() for each in (tmp_path / folder).iterdir())
        assert stopped.KEY.encode() not in files
        await store.aclose()
        shutil.rmtree(tmp_path / folder)
    assert all(set(each) == {False, True} and len(each) > 15 for each in seen.values())


@pytest.fixture
def counted(tmp_path: Path) -> list[dict[str, Any]]:
    """What processes saw that counted up in one scan at the same time, with a file that none of them had found."""
    path = tmp_path / "scans" / "scans.db"
    command = [sys.executable, "-m", "tests.core.scan.stores.contending", str(path)]
    running = [
        subprocess.Popen([*command, f"{number}"], stdout=subprocess.PIPE, text=True) for number in range(PROCESSES)
    ]
    found = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    assert [process.returncode for process in running] == [0] * PROCESSES
    return found


async def test_processes_on_one_file_take_turns_and_lose_nothing(tmp_path: Path, counted: list[dict[str, Any]]) -> None:
    # scan A70
    total = PROCESSES * contending.COUNTED
    assert sorted(each["created"] for each in counted) == [False] * (PROCESSES - 1) + [True]
    assert [each["wins"] for each in counted] == [contending.COUNTED] * PROCESSES
    tokens = [token for each in counted for token in each["tokens"]]
    assert sorted(tokens) == list(range(1, total + 1))
    assert all(each["tokens"] == sorted(each["tokens"]) for each in counted)
    assert len({each["secret"] for each in counted}) == 1
    store = open_scan_store(f"sqlite:{tmp_path / 'scans' / 'scans.db'}", SystemClock())
    assert await whole(store, contending.KEY) == (total + 1, f"{total}", {"count.json": f"{total}" * 900})
    assert (await store.secret()).hex() == counted[0]["secret"]
    await store.aclose()
