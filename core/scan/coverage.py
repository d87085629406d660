"""What the kept candidates cover, and whether to search on (scan contract 7.10)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from core.scan.models import Candidate, Plan, Pool, Query, ScreenScore
from core.scan.profiles import GAP_HITS, GAP_MEDIAN_SHARE, GAP_QUERY_POOL, KEPT_SCORE, THIN_HITS
from core.scan.vocabulary import ProfileName


@dataclass(frozen=True, slots=True)
class GapAdvice:
    """Whether a second round is wanted, and why, with the numbers."""

    should_run: bool
    profile: ProfileName
    forced: bool
    reasons: tuple[str, ...]


def coverage_round(
    pool: Pool, scores: Mapping[str, ScreenScore], plan: Plan, number: int, seeds: Sequence[str]
) -> dict[str, Any]:
    """One round of `coverage.json` (8.2), counted over works; `seeds` are those of the round's expansion."""
    queries = plan.queries if number == 1 else (*plan.queries, *plan.round2)
    kept = [each for each in pool.candidates if _is_kept(each, scores)]
    valid = {each.id for each in plan.sub_criteria}
    return {
        "round": number,
        "screened": len(scores),
        "ge2": len(kept),
        "unattributed_ge2": sum(1 for each in kept if not valid & set(scores[each.cid].criteria_hit)),
        "criteria": [_criterion(each.id, each.name, kept, scores, queries) for each in plan.sub_criteria],
        "queries": [_query(each, pool, scores) for each in queries],
        "seeds": [row for seed in sorted(seeds) if (row := _seed(seed, pool, scores))["neighbours"]],
    }


def gap_decision(counted: Mapping[str, Any], profile: ProfileName, *, is_forced: bool) -> GapAdvice:
    """The decision after round 1; each reason names a trigger with its numbers."""
    if is_forced:
        return GapAdvice(True, profile, True, ("the gap round is forced",))
    if profile != "standard":
        reason = "the quick profile never runs it" if profile == "quick" else "the deep profile always runs it"
        return GapAdvice(profile == "deep", profile, False, (reason,))
    reasons = tuple(_triggers(counted))
    return GapAdvice(bool(reasons), profile, False, reasons or ("no trigger fired",))


def _triggers(counted: Mapping[str, Any]) -> list[str]:
    hits = {each["id"]: each["hits"] for each in counted["criteria"]}
    weakest = min(hits, key=lambda name: (hits[name], name))
    middle = median(hits.values())
    reasons = []
    if hits[weakest] < GAP_HITS:
        reasons.append(f"{weakest} has {hits[weakest]} hits, fewer than {GAP_HITS}")
    if hits[weakest] < GAP_MEDIAN_SHARE * middle:
        reasons.append(f"{weakest} has {hits[weakest]} hits, less than half of the median {middle:g}")
    reasons += [
        f"query {each['query_id']} has {each['pool']} candidates, fewer than {GAP_QUERY_POOL}"
        for each in counted["queries"]
        if each["pool"] < GAP_QUERY_POOL
    ]
    return reasons


def _is_kept(candidate: Candidate, scores: Mapping[str, ScreenScore]) -> bool:
    score = scores.get(candidate.cid)
    return score is not None and score.score >= KEPT_SCORE


def _criterion(
    id: str, name: str, kept: Sequence[Candidate], scores: Mapping[str, ScreenScore], queries: Sequence[Query]
) -> dict[str, Any]:
    types = {each.id: each.type for each in queries}
    hit = [each for each in kept if id in scores[each.cid].criteria_hit]
    by_type: Counter[str] = Counter()
    by_source: Counter[str] = Counter()
    for candidate in hit:
        origins = candidate.work.origins
        by_type.update(
            {
                types.get(origin.query_id or "", "query") if origin.relation == "query" else origin.relation
                for origin in origins
            }
        )
        by_source.update({origin.source for origin in origins})
    return {
        "id": id,
        "name": name,
        "hits": len(hit),
        "by_query_type": dict(sorted(by_type.items())),
        "by_source": dict(sorted(by_source.items())),
        "thin": len(hit) < THIN_HITS,
    }


def _query(query: Query, pool: Pool, scores: Mapping[str, ScreenScore]) -> dict[str, Any]:
    found = [
        each
        for each in pool.candidates
        if any(origin.relation == "query" and origin.query_id == query.id for origin in each.work.origins)
    ]
    kept = sum(1 for each in found if _is_kept(each, scores))
    return {"query_id": query.id, "type": query.type, "pool": len(found), "ge2": kept}


def _seed(seed: str, pool: Pool, scores: Mapping[str, ScreenScore]) -> dict[str, Any]:
    named = {seed, pool.aliases.get(seed, seed)}
    found = [each for each in pool.candidates if any(origin.seed_id in named for origin in each.work.origins)]
    kept = sum(1 for each in found if _is_kept(each, scores))
    precision = round(kept / len(found), 3) if found else 0.0
    return {"seed_id": seed, "neighbours": len(found), "ge2": kept, "precision": precision}
