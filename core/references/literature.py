"""Searches the literature: the catalog's own hits, then OpenAlex (references contract, section 3.9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from core.catalog.models import PaperFilters, SearchMode
from core.errors import Ambiguous, InvalidInput, NotFound, PaperdeskError
from core.records import Work
from core.references.asking import Asking
from core.references.attempts import traced
from core.references.citations.tokens import content, folded_tokens
from core.references.failures import BadArgument
from core.references.results import ListAnswer
from core.references.room import Room
from core.references.shelf import work_of
from core.references.text.cuts import cut_text, units_of
from core.sources.answers import SearchHit, SearchPage
from core.sources.openalex_queries import Filters
from core.works.retraction import retraction_notice

QUERY_CHARS_MAX = 500
LIMIT_MAX = 200
YEAR_MIN, YEAR_MAX = 1000, 2100
ABSTRACT_UNITS, ABSTRACTS_UNITS = 1_200, 30_000
ROWS_CHARS_MAX = 135_000
"""Leaves room for the text block and the rest of the answer within the ceiling of 150,000."""
_ROWS_DEFAULT = 25
_UNITS_MAX = 70_000
"""Of the rows of a search that asks for no more than these, which stays under 25,000 tokens (contract 1.4)."""
_POOL = 25
_MANY_WORDS = 8


@dataclass(frozen=True, slots=True)
class LiteratureQuery:
    """What is searched for; names are as the caller wrote them."""

    query: str
    limit: int = 25
    filters: Filters = field(default_factory=Filters)

    def __post_init__(self) -> None:
        filters = self.filters
        if not 1 <= len(self.query) <= QUERY_CHARS_MAX or not any(each.isalnum() for each in self.query):
            raise BadArgument(
                f"The query has 1 to {QUERY_CHARS_MAX} characters, a letter or digit among them.", field="query"
            )
        _within("limit", self.limit, 1, LIMIT_MAX)
        _within("from_year", filters.from_year, YEAR_MIN, YEAR_MAX)
        _within("to_year", filters.to_year, YEAR_MIN, YEAR_MAX)
        if filters.from_year and filters.to_year and filters.from_year > filters.to_year:
            raise BadArgument("from_year must not be after to_year.", field="from_year")
        _within("min_citations", filters.min_citations, 0, None)
        _within("min_fwci", filters.min_fwci, 0, None)
        _within("min_percentile", filters.min_percentile, 0, 100)

    @classmethod
    def of(cls, query: str, limit: int, **filters: Any) -> "LiteratureQuery":
        """A query with filters by their names."""
        return cls(query, limit, Filters(**filters))

    @property
    def suits_catalog(self) -> bool:
        """Whether no filter is set that the catalog cannot evaluate."""
        dated = Filters(from_year=self.filters.from_year, to_year=self.filters.to_year)
        return self.filters == dated


class Literature:
    """Searches beyond what is held."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def search(self, asked: LiteratureQuery) -> ListAnswer:
        """The catalog's hits first, at most half of all; then OpenAlex's, less those."""
        asking = self._room.asking()
        with traced(asking.trace):
            async with self._room.session("metadata"):
                own = await self._own(asked, asking)
                page, shown_filters, failure = await self._outside(asked, asking)
                if failure is not None and not own:
                    raise failure
        listed = {name for work in own for name in work.identifiers()}
        outside = [hit for hit in (page.hits if page else ()) if not listed & set(hit.work.identifiers())]
        outside = outside[: asked.limit - len(own)]
        count = len(own) + len(outside)
        held = await self._held([hit.work for hit in outside])
        hits = [(SearchHit(work), "catalog", True) for work in own]
        hits += [(hit, "openalex", hit.work.key in held) for hit in outside]
        rows = _fitting(hits)
        answer: dict[str, Any] = {
            "scope": "external",
            "query": asked.query,
            "total_results": page.total if page else None,
            "count": count,
            "results": rows,
            "catalog_results": len(own),
            "attempts": asking.trace.shown(),
            "filters": shown_filters,
        }
        if page is None:
            answer["degraded"] = True
        if page is not None and page.stale:
            answer["stale"] = True
        if not rows:
            answer["hint"] = _hint(asked)
        return ListAnswer(ok=True, **answer)

    async def _own(self, asked: LiteratureQuery, asking: Asking) -> list[Work]:
        if not asked.suits_catalog:
            asking.trace.note("catalog", "not_consulted_not_applicable", "it cannot evaluate these filters")
            return []
        wanted = set(content(folded_tokens(asked.query)))
        first, last = asked.filters.from_year, asked.filters.to_year
        filters = PaperFilters(
            published_after=f"{first:04d}-01-01" if first else None,
            published_before=f"{last:04d}-12-31" if last else None,
        )
        backend = self._room.shelf.backend
        try:
            found = await backend.search(asked.query, SearchMode.KEYWORD, filters, (), 1, _POOL)
            works = [work_of(await backend.paper(row.canonical_id)) for row in found.rows]
        except InvalidInput:
            works = []
        except PaperdeskError as error:
            asking.trace.failed("catalog", error)
            return []
        kept = [work for work in works if wanted <= set(folded_tokens(f"{work.title} {work.abstract or ''}"))]
        asking.trace.note("catalog", "consulted_resolved" if kept else "consulted_no_record")
        return kept[: asked.limit // 2]

    async def _outside(
        self, asked: LiteratureQuery, asking: Asking
    ) -> tuple[SearchPage | None, dict[str, Any], PaperdeskError | None]:
        """OpenAlex's page; a name that is none or several ends the search, any other failure is handed on."""
        filters, shown = asked.filters, _shown(asked.filters)
        openalex = asking.sources.openalex
        try:
            filters = await _by_ids(filters, shown, asking)
            page = await asking.of(
                "openalex",
                openalex,
                lambda each: each.search(asked.query, filters, limit=asked.limit, caller=asking.caller),
            )
        except (NotFound, Ambiguous):
            # A filter that means nothing, or several things, is the caller's to mend.
            raise
        except PaperdeskError as error:
            return None, shown, _with_trace(error, asking)
        return page, shown, None

    async def _held(self, works: list[Work]) -> set[str]:
        """Keys of the works that the catalog holds too; a catalog that fails holds none of them."""
        held: set[str] = set()
        if self._room.shelf.backend.capabilities().kind == "http":
            # A request for each of up to 200 hits is more than the mark is worth.
            return held
        for work in works:
            for scheme, value in work.identifiers():
                if await self._room.shelf.holds(scheme, value):
                    held.add(work.key)
                    break
        return held


async def _by_ids(filters: Filters, shown: dict[str, Any], asking: Asking) -> Filters:
    """The filters with OpenAlex's ids in the place of names; `shown` learns what each was taken for."""

    async def named(what: Literal["author", "venue", "publisher"], name: str | None) -> str | None:
        if name is None:
            return None
        found = await asking.of(
            "openalex", asking.sources.openalex, lambda each: each.named(what, name, caller=asking.caller)
        )
        shown[what] = {"id": found.id, "name": found.name}
        return found.id

    return replace(
        filters,
        author=await named("author", filters.author),
        venue=await named("venue", filters.venue),
        publisher=await named("publisher", filters.publisher),
    )


def _with_trace(error: PaperdeskError, asking: Asking) -> PaperdeskError:
    try:
        with traced(asking.trace):
            raise error
    except PaperdeskError as known:
        return known


def _within(field: str, value: float | None, least: float, most: float | None) -> None:
    if value is None or (least <= value and (most is None or value <= most)):
        return
    span = f"from {least} to {most}" if most is not None else f"of at least {least}"
    raise BadArgument(f"{field} is a number {span}.", field=field)


def _shown(filters: Filters) -> dict[str, Any]:
    names = (
        "from_year",
        "to_year",
        "oa_only",
        "min_citations",
        "min_fwci",
        "min_percentile",
        "author",
        "venue",
        "publisher",
    )
    values = {name: getattr(filters, name) for name in names}
    return {name: value for name, value in values.items() if value is not None and value is not False}


@dataclass(frozen=True, slots=True)
class _Bounds:
    """How much of each part of a hit is shown."""

    authors: int = 20
    name_chars: int = 100
    title_chars: int = 400
    venue_chars: int = 200


# From what an answer can spare most easily; a text that was cut ends in an ellipsis, a list of authors has its count.
_TIGHTER = (_Bounds(), _Bounds(5, 60, 300, 100), _Bounds(3, 40, 150, 60), _Bounds(1, 30, 80, 30))


def _fitting(hits: Sequence[tuple[SearchHit, str, bool]]) -> list[dict[str, Any]]:
    """The hits as rows, cut until all of them fit."""
    rows: list[dict[str, Any]] = []
    for bounds in _TIGHTER:
        rows = [_hit(hit, source, len(hits), bounds, in_catalog=held) for hit, source, held in hits]
        text = orjson.dumps(rows).decode()
        if len(text) <= ROWS_CHARS_MAX and (len(rows) > _ROWS_DEFAULT or _units(text, rows) <= _UNITS_MAX):
            break
    return rows


def _units(text: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Of the rows and their titles, which the text for a person repeats."""
    return units_of(text) + sum(units_of(row["title"] or "") for row in rows)


def _hit(hit: SearchHit, source: str, count: int, bounds: _Bounds, *, in_catalog: bool) -> dict[str, Any]:
    work = hit.work
    abstract, is_cut = _abstract(work.abstract, min(ABSTRACT_UNITS, ABSTRACTS_UNITS // max(count, 1)))
    retracted = hit.retracted or retraction_notice(work) is not None
    shown: dict[str, Any] = {
        "doi": work.doi,
        "openalex_id": work.openalex_id or "",
        "arxiv": work.arxiv_id,
        "title": _cut(work.title, bounds.title_chars),
        "authors": [_cut(author.name, bounds.name_chars) for author in work.authors[: bounds.authors]],
        "author_count": work.author_count or 0,
        "year": work.year,
        "venue": _cut(work.venue, bounds.venue_chars),
        "abstract": abstract,
        "cited_by_count": work.cited_by_count,
        "oa_status": work.oa_status,
        "fwci": hit.fwci,
        "cited_by_percentile_year_min": hit.cited_by_percentile_year_min,
        "source": source,
        "in_catalog": in_catalog,
        "retracted": True if retracted else None,
    }
    return {**shown, "abstract_truncated": True} if is_cut else shown


def _cut(text: str | None, chars: int) -> str | None:
    return text if text is None or len(text) <= chars else f"{text[: chars - 1]}…"


def _abstract(text: str | None, units: int) -> tuple[str | None, bool]:
    if not text:
        return None, False
    cut = cut_text(text, 0, len(text), units)
    return cut.text, cut.is_truncated


def _hint(asked: LiteratureQuery) -> str:
    words = content(folded_tokens(asked.query))
    if len(words) > _MANY_WORDS:
        return "Nothing holds all these words; use fewer words, 3 to 5 distinctive ones."
    set_ones = list(_shown(asked.filters))
    if set_ones:
        return f"Nothing passes the filters; drop one of {', '.join(set_ones)}."
    return "Nothing was found; try other or fewer words."
