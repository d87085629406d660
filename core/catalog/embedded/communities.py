"""Conferences, organizations and frameworks: their orders, held in memory, and their records."""

from collections.abc import Sequence
from typing import Any

import orjson

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import numeric_id
from core.catalog.models import EntityKind
from core.catalog.ordering import name_key, text_key
from core.catalog.taxonomy_models import Conference, Framework, FrameworkFilters, Organization
from core.errors import NotFound
from core.folds import plain_fold

_CONFERENCE = (
    "SELECT id, name, slug, year, location, start_date, end_date, venue, description, tier, url, hf_url, paper_count "
    "FROM conference"
)
_ORGANIZATION = (
    "SELECT id, name, slug, is_featured, trending_rank, description, website_url, github_url, hf_url, "
    "first_paper_year, latest_paper_year, paper_count FROM organization"
)
_FRAMEWORK = (
    "SELECT f.id, f.name, f.slug, f.description, f.platforms, f.domain_slug, f.domain_name, f.category_slug, "
    "f.category_name, f.organization_name, f.github_url, f.docs_url, f.when_to_use, p.arxiv_id, f.paper_count "
    "FROM framework f LEFT JOIN paper p ON p.pid = f.introducing_pid"
)
_CHOSEN = "WHERE {} IN (SELECT value FROM json_each(?))"


class ConferenceTable:
    """All editions by year desc (missing last), name, id."""

    def __init__(self, connection: Connection) -> None:
        rows = connection.execute("SELECT id, name, year FROM conference").fetchall()
        rows.sort(key=lambda row: (row[2] is None, -(row[2] or 0), name_key(row[1], row[0])))
        self._rows = [(id_, year) for id_, _, year in rows]

    def listing(self, year: int | None) -> list[int]:
        """Ids of the editions of a year, or of all."""
        return [id_ for id_, held in self._rows if year is None or held == year]


class OrganizationTable:
    """All organizations by trending rank (missing last), paper count desc, name, id."""

    def __init__(self, connection: Connection) -> None:
        statement = "SELECT id, name, trending_rank, paper_count, is_featured FROM organization"
        rows = connection.execute(statement).fetchall()
        rows.sort(key=lambda row: (row[2] is None, row[2] or 0, -row[3], name_key(row[1], row[0])))
        self._all = [row[0] for row in rows]
        self._featured = [row[0] for row in rows if row[4]]

    def listing(self, *, featured_only: bool) -> list[int]:
        """Ids of all organizations, or of the featured ones."""
        return self._featured if featured_only else self._all


class FrameworkTable:
    """All frameworks by domain, category (missing last), name, id."""

    def __init__(self, connection: Connection) -> None:
        found = [_framework(row) for row in connection.execute(_FRAMEWORK)]
        self._frameworks = sorted(found, key=_framework_key)

    def listing(self, filters: FrameworkFilters) -> list[Framework]:
        """The frameworks that pass."""
        return [each for each in self._frameworks if _framework_passes(each, filters)]


def _framework_key(framework: Framework) -> tuple[Any, ...]:
    domain = text_key(framework.domain_name or framework.domain_slug)
    category = text_key(framework.category_name or framework.category_slug)
    return domain is None, domain or (), category is None, category or (), name_key(framework.name, int(framework.id))


def _framework_passes(framework: Framework, filters: FrameworkFilters) -> bool:
    return (
        _is_among(filters.domain, framework.domain_slug, framework.domain_name)
        and _is_among(filters.category, framework.category_slug, framework.category_name)
        and _is_among(filters.platform, *framework.platforms)
    )


def _is_among(wanted: str | None, *texts: str | None) -> bool:
    return wanted is None or plain_fold(wanted) in {plain_fold(text) for text in texts if text}


def conferences(connection: Connection, ids: Sequence[int]) -> tuple[Conference, ...]:
    """Conferences in the order given."""
    rows = connection.execute(f"{_CONFERENCE} {_CHOSEN.format('id')}", (orjson.dumps(ids).decode(),))
    found = {row[0]: Conference(str(row[0]), *row[1:]) for row in rows}
    return tuple(found[each] for each in ids if each in found)


def organizations(connection: Connection, ids: Sequence[int]) -> tuple[Organization, ...]:
    """Organizations in the order given."""
    rows = connection.execute(f"{_ORGANIZATION} {_CHOSEN.format('id')}", (orjson.dumps(ids).decode(),))
    found = {row[0]: _organization(row) for row in rows}
    return tuple(found[each] for each in ids if each in found)


def conference(connection: Connection, conference_id: str) -> Conference:
    """One conference by catalog id; raises `NotFound`."""
    number = numeric_id(conference_id)
    found = () if number is None else conferences(connection, [number])
    if not found:
        raise _missing(EntityKind.CONFERENCE, conference_id)
    return found[0]


def organization(connection: Connection, organization_id: str) -> Organization:
    """One organization by catalog id; raises `NotFound`."""
    number = numeric_id(organization_id)
    found = () if number is None else organizations(connection, [number])
    if not found:
        raise _missing(EntityKind.ORGANIZATION, organization_id)
    return found[0]


def framework(connection: Connection, framework_id: str) -> Framework:
    """One framework by catalog id; raises `NotFound`."""
    number = numeric_id(framework_id)
    row = None if number is None else connection.execute(f"{_FRAMEWORK} WHERE f.id = ?", (number,)).fetchone()
    if row is None:
        raise _missing(EntityKind.FRAMEWORK, framework_id)
    return _framework(row)


def _organization(row: Sequence[Any]) -> Organization:
    id_, name, slug, featured, *rest = row
    return Organization(str(id_), name, slug, None if featured is None else bool(featured), *rest)


def _framework(row: Sequence[Any]) -> Framework:
    id_, name, slug, description, platforms, *rest = row
    return Framework(str(id_), name, slug, description, tuple(orjson.loads(platforms)), *rest)


def _missing(kind: EntityKind, number: str) -> NotFound:
    return NotFound(f"No {kind.value} in this catalog has the id {number[:200]!r}. List {kind.value}s to find it.")
