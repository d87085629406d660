"""The polite client: every request of every family to a source goes through it (references contract 5)."""

import logging
import math
import random as randomness
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

import anyio
import httpx

from core.cache import Counters
from core.clock import Clock
from core.errors import Denial, PaperdeskError, SourceNotEnabled
from core.http.asking import Ask, Path, address, tightened
from core.http.attempts import Attempts, left_of_call_s
from core.http.content import Want
from core.http.hops import Hops, Observe, Wires
from core.http.hosts import NO_HOSTS, HostPatterns
from core.http.judging import denied, timed_out
from core.http.pacing.turns import Pacing
from core.http.remembering import Fetched, Kind, Memory, cache_key
from core.http.rules import SourceRules
from core.http.urls import Params

PROCESS = "process"
"""The caller where the whole process is one: local mode, and work of its own."""

_log = logging.getLogger("paperdesk.sources")


class PoliteClient:
    """GET, and nothing else, of sources by their rules. One for each process and event loop.

    `observe` is told of each request's source, outcome (a word of `core.http.upstream.OUTCOMES`) and seconds; `random`
    gives 0 to below 1.
    """

    def __init__(
        self,
        wires: Wires,
        pacing: Pacing,
        clock: Clock,
        *,
        blocked: HostPatterns = NO_HOSTS,
        memory: Memory | None = None,
        random: Callable[[], float] = randomness.random,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        observe: Observe = lambda source, outcome, span_s: None,
    ) -> None:
        self._clock = clock
        self._memory = memory or Memory(clock)
        self._pacing = pacing
        hops = Hops(wires, clock, blocked=blocked, observe=observe)
        self._attempts = Attempts(hops, pacing, clock, random=random, sleep=sleep)

    async def get(
        self,
        rules: SourceRules,
        path: Path,
        params: Params | None = None,
        *,
        kind: Kind = Kind.METADATA,
        want: Want = "json",
        caller: str = PROCESS,
        lane: str = "",
        operation: str = "get",
        accept: str | None = None,
        max_body_bytes: int | None = None,
        takes: frozenset[int] = frozenset(),
    ) -> Fetched:
        """The answer to a GET: 2xx, or a status of `takes`. Keys and contact are added here and found nowhere else.

        `caller` is whom it is for, an opaque token; `lane` one of the source's paces; `operation` a fixed word for the
        log; `max_body_bytes` may only lower the source's bound.

        Raises `NotFound`, `NoFullText` (the source says by a redirect that it does not have it), `SourceNotEnabled`,
        `SourceDenied`, `SourceTimeout`, `SourceRateLimited` and its kinds, `SourceUnreachable`, `SourceTooLarge`,
        `SourceMismatch` and `SourceMalformed`.
        """
        started_s = self._clock.monotonic_s()
        result, verdict = "cancelled", "-"
        try:
            bounds = tightened(rules.bounds, max_body_bytes)
            ask = Ask(
                rules,
                _address(rules, path, params),
                rules.pace(lane),
                want,
                accept or rules.accept,
                bounds,
                caller,
                takes,
            )
            found, verdict = await self._answer(ask, kind)
            result = f"{found.status // 100}xx"
            return found
        except PaperdeskError as failure:
            result = type(failure).__name__
            raise
        finally:
            span_ms = round((self._clock.monotonic_s() - started_s) * 1000)
            _log.info("source=%s operation=%s result=%s ms=%d cache=%s", rules.key, operation, result, span_ms, verdict)

    async def is_cooling(self, rules: SourceRules) -> bool:
        """Whether a source is left alone at the moment."""
        return await self._pacing.cooling_s(rules.pace()) > 0

    def counters(self) -> Mapping[str, Counters]:
        """What is remembered, by tier."""
        return self._memory.counters()

    async def _answer(self, ask: Ask, kind: Kind) -> tuple[Fetched, str]:
        """An answer, and whether it was remembered: `hit`, `miss` or `stale`."""
        rules = ask.rules
        key = cache_key(rules.key, rules.version, ask.want, str(ask.url))
        held = self._memory.peek(kind, key)
        if held is not None:
            return held, "hit"
        left_s = left_of_call_s()
        if left_s <= 0:
            raise timed_out(rules)
        try:
            # One who joins the request of another may have less time than that one.
            with anyio.fail_after(None if math.isinf(left_s) else left_s):
                answer = await self._memory.get(kind, key, lambda: self._attempts.load(ask))
        except TimeoutError as error:
            raise timed_out(rules) from error
        found = replace(answer.value, stale_age_s=answer.stale_age_s)
        return found, "stale" if found.stale else "miss"


def _address(rules: SourceRules, path: Path, params: Params | None) -> httpx.URL:
    if rules.off is not None:
        raise SourceNotEnabled(rules.off.message, source=rules.key, required_env=rules.off.required_env)
    try:
        return address(rules, path, params)
    except httpx.InvalidURL as error:
        denial = Denial("redirect_not_in_allowlist", rules.key, expected=rules.reach.expected, hop_index=0)
        raise denied(rules, denial) from error
