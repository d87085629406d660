"""Conferences, organizations and frameworks: one, and the listings (catalog contract 6.11)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.catalog import api_rows
from core.catalog.backend import CatalogBackend
from core.catalog.models import EntityKind
from core.catalog.paging import applied, next_page, page_notes
from core.catalog.present import DESCRIPTION_MAX, NAME_MAX, ROW_DESCRIPTION_MAX, cut, link_url
from core.catalog.resolve import Resolver
from core.catalog.taxonomy_models import Conference, Framework, FrameworkFilters, Organization
from core.catalog.taxonomy_results import (
    ConferenceDetail,
    ConferencePage,
    ConferenceResult,
    ConferenceSummary,
    FrameworkDetail,
    FrameworkPage,
    FrameworkResult,
    FrameworkSummary,
    OrganizationDetail,
    OrganizationPage,
    OrganizationResult,
    OrganizationSummary,
)

_LINKS = ("url", "hf_url", "website_url", "github_url", "docs_url")
_NAMES = ("name", "location", "venue", "domain_name", "category_name", "organization_name")


class Communities:
    """The conferences, organizations and frameworks of one backend."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, site_url: str) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url

    async def conference(self, name: str) -> ConferenceResult:
        """One edition of a conference."""
        entity, note = await self._resolver.entity(EntityKind.CONFERENCE, name)
        fields = self._fields(await self._backend.conference(entity.id), DESCRIPTION_MAX)
        return ConferenceResult(
            conference=ConferenceDetail(**fields),
            notes=[note] if note else None,
            data=fields,
        )

    async def conferences(self, *, year: int | None, page: int, limit: int) -> ConferencePage:
        """One page of conference editions, newest first."""
        found = await self._backend.conferences(year, page, limit)
        items = [ConferenceSummary(**self._fields(row, ROW_DESCRIPTION_MAX, ConferenceSummary)) for row in found.rows]
        paged = self._paged(found.rows, found.count, page, limit, applied(year=year))
        return ConferencePage(items=items, **paged)

    async def organization(self, name: str) -> OrganizationResult:
        """One organization."""
        entity, note = await self._resolver.entity(EntityKind.ORGANIZATION, name)
        fields = self._fields(await self._backend.organization(entity.id), DESCRIPTION_MAX)
        return OrganizationResult(
            organization=OrganizationDetail(**fields),
            notes=[note] if note else None,
            data=fields,
        )

    async def organizations(self, *, featured_only: bool, page: int, limit: int) -> OrganizationPage:
        """One page of organizations by trending rank, then papers."""
        found = await self._backend.organizations(featured_only=featured_only, page=page, size=limit)
        items = [
            OrganizationSummary(**self._fields(row, ROW_DESCRIPTION_MAX, OrganizationSummary)) for row in found.rows
        ]
        ran = applied(featured_only=True if featured_only else None)
        return OrganizationPage(items=items, **self._paged(found.rows, found.count, page, limit, ran))

    async def framework(self, name: str) -> FrameworkResult:
        """One code framework."""
        entity, note = await self._resolver.entity(EntityKind.FRAMEWORK, name)
        fields = self._fields(await self._backend.framework(entity.id), DESCRIPTION_MAX)
        return FrameworkResult(
            framework=FrameworkDetail(**fields),
            notes=[note] if note else None,
            data=fields,
        )

    async def frameworks(
        self, *, domain: str | None, category: str | None, platform: str | None, page: int, limit: int
    ) -> FrameworkPage:
        """One page of code frameworks by domain and category."""
        filters = FrameworkFilters(domain=domain, category=category, platform=platform)
        found = await self._backend.frameworks(filters, page, limit)
        items = [FrameworkSummary(**self._fields(row, ROW_DESCRIPTION_MAX, FrameworkSummary)) for row in found.rows]
        ran = applied(domain=domain, category=category, platform=platform)
        return FrameworkPage(items=items, **self._paged(found.rows, found.count, page, limit, ran))

    def _fields(
        self, row: Conference | Organization | Framework, description_max: int, model: type[Any] | None = None
    ) -> dict[str, Any]:
        """The fields of a row for its output model: texts at their caps, links absolute."""
        fields = asdict(row)
        wanted = fields if model is None else {name: fields[name] for name in model.model_fields}
        for name, value in wanted.items():
            if not isinstance(value, str):
                continue
            if name in _LINKS:
                wanted[name] = link_url(value, self._site_url)
            elif name in _NAMES:
                wanted[name] = cut(value, NAME_MAX)
            elif name in ("description", "when_to_use"):
                wanted[name] = cut(value, description_max)
        return wanted

    def _paged(
        self,
        rows: Sequence[Conference | Organization | Framework],
        count: int,
        page: int,
        limit: int,
        ran: dict[str, str],
    ) -> dict[str, Any]:
        following = next_page(count, page, limit)
        return {
            "count": count,
            "page": page,
            "next_page": following,
            "applied_filters": ran,
            "as_of": self._backend.capabilities().as_of,
            "notes": page_notes(count, page, limit) or None,
            "data": api_rows.envelope(
                (self._fields(row, ROW_DESCRIPTION_MAX) for row in rows),
                count=count,
                page=page,
                page_size=limit,
                next_page=following,
                applied=ran,
            ),
        }
