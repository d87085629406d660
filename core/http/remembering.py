"""What is kept of the answers of sources, for how long, and when an old one may stand in (references contract 5.6)."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from xml.etree.ElementTree import Element

from core.cache import Answer, Counters, Sized, Tier, TierCache
from core.clock import Clock
from core.errors import NotFound, SourceQueueFull, SourceRateLimited
from core.http.content import parse_json, parse_xml

_MIB = 1024 * 1024
_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400
STALE_S = 30 * _DAY_S
_ENTRY_BYTES = 1_024
"""Charged for what an entry holds beside its body."""


class Kind(StrEnum):
    """What an answer is, which is how long it is kept."""

    METADATA = "metadata"
    SEARCH = "search"
    TEXT = "text"
    TEX = "tex"
    AGENCY = "agency"
    UNKEPT = "unkept"


_LIVES = {
    Kind.METADATA: (7 * _DAY_S, 4_096, 32 * _MIB),
    Kind.SEARCH: (_DAY_S, 1_024, 16 * _MIB),
    Kind.TEXT: (30 * _DAY_S, 256, 48 * _MIB),
    Kind.TEX: (7 * _DAY_S, 64, 32 * _MIB),
    # That there is no such DOI comes as an answer like any other, and must not stand for longer than a miss.
    Kind.AGENCY: (10 * _MINUTE_S, 1_024, _MIB),
    Kind.UNKEPT: (0, 0, 0),
}
TIERS = {
    kind: Tier(kind.value, fresh_s=fresh_s, max_entries=entries, max_bytes=size, stale_s=STALE_S)
    for kind, (fresh_s, entries, size) in _LIVES.items()
}
MISSES = Tier("not_found", fresh_s=10 * _MINUTE_S, max_entries=4_096, max_bytes=_MIB)


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer that was taken. `url` is where it came from, without keys and contact.

    `stale`: it is past its life and stands in while the source is left alone; `stale_age_s` is its whole age then.
    """

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    url: str = field(repr=False)
    stale_age_s: float | None = None

    @property
    def stale(self) -> bool:
        """Whether it is past its life."""
        return self.stale_age_s is not None

    def json(self) -> Any:
        """The value of an answer that was wanted as JSON."""
        return parse_json(self.body)

    def xml(self) -> Element:
        """The root of an answer that was wanted as XML."""
        return parse_xml(self.body)


def cache_key(source: str, version: int, want: str, url: str) -> bytes:
    """What an answer is kept under: a digest, from which no reference can be read back; `url` without keys."""
    named = "\n".join((source, str(version), want, url))
    return hashlib.blake2b(named.encode(), digest_size=16).digest()


class Memory:
    """The answers that this process keeps; equal questions at one time are one request."""

    def __init__(self, clock: Clock, tiers: Mapping[Kind, Tier] = TIERS) -> None:
        self._tiers: dict[Kind, TierCache[Fetched]] = {
            kind: TierCache(tier, clock, _size, stands_in=_is_left_alone) for kind, tier in tiers.items()
        }
        self._misses: TierCache[str] = TierCache(MISSES, clock, len)

    def peek(self, kind: Kind, key: bytes) -> Fetched | None:
        """A fresh answer, if there is one; raises `NotFound` where the source said so not long ago."""
        missing = self._misses.peek(key)
        if missing is not None:
            raise NotFound(missing.value)
        held = self._tiers[kind].peek(key)
        return None if held is None else held.value

    async def get(self, kind: Kind, key: bytes, load: Callable[[], Awaitable[Fetched]]) -> Answer[Fetched]:
        """What `load` brings, shared by all who ask meanwhile."""

        async def noted() -> Fetched:
            try:
                return await load()
            except NotFound as missing:
                self._misses.put(key, Sized(missing.message, _ENTRY_BYTES // 4))
                raise

        def kept(found: Fetched) -> bytes | None:
            return key if found.status == 200 and kind is not Kind.UNKEPT else None

        return await self._tiers[kind].get(key, noted, keep_as=kept)

    def counters(self) -> Mapping[str, Counters]:
        """What each tier holds and has done."""
        tiers = {kind.value: tier.counters() for kind, tier in self._tiers.items()}
        return {**tiers, MISSES.name: self._misses.counters()}


def _size(found: Fetched) -> int:
    return len(found.body) + _ENTRY_BYTES


def _is_left_alone(failure: Exception) -> bool:
    """Whether the source is cooling down, or has just begun to: only then may an old answer stand in."""
    return isinstance(failure, SourceRateLimited) and not isinstance(failure, SourceQueueFull)
