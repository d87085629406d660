"""What every catalog backend promises of searches and paper lists (catalog contract 10 and 11)."""

from collections.abc import Awaitable, Callable
from datetime import date
from typing import Any

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.models import (
    CountKind,
    Direction,
    EntityKind,
    PaperFilters,
    PaperOrder,
    PaperRow,
    PaperRows,
    SearchMode,
    SearchRows,
)
from core.errors import InvalidInput, Unavailable
from tests.odd_papers import (
    AS_OF,
    DASH_TITLE,
    EXTERNAL_ID,
    LONG_TEXT_ID,
    NAMESAKE,
    NAMESAKE_IDS,
    SHORT_TEXT_ID,
    TWIN_IDS,
    TWIN_TITLE,
    papers,
)

MODES = tuple(SearchMode)
ANY = PaperFilters()


async def search(
    backend: CatalogBackend,
    query: str,
    mode: SearchMode = SearchMode.KEYWORD,
    filters: PaperFilters = ANY,
    *,
    pinned: tuple[str, ...] = (),
    page: int = 1,
    size: int = 25,
) -> SearchRows:
    return await backend.search(query, mode, filters, pinned, page, size)


async def listed(
    backend: CatalogBackend,
    filters: PaperFilters = ANY,
    order: PaperOrder = PaperOrder.TRENDING,
    direction: Direction = Direction.DESC,
) -> list[PaperRow]:
    """All papers that pass, over pages of 25."""

    async def fetch(page: int) -> PaperRows:
        return await backend.list_papers(filters, order, direction, page, 25, False)

    return await every_page(fetch)


async def every_page(fetch: Callable[[int], Awaitable[SearchRows | PaperRows]]) -> list[PaperRow]:
    """Rows of pages 1 to the end, after checking that the count is the same on every page and true."""
    rows: list[PaperRow] = []
    first = await fetch(1)
    page, answer = 1, first
    while answer.rows:
        assert answer.count == first.count
        rows += answer.rows
        page += 1
        answer = await fetch(page)
    assert answer.count == first.count == len(rows)
    assert len({row.id for row in rows}) == len(rows)
    return rows


def first_day(published: str | None) -> date | None:
    if published is None:
        return None
    return date.fromisoformat((published + "-01-01")[:10])


# catalog A38, A42
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("query", ["lantern tracking", "sparse models of kelp", "BRAMBLE", TWIN_TITLE, "crowd"])
async def test_search_pages_join_without_repeats_or_gaps(backend: CatalogBackend, mode: SearchMode, query: str) -> None:
    small = await every_page(lambda page: search(backend, query, mode, page=page, size=7))
    large = await every_page(lambda page: search(backend, query, mode, page=page, size=25))
    assert small == large
    assert small


# catalog A42
async def test_search_page_past_the_end_is_empty_with_the_true_count(backend: CatalogBackend) -> None:
    first = await search(backend, "otter")
    assert await search(backend, "otter", page=99) == SearchRows((), first.count, CountKind.TOTAL, SearchMode.KEYWORD)


# catalog A37
@pytest.mark.parametrize("mode", [SearchMode.KEYWORD, SearchMode.HYBRID])
@pytest.mark.parametrize(
    ("query", "pinned", "first"),
    [
        ("Knots in Old Ropes", (), ["math.GT/0309136"]),
        ("1905.90001", ("1905.90001",), ["1905.90001"]),
        ("10.5555/harbour.2021.17", ("1905.90001",), ["1905.90001"]),
        (EXTERNAL_ID, (EXTERNAL_ID,), [EXTERNAL_ID]),
        (TWIN_TITLE.upper(), (), list(TWIN_IDS)),
        ("slow wave attention - dont blink", (), ["2404.90007"]),
        (DASH_TITLE, (), ["2404.90007"]),
        ("Quillfish", (), ["1905.90001"]),
        ("Heron", ("1905.90001",), ["1905.90001", "2404.90003", "2404.90004"]),
        ("lantern", ("no such id", "1905.90001", "1905.90001"), ["1905.90001"]),
    ],
)
async def test_papers_that_the_query_names_come_first_and_once(
    backend: CatalogBackend, mode: SearchMode, query: str, pinned: tuple[str, ...], first: list[str]
) -> None:
    rows = await every_page(lambda page: search(backend, query, mode, pinned=pinned, page=page, size=9))
    assert [row.canonical_id for row in rows[: len(first)]] == first


