"""Tools on conferences, organizations and frameworks."""

from typing import Annotated

from pydantic import Field

from core.catalog.service import Catalog
from core.catalog.taxonomy_results import (
    ConferencePage,
    ConferenceResult,
    FrameworkPage,
    FrameworkResult,
    OrganizationPage,
    OrganizationResult,
)
from server.toolsets.catalog.parameters import Limit, Name, Page

_Facet = Annotated[str, Field(min_length=1, max_length=500)]


async def get_conference(
    services: Catalog,
    conference: Annotated[Name, Field(description="Conference edition: name, slug or id")],
) -> ConferenceResult:
    """Gives one edition of a conference: year, place, dates, number of papers held.

    For its papers use list_papers with conference.
    """
    return await services.communities.conference(conference)


async def list_conferences(
    services: Catalog,
    year: Annotated[int, Field(ge=1900, le=2100, description="Year of the edition")] | None = None,
    page: Page = 1,
    limit: Limit = 25,
) -> ConferencePage:
    """Lists conference editions, newest first."""
    return await services.communities.conferences(year=year, page=page, limit=limit)


async def get_organization(
    services: Catalog,
    organization: Annotated[Name, Field(description="Organization: name, slug or id")],
) -> OrganizationResult:
    """Gives one organization: description, links, years and number of papers held.

    For its papers use list_papers with organization.
    """
    return await services.communities.organization(organization)


async def list_organizations(
    services: Catalog,
    featured_only: Annotated[bool, Field(description="Only organizations that the catalog features")] = False,
    page: Page = 1,
    limit: Limit = 25,
) -> OrganizationPage:
    """Lists organizations by trending rank, then by number of papers."""
    return await services.communities.organizations(featured_only=featured_only, page=page, limit=limit)


async def get_framework(
    services: Catalog,
    framework: Annotated[Name, Field(description="Code framework: name, slug or id")],
) -> FrameworkResult:
    """Describes one code framework: what it is for, where its code and documentation are, who made it.

    For papers whose code uses it use list_papers with framework.
    """
    return await services.communities.framework(framework)


async def list_frameworks(
    services: Catalog,
    domain: Annotated[_Facet, Field(description="Domain, by slug or name")] | None = None,
    category: Annotated[_Facet, Field(description="Category within a domain, by slug or name")] | None = None,
    platform: Annotated[_Facet, Field(description="Platform that the framework runs on")] | None = None,
    page: Page = 1,
    limit: Limit = 25,
) -> FrameworkPage:
    """Lists code frameworks by domain and category."""
    return await services.communities.frameworks(
        domain=domain, category=category, platform=platform, page=page, limit=limit
    )
