"""A backend with a memory: sharing, freshness, standing in, misses, spellings, texts and bounds (contract 15)."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.cached import CachedCatalog
from core.catalog.cached.operations import OPERATIONS
from core.catalog.cached.tiers import TIERS, TierName
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import (
    BenchmarkFilters,
    BenchmarkOrder,
    Direction,
    EntityKind,
    PaperFilters,
    PaperOrder,
    SearchMode,
    TextChunk,
)
from core.catalog.notices import collecting
from core.catalog.public_models import PUBLIC_MISS, PUBLIC_UNAVAILABLE, PublicMetadata, PublicPaper
from core.catalog.taxonomy_models import FrameworkFilters, MethodFilters, MethodOrder, TaskFilters, TaskOrder
from core.clock import ManualClock
from core.errors import (
    ContentChanged,
    Entry,
    InvalidInput,
    NoFullText,
    NotFound,
    PaperdeskError,
    SourceMalformed,
    SourceRateLimited,
    SourceTimeout,
    SourceUnreachable,
)
from core.identifiers import parse
from tests.odd_papers import DOI_TEXT_DOI, LONG_TEXT_ID, NO_TEXT_ID, OLD_STYLE_ID, SHORT_TEXT_ID
from tests.port_calls import PORT_CALLS
from tests.told_backend import EVERY, ToldBackend

DOWN = SourceUnreachable("The catalog is down. Try again later.", source="catalog")
PASSING = [
    DOWN,
    SourceTimeout("No answer in time.", source="catalog"),
    SourceRateLimited("Too many requests.", source="catalog", retry_after_s=7),
]
LASTING = [NotFound("Gone."), InvalidInput("Bad."), SourceMalformed("Odd.", source="catalog"), ContentChanged("New.")]
STANDING_IN = [name for name in PORT_CALLS if TIERS[OPERATIONS[name][0]].stale_s]


@pytest.fixture(scope="module")
def embedded(odd_directory: Path) -> Iterator[EmbeddedCatalog]:
    catalog = EmbeddedCatalog.open(odd_directory, kind="file")
    yield catalog
    catalog.close()


@pytest.fixture
def told(embedded: EmbeddedCatalog) -> ToldBackend:
    return ToldBackend(embedded)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def cached(told: ToldBackend, clock: ManualClock) -> CachedCatalog:
    return CachedCatalog(told, clock)


async def settle() -> None:
    """Lets every task that can run do so."""
    for _ in range(10):
        await asyncio.sleep(0)


def fresh_s(operation: str) -> float:
    """How long the first answer of an operation holds; a first chunk's while its version is known as current."""
    tier = TierName.CURRENT_VERSION if operation == "read" else OPERATIONS[operation][0]
    return TIERS[tier].fresh_s or 0


async def heard(port: CatalogBackend, operation: str) -> tuple[Any, list[str]]:
    """The answer of an operation and what was said with it."""
    with collecting() as said:
        answer = await PORT_CALLS[operation](port)
    return answer, list(said)


def test_every_operation_of_the_port_has_a_tier_and_a_test_call() -> None:
    port = {name for name in vars(CatalogBackend) if not name.startswith("_")}
    remembered = port - {"capabilities", "ping", "leaderboard"}
    assert set(PORT_CALLS) == remembered - {"public_metadata"}
    assert set(OPERATIONS) == remembered | {"benchmark_names"}


@pytest.mark.parametrize("operation", PORT_CALLS)
async def test_an_answer_holds_for_its_tiers_time(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, operation: str
) -> None:
    # catalog A81, A84
    first = await PORT_CALLS[operation](cached)
    assert first == await PORT_CALLS[operation](told.inner)
    clock.advance(fresh_s(operation) - 0.5)
    assert await heard(cached, operation) == (first, [])
    assert told.calls[operation] == 1
    clock.advance(0.5)
    assert await heard(cached, operation) == (first, [])
    assert told.calls[operation] == 2


