"""All tiers of one catalog's memory, and how misses are remembered among them (catalog contract 15)."""

from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from core.cache import Counters
from core.catalog.cached.noted import NotedCache
from core.catalog.cached.tiers import TIERS, TierName
from core.catalog.notices import collecting, notice
from core.clock import Clock
from core.errors import Entry, NoFullText, NotFound

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class _Miss:
    """A failure that said "not here", kept as values: a kept exception would keep the frames it was raised through."""

    is_text: bool
    message: str
    suggestions: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, error: NotFound | NoFullText) -> "_Miss":
        if isinstance(error, NotFound):
            return cls(False, error.message, error.suggestions)
        return cls(True, error.message)

    def failure(self) -> NotFound | NoFullText:
        return NoFullText(self.message) if self.is_text else NotFound(self.message, suggestions=self.suggestions)


class Memory:
    """Remembers answers by tier; what is not there is remembered in the negative tier, for its shorter time.

    A miss ends the answer that was remembered before it: what is known to be gone stands in for nothing. Keys of all
    tiers are of one space: an operation's name first, then its parameters as `keys` folds them.
    """

    def __init__(self, clock: Clock) -> None:
        # Merged leaderboards are remembered where they are merged (core.catalog.leaderboards).
        self._tiers: dict[TierName, NotedCache[Any]] = {
            name: NotedCache(tier, clock) for name, tier in TIERS.items() if name is not TierName.LEADERBOARD
        }
        self._misses = self._tiers[TierName.NEGATIVE]

    def tier(self, name: TierName) -> NotedCache[Any]:
        """One tier by itself."""
        return self._tiers[name]

    async def recall(
        self,
        tier: TierName,
        key: Hashable,
        load: Callable[[], Awaitable[V]],
        *,
        what: str,
        is_miss: Callable[[V], bool] | None = None,
        keep_as: Callable[[V], Hashable] | None = None,
    ) -> V:
        """What is remembered under `key`, else what `load` returns.

        `NotFound` and `NoFullText` are remembered as misses, and so are values for which `is_miss` holds. `keep_as`
        gives the key to keep a loaded value under where only the value tells.
        """
        missed = self._misses.peek(key)
        if missed is not None:
            again: V = _again(missed[0])
            return again
        held = self._tiers[tier]

        async def read() -> V:
            with collecting() as said:
                try:
                    value = await load()
                except (NotFound, NoFullText) as error:
                    self._misses.put(key, _Miss.of(error))
                    raise
            for sentence in said:
                notice(sentence)
            if is_miss is not None and is_miss(value):
                self._misses.put(key, value, tuple(said))
            return value

        def kept_key(value: V) -> Hashable | None:
            if is_miss is not None and is_miss(value):
                return None
            return key if keep_as is None else keep_as(value)

        found: V = await held.get(key, read, what=what, keep_as=kept_key)
        return found

    def counters(self) -> Mapping[str, Counters]:
        """What each tier has done and holds, by its name."""
        return {name.value: tier.counters() for name, tier in self._tiers.items()}


def _again(remembered: Any) -> Any:
    if isinstance(remembered, _Miss):
        raise remembered.failure()
    return remembered
