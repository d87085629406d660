"""One tier of memory whose entries keep what was said while they were read, and that says when it stands in."""

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.cache import Counters, Sized, Tier, TierCache
from core.catalog.cached.sizes import size_of
from core.catalog.notices import collecting, notice
from core.clock import Clock

V = TypeVar("V")

_ENTRY_BYTES = 500
"""What an entry takes beside its key and value: the records around it and its places in two ordered tables."""


@dataclass(frozen=True, slots=True)
class _Noted(Generic[V]):
    value: V
    notices: tuple[str, ...]


class NotedCache(Generic[V]):
    """A tier for one event loop; see `core.cache.TierCache` for sharing, bounds and standing in.

    Notices of a load belong to its value: everyone who is answered with the value hears them again.
    """

    def __init__(self, tier: Tier, clock: Clock, value_bytes: Callable[[V], int] = size_of) -> None:
        self.tier = tier
        self._value_bytes = value_bytes
        self._cache: TierCache[_Noted[V]] = TierCache(tier, clock, lambda noted: value_bytes(noted.value))

    async def get(
        self,
        key: Hashable,
        load: Callable[[], Awaitable[V]],
        *,
        what: str,
        keep_as: Callable[[V], Hashable | None] | None = None,
    ) -> V:
        """The fresh value of `key`, else what `load` returns, else one that stands in: then a notice names `what`."""

        async def read() -> Sized[_Noted[V]]:
            with collecting() as said:
                value = await load()
            return Sized(_Noted(value, tuple(said)), self._entry_bytes(key, value, said))

        keep = None if keep_as is None else lambda noted: keep_as(noted.value)
        answer = await self._cache.get(key, read, keep_as=keep)
        if answer.stale_age_s is not None:
            notice(f"The catalog is not answering; {what} is from memory, at least {_age(answer.stale_age_s)} old.")
        return _heard(answer.value)

    def peek(self, key: Hashable) -> tuple[V] | None:
        """The fresh value of `key` as a tuple of one, if there is one."""
        answer = self._cache.peek(key)
        return None if answer is None else (_heard(answer.value),)

    def put(self, key: Hashable, value: V, notices: tuple[str, ...] = ()) -> None:
        """Keeps a value, and what was said while it was read, as of now."""
        self._cache.put(key, Sized(_Noted(value, notices), self._entry_bytes(key, value, notices)))

    def forget(self, key: Hashable) -> None:
        """Drops the entry of `key`, if any."""
        self._cache.forget(key)

    def counters(self) -> Counters:
        """A snapshot for metrics."""
        return self._cache.counters()

    def _entry_bytes(self, key: Hashable, value: V, said: object) -> int:
        return _ENTRY_BYTES + size_of(key) + self._value_bytes(value) + size_of(said)


def _heard(noted: _Noted[V]) -> V:
    for sentence in noted.notices:
        notice(sentence)
    return noted.value


def _age(age_s: float) -> str:
    """An age in whole units, rounded down."""
    for unit, unit_s in (("hour", 3600), ("minute", 60)):
        if age_s >= 2 * unit_s:
            return f"{int(age_s // unit_s)} {unit}s"
    return f"{int(age_s)} seconds"
