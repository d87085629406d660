"""What the catalog holds: one record, a search, the newest, paths of PDFs (3.7, 3.8, 3.13, 3.14)."""

from dataclasses import dataclass
from typing import Any

from core.catalog.models import Direction, PaperFilters, PaperOrder, PaperRecord, PaperRow, SearchMode
from core.errors import Ambiguous, InvalidInput, NotFound
from core.identifiers import Identifier, parse
from core.records import Work
from core.references.failures import BadArgument
from core.references.resolution import own_identifier
from core.references.results import InfoAnswer, ListAnswer, PdfPathAnswer
from core.references.retraction_check import retraction_of_record
from core.references.room import SCHEMA_VERSION, Room
from core.references.safekeys import safekey
from core.references.shelf import Shelf, work_of
from core.references.shown_works import ABSTRACT_CHARS, AUTHORS_SHOWN

LIMIT_DEFAULT, LIMIT_MAX = 50, 200
_PAGE = 25
_PAGES_READ = 20
"""How far a search of the catalog's index is followed for rows that hold the query as it is written."""
_PAGES_READ_FAR = 4
_TITLE_CHARS = 250
"""Of a title in a list; a longer one ends in an ellipsis."""
_TOML_FIELDS = ("abstract", "arxiv_id", "doi", "issue", "pages", "publisher", "type", "url", "venue", "volume", "year")


class Holdings:
    """Reads of the catalog alone: no source is asked."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def info(self, ref: str) -> InfoAnswer:
        """The record of a reference; one that is not held is no failure."""
        identifier = await self._room.direct(ref, self._room.asking())
        record = await self._room.shelf.record(identifier)
        work = None if record is None else work_of(record)
        opening: dict[str, Any] = {"ref": ref, "canonical": identifier.key, "safekey": safekey(identifier, work)}
        if record is None or work is None:
            return InfoAnswer(ok=True, **opening, metadata=None)
        retraction = dict(retraction_of_record(record).shown())
        metadata = _stored_form(work, _taken_in(self._room.shelf))
        return InfoAnswer(ok=True, **opening, metadata=metadata, retraction=retraction)

    async def search(self, query: str, limit: int) -> ListAnswer:
        """Papers whose title, authors, venue or publisher holds the query as it is written, whatever its case."""
        wanted = clamped(limit)
        shelf = self._room.shelf
        found = [await _Held.of(shelf, row) for row in await _matching(shelf, query, wanted)]
        # All papers are taken in when the catalog is built, so that none is newer than another.
        rows = [each.shown(_taken_in(shelf)) for each in sorted(found, key=lambda each: each.key)]
        return ListAnswer(ok=True, scope="local", store="catalog", query=query, count=len(rows), results=rows)

    async def recent(self, limit: int) -> ListAnswer:
        """The newest papers of the catalog: of those taken in together, the latest published, by their safekeys."""
        shelf = self._room.shelf
        found = [await _Held.of(shelf, row) for row in await shelf.backend.recent(clamped(limit))]
        rows = [each.shown(_taken_in(shelf)) for each in sorted(found, key=lambda each: each.safekey)]
        return ListAnswer(ok=True, count=len(rows), entries=rows)

    async def pdf_path(self, ref: str) -> PdfPathAnswer:
        """A hosted service stores no PDF; what the catalog knows of an open copy is said instead."""
        identifier = await self._room.direct(ref, self._room.asking())
        work = await self._room.shelf.work(identifier)
        answer: dict[str, Any] = {"ref": ref, "canonical": identifier.key, "safekey": safekey(identifier, work)}
        answer |= {"path": None, "pdf_exists": False}
        if work is not None:
            location = next(iter(work.oa_locations), None)
            url = None if location is None else location.url_for_pdf or location.url
            answer |= {"origin": None, "license": work.license, "oa_url": url, "oa_status": work.oa_status}
        return PdfPathAnswer(ok=True, **answer)


def clamped(limit: int) -> int:
    """0 stands for the usual number; more than the ceiling acts as the ceiling."""
    if limit < 0:
        raise BadArgument("The limit is a whole number of at least 0.", field="limit")
    return min(limit or LIMIT_DEFAULT, LIMIT_MAX)


async def _matching(shelf: Shelf, query: str, limit: int) -> list[PaperRow]:
    """The catalog's index proposes, the rule of the contract decides."""
    folded = query.lower()
    proposals = _proposals(shelf, query) if folded.strip() else _all(shelf)
    found: dict[str, PaperRow] = {}
    async for row in proposals:
        if row.id not in found and (await _holds(shelf, row, folded)):
            found[row.id] = row
        if len(found) == limit:
            break
    return list(found.values())


