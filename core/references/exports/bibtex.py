"""Writes BibTeX entries (references contract, section 7.1)."""

import re
from collections.abc import Iterator

from core.records import Author, Work
from core.references.exports.fields import AUTHORS_MAX, eprint, first_authors, own_doi, work_type
from core.references.exports.latex import tex
from core.works.names import name_parts
from core.works.pages import page_range, tex_pages
from core.works.retraction import retraction_notice

_VENUE_FIELD = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}
_PUBLISHER_FIELD = {"phdthesis": "school", "techreport": "institution"}
_AND = re.compile(r"(?:^|\s)and(?:\s|$)", re.IGNORECASE)
_UNSAFE = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})


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
    yield "doi", _verbatim(own_doi(work))
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


def _verbatim(value: str | None) -> str | None:
    """A value that is copied, not typeset; braces, and backslashes before them, would end it before its time."""
    return value.translate(_UNSAFE) if value else None


def _authors(work: Work, ascii_only: bool, most: int) -> str:
    authors, has_more = first_authors(work, most)
    names = [name for name in (_name(author, ascii_only) for author in authors) if name]
    return " and ".join([*names, "others"] if has_more and names else names)


def _name(author: Author, ascii_only: bool) -> str:
    family, given = (tex(part or "", ascii_only=ascii_only) for part in name_parts(author))
    whole = f"{family}, {given}" if given else family
    if author.group or _AND.search(whole):
        name = tex(author.name, ascii_only=ascii_only)
        return f"{{{name}}}" if name else ""
    # BibTeX splits names at commas and, without one, at blanks.
    if "," in family or (not given and (" " in family or family == "others")):
        family = f"{{{family}}}"
    if "," in given:
        given = f"{{{given}}}"
    return f"{family}, {given}" if given else family
