"""Methods: their listing, held in memory, and their records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import numeric_id
from core.catalog.models import Direction, Link
from core.catalog.ordering import NameKey, has_words, name_key, ordered, searchable, text_key
from core.catalog.taxonomy_models import Method, MethodFilters, MethodOrder
from core.errors import NotFound

_COLUMNS = (
    "m.id, m.name, m.slug, m.full_name, m.description, a.id, a.name, m.introduced_year, p.id, p.arxiv_id, "
    "m.source_url, COALESCE(m.source_title, p.title), m.paper_count"
)
_TABLES = "method m LEFT JOIN area a ON a.id = m.area_id LEFT JOIN paper p ON p.pid = m.source_pid"
_ENTRIES = "SELECT id, name, slug, full_name, area_id, introduced_year, created_at, paper_count FROM method"


def method(connection: Connection, method_id: str) -> Method:
    """One method by catalog id; raises `NotFound`."""
    number = numeric_id(method_id)
    found = () if number is None else methods(connection, [number])
    if not found:
        raise NotFound(f"No method in this catalog has the id {method_id[:200]!r}. List methods to find it.")
    return found[0]


def methods(connection: Connection, ids: Sequence[int]) -> tuple[Method, ...]:
    """Methods in the order given."""
    statement = f"SELECT {_COLUMNS} FROM {_TABLES} WHERE m.id IN (SELECT value FROM json_each(?))"  # noqa: S608
    found = {row[0]: _method(row) for row in connection.execute(statement, (orjson.dumps(ids).decode(),))}
    return tuple(found[each] for each in ids if each in found)


def _method(row: Sequence[Any]) -> Method:
    id_, name, slug, full_name, description, area_id, area, year, paper_id, arxiv_id, url, title, papers = row
    return Method(
        id=str(id_),
        name=name,
        slug=slug,
        full_name=full_name,
        description=description,
        area=None if area_id is None else Link(str(area_id), area),
        introduced_year=year,
        source_paper_id=None if paper_id is None else arxiv_id or str(paper_id),
        source_url=url,
        source_title=title,
        paper_count=papers,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """What listing needs to know of a method."""

    id: int
    name_key: NameKey
    full_name: str | None
    words: str
    area_id: int | None
    introduced_year: int | None
    created_at: str | None
    paper_count: int


class MethodTable:
    """All methods of a catalog as far as listing needs them."""

    def __init__(self, connection: Connection) -> None:
        self._entries = [_entry(row) for row in connection.execute(_ENTRIES)]

    def listing(self, filters: MethodFilters, order: MethodOrder, direction: Direction) -> list[int]:
        """Ids of the methods that pass, in order."""
        passing = [entry for entry in self._entries if _passes(entry, filters)]
        return [entry.id for entry in ordered(passing, lambda entry: _first_key(entry, order), direction)]


def _entry(row: Sequence[Any]) -> _Entry:
    id_, name, slug, full_name, area_id, year, created_at, papers = row
    words = searchable(name, full_name, slug)
    return _Entry(id_, name_key(name, id_), full_name, words, area_id, year, created_at, papers)


def _passes(entry: _Entry, filters: MethodFilters) -> bool:
    if filters.area_id is not None and (entry.area_id is None or entry.area_id != numeric_id(filters.area_id)):
        return False
    if filters.introduced_year is not None and entry.introduced_year != filters.introduced_year:
        return False
    return has_words(entry.words, filters.search)


def _first_key(entry: _Entry, order: MethodOrder) -> Any:
    match order:
        case MethodOrder.NAME:
            return entry.name_key[:2]
        case MethodOrder.FULL_NAME:
            return text_key(entry.full_name)
        case MethodOrder.INTRODUCED_YEAR:
            return entry.introduced_year
        case MethodOrder.CREATED_AT:
            return entry.created_at
        case MethodOrder.PAPER_COUNT:
            return entry.paper_count
