"""Research tasks: the listing, one task, its page and its trending benchmarks (catalog contract 16.2 and 16.4)."""

from core.catalog import api_taxonomy, trends
from core.catalog.models import BenchmarkFilters, BenchmarkOrder, Direction, EntityKind
from core.catalog.taxonomy_models import TaskFilters, TaskOrder
from server.api.naming import Desk
from server.api.parameters import PAGE_SIZE, PAGE_SIZE_MAX, Parameters
from server.api.replies import Reply, json_reply, page_reply

RECENT_MAX = 1_000_000
LEVEL_MAX = 1000

# A task's page names all its benchmarks, however many there are.
_ALL = 100_000


async def listing(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of the tasks that pass every filter; `by_area` sorts by area name first."""
    page, size = query.page()
    order, direction = query.ordering(TaskOrder, TaskOrder.NAME)
    words, area = query.text("q"), query.text("area_id")
    filters = TaskFilters(
        search=words,
        area_id=await desk.named_id(EntityKind.AREA, area),
        level=query.integer("level", low=0, high=LEVEL_MAX),
        visible_only=query.flag("visible_only") or False,
    )
    by_area = query.flag("by_area") or False
    found = await desk.backend.tasks(filters, order, direction, page, size, by_area=by_area)
    query.echo("q", words)
    query.echo("area_id", area)
    query.echo("level", filters.level)
    query.echo("visible_only", True if filters.visible_only else None)
    return page_reply(
        map(api_taxonomy.task_row, found.rows),
        count=found.count,
        page=page,
        page_size=size,
        applied=query.applied,
    )


async def one(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One task as lists show it."""
    found = await desk.backend.task_page(await desk.entity_id(EntityKind.TASK, path[0]))
    return json_reply(api_taxonomy.task_row(found.task))


async def page(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One task with its place in the taxonomy and all its benchmarks, trending ones first."""
    task_id = await desk.entity_id(EntityKind.TASK, path[0])
    found = await desk.backend.task_page(task_id)
    benchmarks = await desk.backend.task_benchmarks(task_id, _ALL)
    return json_reply(api_taxonomy.task_page(found, benchmarks.rows))


async def trending_benchmarks(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """The benchmarks of a task that papers of late report on most, with the best row of each."""
    limit = query.integer("limit", low=1, high=PAGE_SIZE_MAX) or PAGE_SIZE
    least = query.integer("min_recent_papers", low=0, high=RECENT_MAX)
    entity, _ = await desk.resolver.entity(EntityKind.TASK, path[0])
    filters = BenchmarkFilters(
        task_id=entity.id,
        include_descendants=query.flag("include_descendants") or False,
        is_open=query.flag("is_open"),
    )
    found = await desk.backend.benchmarks(filters, BenchmarkOrder.TRENDING, Direction.ASC, 1, limit)
    # Trending order begins with the most recent papers, so what is cut off has no more of them than what is kept.
    kept = [row for row in found.rows if (row.recent_paper_count or 0) >= (1 if least is None else least)]
    best = await desk.backend.best_rows([row.id for row in kept])
    answer = {
        "task_id": entity.id,
        "task_slug": entity.slug,
        "recent_days": trends.RECENT_DAYS,
        "support_prior_papers": trends.SUPPORT_PRIOR_PAPERS,
        "results": [api_taxonomy.trend_row(row, best.get(row.id)) for row in kept],
    }
    return json_reply(answer)
