"""A whole scan over the store that a plain installation has, with its threads and in real time."""

from pathlib import Path

import anyio

from core.clock import SystemClock
from core.scan.answers.envelope import Envelope
from core.scan.engine.configuration import EngineSettings
from core.scan.engine.service import Scans
from core.scan.stores.opening import open_scan_store
from tests.core.scan.sent import SCAN_ID, sent_start
from tests.scan_bench import ANN, QUERIES, Bench, Player
from tests.scan_world import WorldLiterature, small_world


class FileBench(Bench):
    """Scans in a file; every call is waited for as it comes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        clock = SystemClock()
        literature = WorldLiterature(small_world(QUERIES, each=3), ("catalog", "s2"))
        store = open_scan_store(f"sqlite:{path}", clock)
        self.scans = Scans(store, literature, clock, EngineSettings(), version="1.0")

    async def done(self, work, *, within_s: float = 600.0):  # type: ignore[no-untyped-def]
        """What the work gives."""
        return await work


async def test_a_scan_is_played_in_a_file_and_read_by_the_next_process(tmp_path: Path) -> None:
    bench = FileBench(tmp_path / "scans.db")
    player = Player(bench)
    async with anyio.create_task_group() as group:
        group.start_soon(bench.scans.run)
        done = await player.play()
        result = await player.call("result", {})
        group.cancel_scope.cancel()
    await bench.scans.close()
    assert (done.phase, {each.status for each in player.said}) == ("complete", {"ok"})
    again = FileBench(tmp_path / "scans.db")
    found: Envelope = await again.scans.result({"scan_id": SCAN_ID}, ANN)
    assert found.json() == result.json()
    assert (await again.scans.start(sent_start(), ANN)).json() == done.json()
    await again.scans.close()
