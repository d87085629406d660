"""The catalog tools over a backend with a memory: shared entries, notes, and merged leaderboards."""

import asyncio
from collections import Counter

import pytest

from core.catalog.cached import CachedCatalog
from core.catalog.cached.tiers import TierName
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.service import Catalog
from core.clock import ManualClock
from core.errors import NotFound, SourceUnreachable
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET
from tests.catalog_desk import KEYS, SITE_URL, Desk, Json
from tests.odd_boards import BIG_BENCHMARK
from tests.odd_papers import LONG_TEXT_ID
from tests.told_backend import EVERY, ToldBackend

DOWN = SourceUnreachable("The catalog is down. Try again later.", source="catalog")
SKIPPED = "Rows that were no objects were skipped."
REFERENCES = (
    "1905.90001",
    "1905.90001v3",
    "arXiv:1905.90001",
    "arxiv: 1905.90001v2",
    "10.48550/arXiv.1905.90001",
    "https://doi.org/10.48550/arXiv.1905.90001",
    "arxiv.org/abs/1905.90001",
    "https://www.arxiv.org/pdf/1905.90001v2.pdf?download=1#page=2",
    "export.arxiv.org/html/1905.90001",
    "alphaxiv.org/abs/1905.90001",
    "ar5iv.labs.arxiv.org/html/1905.90001",
    "huggingface.co/papers/1905.90001",
    "https://hf.co/papers/1905.90001",
    "www.semanticscholar.org/arxiv/1905.90001",
    "paperswithcode.com/paper/1905.90001",
)
CALLS: list[tuple[str, Json]] = [
    ("search_papers", {"query": "lantern", "mode": "keyword"}),
    ("get_paper_info", {"paper": "1905.90001", "include_evaluations": True}),
    ("get_paper_evaluations", {"paper": "2403.90002"}),
    ("list_papers", {"task": "Lantern Tracking"}),
    ("list_recent_papers", {}),
    ("list_trending_papers", {}),
    ("get_related_papers", {"paper": "1905.90001"}),
    ("get_paper_lineage", {"paper": "1905.90001"}),
    ("get_task", {"task": "Lantern Tracking"}),
    ("list_tasks", {}),
    ("get_method", {"method": "QuillNet"}),
    ("list_methods", {}),
    ("get_conference", {"conference": "fog-2022"}),
    ("list_conferences", {}),
    ("get_organization", {"organization": "Lighthouse Institute"}),
    ("list_organizations", {}),
    ("get_framework", {"framework": "framework-00"}),
    ("list_frameworks", {}),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK}),
    ("list_benchmarks", {"group_by_area": True}),
]


class Remembering:
    """The tools over a memory over a backend that does what it is told, and the clock of all."""

    def __init__(self, embedded: EmbeddedCatalog, *, kind: str = "http") -> None:
        self.clock = ManualClock()
        self.told = ToldBackend(embedded, kind=kind)
        self.desk = Desk(CachedCatalog(self.told, self.clock), clock=self.clock)


@pytest.fixture
def room(odd_backend: EmbeddedCatalog) -> Remembering:
    return Remembering(odd_backend)


def test_every_tool_with_notes_is_called_here() -> None:
    assert {name for name, _ in CALLS} | {"read_paper"} == set(BoundToolset(TOOLSET, None, clock=ManualClock()).names)


async def test_spellings_of_one_paper_share_entries_in_every_tool(room: Remembering) -> None:
    # catalog A22
    for reference in REFERENCES:
        for tool in ("get_paper_info", "get_related_papers", "get_paper_lineage", "get_paper_evaluations"):
            await room.desk.result(tool, paper=reference)
    for reference in ("2401.90001", "arXiv:2401.90001v2", "https://arxiv.org/pdf/2401.90001.pdf"):
        await room.desk.result("read_paper", paper=reference)
    asked = Counter({name: count for name, count in room.told.calls.items() if name != "benchmark"})
    assert asked == {"paper": 1, "related": 1, "lineage": 1, "evaluations_of_paper": 1, "read": 1}


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_what_a_backend_says_is_in_notes_and_text(room: Remembering, tool: str, arguments: Json) -> None:
    room.told.sentence = SKIPPED
    for _ in range(2):
        outcome = await room.desk.call(tool, **arguments)
        assert outcome.structured is not None
        assert outcome.structured["notes"].count(SKIPPED) == 1
        assert SKIPPED in outcome.texts[0]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_an_answer_that_stands_in_is_the_old_one_with_a_note(
    room: Remembering, tool: str, arguments: Json
) -> None:
    # catalog A83
    first = await room.desk.result(tool, **arguments)
    room.told.failures[EVERY] = DOWN
    room.clock.advance(600)
    second = await room.desk.result(tool, **arguments)
    added = [note for note in second["notes"] if note not in first.get("notes", [])]
    assert all(
        note.startswith("The catalog is not answering; ") and note.endswith(" is from memory, at least 10 minutes old.")
        for note in added
    )
    assert added
    assert {**second, "notes": None} == {**first, "notes": None}


