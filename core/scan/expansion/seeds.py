"""Which candidates the citation graph is asked about (scan contract 7.9)."""

from collections.abc import Collection, Mapping, Sequence

from core.scan.models import Candidate, Pool, ScreenScore
from core.scan.profiles import GAP_SEEDS, KEPT_SCORE, SEEDS


def seeds(pool: Pool, scores: Mapping[str, ScreenScore], anchors: Sequence[str]) -> tuple[str, ...]:
    """The cids of the seeds: anchors in their order, then the best kept in-window candidates, at most 15 in all.

    More than 15 anchors are all seeds.
    """
    known = {each.cid for each in pool.candidates}
    named = tuple(dict.fromkeys(cid for anchor in anchors if (cid := pool.aliases.get(anchor, anchor)) in known))
    others = [cid for cid in _ranked(pool, scores, known) if cid not in named]
    return named + tuple(others[: max(0, SEEDS - len(named))])


def gap_seeds(
    pool: Pool, scores: Mapping[str, ScreenScore], new: Collection[str], round2: Collection[str]
) -> tuple[str, ...]:
    """The seeds of the gap round, at most 5: of the candidates in `new`, those that a query of `round2` found."""
    queries = frozenset(round2)
    found = {each.cid for each in pool.candidates if any(origin.query_id in queries for origin in each.work.origins)}
    return tuple(_ranked(pool, scores, found & set(new)))[:GAP_SEEDS]


def _ranked(pool: Pool, scores: Mapping[str, ScreenScore], among: Collection[str]) -> list[str]:
    """Kept in-window candidates: score desc, origin count desc, pool position asc."""

    def order(item: tuple[int, Candidate]) -> tuple[int, int, int]:
        place, candidate = item
        return -scores[candidate.cid].score, -len(set(candidate.work.origins)), place

    kept = [
        (place, each)
        for place, each in enumerate(pool.candidates)
        if each.cid in among
        and not each.outside_window
        and each.cid in scores
        and scores[each.cid].score >= KEPT_SCORE
    ]
    return [each.cid for _, each in sorted(kept, key=order)]
