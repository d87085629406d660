"""What an operator decides about scans, and the figures of the engine itself (scan contract 4.3, 10.3, 10.4, 10.7)."""

from collections.abc import Callable
from dataclasses import dataclass

from core.scan.engine.steps import limit_s
from core.scan.vocabulary import Step

LEASE_S = 60.0
RENEWED_EVERY_S = 15.0
LOOKS_EVERY_S = 15.0
"""How often a worker looks for work that nobody does."""
PURGES_EVERY_S = 600.0
JOBS_AT_ONCE = 8
JOBS_WAITING_MAX = 256
TRIES = 2
PAUSE_S = 5.0
"""Between the tries of a stage."""
CALL_WAIT_S = 2.0
"""How long a call waits for another one of the same scan to be taken in."""
GLANCE_S = 0.25
"""Between looks at a scan that another call holds."""
LOOK_S = 1.0
"""Between looks at a stage that another process does."""
SHUTDOWN_S = 10.0


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """`wait_s` is how long a call waits for stages; lives count from a scan's last accepted call.

    `jobs_anonymous` and `jobs_key` bound the stages of one caller that are taken up without a call. `secret` keys the
    digests of arguments; None takes the store's own. `seals` says that the store encrypts. The last three are figures
    of 10.3 and 10.4 that tests make smaller.
    """

    wait_s: float = 25.0
    ttl_anonymous_s: float = 259_200.0
    ttl_key_s: float = 2_592_000.0
    jobs_anonymous: int = 2
    jobs_key: int = 4
    secret: bytes | None = None
    seals: bool = False
    limit_s: Callable[[Step], float] = limit_s
    lease_s: float = LEASE_S
    renewed_every_s: float = RENEWED_EVERY_S
    looks_every_s: float = LOOKS_EVERY_S

    def ttl_s(self, *, is_key: bool) -> float:
        """How long a scan is kept."""
        return self.ttl_key_s if is_key else self.ttl_anonymous_s

    def jobs_max(self, *, is_key: bool) -> int:
        """How many stages of one caller may work at once."""
        return self.jobs_key if is_key else self.jobs_anonymous
