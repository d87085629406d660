"""Entries of arXiv's Atom feeds as records (references contract, section 4.2)."""

import re
from typing import Any
from xml.etree.ElementTree import Element

from core.identifiers import IdentifierKind
from core.records import OaLocation, UpdateNotice, Work
from core.sources import fields
from core.sources.answers import Evidence, Record
from core.sources.drafting import Draft, present
from core.sources.fields import MissingField

SOURCE = "arxiv"
LICENSE = "arxiv-default"

_ATOM = "{http://www.w3.org/2005/Atom}"
_OWN = "{http://arxiv.org/schemas/atom}"
_THING = r"(?:paper|article|manuscript|submission|preprint|note|work)"
_DONE = r"(?:has been|have been|was|is|is being|is now) (?:\w+ )?"
# A paper that was withdrawn from a conference still stands on arXiv.
_GONE = r"withdrawn\b(?! from (?!arxiv))"
_WITHDRAWN = re.compile(rf"\b(?:this|the|our) {_THING} {_DONE}{_GONE}", re.IGNORECASE)
_COMMENT_WITHDRAWN = re.compile(rf"\W*(?:{_THING} )?(?:has been |is |was )?{_GONE}", re.IGNORECASE)


def is_feed(root: Element) -> bool:
    """Whether an answer is a feed at all."""
    return root.tag == f"{_ATOM}feed"


def entries(root: Element) -> list[Element]:
    """The entries of a feed, in its own order."""
    return root.findall(f"{_ATOM}entry")


def names_error(entry: Element) -> bool:
    """Whether an entry stands for an error and not for a paper."""
    return "/api/errors" in (_text(entry, f"{_ATOM}id") or "")


def arxiv_record(entry: Element, *, stale: bool = False) -> Record:
    """One entry; raises `MissingField`. A DOI in it names the published version and is no name of the paper."""
    identifier = fields.arxiv_in([_text(entry, f"{_ATOM}id")])
    if identifier is None or identifier.kind is not IdentifierKind.ARXIV:
        raise MissingField("entry.id")
    draft, id, version = Draft(), identifier.value, identifier.version
    written = {name: _text(entry, f"{_ATOM}{name}") for name in ("title", "summary", "published", "updated")}
    doi = fields.registered_doi(_text(entry, f"{_OWN}doi"))
    comment = draft.clean("comment", _text(entry, f"{_OWN}comment"))
    names = [_text(each, f"{_ATOM}name") for each in entry.findall(f"{_ATOM}author")]
    categories = _categories(entry)
    pages = f"https://arxiv.org/abs/{id}{version or ''}", f"https://arxiv.org/pdf/{id}{version or ''}"
    work = Work(
        key=identifier.key,
        arxiv_id=id,
        arxiv_version=version,
        arxiv_categories=categories,
        title=draft.clean("title", written["title"]),
        authors=present(draft.named(name) for name in names),
        published=fields.partial_date(written["published"]),
        type="posted-content",
        venue=draft.clean("venue", _text(entry, f"{_OWN}journal_ref")),
        abstract=draft.clean("abstract", written["summary"]),
        url=f"https://arxiv.org/abs/{id}",
        license=LICENSE,
        oa_status="green",
        oa_locations=(OaLocation(*pages, "repository", "submittedVersion", LICENSE),),
        updates=(UpdateNotice("withdrawal", source=SOURCE),) if _is_withdrawn(comment, written["summary"]) else (),
        preprint_of=fields.folded_doi(doi) if doi else None,
        sources=(SOURCE,),
    )
    metadata = _metadata(work, written, doi, comment)
    return Record(work, metadata, (), draft.quality, stale, Evidence(SOURCE, work.updates))


def _metadata(work: Work, written: dict[str, str | None], doi: str | None, comment: str | None) -> dict[str, Any]:
    """The object that is shown of arXiv: only what is known."""
    shown = {
        "title": work.title,
        "abstract": work.abstract,
        "authors": [author.name for author in work.authors],
        "published": written["published"],
        "updated": written["updated"],
        "doi": doi,
        "journal_ref": work.venue,
        "comment": comment,
        "categories": list(work.arxiv_categories),
    }
    return {name: value for name, value in shown.items() if value}


def _categories(entry: Element) -> tuple[str, ...]:
    """The categories, the primary one first."""
    primary = entry.find(f"{_OWN}primary_category")
    others = entry.findall(f"{_ATOM}category")
    terms = [each.get("term") or "" for each in [*([] if primary is None else [primary]), *others]]
    return tuple(dict.fromkeys(term for term in terms if term))


def _is_withdrawn(comment: str | None, summary: str | None) -> bool:
    said = " ".join((summary or "").split())
    return bool(
        _WITHDRAWN.search(said) or (comment and (_WITHDRAWN.search(comment) or _COMMENT_WITHDRAWN.match(comment)))
    )


def _text(parent: Element, tag: str) -> str | None:
    found = parent.find(tag)
    return None if found is None or found.text is None else found.text.strip() or None
