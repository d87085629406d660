"""Semantic Scholar: works by DOI, arXiv id, PubMed id or its own (references contract 4.2, 4.4)."""

from core.http.urls import path_part
from core.identifiers import Identifier, IdentifierKind
from core.records import OaLocation, PartialDate, Work
from core.sources import fields
from core.sources.answers import Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.licences import licence_slug
from core.sources.service import Service
from core.works.pages import page_range

SOURCE = "semantic_scholar"

_FIELDS = (
    "paperId,externalIds,title,authors,year,publicationDate,venue,journal,abstract,citationCount,referenceCount,"
    "openAccessPdf,publicationTypes"
)
_STATUSES = frozenset({"closed", "gold", "green", "hybrid", "bronze"})
_TYPES = {
    "Conference": "proceedings-article",
    "JournalArticle": "journal-article",
    "Review": "journal-article",
    "LettersAndComments": "journal-article",
    "Editorial": "journal-article",
    "Book": "book",
    "BookSection": "book-chapter",
    "Dataset": "dataset",
}
"""In the order in which one of several counts."""


class SemanticScholar(Service):
    """The academic graph; only on where the operator switches it on."""

    async def work(self, identifier: Identifier, *, caller: str) -> Record:
        """The paper with this id, whatever its version; raises `NotFound`."""
        row, stale = await self._row(paper_path(identifier), {"fields": _FIELDS}, caller=caller, operation="work")
        with self._reading():
            return semantic_scholar_record(row, stale=stale)


def semantic_scholar_record(row: Row, *, stale: bool = False) -> Record:
    """One paper; raises `MissingField`."""
    id = fields.registry_id(IdentifierKind.S2, fields.text(row, "paperId"))
    if id is None:
        raise MissingField("paperId")
    draft, ids, journal = Draft(), fields.row_in(row, "externalIds"), fields.row_in(row, "journal")
    registered = fields.registered_doi(fields.text(ids, "DOI"))
    doi = fields.folded_doi(registered) if registered else None
    arxiv = _arxiv(ids)
    pmid = fields.registry_id(IdentifierKind.PMID, fields.text(ids, "PubMed"))
    copy = fields.row_in(row, "openAccessPdf")
    status, license = (fields.text(copy, "status") or "").lower(), licence_slug(fields.text(copy, "license"))
    url = fields.https_url(fields.text(copy, "url"))
    is_preprint = arxiv is not None and (doi is None or doi.startswith("10.48550/arxiv."))
    work = Work(
        key=arxiv.key if arxiv and is_preprint else f"doi:{doi}" if doi else f"pmid:{pmid}" if pmid else f"s2:{id}",
        doi=doi,
        arxiv_id=arxiv.value if arxiv else None,
        pmid=pmid,
        pmcid=fields.registry_id(IdentifierKind.PMCID, fields.text(ids, "PubMedCentral")),
        s2_id=id,
        title=draft.clean("title", fields.text(row, "title")),
        authors=present(draft.named(fields.text(each, "name")) for each in fields.rows(row, "authors")),
        published=_published(row),
        type=_type(row),
        venue=draft.clean("venue", fields.text(journal, "name") or fields.text(row, "venue")),
        volume=fields.text(journal, "volume"),
        pages=page_range(fields.text(journal, "pages") or ""),
        abstract=draft.clean("abstract", fields.text(row, "abstract")),
        license=license,
        oa_status=status if status in _STATUSES else None,
        oa_locations=(OaLocation(url_for_pdf=url, license=license),) if url else (),
        cited_by_count=fields.count(row, "citationCount"),
        reference_count=fields.count(row, "referenceCount"),
        sources=(SOURCE,),
    )
    return Record(work, {}, (), draft.quality, stale)


def _arxiv(ids: Row) -> Identifier | None:
    id = fields.text(ids, "ArXiv")
    found = fields.identified(f"arxiv:{id}") if id else None
    return found if found is not None and found.kind is IdentifierKind.ARXIV else None


def paper_path(identifier: Identifier) -> str:
    """The path of one paper."""
    match identifier.kind:
        case IdentifierKind.DOI:
            return f"/paper/DOI:{path_part(fields.folded_doi(identifier.id))}"
        case IdentifierKind.ARXIV:
            # An old id holds a slash, which is no step here.
            return f"/paper/ARXIV:{path_part(identifier.value)}"
        case IdentifierKind.PMID:
            return f"/paper/PMID:{identifier.id}"
        case IdentifierKind.S2:
            return f"/paper/{identifier.id}"
        case _:
            raise ValueError(f"Semantic Scholar has no papers by {identifier.kind}")


def _published(row: Row) -> PartialDate | None:
    year = fields.text(row, "year")
    return fields.partial_date(fields.text(row, "publicationDate")) or (fields.date_of([year]) if year else None)


def _type(row: Row) -> str | None:
    given = set(fields.texts(row, "publicationTypes"))
    return next((kind for name, kind in _TYPES.items() if name in given), None)
