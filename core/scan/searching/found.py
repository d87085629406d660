"""Works as sources and the catalog give them, as works of a scan (scan contract 7.2, 8.2)."""

from dataclasses import replace

from core.catalog.models import PaperRecord, PaperRow
from core.records import Work
from core.scan.identity.keys import ids_of
from core.scan.models import FoundWork, Origin, ScanAuthor
from core.scan.vocabulary import Relation, SourceName, WorkType
from core.sources.answers import ListedWork
from core.texts import clean_text

TITLE_CHARS = 1_000
ABSTRACT_CHARS = 20_000
NAME_CHARS = 300
AUTHORS_MAX = 1_000

_TYPES: dict[str, WorkType] = {
    "article": "article",
    "preprint": "preprint",
    "review": "review",
    "book-chapter": "book-chapter",
    "journalarticle": "article",
    "conference": "article",
    "booksection": "book-chapter",
    "journal-article": "article",
    "proceedings-article": "article",
    "posted-content": "preprint",
}
"""By the source's own word, of whichever source."""
_PREPRINT_VENUES = (
    "arxiv",
    "biorxiv",
    "chemrxiv",
    "medrxiv",
    "osf preprints",
    "preprints.org",
    "psyarxiv",
    "research square",
    "ssrn",
    "social science research network",
)


def found_work(listed: ListedWork, source: SourceName) -> FoundWork | None:
    """A work of a source's list, without origins; None for one without a title."""
    work, title = listed.work, _cut(listed.work.title, TITLE_CHARS)
    if title is None:
        return None
    has_date = work.published is not None and work.published.month is not None
    return FoundWork(
        title=title,
        abstract=_cut(work.abstract, ABSTRACT_CHARS),
        tldr=_cut(listed.tldr, TITLE_CHARS),
        authors=tuple(_author(each.name, each.id, source) for each in listed.people[:AUTHORS_MAX]),
        year=work.year,
        publication_date=str(work.published) if has_date else None,
        venue=_cut(work.venue, NAME_CHARS),
        type=_type(listed, source),
        raw_type=_cut(listed.raw_type, NAME_CHARS),
        ids=ids_of(doi=work.doi, arxiv=work.arxiv_id, pmid=work.pmid, openalex=work.openalex_id, s2=work.s2_id),
        citation_count=work.cited_by_count,
        influential_citation_count=listed.influential_citation_count,
        is_retracted=listed.is_retracted,
        oa_url=_oa_url(work),
    )


def catalog_work(row: PaperRow, record: PaperRecord | None = None) -> FoundWork | None:
    """A paper of the catalog, without origins, with its abstract and ids where its record is there too."""
    title = _cut(clean_text(row.title), TITLE_CHARS)
    if title is None:
        return None
    known = PaperRecord(row) if record is None else record
    other = dict(known.identifiers)
    is_preprint = row.arxiv_id is not None and known.doi is None and known.venue is None
    names = known.authors or row.authors
    return FoundWork(
        title=title,
        abstract=_cut(clean_text(known.abstract or ""), ABSTRACT_CHARS),
        authors=tuple(ScanAuthor(name[:NAME_CHARS]) for name in names[:AUTHORS_MAX] if name.strip()),
        year=_year(row.published),
        publication_date=row.published,
        venue=_cut(known.venue, NAME_CHARS),
        type="preprint" if is_preprint else "article",
        ids=ids_of(
            doi=known.doi or other.get("doi"),
            arxiv=row.arxiv_id,
            pmid=other.get("pmid"),
            openalex=other.get("openalex"),
            s2=other.get("s2"),
            catalog=row.id,
        ),
        citation_count=row.citation_count,
        is_retracted=known.is_retracted is True,
        oa_url=known.url_pdf or row.url_abs,
    )


def placed(
    work: FoundWork,
    source: SourceName,
    relation: Relation,
    rank: int,
    *,
    query_id: str | None = None,
    seed_id: str | None = None,
    is_secondary: bool = False,
) -> FoundWork:
    """The work with its one origin."""
    origin = Origin(source, relation, query_id, seed_id, rank, is_secondary)
    return replace(work, origins=(origin,))


def _author(name: str, id: str | None, source: SourceName) -> ScanAuthor:
    shown = name[:NAME_CHARS]
    if source == "s2":
        return ScanAuthor(shown, s2_id=_cut(id, NAME_CHARS))
    return ScanAuthor(shown, openalex_id=id if source == "openalex" else None)


def _type(listed: ListedWork, source: SourceName) -> WorkType:
    venue = (listed.work.venue or "").lower()
    if source == "s2" and any(name in venue for name in _PREPRINT_VENUES):
        return "preprint"
    return _TYPES.get((listed.raw_type or "").lower(), "other")


def _oa_url(work: Work) -> str | None:
    places = (url for place in work.oa_locations for url in (place.url_for_pdf, place.url))
    return next((url for url in places if url and url.startswith("https://") and len(url) <= TITLE_CHARS), None)


def _year(published: str | None) -> int | None:
    return int(published[:4]) if published and published[:4].isdecimal() else None


def _cut(text: str | None, most: int) -> str | None:
    return (text[:most].rstrip() or None) if text else None
