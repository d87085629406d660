"""A recorded run, played by a client through the four calls, and killed on its way (scan contract 12, R8, R9)."""

from pathlib import Path

import orjson
import pytest

from core.scan.models import Candidate
from core.scan.replay.loader import RecordedRun, load
from tests.core.scan.sent import SCAN_ID
from tests.recorded_play import Played
from tests.scan_bench import ANN

pytestmark = pytest.mark.shared_data


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


def _is_searched(candidate: Candidate) -> bool:
    return any(each.relation == "query" for each in candidate.work.origins)


def _ids(candidate: Candidate) -> list[tuple[str, str]]:
    ids = candidate.work.ids
    named = {"doi": ids.doi, "arxiv": ids.arxiv, "pmid": ids.pmid, "openalex": ids.openalex, "s2": ids.s2}
    return [(kind, value) for kind, value in named.items() if value is not None]
