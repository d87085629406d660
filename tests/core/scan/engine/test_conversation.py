"""A whole scan, from its start to its evidence."""

from tests.scan_bench import Bench, Player


async def test_a_scan_runs_to_its_evidence() -> None:
    bench = Bench()
    player = Player(bench)
    answer = await player.play()
    assert (answer.status, answer.next_action, answer.phase) == ("ok", "complete", "complete")
    print(len(player.said), player.batches, answer.json())
