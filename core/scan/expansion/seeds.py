"""The works from which the citation graph is walked (scan contract 7.9)."""

from collections.abc import Collection, Mapping, Sequence

from core.scan.models import Pool, ScreenScore
from core.scan.profiles import GAP_SEEDS, SEEDS
from core.scan.standing import kept, origin_count


def seeds(pool: Pool, scores: Mapping[str, ScreenScore], anchors: Sequence[str]) -> tuple[str, ...]:
    """All anchors in their order, then the best kept candidates inside the window until there are 15 seeds."""
    held = {each.cid for each in pool.candidates}
    survivors = (pool.aliases.get(cid, cid) for cid in anchors)
    first = tuple(dict.fromkeys(cid for cid in survivors if cid in held))
    others = (cid for cid in _best_first(pool, scores) if cid not in first)
    return (*first, *tuple(others)[: max(0, SEEDS - len(first))])


def gap_seeds(
    pool: Pool, scores: Mapping[str, ScreenScore], new: Collection[str], round2: Collection[str]
) -> tuple[str, ...]:
    """At most five kept candidates inside the window that are new in the gap round and found by one of its queries.

    `new` are the cids of its batches, `round2` the ids of its queries.
    """
    fresh = {pool.aliases.get(cid, cid) for cid in new}
    found = {
        each.cid
        for each in pool.candidates
        if any(origin.relation == "query" and origin.query_id in round2 for origin in each.work.origins)
    }
    return tuple(cid for cid in _best_first(pool, scores) if cid in fresh and cid in found)[:GAP_SEEDS]


def _best_first(pool: Pool, scores: Mapping[str, ScreenScore]) -> list[str]:
    """By score, then origin count, then place in the pool."""
    inside = [each for each in kept(pool, scores) if not each.outside_window]
    inside.sort(key=lambda each: (-scores[each.cid].score, -origin_count(each.work)))
    return [each.cid for each in inside]
