"""Many records as one export that stays within its size (references contract, 3.18 and 3.19)."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import orjson

from core.errors import ResultTooLarge
from core.references.exports.bibtex import bibtex_entry
from core.references.exports.csl import csl_item
from core.references.exports.fields import AUTHORS_MAX
from core.references.exports.keys import Exportable, KeyStyle, citation_keys

CHARS_MAX = 100_000
"""Of the entries as JSON; leaves room for references, safekeys and the text block within the ceiling of 150,000."""

# Authors are what makes records long, and a list that was cut says so.
_AUTHORS = (AUTHORS_MAX, 50, 20, 10, 3, 1)

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

    def written(authors_max: int) -> list[str]:
        return [
            bibtex_entry(key, item.work, ascii_only=ascii_only, authors_max=authors_max)
            for key, item in zip(keys, known, strict=True)
        ]

    return _in_place(items, _fitting(written, chars_max))


def csl_entries(items: Sequence[Exportable | None], *, chars_max: int = CHARS_MAX) -> list[list[dict[str, Any]] | None]:
    """A CSL-JSON array of one item for each record, None for each that is unknown, in order."""
    known = [item for item in items if item is not None]

    def written(authors_max: int) -> list[list[dict[str, Any]]]:
        return [[csl_item(item.safekey, item.work, authors_max=authors_max)] for item in known]

    return _in_place(items, _fitting(written, chars_max))


def _fitting(written: Callable[[int], list[Entry]], chars_max: int) -> list[Entry]:
    for authors_max in _AUTHORS:
        entries = written(authors_max)
        if len(orjson.dumps(entries).decode()) <= chars_max:
            return entries
    raise ResultTooLarge("The export would be too long. Send fewer references at a time.")


def _in_place(items: Sequence[Exportable | None], entries: list[Entry]) -> list[Entry | None]:
    written = iter(entries)
    return [None if item is None else next(written) for item in items]
