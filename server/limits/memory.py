"""Windows in this process: a bounded storage class of the `limits` library, least recently used out first.

The library's own sweeps over all its keys at every hit, from a thread; here what has left a window is dropped when the
window is next looked at, and identities beyond the bound are forgotten.
"""

from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import TypeAlias

from limits.storage.base import MovingWindowSupport, Storage

from core.clock import Clock, SystemClock
from server.limits.budgets import DAY_S, MINUTE_S, Window
from server.limits.windows import ROUNDING_S, Draw, WindowState

MAX_IDENTITIES = 10_000

_MOVING = "moving"
_FIXED = "fixed"

Entries: TypeAlias = "array[float]"


class BoundedMemory(Storage, MovingWindowSupport):
    """What each identity has out, by window: the times of its tokens, or for a fixed window its end and a count."""

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012, the library's own form

    def __init__(
        self,
        uri: str | None = None,
        wrap_exceptions: bool = False,
        *,
        clock: Clock | None = None,
        max_identities: int = MAX_IDENTITIES,
        **_: float | str | bool,
    ) -> None:
        super().__init__(uri, wrap_exceptions)
        self._clock = clock or SystemClock()
        self._max_identities = max_identities
        self._kept: OrderedDict[Hashable, dict[str, Entries]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def windows_of(self, identity: Hashable) -> dict[str, Entries]:
        """The windows of an identity, which is now the most recently used."""
        windows = self._kept.get(identity)
        if windows is not None:
            self._kept.move_to_end(identity)
            return windows
        windows = self._kept[identity] = {}
        if len(self._kept) > self._max_identities:
            self._kept.popitem(last=False)
        return windows

    # What the library asks of a storage. Its strategies count in seconds since the epoch.

    @property
    def base_exceptions(self) -> type[Exception] | tuple[type[Exception], ...]:
        """Nothing here fails."""
        return ()

    def acquire_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        """Takes `amount` tokens of a moving window, all or none."""
        now_s = self._clock.monotonic_s()
        entries = within(self.windows_of(key), _MOVING, now_s, expiry)
        if len(entries) + amount > limit:
            return False
        entries.extend([now_s] * amount)
        return True

    def get_moving_window(self, key: str, limit: int, expiry: int) -> tuple[float, int]:
        """When the oldest token of a moving window was taken, or now, and how many are out."""
        now_s = self._clock.monotonic_s()
        entries = within(self.windows_of(key), _MOVING, now_s, expiry)
        age_s = now_s - entries[0] if entries else 0.0
        return self._clock.now_s() - age_s, len(entries)

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        """Adds to a fixed window, which ends `expiry` seconds after its first token; the count."""
        counter = counter_of(self.windows_of(key), _FIXED, self._clock.monotonic_s(), expiry)
        counter[1] += amount
        return int(counter[1])

    def get(self, key: str) -> int:
        """The count of a fixed window."""
        counter = self._kept.get(key, {}).get(_FIXED)
        return 0 if counter is None or counter[0] <= self._clock.monotonic_s() else int(counter[1])

    def get_expiry(self, key: str) -> float:
        """When a fixed window ends, or now."""
        counter = self._kept.get(key, {}).get(_FIXED)
        left_s = 0.0 if counter is None else max(counter[0] - self._clock.monotonic_s(), 0.0)
        return self._clock.now_s() + left_s

    def check(self) -> bool:
        """Memory is always there."""
        return True

    def reset(self) -> int | None:
        """Forgets everybody; how many that were."""
        count = len(self._kept)
        self._kept.clear()
        return count

    def clear(self, key: str) -> None:
        """Forgets one key."""
        self._kept.pop(key, None)


def within(windows: dict[str, Entries], name: str, now_s: float, span_s: float) -> Entries:
    """The tokens of a moving window that are out, oldest first; one counts for exactly `span_s`."""
    entries = windows.get(name)
    if entries is None:
        entries = windows[name] = array("d")
    elif entries and entries[0] <= (floor_s := now_s - span_s + ROUNDING_S):
        del entries[: bisect_right(entries, floor_s)]
    return entries


def counter_of(windows: dict[str, Entries], name: str, now_s: float, span_s: float) -> Entries:
    """The end and the count of a fixed window; a new one where there is none or its end has come."""
    counter = windows.get(name)
    if counter is None or counter[0] <= now_s:
        counter = windows[name] = array("d", (now_s + span_s, 0))
    return counter


class MemoryWindows:
    """`Windows` over this process's memory: nothing waits, so nothing comes between a look and a taking."""

    is_down = False
    errors = 0

    def __init__(self, clock: Clock, *, max_identities: int = MAX_IDENTITIES) -> None:
        self.storage = BoundedMemory(clock=clock, max_identities=max_identities)
        self._clock = clock

    @property
    def identities(self) -> int:
        """How many identities are remembered."""
        return len(self.storage)

    async def look(self, digest: bytes, draw: Draw) -> WindowState:
        """A window of an identity, untouched."""
        windows = self.storage.windows_of(digest)
        now_s = self._clock.monotonic_s()
        if draw.window.is_daily:
            return _daily_state(counter_of(windows, draw.window.name, now_s, self._left_of_day_s()), draw.limit, now_s)
        return _state(within(windows, draw.window.name, now_s, MINUTE_S), draw.limit, now_s, draw.amount)

    async def take(self, digest: bytes, draws: Sequence[Draw]) -> tuple[bool, list[WindowState]]:
        """What is drawn of each sliding window, all or none."""
        windows = self.storage.windows_of(digest)
        now_s = self._clock.monotonic_s()
        if len(draws) == 1:
            ((window, limit, amount),) = draws
            entries = within(windows, window.name, now_s, MINUTE_S)
            is_free = len(entries) + amount <= limit
            if is_free and amount == 1:
                entries.append(now_s)
            elif is_free:
                entries.extend([now_s] * amount)
            return is_free, [_state(entries, limit, now_s, 1 if is_free else amount)]
        drawn = [(within(windows, window.name, now_s, MINUTE_S), limit, amount) for window, limit, amount in draws]
        is_free = all(len(entries) + amount <= limit for entries, limit, amount in drawn)
        if is_free:
            for entries, _, amount in drawn:
                entries.extend([now_s] * amount)
        return is_free, [_state(entries, limit, now_s, 1 if is_free else amount) for entries, limit, amount in drawn]

    async def record(self, digest: bytes, window: Window) -> None:
        """A token that is owed whatever the limit."""
        windows = self.storage.windows_of(digest)
        now_s = self._clock.monotonic_s()
        if window.is_daily:
            counter_of(windows, window.name, now_s, self._left_of_day_s())[1] += 1
        else:
            within(windows, window.name, now_s, MINUTE_S).append(now_s)

    def _left_of_day_s(self) -> float:
        return DAY_S - self._clock.now_s() % DAY_S


def _state(entries: Entries, limit: int, now_s: float, amount: int) -> WindowState:
    counted = len(entries)
    reset_s = entries[0] + MINUTE_S - now_s if counted else 0.0
    # How many have to come back before there is room, the oldest first.
    lacking = counted + amount - limit
    if lacking <= 0:
        return WindowState(counted, reset_s)
    return WindowState(counted, reset_s, entries[lacking - 1] + MINUTE_S - now_s if amount <= limit else MINUTE_S)


def _daily_state(counter: Entries, limit: int, now_s: float) -> WindowState:
    ends_in_s, counted = counter[0] - now_s, int(counter[1])
    return WindowState(counted, ends_in_s if counted else 0.0, ends_in_s if counted >= limit else 0.0)
