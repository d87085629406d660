"""How one stage asks live sources: one request of a source at a time, with patience, and never in vain (10.8).

Since the lanes of a source wait in one queue, a scan keeps at most one request waiting in each.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import anyio

from core.clock import Clock
from core.deadline import current_deadline
from core.errors import NotFound, PaperdeskError, SourceCooling, SourceQueueFull, SourceRateLimited, SourceWaiting
from core.scan.vocabulary import SourceName

T = TypeVar("T")

Sleep = Callable[[float], Awaitable[None]]
Failing = Literal["failed", "paced_out"]
Asked = SourceName | Literal["doi-ra"]

ASK_AGAIN_S = 1.0
"""The wait before a request that was declined without an estimate."""


@dataclass(frozen=True, slots=True)
class Got(Generic[T]):
    """What became of a request: its answer; nothing, since the source has none; or a failure, with its reason."""

    value: T | None = None
    failure: Failing | None = None

    @property
    def is_absent(self) -> bool:
        """Whether the source said that it has none."""
        return self.value is None and self.failure is None


class Asking:
    """The requests of one stage. What a source was given up for holds until the stage ends."""

    def __init__(self, clock: Clock, sleep: Sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._lanes: dict[str, anyio.Lock] = {}
        self._given_up: dict[str, Failing] = {}
        self._cooled: set[str] = set()
        self.asked: dict[str, int] = {}
        self.failed: dict[str, int] = {}

    async def ask(self, source: Asked, call: Callable[[], Awaitable[T | None]]) -> Got[T]:
        """The answer, when the source's turn has come; nothing is raised for a source that fails."""
        self.asked[source] = self.asked.get(source, 0) + 1
        async with self._lanes.setdefault(source, anyio.Lock()):
            got = await self._tried(source, call)
        if got.failure is not None:
            self.failed[source] = self.failed.get(source, 0) + 1
        return got

    def answered(self, source: Asked) -> bool:
        """Whether a source answered anything, if only that it has none."""
        return self.asked.get(source, 0) > self.failed.get(source, 0)

    async def _tried(self, source: Asked, call: Callable[[], Awaitable[T | None]]) -> Got[T]:
        while True:
            left_s = self._left_s()
            if left_s <= 0:
                self._given_up.setdefault(source, "paced_out")
            if source in self._given_up:
                return Got(failure=self._given_up[source])
            try:
                value: T | None = await call()
            except NotFound:
                self._cooled.discard(source)
                return Got()
            except SourceWaiting as failure:
                wait_s = self._patience_s(source, failure, left_s)
                if wait_s is None:
                    return Got(failure=self._given_up.get(source, "failed"))
                await self._sleep(wait_s)
            except PaperdeskError:
                return Got(failure="failed")
            else:
                self._cooled.discard(source)
                return Got(value)

    def _patience_s(self, source: Asked, failure: SourceWaiting, left_s: float) -> float | None:
        """How long to wait before the same request is begun again; None where it has failed."""
        wait_s = failure.retry_after_s
        is_declined = isinstance(failure, SourceQueueFull | SourceCooling)
        is_arxiv_throttling = source == "arxiv" and isinstance(failure, SourceRateLimited) and not is_declined
        if is_arxiv_throttling or (wait_s is not None and wait_s > left_s):
            self._given_up[source] = "paced_out"
            return None
        if is_declined:
            if isinstance(failure, SourceCooling):
                self._cooled.add(source)
            return max(ASK_AGAIN_S, wait_s or 0.0)
        if source in self._cooled:
            # It was left alone as long as it needed, and fails as before: the next wait would be twice as long.
            self._given_up[source] = "paced_out"
        return None

    def _left_s(self) -> float:
        ends = current_deadline()
        return float("inf") if ends is None else ends.left_s()


async def gathered(jobs: "list[Callable[[], Awaitable[Any]]]") -> list[Any]:
    """The results of jobs that run at one time, in the order of the jobs."""
    found: list[Any] = [None] * len(jobs)

    async def run(place: int) -> None:
        found[place] = await jobs[place]()

    async with anyio.create_task_group() as tasks:
        for place in range(len(jobs)):
            tasks.start_soon(run, place)
    return found
