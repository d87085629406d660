"""Benchmarks, which the API calls datasets: the listing and one (catalog contract 16.2 and 16.5)."""

from core.catalog import api_rows
from core.catalog.models import BenchmarkFilters, BenchmarkOrder, EntityKind
from server.api.areas import EVALUATIONS_MAX
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, json_reply, page_reply


async def listing(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of the benchmarks that pass every filter."""
    page, size = query.page()
    order, direction = query.ordering(BenchmarkOrder, BenchmarkOrder.NAME)
    words, task = query.text("q"), query.text("task")
    below_too = task is not None and (query.flag("include_descendants") or False)
    filters = BenchmarkFilters(
        search=words,
        task_id=await desk.named_id(EntityKind.TASK, task),
        include_descendants=below_too,
        minimum_evaluations=query.integer("min_eval_count", low=0, high=EVALUATIONS_MAX),
        is_open=query.flag("is_open"),
    )
    found = await desk.backend.benchmarks(filters, order, direction, page, size)
    query.echo("q", words)
    query.echo("task", task)
    query.echo("include_descendants", True if below_too else None)
    query.echo("min_eval_count", filters.minimum_evaluations)
    query.echo("is_open", filters.is_open)
    return page_reply(
        map(api_rows.dataset_row, found.rows),
        count=found.count,
        page=page,
        page_size=size,
        applied=query.applied,
    )


async def one(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One benchmark by id or slug; with `named` by any name or alias that only it has."""
    if query.flag("named"):
        id_ = await desk.named_id(EntityKind.BENCHMARK, path[0]) or ""
    else:
        id_ = await desk.entity_id(EntityKind.BENCHMARK, path[0])
    found = await desk.backend.benchmark(id_)
    return json_reply(api_rows.dataset_row(found))
