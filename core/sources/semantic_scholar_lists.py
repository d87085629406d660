"""Semantic Scholar's lists: searches, the citation graph, recommendations (scan contract 7.2)."""

from collections.abc import Mapping
from datetime import date

from core.http.remembering import Kind
from core.http.urls import Scalar
from core.identifiers import Identifier
from core.sources import fields
from core.sources.answers import ListedWork, Person
from core.sources.drafting import Draft
from core.sources.fields import MissingField, Row
from core.sources.semantic_scholar import SemanticScholar, paper_path, semantic_scholar_record

PAGE_MAX = 100

_LIST_FIELDS = (
    "paperId,externalIds,title,abstract,authors,year,publicationDate,venue,journal,citationCount,"
    "influentialCitationCount,openAccessPdf,publicationTypes"
)
_SEARCH_FIELDS = f"{_LIST_FIELDS},tldr"
_GRAPH_PATH = "/graph/v1"
_RETRACTED = "retracted"


class SemanticScholarLists(SemanticScholar):
    """The same source, asked for many works at once."""

    async def listed(
        self, query: str, *, since: date | None = None, until: date | None = None, limit: int, caller: str
    ) -> tuple[ListedWork, ...]:
        """At most a hundred papers that a few words mean, most relevant first."""
        params: dict[str, Scalar] = {"query": query, "limit": min(limit, PAGE_MAX), "fields": _SEARCH_FIELDS}
        return await self._list("/paper/search", {**params, **_window(since, until)}, caller=caller, operation="search")

    async def listed_unranked(
        self, query: str, *, since: date | None = None, until: date | None = None, caller: str
    ) -> tuple[ListedWork, ...]:
        """The first thousand papers that fit a Boolean query, in no order that means anything."""
        params = {"query": query, "fields": _LIST_FIELDS}
        found = {**params, **_window(since, until)}
        return await self._list("/paper/search/bulk", found, caller=caller, operation="bulk")

    async def references(self, identifier: Identifier, *, offset: int, caller: str) -> tuple[ListedWork, ...]:
        """A page of a hundred papers that this one cites; raises `NotFound`."""
        return await self._linked(identifier, "references", "citedPaper", offset=offset, caller=caller)

    async def citations(self, identifier: Identifier, *, offset: int, caller: str) -> tuple[ListedWork, ...]:
        """A page of a hundred papers that cite this one; raises `NotFound`."""
        return await self._linked(identifier, "citations", "citingPaper", offset=offset, caller=caller)

    async def recommendations(self, identifier: Identifier, *, limit: int, caller: str) -> tuple[ListedWork, ...]:
        """Papers that are like this one; raises `NotFound`."""
        path = f"{self._rules.base_url.removesuffix(_GRAPH_PATH)}/recommendations/v1/papers/forpaper"
        asked = paper_path(identifier).removeprefix("/paper")
        params = {"fields": _LIST_FIELDS, "limit": limit}
        row, _ = await self._row(f"{path}{asked}", params, caller=caller, kind=Kind.SEARCH, operation="recommendations")
        return self._readable(self._rows(row, "recommendedPapers"), semantic_scholar_listed)

    async def listed_work(self, identifier: Identifier, *, caller: str) -> ListedWork:
        """One paper, as one of a list; raises `NotFound`."""
        params = {"fields": _LIST_FIELDS}
        row, _ = await self._row(paper_path(identifier), params, caller=caller, operation="lookup")
        with self._reading():
            return semantic_scholar_listed(row)

    async def _list(
        self, path: str, params: Mapping[str, Scalar], *, caller: str, operation: str
    ) -> tuple[ListedWork, ...]:
        row, _ = await self._row(path, params, caller=caller, kind=Kind.SEARCH, operation=operation)
        return self._readable(
            [] if fields.count(row, "total") == 0 else self._rows(row, "data"), semantic_scholar_listed
        )

    async def _linked(
        self, identifier: Identifier, what: str, member: str, *, offset: int, caller: str
    ) -> tuple[ListedWork, ...]:
        path, params = f"{paper_path(identifier)}/{what}", {"fields": _LIST_FIELDS, "offset": offset, "limit": PAGE_MAX}
        row, _ = await self._row(path, params, caller=caller, kind=Kind.SEARCH, operation=what)
        rows = (fields.row_in(each, member) for each in self._rows(row, "data"))
        return self._readable(rows, semantic_scholar_listed)

    def _rows(self, row: Row, key: str) -> list[Row]:
        """The objects of a list; a paper without any neighbour has null in its place."""
        if row.get(key, ...) is None:
            return []
        with self._reading():
            return fields.needed_rows(row, key, key)


def semantic_scholar_listed(row: Row) -> ListedWork:
    """One paper of a list, with the ids of its authors; raises `MissingField`."""
    if fields.text(row, "title") is None:
        raise MissingField("title")
    draft, kinds = Draft(), fields.texts(row, "publicationTypes")
    named = ((draft.named(fields.text(each, "name")), each) for each in fields.rows(row, "authors"))
    return ListedWork(
        semantic_scholar_record(row).work,
        tuple(Person(author.name, fields.text(each, "authorId")) for author, each in named if author is not None),
        next((kind for kind in kinds if kind.lower() != _RETRACTED), None),
        draft.clean("tldr", fields.text(fields.row_in(row, "tldr"), "text")),
        fields.count(row, "influentialCitationCount"),
        is_retracted=any(kind.lower() == _RETRACTED for kind in kinds),
    )


def _window(since: date | None, until: date | None) -> dict[str, str]:
    first, last = ("" if day is None else day.isoformat() for day in (since, until))
    return {"publicationDateOrYear": f"{first}:{last}"} if first or last else {}