async def test_semantic_search_has_no_pinned_hits(backend: CatalogBackend) -> None:
    without = await search(backend, "tide forecasting", SearchMode.SEMANTIC)
    assert await search(backend, "tide forecasting", SearchMode.SEMANTIC, pinned=("1905.90001",)) == without


async def test_pinned_papers_outside_the_filters_are_left_out(backend: CatalogBackend) -> None:
    filters = PaperFilters(published_after="2024-03-01")
    rows = await every_page(
        lambda page: search(backend, TWIN_TITLE, filters=filters, pinned=("1905.90001",), page=page)
    )
    assert {row.canonical_id for row in rows} & {"1905.90001", *TWIN_IDS} == set()


# catalog A40
@pytest.mark.parametrize("mode", MODES)
async def test_filters_hold_in_every_mode(backend: CatalogBackend, mode: SearchMode) -> None:
    filters = PaperFilters(
        published_after="2022-01-01", published_before="2024-12-31", has_official_implementation=True
    )
    rows = await every_page(lambda page: search(backend, "lantern models tracking", mode, filters, page=page))
    assert rows
    assert all(row.has_official_implementation for row in rows)
    assert all("2022" <= (row.published or "") <= "2024-12-31" for row in rows)


@pytest.mark.parametrize("mode", MODES)
async def test_a_filter_that_no_paper_passes_gives_no_rows(backend: CatalogBackend, mode: SearchMode) -> None:
    for filters in (
        PaperFilters(published_after="2100-01-01"),
        PaperFilters(task_id="none"),
        PaperFilters(task_id="1"),
    ):
        answer = await search(backend, "lantern", mode, filters, pinned=("1905.90001",))
        assert (answer.rows, answer.count) == ((), 0)


async def test_keyword_search_counts_all_matches_and_ranking_modes_their_pool(backend: CatalogBackend) -> None:
    kinds = {mode: (await search(backend, "lantern", mode)).count_kind for mode in MODES}
    assert kinds == {
        SearchMode.HYBRID: CountKind.POOL,
        SearchMode.KEYWORD: CountKind.TOTAL,
        SearchMode.SEMANTIC: CountKind.POOL,
    }


# catalog A41
async def test_query_operators_are_plain_words(backend: CatalogBackend) -> None:
    found = await search(backend, '"a AND b:c*("')
    assert found.rows[0].canonical_id == "2404.90009"
    plain = await search(backend, "lantern otter")
    for query in ("lantern +otter", "(lantern) ^otter*", "lantern: [otter}", "lantern && otter~", '"lantern" "otter"'):
        assert await search(backend, query) == plain


async def test_a_quoted_query_is_a_phrase(backend: CatalogBackend) -> None:
    phrase = await every_page(lambda page: search(backend, '"writing networks"', page=page))
    words = await every_page(lambda page: search(backend, "networks writing", page=page))
    assert [row.canonical_id for row in phrase] == ["1905.90001"]
    assert len(words) > 1 or words == phrase
    assert (await search(backend, '"networks writing"')).count == 0


async def test_authors_and_other_scripts_are_searched(backend: CatalogBackend) -> None:
    assert "1905.90001" in {row.canonical_id for row in (await search(backend, "灯籠")).rows}
    assert (await search(backend, "Härön Moth Cy")).rows[0].canonical_id == "1905.90001"
    assert (await search(backend, "LANTERN")).rows == (await search(backend, "lanterns")).rows


