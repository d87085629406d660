"""Whether this process is stopping: said by the signal, read by whoever would take new work."""

from core.clock import Clock


class Drain:
    """Begins once and never ends."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_s: float | None = None

    @property
    def has_begun(self) -> bool:
        """Whether new requests are to be refused."""
        return self._began_s is not None

    def begin(self) -> None:
        """From now on; a second time changes nothing."""
        if self._began_s is None:
            self._began_s = self._clock.monotonic_s()

    def has_lasted(self, span_s: float) -> bool:
        """Whether it began at least so long ago."""
        return self._began_s is not None and self._clock.monotonic_s() - self._began_s >= span_s
