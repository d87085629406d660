"""DOAJ: articles of open journals, with their licence and full text (references contract 4.2, 4.4)."""

from core.errors import NotFound
from core.http.urls import path_part
from core.records import Author, OaLocation, PartialDate, Work
from core.sources import fields
from core.sources.answers import Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.licences import licence_slug
from core.sources.service import Service
from core.works.pages import page_range

SOURCE = "doaj"


class Doaj(Service):
    """The directory of open access journals; only on where the operator switches it on."""

    async def work(self, doi: str, *, caller: str) -> Record:
        """The article whose own DOI is this one; raises `NotFound`."""
        wanted = fields.folded_doi(doi)
        path = f"/api/search/articles/doi:{path_part(wanted)}"
        row, stale = await self._row(path, {"pageSize": 1}, caller=caller, operation="work")
        with self._reading():
            for each in fields.needed_rows(row, "results", "results"):
                article = fields.needed_row(each, "bibjson", "results.bibjson")
                if _doi(article) == wanted:
                    return doaj_record(article, stale=stale)
        raise NotFound("DOAJ has nothing under this DOI.")


def doaj_record(article: Row, *, stale: bool = False) -> Record:
    """One `bibjson`; raises `MissingField` where it has no DOI."""
    doi = _doi(article)
    if doi is None:
        raise MissingField("results.bibjson.identifier")
    draft, journal = Draft(), fields.row_in(article, "journal")
    license = _license(journal)
    urls = [
        fields.https_url(fields.text(each, "url"))
        for each in fields.rows(article, "link")
        if each.get("type") == "fulltext"
    ]
    work = Work(
        key=f"doi:{doi}",
        doi=doi,
        title=draft.clean("title", fields.text(article, "title")),
        authors=present(_author(draft, each) for each in fields.rows(article, "author")),
        published=_published(article),
        type="journal-article",
        venue=draft.clean("venue", fields.text(journal, "title")),
        publisher=draft.clean("publisher", fields.text(journal, "publisher")),
        volume=fields.text(journal, "volume"),
        issue=fields.text(journal, "number"),
        pages=_pages(article),
        issn=fields.issns(fields.texts(journal, "issns")),
        abstract=draft.clean("abstract", fields.text(article, "abstract")),
        license=license,
        oa_locations=tuple(
            OaLocation(url=url, host_type="publisher", license=license) for url in dict.fromkeys(urls) if url
        ),
        sources=(SOURCE,),
    )
    return Record(work, {}, (), draft.quality, stale)


def _doi(article: Row) -> str | None:
    """The article's DOI, folded; its type is written in either case."""
    for each in fields.rows(article, "identifier"):
        if (fields.text(each, "type") or "").lower() == "doi":
            registered = fields.registered_doi(fields.text(each, "id"))
            return fields.folded_doi(registered) if registered else None
    return None


def _author(draft: Draft, row: Row) -> Author | None:
    return draft.named(fields.text(row, "name"), orcid=fields.text(row, "orcid_id"))


def _published(article: Row) -> PartialDate | None:
    year, month = fields.text(article, "year"), fields.text(article, "month")
    return fields.date_of([year, *([month] if month else [])]) if year else None


def _pages(article: Row) -> str | None:
    pages = [page for name in ("start_page", "end_page") if (page := fields.text(article, name))]
    return page_range("-".join(pages)) if pages else None


def _license(journal: Row) -> str | None:
    """The journal's licence, which older records list with its title."""
    given = fields.rows(journal, "license")
    return next((slug for each in given if (slug := licence_slug(fields.text(each, "type")))), None)
