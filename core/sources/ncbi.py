"""NCBI: PubMed and PubMed Central ids, and what PubMed says of a retraction (references contract 4.2, 4.4, 9)."""

import calendar
import re
from collections.abc import Mapping, Sequence

from core.errors import NotFound
from core.http.remembering import Kind
from core.identifiers import Identifier, IdentifierKind
from core.records import Author, PartialDate, UpdateNotice, Work
from core.sources import fields
from core.sources.answers import Evidence, Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.service import Service
from core.works.pages import page_range

SOURCE = "ncbi"
BATCH_MAX = 100

_DATABASES = {IdentifierKind.PMID: "pubmed", IdentifierKind.PMCID: "pmc"}
_RETRACTED = "retracted publication"
_MONTHS = {name.lower(): place for place, name in enumerate(calendar.month_abbr) if name}
# Of a span, such as Jul-Aug or 5-12, only what holds for both ends is known.
_DATE = re.compile(r"([0-9]{4})(?: ([A-Za-z]{3})[a-z]*(?![A-Za-z-])(?: ([0-9]{1,2})(?![0-9-]))?)?")
_SORTABLE = re.compile(r"([0-9]{4})/([0-9]{2})/[0-9]{2}")
_ARTICLE_NUMBER = re.compile(r"e?[0-9]{3,12}")


class Ncbi(Service):
    """The summaries of PubMed and PubMed Central."""

    async def record(self, identifier: Identifier, *, caller: str) -> Record:
        """The record of a PubMed or PubMed Central id, with its DOI where it has one; raises `NotFound`."""
        found = (await self.records([identifier], caller=caller)).get(identifier)
        if found is None:
            raise NotFound(f"NCBI has no record {identifier.id}; check the id.")
        return found

    async def records(self, identifiers: Sequence[Identifier], *, caller: str) -> Mapping[Identifier, Record]:
        """The records of ids of both kinds; those that NCBI has not are absent."""
        found: dict[Identifier, Record] = {}
        for kind, database in _DATABASES.items():
            wanted = list(dict.fromkeys(_digits(each) for each in identifiers if each.kind is kind))
            for start in range(0, len(wanted), BATCH_MAX):
                summaries = await self._summaries(
                    database, wanted[start : start + BATCH_MAX], caller=caller, kind=Kind.METADATA
                )
                of_kind = [each for each in identifiers if each.kind is kind]
                found |= {each: summaries[_digits(each)] for each in of_kind if _digits(each) in summaries}
        return found

    async def by_doi(self, doi: str, *, caller: str) -> Record:
        """The PubMed record whose own DOI is this one; raises `NotFound`."""
        return await self._by_doi(doi, caller=caller, kind=Kind.METADATA)

    async def retraction(self, doi: str, *, caller: str) -> Evidence:
        """What PubMed's record says of its retraction; raises `NotFound` where it has none."""
        record = await self._by_doi(doi, caller=caller, kind=Kind.SEARCH)
        if record.evidence is None:
            raise self._drift("result.pubtype")
        return record.evidence

    async def _by_doi(self, doi: str, *, caller: str, kind: Kind) -> Record:
        wanted = fields.folded_doi(doi)
        params = {"db": "pubmed", "term": f"{wanted}[doi]", "retmode": "json"}
        row, _ = await self._row(("esearch.fcgi",), params, caller=caller, kind=kind, operation="search")
        with self._reading():
            result = fields.needed_row(row, "esearchresult", "esearchresult")
            if not isinstance(result.get("idlist"), list):
                raise MissingField("esearchresult.idlist")
        ids = [each for each in fields.texts(result, "idlist") if each.isdecimal()][:BATCH_MAX]
        found = await self._summaries("pubmed", ids, caller=caller, kind=kind) if ids else {}
        # The search falls back to words where it knows no such DOI: only the record's own counts.
        for record in found.values():
            if record.work.doi == wanted:
                return record
        raise NotFound("NCBI has no record under this DOI.")

    async def _summaries(self, database: str, ids: Sequence[str], *, caller: str, kind: Kind) -> dict[str, Record]:
        params = {"db": database, "id": ",".join(ids), "retmode": "json"}
        row, stale = await self._row(("esummary.fcgi",), params, caller=caller, kind=kind, operation="summaries")
        if "error" in row or "esummaryresult" in row:
            return {}
        with self._reading():
            result = fields.needed_row(row, "result", "result")
        summaries = {id: fields.row_in(result, id) for id in ids}
        return {
            id: ncbi_record(id, summary, database=database, stale=stale)
            for id, summary in summaries.items()
            if summary and "error" not in summary
        }


