"""A recorded run ends in the same bytes wherever its process is killed (scan contract 12, R9)."""

from pathlib import Path

import pytest

from core.scan.replay.loader import load
from tests.recorded_play import Played

pytestmark = [pytest.mark.gate, pytest.mark.shared_data]


# scan A80, R9
@pytest.mark.timeout(900)
async def test_a_recorded_run_may_be_killed_anywhere(shared_data: Path) -> None:
    run = load(shared_data / "scan-run")
    whole = Played(run)
    documents = await whole.play()
    for commit in range(whole.store.commits):
        assert await Played(run, commit=commit).play() == documents, f"killed at commit {commit}"
    for answer in range(1, sum(whole.literature.asked.values()) + 1):
        assert await Played(run, answer=answer).play() == documents, f"killed at answer {answer}"