async def test_public_metadata_holds_an_hour_and_that_nobody_could_be_asked_half_a_minute(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    # catalog A33
    wanted = parse(DOI_TEXT_DOI, titles=False, bare_digits="catalog")
    for answer, held_s in ((PUBLIC_UNAVAILABLE, 30), (PUBLIC_MISS, 3_600), (PublicMetadata(PublicPaper("A")), 3_600)):
        told.calls.clear()
        told.changes["public_metadata"] = lambda _, answer=answer: answer
        assert await cached.public_metadata(wanted) == answer
        clock.advance(held_s - 0.5)
        assert await cached.public_metadata(wanted) == answer
        assert told.calls["public_metadata"] == 1
        clock.advance(0.5)


def test_tiers_hold_for_the_times_of_the_contract() -> None:
    # catalog A81
    assert {name.value: (tier.fresh_s, tier.stale_s) for name, tier in TIERS.items()} == {
        "search": (60, 600),
        "taxonomy": (600, 86_400),
        "record": (300, 3_600),
        "leaderboard": (300, 3_600),
        "markdown": (3_600, 0),
        "current_version": (60, 0),
        "public_metadata": (3_600, 0),
        "resolution": (300, 3_600),
        "negative": (30, 0),
    }


@pytest.mark.parametrize("operation", PORT_CALLS)
async def test_a_hundred_equal_cold_calls_make_one(told: ToldBackend, cached: CachedCatalog, operation: str) -> None:
    # catalog A80
    before = asyncio.all_tasks()
    told.gate.clear()
    waiting = [asyncio.create_task(PORT_CALLS[operation](cached)) for _ in range(100)]
    await settle()
    told.gate.set()
    answers = await asyncio.gather(*waiting)
    assert answers == [await PORT_CALLS[operation](told.inner)] * 100
    assert told.calls[operation] == 1
    await settle()
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("operation", PORT_CALLS)
async def test_a_failure_reaches_all_who_wait_and_is_not_remembered(
    told: ToldBackend, cached: CachedCatalog, operation: str
) -> None:
    # catalog A80
    told.failures[operation] = DOWN
    told.gate.clear()
    waiting = [asyncio.create_task(PORT_CALLS[operation](cached)) for _ in range(10)]
    await settle()
    told.gate.set()
    failures = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(failure) for failure in failures] == [SourceUnreachable] * 10
    assert told.calls[operation] == 1
    told.failures.clear()
    assert await PORT_CALLS[operation](cached) == await PORT_CALLS[operation](told.inner)
    assert told.calls[operation] == 2


@pytest.mark.parametrize("operation", ["paper", "read"])
async def test_a_waiter_that_gives_up_leaves_the_call_to_the_others(
    told: ToldBackend, cached: CachedCatalog, operation: str
) -> None:
    before = asyncio.all_tasks()
    told.gate.clear()
    first, second = (asyncio.create_task(PORT_CALLS[operation](cached)) for _ in range(2))
    await settle()
    first.cancel()
    await settle()
    told.gate.set()
    assert await second == await PORT_CALLS[operation](told.inner)
    assert (first.cancelled(), told.calls[operation], told.cancelled) == (True, 1, 0)
    assert asyncio.all_tasks() == before


async def test_the_last_waiter_to_give_up_ends_the_call(told: ToldBackend, cached: CachedCatalog) -> None:
    before = asyncio.all_tasks()
    told.gate.clear()
    waiting = [asyncio.create_task(cached.paper(LONG_TEXT_ID)) for _ in range(3)]
    await settle()
    for task in waiting:
        task.cancel()
    await settle()
    assert told.cancelled == 1
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("operation", STANDING_IN)
async def test_an_old_answer_stands_in_with_its_age(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, operation: str
) -> None:
    # catalog A83
    first = await PORT_CALLS[operation](cached)
    told.failures[EVERY] = DOWN
    clock.advance(fresh_s(operation) + 300)
    answer, said = await heard(cached, operation)
    assert answer == first
    minutes = int(fresh_s(operation) + 300) // 60
    what = OPERATIONS[operation][1]
    assert f"The catalog is not answering; {what} is from memory, at least {minutes} minutes old." in said
    tier = TIERS[OPERATIONS[operation][0]]
    clock.advance(tier.stale_s - 300)
    with pytest.raises(SourceUnreachable):
        await PORT_CALLS[operation](cached)


@pytest.mark.parametrize("failure", PASSING)
async def test_every_passing_failure_is_stood_in_for(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, failure: PaperdeskError
) -> None:
    # catalog A83
    first = await cached.paper(LONG_TEXT_ID)
    told.failures["paper"] = failure
    clock.advance(300)
    assert await cached.paper(LONG_TEXT_ID) == first


@pytest.mark.parametrize(
    ("age_s", "said"), [(61, "61 seconds"), (119, "119 seconds"), (120, "2 minutes"), (659, "10 minutes")]
)
async def test_an_age_is_told_in_whole_units(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, age_s: float, said: str
) -> None:
    await cached.recent(5)
    told.failures["recent"] = DOWN
    clock.advance(age_s)
    sentence = f"The catalog is not answering; the list of papers is from memory, at least {said} old."
    assert (await heard(cached, "recent"))[1] == [sentence]


