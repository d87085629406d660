"""What one caller may have under way at a time, whatever it asks for (references contract 5.5)."""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from core.clock import Clock

IN_FLIGHT = 5
STARTS = 5
WINDOW_S = 1.0

_RECORDS_KEPT = 1_000
_ROUNDING_S = 1e-6


@dataclass(slots=True)
class _Record:
    slots: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(IN_FLIGHT))
    # Whoever holds it is the next to start; the others of the caller wait behind in the order they came.
    door: anyio.Lock = field(default_factory=anyio.Lock)
    starts: deque[float] = field(default_factory=deque)
    present: int = 0


class Callers:
    """Slots and a rolling window for each caller, an opaque token; of one process."""

    def __init__(self, clock: Clock, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._clock = clock
        self._sleep = sleep
        self._records: dict[str, _Record] = {}

    def __len__(self) -> int:
        return len(self._records)

    @asynccontextmanager
    async def turn(self, caller: str) -> AsyncIterator[None]:
        """Waits for a slot, then for room in the window; the slot is held until the block ends."""
        record = self._record(caller)
        record.present += 1
        try:
            async with record.slots:
                async with record.door:
                    await self._window(record)
                yield
        finally:
            record.present -= 1

    async def _window(self, record: _Record) -> None:
        while len(record.starts) >= STARTS:
            free_s = record.starts[0] + WINDOW_S - self._clock.monotonic_s()
            if free_s <= _ROUNDING_S:
                record.starts.popleft()
            else:
                await self._sleep(free_s)
        record.starts.append(self._clock.monotonic_s())

    def _record(self, caller: str) -> _Record:
        record = self._records.get(caller)
        if record is None:
            if len(self._records) >= _RECORDS_KEPT:
                self._forget_idle()
            record = self._records[caller] = _Record()
        return record

    def _forget_idle(self) -> None:
        old_s = self._clock.monotonic_s() - WINDOW_S
        self._records = {
            caller: record
            for caller, record in self._records.items()
            if record.present or (record.starts and record.starts[-1] > old_s)
        }
