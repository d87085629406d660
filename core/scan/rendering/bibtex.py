"""`evidence.bib`: the emitted papers for a reference manager (scan contract 7.15)."""

import re
from collections.abc import Iterator

from core.latex.escapes import literal_tex, verbatim
from core.latex.keys import distinct_keys
from core.latex.people import bibtex_name
from core.records import Author
from core.scan.models import FoundWork, Packet
from core.scan.rendering.notes import state_note
from core.scan.selection import Selection
from core.scan.titles import normalised_title
from core.works.names import split_name

ENTRY_TYPES = {"preprint": "misc", "book-chapter": "incollection", "other": "misc"}
"""All other types are articles."""

SHORT_WORD_LETTERS = 3
"""Words of so many letters are no part of a key."""

_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŋ": "n"}
)
_NOT_IN_KEYS = re.compile(r"[^a-z0-9]+")


def evidence_bibtex(selection: Selection) -> str:
    """An entry for each emitted paper in rank order; empty without any."""
    works = [each.shortlisted.candidate.work for each in selection.packets]
    keys = distinct_keys([citation_key(work) for work in works])
    return "\n".join(_entry(key, packet) for key, packet in zip(keys, selection.packets, strict=True))


def citation_key(work: FoundWork) -> str:
    """Family name, year or `nd`, and the first longer word of the title, in lower-case ASCII."""
    family = split_name(work.authors[0].name)[0] if work.authors else ""
    words = (_in_key(word) for word in normalised_title(work.title).split())
    title = next((word for word in words if len(word) > SHORT_WORD_LETTERS), "")
    return f"{_in_key(normalised_title(family)) or 'anon'}{work.year or 'nd'}{title}"


def _entry(key: str, packet: Packet) -> str:
    kind = ENTRY_TYPES.get(packet.shortlisted.candidate.work.type, "article")
    fields = [f"  {name} = {{{value}}}" for name, value in _fields(packet) if value]
    return f"@{kind}{{{key},\n" + ",\n".join(fields) + "\n}\n"


def _fields(packet: Packet) -> Iterator[tuple[str, str | None]]:
    work, verification = packet.shortlisted.candidate.work, packet.verification
    yield "title", literal_tex(work.title, protects=True)
    yield "author", _authors(work)
    yield "year", str(work.year) if work.year else None
    yield "journal", literal_tex(work.venue or "")
    yield "doi", verbatim(work.ids.doi) if work.ids.doi else None
    yield "eprint", verbatim(work.ids.arxiv) if work.ids.arxiv else None
    yield "url", verbatim(packet.url) if packet.url else None
    yield "verified", "true" if verification.verified else "false"
    yield "verified_by", ", ".join(verification.verified_by)
    yield "verified_on", verification.verified_on
    yield "verification_note", None if verification.verified else literal_tex(state_note(verification))


def _authors(work: FoundWork) -> str:
    names = (bibtex_name(Author(name=each.name), literal_tex) for each in work.authors if each.name.strip())
    return " and ".join(name for name in names if name)


def _in_key(folded: str) -> str:
    return _NOT_IN_KEYS.sub("", folded.translate(_LETTERS))
