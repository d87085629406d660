"""OpenAlex works as records, hits and rows of the citation graph (references contract 3.9, 4.2, 6.2)."""

import re
from collections.abc import Iterable

from core.identifiers import Identifier, IdentifierKind
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work
from core.sources import fields
from core.sources.answers import CitingWork, Evidence, ListedWork, Person, Record, SearchHit
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField, Row
from core.sources.licences import licence_slug
from core.works.pages import page_range
from core.works.types import from_openalex

SOURCE = "openalex"
WORK_SELECT = (
    "id,doi,ids,title,display_name,publication_date,publication_year,type,type_crossref,language,authorships,biblio,"
    "primary_location,best_oa_location,locations,open_access,abstract_inverted_index,cited_by_count,"
    "referenced_works_count,is_retracted,fwci,cited_by_percentile_year"
)
"""Exactly what is read of a work."""
GRAPH_SELECT = "id,doi,ids,title,publication_year,cited_by_count,is_retracted,locations,referenced_works"
LIST_SELECT = (
    "id,doi,ids,title,display_name,publication_date,publication_year,type,authorships,primary_location,"
    "best_oa_location,locations,open_access,abstract_inverted_index,cited_by_count,is_retracted"
)

_PERSON_ID = re.compile(r"A[0-9]{1,15}", re.ASCII)
_MAX_ABSTRACT_WORDS = 20_000
_STATUSES = frozenset({"closed", "gold", "green", "hybrid", "bronze"})


def openalex_record(row: Row, *, asked: Identifier | None = None, stale: bool = False) -> Record:
    """One work; raises `MissingField`. Asked for by an arXiv id it is kept under that, whatever DOI it has by now."""
    doi, arxiv = registered(row), arxiv_of(row)
    draft, id, location = Draft(), work_id(row), fields.row_in(row, "primary_location")
    source, biblio = fields.row_in(location, "source"), fields.row_in(row, "biblio")
    folded = fields.folded_doi(doi) if doi else None
    by_arxiv = asked if asked is not None and asked.kind is IdentifierKind.ARXIV else None
    is_retracted = row.get("is_retracted") is True
    locations = _open_locations(row)
    work = Work(
        key=by_arxiv.key if by_arxiv else _key(folded, arxiv, id),
        doi=None if by_arxiv else folded,
        arxiv_id=by_arxiv.value if by_arxiv else arxiv.value if arxiv else None,
        arxiv_version=None if by_arxiv or arxiv is None else arxiv.version,
        pmid=fields.registry_id(IdentifierKind.PMID, fields.text(fields.row_in(row, "ids"), "pmid")),
        pmcid=fields.registry_id(IdentifierKind.PMCID, fields.text(fields.row_in(row, "ids"), "pmcid")),
        openalex_id=id,
        title=draft.clean("title", fields.text(row, "title") or fields.text(row, "display_name")),
        authors=present(_author(draft, each) for each in fields.rows(row, "authorships")),
        published=_published(row),
        type=from_openalex(fields.text(row, "type_crossref") or fields.text(row, "type")),
        venue=draft.clean("venue", fields.text(source, "display_name")),
        publisher=draft.clean("publisher", fields.text(source, "host_organization_name")),
        volume=fields.text(biblio, "volume"),
        issue=fields.text(biblio, "issue"),
        pages=_pages(biblio),
        issn=fields.issns(fields.texts(source, "issn")),
        language=fields.language(fields.text(row, "language")),
        abstract=draft.clean("abstract", _abstract(row)),
        url=fields.https_url(fields.text(location, "landing_page_url")),
        license=licence_slug(fields.text(fields.row_in(row, "best_oa_location"), "license")),
        oa_status=_oa_status(row),
        oa_locations=locations,
        cited_by_count=fields.count(row, "cited_by_count"),
        reference_count=fields.count(row, "referenced_works_count"),
        updates=(UpdateNotice("retraction", source=SOURCE),) if is_retracted else (),
        preprint_of=folded if by_arxiv and folded and not folded.startswith("10.48550/arxiv.") else None,
        sources=(SOURCE,),
    )
    evidence = Evidence(SOURCE, work.updates) if isinstance(row.get("is_retracted"), bool) else None
    return Record(work, {}, (), draft.quality, stale, evidence)


def search_hit(row: Row) -> SearchHit:
    """One work that a search found; raises `MissingField`."""
    percentile = fields.row_in(row, "cited_by_percentile_year")
    return SearchHit(
        openalex_record(row).work,
        fields.number(row, "fwci"),
        fields.number(percentile, "min"),
        True if row.get("is_retracted") is True else None,
    )


