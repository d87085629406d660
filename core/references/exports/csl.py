"""Writes CSL-JSON items (references contract, section 7.2)."""

from typing import Any

from core.records import Author, Work
from core.references.exports.fields import AUTHORS_MAX, eprint, first_authors, own_doi, work_type
from core.references.exports.plain import plain
from core.works.names import name_parts
from core.works.pages import page_range


def csl_item(safekey: str, work: Work, *, authors_max: int = AUTHORS_MAX) -> dict[str, Any]:
    """One item with the members that are known; everything is plain text."""
    pages = page_range(work.pages) if work.pages else None
    item: dict[str, Any] = {
        "id": safekey,
        "type": work_type(work).csl,
        "title": plain(work.title),
        "author": _authors(work, authors_max),
        "issued": _issued(work),
        "DOI": own_doi(work),
        "container-title": plain(work.venue),
        "volume": plain(work.volume),
        "issue": plain(work.issue),
        "page": plain(pages),
        "publisher": plain(work.publisher),
        "ISSN": ", ".join(work.issn),
        "ISBN": ", ".join(work.isbn),
        "URL": work.url,
    }
    if found := eprint(work):
        item |= {"archive": "arXiv", "number": f"arXiv:{found[0]}"}
    return {name: value for name, value in item.items() if value}


def _issued(work: Work) -> dict[str, list[list[int]]] | None:
    if work.published is not None:
        date = work.published
        return {"date-parts": [[part for part in (date.year, date.month, date.day) if part is not None]]}
    return {"date-parts": [[work.year]]} if work.year else None


def _authors(work: Work, most: int) -> list[dict[str, str]]:
    authors, has_more = first_authors(work, most)
    names = [name for name in map(_name, authors) if name]
    return [*names, {"literal": "others"}] if has_more and names else names


def _name(author: Author) -> dict[str, str] | None:
    family, given = (plain(part) for part in name_parts(author))
    if author.group or not family:
        literal = plain(author.name)
        return {"literal": literal} if literal else None
    return {"family": family, "given": given} if given else {"family": family}
