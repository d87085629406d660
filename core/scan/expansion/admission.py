"""Which of the works around the seeds enter the pool (scan contract 7.9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.scan.days import ScanWindow
from core.scan.expansion.velocity import median_age, velocity
from core.scan.models import Candidate
from core.scan.profiles import EXPANSION_ADMITTED, RECOMMENDATION_PLACES
from core.scan.standing import CITING, RECOMMENDING, best_rank, seeds_of

SEEDS_BEYOND_BUDGET = 2
"""A work outside the window that so many seeds lead to may enter beyond the budget."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """What was let in, inside and outside the window, each in the order in which it enters, and how many stayed out."""

    admitted: tuple[Candidate, ...]
    admitted_outside: tuple[Candidate, ...]
    dropped: int


def admit(
    new: Sequence[Candidate],
    window: ScanWindow,
    *,
    outside_left: int,
    outside_total: int,
    outside_admitted: int | None = None,
) -> Expansion:
    """Lets in at most 100 new works inside the window, and those outside it that the scan's budget allows.

    `outside_left` is what is left of `outside_total`; `outside_admitted` what earlier rounds let in, which may be more
    than the total.
    """
    best_first = sorted(new, key=_standing(new, window))
    inside = _inside([each for each in best_first if not each.outside_window])
    used = outside_total - outside_left if outside_admitted is None else outside_admitted
    outside = _outside([each for each in best_first if each.outside_window], outside_left, 2 * outside_total - used)
    return Expansion(inside, outside, len(new) - len(inside) - len(outside))


def _inside(best_first: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Works that citations lead to, and a few of those that were only recommended."""
    recommended = sorted((each for each in best_first if not seeds_of(each.work)), key=_recommended)
    few = recommended[:RECOMMENDATION_PLACES]
    linked = [each for each in best_first if seeds_of(each.work)]
    return (*linked[: EXPANSION_ADMITTED - len(few)], *few)


def _outside(best_first: Sequence[Candidate], left: int, most: int) -> tuple[Candidate, ...]:
    """The best until the budget is spent, and then those of several seeds until twice of it is."""
    within, beyond = best_first[:left], best_first[left:]
    several = [each for each in beyond if len(seeds_of(each.work)) >= SEEDS_BEYOND_BUDGET]
    return tuple((*within, *several)[: max(left, most)])


def _standing(listed: Sequence[Candidate], window: ScanWindow) -> Callable[[Candidate], tuple[int, float, int, str]]:
    """By seeds that link to a work, citations a year, best rank and cid."""
    works = [each.work for each in listed]
    median = median_age(works, window)

    def key(candidate: Candidate) -> tuple[int, float, int, str]:
        work = candidate.work
        rank = best_rank(work.origins, CITING | RECOMMENDING)
        return -len(seeds_of(work)), -velocity(work, window, median), rank, candidate.cid

    return key


def _recommended(candidate: Candidate) -> tuple[int, int, str]:
    origins = candidate.work.origins
    return -len(seeds_of(candidate.work, RECOMMENDING)), best_rank(origins, RECOMMENDING), candidate.cid
