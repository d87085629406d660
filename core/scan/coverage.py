"""What the kept works cover, and whether a gap round is wanted (scan contract 7.10)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from core.scan.models import Candidate, Plan, Pool, ScreenScore, SubCriterion
from core.scan.profiles import GAP_HITS, GAP_MEDIAN_SHARE, GAP_QUERY_POOL, THIN_HITS
from core.scan.standing import kept
from core.scan.vocabulary import ProfileName

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class GapAdvice:
    """Whether a gap round is wanted; each reason is a sentence with its numbers."""

    should_run: bool
    profile: ProfileName
    forced: bool
    reasons: tuple[str, ...]


def coverage_round(
    pool: Pool, scores: Mapping[str, ScreenScore], plan: Plan, round_no: int, seeds: Sequence[str]
) -> Json:
    """One round of `coverage.json`; `seeds` are those of this round's expansion."""
    good = kept(pool, scores)
    named = {each.id for each in plan.sub_criteria}
    queries = plan.queries if round_no == 1 else plan.queries + plan.round2
    types: dict[str, str] = {each.id: each.type for each in plan.queries + plan.round2}
    return {
        "round": round_no,
        "screened": sum(1 for each in pool.candidates if each.cid in scores),
        "ge2": len(good),
        "unattributed_ge2": sum(1 for each in good if not named.intersection(scores[each.cid].criteria_hit)),
        "criteria": [_criterion(each, good, scores, types) for each in plan.sub_criteria],
        "queries": [
            {
                "query_id": each.id,
                "type": each.type,
                "pool": _found_by(each.id, pool.candidates),
                "ge2": _found_by(each.id, good),
            }
            for each in queries
        ],
        "seeds": _seeds(pool, good, seeds),
    }


def gap_decision(round1: Mapping[str, Any], profile: ProfileName, *, is_forced: bool) -> GapAdvice:
    """The decision after the first round."""
    fired = _triggers(round1)
    if is_forced:
        return GapAdvice(True, profile, True, ("the caller asked for a gap round", *fired))
    if profile == "deep":
        return GapAdvice(True, profile, False, ("the deep profile always runs it", *fired))
    if profile == "quick":
        return GapAdvice(False, profile, False, ("the quick profile never runs it",))
    return GapAdvice(bool(fired), profile, False, fired or (_no_trigger(round1),))


def _criterion(
    criterion: SubCriterion, good: Sequence[Candidate], scores: Mapping[str, ScreenScore], types: Mapping[str, str]
) -> Json:
    hits = [each for each in good if criterion.id in scores[each.cid].criteria_hit]
    return {
        "id": criterion.id,
        "name": criterion.name,
        "hits": len(hits),
        "by_query_type": _counted(_ways(each, types) for each in hits),
        "by_source": _counted({origin.source for origin in each.work.origins} for each in hits),
        "thin": len(hits) < THIN_HITS,
    }


def _ways(candidate: Candidate, types: Mapping[str, str]) -> set[str]:
    """The types of the queries that found a work, and the relations through which the graph or an anchor did."""
    return {
        types.get(origin.query_id or "", origin.relation) if origin.relation == "query" else origin.relation
        for origin in candidate.work.origins
    }


def _counted(sets: Iterable[Iterable[str]]) -> dict[str, int]:
    """In how many of the sets each name is, by name."""
    return dict(sorted(Counter(name for each in sets for name in each).items()))


def _found_by(query_id: str, candidates: Sequence[Candidate]) -> int:
    return sum(
        any(origin.relation == "query" and origin.query_id == query_id for origin in each.work.origins)
        for each in candidates
    )


def _seeds(pool: Pool, good: Sequence[Candidate], seeds: Sequence[str]) -> list[Json]:
    """By cid; a seed without a neighbour in the pool has no row."""
    rows = []
    for seed in sorted({pool.aliases.get(cid, cid) for cid in seeds}):
        neighbours, worth = _led_to(seed, pool, pool.candidates), _led_to(seed, pool, good)
        if neighbours:
            precision = round(worth / neighbours, 3)
            rows.append({"seed_id": seed, "neighbours": neighbours, "ge2": worth, "precision": precision})
    return rows


def _led_to(seed: str, pool: Pool, candidates: Sequence[Candidate]) -> int:
    return sum(
        any(
            origin.seed_id is not None and pool.aliases.get(origin.seed_id, origin.seed_id) == seed
            for origin in each.work.origins
        )
        for each in candidates
    )


def _triggers(round1: Mapping[str, Any]) -> tuple[str, ...]:
    hits = [each["hits"] for each in round1["criteria"]]
    found = []
    weakest = min(round1["criteria"], key=lambda each: each["hits"], default=None)
    if weakest is not None and weakest["hits"] < GAP_HITS:
        found.append(f"criterion {weakest['id']} has {weakest['hits']} hits, fewer than {GAP_HITS}")
    if weakest is not None and weakest["hits"] < GAP_MEDIAN_SHARE * median(hits):
        share = f"{GAP_MEDIAN_SHARE:g} of the median {median(hits):g}"
        found.append(f"criterion {weakest['id']} has {weakest['hits']} hits, fewer than {share}")
    found += [
        f"query {each['query_id']} has a pool of {each['pool']}, smaller than {GAP_QUERY_POOL}"
        for each in round1["queries"]
        if each["pool"] < GAP_QUERY_POOL
    ]
    return tuple(found)


def _no_trigger(round1: Mapping[str, Any]) -> str:
    hits = [each["hits"] for each in round1["criteria"]]
    pools = [each["pool"] for each in round1["queries"]]
    return (
        f"no trigger: the weakest criterion has {min(hits, default=0)} hits, the median is "
        f"{median(hits or [0]):g}, the smallest query pool is {min(pools, default=0)}"
    )