async def test_the_second_first_chunk_within_a_minute_asks_nobody(room: Remembering) -> None:
    # catalog A84
    first = await room.desk.result("read_paper", paper=LONG_TEXT_ID)
    room.clock.advance(59)
    room.told.failures[EVERY] = DOWN
    second = await room.desk.result("read_paper", paper=LONG_TEXT_ID)
    assert second["markdown"] == first["markdown"]
    assert room.told.calls == {"read": 1}


async def test_a_changed_leaderboard_is_seen_after_five_minutes(room: Remembering) -> None:
    # catalog A81
    for wait_s, asked in ((0, 1), (299.5, 1), (0.5, 2)):
        room.clock.advance(wait_s)
        await room.desk.result("get_benchmark", benchmark=BIG_BENCHMARK)
        assert room.told.calls["leaderboard"] == asked


async def test_an_embedded_leaderboard_is_merged_once(odd_backend: EmbeddedCatalog) -> None:
    clock = ManualClock()
    told = ToldBackend(odd_backend, kind="file")
    desk = Desk(told, clock=clock)
    for _ in range(2):
        await desk.result("get_benchmark", benchmark=BIG_BENCHMARK)
        clock.advance(10 * 365 * 86_400)
    assert told.calls["leaderboard"] == 1


async def test_a_hundred_equal_cold_leaderboards_are_merged_once(room: Remembering) -> None:
    # catalog A80
    room.told.gate.clear()
    waiting = [
        asyncio.create_task(room.desk.result("get_benchmark", benchmark=BIG_BENCHMARK, page=number % 3 + 1))
        for number in range(100)
    ]
    for _ in range(20):
        await asyncio.sleep(0)
    room.told.gate.set()
    answers = await asyncio.gather(*waiting)
    assert {answer["merged_count"] for answer in answers} == {answers[0]["merged_count"]}
    assert room.told.calls == {"find_entity": 1, "benchmark": 1, "leaderboard": 1}


async def test_an_old_leaderboard_stands_in_for_an_hour_unless_it_is_gone(room: Remembering) -> None:
    # catalog A83
    await room.desk.result("get_benchmark", benchmark=BIG_BENCHMARK)
    room.told.failures["leaderboard"] = DOWN
    room.clock.advance(300 + 300)
    result = await room.desk.result("get_benchmark", benchmark=BIG_BENCHMARK)
    assert "The catalog is not answering; the leaderboard is from memory, at least 10 minutes old." in result["notes"]
    room.told.failures["benchmark"] = NotFound("Gone.")
    room.clock.advance(300)
    assert (await room.desk.call("get_benchmark", benchmark=BIG_BENCHMARK)).texts == ("not_found: Gone.",)
    room.told.failures["benchmark"] = DOWN
    room.clock.advance(31)
    outcome = await room.desk.call("get_benchmark", benchmark=BIG_BENCHMARK)
    assert outcome.is_error and outcome.texts[0].startswith("upstream_error: ")


async def test_counters_are_by_tier_whatever_the_backend(room: Remembering, odd_backend: EmbeddedCatalog) -> None:
    def catalog(backend: CachedCatalog | EmbeddedCatalog) -> Catalog:
        return Catalog(backend, cursor_keys=KEYS, clock=room.clock, chunk_bytes=1024, site_url=SITE_URL)

    cached = CachedCatalog(room.told, room.clock)
    assert set(catalog(cached).cache_counters()) == {name.value for name in TierName}
    assert set(catalog(odd_backend).cache_counters()) == {"leaderboard"}
