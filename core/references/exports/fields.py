"""What BibTeX and CSL-JSON have in common: the kind of a work, its arXiv class, its list of authors."""

from core.records import Author, Work
from core.works.types import WORK_TYPES, WorkType

AUTHORS_MAX = 100


def work_type(work: Work) -> WorkType:
    """The names of the work's kind; an article needs a venue to be one, and what only arXiv has is posted there."""
    kind = work.type or ("posted-content" if work.key.startswith("arxiv:") else "other")
    found = WORK_TYPES.get(kind, WORK_TYPES["other"])
    return WorkType("misc", found.csl) if found.bibtex == "article" and not work.venue else found


def own_doi(work: Work) -> str | None:
    """The DOI as its agency spells it, where that is known."""
    return work.doi_registered or work.doi


def eprint(work: Work) -> tuple[str, str | None] | None:
    """The arXiv id as arXiv itself prints it, and its class: the first category, or that of an old id."""
    if work.arxiv_id is None:
        return None
    archive, slash, number = work.arxiv_id.partition("/")
    id = f"{archive.partition('.')[0]}/{number}" if slash else archive
    category = next(iter(work.arxiv_categories), None)
    return id, category or (archive if slash else None)


def first_authors(work: Work, most: int) -> tuple[tuple[Author, ...], bool]:
    """At most so many authors, and whether there are others."""
    shown = work.authors[:most]
    return shown, (work.author_count or 0) > len(shown)
