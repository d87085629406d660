"""Asking a source until it answers or there is no use in going on: turns, tries and waits (5.5, 5.6)."""

import math
from collections.abc import Awaitable, Callable

from core.clock import Clock
from core.deadline import current_deadline
from core.errors import NoFullText, PaperdeskError, SourceWaiting
from core.http.asking import Ask
from core.http.client import Broken, Cut, Exchange, TimedOut, TooLarge, Unreadable
from core.http.content import NotReadable, WrongKind, check
from core.http.hops import Astray, Hops, LeftTheSource, Refused
from core.http.hosts import host_of
from core.http.judging import (
    RETRY_WAIT_MAX_S,
    Trouble,
    backoff_s,
    denied,
    judged,
    malformed,
    mismatch,
    timed_out,
    too_large,
    turned_away,
    unreachable,
)
from core.http.pacing.terms import Health, Verdict
from core.http.pacing.turns import Pacing, Turn, TurnedAway
from core.http.remembering import Fetched


def left_of_call_s() -> float:
    """Seconds that the present call has left for requests and waits; infinite outside any."""
    ends = current_deadline()
    return math.inf if ends is None else ends.request_left_s(math.inf)


class Attempts:
    """Brings one answer; `random` gives 0 to below 1."""

    def __init__(
        self,
        hops: Hops,
        pacing: Pacing,
        clock: Clock,
        *,
        random: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._hops = hops
        self._pacing = pacing
        self._clock = clock
        self._random = random
        self._sleep = sleep

    async def load(self, ask: Ask) -> Fetched:
        """The answer, or a failure of our tree."""
        try:
            self._hops.check(ask, ask.url, 0)
        except Refused as refused:
            raise denied(ask.rules, refused.denial) from refused
        tries, last = 0, None
        while True:
            tries += 1
            try:
                found = await self._try(ask, tries)
            except TurnedAway as turned:
                # The group may have been closed to everybody between two tries: then the first failure tells more.
                raise last or turned_away(ask.rules, turned.reply) from turned
            if isinstance(found, Fetched):
                return found
            last = found.failure
            await self._sleep(found.wait_s or 0.0)

    async def _try(self, ask: Ask, tries: int) -> Fetched | Trouble:
        """The answer, or what is wrong where another try is due after its `wait_s`."""
        rules = ask.rules
        pace = rules.pace_at(ask.pace, host_of(ask.url))
        most_s = left_of_call_s()
        if most_s <= 0:
            raise timed_out(rules)
        async with self._pacing.turn(pace, ask.caller, whole_s=rules.timeouts.whole_s, most_s=most_s) as turn:
            found, exchange = await self._asked(ask, turn)
            tightening = None if exchange is None else rules.tightened(exchange)
            if isinstance(found, Fetched):
                await turn.leave(Verdict(Health.WELL, tightening=tightening))
                return found
            wait_s = self._wait_s(found, tries, rules.retries)
            if wait_s is not None:
                # While one waits because the source asked for it, nobody else of the group starts either.
                pause_s = wait_s if found.health is Health.THROTTLED else 0.0
                await turn.leave(Verdict(pause_s=pause_s, tightening=tightening))
                return Trouble(found.failure, wait_s=wait_s)
            verdict = Verdict(found.health, cool_s=found.cool_s, tightening=tightening)
            raise _waiting(found.failure, await turn.leave(verdict))

    def _wait_s(self, trouble: Trouble, tries: int, retries: int) -> float | None:
        """How long to wait before the next try; None where there is to be none."""
        if not trouble.may_retry or tries > retries:
            return None
        wait_s = backoff_s(tries, self._random) if trouble.wait_s is None else trouble.wait_s
        return wait_s if wait_s <= RETRY_WAIT_MAX_S and wait_s < left_of_call_s() else None

    async def _asked(self, ask: Ask, turn: Turn) -> tuple[Fetched | Trouble, Exchange | None]:
        rules, call_s = ask.rules, left_of_call_s()
        try:
            found, url = await self._hops.follow(ask, turn, left_s=min(rules.timeouts.whole_s, call_s))
        except TimedOut:
            # A call that had too little time left says nothing about its source.
            is_ours = call_s < rules.timeouts.whole_s
            return Trouble(timed_out(rules), Health.UNKNOWN if is_ours else Health.FAILED, may_retry=True), None
        except (Broken, Cut):
            return Trouble(unreachable(rules), Health.FAILED, may_retry=True), None
        except (TooLarge, Unreadable, Refused, Astray, LeftTheSource, TurnedAway) as error:
            return _lasting(ask, error), None
        trouble = judged(rules, found, self._clock, takes=ask.takes)
        if trouble is not None:
            return trouble, found
        answer = Fetched(found.status, found.headers, found.body, str(url))
        return _checked(ask, answer) or answer, found


def _checked(ask: Ask, answer: Fetched) -> Trouble | None:
    """What is wrong with the content of an answer; a refusal that the reader takes may have any."""
    if answer.status in ask.takes:
        return None
    try:
        check(answer.body, ask.want, status=answer.status)
    except WrongKind as error:
        return Trouble(mismatch(ask.rules, error), Health.WELL)
    except NotReadable:
        return Trouble(malformed(ask.rules), Health.WELL)
    return None


def _lasting(ask: Ask, error: Exception) -> Trouble:
    """What ends a request for good, and says nothing bad about how the source does."""
    rules = ask.rules
    match error:
        case TooLarge():
            return Trouble(too_large(rules, error), Health.WELL)
        case Refused():
            return Trouble(denied(rules, error.denial))
        case LeftTheSource():
            return Trouble(NoFullText(f"{rules.label} has no text of this paper."), Health.WELL)
        case TurnedAway():
            return Trouble(turned_away(rules, error.reply))
        case Astray():
            return Trouble(unreachable(rules))
        case _:
            return Trouble(malformed(rules), Health.WELL)


def _waiting(failure: PaperdeskError, cooling_s: float) -> PaperdeskError:
    """The failure, with the length of the cool-down that it began where the source gave no wait of its own."""
    if isinstance(failure, SourceWaiting) and failure.retry_after_s is None and cooling_s:
        failure.retry_after_s = cooling_s
    return failure
