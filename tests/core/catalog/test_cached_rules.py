"""Whatever happens in whatever order: an answer is current, young enough, or old with a notice (contract 15)."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.catalog.cached import CachedCatalog
from core.catalog.cached.operations import OPERATIONS
from core.catalog.cached.tiers import TIERS, TierName
from core.catalog.models import Entity as Named
from core.catalog.models import EntityKind, EntityMatches, MatchLevel, PaperRecord, PaperRow, TextChunk
from core.catalog.notices import collecting
from core.clock import ManualClock
from core.errors import NotFound, SourceUnreachable

GONE = -1


@dataclass
class Editions:
    """A backend whose every answer tells which edition of the catalog it is of; it may be down or hold nothing."""

    edition: int = 0
    is_down: bool = False
    is_empty: bool = False
    calls: int = 0

    async def paper(self, paper_id: str) -> PaperRecord:
        self._pass()
        if self.is_empty:
            raise NotFound("Gone.")
        return PaperRecord(PaperRow(paper_id, str(self.edition)))

    async def recent(self, limit: int) -> tuple[PaperRow, ...]:
        self._pass()
        return () if self.is_empty else (PaperRow("1", str(self.edition)),)

    async def find_entity(self, kind: EntityKind, text: str) -> EntityMatches:
        self._pass()
        if self.is_empty:
            return EntityMatches(None, ())
        return EntityMatches(MatchLevel.NAME, (Named(kind, "1", str(self.edition)),))

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        self._pass()
        if self.is_empty:
            raise NotFound("Gone.")
        return TextChunk(b"text", str(self.edition), 0, None, 4, paper_id)

    def _pass(self) -> None:
        self.calls += 1
        if self.is_down:
            raise SourceUnreachable("Down.", source="catalog")


@dataclass
class History:
    """Since when which edition was the current one; `GONE` while the backend held nothing."""

    changes: list[tuple[float, int]] = field(default_factory=lambda: [(0.0, 0)])

    def current_within(self, now_s: float, age_s: float) -> set[int]:
        """Editions that were current at any time less than `age_s` ago, or are now."""
        ends = [start for start, _ in self.changes[1:]] + [float("inf")]
        return {
            edition
            for (_, edition), end in zip(self.changes, ends, strict=True)
            if end > now_s - age_s
        }  # fmt: skip


async def ask(cached: CachedCatalog, operation: str) -> int:
    """The edition that an answer is of, or `GONE`."""
    try:
        match operation:
            case "paper":
                return int((await cached.paper("1")).row.title)
            case "recent":
                rows = await cached.recent(1)
                return int(rows[0].title) if rows else GONE
            case "find_entity":
                found = (await cached.find_entity(EntityKind.TASK, "Name")).entities
                return int(found[0].name) if found else GONE
            case _:
                return int((await cached.read("1", 0, 10, None)).version)
    except NotFound:
        return GONE


def bounds_s(operation: str) -> tuple[float, float, float]:
    """How old an answer may be, how much older one that stands in, and how old a miss."""
    tier = TIERS[OPERATIONS[operation][0]]
    fresh_s = (TIERS[TierName.CURRENT_VERSION] if operation == "read" else tier).fresh_s or 0
    # An empty list is an answer like any other; only misses of papers and names have the shorter time.
    return fresh_s, tier.stale_s, fresh_s if operation == "recent" else 30


async def follow(operation: str, steps: list[tuple[str, Any]]) -> None:
    clock, backend, history = ManualClock(), Editions(), History()
    fresh_s, stale_s, missed_s = bounds_s(operation)
    cached = CachedCatalog(backend, clock)  # type: ignore[arg-type]
    for step, value in steps:
        now_s = clock.monotonic_s()
        if step == "wait":
            clock.advance(value)
        elif step == "down":
            backend.is_down = value
        elif step == "edition":
            backend.edition += 1
            backend.is_empty = value
            history.changes.append((now_s, GONE if value else backend.edition))
        else:
            with collecting() as said:
                try:
                    got = await ask(cached, operation)
                except SourceUnreachable:
                    assert backend.is_down
                    continue
            if said:
                assert backend.is_down
                assert got in history.current_within(now_s, fresh_s + stale_s)
            else:
                assert got in history.current_within(now_s, missed_s if got == GONE else fresh_s)


STEPS = st.one_of(
    st.tuples(st.just("ask"), st.none()),
    st.tuples(st.just("ask"), st.none()),
    st.tuples(st.just("wait"), st.sampled_from([0.5, 29.5, 31, 60, 270, 300, 600, 3600])),
    st.tuples(st.just("down"), st.booleans()),
    st.tuples(st.just("edition"), st.booleans()),
)


@pytest.mark.parametrize("operation", ["paper", "recent", "find_entity", "read"])
@settings(max_examples=200, deadline=None)
@given(steps=st.lists(STEPS, max_size=30))
def test_an_answer_is_current_or_young_or_said_to_be_old(operation: str, steps: list[tuple[str, Any]]) -> None:
    # catalog A81, A83
    asyncio.run(follow(operation, steps))
