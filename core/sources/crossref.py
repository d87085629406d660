"""Crossref: works by DOI, citations looked up as text, and notices about a work (references contract 4.2, 4.4, 9)."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from core.http.polite import PoliteClient
from core.http.remembering import Fetched, Kind
from core.http.rules import SourceRules
from core.identifiers import IdentifierKind
from core.records import Author, PartialDate, UpdateNotice, Work
from core.sources import fields
from core.sources.answers import Evidence, ListedWork, Person, Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.service import Service
from core.sources.trimming import trimmed
from core.works.pages import page_range
from core.works.retraction import RETRACTING, retraction_notice
from core.works.types import from_crossref

SOURCE = "crossref"
LIST_MAX = 20

_SEARCH_SELECT = "DOI,title,author,issued,container-title,type,updated-by"
_LIST_SELECT = (
    "DOI,title,subtitle,author,issued,published,container-title,type,abstract,is-referenced-by-count,updated-by,"
    "update-to"
)
_NOTICE_SELECT = "DOI,update-to"
_NOTICES = 5
_BAD_REQUEST = 400
_NEVER_SHOWN = frozenset({"reference", "assertion"})
_KEPT = frozenset(
    {"DOI", "title", "author", "issued", "published", "container-title", "type", "publisher", "updated-by", "update-to"}
)
_DATES = ("issued", "published", "published-print", "published-online")
_ABSTRACT_TITLE = re.compile(r"\s*<jats:title>\s*(?:abstract|summary)\s*</jats:title>", re.IGNORECASE)


class Crossref(Service):
    """The registration agency of most journal articles."""

    def __init__(self, client: PoliteClient, rules: SourceRules) -> None:
        super().__init__(client, rules)
        self._selects = True

    async def work(self, doi: str, *, caller: str) -> Record:
        """The work with this DOI, and Crossref's own object of it."""
        row, stale = await self._row(("works", fields.folded_doi(doi)), caller=caller, lane="one", operation="work")
        with self._reading():
            return crossref_record(_message(row), stale=stale)

    async def search(self, query: str, *, rows: int, caller: str) -> tuple[Work, ...]:
        """The works that a citation's text fits best, in Crossref's order; only those with a DOI."""
        params = {"query.bibliographic": query, "rows": rows}
        found = await self._items(params, _SEARCH_SELECT, caller=caller, operation="search")
        return tuple(crossref_record(each).work for each in found if fields.registered_doi(fields.text(each, "DOI")))

    async def retraction(self, doi: str, *, caller: str) -> Evidence | None:
        """The notices that name this DOI; None where the filter cannot carry it, and nothing was asked."""
        asked = fields.folded_doi(doi)
        if "," in asked:
            return None
        params = {"filter": f"updates:{asked}", "rows": _NOTICES}
        found = await self._items(params, _NOTICE_SELECT, caller=caller, operation="notices")
        return Evidence(SOURCE, tuple(notice for each in found for notice in notices_of(each, asked)))

    async def listed(
        self, query: str, *, since: date | None = None, until: date | None = None, rows: int, caller: str
    ) -> tuple[ListedWork, ...]:
        """The works whose citation a text fits best, in Crossref's order."""
        bounds = (("from-pub-date", since), ("until-pub-date", until))
        filters = ",".join(f"{name}:{day.isoformat()}" for name, day in bounds if day is not None)
        params = {"query.bibliographic": query, "filter": filters or None, "rows": rows}
        found = await self._items(params, _LIST_SELECT, caller=caller, operation="search")
        return self._readable(found, listed_work)

    async def listed_by_dois(self, dois: Sequence[str], *, caller: str) -> tuple[ListedWork, ...]:
        """The works of at most twenty DOIs that are registered here, in Crossref's order; none may hold a comma."""
        params = {"filter": ",".join(f"doi:{doi}" for doi in dois), "rows": LIST_MAX}
        found = await self._items(params, _LIST_SELECT, caller=caller, operation="lookup", kind=Kind.METADATA)
        return self._readable(found, listed_work)

    async def listed_work(self, doi: str, *, caller: str) -> ListedWork:
        """The work with this DOI, as one of a list; raises `NotFound`."""
        row, _ = await self._row(("works", fields.folded_doi(doi)), caller=caller, lane="one", operation="lookup")
        with self._reading():
            return listed_work(_message(row))

    async def _items(
        self, params: dict[str, Any], select: str, *, caller: str, operation: str, kind: Kind = Kind.SEARCH
    ) -> list[Row]:
        found = await self._selected(params, select, caller=caller, operation=operation, kind=kind)
        with self._reading():
            return fields.needed_rows(_message(fields.as_row(found.json())), "items", "message.items")

    async def _selected(
        self, params: dict[str, Any], select: str, *, caller: str, operation: str, kind: Kind
    ) -> Fetched:
        """A list; a refusal of `select` is asked again without it, and once that helped it is left out for good."""
        how: dict[str, Any] = {"caller": caller, "kind": kind, "lane": "list", "operation": operation}
        if self._selects:
            selected = {**params, "select": select}
            found = await self._get(("works",), selected, takes=frozenset({_BAD_REQUEST}), **how)
            if found.status != _BAD_REQUEST:
                return found
        found = await self._get(("works",), params, **how)
        self._selects = False
        return found


