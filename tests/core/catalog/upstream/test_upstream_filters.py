"""Filters sent to an upstream are confirmed, or the call fails: unfiltered rows are never shown."""

from typing import Any

import pytest

from core.catalog.models import (
    Author,
    BenchmarkFilters,
    BenchmarkOrder,
    CountKind,
    Direction,
    PaperFilters,
    PaperOrder,
    SearchMode,
)
from core.catalog.notices import collecting
from core.catalog.taxonomy_models import MethodFilters, MethodOrder, TaskFilters, TaskOrder
from core.catalog.upstream.catalog import UpstreamCatalog
from core.errors import InvalidInput, SourceMalformed, Unavailable
from tests.scripted_upstream import ScriptedUpstream, answer, page

ROW = {"id": 7, "title": "A Paper", "published": "2024-03"}
FILTERS = PaperFilters(
    published_after="2024-01-01", published_before="2024-12-31", task_id="5", has_official_implementation=True
)
ECHO = {"start_date": "2024-01-01", "end_date": "2024-12-31", "task": 5, "has_official_implementation": True}


async def listed(catalog: UpstreamCatalog, filters: PaperFilters, number: int = 1) -> Any:
    return await catalog.list_papers(filters, PaperOrder.CITATION_COUNT, Direction.ASC, number, 10, True)


async def searched(catalog: UpstreamCatalog, filters: PaperFilters, mode: SearchMode = SearchMode.HYBRID) -> Any:
    return await catalog.search("fog", mode, filters, (), 1, 10)


