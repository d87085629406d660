"""Time that passes only when a test says so, for code that waits in several tasks at once."""

import heapq
import itertools
from collections.abc import Callable

import anyio
import anyio.lowlevel

from core.clock import ManualClock

_ROUNDS = 50
"""More turns of the event loop than any chain of tasks that wake each other is long."""


class VirtualTime:
    """A clock and a sleep over one time; whoever sleeps wakes in the order of their times while it passes."""

    def __init__(self, now_s: float = 1_700_000_000.0) -> None:
        self.clock = ManualClock(now_s)
        self._sleepers: list[tuple[float, int, anyio.Event]] = []
        self._numbers = itertools.count()

    async def sleep(self, seconds: float) -> None:
        """Waits until so much has passed."""
        awake = anyio.Event()
        heapq.heappush(self._sleepers, (self.clock.monotonic_s() + seconds, next(self._numbers), awake))
        await awake.wait()

    async def settle(self) -> None:
        """Lets every task go as far as it can without time passing; nothing here waits for the network."""
        for _ in range(_ROUNDS):
            await anyio.lowlevel.checkpoint()

    async def pass_by(self, seconds: float) -> None:
        """Lets time pass, from sleeper to sleeper, and each task do what its time brings."""
        until_s = self.clock.monotonic_s() + seconds
        await self.settle()
        while self._sleepers and self._sleepers[0][0] <= until_s:
            at_s, _, awake = heapq.heappop(self._sleepers)
            self.clock.advance(max(at_s - self.clock.monotonic_s(), 0.0))
            awake.set()
            await self.settle()
        self.clock.advance(until_s - self.clock.monotonic_s())
        await self.settle()


class InstantTime:
    """A clock whose sleep takes no time at all, for code that waits in one task; `slept` are the waits."""

    def __init__(self, now_s: float = 1_700_000_000.0) -> None:
        self.clock = ManualClock(now_s)
        self.slept: list[float] = []
        self.meanwhile: Callable[[], None] = lambda: None

    async def sleep(self, seconds: float) -> None:
        """Time jumps on; what happens `meanwhile` happens before."""
        self.slept.append(round(seconds, 3))
        self.meanwhile()
        self.clock.advance(seconds)
        await anyio.lowlevel.checkpoint()