async def test_an_age_of_hours_is_told_in_hours(told: ToldBackend, cached: CachedCatalog, clock: ManualClock) -> None:
    await cached.task_page("81")
    told.failures["task_page"] = DOWN
    clock.advance(20 * 3600)
    assert (await heard(cached, "task_page"))[1] == [
        "The catalog is not answering; the task is from memory, at least 20 hours old."
    ]


@pytest.mark.parametrize("failure", LASTING)
async def test_nothing_stands_in_for_a_lasting_failure(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, failure: PaperdeskError
) -> None:
    # catalog A83
    await cached.paper(LONG_TEXT_ID)
    told.failures["paper"] = failure
    clock.advance(301)
    with pytest.raises(type(failure)):
        await cached.paper(LONG_TEXT_ID)


async def test_what_was_gone_never_stands_in_later(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    # catalog A83
    await cached.paper(LONG_TEXT_ID)
    told.failures["paper"] = NotFound("Gone.")
    clock.advance(301)
    with pytest.raises(NotFound):
        await cached.paper(LONG_TEXT_ID)
    told.failures["paper"] = DOWN
    clock.advance(31)
    with pytest.raises(SourceUnreachable):
        await cached.paper(LONG_TEXT_ID)


@pytest.mark.parametrize("paper_id", ["1999.00001", OLD_STYLE_ID.swapcase() + "9"])
async def test_a_missing_paper_is_asked_for_once_in_thirty_seconds(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, paper_id: str
) -> None:
    # catalog A81
    said = []
    for _ in range(2):
        with pytest.raises(NotFound) as raised:
            await cached.paper(paper_id)
        said.append((raised.value.message, raised.value.suggestions))
        clock.advance(29.5)
    assert said[0] == said[1]
    assert told.calls["paper"] == 1
    clock.advance(0.5)
    with pytest.raises(NotFound):
        await cached.paper(paper_id)
    assert told.calls["paper"] == 2


async def test_a_remembered_miss_keeps_its_suggestions_and_no_frames(told: ToldBackend, cached: CachedCatalog) -> None:
    original = NotFound("No such task.", suggestions=[Entry("81", name="Segmentation")])
    told.failures["task_page"] = original
    raised = []
    for _ in range(3):
        with pytest.raises(NotFound) as caught:
            await cached.task_page("9999")
        raised.append(caught.value)
    assert {(error.message, error.suggestions) for error in raised} == {(original.message, original.suggestions)}
    assert len({id(error) for error in raised}) == 3
    assert told.calls["task_page"] == 1


@pytest.mark.parametrize("operation", ["find", "find_titles", "find_entity", "find_authors"])
async def test_a_name_that_nothing_has_is_asked_again_after_thirty_seconds(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock, operation: str
) -> None:
    # catalog A81
    async def ask() -> Any:
        match operation:
            case "find":
                return await cached.find(parse("10.5555/nothing", titles=False, bare_digits="catalog"))
            case "find_entity":
                return await cached.find_entity(EntityKind.TASK, "Nothing")
            case _:
                return await getattr(cached, operation)("Nothing")

    told.sentence = "Rows that were no objects were skipped."
    with collecting() as said:
        first = await ask()
        clock.advance(29.5)
        said.clear()
        assert await ask() == first
    assert told.calls[operation] == 1
    assert list(said) == [told.sentence]
    clock.advance(0.5)
    await ask()
    assert told.calls[operation] == 2
    assert cached.counters()["negative"].hits == 1
    assert cached.counters()["resolution"].entries == 0


async def test_a_paper_without_text_is_asked_for_once_in_thirty_seconds(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    messages = set()
    for _ in range(2):
        with pytest.raises(NoFullText) as raised:
            await cached.read(NO_TEXT_ID, 0, 2048, None)
        messages.add(raised.value.message)
    assert (len(messages), told.calls["read"]) == (1, 1)
    clock.advance(30)
    with pytest.raises(NoFullText):
        await cached.read(NO_TEXT_ID, 0, 2048, None)
    assert told.calls["read"] == 2


PAGE = (Direction.ASC, 1, 5)
DOI = f"https://doi.org/{DOI_TEXT_DOI.upper()}"


@pytest.mark.parametrize(
    ("operation", "spellings"),
    [
        ("search", [(text, SearchMode.KEYWORD, PaperFilters(), (), 1, 5) for text in ("Fog  HORN", "fog horn ")]),
        (
            "list_papers",
            [
                (PaperFilters(search="Fog  HORN", author_ids=("2", "1", "2")), PaperOrder.TRENDING, *PAGE, True),
                (PaperFilters(search="fog horn", author_ids=("1", "2")), PaperOrder.TRENDING, *PAGE, True),
            ],
        ),
        ("find", [(parse(text, titles=False, bare_digits="catalog"),) for text in (DOI_TEXT_DOI, DOI)]),
        ("find_titles", [("The Art of  Measuring Fog",), (" the art of measuring fog",)]),
        ("near_titles", [("The Art of  Measuring",  3), (" the art of measuring", 3)]),
        ("find_entity", [(EntityKind.TASK, "SEGMENTATION"), (EntityKind.TASK, " Segmentation")]),
        ("near_entities", [(EntityKind.TASK, "SEGMENTATOIN", 3), (EntityKind.TASK, "segmentatoin ", 3)]),
        ("complete_entity", [(EntityKind.TASK, "SEG", 3), (EntityKind.TASK, "seg", 3)]),
        ("find_authors", [("Ada Quill",), ("ada  QUILL",)]),
        ("near_authors", [("Ada Quil", 3), ("ada  QUIL", 3)]),
        (
            "benchmarks",
            [(BenchmarkFilters(search=text), BenchmarkOrder.NAME, *PAGE) for text in ("Twin  BOARD", "twin board")],
        ),
        ("methods", [(MethodFilters(search=text), MethodOrder.NAME, *PAGE) for text in ("Tide", " tide")]),
        ("frameworks", [(FrameworkFilters(domain=text), 1, 5) for text in ("Vision", "VISION")]),
    ],
)  # fmt: skip
async def test_spellings_that_are_answered_alike_share_an_entry(
    told: ToldBackend, cached: CachedCatalog, operation: str, spellings: list[tuple[Any, ...]]
) -> None:
    # catalog A22
    answers = [await getattr(cached, operation)(*spelling) for spelling in spellings]
    assert answers == [await getattr(told.inner, operation)(*spelling) for spelling in spellings]
    assert told.calls[operation] == 1


async def test_different_parameters_have_entries_of_their_own(told: ToldBackend, cached: CachedCatalog) -> None:
    filters, tail = TaskFilters(search="segmentation"), (TaskOrder.NAME, Direction.ASC)
    for page, by_area in ((1, False), (2, False), (1, True)):
        await cached.tasks(filters, *tail, page, 1, by_area=by_area)
    await cached.tasks(replace(filters, visible_only=True), *tail, 1, 1, by_area=False)
    await cached.entities(EntityKind.AREA)
    await cached.entities(EntityKind.BENCHMARK)
    assert (told.calls["tasks"], told.calls["entities"]) == (4, 2)
    counters = cached.counters()
    assert (counters["taxonomy"].entries, counters["record"].entries) == (5, 1)


async def test_a_chunk_of_a_known_version_is_read_once_an_hour(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    # catalog A81, A84
    first = await cached.read(LONG_TEXT_ID, 0, 2048, None)
    assert first.next_offset is not None
    assert await cached.read(LONG_TEXT_ID, 0, 2048, first.version) == first
    assert told.calls["read"] == 1
    second = await cached.read(LONG_TEXT_ID, first.next_offset, 2048, first.version)
    assert second == await told.inner.read(LONG_TEXT_ID, first.next_offset, 2048, first.version)
    told.failures["read"] = DOWN
    clock.advance(3599.5)
    assert await cached.read(LONG_TEXT_ID, first.next_offset, 2048, first.version) == second
    assert told.calls["read"] == 2
    clock.advance(0.5)
    # Texts have no window in which an old chunk stands in.
    with pytest.raises(SourceUnreachable):
        await cached.read(LONG_TEXT_ID, first.next_offset, 2048, first.version)


async def test_another_limit_is_another_chunk(told: ToldBackend, cached: CachedCatalog) -> None:
    for limit in (1024, 2048, 1024):
        assert await cached.read(LONG_TEXT_ID, 0, limit, None) == await told.inner.read(LONG_TEXT_ID, 0, limit, None)
    assert told.calls["read"] == 2


async def test_reading_on_keeps_the_version_known_as_current(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    first = await cached.read(LONG_TEXT_ID, 0, 2048, None)
    clock.advance(59)
    assert first.next_offset is not None
    await cached.read(LONG_TEXT_ID, first.next_offset, 2048, first.version)
    clock.advance(59)
    assert await cached.read(LONG_TEXT_ID, 0, 2048, None) == first
    assert told.calls["read"] == 2


async def test_a_new_version_is_seen_within_a_minute_and_ends_the_old_one(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    old = await cached.read(SHORT_TEXT_ID, 0, 2048, None)

    def renewed(chunk: TextChunk) -> TextChunk:
        return replace(chunk, version="f" * 64, body=b"# New\n")

    told.changes["read"] = renewed
    assert await cached.read(SHORT_TEXT_ID, 0, 2048, None) == old
    clock.advance(60)
    new = await cached.read(SHORT_TEXT_ID, 0, 2048, None)
    assert (new.version, new.body) == ("f" * 64, b"# New\n")
    told.failures["read"] = ContentChanged("The text has changed.")
    with pytest.raises(ContentChanged):
        await cached.read(SHORT_TEXT_ID, 0, 2048, old.version)


async def test_a_changed_text_is_asked_for_anew(told: ToldBackend, cached: CachedCatalog) -> None:
    first = await cached.read(LONG_TEXT_ID, 0, 2048, None)
    told.failures["read"] = ContentChanged("The text has changed.")
    with pytest.raises(ContentChanged):
        await cached.read(LONG_TEXT_ID, 2048, 2048, first.version)
    told.failures.clear()
    await cached.read(LONG_TEXT_ID, 0, 2048, None)
    assert told.calls["read"] == 3


async def test_raw_leaderboards_the_ping_and_the_abilities_are_the_backends_own(
    told: ToldBackend, cached: CachedCatalog
) -> None:
    for _ in range(2):
        assert await cached.leaderboard("501", 1, 10) == await told.inner.leaderboard("501", 1, 10)
        await cached.ping()
    assert (told.calls["leaderboard"], told.calls["ping"]) == (2, 2)
    assert cached.capabilities() == told.capabilities()
    told.failures["ping"] = DOWN
    with pytest.raises(SourceUnreachable):
        await cached.ping()


async def test_search_traffic_evicts_searches_only(told: ToldBackend, cached: CachedCatalog) -> None:
    # catalog A82
    told.changes["search"] = lambda found: replace(found, fallback_reason="x" * 1_000_000)
    await PORT_CALLS["task_page"](cached)
    await PORT_CALLS["paper"](cached)
    for page in range(1, 21):
        await cached.search("lantern", SearchMode.KEYWORD, PaperFilters(), (), page, 1)
    counters = cached.counters()
    assert (counters["search"].entries, counters["search"].evictions) == (8, 12)
    assert 8_000_000 < counters["search"].bytes <= 8 * 1024 * 1024
    assert [name for name, counted in counters.items() if counted.evictions] == ["search"]
    await PORT_CALLS["task_page"](cached)
    await PORT_CALLS["paper"](cached)
    assert (told.calls["task_page"], told.calls["paper"]) == (1, 1)


async def test_an_answer_over_a_quarter_of_its_tier_is_given_and_not_kept(
    told: ToldBackend, cached: CachedCatalog
) -> None:
    told.changes["search"] = lambda found: replace(found, fallback_reason="x" * (2 * 1024 * 1024))
    for _ in range(2):
        await PORT_CALLS["search"](cached)
    assert told.calls["search"] == 2
    assert cached.counters()["search"].bytes == 0


async def test_what_a_backend_said_is_heard_by_all_who_are_given_the_answer(
    told: ToldBackend, cached: CachedCatalog, clock: ManualClock
) -> None:
    told.sentence = "Rows that were no objects were skipped."
    told.gate.clear()
    waiting = [asyncio.create_task(heard(cached, "recent")) for _ in range(2)]
    await settle()
    told.gate.set()
    assert [said for _, said in await asyncio.gather(*waiting)] == [[told.sentence]] * 2
    assert (await heard(cached, "recent"))[1] == [told.sentence]
    told.failures["recent"] = DOWN
    clock.advance(60)
    assert (await heard(cached, "recent"))[1] == [
        "The catalog is not answering; the list of papers is from memory, at least 60 seconds old.",
        told.sentence,
    ]


async def test_counters_tell_what_each_tier_did(told: ToldBackend, cached: CachedCatalog, clock: ManualClock) -> None:
    assert set(cached.counters()) == {name.value for name in TierName} - {"leaderboard"}
    for _ in range(3):
        await PORT_CALLS["recent"](cached)
    told.failures["recent"] = DOWN
    clock.advance(60)
    await PORT_CALLS["recent"](cached)
    counted = cached.counters()["search"]
    assert (counted.hits, counted.misses, counted.joined, counted.stale, counted.evictions) == (2, 2, 0, 1, 0)
    assert counted.entries == 1
