"""Many records as one export that stays within its size (references contract, 3.18 and 3.19)."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import orjson

from core.errors import ResultTooLarge
from core.records import Work
from core.references.exports.bibtex import bibtex_entry
from core.references.exports.csl import csl_item
from core.references.exports.fields import AUTHORS_MAX
from core.references.exports.keys import Exportable, KeyStyle, citation_keys
from core.references.text.cuts import units_of

CHARS_MAX = 100_000
"""Of the entries as JSON; leaves room for references, safekeys and the text block within the ceiling of 150,000."""

_USUAL, _UNITS_MAX = 25, 60_000
"""So many entries, of so many units, stay under 25,000 tokens with all that is around them (contract 1.4)."""

# Authors are what makes records long, and a list that was cut says so; a text that was cut ends in an ellipsis.
_TIGHTER: tuple[tuple[int, int | None], ...] = (
    *((authors, None) for authors in (AUTHORS_MAX, 50, 20, 10, 3, 1)),
    *((1, chars) for chars in (300, 120, 60)),
)
"""How many authors of a record are shown, and how much of its title and names; None: all of it."""

Entry = TypeVar("Entry")


def bibtex_entries(
    items: Sequence[Exportable | None],
    *,
    key_style: KeyStyle = "safekey",
    ascii_only: bool = False,
    chars_max: int = CHARS_MAX,
) -> list[str | None]:
    """A BibTeX entry for each record, None for each that is unknown, in order."""
    known = [item for item in items if item is not None]
    keys = citation_keys(known, key_style)

    def written(authors_max: int, chars_max: int | None) -> list[str]:
        return [
            bibtex_entry(key, _shortened(item.work, chars_max), ascii_only=ascii_only, authors_max=authors_max)
            for key, item in zip(keys, known, strict=True)
        ]

    return _in_place(items, _fitting(written, chars_max, len(known)))


def csl_entries(items: Sequence[Exportable | None], *, chars_max: int = CHARS_MAX) -> list[list[dict[str, Any]] | None]:
    """A CSL-JSON array of one item for each record, None for each that is unknown, in order."""
    known = [item for item in items if item is not None]

    def written(authors_max: int, chars_max: int | None) -> list[list[dict[str, Any]]]:
        works = [_shortened(item.work, chars_max) for item in known]
        return [
            [csl_item(item.safekey, work, authors_max=authors_max)] for item, work in zip(known, works, strict=True)
        ]

    return _in_place(items, _fitting(written, chars_max, len(known)))


def _shortened(work: Work, chars_max: int | None) -> Work:
    """The record with its long texts cut."""
    if chars_max is None:
        return work
    title, venue, publisher = (_cut(text, chars_max) for text in (work.title, work.venue, work.publisher))
    return replace(work, title=title, venue=venue, publisher=publisher)


def _cut(text: str | None, chars: int) -> str | None:
    return text if text is None or len(text) <= chars else f"{text[: chars - 1]}…"


def _fitting(written: Callable[[int, int | None], list[Entry]], chars_max: int, count: int) -> list[Entry]:
    for bounds in _TIGHTER:
        entries = written(*bounds)
        text = orjson.dumps(entries).decode()
        is_small = count > _USUAL or bounds is _TIGHTER[-1] or units_of(text) <= _UNITS_MAX
        if len(text) <= chars_max and is_small:
            return entries
    raise ResultTooLarge("The export would be too long. Send fewer references at a time.")


def _in_place(items: Sequence[Exportable | None], entries: list[Entry]) -> list[Entry | None]:
    written = iter(entries)
    return [None if item is None else next(written) for item in items]
