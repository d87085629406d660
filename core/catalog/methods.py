"""Methods: one, and the listing (catalog contract 6.10)."""

from dataclasses import replace
from typing import Any

from core.catalog import api_rows, api_taxonomy
from core.catalog.backend import CatalogBackend
from core.catalog.models import Direction, EntityKind
from core.catalog.paging import applied, next_page, page_notes
from core.catalog.present import DESCRIPTION_MAX, NAME_MAX, TITLE_MAX, cut, cut_or_none, link_url
from core.catalog.resolve import Resolver
from core.catalog.results import AreaReference
from core.catalog.taxonomy_models import Method, MethodFilters, MethodOrder
from core.catalog.taxonomy_results import MethodDetail, MethodPage, MethodResult, MethodSummary


class Methods:
    """The methods of one backend."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, site_url: str) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url

    async def get(self, method: str) -> MethodResult:
        """One method by name, full name, slug or id."""
        entity, note = await self._resolver.entity(EntityKind.METHOD, method)
        stored = await self._backend.method(entity.id)
        found = replace(
            stored,
            description=cut_or_none(stored.description, DESCRIPTION_MAX),
            source_url=link_url(stored.source_url, self._site_url),
            source_title=cut_or_none(stored.source_title, TITLE_MAX),
        )
        return MethodResult(
            method=MethodDetail(
                **_shared(found),
                description=found.description,
                source_paper_id=found.source_paper_id,
                source_url=found.source_url,
                source_title=found.source_title,
            ),
            notes=[note] if note else None,
            data={
                "method": api_taxonomy.method_record(found),
                "area": None if found.area is None else {"id": found.area.id, "name": found.area.name},
            },
        )

    async def listing(
        self,
        *,
        search: str | None,
        area: str | None,
        introduced_year: int | None,
        order: MethodOrder,
        direction: Direction,
        page: int,
        limit: int,
    ) -> MethodPage:
        """One page of the methods that pass every filter."""
        ran = applied(search=search, introduced_year=introduced_year)
        notes: list[str] = []
        area_id = None
        if area is not None:
            entity, note = await self._resolver.entity(EntityKind.AREA, area)
            area_id, ran["area"] = entity.id, entity.name
            notes += [note] if note else []
        filters = MethodFilters(search=search, area_id=area_id, introduced_year=introduced_year)
        found = await self._backend.methods(filters, order, direction, page, limit)
        following = next_page(found.count, page, limit)
        return MethodPage(
            items=[MethodSummary(**_shared(row)) for row in found.rows],
            count=found.count,
            page=page,
            next_page=following,
            applied_filters=ran,
            as_of=self._backend.capabilities().as_of,
            notes=[*notes, *page_notes(found.count, page, limit)] or None,
            data=api_rows.envelope(
                map(api_taxonomy.method_row, found.rows),
                count=found.count,
                page=page,
                page_size=limit,
                next_page=following,
                applied=api_rows.applied_filters(ran, search="q"),
            ),
        )


def _shared(method: Method) -> dict[str, Any]:
    """What the summary and the detail of a method have in common."""
    return {
        "id": method.id,
        "name": cut(method.name, NAME_MAX),
        "slug": method.slug,
        "full_name": cut_or_none(method.full_name, NAME_MAX),
        "area": AreaReference(id=method.area.id, name=cut(method.area.name, NAME_MAX)) if method.area else None,
        "introduced_year": method.introduced_year,
        "paper_count": method.paper_count,
    }
