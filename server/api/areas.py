"""Areas, and what they hold: all tasks, or the first benchmarks of each task (catalog contract 16.2)."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from core.catalog import api_rows, api_taxonomy
from core.catalog.models import (
    NO_AREA,
    BenchmarkFilters,
    BenchmarkGroup,
    BenchmarkOrder,
    Direction,
    EntityKind,
    Link,
)
from core.catalog.taxonomy_models import Task, TaskFilters, TaskOrder
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, json_reply, page_reply
from server.middleware.outgoing import MAX_RESPONSE_BYTES

AREA_PAGE_MAX = 500
PER_TASK = 3
PER_TASK_MAX = 10
MINIMUM_EVALUATIONS = 2
EVALUATIONS_MAX = 1_000_000

_ALL = 1_000_000


async def listing(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of the areas by name."""
    query.one_ordering(("name", "-name"))
    page, size = query.page(size_max=AREA_PAGE_MAX)
    areas = list(await desk.backend.entities(EntityKind.AREA))
    if query.text("ordering") == "-name":
        areas.reverse()
    return page_reply(
        ({"id": area.id, "name": area.name} for area in areas[(page - 1) * size : page * size]),
        count=len(areas),
        page=page,
        page_size=size,
        applied={},
    )


async def with_tasks(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """Every area with its tasks by name; tasks without one come last, under an area of the id 0."""
    areas = [Link(area.id, area.name) for area in await desk.backend.entities(EntityKind.AREA)]
    found = await desk.backend.tasks(TaskFilters(), TaskOrder.NAME, Direction.ASC, 1, _ALL, by_area=True)
    held = {area.id: list(tasks) for area, tasks in _by_area(found.rows)}
    shown = [*areas, NO_AREA] if NO_AREA.id in held else areas
    results = [
        {"id": area.id, "name": area.name, "tasks": [api_taxonomy.task_row(task) for task in held.get(area.id, ())]}
        for area in shown
    ]
    return json_reply({"results": results})


def _by_area(tasks: Sequence[Task]) -> Iterable[tuple[Link, Iterable[Task]]]:
    return groupby(tasks, key=lambda task: Link(task.area.id, task.area.name) if task.area else NO_AREA)


async def with_task_benchmarks(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """Areas, their tasks and the first benchmarks of each, most trending first.

    A tree over the bound of an answer goes without descriptions.
    """
    per_task = query.integer("benchmarks_per_task", low=1, high=PER_TASK_MAX) or PER_TASK
    least = query.integer("min_eval_count", low=0, high=EVALUATIONS_MAX)
    filters = BenchmarkFilters(minimum_evaluations=MINIMUM_EVALUATIONS if least is None else least)
    groups = await desk.backend.grouped_benchmarks(filters, BenchmarkOrder.TRENDING, Direction.ASC, per_task)
    whole = json_reply({"results": [_group(group, described=True) for group in groups]})
    if len(whole.body) <= MAX_RESPONSE_BYTES:
        return whole
    return json_reply({"results": [_group(group, described=False) for group in groups]})


def _group(group: BenchmarkGroup, *, described: bool) -> api_rows.Json:
    tasks = [
        {
            "id": task.id,
            "name": task.name,
            "slug": task.slug,
            "paper_count": task.paper_count,
            "benchmarks": [api_taxonomy.short_dataset_row(row, described=described) for row in task.benchmarks],
        }
        for task in group.tasks
    ]
    return {"id": group.area.id, "name": group.area.name, "tasks": tasks}
