"""A breaker: after failures in a row it lets nothing through for a while, then one trial (catalog contract 14)."""

from core.clock import Clock

FAILURES_TO_OPEN = 5
OPEN_S = 15.0


class Breaker:
    """Counts an upstream's failures in a row. Each `admit` that said yes is followed by exactly one verdict."""

    def __init__(self, clock: Clock, *, failures_to_open: int = FAILURES_TO_OPEN, open_s: float = OPEN_S) -> None:
        self._clock = clock
        self._failures_to_open = failures_to_open
        self._open_s = open_s
        self._failures = 0
        self._opened_at_s: float | None = None
        self._trial_runs = False

    @property
    def is_open(self) -> bool:
        """Whether requests are held back, but for a trial."""
        return self._opened_at_s is not None

    def left_s(self) -> float:
        """Seconds until a trial may go out; at least one while a trial runs."""
        if self._opened_at_s is None:
            return 0.0
        return max(1.0, self._opened_at_s + self._open_s - self._clock.monotonic_s())

    def admit(self) -> bool:
        """Whether a request may go out; after the pause only one may, until its verdict."""
        if self._opened_at_s is None:
            return True
        if self._trial_runs or self._clock.monotonic_s() - self._opened_at_s < self._open_s:
            return False
        self._trial_runs = True
        return True

    def succeeded(self) -> None:
        """The upstream answered, whatever it said short of a server error."""
        self._failures = 0
        self._opened_at_s = None
        self._trial_runs = False

    def failed(self) -> None:
        """A timeout, a network failure or a server error."""
        self._failures += 1
        if self._trial_runs or self._failures >= self._failures_to_open:
            self._opened_at_s = self._clock.monotonic_s()
        self._trial_runs = False

    def abandoned(self) -> None:
        """The caller left before the upstream showed how it does: the next one may try."""
        self._trial_runs = False
