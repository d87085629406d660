"""The words between those who want to ask a source and the group that lets them: tickets, replies and verdicts."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from core.http.rules import Pace, Tightening


@dataclass(frozen=True, slots=True)
class Moment:
    """When a question is asked, among how many processes the group's figures are shared out (1: they keep one state).

    A waiting caller that has not asked for `forgotten_after_s` is gone; None where nobody can go without saying so.
    """

    now_s: float
    share: int = 1
    forgotten_after_s: float | None = None


@dataclass(frozen=True, slots=True)
class Ticket:
    """One request that wants to start: `caller` is an opaque token, `lease_s` how long it may be under way at most.

    `is_admitted`: it waits already. `most_s` is the longest wait that is of use to it.
    """

    id: str
    caller: str
    pace: Pace
    lease_s: float
    is_admitted: bool = False
    most_s: float | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """`go`: started at `at_s`. `wait`: ask again in `after_s`. Else turned away: come back in `after_s`."""

    kind: Literal["go", "wait", "full", "spent", "cooling"]
    after_s: float = 0.0
    at_s: float = 0.0
    cap: int | None = None
    actual: int | None = None


class Health(Enum):
    """What a request told of its source."""

    WELL = "well"
    FAILED = "failed"
    THROTTLED = "throttled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a request ended. `cool_s` is the cool-down asked for; `pause_s` a wait of the group before its next start.

    `started_s` corrects the start upwards, when the request left later than it was let go.
    """

    health: Health = Health.UNKNOWN
    cool_s: float | None = None
    pause_s: float = 0.0
    started_s: float = 0.0
    tightening: Tightening | None = None