def crossref_record(message: Row, *, stale: bool = False) -> Record:
    """One `message`, or one item of a list; raises `MissingField`."""
    registered = fields.registered_doi(fields.text(message, "DOI"))
    if registered is None:
        raise MissingField("message.DOI")
    doi, draft = fields.folded_doi(registered), Draft()
    work = Work(
        key=f"doi:{doi}",
        doi=doi,
        doi_registered=registered,
        title=draft.clean("title", fields.first_text(message, "title")),
        subtitle=draft.clean("subtitle", fields.first_text(message, "subtitle")),
        authors=present(_author(draft, each) for each in fields.rows(message, "author")),
        published=_published(message),
        type=from_crossref(fields.text(message, "type")),
        venue=draft.clean("venue", _venue(message)),
        publisher=draft.clean("publisher", fields.text(message, "publisher")),
        volume=fields.text(message, "volume"),
        issue=fields.text(message, "issue"),
        pages=page_range(fields.text(message, "page") or ""),
        article_number=fields.text(message, "article-number"),
        issn=fields.issns(fields.texts(message, "ISSN")),
        isbn=fields.isbns(fields.texts(message, "ISBN")),
        language=fields.language(fields.text(message, "language")),
        abstract=draft.clean("abstract", _ABSTRACT_TITLE.sub("", fields.text(message, "abstract") or "")),
        url=fields.https_url(fields.text(message, "URL")),
        cited_by_count=fields.count(message, "is-referenced-by-count"),
        reference_count=_reference_count(message),
        updates=tuple(_notices(fields.rows(message, "updated-by"), doi_of_notice=True)),
        is_notice_for=_is_notice_for(message, doi),
        preprint_of=next(iter(_related(message, "is-preprint-of")), None),
        preprints=tuple(_related(message, "has-preprint")),
        sources=(SOURCE,),
    )
    shown = {name: value for name, value in message.items() if name not in _NEVER_SHOWN}
    metadata, cut = trimmed(shown, people="author", affiliation="affiliation", kept=_KEPT)
    return Record(work, metadata, cut, draft.quality, stale, Evidence(SOURCE, work.updates))


def listed_work(message: Row) -> ListedWork:
    """One item of a list, with what it retracts; raises `MissingField`."""
    work = crossref_record(message).work
    retracted = (each for each in fields.rows(message, "update-to") if _type_of(each) in RETRACTING)
    return ListedWork(
        work,
        tuple(Person(author.name) for author in work.authors),
        fields.text(message, "type"),
        is_retracted=retraction_notice(work) is not None,
        retracts=tuple(dict.fromkeys(doi for each in retracted if (doi := _doi_of(each)) and doi != work.doi)),
    )


def notices_of(notice: Row, doi: str) -> Iterable[UpdateNotice]:
    """What a notice's own record says of the work with this DOI."""
    own = fields.registered_doi(fields.text(notice, "DOI"))
    about = [each for each in fields.rows(notice, "update-to") if _doi_of(each) == doi]
    for found in _notices(about, doi_of_notice=False):
        yield UpdateNotice(found.type, fields.folded_doi(own) if own else None, found.date, SOURCE)


def _message(row: Row) -> Row:
    if row.get("status") != "ok":
        raise MissingField("status")
    return fields.needed_row(row, "message", "message")


def _author(draft: Draft, row: Row) -> Author | None:
    family, given = fields.text(row, "family"), fields.text(row, "given")
    if family is None and given is None:
        return draft.group(fields.text(row, "name"))
    return draft.person(family, given, suffix=fields.text(row, "suffix"), orcid=fields.text(row, "ORCID"))


def _published(message: Row) -> PartialDate | None:
    dates = (_date(fields.row_in(message, name)) for name in _DATES)
    return next((date for date in dates if date is not None), None)


def _date(row: Row) -> PartialDate | None:
    parts = next(iter(fields.items(row, "date-parts")), None)
    return fields.date_of(parts) if isinstance(parts, list) else None


def _venue(message: Row) -> str | None:
    return fields.first_text(message, "container-title") or fields.text(fields.row_in(message, "event"), "name")


def _reference_count(message: Row) -> int | None:
    counted = fields.count(message, "references-count")
    return fields.count(message, "reference-count") if counted is None else counted


def _notices(rows: Iterable[Row], *, doi_of_notice: bool) -> Iterable[UpdateNotice]:
    for each in rows:
        type_ = fields.text(each, "type")
        if type_:
            date = _date(fields.row_in(each, "updated"))
            yield UpdateNotice(type_.lower(), _doi_of(each) if doi_of_notice else None, date, SOURCE)


def _type_of(notice: Row) -> str:
    return (fields.text(notice, "type") or "").lower()


def _is_notice_for(message: Row, own: str) -> tuple[str, ...]:
    """The works that this record is a notice for; a record that updates itself is none."""
    about = (_doi_of(each) for each in fields.rows(message, "update-to"))
    return tuple(dict.fromkeys(doi for doi in about if doi and doi != own))


def _doi_of(row: Row) -> str | None:
    registered = fields.registered_doi(fields.text(row, "DOI"))
    return fields.folded_doi(registered) if registered else None


def _related(message: Row, relation: str) -> list[str]:
    """The ids of related works: arXiv ids and DOIs, each once."""
    found = []
    for each in fields.rows(fields.row_in(message, "relation"), relation):
        kind, id = fields.text(each, "id-type"), fields.text(each, "id")
        identifier = fields.identified(f"arxiv:{id}" if kind == "arxiv" and id and ":" not in id else id)
        if identifier is not None and identifier.kind in (IdentifierKind.ARXIV, IdentifierKind.DOI):
            found.append(identifier.value)
    return list(dict.fromkeys(found))
