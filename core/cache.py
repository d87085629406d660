"""A bounded in-memory cache in tiers: single-flight loading, stale answers during failures, time from a clock."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cachetools import LRUCache

from core.clock import Clock
from core.errors import NotFound, SourceRateLimited, SourceTimeout, SourceUnreachable

V = TypeVar("V")

# Failures that may pass by themselves; any other failure is an answer about the thing asked for.
_PASSING_FAILURES = (SourceTimeout, SourceRateLimited, SourceUnreachable)


@dataclass(frozen=True, slots=True)
class Tier:
    """Bounds of one tier. `fresh_s` None never expires; for `stale_s` more an entry may stand in for a failed load."""

    name: str
    fresh_s: float | None
    max_entries: int
    max_bytes: int
    stale_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Sized(Generic[V]):
    """What a loader returns when it knows the size of its value better than the cache's `size_of`."""

    value: V
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Answer(Generic[V]):
    """A value from the cache or its loader; `stale_age_s` is its whole age if it stands in for a failed load."""

    value: V
    stale_age_s: float | None = None

    @property
    def is_stale(self) -> bool:
        """Whether the value stands in for a load that failed."""
        return self.stale_age_s is not None


@dataclass(frozen=True, slots=True)
class Counters:
    """What a tier has done and what it holds. `misses` counts loads, `joined` those who waited on another's load."""

    hits: int
    misses: int
    joined: int
    stale: int
    evictions: int
    entries: int
    bytes: int


@dataclass(frozen=True, slots=True)
class _Entry(Generic[V]):
    value: V
    size_bytes: int
    stored_at_s: float


class _Shelf(LRUCache[Hashable, _Entry[V]]):
    """Entries bounded by bytes through cachetools and by number here; counts what it pushes out."""

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        super().__init__(max_bytes, getsizeof=lambda entry: entry.size_bytes)
        self._max_entries = max_entries
        self.evictions = 0

    def __setitem__(self, key: Hashable, entry: _Entry[V]) -> None:
        if key not in self and len(self) >= self._max_entries:
            self.popitem()
        super().__setitem__(key, entry)

    def popitem(self) -> tuple[Hashable, _Entry[V]]:
        self.evictions += 1
        return super().popitem()


class _Flight(Generic[V]):
    """A load under way and the number of callers that wait for it."""

    def __init__(self, task: asyncio.Task[Answer[V]]) -> None:
        self.task = task
        self.waiters = 0


def is_passing(failure: Exception) -> bool:
    """Whether a failure may pass by itself."""
    return isinstance(failure, _PASSING_FAILURES)


class TierCache(Generic[V]):
    """One tier for one event loop. `size_of` gives the bytes of a value; a loader may return `Sized` instead.

    `stands_in` says for which failures of a load an old entry may stand in.
    """

    def __init__(
        self,
        tier: Tier,
        clock: Clock,
        size_of: Callable[[V], int],
        *,
        stands_in: Callable[[Exception], bool] = is_passing,
    ) -> None:
        self.tier = tier
        self._stands_in = stands_in
        self._clock = clock
        self._size_of = size_of
        self._shelf: _Shelf[V] = _Shelf(tier.max_entries, tier.max_bytes)
        self._flights: dict[Hashable, _Flight[V]] = {}
        self._hits = self._misses = self._joined = self._stale = 0

    async def get(
        self,
        key: Hashable,
        load: Callable[[], Awaitable[V | Sized[V]]],
        *,
        keep_as: Callable[[V], Hashable | None] | None = None,
    ) -> Answer[V]:
        """The fresh value of `key`, else what `load` returns; concurrent equal misses share one load.

        A caller that is cancelled leaves the load to the others; the last one to leave ends it. A failure is raised to
        all who wait and not remembered, unless an entry within `stale_s` can stand in for it; `NotFound` ends an entry.
        `keep_as` gives the key to keep a loaded value under where only the value tells, or None to keep nothing.
        """
        held = self.peek(key)
        if held is not None:
            return held
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = self._flights[key] = _Flight(asyncio.create_task(self._load(key, load, keep_as)))
            self._misses += 1
        else:
            self._joined += 1
        flight.waiters += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiters -= 1
            if not flight.waiters:
                self._land(key, flight)

    def peek(self, key: Hashable) -> Answer[V] | None:
        """The fresh answer for `key`, if there is one (its value may be None); counts as a hit."""
        entry = self._shelf.get(key)
        if entry is None or not self._is_fresh(entry):
            return None
        self._hits += 1
        return Answer(entry.value)

    def put(self, key: Hashable, value: V | Sized[V]) -> None:
        """Keeps a value as of now, unless it is over a quarter of the tier's bytes."""
        if isinstance(value, Sized):
            entry = _Entry(value.value, value.size_bytes, self._clock.monotonic_s())
        else:
            entry = _Entry(value, self._size_of(value), self._clock.monotonic_s())
        self._shelf.pop(key, None)
        if entry.size_bytes * 4 <= self.tier.max_bytes:
            self._shelf[key] = entry

    def forget(self, key: Hashable) -> None:
        """Drops the entry of `key`, if any."""
        self._shelf.pop(key, None)

    def counters(self) -> Counters:
        """A snapshot for metrics."""
        return Counters(
            hits=self._hits,
            misses=self._misses,
            joined=self._joined,
            stale=self._stale,
            evictions=self._shelf.evictions,
            entries=len(self._shelf),
            bytes=int(self._shelf.currsize),
        )

    async def _load(
        self,
        key: Hashable,
        load: Callable[[], Awaitable[V | Sized[V]]],
        keep_as: Callable[[V], Hashable | None] | None,
    ) -> Answer[V]:
        try:
            loaded = await load()
        except NotFound:
            # What is known to be gone stands in for nothing later on.
            self.forget(key)
            raise
        except Exception as failure:
            stand_in = self._stand_in(key) if self._stands_in(failure) else None
            if stand_in is None:
                raise
            return stand_in
        value = loaded.value if isinstance(loaded, Sized) else loaded
        kept_key = key if keep_as is None else keep_as(value)
        if kept_key is None:
            self.forget(key)
        else:
            self.put(kept_key, loaded)
        return Answer(value)

    def _land(self, key: Hashable, flight: _Flight[V]) -> None:
        # Removed by identity: a later caller may have started a new flight under the same key by now.
        if self._flights.get(key) is flight:
            del self._flights[key]
        flight.task.cancel()

    def _stand_in(self, key: Hashable) -> Answer[V] | None:
        entry = self._shelf.get(key)
        if entry is None or self.tier.fresh_s is None:
            return None
        age_s = self._clock.monotonic_s() - entry.stored_at_s
        if age_s >= self.tier.fresh_s + self.tier.stale_s:
            return None
        self._stale += 1
        return Answer(entry.value, age_s)

    def _is_fresh(self, entry: _Entry[V]) -> bool:
        return self.tier.fresh_s is None or self._clock.monotonic_s() - entry.stored_at_s < self.tier.fresh_s
