"""Time as a parameter: what needs the time takes a clock, and tests move it by hand."""

import time
from typing import Protocol


class Clock(Protocol):
    """Two readings: Unix time for what is written down, monotonic time for durations. Both in seconds."""

    def now_s(self) -> float:
        """Seconds since the Unix epoch."""
        ...

    def monotonic_s(self) -> float:
        """Seconds of a clock that never goes back; only differences mean anything."""
        ...


class SystemClock:
    """The clock of this machine."""

    def now_s(self) -> float:
        """Seconds since the Unix epoch."""
        return time.time()

    def monotonic_s(self) -> float:
        """Seconds of a clock that never goes back."""
        return time.monotonic()


class ManualClock:
    """A clock that stands still until it is moved."""

    def __init__(self, now_s: float = 1_700_000_000.0) -> None:
        self._now_s = now_s
        self._monotonic_s = 0.0

    def now_s(self) -> float:
        """The time set so far."""
        return self._now_s

    def monotonic_s(self) -> float:
        """Seconds since this clock was made, as moved so far."""
        return self._monotonic_s

    def advance(self, seconds: float) -> None:
        """Moves both readings forward by `seconds` >= 0."""
        if seconds < 0:
            raise ValueError("a clock never goes back")
        self._now_s += seconds
        self._monotonic_s += seconds
