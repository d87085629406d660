"""What is kept of a record, and the record that is read from it (references contract, section 10.2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any

from core.errors import InvalidInput
from core.identifiers import Identifier, IdentifierKind, parse
from core.records import Author, Work
from core.references.safekeys import spelling
from core.references.store.documents import FIRST, OWN_TABLE
from core.works.names import name_parts, split_name
from core.works.pages import page_range, tex_pages

SCHEMA_VERSION = "1.0"
UNKNOWN_LICENSE = "unknown"


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What is to be kept of one reference, a DOI or an arXiv id. `preprint_doi`: the file is that of this preprint."""

    identifier: Identifier
    work: Work
    source: str
    license: str | None = None
    oa_status: str | None = None
    keywords: tuple[str, ...] = ()
    repaired_fields: Mapping[str, str] = field(default_factory=dict)
    preprint_doi: str | None = None
    call_id: str | None = None


def identity(identifier: Identifier) -> str:
    """What one entry is kept for: a DOI, an arXiv id, or one version of an arXiv paper."""
    return f"{identifier.key}{identifier.version or ''}"


def identity_of(values: Mapping[str, Any]) -> str | None:
    """The identity of a stored entry; None where it names none."""
    found = _identifier(values)
    return None if found is None else identity(found)


def bibliographic(new: NewEntry) -> dict[str, Any]:
    """The top level of an entry, without what is empty."""
    work, id = new.work, spelling(new.identifier, new.work)
    is_doi = new.identifier.kind is IdentifierKind.DOI
    if is_doi and identity_of({"doi": id}) != identity(new.identifier):
        id = str(new.identifier)
    found = {
        FIRST: SCHEMA_VERSION,
        "title": work.title or id,
        "authors": [", ".join(part for part in name_parts(author) if part) for author in work.authors],
        "abstract": work.abstract,
        "arxiv_categories": list(work.arxiv_categories),
        "arxiv_id": work.arxiv_id if is_doi else id,
        # The published DOI of an arXiv paper is not what this entry is kept for.
        "doi": id if is_doi else None,
        "isbn": next(iter(work.isbn), None),
        "issn": next(iter(work.issn), None),
        "issue": work.issue,
        "keywords": list(new.keywords),
        "pages": None if work.pages is None else tex_pages(work.pages),
        "publisher": work.publisher,
        "type": work.type,
        "url": work.url,
        "venue": work.venue,
        "volume": work.volume,
        "year": work.year,
    }
    return {key: value for key, value in found.items() if key == "authors" or value not in (None, "", [])}


def about(new: NewEntry, fetched_at: str, size_bytes: int | None = None) -> dict[str, Any]:
    """The table `doiget` of an entry, without what is empty."""
    found = {
        "fetched_at": fetched_at,
        "source": new.source,
        "license": new.license or UNKNOWN_LICENSE,
        "size_bytes": size_bytes,
        "oa_status": new.oa_status,
        "mcp_call_id": new.call_id,
        "repaired_fields": dict(new.repaired_fields),
        "preprint_doi": new.preprint_doi,
    }
    return {key: value for key, value in found.items() if value not in (None, "", {})}


def metadata_of(new: NewEntry, fetched_at: str) -> dict[str, Any]:
    """The whole shape of a record that no store holds, such as one of the catalog."""
    return {**bibliographic(new), OWN_TABLE: about(new, fetched_at)}


def stored_work(values: Mapping[str, Any]) -> Work | None:
    """The record of a stored entry; what a person wrote there amiss is left out, None where that is its identity."""
    identifier = _identifier(values)
    if identifier is None:
        return None
    own = values.get(OWN_TABLE)
    own = own if isinstance(own, dict) else {}
    is_doi = identifier.kind is IdentifierKind.DOI
    arxiv = _parsed(_text(values, "arxiv_id"), IdentifierKind.ARXIV) if is_doi else identifier
    pages, url, license = _text(values, "pages"), _text(values, "url"), _text(own, "license")
    return Work(
        key=identifier.key,
        doi=identifier.value if is_doi else None,
        doi_registered=_text(values, "doi") if is_doi else None,
        arxiv_id=None if arxiv is None else arxiv.id,
        arxiv_version=None if arxiv is None else arxiv.version,
        arxiv_categories=_texts(values, "arxiv_categories"),
        title=_text(values, "title"),
        authors=tuple(_author(name) for name in _texts(values, "authors")),
        year=stored_year(values),
        type=_text(values, "type"),
        venue=_text(values, "venue"),
        publisher=_text(values, "publisher"),
        volume=_text(values, "volume"),
        issue=_text(values, "issue"),
        pages=None if pages is None else page_range(pages),
        issn=tuple(filter(None, [_text(values, "issn")])),
        isbn=tuple(filter(None, [_text(values, "isbn")])),
        abstract=_text(values, "abstract"),
        url=url if url is not None and url.startswith("https://") else None,
        license=None if license == UNKNOWN_LICENSE else license,
        oa_status=_text(own, "oa_status"),
        sources=tuple(filter(None, [_text(own, "source")])),
        fetched_at=_text(own, "fetched_at"),
    )


def stored_year(values: Mapping[str, Any]) -> int | None:
    """The year of an entry; None where a person wrote one that no calendar has."""
    year = values.get("year")
    is_one = isinstance(year, int) and not isinstance(year, bool) and MINYEAR <= year <= MAXYEAR
    return year if is_one else None


def timestamp(at_s: float) -> str:
    """A time as entries and envelopes have it."""
    return datetime.fromtimestamp(int(at_s), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _identifier(values: Mapping[str, Any]) -> Identifier | None:
    """An entry with a DOI is kept for it; its arXiv id is then that of a copy."""
    doi, arxiv = _text(values, "doi"), _text(values, "arxiv_id")
    return _parsed(doi, IdentifierKind.DOI) if doi is not None else _parsed(arxiv, IdentifierKind.ARXIV)


def _parsed(text: str | None, kind: IdentifierKind) -> Identifier | None:
    if text is None:
        return None
    try:
        found = parse(text, titles=False, bare_digits="refuse")
    except InvalidInput:
        return None
    return found if found.kind is kind else None


def _author(name: str) -> Author:
    """Persons are written with a comma; several words without one are a group."""
    if "," not in name:
        return Author(name, group=" " in name.strip())
    family, given = split_name(name)
    if given is None:
        return Author(family)
    return Author(f"{given} {family}", family, given)


def _text(values: Mapping[str, Any], key: str) -> str | None:
    found = values.get(key)
    return found if isinstance(found, str) and found.strip() else None


def _texts(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = values.get(key)
    return tuple(each for each in found if isinstance(each, str) and each.strip()) if isinstance(found, list) else ()
