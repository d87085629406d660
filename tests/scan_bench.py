"""Scans over a store in memory and a known literature, in time that passes only when something waits for it."""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from core.clock import ManualClock
from core.scan.answers.envelope import Envelope
from core.scan.engine.configuration import EngineSettings
from core.scan.engine.service import Scans
from core.scan.engine.who import Who
from core.scan.stores.blobs import Blobs
from core.scan.stores.memory import MemoryShelf
from core.scan.stores.port import ScanStore
from core.scan.stores.sealed import SealedStore
from tests.core.scan.sent import SCAN_ID, sent_entry, sent_score, sent_start
from tests.scan_world import World, WorldLiterature, small_world
from tests.virtual_time import VirtualTime

T = TypeVar("T")
NOW_S = 1_787_200_000.0
"""2026-08-20 UTC."""
ANN = Who("anonymous", "a" * 64, is_key=False, open_max=5, jobs_max=2)
QUERIES = tuple(f"Q{number}" for number in range(1, 7))
STEPS_MAX = 400


class Bench:
    """One store; `scans` is the process of the moment, and `reopened` one that comes after it died."""

    def __init__(
        self,
        literature: WorldLiterature | None = None,
        settings: EngineSettings | None = None,
        wrapped: Callable[[ScanStore], Any] = lambda store: store,
    ) -> None:
        self.time = VirtualTime(NOW_S)
        self.literature = literature or WorldLiterature(small_world(QUERIES), ("catalog", "s2"))
        self.settings = settings or EngineSettings()
        self.shelf = MemoryShelf(self.time.clock)
        self.store: ScanStore = SealedStore(self.shelf, Blobs(()))
        self.scans = self.opened(wrapped(self.store))

    @property
    def clock(self) -> ManualClock:
        """The time of everything."""
        return self.time.clock

    def opened(self, store: ScanStore | None = None) -> Scans:
        """Another process over the same store."""
        return Scans(
            store or self.store, self.literature, self.clock, self.settings, version="1.0", sleep=self.time.sleep
        )

    async def done(self, work: Coroutine[Any, Any, T], *, within_s: float = 600.0) -> T:
        """What the work gives; time passes whenever nothing else happens."""
        task = asyncio.ensure_future(work)
        ends_s = self.clock.monotonic_s() + within_s
        await self.time.settle()
        while not task.done() and self.clock.monotonic_s() < ends_s:
            await self.time.pass_by(0.25)
        assert task.done(), "it takes too long"
        return task.result()


class Killed(BaseException):
    """The process ends here."""


class MortalStore:
    """A store as one process sees it: `kill_at` counts its commits, before and after each; then nothing answers."""

    def __init__(self, store: ScanStore) -> None:
        self._store = store
        self.is_dead = False
        self.commits = 0
        self.kill_at: int | None = None

    def __getattr__(self, name: str) -> Any:
        async def asked(*arguments: Any, **options: Any) -> Any:
            self._live()
            if name not in ("create", "commit"):
                return await getattr(self._store, name)(*arguments, **options)
            self._count()
            kept = await getattr(self._store, name)(*arguments, **options)
            self._count()
            return kept

        return asked

    def kill(self) -> None:
        """Ends the process."""
        self.is_dead = True
        self._live()

    def _live(self) -> None:
        if self.is_dead:
            raise Killed

    def _count(self) -> None:
        if self.commits == self.kill_at:
            self.kill()
        self.commits += 1


class Player:
    """A client that follows `next_action` and `recovery`; what it judges follows from what it is shown."""

    def __init__(self, bench: Bench, who: Who = ANN, **changes: Any) -> None:
        self.bench = bench
        self.who = who
        self.arguments = sent_start(**changes)
        self.scan_id = self.arguments["scan_id"]
        self.said: list[Envelope] = []
        self.batches: list[str] = []
        self.score_of: Callable[[Mapping[str, Any]], int] = judged
        self.gap_queries: list[dict[str, Any]] = []

    async def play(self) -> Envelope:
        """The finished scan's envelope."""
        answer = await self.call("start", self.arguments)
        for _ in range(STEPS_MAX):
            if answer.phase == "complete":
                return answer
            answer = await self.step(answer)
        raise AssertionError(f"it does not end: {answer.json()}")

    async def step(self, answer: Envelope) -> Envelope:
        """The call that an answer asks for."""
        if answer.status == "ok":
            return await self._act(answer)
        recovery = answer.payload["recovery"]
        if recovery in ("wait", "retry_same_call"):
            await self.bench.time.pass_by(answer.payload["retry_after_ms"] / 1000)
        if recovery == "wait":
            return await self.call("result", {})
        if answer.phase == "unknown":
            return await self.call("start", self.arguments)
        return await self.call("proceed", {})

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Envelope:
        """One call of this client's scan."""
        sent = {"scan_id": self.scan_id, **arguments}
        answer = await self.bench.done(getattr(self.bench.scans, name)(sent, self.who))
        self.said.append(answer)
        return answer

    async def _act(self, answer: Envelope) -> Envelope:
        match answer.next_action:
            case "screen_candidates":
                batch = answer.payload["screen_batch"]
                self.batches.append(batch["batch"])
                return await self.call("proceed", {"screen_scores": self.scores(batch)})
            case "write_gap_queries":
                return await self.call("proceed", {"gap_queries": self.gap_queries})
            case "rank_shortlist":
                records = answer.payload["shortlist_records"]
                return await self.call("proceed", {"ranked_entries": [self.entry(each) for each in records]})
            case _:
                return await self.call("verify", {})

    def scores(self, batch: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The scores of a batch."""
        return [
            sent_score(each["cid"], score, criteria_hit=[f"c{score}"] if score >= 2 else [])
            for each in batch["items"]
            for score in (self.score_of(each),)
        ]

    def entry(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of a record."""
        return sent_entry(record["cid"], overall=record["score"])


def judged(item: Mapping[str, Any]) -> int:
    """A score that follows from the title."""
    return hashlib.sha256(item["title"].encode()).digest()[0] % 4


def scan_id(number: int) -> str:
    """The id of one of many scans."""
    return f"{number:08x}-0000-4000-8000-000000000000"


__all__ = ["ANN", "NOW_S", "QUERIES", "SCAN_ID", "Bench", "Player", "World", "judged", "scan_id"]
