"""Which kept candidates are ranked by the client, and in which order (scan contract 7.12)."""

from collections.abc import Mapping, Sequence
from datetime import date

from core.scan.days import full_date
from core.scan.expansion.admission import LINKED_TWICE, links
from core.scan.models import Candidate, Plan, Pool, ScreenScore, Shortlist, Shortlisted
from core.scan.profiles import KEPT_SCORE, OUTSIDE_SHORTLIST_MIN, SHORTLIST_MIN, Profile

BEST_SCORE = 3
NO_RANK = 1_000_000


def shortlist(pool: Pool, scores: Mapping[str, ScreenScore], plan: Plan, profile: Profile) -> Shortlist:
    """The kept works of both sides of the window, each side in the one total order, cut to its size."""
    kept = [each for each in pool.candidates if each.cid in scores and scores[each.cid].score >= KEPT_SCORE]
    criteria = frozenset(each.id for each in plan.sub_criteria)
    ordered = sorted(kept, key=lambda each: order(each, scores[each.cid], criteria))
    inside = [each for each in ordered if not each.outside_window]
    outside = [each for each in ordered if each.outside_window]
    best = sum(1 for each in kept if scores[each.cid].score == BEST_SCORE)
    linked = sum(1 for each in outside if links(each) >= LINKED_TWICE)
    return Shortlist(
        _shortlisted(inside[: _clamped(best, SHORTLIST_MIN, profile.shortlist_max)], scores),
        _shortlisted(outside[: _clamped(linked, OUTSIDE_SHORTLIST_MIN, profile.outside_shortlist_max)], scores),
    )


def order(candidate: Candidate, score: ScreenScore, criteria: frozenset[str]) -> tuple[int, int, int, int, int, str]:
    """Score, criteria met, origins, best rank in a search, date (newest first, none last), cid."""
    origins = set(candidate.work.origins)
    ranks = [origin.rank for origin in origins if origin.relation == "query"]
    published = full_date(candidate.work.publication_date) or date.min
    met = len(criteria & set(score.criteria_hit))
    return -score.score, -met, -len(origins), min(ranks, default=NO_RANK), -published.toordinal(), candidate.cid


def _shortlisted(candidates: Sequence[Candidate], scores: Mapping[str, ScreenScore]) -> tuple[Shortlisted, ...]:
    return tuple(Shortlisted(each, scores[each.cid].score) for each in candidates)


def _clamped(value: int, least: int, most: int) -> int:
    return max(least, min(value, most))
