"""Which works found along citations become candidates (scan contract 7.9)."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.scan.days import ScanWindow
from core.scan.expansion.velocity import velocities
from core.scan.models import Candidate
from core.scan.profiles import EXPANSION_ADMITTED, RECOMMENDATION_PLACES

LINKED_TWICE = 2


@dataclass(frozen=True, slots=True)
class Expansion:
    """What is admitted, each side best first, and how many are left out."""

    admitted: tuple[Candidate, ...] = ()
    admitted_outside: tuple[Candidate, ...] = ()
    dropped: int = 0


def admit(
    new: Sequence[Candidate], window: ScanWindow, *, outside_left: int, outside_total: int, outside_admitted: int
) -> Expansion:
    """At most 100 in-window works, up to 10 of them known from recommendations alone, and the out-of-window budget.

    `outside_left` is what the scan may still admit from outside; works that two or more seeds link may go beyond it,
    until twice `outside_total` are in.
    """
    speeds = dict(zip((each.cid for each in new), velocities([each.work for each in new], window), strict=True))
    ranked = sorted(new, key=lambda each: (-links(each), -speeds[each.cid], _best_rank(each), each.cid))
    inside = [each for each in ranked if not each.outside_window]
    recommended = sorted(
        (each for each in inside if _is_recommended_only(each)),
        key=lambda each: (-links(each), _best_rank(each), each.cid),
    )[:RECOMMENDATION_PLACES]
    linked = [each for each in inside if not _is_recommended_only(each)][: EXPANSION_ADMITTED - len(recommended)]
    outside = _outside([each for each in ranked if each.outside_window], outside_left, outside_total, outside_admitted)
    admitted = (*linked, *recommended)
    return Expansion(admitted, tuple(outside), len(new) - len(admitted) - len(outside))


def links(candidate: Candidate) -> int:
    """How many seeds lead to a work."""
    return len({origin.seed_id for origin in candidate.work.origins if origin.seed_id is not None})


def _outside(ranked: Sequence[Candidate], left: int, total: int, admitted: int) -> list[Candidate]:
    taken: list[Candidate] = []
    for each in ranked:
        most = 2 * total - admitted if links(each) >= LINKED_TWICE else left
        if len(taken) < most:
            taken.append(each)
    return taken


def _is_recommended_only(candidate: Candidate) -> bool:
    return all(origin.relation == "recommendations" for origin in candidate.work.origins)


def _best_rank(candidate: Candidate) -> int:
    return min((origin.rank for origin in candidate.work.origins), default=0)
