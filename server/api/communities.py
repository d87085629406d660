"""Conferences, organizations and frameworks (catalog contract 16.2)."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import groupby

from core.catalog import api_rows, api_taxonomy
from core.catalog.models import EntityKind
from core.catalog.taxonomy_models import Framework, FrameworkFilters
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, json_reply, whole_list

_ALL = 1_000_000
# What a framework's place in the tree says already.
_PLACE = ("domain_slug", "domain_name", "category_slug", "category_name")


async def conferences(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """All editions of conferences, newest first."""
    found = await desk.backend.conferences(None, 1, _ALL)
    return whole_list([api_taxonomy.community_row(row) for row in found.rows])


async def conference(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One edition by slug or id."""
    found = await desk.backend.conference(await desk.entity_id(EntityKind.CONFERENCE, path[0]))
    return json_reply(asdict(found))


async def organizations(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """All organizations, or the featured ones, by trending rank, then papers."""
    featured_only = query.flag("featured_only") or False
    found = await desk.backend.organizations(featured_only=featured_only, page=1, size=_ALL)
    return whole_list([api_taxonomy.community_row(row) for row in found.rows])


async def organization(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One organization by slug or id."""
    found = await desk.backend.organization(await desk.entity_id(EntityKind.ORGANIZATION, path[0]))
    return json_reply(asdict(found))


async def frameworks(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """All frameworks as a tree of domains and categories; there is no single one, so texts are whole here."""
    found = (await desk.backend.frameworks(FrameworkFilters(), 1, _ALL)).rows
    domains = [
        {"slug": slug, "name": name, "categories": _categories(list(some))}
        for (slug, name), some in groupby(found, key=lambda row: (row.domain_slug, row.domain_name))
    ]
    return json_reply({"domains": domains})


def _categories(frameworks: Sequence[Framework]) -> list[api_rows.Json]:
    return [
        {"slug": slug, "name": name, "frameworks": [_framework(row) for row in some]}
        for (slug, name), some in groupby(frameworks, key=lambda row: (row.category_slug, row.category_name))
    ]


def _framework(row: Framework) -> api_rows.Json:
    return {name: value for name, value in asdict(row).items() if name not in _PLACE}
