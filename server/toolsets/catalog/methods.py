"""Tools on methods."""

from typing import Annotated, Literal

from pydantic import Field

from core.catalog.models import Direction
from core.catalog.service import Catalog
from core.catalog.taxonomy_models import MethodOrder
from core.catalog.taxonomy_results import MethodPage, MethodResult
from server.toolsets.catalog.parameters import Area, Limit, Name, OrderDirection, Page


async def get_method(
    services: Catalog,
    method: Annotated[Name, Field(description="Method: name, full name, slug or id")],
) -> MethodResult:
    """Describes one method and names the paper that introduced it.

    For papers that use it use list_papers with method.
    """
    return await services.methods.get(method)


async def list_methods(
    services: Catalog,
    search: Annotated[
        str, Field(min_length=1, max_length=500, description="Words that must all occur in name, full name or slug")
    ]
    | None = None,
    area: Area | None = None,
    introduced_year: Annotated[int, Field(ge=1900, le=2100, description="Year of introduction")] | None = None,
    order_by: Annotated[
        Literal["name", "full_name", "introduced_year", "created_at", "paper_count"],
        Field(description="First sort key"),
    ] = "name",
    order_direction: OrderDirection = "asc",
    page: Page = 1,
    limit: Limit = 25,
) -> MethodPage:
    """Lists methods by words, area or year of introduction.

    For one method's description and source use get_method.
    """
    return await services.methods.listing(
        search=search,
        area=area,
        introduced_year=introduced_year,
        order=MethodOrder(order_by),
        direction=Direction(order_direction),
        page=page,
        limit=limit,
    )