def citing_work(row: Row) -> CitingWork:
    """One work of the citation graph; raises `MissingField`."""
    doi, arxiv, draft = registered(row), arxiv_of(row), Draft()
    cited = (_short(each) for each in fields.texts(row, "referenced_works"))
    published = _published(row)
    return CitingWork(
        work_id(row),
        tuple(id for id in cited if id),
        draft.clean("title", fields.text(row, "title")),
        fields.folded_doi(doi) if doi else None,
        arxiv.value if arxiv else None,
        published.year if published else None,
        fields.count(row, "cited_by_count"),
        row.get("is_retracted") is True,
    )


def listed_work(row: Row) -> ListedWork:
    """One work of a list, with the ids of its authors; raises `MissingField`."""
    draft = Draft()
    named = ((_author(draft, each), fields.row_in(each, "author")) for each in fields.rows(row, "authorships"))
    cited = (_short(each) for each in fields.texts(row, "referenced_works"))
    return ListedWork(
        openalex_record(row).work,
        tuple(Person(author.name, _person_id(person)) for author, person in named if author is not None),
        fields.text(row, "type"),
        is_retracted=row.get("is_retracted") is True,
        references=tuple(dict.fromkeys(id for id in cited if id)),
    )


def work_id(row: Row) -> str:
    """The id of a work, as in `W2741809807`."""
    id = _short(fields.text(row, "id") or "")
    if id is None:
        raise MissingField("id")
    return id


def registered(row: Row) -> str | None:
    """The DOI of a work, as OpenAlex spells it."""
    return fields.registered_doi(fields.text(row, "doi"))


def arxiv_of(row: Row) -> Identifier | None:
    """The arXiv id of a work: by its DOI, else by the addresses of its copies."""
    by_doi = fields.arxiv_in([fields.text(row, "doi")])
    places = [*fields.rows(row, "locations"), *(fields.row_in(row, name) for name in _SINGLE_PLACES)]
    addresses = (fields.text(place, name) for place in places for name in ("landing_page_url", "pdf_url"))
    return by_doi or fields.arxiv_in(addresses)


_SINGLE_PLACES = ("primary_location", "best_oa_location")


def _short(id: str) -> str | None:
    found = fields.identified(f"openalex:{id.rstrip('/').rpartition('/')[2]}")
    return found.id if found is not None and found.kind is IdentifierKind.OPENALEX else None


def _key(doi: str | None, arxiv: Identifier | None, id: str) -> str:
    if arxiv is not None and (doi is None or doi.startswith("10.48550/arxiv.")):
        return arxiv.key
    return f"doi:{doi}" if doi else f"openalex:{id}"


def _author(draft: Draft, row: Row) -> Author | None:
    author = fields.row_in(row, "author")
    name = fields.text(author, "display_name") or fields.text(row, "raw_author_name")
    return draft.named(name, orcid=fields.text(author, "orcid"))


def _person_id(author: Row) -> str | None:
    id = (fields.text(author, "id") or "").rstrip("/").rpartition("/")[2].upper()
    return id if _PERSON_ID.fullmatch(id) else None


def _published(row: Row) -> PartialDate | None:
    date, year = fields.text(row, "publication_date"), fields.text(row, "publication_year")
    return fields.partial_date(date) or (fields.date_of([year]) if year else None)


def _pages(biblio: Row) -> str | None:
    first, last = fields.text(biblio, "first_page"), fields.text(biblio, "last_page")
    pages = [page for page in (first, last) if page]
    return page_range(pages[0] if len(set(pages)) == 1 else "-".join(pages)) if pages else None


def _abstract(row: Row) -> str | None:
    """The words of the inverted index in the order of their positions."""
    placed = [
        (position, word)
        for word, positions in fields.row_in(row, "abstract_inverted_index").items()
        if isinstance(positions, list)
        for position in positions
        if isinstance(position, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:_MAX_ABSTRACT_WORDS]) or None


def _oa_status(row: Row) -> str | None:
    status = (fields.text(fields.row_in(row, "open_access"), "oa_status") or "").lower()
    # OpenAlex calls journals without fees diamond; elsewhere they are gold.
    status = "gold" if status == "diamond" else status
    return status if status in _STATUSES else None


def _open_locations(row: Row) -> tuple[OaLocation, ...]:
    best = fields.row_in(row, "best_oa_location")
    places = [*([best] if best else []), *fields.rows(row, "locations")]
    return tuple(dict.fromkeys(_locations(place for place in places if place.get("is_oa") is True)))


def _locations(places: Iterable[Row]) -> Iterable[OaLocation]:
    for place in places:
        url, pdf = fields.text(place, "landing_page_url"), fields.text(place, "pdf_url")
        if url or pdf:
            host_type = fields.text(fields.row_in(place, "source"), "type")
            license = licence_slug(fields.text(place, "license"))
            yield OaLocation(url, pdf, host_type, fields.text(place, "version"), license)
