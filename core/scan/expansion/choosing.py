"""Which rows of the citation graph are looked at further (scan contract 7.9)."""

from collections.abc import Sequence
from dataclasses import replace

from core.records import PartialDate
from core.scan.days import ScanWindow
from core.scan.expansion.velocity import ages_years, velocities
from core.scan.models import FoundWork, Origin
from core.scan.profiles import (
    CITATIONS_PER_SEED,
    RECOMMENDATIONS_PER_SEED,
    REFERENCES_BY_VELOCITY,
    REFERENCES_PER_SEED,
)
from core.scan.searching.port import GraphList

DateKey = tuple[int, int, int]


def chosen(listed: GraphList, window: ScanWindow) -> tuple[FoundWork, ...]:
    """The works of a list that are taken, in their new order, each with its one origin and zero-based rank in it."""
    match listed.relation:
        case "references":
            works = references(listed.works, window)
        case "citations":
            works = citations(listed.works, window)
        case _:
            works = tuple(listed.works[:RECOMMENDATIONS_PER_SEED])
    return tuple(
        replace(work, origins=(Origin(listed.source, listed.relation, None, listed.seed_id, rank),))
        for rank, work in enumerate(works)
    )


def references(works: Sequence[FoundWork], window: ScanWindow) -> tuple[FoundWork, ...]:
    """At most 30: the 20 most cited a year, then up to 10 newest in-window ones of the rest, then by citations again."""
    speeds = velocities(works, window)
    newness = _newness(works, window)
    by_speed = sorted(range(len(works)), key=lambda place: (-speeds[place], place))
    first, rest = by_speed[:REFERENCES_BY_VELOCITY], by_speed[REFERENCES_BY_VELOCITY:]
    inside = [place for place in rest if _is_inside(works[place], window)]
    newest = sorted(inside, key=lambda place: (_descending(newness[place]), -speeds[place], place))
    second = newest[: REFERENCES_PER_SEED - REFERENCES_BY_VELOCITY]
    taken = [*first, *second, *(place for place in rest if place not in set(second))]
    return tuple(works[place] for place in taken[:REFERENCES_PER_SEED])


def citations(works: Sequence[FoundWork], window: ScanWindow) -> tuple[FoundWork, ...]:
    """At most 30: the newest in-window ones, of equal dates the most cited a year."""
    speeds = velocities(works, window)
    newness = _newness(works, window)
    inside = [place for place in range(len(works)) if _is_inside(works[place], window)]
    newest = sorted(inside, key=lambda place: (_descending(newness[place]), -speeds[place], place))
    return tuple(works[place] for place in newest[:CITATIONS_PER_SEED])


def _is_inside(work: FoundWork, window: ScanWindow) -> bool:
    return window.holds(work.publication_date, work.year) is not False


def _newness(works: Sequence[FoundWork], window: ScanWindow) -> list[DateKey]:
    """The date of each work as precisely as it is known; an unknown year is that of the list's median age."""
    found = []
    for work, age in zip(works, ages_years(works, window), strict=True):
        date = None if work.publication_date is None else PartialDate.parse(work.publication_date)
        year = date.year if date else work.year or window.upper.year - age + 1
        found.append((year, (date and date.month) or 0, (date and date.day) or 0))
    return found


def _descending(key: DateKey) -> DateKey:
    year, month, day = key
    return -year, -month, -day
