"""Damaged fields of a record, taken whole from another source of the same call (references contract, section 4.5)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from core.records import Author, Work
from core.texts import restored

_TEXTS = ("title", "subtitle", "abstract", "venue", "publisher")


def repair(work: Work, others: Iterable[Work]) -> tuple[Work, dict[str, str]]:
    """`work` with lost characters restored, and for each field that was, the source of the better value.

    Authors are restored one by one, against the author at the same place of a list of the same length.
    """
    better: dict[str, str] = {}
    for other in others:
        if not other.sources:
            continue
        changes: dict[str, Any] = {}
        for field in _TEXTS:
            damaged, whole = getattr(work, field), getattr(other, field)
            if damaged and whole and (text := restored(damaged, whole)):
                changes[field] = text
        if len(work.authors) == len(other.authors):
            authors = tuple(map(_restored_author, work.authors, other.authors))
            if authors != work.authors:
                changes["authors"] = authors
        work = replace(work, **changes)
        better = {**dict.fromkeys(changes, other.sources[0]), **better}
    return work, better


def _restored_author(damaged: Author, whole: Author) -> Author:
    name = restored(damaged.name, whole.name)
    if name is None:
        return damaged
    family = restored(damaged.family or "", whole.family or "") or damaged.family
    given = restored(damaged.given or "", whole.given or "") or damaged.given
    return replace(damaged, name=name, family=family, given=given)
