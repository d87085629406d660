"""A recorded run as one conversation with the engine, whose process may die on its way (scan contract 12, R8, R9)."""

from typing import Any

from core.scan.engine.configuration import LEASE_S
from core.scan.replay.loader import RecordedRun
from tests.core.scan.sent import SCAN_ID
from tests.recorded_world import RecordedPlayer, recorded_world
from tests.scan_bench import ANN, Bench, Killed, MortalStore
from tests.scan_world import WorldLiterature

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
