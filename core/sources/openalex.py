"""OpenAlex: works by id, searches with filters, names, and references for the citation graph (4.2, 4.4, 6.2, 9)."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.http.remembering import Kind
from core.identifiers import Identifier
from core.sources import fields
from core.sources.answers import CitingWork, Evidence, NameCandidate, Record, SearchHit, SearchPage
from core.sources.openalex_queries import Filters, Named, chosen, filter_expression, work_path
from core.sources.openalex_records import (
    GRAPH_SELECT,
    WORK_SELECT,
    citing_work,
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


def _candidate(row: fields.Row) -> NameCandidate | None:
    id, name = (fields.text(row, "id") or "").rstrip("/").rpartition("/")[2], fields.text(row, "display_name")
    if not id or not name:
        return None
    return NameCandidate(id.upper(), name, fields.number(row, "relevance_score") or 0.0)
