"""Writes BibTeX entries (references contract, section 7.1)."""

from collections.abc import Iterator
from functools import partial

from core.latex.escapes import tex, verbatim
from core.latex.people import bibtex_name
from core.records import Work
from core.references.exports.fields import AUTHORS_MAX, eprint, first_authors, own_doi, work_type
from core.works.pages import page_range, tex_pages
from core.works.retraction import retraction_notice

_VENUE_FIELD = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
_PUBLISHER_FIELD = {"phdthesis": "school", "techreport": "institution"}


def bibtex_entry(key: str, work: Work, *, ascii_only: bool, authors_max: int = AUTHORS_MAX) -> str:
    """One entry with the fields that are known, one a line."""
    kind = work_type(work).bibtex
    fields = _fields(work, kind, ascii_only, min(authors_max, AUTHORS_MAX))
    lines = [f"  {name:<10} = {{{value}}},\n" for name, value in fields if value]
    return f"@{kind}{{{key},\n{''.join(lines)}}}\n"


def _fields(work: Work, kind: str, ascii_only: bool, authors_max: int) -> Iterator[tuple[str, str | None]]:
    def text(value: str | None) -> str | None:
        return tex(value, ascii_only=ascii_only) if value else None

    yield "title", tex(work.title, ascii_only=ascii_only, protects=True) if work.title else None
    yield "author", _authors(work, ascii_only, authors_max)
    yield "year", str(work.year) if work.year else None
    yield "doi", verbatim(found_doi) if (found_doi := own_doi(work)) else None
    if kind in _VENUE_FIELD:
        yield _VENUE_FIELD[kind], text(work.venue)
    yield "volume", text(work.volume)
    yield "number", text(work.issue)
    pages = page_range(work.pages) if work.pages else None
    yield "pages", text(tex_pages(pages)) if pages else None
    yield _PUBLISHER_FIELD.get(kind, "publisher"), text(work.publisher)
    yield "issn", ", ".join(work.issn)
    yield "isbn", ", ".join(work.isbn)
    if found := eprint(work):
        yield "eprint", found[0]
        yield "archivePrefix", "arXiv"
        yield "primaryClass", found[1]
    if notice := retraction_notice(work):
        yield "note", text(f"Retracted, see {notice.doi}" if notice.doi else "Retracted")


def _authors(work: Work, ascii_only: bool, most: int) -> str:
    authors, has_more = first_authors(work, most)
    written = partial(tex, ascii_only=ascii_only)
    names = [name for name in (bibtex_name(author, written) for author in authors) if name]
    return " and ".join([*names, "others"] if has_more and names else names)
