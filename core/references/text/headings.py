"""What a heading says: its number, and what kind of section it starts."""

import re

from core.folds import key_fold
from core.references.text.document import Kind

HEADING_CHARS = 240
"""A longer heading is one that a damaged page never closed; what is over it belongs to the text."""

_NUMBER = re.compile(r"(?:§ ?)?(\d{1,4}(?:\.\d{1,4}){0,6})\.?(?=\s)|([A-Z](?:\.\d{1,4}){1,6}|[A-Z](?=\.\s))\.?(?=\s)")
_APPENDIX = re.compile(r"appendix(?:\s+([A-Z]|[IVX]{1,5}|\d{1,3})\b)?", re.IGNORECASE)
_REFERENCES = frozenset(
    ("references", "references and notes", "references cited", "bibliography", "literature cited", "works cited")
)
_NAMED = re.compile(r"(?:section|appendix|chapter|part)\s+(?=\S)", re.IGNORECASE)


def number_of(heading: str) -> str | None:
    """The number that a heading starts with: `3.2`, `A.1`, or `B` of `Appendix B`; None where it has none."""
    if found := _APPENDIX.match(heading):
        return found[1]
    found = _NUMBER.match(heading)
    return (found[1] or found[2]) if found else None


def number_of_tag(tag: str) -> str | None:
    """The number in the tag that a page sets before a heading."""
    found = _APPENDIX.match(tag)
    return (found[1] if found else tag.strip(" .§")) or None


def kind_of(heading: str) -> Kind | None:
    """What a heading alone tells about its section; None when that is nothing in particular."""
    words = _words(heading, number_of(heading))
    if words in _REFERENCES:
        return Kind.REFERENCES
    if words == "abstract":
        return Kind.ABSTRACT
    return Kind.APPENDIX if key_fold(heading).partition(" ")[0] in ("appendix", "appendices") else None


def inherited_kind(above: list[tuple[int, Kind]], level: int, own: Kind | None) -> Kind:
    """The kind of a section: what its heading says, else that of the section above that it belongs to.

    `above` holds the sections of a kind of their own that are open, by level; it is brought up to date.
    """
    while above and above[-1][0] >= level:
        above.pop()
    if own is not None:
        above.append((level, own))
    return above[-1][1] if above else Kind.BODY


def names_of(heading: str, number: str | None) -> tuple[str, ...]:
    """The folded texts that select a section, best first: its heading, the same without the number, its number."""
    return key_fold(heading), _words(heading, number), key_fold(number or "")


def asked_names(section: str) -> tuple[str, ...]:
    """What a caller's section is compared as: as it is, and without a word before a number, as in `Section 3`."""
    return key_fold(section), key_fold(_NAMED.sub("", section.strip(), count=1))


def _words(heading: str, number: str | None) -> str:
    folded, folded_number = key_fold(heading), key_fold(number or "")
    for start in (f"{folded_number} ", f"appendix {folded_number} "):
        if folded_number and folded.startswith(start):
            return folded[len(start) :]
    return folded
