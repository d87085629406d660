"""A source that is dead from beginning to end costs a scan its works and nothing more."""

from tests.scan_bench import QUERIES, Bench, Player
from tests.scan_world import WorldLiterature, small_world


async def test_a_scan_with_a_dead_source_is_completed_and_says_so() -> None:
    # scan A77
    literature = WorldLiterature(small_world(QUERIES), ("catalog", "openalex", "s2"))
    literature.down = {"openalex"}
    player = Player(Bench(literature))
    assert (await player.play()).status == "ok"
    payload = (await player.call("result", {})).payload
    failed = {source: (health["queried"] > 0, health["failed"]) for source, health in payload["source_health"].items()}
    assert failed["openalex"][0] and failed["openalex"][1] >= len(QUERIES)
    assert failed["catalog"] == failed["s2"] == (True, 0)
    assert payload["top"]
    [line] = [line for line in payload["evidence_md"].splitlines() if "openalex" in line]
    assert "failed" in line.lower() or "answer" in line.lower()
