"""Which rows of a graph list are taken, and their places in it (scan contract 7.9)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.scan.days import ScanWindow
from core.scan.expansion.velocity import median_age, velocity
from core.scan.identity.records import dated
from core.scan.models import FoundWork, Origin
from core.scan.profiles import (
    CITATIONS_PER_SEED,
    RECOMMENDATIONS_PER_SEED,
    REFERENCES_BY_VELOCITY,
    REFERENCES_PER_SEED,
)
from core.scan.searching.port import GraphList


def chosen(listed: GraphList, window: ScanWindow) -> tuple[FoundWork, ...]:
    """The works of one list that are worth a look, each with its one origin, ranked in the order chosen."""
    works = [dated(work) for work in listed.works]
    if listed.relation == "references":
        taken = references(works, window)
    elif listed.relation == "citations":
        taken = citations(works, window)
    else:
        taken = tuple(works[:RECOMMENDATIONS_PER_SEED])
    return tuple(
        replace(work, origins=(Origin(listed.source, listed.relation, None, listed.seed_id, rank),))
        for rank, work in enumerate(taken)
    )


def references(works: Sequence[FoundWork], window: ScanWindow) -> tuple[FoundWork, ...]:
    """At most 30: the 20 most cited a year, then up to 10 of the newest inside the window, then again by citations."""
    fastest = sorted(works, key=_by_velocity(works, window))
    taken, rest = fastest[:REFERENCES_BY_VELOCITY], fastest[REFERENCES_BY_VELOCITY:]
    inside = [work for work in rest if _is_inside(work, window)]
    newest = _newest_first(inside, works, window)[: REFERENCES_PER_SEED - REFERENCES_BY_VELOCITY]
    others = _without(rest, newest)
    return (*taken, *newest, *others)[:REFERENCES_PER_SEED]


def citations(works: Sequence[FoundWork], window: ScanWindow) -> tuple[FoundWork, ...]:
    """The 30 newest inside the window."""
    inside = [work for work in works if _is_inside(work, window)]
    return tuple(_newest_first(inside, works, window)[:CITATIONS_PER_SEED])


def _newest_first(works: Sequence[FoundWork], listed: Sequence[FoundWork], window: ScanWindow) -> list[FoundWork]:
    """By date, then citations a year; a work of unknown date is taken to be of its list's median age."""
    assumed = window.upper.year - median_age(listed, window) + 1
    by_velocity = sorted(works, key=_by_velocity(listed, window))
    return sorted(by_velocity, key=lambda work: work.publication_date or f"{work.year or assumed:04d}", reverse=True)


def _by_velocity(
    listed: Sequence[FoundWork], window: ScanWindow
) -> Callable[[FoundWork], tuple[float, str, tuple[str, ...]]]:
    """Most citations a year first; what follows only makes the order total."""
    median = median_age(listed, window)

    def key(work: FoundWork) -> tuple[float, str, tuple[str, ...]]:
        ids = work.ids
        names = (ids.doi, ids.arxiv, ids.pmid, ids.openalex, ids.s2, ids.catalog)
        return -velocity(work, window, median), work.title, (*(name or "" for name in names), repr(work))

    return key


def _is_inside(work: FoundWork, window: ScanWindow) -> bool:
    return window.holds(work.publication_date, work.year) is not False


def _without(works: Sequence[FoundWork], taken: Sequence[FoundWork]) -> list[FoundWork]:
    gone = {id(work) for work in taken}
    return [work for work in works if id(work) not in gone]
