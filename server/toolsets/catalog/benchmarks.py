"""Tools on benchmarks and their leaderboards."""

from typing import Annotated, Literal

from pydantic import Field

from core.catalog.benchmarks import BenchmarkSelection
from core.catalog.models import BenchmarkOrder, Direction
from core.catalog.results import BenchmarkPage, BenchmarkResult
from core.catalog.service import Catalog
from server.toolsets.catalog.parameters import Area, Limit, Name, OrderDirection, Page

_Metric = Annotated[str, Field(min_length=1, max_length=200)]


async def get_benchmark(
    services: Catalog,
    benchmark: Annotated[Name, Field(description="Benchmark: name, full name, slug or id")],
    page: Page = 1,
    limit: Limit = 20,
    is_open: Annotated[bool, Field(description="Keep rows known to be open (true) or closed (false)")] | None = None,
    max_parameters: Annotated[
        str, Field(min_length=1, max_length=32, description="Largest model size, such as 500M, 1.5B or 4_000_000")
    ]
    | None = None,
    require_metrics: Annotated[
        list[_Metric], Field(min_length=1, max_length=20, description="Keep rows with a number for each of these")
    ]
    | None = None,
    minimum_metrics: Annotated[dict[str, float], Field(max_length=20, description="Metric name to smallest value kept")]
    | None = None,
    maximum_metrics: Annotated[dict[str, float], Field(max_length=20, description="Metric name to largest value kept")]
    | None = None,
    sort_metric: Annotated[
        str, Field(min_length=1, max_length=200, description="METRIC, METRIC:asc or METRIC:desc (the default)")
    ]
    | None = None,
    pareto: Annotated[
        list[_Metric],
        Field(min_length=2, max_length=6, description="METRIC:higher or METRIC:lower; keeps rows that none dominates"),
    ]
    | None = None,
) -> BenchmarkResult:
    """Gives a benchmark's leaderboard: models with metrics, directions, ranks, papers and code, filtered and sorted.

    Equivalent rows are merged over the whole leaderboard before selecting and paging; ranks hold within one task. To
    find a benchmark's name use list_benchmarks.
    """
    return await services.leaderboards.get(
        benchmark,
        page=page,
        limit=limit,
        is_open=is_open,
        max_parameters=max_parameters,
        require_metrics=require_metrics or (),
        minimum_metrics=minimum_metrics or {},
        maximum_metrics=maximum_metrics or {},
        sort_metric=sort_metric,
        pareto=pareto or (),
    )


async def list_benchmarks(
    services: Catalog,
    search: Annotated[
        str, Field(min_length=1, max_length=500, description="Words that must all occur in name, full name or slug")
    ]
    | None = None,
    task: Annotated[Name, Field(description="Research task: name, slug or id")] | None = None,
    include_descendants: Annotated[bool, Field(description="With task: also its subtasks' benchmarks")] = False,
    minimum_evaluations: Annotated[
        int, Field(ge=0, le=1_000_000, description="Fewest evaluation rows; 2 when grouped and left out")
    ]
    | None = None,
    is_open: Annotated[bool, Field(description="Has a row known to be open (true) or closed (false)")] | None = None,
    group_by_area: Annotated[bool, Field(description="Group by area and task")] = False,
    area: Area | None = None,
    benchmarks_per_task: Annotated[int, Field(ge=1, le=10, description="Grouped only; 3 when left out")] | None = None,
    order_by: Annotated[
        Literal["trending", "name", "full_name", "created_at", "paper_count"],
        Field(description="First sort key; trending with task or grouped, else name"),
    ]
    | None = None,
    order_direction: OrderDirection = "asc",
    page: Page = 1,
    limit: Limit = 25,
) -> BenchmarkPage:
    """Lists benchmarks by words, task, area, openness or number of evaluations, flat or grouped by area and task.

    For one leaderboard use get_benchmark; area alone gives a grouped overview.
    """
    asked = BenchmarkSelection(
        search=search,
        task=task,
        include_descendants=include_descendants,
        minimum_evaluations=minimum_evaluations,
        is_open=is_open,
        group_by_area=group_by_area,
        area=area,
        benchmarks_per_task=benchmarks_per_task,
    )
    return await services.benchmarks.listing(
        asked,
        order=BenchmarkOrder(order_by) if order_by else None,
        direction=Direction(order_direction),
        page=page,
        limit=limit,
    )
