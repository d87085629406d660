"""OpenAlex: works by id, searches with filters, names, and references for the citation graph (4.2, 4.4, 6.2, 9)."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from core.http.remembering import Kind
from core.http.urls import path_part
from core.identifiers import Identifier
from core.sources import fields
from core.sources.answers import CitingWork, Evidence, ListedWork, NameCandidate, Record, SearchHit, SearchPage
from core.sources.openalex_queries import Filters, Named, chosen, filter_expression, window_expression, work_path
from core.sources.openalex_records import (
    GRAPH_SELECT,
    LIST_SELECT,
    WORK_SELECT,
    citing_work,
    listed_work,
    openalex_record,
    search_hit,
)
from core.sources.service import Service

BATCH_MAX = 50
PAGE_MAX = 100

_NAMES = 5
_NAMED: dict[Named, str] = {"author": "authors", "venue": "sources", "publisher": "publishers"}


class Openalex(Service):
    """The open index of works; what may be asked of it in a day is bounded by a budget that it tells in headers."""

    async def work(self, identifier: Identifier, *, caller: str) -> Record:
        """The work with this DOI, arXiv id, OpenAlex id or PubMed id; of merged works the one that stands."""
        row, stale = await self._row(work_path(identifier), {"select": WORK_SELECT}, caller=caller, operation="work")
        with self._reading():
            return openalex_record(row, asked=identifier, stale=stale)

    async def retraction(self, identifier: Identifier, *, caller: str) -> Evidence:
        """Whether the work is marked as retracted."""
        row, _ = await self._row(
            work_path(identifier),
            {"select": "id,is_retracted"},
            caller=caller,
            kind=Kind.SEARCH,
            operation="retraction",
        )
        with self._reading():
            evidence = openalex_record(row).evidence
        if evidence is None:
            raise self._drift("is_retracted")
        return evidence

    async def search(self, query: str, filters: Filters, *, limit: int, caller: str) -> SearchPage:
        """The works that fit, most relevant first: at most `limit`, in pages of at most a hundred."""
        params: dict[str, Any] = {
            "filter": filter_expression(query, filters),
            "sort": "relevance_score:desc",
            "select": WORK_SELECT,
            "per-page": min(limit, PAGE_MAX),
        }
        hits: list[SearchHit] = []
        total, is_stale, page = None, False, 0
        while len(hits) < limit:
            page += 1
            row, stale = await self._row(
                "/works", {**params, "page": page}, caller=caller, kind=Kind.SEARCH, operation="search"
            )
            with self._reading():
                found = [search_hit(each) for each in fields.needed_rows(row, "results", "results")]
            hits += found
            is_stale = is_stale or stale
            total = fields.count(fields.row_in(row, "meta"), "count") if page == 1 else total
            if len(found) < params["per-page"]:
                break
        return SearchPage(tuple(hits[:limit]), total, is_stale)

    async def named(self, what: Named, name: str, *, caller: str) -> NameCandidate:
        """The one that a name means; raises `NotFound` and `Ambiguous`."""
        row, _ = await self._row(
            f"/{_NAMED[what]}",
            {"search": name, "per-page": _NAMES},
            caller=caller,
            kind=Kind.SEARCH,
            operation="names",
        )
        with self._reading():
            found = fields.needed_rows(row, "results", "results")
        return chosen([each for row in found if (each := _candidate(row))], name, what)

    async def citing_work(self, identifier: Identifier, *, caller: str) -> CitingWork:
        """One work with its references: where a citation graph starts."""
        row, _ = await self._row(work_path(identifier), {"select": GRAPH_SELECT}, caller=caller, operation="references")
        with self._reading():
            return citing_work(row)

    async def citing_works(self, ids: Sequence[str], *, caller: str) -> Mapping[str, CitingWork]:
        """The works of at most fifty OpenAlex ids; those that it does not know by now are absent."""
        params = {"filter": f"openalex:{'|'.join(ids)}", "select": GRAPH_SELECT, "per-page": BATCH_MAX}
        row, _ = await self._row("/works", params, caller=caller, operation="references")
        with self._reading():
            found = map(citing_work, fields.needed_rows(row, "results", "results"))
            return {each.id: each for each in found}

    async def listed(
        self, query: str, *, since: date | None = None, until: date | None = None, limit: int, caller: str
    ) -> tuple[ListedWork, ...]:
        """At most a hundred works by relevance, none retracted; `query` is in the language of this index."""
        bounds = window_expression(since, until)
        params = {"search": query, "filter": ",".join([*bounds, "is_retracted:false"]), "sort": "relevance_score:desc"}
        return await self._listed({**params, "per_page": min(limit, PAGE_MAX)}, caller=caller, operation="search")

    async def cited_by(self, id: str, *, page: int, caller: str) -> tuple[ListedWork, ...]:
        """A page of a hundred works that cite this one, the most cited first; pages count from 1."""
        params = {"filter": f"cites:{id}", "sort": "cited_by_count:desc", "per_page": PAGE_MAX, "page": page}
        return await self._listed(params, caller=caller, operation="citations")

    async def listed_by_ids(self, ids: Sequence[str], *, caller: str) -> tuple[ListedWork, ...]:
        """The works of at most fifty OpenAlex ids that it knows, in its own order."""
        params = {"filter": f"openalex:{'|'.join(ids)}", "per_page": BATCH_MAX}
        return await self._listed(params, caller=caller, operation="references")

    async def listed_by_dois(
        self, dois: Sequence[str], *, with_references: bool = False, caller: str
    ) -> tuple[ListedWork, ...]:
        """The works of at most fifty DOIs that it knows; see `fits_filter`. An arXiv id goes by its DOI."""
        params = {"filter": f"doi:{'|'.join(dois)}", "per_page": BATCH_MAX}
        select = f"{LIST_SELECT},referenced_works" if with_references else LIST_SELECT
        return await self._listed(params, select, caller=caller, operation="lookup")

    async def listed_work(self, doi: str, *, caller: str) -> ListedWork:
        """One work by a DOI that no filter can carry; raises `NotFound`."""
        path = f"/works/doi:{path_part(doi)}"
        row, _ = await self._row(path, {"select": LIST_SELECT}, caller=caller, operation="lookup")
        with self._reading():
            return listed_work(row)

    async def _listed(
        self, params: Mapping[str, Any], select: str = LIST_SELECT, *, caller: str, operation: str
    ) -> tuple[ListedWork, ...]:
        row, _ = await self._row(
            "/works", {**params, "select": select}, caller=caller, kind=Kind.SEARCH, operation=operation
        )
        with self._reading():
            found = fields.needed_rows(row, "results", "results")
        return self._readable(found, listed_work)


def _candidate(row: fields.Row) -> NameCandidate | None:
    id, name = (fields.text(row, "id") or "").rstrip("/").rpartition("/")[2], fields.text(row, "display_name")
    if not id or not name:
        return None
    return NameCandidate(id.upper(), name, fields.number(row, "relevance_score") or 0.0)
