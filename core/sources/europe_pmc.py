"""Europe PMC: records of the life sciences, their free copies and retractions (references contract 4.2, 4.4, 9)."""

from core.errors import NotFound
from core.http.remembering import Kind
from core.identifiers import IdentifierKind
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work
from core.sources import fields
from core.sources.answers import Evidence, Record
from core.sources.drafting import Draft, present
from core.sources.fields import Row
from core.sources.licences import licence_slug
from core.sources.service import Service
from core.works.pages import page_range

SOURCE = "europe-pmc"

_FREE = frozenset({"F", "OA"})
_RETRACTED = "retracted publication"


class EuropePmc(Service):
    """The European mirror of PubMed and more; only on where the operator switches it on."""

    async def work(self, doi: str, *, caller: str, kind: Kind = Kind.METADATA) -> Record:
        """The work whose own DOI is this one; raises `NotFound`."""
        wanted = fields.folded_doi(doi)
        escaped = wanted.replace("\\", "\\\\").replace('"', '\\"')
        params = {"query": f'DOI:"{escaped}"', "format": "json", "resultType": "core", "pageSize": 1}
        row, stale = await self._row(("search",), params, caller=caller, kind=kind, operation="work")
        with self._reading():
            listed = fields.needed_row(row, "resultList", "resultList")
            found = fields.needed_rows(listed, "result", "resultList.result")
        for each in found:
            record = europe_pmc_record(each, stale=stale)
            if record is not None and record.work.doi == wanted:
                return record
        raise NotFound("Europe PMC has nothing under this DOI.")

    async def retraction(self, doi: str, *, caller: str) -> Evidence:
        """What the record says of its retraction; raises `NotFound` where there is none."""
        record = await self.work(doi, caller=caller, kind=Kind.SEARCH)
        if record.evidence is None:
            raise self._drift("resultList.result.pubTypeList")
        return record.evidence


def europe_pmc_record(row: Row, *, stale: bool = False) -> Record | None:
    """One result; None where it has no id that a work goes by."""
    registered = fields.registered_doi(fields.text(row, "doi"))
    doi = fields.folded_doi(registered) if registered else None
    pmid = fields.registry_id(IdentifierKind.PMID, fields.text(row, "pmid"))
    pmcid = fields.registry_id(IdentifierKind.PMCID, fields.text(row, "pmcid"))
    key = f"doi:{doi}" if doi else f"pmid:{pmid}" if pmid else f"pmcid:{pmcid}" if pmcid else None
    if key is None:
        return None
    draft, issue = Draft(), fields.row_in(row, "journalInfo")
    journal = fields.row_in(issue, "journal")
    types = {each.lower() for each in fields.texts(fields.row_in(row, "pubTypeList"), "pubType")}
    license = licence_slug(fields.text(row, "license"))
    work = Work(
        key=key,
        doi=doi,
        pmid=pmid,
        pmcid=pmcid,
        title=draft.clean("title", _undotted(fields.text(row, "title"))),
        authors=present(_author(draft, each) for each in fields.rows(fields.row_in(row, "authorList"), "author")),
        published=_published(row),
        type="posted-content" if "preprint" in types else "journal-article",
        venue=draft.clean("venue", fields.text(journal, "title")),
        volume=fields.text(issue, "volume"),
        issue=fields.text(issue, "issue"),
        pages=page_range(fields.text(row, "pageInfo") or ""),
        issn=fields.issns([*fields.texts(journal, "issn"), *fields.texts(journal, "essn")]),
        abstract=draft.clean("abstract", fields.text(row, "abstractText")),
        license=license,
        oa_locations=_locations(row, license),
        cited_by_count=fields.count(row, "citedByCount"),
        updates=(UpdateNotice("retraction", source=SOURCE),) if _RETRACTED in types else (),
        sources=(SOURCE,),
    )
    evidence = Evidence(SOURCE, work.updates) if "pubTypeList" in row else None
    return Record(work, {}, (), draft.quality, stale, evidence)


def _undotted(title: str | None) -> str | None:
    return title[:-1] if title and title.endswith(".") and not title.endswith("..") else title


def _author(draft: Draft, row: Row) -> Author | None:
    if collective := fields.text(row, "collectiveName"):
        return draft.group(collective)
    family, given = fields.text(row, "lastName"), fields.text(row, "firstName") or fields.text(row, "initials")
    id = fields.row_in(row, "authorId")
    orcid = fields.text(id, "value") if id.get("type") == "ORCID" else None
    if family:
        return draft.person(family, given, orcid=orcid)
    return draft.indexed(fields.text(row, "fullName"))


def _published(row: Row) -> PartialDate | None:
    year = fields.text(row, "pubYear")
    return fields.partial_date(fields.text(row, "firstPublicationDate")) or (fields.date_of([year]) if year else None)


def _locations(row: Row, license: str | None) -> tuple[OaLocation, ...]:
    """The PDFs that are free by their own entry; what the record says of open access as a whole decides nothing."""
    urls = [
        fields.text(each, "url")
        for each in fields.rows(fields.row_in(row, "fullTextUrlList"), "fullTextUrl")
        if each.get("documentStyle") == "pdf" and fields.text(each, "availabilityCode") in _FREE
    ]
    return tuple(OaLocation(url_for_pdf=url, license=license) for url in dict.fromkeys(urls) if url)
