"""A process may die at any moment: what it left is gone on with, and ends the same (scan contract 10.5)."""

import asyncio
from typing import Any

import pytest

from core.scan.engine.configuration import LEASE_S
from core.scan.stores.port import scan_key
from tests.core.scan.sent import SCAN_ID, sent_gap
from tests.scan_bench import ANN, Bench, Killed, MortalStore, Player
from tests.scan_world import WorldLiterature, small_world

QUERIES = tuple(f"Q{number}" for number in range(1, 7))
EVIDENCE = ("evidence.json", "evidence.md", "evidence.bib", "coverage.json", "candidates.json", "ranked.json")


class Mortal:
    """A bench whose first process dies at a commit or at an answer, and a player who calls again."""

    def __init__(self, *, kill_at_commit: int | None = None, kill_at_answer: int | None = None) -> None:
        literature = WorldLiterature(small_world((*QUERIES, "G1"), each=3), ("catalog", "s2"))
        self.store: Any = None
        self.bench = Bench(literature, wrapped=self._mortal)
        self.store.kill_at = kill_at_commit
        self.kill_at_answer = kill_at_answer
        literature.on_answer = self._answer
        self.player = Player(self.bench, force_gap_round=True)
        self.player.gap_queries = [sent_gap("G1")]
        self.deaths = 0

    def _mortal(self, store: Any) -> MortalStore:
        self.store = MortalStore(store)
        return self.store

    async def _answer(self, _: str, __: str) -> None:
        if sum(self.bench.literature.asked.values()) == self.kill_at_answer:
            self.store.kill()

    async def play(self) -> dict[str, str]:
        """The documents that a scan ends with."""
        call = self.player.call

        async def again(name: str, arguments: Any) -> Any:
            try:
                return await call(name, arguments)
            except Killed:
                self.deaths += 1
                self.bench.scans = self.bench.opened()
                await self.bench.time.pass_by(LEASE_S)
                return await again(name, arguments)

        self.player.call = again  # type: ignore[method-assign]
        await self.player.play()
        return {name: (await self.bench.scans.artifact(SCAN_ID, name, ANN)).text for name in EVIDENCE}


async def undisturbed() -> tuple[dict[str, str], int, int]:
    """The documents, and how many commits (each with its before and after) and answers there were."""
    mortal = Mortal()
    documents = await mortal.play()
    return documents, mortal.store.commits, sum(mortal.bench.literature.asked.values())


# scan A66, R9
async def test_a_kill_around_a_commit_ends_in_the_same_evidence() -> None:
    documents, commits, _ = await undisturbed()
    assert commits > 20
    for number in range(0, commits, 3):
        mortal = Mortal(kill_at_commit=number)
        assert (await mortal.play(), mortal.deaths) == (documents, 1), f"killed at {number}"


# scan A66, R9
async def test_a_kill_at_an_answer_ends_in_the_same_evidence() -> None:
    documents, _, answers = await undisturbed()
    assert answers > 20
    for number in range(1, answers + 1, 4):
        mortal = Mortal(kill_at_answer=number)
        assert (await mortal.play(), mortal.deaths) == (documents, 1), f"killed at {number}"


# scan A63
async def test_a_second_run_gives_the_same_bytes() -> None:
    first, _, _ = await undisturbed()
    second, _, _ = await undisturbed()
    assert first == second


# scan A67
async def test_an_owed_scan_of_a_dead_process_is_taken_up_within_75_seconds() -> None:
    mortal = Mortal(kill_at_answer=3)
    with pytest.raises(Killed):
        await mortal.player.call("start", mortal.player.arguments)
    looking = asyncio.ensure_future(mortal.bench.opened().run())
    await mortal.bench.time.pass_by(75)
    snapshot = await mortal.bench.store.load(scan_key(ANN.scope, SCAN_ID))
    assert snapshot is not None
    assert (snapshot.stored.step, snapshot.is_leased) == ("screen-q", False)
    looking.cancel()
    await asyncio.wait([looking])
