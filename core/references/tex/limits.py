"""How much work a source archive may make: caps on what it unpacks to, and on the time that takes."""

from dataclasses import dataclass

from core.clock import Clock
from core.errors import Denial, SourceMalformed, SourceTimeout, SourceTooLarge

SOURCE = "arxiv-src"


@dataclass(frozen=True, slots=True)
class TexLimits:
    """Caps in bytes, members and seconds; what is over one stops the work, but for the kept text, which is left out."""

    inflated_bytes: int
    member_bytes: int = 50_000_000
    members: int = 5_000
    ratio: int = 200
    ratio_from_bytes: int = 10_000_000
    kept_bytes: int = 100_000_000
    expanded_chars: int = 10_000_000
    depth: int = 10
    work_s: float = 20.0


HOSTED_LIMITS = TexLimits(inflated_bytes=200_000_000)
LOCAL_LIMITS = TexLimits(inflated_bytes=500_000_000)


class Effort:
    """The work on one source: counts it against the limits and against the clock."""

    def __init__(self, limits: TexLimits, clock: Clock) -> None:
        self.limits = limits
        self._clock = clock
        self._ends_at_s = clock.monotonic_s() + limits.work_s

    def go_on(self) -> None:
        """Raises `SourceTimeout` when the time is up."""
        if self._clock.monotonic_s() >= self._ends_at_s:
            raise SourceTimeout(
                "Unpacking the TeX source of this paper takes too long. Read its text instead.", source=SOURCE
            )

    def require(self, actual: int, cap: int) -> None:
        """Raises `SourceTooLarge` for what is over a cap."""
        if actual > cap:
            raise SourceTooLarge(
                "The TeX source of this paper is too large to unpack. Read its text instead.",
                source=SOURCE,
                denial=Denial("size_cap_exceeded", SOURCE, cap=cap, actual=actual),
            )


def corrupt() -> SourceMalformed:
    """The failure for an archive that cannot be unpacked."""
    return SourceMalformed("The TeX source of this paper cannot be unpacked. Read its text instead.", source=SOURCE)