async def test_a_list_sends_its_filters_under_the_names_of_the_api(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts["papers/"] = answer(page([ROW], 1, next_page=2) | {"applied_filters": ECHO})
    found = await listed(catalog, FILTERS)
    assert ([row.id for row in found.rows], found.count, found.has_more) == (["7"], 1, True)
    assert upstream.asked == [
        "papers/?task=5&start_date=2024-01-01&end_date=2024-12-31&has_official_implementation=true&latest_only=false"
        "&order_by=citation_count&order_dir=asc&page_size=10&include_resources=true&page=1"
    ]


# catalog A43
@pytest.mark.parametrize("name", ECHO)
@pytest.mark.parametrize("change", ["left out", "other"])
async def test_a_list_whose_filter_is_not_confirmed_is_refused_naming_it(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, name: str, change: str
) -> None:
    echo = {key: value for key, value in ECHO.items() if key != name} | ({name: "other"} if change == "other" else {})
    upstream.scripts["papers/"] = answer(page([ROW], 1) | {"applied_filters": echo})
    with pytest.raises(SourceMalformed, match=name):
        await listed(catalog, FILTERS)
    upstream.scripts["papers/"] = answer(page([], 0) | {"applied_filters": echo})
    assert (await listed(catalog, FILTERS)).rows == ()


@pytest.mark.parametrize(
    "echo", [{"order_by": "trending"}, {"order_dir": "desc"}, {"latest_only": "true"}, {"search": "x"}]
)
async def test_what_a_list_says_of_its_order_and_words_must_be_what_was_asked(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, echo: dict[str, str]
) -> None:
    upstream.scripts["papers/"] = answer(page([ROW], 1) | {"applied_filters": echo})
    with pytest.raises(SourceMalformed):
        await listed(catalog, PaperFilters(search="fog"))


# catalog A43
@pytest.mark.parametrize(
    ("echo", "days", "is_confirmed"),
    [
        ({}, ["2024-01-01", "2024-12"], True),
        ({}, ["2024-01-01", "2023-12-31"], False),
        ({}, ["2025"], False),
        ({}, ["2024", None], False),
        ({"start_date": "2024-01-01", "end_date": "2024-12-31"}, ["2024-05-05", None], True),
        ({"start_date": "2023-01-01"}, ["2024-05-05"], False),
    ],
)
async def test_dates_of_a_search_are_confirmed_by_echo_or_by_every_row(
    upstream: ScriptedUpstream,
    catalog: UpstreamCatalog,
    echo: dict[str, str],
    days: list[str | None],
    is_confirmed: bool,
) -> None:
    rows = [{"id": place, "title": "T", "date_published": day} for place, day in enumerate(days)]
    upstream.scripts["papers/search"] = answer(page(rows, len(rows)) | {"applied_filters": echo})
    filters = PaperFilters(published_after="2024-01-01", published_before="2024-12-31")
    if is_confirmed:
        assert [row.published for row in (await searched(catalog, filters)).rows] == days
    else:
        with pytest.raises(SourceMalformed):
            await searched(catalog, filters)


# catalog A44
async def test_an_empty_search_needs_no_confirmation(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    upstream.scripts["papers/search"] = answer({"results": [], "applied_filters": {}})
    found = await searched(catalog, PaperFilters(published_after="2024-01-01", has_official_implementation=True))
    assert (found.rows, found.count, found.count_kind, found.mode_used) == ((), None, None, None)


async def test_a_search_says_which_mode_ran(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    more = {"search_mode_used": "keyword", "count_kind": "total", "applied_filters": {"mode": "hybrid", "q": "fog"}}
    upstream.scripts["papers/search"] = answer(page([ROW], 1) | more)
    found = await searched(catalog, PaperFilters())
    assert (found.mode_used, found.count_kind) == (SearchMode.KEYWORD, CountKind.TOTAL)
    assert found.fallback_reason == "The catalog's service could not search by meaning."
    upstream.scripts["papers/search"] = answer(page([ROW], 1) | {"search_mode_used": "keyword"})
    with pytest.raises(Unavailable):
        await searched(catalog, PaperFilters(), SearchMode.SEMANTIC)
    upstream.scripts["papers/search"] = answer(page([ROW], 1) | {"applied_filters": {"mode": "keyword"}})
    with pytest.raises(SourceMalformed, match="mode"):
        await searched(catalog, PaperFilters())


@pytest.mark.parametrize(
    ("authors", "is_confirmed"),
    [
        ([{"id": "12", "name": "ada  QUILL", "hf_username": "AdaQ"}, {"id": 13, "name": "Bo Moth"}], True),
        ([{"id": "12", "name": "Ada Quill"}], False),
        ([{"id": "12", "name": "Ada Quill"}, {"id": "x13", "name": "Bo Moth"}], False),
        ([{"id": "12", "name": "Ada Quill"}, {"id": "13", "name": " "}], False),
        ([], False),
        (None, False),
    ],
)
async def test_each_author_must_be_among_those_the_upstream_took_the_filter_for(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, authors: object, is_confirmed: bool
) -> None:
    upstream.scripts["papers/"] = answer(page([ROW], 1) | {"applied_filters": {"authors": authors}})
    filters = PaperFilters(author_ids=("Ada Quill", "13"))
    if is_confirmed:
        found = await listed(catalog, filters)
        assert found.authors == (Author("12", "ada  QUILL", "AdaQ"), Author("13", "Bo Moth"))
        assert "author=Ada+Quill&author=13" in upstream.asked[0]
    else:
        with pytest.raises(SourceMalformed, match="authors"):
            await listed(catalog, filters)


@pytest.mark.parametrize(
    ("row", "echo"),
    [
        ({"area_id": 12}, {}),
        ({"level": 3}, {}),
        ({}, {"area_id": "12"}),
        ({}, {"level": "3"}),
        ({}, {"q": "horn"}),
        ({}, {"visible_only": "false"}),
        ({}, {"ordering": "name"}),
    ],
)
async def test_rows_and_echoes_of_a_task_list_must_agree_with_its_filters(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, row: dict[str, Any], echo: dict[str, str]
) -> None:
    good = {"id": 5, "name": "Fog", "area_id": 11, "level": 2}
    filters = TaskFilters(search="fog", area_id="11", level=2, visible_only=True)
    upstream.scripts |= {
        "areas/": answer(page([{"id": 11, "name": "Weather"}], 1)),
        "tasks/": answer(page([good], 1)),
    }
    found = await catalog.tasks(filters, TaskOrder.PAPER_COUNT, Direction.DESC, 1, 10, by_area=False)
    assert [(task.name, task.slug, task.area and task.area.name) for task in found.rows] == [("Fog", "fog", "Weather")]
    upstream.scripts["tasks/"] = answer(page([good, good | row], 2) | {"applied_filters": echo})
    with pytest.raises(SourceMalformed):
        await catalog.tasks(filters, TaskOrder.PAPER_COUNT, Direction.DESC, 1, 10, by_area=False)


async def test_methods_of_another_year_are_never_shown(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    rows = [{"id": 1, "name": "A", "introduced_year": 2019}, {"id": 2, "name": "B", "introduced_year": 2020}]
    upstream.scripts |= {"areas/": answer(page([], 0)), "methods/": answer(page(rows, 2))}
    with pytest.raises(SourceMalformed, match="introduced_year"):
        await catalog.methods(MethodFilters(introduced_year=2019), MethodOrder.NAME, Direction.ASC, 1, 10)


async def test_a_plain_upstream_groups_tasks_as_they_come_and_says_so(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts |= {"areas/": answer(page([], 0)), "tasks/": answer(page([{"id": 1, "name": "A"}], 1))}
    with collecting() as said:
        await catalog.tasks(TaskFilters(), TaskOrder.NAME, Direction.ASC, 1, 10, by_area=True)
    assert list(said) == [
        "This catalog cannot sort by area; the tasks of this page are grouped in the order they come."
    ]


async def test_rows_of_no_use_are_counted_in_a_note(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    upstream.scripts["papers/recent"] = answer([ROW, "x", None, {"title": "without an id"}])
    with collecting() as said:
        assert [row.id for row in await catalog.recent(10)] == ["7"]
    assert list(said) == [
        "2 rows of the catalog's service were unreadable and are left out.",
        "1 papers of the catalog's service have no id and are left out.",
    ]


# catalog A54
async def test_benchmarks_of_an_area_alone_and_grouped_filters_are_refused(catalog: UpstreamCatalog) -> None:
    with pytest.raises(InvalidInput):
        await catalog.benchmarks(BenchmarkFilters(area_id="11", search="x"), BenchmarkOrder.NAME, Direction.ASC, 1, 10)
    with pytest.raises(InvalidInput):
        await catalog.grouped_benchmarks(BenchmarkFilters(search="x"), BenchmarkOrder.NAME, Direction.ASC, 3)


async def test_a_task_outside_the_area_has_no_benchmarks_in_it(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts |= {"areas/": answer(page([], 0)), "tasks/5": answer({"id": 5, "name": "Fog", "area_id": 12})}
    filters = BenchmarkFilters(area_id="11", task_id="5")
    found = await catalog.benchmarks(filters, BenchmarkOrder.TRENDING, Direction.ASC, 1, 10)
    assert (found.rows, found.count) == ((), 0)


async def test_the_trend_of_a_task_is_filtered_and_cut_here(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    rows = [{"id": place, "name": f"Fog {place}", "evaluation_count": place} for place in range(100)]
    upstream.scripts["tasks/5/trending-benchmarks"] = answer({"task_id": 5, "results": rows})
    filters = BenchmarkFilters(task_id="5", search="fog", minimum_evaluations=90)
    with collecting() as said:
        found = await catalog.benchmarks(filters, BenchmarkOrder.TRENDING, Direction.ASC, 2, 4)
    assert ([row.id for row in found.rows], found.count) == (["94", "95", "96", "97"], 10)
    assert list(said) == ["The trend of a task reaches 100 benchmarks here; more may exist. order_by=name lists all."]
    upstream.scripts["tasks/5/trending-benchmarks"] = answer({"task_id": 6, "results": rows})
    with pytest.raises(SourceMalformed, match="task"):
        await catalog.benchmarks(filters, BenchmarkOrder.TRENDING, Direction.ASC, 1, 4)