def ncbi_record(id: str, summary: Row, *, database: str = "pubmed", stale: bool = False) -> Record:
    """One summary, of an id that it was asked by; `database` is `pubmed` or `pmc`."""
    ids = _article_ids(summary)
    registered = fields.registered_doi(ids.get("doi"))
    doi = fields.folded_doi(registered) if registered else None
    pmid = id if database == "pubmed" else fields.registry_id(IdentifierKind.PMID, ids.get("pmid"))
    pmcid = fields.registry_id(IdentifierKind.PMCID, id if database == "pmc" else ids.get("pmc") or ids.get("pmcid"))
    draft, location = Draft(), fields.text(summary, "elocationid") or ""
    is_pubmed = database == "pubmed"
    work = Work(
        key=f"doi:{doi}" if doi else f"pmid:{pmid}" if pmid else f"pmcid:{pmcid}",
        doi=doi,
        pmid=pmid,
        pmcid=pmcid,
        title=_title(draft, summary),
        authors=present(_author(draft, each) for each in fields.rows(summary, "authors")),
        published=_published(summary),
        type="journal-article",
        venue=draft.clean("venue", fields.text(summary, "fulljournalname")),
        volume=fields.text(summary, "volume"),
        issue=fields.text(summary, "issue"),
        pages=page_range(fields.text(summary, "pages") or ""),
        article_number=location if _ARTICLE_NUMBER.fullmatch(location) else None,
        issn=fields.issns([*fields.texts(summary, "issn"), *fields.texts(summary, "essn")]),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{id}/" if is_pubmed else None,
        updates=(UpdateNotice("retraction", source=SOURCE),) if _is_retracted(summary) else (),
        sources=(SOURCE,),
    )
    # Summaries of PubMed Central have no such list.
    evidence = Evidence(SOURCE, work.updates) if isinstance(summary.get("pubtype"), list) else None
    return Record(work, {}, (), draft.quality, stale, evidence)


def _digits(identifier: Identifier) -> str:
    return identifier.id.removeprefix("PMC")


def _article_ids(summary: Row) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in fields.rows(summary, "articleids"):
        kind, value = fields.text(each, "idtype"), fields.text(each, "value")
        if kind and value and value != "0":
            found.setdefault(kind, value)
    return found


def _title(draft: Draft, summary: Row) -> str | None:
    title = fields.text(summary, "title")
    # An ellipsis is no final dot.
    is_ended = title is not None and title.endswith(".") and not title.endswith("..")
    return draft.clean("title", title[:-1] if title and is_ended else title)


def _author(draft: Draft, row: Row) -> Author | None:
    name, kind = fields.text(row, "name"), fields.text(row, "authtype")
    return draft.group(name) if kind == "CollectiveName" else draft.indexed(name)


def _published(summary: Row) -> PartialDate | None:
    """As precisely as it is printed; the sortable form makes up a day, so at most its month counts."""
    printed = fields.text(summary, "pubdate") or ""
    if match := _DATE.match(printed):
        month = _MONTHS.get((match[2] or "").lower())
        return fields.date_of([match[1], *([month, match[3]] if month else [])])
    sortable = _SORTABLE.match(fields.text(summary, "sortpubdate") or "")
    return fields.date_of([sortable[1], sortable[2]]) if sortable else None


def _is_retracted(summary: Row) -> bool:
    """Whether this is a retracted paper; a notice of a retraction is none."""
    return _RETRACTED in (each.lower() for each in fields.texts(summary, "pubtype"))
