"""Papers of an upstream: search, exact lists, records, windows and lineage (catalog contract 11.1 and 14)."""

from typing import Any

import orjson

from core.catalog.models import (
    Author,
    CountKind,
    Direction,
    PaperFilters,
    PaperOrder,
    PaperRecord,
    PaperRow,
    PaperRows,
    SearchMode,
    SearchRows,
)
from core.catalog.notices import notice
from core.catalog.present import cut
from core.catalog.taxonomy_models import Lineage, RelatedBasis, RelatedRows
from core.catalog.upstream.about import AboutUpstream
from core.catalog.upstream.api import Api, item
from core.catalog.upstream.confirm import confirm_dates, confirm_echo, confirm_if_echoed, confirmed_authors
from core.catalog.upstream.pages import WirePage
from core.catalog.upstream.paper_rows import author, lineage, paper_record, paper_row
from core.catalog.upstream.values import Json, identifier, objects, text
from core.errors import Ambiguous, Entry, InvalidInput, NotFound, Unavailable
from core.http.client import Exchange
from core.http.upstream import CONFLICT, NOT_FOUND, UNPROCESSABLE

_CANDIDATES_MAX = 10
_WITHOUT_RESOURCES = {"methods": None, "repositories": None}
_OFFICIAL = "has_official_implementation"
_NO_MEANING = Unavailable("This catalog cannot search by meaning; use mode keyword, or hybrid, which falls back to it.")


def read_papers(rows: list[Json]) -> tuple[PaperRow, ...]:
    """The papers of wire rows; those without an id are left out and noted."""
    found = tuple(read for row in rows if (read := paper_row(row)))
    if len(found) < len(rows):
        notice(f"{len(rows) - len(found)} papers of the catalog's service have no id and are left out.")
    return found


