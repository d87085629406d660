"""One request to a source, its redirects followed by hand: each address is checked before it is asked (5.2)."""

from collections.abc import Callable
from dataclasses import dataclass

import anyio
import httpx

from core.clock import Clock
from core.errors import Denial
from core.http.asking import Ask
from core.http.client import Broken, Exchange, HttpClient, TimedOut, Unreadable, redirect_location
from core.http.dialling import AddressRefused
from core.http.hosts import HostPatterns, host_of
from core.http.pacing.turns import Turn

Observe = Callable[[str, str, float], None]


class Refused(Exception):
    """An address may not be asked."""

    def __init__(self, denial: Denial) -> None:
        super().__init__()
        self.denial = denial


class Astray(Exception):
    """A redirect that leads nowhere: without a target, in a circle, or once too often."""


class LeftTheSource(Exception):
    """A redirect to another host, by which this source says that it does not have the thing."""


@dataclass(frozen=True, slots=True)
class Wires:
    """The pools: one that dials public addresses only, one for the operator's own loopback services."""

    public: HttpClient
    loopback: HttpClient

    async def aclose(self) -> None:
        """Closes both."""
        await self.public.aclose()
        await self.loopback.aclose()


class Hops:
    """Makes requests and follows their redirects. `observe` is told of each one's source, outcome and seconds."""

    def __init__(self, wires: Wires, clock: Clock, *, blocked: HostPatterns, observe: Observe) -> None:
        self._wires = wires
        self._clock = clock
        self._blocked = blocked
        self._observe = observe

    def check(self, ask: Ask, target: httpx.URL, hop: int) -> None:
        """Raises `Refused` or `LeftTheSource` where an address may not be asked."""
        rules = ask.rules
        if hop and rules.leaving_means_absent and not rules.reach.holds(target):
            raise LeftTheSource
        denial = rules.reach.refusal(target, source=rules.key, blocked=self._blocked, hop_index=hop)
        if denial is not None:
            raise Refused(denial)

    async def follow(self, ask: Ask, turn: Turn, *, left_s: float) -> tuple[Exchange, httpx.URL]:
        """The answer that is no redirect, and its address; the first address has been checked.

        Raises `TimedOut`, `Broken`, `Unreadable`, `Refused`, `Astray` and `LeftTheSource`. `left_s` is what all the
        asking may take, waits for the group's gap not counted.
        """
        target, seen = ask.url, set[httpx.URL]()
        for hop in range(ask.rules.max_redirects + 1):
            if hop:
                self.check(ask, target, hop)
                await turn.again(ask.rules.pace_at(ask.pace, host_of(target)))
            seen.add(target)
            started_s = self._clock.monotonic_s()
            found = await self._exchange(ask, target, turn, left_s)
            left_s -= self._clock.monotonic_s() - started_s
            location = redirect_location(found)
            if location is None:
                return found, target
            target = _joined(ask, target, location)
            if target in seen:
                raise Astray
        raise Astray

    async def _exchange(self, ask: Ask, target: httpx.URL, turn: Turn, left_s: float) -> Exchange:
        rules = ask.rules
        wire = self._wires.loopback if rules.reach.is_loopback(target) else self._wires.public
        outcome, started_s = "abandoned", self._clock.monotonic_s()
        try:
            with anyio.fail_after(max(left_s, 0.0)):
                found = await wire.exchange(
                    ask.addressed(target),
                    headers=ask.headers(target),
                    timeouts=rules.timeouts,
                    bounds=ask.bounds,
                    when_sent=turn.sent,
                )
            outcome = "failed" if found.status >= httpx.codes.INTERNAL_SERVER_ERROR else "ok"
            return found
        except AddressRefused as error:
            outcome = "failed"
            denial = Denial("ssrf_private_address", rules.key, attempted=host_of(target))
            raise Refused(denial) from error
        except (TimedOut, TimeoutError) as error:
            outcome = "timeout"
            raise TimedOut from error
        except (Unreadable, Broken) as error:
            outcome = "failed" if isinstance(error, Broken) else "malformed"
            raise
        finally:
            self._observe(rules.key, outcome, self._clock.monotonic_s() - started_s)


def _joined(ask: Ask, asked: httpx.URL, location: str) -> httpx.URL:
    try:
        return ask.bare(asked.join(location)).copy_with(fragment=None)
    except httpx.InvalidURL as error:
        raise Astray from error