@pytest.mark.parametrize("mode", [SearchMode.KEYWORD, SearchMode.HYBRID])
@pytest.mark.parametrize("query", ["???", "— …", " ".join(f"w{number}" for number in range(65))])
async def test_a_query_without_a_term_or_with_too_many_is_refused(
    backend: CatalogBackend, mode: SearchMode, query: str
) -> None:
    with pytest.raises(InvalidInput):
        await search(backend, query, mode)


async def test_sixty_four_terms_are_searched(backend: CatalogBackend) -> None:
    assert (await search(backend, "lantern " + " ".join(f"w{number}" for number in range(63)))).count > 0


# catalog A36
async def test_without_vectors_hybrid_answers_as_keyword_and_semantic_is_unavailable(
    backend_without_vectors: CatalogBackend,
) -> None:
    assert backend_without_vectors.capabilities().has_vectors is False
    hybrid = await search(backend_without_vectors, "lantern", SearchMode.HYBRID)
    keyword = await search(backend_without_vectors, "lantern")
    assert (hybrid.rows, hybrid.count, hybrid.count_kind) == (keyword.rows, keyword.count, CountKind.TOTAL)
    assert hybrid.mode_used is SearchMode.KEYWORD
    assert hybrid.fallback_reason == "This catalog holds no vectors."
    assert keyword.fallback_reason is None
    with pytest.raises(Unavailable):
        await search(backend_without_vectors, "lantern", SearchMode.SEMANTIC)


VELOCITIES = {record["title"]: float(record["velocity"]) for record in papers() if "velocity" in record}


def trending_value(row: PaperRow) -> float:
    if row.title in VELOCITIES:
        return VELOCITIES[row.title]
    published = first_day(row.published)
    if published is None or row.citation_count is None:
        return 0.0
    return row.citation_count / max(30, (date.fromisoformat(AS_OF) - published).days)


def sort_key(row: PaperRow, order: PaperOrder, direction: Direction) -> tuple[Any, ...]:
    sign = -1 if direction is Direction.DESC else 1
    day = first_day(row.published)
    ordinal = None if day is None else day.toordinal()
    newest = (ordinal is None, -(ordinal or 0), int(row.id))
    citations = row.citation_count
    match order:
        case PaperOrder.DATE_PUBLISHED:
            return (ordinal is None, sign * (ordinal or 0), citations is None, -(citations or 0), int(row.id))
        case PaperOrder.CITATION_COUNT:
            return (citations is None, sign * (citations or 0), *newest)
        case PaperOrder.TRENDING:
            return (sign * trending_value(row), *newest)


# catalog A38, A47, A48
@pytest.mark.parametrize("order", PaperOrder)
@pytest.mark.parametrize("direction", Direction)
async def test_lists_are_in_order_with_missing_values_last(
    backend: CatalogBackend, order: PaperOrder, direction: Direction
) -> None:
    rows = await listed(backend, order=order, direction=direction)
    assert len(rows) == len(papers())
    assert rows == sorted(rows, key=lambda row: sort_key(row, order, direction))


async def test_lists_keep_only_the_latest_record_when_asked(backend: CatalogBackend) -> None:
    every, latest = await listed(backend), await listed(backend, PaperFilters(latest_only=True))
    assert {row.title for row in every} - {row.title for row in latest} == {"Lanterns at Length (draft)"}


async def test_dates_bound_lists_at_both_ends_and_drop_undated_papers(backend: CatalogBackend) -> None:
    rows = await listed(backend, PaperFilters(published_after="2019-01-01", published_before="2019-05-01"))
    assert {row.canonical_id for row in rows} == {EXTERNAL_ID, "1905.90001"}
    older = await listed(backend, PaperFilters(published_before="2003-09-01"))
    assert {row.published for row in older} == {"2003-09", "1996-01-29"}
    newer = await listed(backend, PaperFilters(published_after="2025-06-20"))
    assert [row.published for row in newer] == ["2025-06-30"]


