"""Tools on research tasks."""

from typing import Annotated, Literal

from pydantic import Field

from core.catalog.models import Direction
from core.catalog.service import Catalog
from core.catalog.taxonomy_models import TaskOrder
from core.catalog.taxonomy_results import TaskPage, TaskResult
from server.toolsets.catalog.parameters import Area, Limit, Name, OrderDirection, Page


async def get_task(
    services: Catalog,
    task: Annotated[Name, Field(description="Research task: name, slug or id")],
    benchmark_limit: Annotated[int, Field(ge=1, le=10, description="Most benchmarks listed")] = 10,
) -> TaskResult:
    """Gives an overview of one research task: its area, neighbours, benchmarks, common methods and trending papers.

    For a leaderboard use get_benchmark; for all benchmarks of a task use list_benchmarks; to find a task's name use
    list_tasks.
    """
    return await services.tasks.get(task, benchmark_limit=benchmark_limit)


async def list_tasks(
    services: Catalog,
    search: Annotated[
        str, Field(min_length=1, max_length=500, description="Words that must all occur in name, slug or description")
    ]
    | None = None,
    area: Area | None = None,
    level: Annotated[int, Field(ge=0, le=20, description="Depth in the taxonomy; 0 is the top")] | None = None,
    visible_only: Annotated[bool, Field(description="Hide tasks without papers and benchmarks")] = False,
    group_by_area: Annotated[bool, Field(description="Sort by area first and also give the rows as groups")] = False,
    order_by: Annotated[
        Literal["name", "created_at", "level", "paper_count"], Field(description="First sort key")
    ] = "name",
    order_direction: OrderDirection = "asc",
    page: Page = 1,
    limit: Limit = 25,
) -> TaskPage:
    """Lists research tasks by words, area or depth, with their numbers of papers and benchmarks.

    For everything on one task use get_task.
    """
    return await services.tasks.listing(
        search=search,
        area=area,
        level=level,
        visible_only=visible_only,
        group_by_area=group_by_area,
        order=TaskOrder(order_by),
        direction=Direction(order_direction),
        page=page,
        limit=limit,
    )
