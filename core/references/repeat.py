"""Repeat suppression: a fetch that just failed is answered from what is remembered of it (references contract, 1.8)."""

import hashlib
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from cachetools import LRUCache, TLRUCache

from core.clock import Clock
from core.identifiers import Identifier

Disposition = Literal["terminal", "retry_after", "needs_config"]

SETTLED_S = 600.0
PASSING_S = 30.0
FORCED_MAX = 10
FORCED_WINDOW_S = 3_600.0

_KEPT_MAX = 8_192
_CLIENTS_MAX = 4_096


@dataclass(frozen=True, slots=True)
class Question:
    """What a call asks: of two that are equal the second need not be asked again.

    `family` is that of the tools that share an answer, such as `fetch`; `fingerprint` that of the capability profile.
    """

    key: str
    version: str | None
    family: str
    fingerprint: str

    @classmethod
    def about(cls, identifier: Identifier, family: str, fingerprint: str) -> "Question":
        """The question of a parsed reference."""
        return cls(identifier.key, identifier.version, family, fingerprint)

    def digest(self) -> str:
        """What it is kept under, from which no reference can be read back."""
        parts = (self.key, self.version or "", self.family, self.fingerprint)
        return hashlib.blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Failure:
    """The answer of a failed call, or of a blocked PDF. `details` is what else of it is shown again, JSON values."""

    code: str
    disposition: Disposition
    message: str
    retry_after_s: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def window_s(self) -> float:
        """How long the failure stands: one that may pass no longer than the wait that is known."""
        if self.disposition != "retry_after":
            return SETTLED_S
        return PASSING_S if self.retry_after_s is None else max(0.0, min(PASSING_S, self.retry_after_s))


@dataclass(frozen=True, slots=True)
class Replay:
    """A failure shown again; it stands for `left_s` more."""

    failure: Failure
    left_s: float

    @property
    def code(self) -> str:
        """The code of the answer now."""
        return "RATE_LIMITED" if self.failure.disposition == "retry_after" else self.failure.code

    @property
    def retry_after_s(self) -> float | None:
        """How long to wait, where waiting helps."""
        return self.left_s if self.failure.disposition == "retry_after" else None


class Repeats(Protocol):
    """What is remembered of failed calls, in this process or for all of them."""

    async def find(self, question: Question) -> Replay | None:
        """The failure that still stands; finding it does not make it stand longer."""
        ...

    async def failed(self, question: Question, failure: Failure) -> None:
        """Remembers a failure; one of the code that is remembered already keeps the time of the first."""
        ...

    async def succeeded(self, question: Question) -> None:
        """Forgets what failed."""
        ...

    async def force(self, client: str) -> float:
        """Counts a forced call of a client, an opaque token: 0.0, or the seconds to wait, and it is not counted."""
        ...


class MemoryRepeats:
    """What this process remembers."""

    def __init__(self, clock: Clock, *, kept_max: int = _KEPT_MAX, clients_max: int = _CLIENTS_MAX) -> None:
        self._clock = clock
        self._held: TLRUCache[str, tuple[Failure, float]] = TLRUCache(
            kept_max, ttu=lambda _, entry, __: entry[1], timer=clock.monotonic_s
        )
        self._forced: LRUCache[str, deque[float]] = LRUCache(clients_max)

    async def find(self, question: Question) -> Replay | None:
        """The failure that still stands."""
        held = self._held.get(question.digest())
        if held is None:
            return None
        failure, until_s = held
        return Replay(failure, until_s - self._clock.monotonic_s())

    async def failed(self, question: Question, failure: Failure) -> None:
        """Remembers a failure of another code than the one remembered."""
        digest = question.digest()
        held = self._held.get(digest)
        if held is None or held[0].code != failure.code:
            self._held.pop(digest, None)
            self._held[digest] = (failure, self._clock.monotonic_s() + failure.window_s())

    async def succeeded(self, question: Question) -> None:
        """Forgets what failed."""
        self._held.pop(question.digest(), None)

    async def force(self, client: str) -> float:
        """Counts a forced call, at most 10 of a client within an hour."""
        now_s = self._clock.monotonic_s()
        times = self._forced.get(client)
        if times is None:
            times = self._forced[client] = deque()
        while times and times[0] + FORCED_WINDOW_S <= now_s:
            times.popleft()
        if len(times) >= FORCED_MAX:
            return times[0] + FORCED_WINDOW_S - now_s
        times.append(now_s)
        return 0.0
