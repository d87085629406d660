"""What an upstream says of itself, asked once an hour; a plain one says nothing (catalog contract 16.5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.cache import Tier, TierCache
from core.catalog.upstream.api import Api
from core.catalog.upstream.values import count, day, texts
from core.clock import Clock
from core.errors import PaperdeskError

ASKED_EVERY_S = 3_600.0
AFTER_FAILURE_S = 30.0
ANSWER_MAX_S = 5.0
"""The question is not worth more of a call's deadline."""


@dataclass(frozen=True, slots=True)
class About:
    """An upstream's additions beyond the plain API, its as-of date and counts."""

    capabilities: frozenset[str] = frozenset()
    as_of: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    is_ours: bool = False

    def has(self, capability: str) -> bool:
        """Whether an addition may be used."""
        return capability in self.capabilities


PLAIN = About()


class AboutUpstream:
    """Remembers the answer; equal questions at one time are one request."""

    def __init__(self, api: Api, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._asked: TierCache[About] = TierCache(Tier("about", ASKED_EVERY_S, 1, 1024), clock, lambda _: 1)
        self._failed_at_s: float | None = None
        self._last = PLAIN

    @property
    def last(self) -> About:
        """The last answer, without asking."""
        return self._last

    async def get(self) -> About:
        """The answer of the last hour; an upstream that cannot tell keeps its last word for a while."""
        held = self._asked.peek("about")
        if held is not None:
            return held.value
        if self._failed_at_s is not None and self._clock.monotonic_s() - self._failed_at_s < AFTER_FAILURE_S:
            return self._last
        try:
            self._last = (await self._asked.get("about", self._ask)).value
            self._failed_at_s = None
        except PaperdeskError:
            self._failed_at_s = self._clock.monotonic_s()
        return self._last

    async def _ask(self) -> About:
        exchange = await self._api.exchange(("about",), max_s=ANSWER_MAX_S)
        if exchange.status != 200:
            return PLAIN
        try:
            answer = self._api.parsed(exchange)
        except PaperdeskError:
            return PLAIN
        if not isinstance(answer, dict) or answer.get("service") != "paperdesk" or answer.get("api_version") != "v1":
            return PLAIN
        counts = answer["counts"] if isinstance(answer.get("counts"), dict) else {}
        return About(
            capabilities=frozenset(texts(answer.get("capabilities"))),
            as_of=day(answer.get("as_of")),
            counts={name: found for name, each in counts.items() if (found := count(each)) is not None},
            is_ours=True,
        )
