"""What a candidate's origins say of it: how often, where and by whom it was found (scan contract 7.2, 7.9, 7.12)."""

from collections.abc import Collection, Iterable, Mapping

from core.scan.models import Candidate, FoundWork, Origin, Pool, ScreenScore
from core.scan.profiles import KEPT_SCORE
from core.scan.vocabulary import Relation

CITING: frozenset[Relation] = frozenset({"references", "citations"})
"""The relations that link a work to a seed."""

RECOMMENDING: frozenset[Relation] = frozenset({"recommendations"})

SEARCHED: frozenset[Relation] = frozenset({"query"})

NO_RANK = 1_000_000
"""Stands for the rank of a work that was found in no list of the kind asked for."""


def origin_count(work: FoundWork) -> int:
    """The number of distinct origins."""
    return len(set(work.origins))


def seeds_of(work: FoundWork, relations: Collection[Relation] = CITING) -> frozenset[str]:
    """The seeds that lead to a work by one of the relations."""
    return frozenset(each.seed_id for each in work.origins if each.relation in relations and each.seed_id is not None)


def best_rank(origins: Iterable[Origin], relations: Collection[Relation] | None = None) -> int:
    """The lowest rank in lists of the relations, or in any list."""
    ranks = (each.rank for each in origins if relations is None or each.relation in relations)
    return min(ranks, default=NO_RANK)


def kept(pool: Pool, scores: Mapping[str, ScreenScore]) -> tuple[Candidate, ...]:
    """The candidates that are worth keeping, in pool order."""
    return tuple(each for each in pool.candidates if is_kept(scores.get(each.cid)))


def is_kept(score: ScreenScore | None) -> bool:
    """Whether a score is worth keeping a work for."""
    return score is not None and score.score >= KEPT_SCORE
