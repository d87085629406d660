"""One upstream service over the pool: its base, its deadline, one retry, its breaker, and its failures in our words."""

import math
import random as randomness
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace

import anyio

from core.clock import Clock
from core.deadline import current_deadline
from core.errors import SourceError, SourceMalformed, SourceRateLimited, SourceTimeout, SourceUnreachable
from core.http.breaker import Breaker
from core.http.client import Broken, Exchange, HttpClient, TimedOut, Unreadable
from core.http.retry import RETRIED_STATUSES, RETRY_AFTER_MAX_S, SECOND_TRY_LEFT_S, jitter_s, retry_after_s
from core.http.urls import Params, path_part, query

MIB = 1024 * 1024

OK = 200
BAD_REQUEST = 400
NOT_FOUND = 404
CONFLICT = 409
GONE = 410
UNPROCESSABLE = 422
UNAVAILABLE = 503
RATE_LIMITED = 429
SERVER_ERROR = 500

OUTCOMES = ("ok", "failed", "timeout", "malformed", "abandoned")
"""What one request came to: any answer below 500 is ok; abandoned is one whose caller went away."""

REFUSALS = frozenset({BAD_REQUEST, NOT_FOUND, CONFLICT, UNPROCESSABLE})
"""Answers about the thing asked for: the caller decides what they mean."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How an upstream is spoken to and of; `timeout_s` bounds one request within the call's deadline."""

    label: str = "The catalog's service"
    accept: str = "application/json, text/plain;q=0.9"
    timeout_s: float = 25.0
    max_body_bytes: int = 2 * MIB


class Upstream:
    """A service behind a base URL. `source` is its name in failures; `random` gives 0 to below 1.

    `observe` is told of each request's source, outcome (a word of `OUTCOMES`) and seconds.
    """

    def __init__(
        self,
        client: HttpClient,
        base_url: str,
        *,
        source: str,
        clock: Clock,
        manners: Manners = Manners(),
        random: Callable[[], float] = randomness.random,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        observe: Callable[[str, str, float], None] = lambda source, outcome, span_s: None,
    ) -> None:
        self._client = client
        self._base_url = base_url.rstrip("/")
        self._source = source
        self._clock = clock
        self._manners = manners
        self._random = random
        self._sleep = sleep
        self._observe = observe
        self._breaker = Breaker(clock)

    @property
    def source(self) -> str:
        """The upstream's name in failures."""
        return self._source

    async def get(
        self,
        path: Sequence[str],
        params: Params | None = None,
        *,
        max_s: float | None = None,
        takes: frozenset[int] = frozenset(),
    ) -> Exchange:
        """The answer to a GET: 2xx, or one of `REFUSALS`. An empty last part of `path` gives a closing slash.

        Raises `SourceTimeout`, `SourceRateLimited`, `SourceUnreachable` and `SourceMalformed`. `max_s` shortens what
        the deadline leaves; statuses of `takes` are answers too, and say nothing of the upstream's health.
        """
        target = "/".join([self._base_url, *map(path_part, path)])
        asked = query(params or {})
        url = f"{target}?{asked}" if asked else target
        ends_s = self._clock.monotonic_s() + self._allowed_s(max_s)
        tries = 1
        while True:
            try:
                return await self._once(url, ends_s - self._clock.monotonic_s(), takes)
            except _Passing as passing:
                wait_s = passing.wait_s if passing.wait_s is not None else jitter_s(self._random)
                left_s = ends_s - self._clock.monotonic_s() - wait_s
                if tries > 1 or not passing.may_retry or left_s < SECOND_TRY_LEFT_S:
                    raise passing.failure from passing
            tries += 1
            await self._sleep(wait_s)

    def _allowed_s(self, max_s: float | None) -> float:
        most_s = min(self._manners.timeout_s, max_s or self._manners.timeout_s)
        ends = current_deadline()
        return most_s if ends is None else ends.request_left_s(most_s)

    async def _once(self, url: str, left_s: float, takes: frozenset[int]) -> Exchange:
        if left_s <= 0:
            raise self._timed_out()
        if not self._breaker.admit():
            left_s = math.ceil(self._breaker.left_s())
            raise SourceUnreachable(
                f"{self._manners.label} keeps failing; try again in {left_s} seconds.",
                source=self._source,
                retry_after_s=left_s,
            )
        outcome = "abandoned"
        started_s = self._clock.monotonic_s()
        verdict: Callable[[], None] = self._breaker.abandoned
        try:
            with anyio.fail_after(left_s):
                async with _slot():
                    found = await self._client.get(
                        url,
                        headers={"Accept": self._manners.accept},
                        timeout_s=left_s,
                        max_body_bytes=self._manners.max_body_bytes,
                    )
            outcome = "failed" if found.status >= SERVER_ERROR else "ok"
            if found.status in takes:
                return found
            verdict = self._breaker.failed if found.status >= SERVER_ERROR else self._breaker.succeeded
        except (TimedOut, TimeoutError) as error:
            outcome, verdict = "timeout", self._breaker.failed
            raise self._timed_out() from error
        except Broken as error:
            outcome, verdict = "failed", self._breaker.failed
            raise _Passing(self._unreachable(), may_retry=True) from error
        except Unreadable as error:
            outcome, verdict = "malformed", self._breaker.succeeded
            raise self._malformed() from error
        finally:
            verdict()
            self._observe(self._source, outcome, self._clock.monotonic_s() - started_s)
        return self._judged(found)

    def _judged(self, found: Exchange) -> Exchange:
        if OK <= found.status < OK + 100 or found.status in REFUSALS:
            return found
        if found.status == GONE:
            return replace(found, status=NOT_FOUND)
        if found.status == RATE_LIMITED:
            wait_s = retry_after_s(found.headers, self._clock)
            failure = SourceRateLimited(
                f"{self._manners.label} asks to slow down; wait before the next call.",
                source=self._source,
                retry_after_s=wait_s,
            )
            raise _Passing(failure, may_retry=wait_s is not None and wait_s <= RETRY_AFTER_MAX_S, wait_s=wait_s)
        if found.status >= SERVER_ERROR:
            raise _Passing(self._unreachable(), may_retry=found.status in RETRIED_STATUSES)
        raise self._malformed()

    def _timed_out(self) -> SourceTimeout:
        return SourceTimeout(f"{self._manners.label} did not answer in time; try again.", source=self._source)

    def _unreachable(self) -> SourceUnreachable:
        return SourceUnreachable(
            f"{self._manners.label} could not be reached or failed; try again.", source=self._source
        )

    def _malformed(self) -> SourceMalformed:
        return SourceMalformed(f"{self._manners.label} gave an answer that cannot be used.", source=self._source)


def _slot() -> AbstractAsyncContextManager[object]:
    """A place among the requests that the present call may have under way at once."""
    call = current_deadline()
    return nullcontext() if call is None else call.slots


class _Passing(Exception):
    """A failure that a second try may undo; `wait_s` is the wait that the upstream asked for."""

    def __init__(self, failure: SourceError, *, may_retry: bool, wait_s: float | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.may_retry = may_retry
        self.wait_s = wait_s
