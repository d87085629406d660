"""What the polite client must know of a source: where it is, how it is spoken to, how fast, and how it complains."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import httpx

from core.clock import Clock
from core.http.client import Bounds, Exchange, Timeouts
from core.http.hosts import HostPatterns, Reach, origin_of
from core.http.retry import retry_after_s

COOL_MAX_S = 15 * 60.0
"""How much of a source's own `Retry-After` is honoured as a cool-down."""

_RATE_LIMITED = 429


@dataclass(frozen=True, slots=True)
class Pace:
    """A lane of a pacing group. Lanes share the group's slots and its cool-down; each has its own gap between starts.

    More than `queue_max` callers never wait; without it none waits longer than the client's bound. `a_day` bounds the
    starts of a UTC day.
    """

    group: str
    gap_s: float
    in_flight: int
    lane: str = ""
    queue_max: int | None = None
    a_day: int | None = None
    is_per_host: bool = False

    def at(self, host: str) -> "Pace":
        """The same for one host, where each is a group of its own."""
        return replace(self, group=f"{self.group}:{host}") if self.is_per_host else self


@dataclass(frozen=True, slots=True)
class Throttle:
    """A source asked to slow down, for `wait_s` where it said so; at most `cool_max_s` of that is a cool-down.

    `may_retry`: whether the same request may be sent again after a wait that is short enough.
    """

    wait_s: float | None = None
    may_retry: bool = False
    cool_max_s: float = COOL_MAX_S

    @property
    def cool_s(self) -> float | None:
        """The cool-down that the source asked for, as far as it is honoured."""
        return None if self.wait_s is None else min(self.wait_s, self.cool_max_s)


@dataclass(frozen=True, slots=True)
class Tightening:
    """What an answer's headers say of how fast the source may be asked; it never makes ours faster."""

    gap_s: float = 0.0
    in_flight: int | None = None


@dataclass(frozen=True, slots=True)
class Credential:
    """A key or a contact that the source wants: sent to its own host only, and shown nowhere."""

    name: str
    value: str = field(repr=False)
    place: Literal["parameter", "header"] = "parameter"


@dataclass(frozen=True, slots=True)
class Off:
    """Why a source is not asked, in a sentence, and the setting that would change it."""

    message: str
    required_env: str | None = None


def default_throttled(found: Exchange, clock: Clock) -> Throttle | None:
    """429 asks to slow down, nothing else."""
    if found.status != _RATE_LIMITED:
        return None
    return Throttle(retry_after_s(found.headers, clock), may_retry=True)


def never_tightened(found: Exchange) -> Tightening | None:
    """No header says how fast the source may be asked."""
    return None


def no_defect(found: Exchange) -> bool:
    """No refusal is known to be our own mistake by its text."""
    return False


@dataclass(frozen=True, slots=True)
class SourceRules:
    """One source. `key` is its name on the wire, `label` its name in sentences, `version` that of what reads it.

    `paces` has the usual lane first; `shared_hosts` are paced with another source. `denied` are the statuses that
    refuse us; `leaving_means_absent`: a redirect to another host says that the source does not have the thing.
    """

    key: str
    label: str
    base_url: str
    reach: Reach
    paces: tuple[Pace, ...]
    timeouts: Timeouts
    bounds: Bounds
    retries: int = 2
    max_redirects: int = 5
    accept: str = "application/json"
    version: int = 1
    always: tuple[tuple[str, str], ...] = ()
    credentials: tuple[Credential, ...] = ()
    denied: frozenset[int] = frozenset({401, 403})
    leaving_means_absent: bool = False
    shared_hosts: tuple[tuple[HostPatterns, Pace], ...] = ()
    throttled: Callable[[Exchange, Clock], Throttle | None] = default_throttled
    tightened: Callable[[Exchange], Tightening | None] = never_tightened
    is_our_defect: Callable[[Exchange], bool] = no_defect
    off: Off | None = None

    def pace(self, lane: str = "") -> Pace:
        """The lane of that name; without a name the usual one."""
        return next(pace for pace in self.paces if not lane or pace.lane == lane)

    def pace_at(self, pace: Pace, host: str) -> Pace:
        """The pace at a host: another source's where the host is that one's too."""
        return next((other for hosts, other in self.shared_hosts if hosts.match(host)), pace.at(host))

    def is_home(self, url: httpx.URL) -> bool:
        """Whether an address lies where the source's own base does: credentials go nowhere else."""
        return bool(self.base_url) and origin_of(url) == origin_of(httpx.URL(self.base_url))
