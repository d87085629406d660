"""What is publicly known of a paper, as results show it (catalog contract 8.4)."""

from core.catalog.api_rows import Json
from core.catalog.present import (
    ABSTRACT_MAX,
    DETAIL_AUTHORS_MAX,
    NAME_MAX,
    TITLE_MAX,
    UNTITLED,
    cut,
    cut_or_none,
    link_url,
)
from core.catalog.public_models import PublicPaper
from core.catalog.results import AvailableAt, PaperDetail

_SOURCE_NAMES = {"huggingface_papers": "Hugging Face Papers", "arxiv": "arXiv", "crossref": "Crossref"}


def public_detail(paper: PublicPaper, site_url: str, *, fallback_id: str) -> PaperDetail:
    """The detail of a paper that the catalog does not hold; what only a catalog knows is left out."""
    places = [(place.label, link_url(place.url, site_url)) for place in paper.available_at]
    return PaperDetail(
        id=paper.arxiv_id or paper.doi or fallback_id,
        arxiv_id=paper.arxiv_id,
        title=cut(paper.title or UNTITLED, TITLE_MAX),
        abstract=cut_or_none(paper.abstract, ABSTRACT_MAX),
        authors=[cut(name, NAME_MAX) for name in paper.authors[:DETAIL_AUTHORS_MAX]],
        author_count=len(paper.authors) or None,
        published=paper.published,
        url=link_url(paper.url, site_url),
        pdf_url=link_url(paper.url_pdf, site_url),
        in_catalog=False,
        available_at=[AvailableAt(label=cut(label, NAME_MAX), url=url) for label, url in places if url] or None,
        metadata_source=paper.source,
        doi=paper.doi,
        venue=cut_or_none(paper.venue, NAME_MAX),
    )


def public_notes(paper: PublicPaper) -> list[str]:
    """That the paper is not held here, who answered, and where only the beginning of its title matched."""
    who = _SOURCE_NAMES.get(paper.source or "", "public metadata")
    notes = [
        f"This catalog does not hold the paper; what is shown comes from {who}. Its full text cannot be read here."
    ]
    if paper.match == "name_prefix":
        notes.append("The reference was read as the name before the colon of its title.")
    return notes


def public_data(paper: PublicPaper) -> Json:
    """The `/api/v1` shape of public metadata (16.6), at the caps of a detail."""
    return {
        "match": paper.match,
        "source": paper.source,
        "catalog_paper": None,
        "title": cut_or_none(paper.title, TITLE_MAX),
        "authors": [cut(name, NAME_MAX) for name in paper.authors[:DETAIL_AUTHORS_MAX]],
        "published": paper.published,
        "abstract": cut_or_none(paper.abstract, ABSTRACT_MAX),
        "venue": cut_or_none(paper.venue, NAME_MAX),
        "arxiv_id": paper.arxiv_id,
        "doi": paper.doi,
        "url": paper.url,
        "url_pdf": paper.url_pdf,
        "available_at": [{"label": place.label, "url": place.url} for place in paper.available_at],
    }
