"""Methods: the listing and one (catalog contract 16.2)."""

from core.catalog import api_taxonomy
from core.catalog.models import EntityKind
from core.catalog.taxonomy_models import MethodFilters, MethodOrder
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, json_reply, page_reply

METHOD_PAGE_MAX = 500
YEAR_MAX = 9999


async def listing(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of the methods that pass every filter."""
    page, size = query.page(size_max=METHOD_PAGE_MAX)
    order, direction = query.ordering(MethodOrder, MethodOrder.NAME)
    words, area = query.text("q"), query.text("area_id")
    year = query.integer("introduced_year", low=0, high=YEAR_MAX)
    filters = MethodFilters(search=words, area_id=await desk.named_id(EntityKind.AREA, area), introduced_year=year)
    found = await desk.backend.methods(filters, order, direction, page, size)
    query.echo("q", words)
    query.echo("area_id", area)
    query.echo("introduced_year", year)
    return page_reply(
        map(api_taxonomy.method_row, found.rows),
        count=found.count,
        page=page,
        page_size=size,
        applied=query.applied,
    )


async def one(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One method by id or slug."""
    found = await desk.backend.method(await desk.entity_id(EntityKind.METHOD, path[0]))
    return json_reply(api_taxonomy.method_record(found))
