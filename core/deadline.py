"""One deadline for everything that a call does, and how many requests it may have under way at a time.

Set where the call begins, read where something is awaited.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import anyio

from core.clock import Clock

REQUESTS_AT_ONCE = 4

MARGIN_S = 0.5
"""Kept back for what a call still has to do with the answer of its last request."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of a clock's monotonic reading; each request of the call takes one of its `slots`."""

    ends_at_s: float
    clock: Clock
    slots: anyio.Semaphore = field(default_factory=lambda: anyio.Semaphore(REQUESTS_AT_ONCE), compare=False, repr=False)

    def left_s(self) -> float:
        """Seconds until the end; negative when it has passed."""
        return self.ends_at_s - self.clock.monotonic_s()

    def request_left_s(self, most_s: float) -> float:
        """What one request may take: what is left less the margin, at most `most_s`; may be negative."""
        return min(self.left_s() - MARGIN_S, most_s)


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


@contextmanager
def deadline(seconds: float, clock: Clock) -> Iterator[Deadline]:
    """Sets the deadline of what runs inside, tasks started there included; an earlier one around it stays."""
    around = _current.get()
    own = Deadline(clock.monotonic_s() + seconds, clock)
    ends = own if around is None or own.left_s() < around.left_s() else around
    token = _current.set(ends)
    try:
        yield ends
    finally:
        _current.reset(token)


def current_deadline() -> Deadline | None:
    """The deadline of the call that runs, or None outside any."""
    return _current.get()