class UpstreamPapers:
    """Papers of one API."""

    def __init__(self, api: Api, about: AboutUpstream) -> None:
        self._api = api
        self._about = about

    async def search(self, query: str, mode: SearchMode, filters: PaperFilters, page: int, size: int) -> SearchRows:
        """One page of a search in the upstream's order; raises `Unavailable` when meaning cannot be searched."""
        if filters != _searched(filters):
            raise InvalidInput("This catalog's search filters by dates and official implementations only.")
        if mode is SearchMode.SEMANTIC:
            about = await self._about.get()
            if about.is_ours and not about.has("vectors"):
                raise _NO_MEANING
        dates = {"start_date": filters.published_after, "end_date": filters.published_before}
        official = {_OFFICIAL: True} if filters.has_official_implementation else {}
        sent: dict[str, Any] = {"q": query, "page_size": size, "mode": mode.value, **dates, **official}
        found = await self._api.page(("papers", "search"), sent, page)
        rows = read_papers(found.rows)
        used = _mode_used(found.envelope)
        confirm_echo(self._api, found, dict.fromkeys(official, "true"), is_first=page == 1)
        confirm_dates(self._api, found, [row.published for row in rows], *dates.values())
        if used is None or found.applied.get("mode") != used.value:
            confirm_if_echoed(self._api, found, {"mode": mode.value})
        confirm_if_echoed(self._api, found, {"q": query, "search": query})
        if mode is SearchMode.SEMANTIC and used not in (None, mode):
            raise _NO_MEANING
        return SearchRows(
            rows=rows,
            count=found.count if not found.is_past_end else await self._search_count(sent),
            count_kind=_count_kind(found.envelope),
            mode_used=used,
            fallback_reason=_fallback(mode, used),
            has_more=found.has_more,
        )

    async def _search_count(self, sent: dict[str, Any]) -> int | None:
        """The count of a search whose pages end before the one asked for."""
        return (await self._api.page(("papers", "search"), sent, 1)).count

    async def listing(
        self, filters: PaperFilters, order: PaperOrder, direction: Direction, page: int, size: int, with_resources: bool
    ) -> PaperRows:
        """One page of the papers that pass; raises what the upstream says of author names."""
        strict = {
            name: value
            for name, value in {
                "task": filters.task_id,
                "method": filters.method_id,
                "conference": filters.conference_id,
                "framework": filters.framework_id,
                "organization": filters.organization_id,
                "start_date": filters.published_after,
                "end_date": filters.published_before,
                _OFFICIAL: "true" if filters.has_official_implementation else None,
            }.items()
            if value is not None
        }
        loose = {
            "search": filters.search,
            "latest_only": filters.latest_only,
            "order_by": order.value,
            "order_dir": direction.value,
        }
        sent = {
            **strict,
            **loose,
            "page_size": size,
            "author": filters.author_ids,
            "include_resources": True if with_resources else None,
        }
        found = await self._page_of_list(sent, page, filters.author_ids)
        confirm_echo(self._api, found, strict, is_first=page == 1)
        confirm_if_echoed(self._api, found, loose)
        authors: tuple[Author, ...] = ()
        if filters.author_ids and not found.is_past_end:
            authors = confirmed_authors(self._api, found, filters.author_ids)
        return PaperRows(read_papers(found.rows), found.count, found.has_more, authors)

    async def _page_of_list(self, sent: dict[str, Any], page: int, authors: tuple[str, ...]) -> WirePage:
        exchange = await self._api.exchange(("papers", ""), {**sent, "page": page})
        if authors and exchange.status in (NOT_FOUND, CONFLICT, UNPROCESSABLE):
            _raise_for_authors(exchange)
        if exchange.status == NOT_FOUND and page > 1:
            first = self._api.read_page(await self._api.exchange(("papers", ""), {**sent, "page": 1}), 1)
            return WirePage(count=first.count, applied=first.applied, is_past_end=True)
        return self._api.read_page(exchange, page)

    async def record(self, paper_id: str) -> PaperRecord:
        """One paper's record; raises `NotFound`."""
        found = paper_record(await self._paper(paper_id, include_resources=True))
        if found is None:
            raise self._api.malformed()
        return found

    async def catalog_id(self, paper_id: str) -> str:
        """The upstream's own id of a paper; raises `NotFound`."""
        if paper_id.isascii() and paper_id.isdecimal():
            return paper_id
        found = identifier((await self._paper(paper_id, include_resources=False)).get("id"))
        if found is None:
            raise self._api.malformed()
        return found

    async def _paper(self, reference: str, *, include_resources: bool) -> Json:
        return await self._api.answer(item("papers", reference), {"include_resources": include_resources})

    async def row(self, reference: str) -> PaperRow | None:
        """The paper that the upstream finds by a reference, or None."""
        try:
            # A record carries methods whether asked for or not; a row has them only in lists that ask.
            return paper_row({**await self._paper(reference, include_resources=False), **_WITHOUT_RESOURCES})
        except (NotFound, InvalidInput):
            # A reference of a form that the upstream does not take names no paper of it either.
            return None

    async def recent(self, limit: int) -> tuple[PaperRow, ...]:
        """The newest papers."""
        return read_papers(await self._api.rows(("papers", "recent"), {"limit": limit}))[:limit]

    async def trending(self, limit: int, max_age_days: int, min_velocity: float | None) -> tuple[PaperRow, ...]:
        """Papers of late in trending order."""
        sent = {"limit": limit, "max_age_days": max_age_days, "min_velocity": min_velocity}
        return read_papers(await self._api.rows(("papers", "trending"), sent))[:limit]

    async def related(self, paper_id: str, limit: int) -> RelatedRows:
        """Papers most like one; raises `NotFound`."""
        rows = read_papers(await self._api.rows(item("papers", paper_id, "related"), {"limit": limit}))[:limit]
        about = await self._about.get()
        if not about.is_ours:
            return RelatedRows(rows, None)
        return RelatedRows(rows, RelatedBasis.VECTORS if about.has("vectors") else RelatedBasis.SHARED)

    async def lineage(self, paper_id: str) -> Lineage:
        """Predecessors and successors of one paper; raises `NotFound`."""
        found = lineage(await self._api.answer(item("research", "papers", paper_id, "lineage")))
        if found is None:
            raise self._api.malformed()
        return found

    async def of_task(self, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        """The papers of a task in trending order, with their methods."""
        sent: dict[str, Any] = {"page_size": limit, "order_by": "trending", "order_dir": "desc"}
        try:
            page = await self._api.page(item("tasks", task_id, "papers"), {**sent, "include_resources": True}, 1)
        except NotFound:
            return ()
        return read_papers(page.rows)[:limit]


def _searched(filters: PaperFilters) -> PaperFilters:
    """What a search can filter by, of all filters."""
    return PaperFilters(
        published_after=filters.published_after,
        published_before=filters.published_before,
        has_official_implementation=filters.has_official_implementation,
    )


def _mode_used(envelope: Json) -> SearchMode | None:
    found = text(envelope.get("search_mode_used"))
    return SearchMode(found) if found in {mode.value for mode in SearchMode} else None


def _count_kind(envelope: Json) -> CountKind | None:
    found = text(envelope.get("count_kind"))
    return CountKind(found) if found in {kind.value for kind in CountKind} else None


def _fallback(asked: SearchMode, used: SearchMode | None) -> str | None:
    if asked is SearchMode.HYBRID and used is SearchMode.KEYWORD:
        return "The catalog's service could not search by meaning."
    return None


def _raise_for_authors(exchange: Exchange) -> None:
    """What a refusal says of author names, in our words (9.2); other refusals of author filters are bad values."""
    try:
        answer: object = orjson.loads(exchange.body)
    except orjson.JSONDecodeError:
        answer = None
    detail = answer.get("detail") if isinstance(answer, dict) else None
    code = detail.get("code") if isinstance(detail, dict) else None
    candidates = _candidates(detail) if isinstance(detail, dict) else ()
    if code == "unknown_author":
        raise NotFound(
            "One of the authors is not known; check the spelling, or pass an author id.", suggestions=candidates
        )
    if code == "ambiguous_author":
        raise Ambiguous("Several people bear one of these author names; pass a numeric id.", candidates=candidates)
    raise InvalidInput("The catalog's service refuses these authors; pass exact names, ids or @users.")


def _candidates(detail: Json) -> tuple[Entry, ...]:
    found = [each for row in objects(detail.get("candidates")) if (each := author(row))]
    return tuple(Entry(each.id, name=cut(each.name, 150), note=_author_note(each)) for each in found[:_CANDIDATES_MAX])


def _author_note(found: Author) -> str | None:
    return f"@{found.hf_username}" if found.hf_username else None
