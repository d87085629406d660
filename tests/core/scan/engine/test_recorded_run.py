"""A recorded run, played by a client through the four calls, and killed on its way (scan contract 12, R8, R9)."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.scan.engine.configuration import LEASE_S
from core.scan.models import Candidate
from core.scan.replay.loader import RecordedRun, load
from tests.core.scan.sent import SCAN_ID
from tests.recorded_world import RecordedPlayer, recorded_world
from tests.scan_bench import ANN, Bench, Killed, MortalStore
from tests.scan_world import WorldLiterature

pytestmark = pytest.mark.shared_data
DOCUMENTS = ("evidence.json", "evidence.md", "evidence.bib", "coverage.json", "shortlist.json")


class Played:
    """One conversation; the process dies at the named commit or answer, and another goes on."""

    def __init__(self, run: RecordedRun, *, commit: int | None = None, answer: int | None = None) -> None:
        self.literature = WorldLiterature(recorded_world(run))
        self.store: Any = None
        self.bench = Bench(self.literature, wrapped=self._mortal)
        self.store.kill_at = commit
        self.answer = answer
        self.literature.on_answer = self._answered
        self.player = RecordedPlayer(self.bench, run)

    def _mortal(self, store: Any) -> MortalStore:
        self.store = MortalStore(store)
        return self.store

    async def _answered(self, _: str, __: str) -> None:
        if sum(self.literature.asked.values()) == self.answer:
            self.store.kill()

    async def play(self) -> dict[str, str]:
        """The documents at the end."""
        call = self.player.call

        async def again(name: str, arguments: Any) -> Any:
            try:
                return await call(name, arguments)
            except Killed:
                self.bench.scans = self.bench.opened()
                await self.bench.time.pass_by(LEASE_S)
                return await again(name, arguments)

        self.player.call = again  # type: ignore[method-assign]
        done = await self.player.play()
        assert done.phase == "complete"
        return {name: (await self.bench.scans.artifact(SCAN_ID, name, ANN)).text for name in DOCUMENTS}


@pytest.fixture(scope="module")
def run(shared_data: Path) -> RecordedRun:
    return load(shared_data / "scan-run")


# scan A80, R8, R9
async def test_a_recorded_run_is_played_to_its_end(run: RecordedRun) -> None:
    played = Played(run)
    documents = await played.play()
    player = played.player
    assert {each.status for each in player.said} == {"ok"}, "no cid and no judgement is refused"
    assert max(each.size_bytes() for each in player.said) <= 36_000
    pool = await player.pool()
    names = {player.world.name_of(each.work.ids) for each in pool}
    searched = [each for each in run.pool.candidates if _is_searched(each)]
    held = {id for each in pool for id in _ids(each)}
    assert [each.cid for each in searched if not held & set(_ids(each))] == []
    assert names - {None} <= {each.cid for each in run.pool.candidates}
    assert player.batches == list(player.sent), "each batch was complete with the scores sent for it"
    evidence = orjson.loads(documents["evidence.json"])
    assert len(evidence["packets"]) == 10
    assert all(each["overall"] >= 2 or each["selection_reason"] == "backfill" for each in evidence["packets"])
    await player.learn()
    ranked = orjson.loads((await played.bench.scans.artifact(SCAN_ID, "ranked.json", ANN)).text)
    for row in ranked:
        recorded = run.verifications.get(player.recorded[row["cid"]] or "")
        unproved = recorded is None or recorded.title_match_ratio is None
        assert row["verification"]["state"] == ("unverifiable" if unproved else "verified"), row["cid"]
    commits, answers = played.store.commits, sum(played.literature.asked.values())
    assert (commits, answers) > (40, 40)
    assert await Played(run, commit=commits // 2).play() == documents, "it dies, and ends in the same bytes"
    assert await Played(run, answer=answers - 3).play() == documents, "it dies, and ends in the same bytes"


# scan A80, R9
@pytest.mark.gate
@pytest.mark.timeout(900)
async def test_a_recorded_run_may_be_killed_anywhere(run: RecordedRun) -> None:
    whole = Played(run)
    documents = await whole.play()
    for commit in range(whole.store.commits):
        assert await Played(run, commit=commit).play() == documents, f"killed at commit {commit}"
    for answer in range(1, sum(whole.literature.asked.values()) + 1):
        assert await Played(run, answer=answer).play() == documents, f"killed at answer {answer}"


def _is_searched(candidate: Candidate) -> bool:
    return any(each.relation == "query" for each in candidate.work.origins)


def _ids(candidate: Candidate) -> list[tuple[str, str]]:
    ids = candidate.work.ids
    named = {"doi": ids.doi, "arxiv": ids.arxiv, "pmid": ids.pmid, "openalex": ids.openalex, "s2": ids.s2}
    return [(kind, value) for kind, value in named.items() if value is not None]
