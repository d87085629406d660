"""Which kept works are ranked (scan contract 7.12)."""

from collections.abc import Callable, Mapping

from core.scan.days import full_date
from core.scan.models import Candidate, Plan, Pool, ScreenScore, Shortlist, Shortlisted
from core.scan.profiles import OUTSIDE_SHORTLIST_MIN, SHORTLIST_MIN, Profile
from core.scan.standing import SEARCHED, best_rank, kept, origin_count, seeds_of

BEST_SCORE = 3
SEEDS_OF_LINKED = 2
"""Works outside the window that so many seeds lead to widen that side of the shortlist."""

Order = tuple[int, int, int, int, int, str]


def shortlist(pool: Pool, scores: Mapping[str, ScreenScore], plan: Plan, profile: Profile) -> Shortlist:
    """Both sides, each in its total order and cut to the size that the scores and the profile give."""
    best_first = sorted(kept(pool, scores), key=_order(scores, plan))
    inside = [each for each in best_first if not each.outside_window]
    outside = [each for each in best_first if each.outside_window]
    best = sum(1 for each in inside if scores[each.cid].score == BEST_SCORE)
    linked = sum(1 for each in outside if len(seeds_of(each.work)) >= SEEDS_OF_LINKED)
    most = min(max(best, SHORTLIST_MIN), profile.shortlist_max)
    most_outside = min(max(linked, OUTSIDE_SHORTLIST_MIN), profile.outside_shortlist_max)

    def scored(candidate: Candidate) -> Shortlisted:
        return Shortlisted(candidate, scores[candidate.cid].score)

    return Shortlist(tuple(map(scored, inside[:most])), tuple(map(scored, outside[:most_outside])))


def _order(scores: Mapping[str, ScreenScore], plan: Plan) -> Callable[[Candidate], Order]:
    """By score, sub-criteria hit, origin count, lowest rank in a query's list, date, cid."""
    named = {each.id for each in plan.sub_criteria}

    def key(candidate: Candidate) -> Order:
        score, work = scores[candidate.cid], candidate.work
        day = full_date(work.publication_date)
        return (
            -score.score,
            -len(named.intersection(score.criteria_hit)),
            -origin_count(work),
            best_rank(work.origins, SEARCHED),
            0 if day is None else -day.toordinal(),
            candidate.cid,
        )

    return key
