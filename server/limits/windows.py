"""What a store of windows answers: looks without taking, takings of all or none, and what is left afterwards."""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from server.limits.budgets import WINDOWS, Window

ROUNDING_S = 1e-6
"""Below this, a difference of two readings of a clock is the rounding of its numbers."""


class Draw(NamedTuple):
    """`amount` tokens of one window, of which a caller has `limit`."""

    window: Window
    limit: int
    amount: int = 1

    def of(self, cost: int) -> "Draw":
        """The same for a call of this cost: never more than the whole window, so that no call waits for ever."""
        amount = max(1, min(cost, self.limit))
        return self if amount == self.amount else Draw(self.window, self.limit, amount)


@lru_cache
def draw_of(window: str, limit: int) -> Draw:
    """A token of the window of that name."""
    return Draw(WINDOWS[window], limit)


class WindowState(NamedTuple):
    """A window as it is: `counted` tokens are out.

    The oldest is back in `reset_s` seconds, 0 when none is out. There is room for what was drawn, after a taking for
    one more, in `frees_s`, 0 when there is now; with a limit of 0, that is after a whole window.
    """

    counted: int
    reset_s: float = 0.0
    frees_s: float = 0.0


class Windows(Protocol):
    """Where windows are kept. Every answer is None while the store is down."""

    @property
    def is_down(self) -> bool:
        """Whether the windows stand open because the store did not answer."""
        ...

    @property
    def errors(self) -> int:
        """How many questions the store failed to answer so far."""
        ...

    @property
    def identities(self) -> int:
        """How many identities this process remembers."""
        ...

    async def look(self, digest: bytes, draw: Draw) -> WindowState | None:
        """A window of an identity, untouched."""
        ...

    async def take(self, digest: bytes, draws: Sequence[Draw]) -> tuple[bool, list[WindowState]] | None:
        """What is drawn of each sliding window, all or none; whether it was taken, and the windows after it."""
        ...

    async def record(self, digest: bytes, window: Window) -> None:
        """A token that is owed whatever the limit."""
        ...


def whole_seconds(span_s: float) -> int:
    """Rounded up; the rounding of a clock's numbers makes no further second."""
    return math.ceil(span_s - ROUNDING_S)
