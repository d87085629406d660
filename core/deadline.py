"""One deadline for everything that a call does, and how many requests it may have under way at a time.

Set where the call begins, read where something is awaited.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar

import anyio

from core.clock import Clock

REQUESTS_AT_ONCE = 4

MARGIN_S = 0.5
"""Kept back for what a call still has to do with the answer of its last request."""


Witness = Callable[[Exception], Exception]
"""Adds to a failure what is known of the call that it ends."""


class Deadline:
    """A moment of a clock's monotonic reading; each request of the call takes one of its `slots`."""

    __slots__ = ("_slots", "_witness", "clock", "ends_at_s")

    def __init__(self, ends_at_s: float, clock: Clock) -> None:
        self.ends_at_s = ends_at_s
        self.clock = clock
        self._slots: anyio.Semaphore | None = None
        self._witness: Witness | None = None

    @property
    def slots(self) -> anyio.Semaphore:
        """What bounds the requests under way; made for the first one, since most calls make none."""
        if self._slots is None:
            self._slots = anyio.Semaphore(REQUESTS_AT_ONCE)
        return self._slots

    def left_s(self) -> float:
        """Seconds until the end; negative when it has passed."""
        return self.ends_at_s - self.clock.monotonic_s()

    def witnessed_by(self, witness: Witness) -> None:
        """Whom to ask what was done so far, should the call end here; of several parts none speaks for the whole."""
        self._witness = witness if self._witness is None else _silent

    def witnessed(self, error: Exception) -> Exception:
        """The failure of a call that did not end in time, with what is known of it."""
        return error if self._witness is None else self._witness(error)

    def request_left_s(self, most_s: float) -> float:
        """What one request may take: what is left less the margin, at most `most_s`; may be negative."""
        return min(self.left_s() - MARGIN_S, most_s)


def _silent(error: Exception) -> Exception:
    return error


_current: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def deadline(seconds: float, clock: Clock) -> AbstractContextManager[Deadline]:
    """Sets the deadline of what runs inside, tasks started there included; an earlier one around it stays."""
    own = Deadline(clock.monotonic_s() + seconds, clock)
    around = _current.get()
    return _During(own if around is None or own.left_s() < around.left_s() else around)


class _During(AbstractContextManager[Deadline]):
    """A class of its own: a generator would cost more than all else that is done around a small call."""

    __slots__ = ("_ends", "_token")

    def __init__(self, ends: Deadline) -> None:
        self._ends = ends

    def __enter__(self) -> Deadline:
        self._token = _current.set(self._ends)
        return self._ends

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)


def current_deadline() -> Deadline | None:
    """The deadline of the call that runs, or None outside any."""
    return _current.get()
