"""Conferences, organizations and frameworks of an upstream: whole lists, ordered and cut here (contract 6.11, 11.4)."""

from core.catalog.ordering import name_key
from core.catalog.taxonomy_models import (
    Conference,
    ConferenceRows,
    Framework,
    FrameworkFilters,
    FrameworkRows,
    Organization,
    OrganizationRows,
)
from core.catalog.upstream import taxonomy_rows
from core.catalog.upstream.api import Api, item
from core.catalog.upstream.pages import sliced
from core.catalog.upstream.taxonomy import read_rows
from core.errors import NotFound
from core.folds import plain_fold

NameKey = tuple[str, str, int, str]


def name_order(name: str, id_: str) -> NameKey:
    """By plain fold, code points, then id, as a number where it is one."""
    number = int(id_) if id_.isascii() and id_.isdecimal() else 0
    return (*name_key(name, number), id_)


class UpstreamCommunities:
    """Conferences, organizations and frameworks of one API."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def every_conference(self) -> list[Conference]:
        """All editions by year desc (missing last), name, id."""
        page = await self._api.whole(("conferences", ""))
        found = read_rows(page.rows, taxonomy_rows.conference)
        return sorted(found, key=lambda row: (row.year is None, -(row.year or 0), name_order(row.name, row.id)))

    async def conferences(self, year: int | None, page: int, size: int) -> ConferenceRows:
        """One page of the editions of a year, or of all."""
        found = [row for row in await self.every_conference() if year in (None, row.year)]
        return ConferenceRows(sliced(found, page, size), len(found))

    async def conference(self, conference_id: str) -> Conference:
        """One edition by id or slug; raises `NotFound`."""
        found = taxonomy_rows.conference(await self._api.answer(item("conferences", conference_id)))
        if found is None:
            raise self._api.malformed()
        return found

    async def every_organization(self, *, featured_only: bool = False) -> list[Organization]:
        """All organizations by trending rank (missing last), paper count desc, name, id."""
        page = await self._api.whole(("organizations", ""), {"featured_only": True if featured_only else None})
        found = read_rows(page.rows, taxonomy_rows.organization)
        kept = [row for row in found if not featured_only or row.is_featured is not False]
        return sorted(
            kept,
            key=lambda row: (
                row.trending_rank is None,
                row.trending_rank or 0,
                -(row.paper_count or 0),
                name_order(row.name, row.id),
            ),
        )

    async def organizations(self, *, featured_only: bool, page: int, size: int) -> OrganizationRows:
        """One page of organizations."""
        found = await self.every_organization(featured_only=featured_only)
        return OrganizationRows(sliced(found, page, size), len(found))

    async def organization(self, organization_id: str) -> Organization:
        """One organization by id or slug; raises `NotFound`."""
        found = taxonomy_rows.organization(await self._api.answer(item("organizations", organization_id)))
        if found is None:
            raise self._api.malformed()
        return found

    async def every_framework(self) -> list[Framework]:
        """All frameworks by domain, category, name, id."""
        answer = await self._api.answer(("frameworks", ""))
        if not isinstance(answer.get("domains"), list):
            raise self._api.malformed()
        return sorted(
            taxonomy_rows.frameworks(answer),
            key=lambda row: (
                _text_order(row.domain_name or row.domain_slug),
                _text_order(row.category_name or row.category_slug),
                name_order(row.name, row.id),
            ),
        )

    async def frameworks(self, filters: FrameworkFilters, page: int, size: int) -> FrameworkRows:
        """One page of the frameworks that pass the filters."""
        found = [row for row in await self.every_framework() if _passes(row, filters)]
        return FrameworkRows(sliced(found, page, size), len(found))

    async def framework(self, framework_id: str) -> Framework:
        """One framework by id; raises `NotFound`."""
        found = next((row for row in await self.every_framework() if row.id == framework_id), None)
        if found is None:
            raise NotFound("There is no such framework.")
        return found


def _text_order(value: str | None) -> tuple[bool, str, str]:
    return value is None, plain_fold(value or ""), value or ""


def _passes(row: Framework, filters: FrameworkFilters) -> bool:
    return (
        _names(filters.domain, row.domain_slug, row.domain_name)
        and _names(filters.category, row.category_slug, row.category_name)
        and _names(filters.platform, *row.platforms)
    )


def _names(wanted: str | None, *names: str | None) -> bool:
    return wanted is None or plain_fold(wanted) in {plain_fold(name) for name in names if name}
