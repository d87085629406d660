"""What a bibliography holds: entries with an identifier, and entries that cannot be followed."""

from dataclasses import dataclass

from core.errors import InvalidInput, PaperdeskError
from core.identifiers import Identifier

RAW_CHARS_MAX = 200
ENTRIES_MAX = 100
ROWS_MAX = 1000
"""Entries of any kind: what cannot be followed is answered too."""

EntryKey = str | int | None
"""The entry's own key as the file has it; a plain list has none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry and what it refers to."""

    key: EntryKey
    identifier: Identifier


@dataclass(frozen=True, slots=True)
class BadEntry:
    """An entry that cannot be followed; `raw` is the identifier that was refused, if one was, and nothing else."""

    key: EntryKey
    raw: str | None
    error: PaperdeskError


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The entries of a file, each kind in the file's order."""

    entries: tuple[Entry, ...]
    bad_entries: tuple[BadEntry, ...]


def too_many() -> InvalidInput:
    """The failure of a call with a bibliography that is too long."""
    return InvalidInput(
        f"TOO_MANY_REFS: a bibliography of at most {ENTRIES_MAX} references is taken. Send it in parts."
    )