def _is_far(shelf: Shelf) -> bool:
    return shelf.backend.capabilities().kind == "http"


async def _all(shelf: Shelf) -> Any:
    """All papers, page by page."""
    for page in range(1, LIMIT_MAX // _PAGE + 1):
        found = await shelf.backend.list_papers(
            PaperFilters(), PaperOrder.DATE_PUBLISHED, Direction.DESC, page, _PAGE, False
        )
        for row in found.rows:
            yield row
        if len(found.rows) < _PAGE:
            return


async def _proposals(shelf: Shelf, query: str) -> Any:
    backend = shelf.backend
    for author in (await backend.find_authors(query.strip()))[:5]:
        filters = PaperFilters(author_ids=(author.id,))
        try:
            found = await backend.list_papers(filters, PaperOrder.DATE_PUBLISHED, Direction.DESC, 1, _PAGE, False)
        except (NotFound, Ambiguous):
            # A catalog without an index of authors takes any text for one and says so only now.
            continue
        for row in found.rows:
            yield row
    for page in range(1, (_PAGES_READ_FAR if _is_far(shelf) else _PAGES_READ) + 1):
        try:
            hits = await backend.search(query[:500], SearchMode.KEYWORD, PaperFilters(), (), page, _PAGE)
        except InvalidInput:
            return
        for row in hits.rows:
            yield row
        if len(hits.rows) < _PAGE:
            return


async def _holds(shelf: Shelf, row: PaperRow, folded: str) -> bool:
    if folded in row.title.lower() or folded in " ".join(row.authors).lower():
        return True
    if _is_far(shelf):
        # A request for each row is more than its venue is worth.
        return False
    record: PaperRecord = await shelf.backend.paper(row.canonical_id)
    work = work_of(record)
    texts = (" ".join(author.name for author in work.authors), work.venue, work.publisher)
    return any(folded in text.lower() for text in texts if text)


@dataclass(frozen=True, slots=True)
class _Held:
    """A paper of a list, by its identity."""

    key: str
    safekey: str
    row: PaperRow

    @classmethod
    async def of(cls, shelf: Shelf, row: PaperRow) -> "_Held":
        """As the row names it; without an arXiv id as its record does, where that is at hand."""
        identifier, work = _arxiv(row), None
        if identifier is None and not _is_far(shelf):
            work = work_of(await shelf.backend.paper(row.canonical_id))
            identifier = own_identifier(work)
        if identifier is None:
            return cls(f"catalog:{row.id}", f"catalog_{row.id}", row)
        return cls(identifier.key, safekey(identifier, work), row)

    def shown(self, taken_in: str | None) -> dict[str, Any]:
        """As lists show it."""
        year = int(self.row.published[:4]) if self.row.published else None
        title = self.row.title
        if len(title) > _TITLE_CHARS:
            title = f"{title[: _TITLE_CHARS - 1]}…"
        return {"safekey": self.safekey, "title": title, "year": year, "fetched_at": taken_in}


def _taken_in(shelf: Shelf) -> str | None:
    """When the catalog's papers were taken in; all of them at one time, when it was built."""
    return shelf.backend.capabilities().built_at


def _arxiv(row: PaperRow) -> Identifier | None:
    try:
        return parse(f"arxiv:{row.arxiv_id}", titles=False, bare_digits="refuse") if row.arxiv_id else None
    except InvalidInput:
        return None


def _stored_form(work: Work, taken_in: str | None) -> dict[str, Any]:
    """The record as a store would keep it (references contract, 10.2)."""
    shown: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "title": work.title or work.key.partition(":")[2],
        "authors": [author.name for author in work.authors[:AUTHORS_SHOWN]],
        "arxiv_categories": list(work.arxiv_categories),
        "issn": ", ".join(work.issn),
        "isbn": ", ".join(work.isbn),
        **{name: getattr(work, name) for name in _TOML_FIELDS},
    }
    shown = {name: value for name, value in shown.items() if value or name == "authors"}
    if len(work.authors) > AUTHORS_SHOWN:
        shown["author_count"] = work.author_count
    if work.abstract and len(work.abstract) > ABSTRACT_CHARS:
        shown |= {"abstract": work.abstract[:ABSTRACT_CHARS], "abstract_truncated": True}
    own: dict[str, Any] = {"source": work.sources[0] if work.sources else "catalog"}
    own["license"] = work.license or "unknown"
    own |= {"size_bytes": 0, "fetched_at": work.fetched_at or taken_in}
    if work.oa_status:
        own["oa_status"] = work.oa_status
    return {**shown, "doiget": {name: value for name, value in own.items() if value is not None}}
