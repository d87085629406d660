"""Areas, tasks and methods of an upstream (catalog contract 6.9, 6.10 and 14)."""

from collections.abc import Callable
from typing import Any, TypeVar

from core.catalog.models import Direction, Link
from core.catalog.notices import notice
from core.catalog.taxonomy_models import (
    Method,
    MethodFilters,
    MethodOrder,
    MethodRows,
    Task,
    TaskFilters,
    TaskOrder,
    TaskPageParts,
    TaskRows,
)
from core.catalog.together import together
from core.catalog.upstream import taxonomy_rows
from core.catalog.upstream.about import AboutUpstream
from core.catalog.upstream.api import Api, Path, item
from core.catalog.upstream.confirm import confirm_if_echoed, confirm_rows
from core.catalog.upstream.pages import WirePage, gather
from core.catalog.upstream.taxonomy_rows import Areas
from core.catalog.upstream.values import Json, identifier, integer
from core.http.urls import Params

T = TypeVar("T")

AREAS_PER_PAGE = 500


def ordering(field: str, direction: Direction) -> str:
    """`field` or `-field`."""
    return f"-{field}" if direction is Direction.DESC else field


def read_rows(rows: list[Json], read: Callable[[Json], T | None]) -> tuple[T, ...]:
    """The values of wire rows; unreadable ones are left out and noted."""
    found = tuple(value for row in rows if (value := read(row)) is not None)
    if len(found) < len(rows):
        notice(f"{len(rows) - len(found)} rows of the catalog's service have no id and are left out.")
    return found


class UpstreamTaxonomy:
    """Tasks and methods of one API."""

    def __init__(self, api: Api, about: AboutUpstream) -> None:
        self._api = api
        self._about = about

    async def areas(self) -> Areas:
        """All areas by id, in the order of their names."""
        found = await gather(
            lambda page: self._api.page(("areas", ""), {"page_size": AREAS_PER_PAGE, "ordering": "name"}, page),
            10 * AREAS_PER_PAGE,
        )
        links: list[Link] = [area for row in found.rows if (area := taxonomy_rows.area(row))]
        return {area.id: area for area in links}

    async def tasks(
        self, filters: TaskFilters, order: TaskOrder, direction: Direction, page: int, size: int, *, by_area: bool
    ) -> TaskRows:
        """One page of tasks; where the upstream cannot sort by area, rows come as they are, with a note."""
        sorts_by_area = by_area and (await self._about.get()).has("tasks.by_area")
        if by_area and not sorts_by_area:
            notice("This catalog cannot sort by area; the tasks of this page are grouped in the order they come.")
        sent = {
            "q": filters.search,
            "area_id": filters.area_id,
            "level": filters.level,
            "visible_only": True if filters.visible_only else None,
            "by_area": True if sorts_by_area else None,
            "ordering": ordering(order.value, direction),
        }
        found, areas = await self._listed(("tasks", ""), sent, page, size)
        confirm_rows(self._api, found.rows, "level", lambda level: filters.level in (None, integer(level)))
        rows = read_rows(found.rows, lambda row: taxonomy_rows.task(row, areas))
        return TaskRows(rows, found.count, found.has_more)

    async def methods(
        self, filters: MethodFilters, order: MethodOrder, direction: Direction, page: int, size: int
    ) -> MethodRows:
        """One page of methods."""
        year = filters.introduced_year
        sent = {
            "q": filters.search,
            "area_id": filters.area_id,
            "introduced_year": year,
            "ordering": ordering(order.value, direction),
        }
        found, areas = await self._listed(("methods", ""), sent, page, size)
        confirm_rows(self._api, found.rows, "introduced_year", lambda given: year in (None, integer(given)))
        rows = read_rows(found.rows, lambda row: taxonomy_rows.method(row, areas))
        return MethodRows(rows, found.count, found.has_more)

    async def _listed(self, path: Path, sent: Params, page: int, size: int) -> tuple[WirePage, Areas]:
        found, areas = await together(lambda: self.page_or_end(path, {**sent, "page_size": size}, page), self.areas)
        checked: dict[str, Any] = {name: value for name, value in sent.items() if name != "q"}
        confirm_if_echoed(self._api, found, {**checked, "q": sent["q"], "search": sent["q"]})
        area_id = sent["area_id"]
        confirm_rows(self._api, found.rows, "area_id", lambda given: area_id in (None, identifier(given)), name="area")
        return found, areas

    async def page_or_end(self, path: Path, sent: Params, page: int) -> WirePage:
        """A page; one past the end comes with the count of the first."""
        found = await self._api.page(path, sent, page)
        if not found.is_past_end:
            return found
        return WirePage(count=(await self._api.page(path, sent, 1)).count, is_past_end=True)

    async def task(self, task_id: str) -> Task:
        """One task by id; raises `NotFound`."""
        answer, areas = await together(lambda: self._api.answer(item("tasks", task_id)), self.areas)
        return self._required(taxonomy_rows.task(answer, areas))

    async def task_page(self, task_id: str) -> TaskPageParts:
        """A task with its place in the taxonomy; raises `NotFound`."""
        answer, areas = await together(lambda: self._api.answer(item("tasks", task_id, "page")), self.areas)
        return self._required(taxonomy_rows.task_page(answer, areas))

    async def method(self, method_id: str) -> Method:
        """One method by id or slug; raises `NotFound`."""
        answer, areas = await together(lambda: self._api.answer(item("methods", method_id)), self.areas)
        return self._required(taxonomy_rows.method(answer, areas))

    def _required(self, found: T | None) -> T:
        if found is None:
            raise self._api.malformed()
        return found