async def test_entity_filters_keep_exactly_the_papers_of_the_entity(backend: CatalogBackend) -> None:
    wanted = {
        ("task_id", EntityKind.TASK, "Reading Comprehension"): lambda each: "reading" in each.get("tasks", ()),
        ("method_id", EntityKind.METHOD, "QuillNet"): lambda each: "quill" in each.get("methods", ()),
        ("organization_id", EntityKind.ORGANIZATION, "Harbour Lab 07"): lambda each: (
            "org-7" in each.get("organizations", ())
        ),
        ("framework_id", EntityKind.FRAMEWORK, "Framework 06"): lambda each: (
            "framework-6" in each.get("frameworks", ())
        ),
        ("conference_id", EntityKind.CONFERENCE, "fog-2022"): lambda each: each.get("conference") == "fog-2022",
    }
    for (field, kind, name), holds in wanted.items():
        (entity,) = (await backend.find_entity(kind, name)).entities
        rows = await listed(backend, PaperFilters(**{field: entity.id}))
        assert {row.title for row in rows} == {each["title"].strip() for each in papers() if holds(each)}, name
        assert rows, name


# catalog A45
async def test_the_author_filter_tells_namesakes_apart_and_wants_all(backend: CatalogBackend) -> None:
    first, second = [author for author in await backend.find_authors(NAMESAKE) if author.id in NAMESAKE_IDS]
    (bo,) = await backend.find_authors("@boheron")
    of_first = await listed(backend, PaperFilters(author_ids=(first.id,)))
    of_second = await listed(backend, PaperFilters(author_ids=(second.id,)))
    assert of_first and of_second
    assert {row.id for row in of_first} & {row.id for row in of_second} == set()
    together = await listed(backend, PaperFilters(author_ids=(first.id, bo.id)))
    assert {row.canonical_id for row in together} == {"1905.90001", LONG_TEXT_ID, SHORT_TEXT_ID}


# catalog A9
async def test_the_search_filter_wants_all_words_and_reads_no_operators(backend: CatalogBackend) -> None:
    rows = await listed(backend, PaperFilters(search="otters sparse"))
    assert rows
    assert all("Sparse" in row.title and "Otter" in row.title for row in rows)
    assert [row.canonical_id for row in await listed(backend, PaperFilters(search="-foo"))] == ["2404.90009"]
    assert await listed(backend, PaperFilters(search="otter zzzz")) == []
    assert await listed(backend, PaperFilters(search="—")) == []


async def test_rows_carry_methods_and_repositories_only_when_asked(backend: CatalogBackend) -> None:
    filters = PaperFilters(search="quillfish")
    plain = await backend.list_papers(filters, PaperOrder.TRENDING, Direction.DESC, 1, 5, False)
    full = await backend.list_papers(filters, PaperOrder.TRENDING, Direction.DESC, 1, 5, True)
    assert (plain.rows[0].methods, plain.rows[0].repositories) == (None, None)
    methods, repositories = full.rows[0].methods, full.rows[0].repositories
    assert methods is not None and repositories is not None
    assert [method.name for method in methods] == ["QuillNet"]
    assert [each.is_official for each in repositories] == [True] + [False] * 11
    bare = await backend.list_papers(PaperFilters(search="ropes"), PaperOrder.TRENDING, Direction.DESC, 1, 5, True)
    assert (bare.rows[0].methods, bare.rows[0].repositories) == ((), ())


# catalog A13
async def test_a_row_shows_ten_authors_and_counts_them_all(backend: CatalogBackend) -> None:
    (row,) = (await search(backend, '"a crowd looks"')).rows
    assert row.authors == tuple(f"Crowd Member {number:04}" for number in range(10))
    assert row.author_count == 1300
