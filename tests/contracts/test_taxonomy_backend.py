"""What every catalog backend promises of tasks, methods, communities and completion (contract 6.8 to 6.11, 11.3, 19.3).

Expected orders are worked out anew from the input.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.models import BenchmarkFilters, BenchmarkOrder, Direction, EntityKind, Link
from core.catalog.taxonomy_models import (
    Framework,
    FrameworkFilters,
    Method,
    MethodFilters,
    MethodOrder,
    RecommendedFramework,
    Task,
    TaskFilters,
    TaskOrder,
)
from core.errors import NotFound
from core.folds import key_fold, plain_fold
from tests.odd_boards import BUSY_TASK_BENCHMARKS
from tests.odd_catalog import BUSY_TASK
from tests.odd_records import LAST, RECORDS, newest, title, trend

QUILLFISH_ID = "1905.90001"


async def named(backend: CatalogBackend, kind: EntityKind, name: str) -> str:
    found = await backend.find_entity(kind, name)
    assert len(found.entities) == 1
    return found.entities[0].id


# Tasks: catalog A50, A55


async def every_task(backend: CatalogBackend, *filters: Any, size: int = 7, **keywords: Any) -> list[Task]:
    chosen = filters[0] if filters else TaskFilters()
    order, direction = keywords.get("order", TaskOrder.NAME), keywords.get("direction", Direction.ASC)
    rows: list[Task] = []
    for page in range(1, 100):
        found = await backend.tasks(chosen, order, direction, page, size, by_area=keywords.get("by_area", False))
        if not found.rows:
            assert len(rows) == found.count
            return rows
        rows += found.rows
    raise AssertionError("the list does not end")


def listed(rows: Sequence[Any], value: Callable[[Any], Any], direction: Direction) -> list[Any]:
    """Rows by a value, missing ones last, ties by name, then id."""
    by_name = sorted(rows, key=lambda row: (plain_fold(row.name), row.name, int(row.id)))
    known = sorted((row for row in by_name if value(row) is not None), key=value, reverse=direction is Direction.DESC)
    return known + [row for row in by_name if value(row) is None]


TASK_CREATED = {record["name"].strip(): record.get("created_at") for record in RECORDS["tasks"]}
TASK_VALUES: dict[TaskOrder, Callable[[Task], Any]] = {
    TaskOrder.NAME: lambda task: (plain_fold(task.name), task.name),
    TaskOrder.CREATED_AT: lambda task: TASK_CREATED[task.name],
    TaskOrder.LEVEL: lambda task: task.level,
    TaskOrder.PAPER_COUNT: lambda task: task.paper_count,
}


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("order", list(TaskOrder))
async def test_tasks_come_in_order_with_missing_values_last(
    backend: CatalogBackend, order: TaskOrder, direction: Direction
) -> None:
    found = await every_task(backend, order=order, direction=direction)
    assert len(found) == len(RECORDS["tasks"])
    assert found == listed(found, TASK_VALUES[order], direction)
    grouped = await every_task(backend, order=order, direction=direction, by_area=True)
    areas = sorted(
        {task.area for task in found if task.area}, key=lambda area: (plain_fold(area.name), area.name, int(area.id))
    )
    assert grouped == [task for area in [*areas, None] for task in found if task.area == area]


async def test_a_task_tells_its_place_and_counts(backend: CatalogBackend) -> None:
    found = {task.name: task for task in await every_task(backend)}
    counts = Counter(task for record in RECORDS["papers"] for task in record.get("tasks", ()))
    names = {record["key"]: record["name"].strip() for record in RECORDS["tasks"]}
    assert {name: task.paper_count for name, task in found.items()} == {
        name: counts[key] for key, name in names.items()
    }
    busy = found[BUSY_TASK]
    assert (busy.slug, busy.level, busy.benchmark_count) == ("lantern-tracking", 0, BUSY_TASK_BENCHMARKS)
    assert busy.area == Link("11", "Computer Vision")
    assert (busy.research_trends, busy.evaluation_count) == (("smaller lanterns",), 120)
    assert {task.level for name, task in found.items() if name.startswith(f"{BUSY_TASK}, Part")} == {1}
    assert found[f"{BUSY_TASK} at Dusk"].level == 2
    assert found["Question Answering"].level == 1


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ("lantern dusk", [f"{BUSY_TASK} at Dusk"]),
        ("LANT tracking-at", [f"{BUSY_TASK} at Dusk"]),
        ("following", [BUSY_TASK]),
        ("p 0 001", ["Überraschung—未分類"]),
        ("überraschung 未分類 more", ["Überraschung—未分類"]),
        ("segmentation", ["Segmentation", "Segmentation"]),
        ("segmentation speech", ["Segmentation"]),
        ("antern", []),
        ("lantern lighthouse", []),
        ("-- ?", []),
    ],
)
async def test_every_word_of_a_task_search_begins_a_word(
    backend: CatalogBackend, search: str, names: list[str]
) -> None:
    assert [task.name for task in await every_task(backend, TaskFilters(search=search))] == names


async def test_task_filters_all_hold(backend: CatalogBackend) -> None:
    every = await every_task(backend)
    for area in ("11", "12", "13", "14"):
        found = await every_task(backend, TaskFilters(area_id=area))
        assert found == [task for task in every if task.area and task.area.id == area] != []
    for level in (0, 1, 2, 3):
        assert await every_task(backend, TaskFilters(level=level)) == [task for task in every if task.level == level]
    visible = await every_task(backend, TaskFilters(visible_only=True))
    assert visible == [task for task in every if task.paper_count or task.benchmark_count]
    assert "Unseen Task" not in {task.name for task in visible}
    both = await every_task(backend, TaskFilters(search="part", area_id="11", level=1, visible_only=True))
    assert both == [task for task in visible if "Part" in task.name]
    assert await every_task(backend, TaskFilters(area_id="999")) == []


async def test_a_task_page_shows_relatives_by_name(backend: CatalogBackend) -> None:
    busy = await backend.task_page(await named(backend, EntityKind.TASK, BUSY_TASK))
    parts = sorted(f"{BUSY_TASK}, Part {number}".lower() for number in range(30))
    assert [link.name.lower() for link in busy.children] == parts
    assert (busy.parents, busy.sisters, busy.task.name) == ((), (), BUSY_TASK)
    assert busy.task.research_trends == ("smaller lanterns",)
    first = await backend.task_page(await named(backend, EntityKind.TASK, f"{BUSY_TASK}, Part 0"))
    assert [link.name for link in first.parents] == [BUSY_TASK]
    assert [link.name for link in first.children] == [f"{BUSY_TASK} at Dusk"]
    assert [link.name.lower() for link in first.sisters] == [part for part in parts if part != parts[0]]
    assert [(link.slug, [board.name for board in boards]) for link, boards in first.subtask_benchmarks] == [
        ("lantern-tracking-at-dusk", ["Dusk Board"])
    ]


async def test_a_task_page_shows_frameworks_and_the_benchmarks_of_subtasks(backend: CatalogBackend) -> None:
    busy = await backend.task_page(await named(backend, EntityKind.TASK, BUSY_TASK))
    assert busy.recommended_frameworks == tuple(
        RecommendedFramework(f"lantern/kit-{n}", f"kit-{n}", "lantern", f"https://example.org/kit-{n}", 100 - n)
        for n in range(12)
    )
    assert [(link.name, [board.name for board in boards]) for link, boards in busy.subtask_benchmarks] == [
        (f"{BUSY_TASK}, Part {number}", ["Wide Board"]) for number in range(7)
    ]


@pytest.mark.parametrize("unknown", ["999", "lantern-tracking", ""])
async def test_an_unknown_task_has_no_page_no_papers_and_no_benchmarks(backend: CatalogBackend, unknown: str) -> None:
    with pytest.raises(NotFound):
        await backend.task_page(unknown)
    assert await backend.task_papers(unknown, 10) == ()
    assert (await backend.task_benchmarks(unknown, 10)).count == 0


@pytest.mark.parametrize("limit", [1, 10, 100])
async def test_task_papers_are_the_most_trending_ones_with_their_methods(backend: CatalogBackend, limit: int) -> None:
    task_id = await named(backend, EntityKind.TASK, BUSY_TASK)
    own = [record for record in RECORDS["papers"] if "busy" in record.get("tasks", ())]
    expected = sorted(own, key=lambda each: (-trend(each), newest(each)))[:limit]
    found = await backend.task_papers(task_id, limit)
    assert [row.title for row in found] == [title(each) for each in expected]
    names = {record["key"]: record["name"] for record in RECORDS["methods"]}
    assert [[link.name for link in row.methods or ()] for row in found] == [
        [names[key] for key in each.get("methods", ())] for each in expected
    ]


async def test_task_benchmarks_with_recent_papers_come_before_the_others(backend: CatalogBackend) -> None:
    task_id = await named(backend, EntityKind.TASK, BUSY_TASK)
    found = await backend.task_benchmarks(task_id, 100)
    assert (found.count, len(found.rows)) == (BUSY_TASK_BENCHMARKS, BUSY_TASK_BENCHMARKS)
    filters = BenchmarkFilters(task_id=task_id)
    trending = (await backend.benchmarks(filters, BenchmarkOrder.TRENDING, Direction.ASC, 1, 100)).rows
    recent = [board for board in trending if board.recent_paper_count]
    others = sorted((board for board in trending if not board.recent_paper_count), key=lambda board: board.name)
    assert list(found.rows) == recent + others
    assert recent and others
    assert (await backend.task_benchmarks(task_id, 3)).rows == found.rows[:3]


# Methods


async def every_method(
    backend: CatalogBackend,
    filters: MethodFilters | None = None,
    order: MethodOrder = MethodOrder.NAME,
    direction: Direction = Direction.ASC,
) -> list[Method]:
    rows: list[Method] = []
    for page in range(1, 100):
        found = await backend.methods(filters or MethodFilters(), order, direction, page, 6)
        if not found.rows:
            assert len(rows) == found.count
            return rows
        rows += found.rows
    raise AssertionError("the list does not end")


METHOD_CREATED = {record["name"].strip(): record.get("created_at") for record in RECORDS["methods"]}
METHOD_VALUES: dict[MethodOrder, Callable[[Method], Any]] = {
    MethodOrder.NAME: lambda method: (plain_fold(method.name), method.name),
    MethodOrder.FULL_NAME: lambda method: method.full_name and (plain_fold(method.full_name), method.full_name),
    MethodOrder.INTRODUCED_YEAR: lambda method: method.introduced_year,
    MethodOrder.CREATED_AT: lambda method: METHOD_CREATED[method.name],
    MethodOrder.PAPER_COUNT: lambda method: method.paper_count,
}


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("order", list(MethodOrder))
async def test_methods_come_in_order_with_missing_values_last(
    backend: CatalogBackend, order: MethodOrder, direction: Direction
) -> None:
    found = await every_method(backend, order=order, direction=direction)
    assert len(found) == len(RECORDS["methods"])
    assert found == listed(found, METHOD_VALUES[order], direction)


async def test_method_filters_all_hold(backend: CatalogBackend) -> None:
    every = await every_method(backend)
    assert await every_method(backend, MethodFilters(area_id="12")) == [
        method for method in every if method.area == Link("12", "Natural Language Processing")
    ]
    assert [method.name for method in await every_method(backend, MethodFilters(introduced_year=2003))] == [
        "Method 03",
        "Method 23",
    ]
    for search, names in (
        ("tide", ["TIDE", "TIDE"]),
        ("tidal enc", ["TIDE"]),
        ("self heron", ["Self\u2011Heron Attention"]),
        ("idal", []),
        ("!", []),
    ):
        assert [method.name for method in await every_method(backend, MethodFilters(search=search))] == names
    assert await every_method(backend, MethodFilters(search="method", area_id="11")) == []


async def test_a_method_is_whole(backend: CatalogBackend) -> None:
    assert await backend.method(await named(backend, EntityKind.METHOD, "QuillNet")) == Method(
        id=await named(backend, EntityKind.METHOD, "quillnet"),
        name="QuillNet",
        slug="quillnet",
        full_name="Quill Network",
        description=("Writes. " * 700).strip(),
        area=Link("11", "Computer Vision"),
        introduced_year=2019,
        source_paper_id=QUILLFISH_ID,
        source_url="/paper/quillfish",
        source_title="QUILLFISH",
        paper_count=1,
    )


# Conferences, organizations, frameworks: catalog A53


async def test_conferences_come_newest_first_with_undated_ones_last(backend: CatalogBackend) -> None:
    found = await backend.conferences(None, 1, 25)
    assert [(each.slug, each.year) for each in found.rows] == [
        ("fog-2023", 2023),
        ("fog-2022", 2022),
        ("fog-2021", 2021),
        ("undated-gathering", None),
    ]
    assert found.count == len(RECORDS["conferences"])
    assert [each.slug for each in (await backend.conferences(None, 2, 3)).rows] == ["undated-gathering"]
    chosen = await backend.conferences(2022, 1, 25)
    assert ([each.slug for each in chosen.rows], chosen.count) == (["fog-2022"], 1)
    one = await backend.conference(found.rows[0].id)
    assert one == found.rows[0]
    assert (one.location, one.start_date, one.end_date, one.venue, one.tier, one.url) == (
        "Skagen",
        "2023-06-01",
        "2023-06-04",
        "Lighthouse",
        "A",
        "https://example.org/fog",
    )
    held = sum(1 for record in RECORDS["papers"] if record.get("conference") == "fog-2023")
    assert (one.paper_count, one.hf_url) == (held, None)


async def test_organizations_come_by_rank_then_papers_and_all_are_reached(backend: CatalogBackend) -> None:
    rows = []
    for page in range(1, 10):
        found = await backend.organizations(featured_only=False, page=page, size=5)
        rows += found.rows
    assert (len(rows), found.count) == (len(RECORDS["organizations"]), len(RECORDS["organizations"]))
    expected = sorted(
        rows, key=lambda each: (each.trending_rank or LAST, -each.paper_count, plain_fold(each.name), int(each.id))
    )
    assert rows == expected
    counts = Counter(key for record in RECORDS["papers"] for key in record.get("organizations", ()))
    names = {record["key"]: record["name"].strip() for record in RECORDS["organizations"]}
    assert {each.name: each.paper_count for each in rows} == {name: counts[key] for key, name in names.items()}
    featured = await backend.organizations(featured_only=True, page=1, size=25)
    assert ([each.name for each in featured.rows], featured.count) == (["Lighthouse Institute"], 1)
    one = await backend.organization(featured.rows[0].id)
    assert one == featured.rows[0]
    assert (one.is_featured, one.trending_rank, one.first_paper_year, one.latest_paper_year) == (True, 1, 2019, 2019)
    assert {each.is_featured for each in rows} == {True, False, None}


async def test_frameworks_come_by_domain_and_category_and_all_are_reached(backend: CatalogBackend) -> None:
    rows = []
    for page in range(1, 6):
        found = await backend.frameworks(FrameworkFilters(), page, 7)
        rows += found.rows
    assert (len(rows), found.count) == (len(RECORDS["frameworks"]), len(RECORDS["frameworks"]))
    assert rows == sorted(rows, key=lambda each: (each.domain_name, each.category_name, each.name))
    assert {len(each.platforms) for each in rows} == {1, 2}
    one = await backend.framework(await named(backend, EntityKind.FRAMEWORK, "Framework 00"))
    assert (one.introducing_paper_arxiv_id, one.when_to_use, one.organization_name, one.platforms) == (
        QUILLFISH_ID,
        "Whenever it fits.",
        "Lighthouse Institute",
        ("Web",),
    )


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        (FrameworkFilters(domain="vision kits"), lambda each: each.domain_slug == "vision-kits"),
        (FrameworkFilters(domain="SPEECH-KITS"), lambda each: each.domain_slug == "speech-kits"),
        (
            FrameworkFilters(domain="Speech Kits", category="data"),
            lambda each: (each.domain_slug, each.category_slug) == ("speech-kits", "data"),
        ),
        (FrameworkFilters(platform="WEB"), lambda each: "Web" in each.platforms),
        (FrameworkFilters(domain="nowhere"), lambda each: False),
    ],
)
async def test_framework_filters_all_hold_whatever_their_case(
    backend: CatalogBackend, filters: FrameworkFilters, passes: Callable[[Framework], bool]
) -> None:
    every = await backend.frameworks(FrameworkFilters(), 1, 100)
    chosen = await backend.frameworks(filters, 1, 100)
    expected = tuple(each for each in every.rows if passes(each))
    assert (chosen.rows, chosen.count) == (expected, len(expected))


@pytest.mark.parametrize("unknown", ["999999", "quillnet", "", "1" * 30])
@pytest.mark.parametrize("operation", ["method", "conference", "organization", "framework"])
async def test_an_unknown_id_is_not_found(backend: CatalogBackend, operation: str, unknown: str) -> None:
    with pytest.raises(NotFound):
        await getattr(backend, operation)(unknown)


# Completion: catalog A90


@pytest.mark.parametrize("text", ["lan", "LANTERN—track", "part", "a", "", "未分類", "zzz"])
@pytest.mark.parametrize("limit", [1, 20, 100])
async def test_completion_puts_beginnings_first_then_the_best_covered(
    backend: CatalogBackend, text: str, limit: int
) -> None:
    wanted = key_fold(text)
    every = listed(await every_task(backend), TASK_VALUES[TaskOrder.PAPER_COUNT], Direction.DESC)
    beginning = [task.id for task in every if key_fold(task.name).startswith(wanted)]
    containing = [task.id for task in every if wanted in key_fold(task.name) and task.id not in beginning]
    found, total = await backend.complete_entity(EntityKind.TASK, text, limit)
    assert [entity.id for entity in found] == (beginning + containing)[:limit]
    assert total == len(beginning + containing)


async def test_completion_of_real_tasks_offers_beginnings_first(sample_backend: CatalogBackend) -> None:  # catalog A90
    found, total = await sample_backend.complete_entity(EntityKind.TASK, "ima", 20)
    begins = [entity.name.lower().startswith("ima") for entity in found]
    assert begins == sorted(begins, reverse=True)
    assert begins[0] and total >= len(found) > 1
    assert all("ima" in entity.name.lower() for entity in found)


@pytest.mark.parametrize("kind", list(EntityKind))
async def test_every_kind_can_be_completed(backend: CatalogBackend, kind: EntityKind) -> None:
    found, total = await backend.complete_entity(kind, "", 1_000)
    assert total == len(found) == len(await backend.entities(kind))
    assert {entity.kind for entity in found} == {kind}


# The sample catalog answers all of it


async def test_the_sample_answers_every_operation(sample_backend: CatalogBackend) -> None:
    backend = sample_backend
    tasks = await every_task(backend, size=50)
    assert tasks == listed(tasks, TASK_VALUES[TaskOrder.NAME], Direction.ASC)
    for task in tasks:
        page = await backend.task_page(task.id)
        assert page.task == task
        assert all(parent.id != task.id for parent in page.parents)
        shown = await backend.task_papers(task.id, 10)
        assert len(shown) == min(10, task.paper_count or 0)
        assert (await backend.task_benchmarks(task.id, 3)).count == task.benchmark_count
    methods = await every_method(backend)
    assert [await backend.method(method.id) for method in methods[:5]] == methods[:5]
    recent = await backend.recent(25)
    assert [row.published for row in recent] == sorted((row.published for row in recent), reverse=True)
    for row in recent:
        found = await backend.related(row.canonical_id, 4)
        assert row.id not in {each.id for each in found.rows}
        assert (await backend.lineage(row.canonical_id)).paper.id == row.id
