"""Coverage and the gap decision (scan contract 7.10)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.coverage import GapAdvice, coverage_round, gap_decision
from core.scan.models import Origin, Plan, Pool, Query
from core.scan.profiles import PROFILES
from tests.core.scan.judged import hitting
from tests.scan_works import candidate, hit, linked, plan

PLAN = Plan(
    "What matters",
    "cs",
    plan().sub_criteria,
    (Query("Q1", "direct", "what matters"), Query("Q2", "review", "what matters")),
    round2=(Query("G1", "gap", "what else", target_criterion="C3"),),
)
POOL = Pool(
    (
        candidate("a", hit(0), hit(3, "Q2", "arxiv"), hit(4, "Q2", "s2")),
        candidate("b", hit(1), linked(0, "a"), linked(1, "old")),
        candidate("c", linked(2, "a"), Origin("openalex", "anchor", None, None, 0)),
        candidate("d", hit(2, "G1", "openalex"), hit(9, "gone", "catalog")),
        candidate("e", linked(3, "a")),
    ),
    {"old": "d"},
)
SCORES = {
    "a": hitting("a", 3, "C1", "C2"),
    "b": hitting("b", 2, "C1"),
    "c": hitting("c", 1, "C1"),
    "d": hitting("d", 2),
    "gone": hitting("gone", 3, "C1"),
}


def test_a_round_counts_works_by_criterion_query_and_seed() -> None:
    assert coverage_round(POOL, SCORES, PLAN, 1, ("old", "a", "d", "e")) == {
        "round": 1,
        "screened": 4,
        "ge2": 3,
        "unattributed_ge2": 1,
        "criteria": [
            {
                "id": "C1",
                "name": "Criterion 1",
                "hits": 2,
                "by_query_type": {"direct": 2, "references": 1, "review": 1},
                "by_source": {"arxiv": 1, "s2": 2},
                "thin": True,
            },
            {
                "id": "C2",
                "name": "Criterion 2",
                "hits": 1,
                "by_query_type": {"direct": 1, "review": 1},
                "by_source": {"arxiv": 1, "s2": 1},
                "thin": True,
            },
            {"id": "C3", "name": "Criterion 3", "hits": 0, "by_query_type": {}, "by_source": {}, "thin": True},
        ],
        "queries": [
            {"query_id": "Q1", "type": "direct", "pool": 2, "ge2": 2},
            {"query_id": "Q2", "type": "review", "pool": 1, "ge2": 1},
        ],
        "seeds": [
            {"seed_id": "a", "neighbours": 3, "ge2": 1, "precision": 0.333},
            {"seed_id": "d", "neighbours": 1, "ge2": 1, "precision": 1.0},
        ],
    }


def test_the_second_round_counts_the_gap_queries_too() -> None:
    counted = coverage_round(POOL, {**SCORES, "d": hitting("d", 2, "C3")}, PLAN, 2, ())
    assert counted["queries"][2] == {"query_id": "G1", "type": "gap", "pool": 1, "ge2": 1}
    assert counted["criteria"][2]["by_query_type"] == {"gap": 1, "query": 1}
    assert (counted["round"], counted["unattributed_ge2"], counted["seeds"]) == (2, 0, [])


def test_five_hits_are_not_thin() -> None:
    pool = Pool(tuple(candidate(f"w{n}", hit(n)) for n in range(5)))
    scores = {each.cid: hitting(each.cid, 2, "C1") for each in pool.candidates}
    assert coverage_round(pool, scores, PLAN, 1, ())["criteria"][0]["thin"] is False


def counted(hits: list[int], pools: list[int]) -> dict[str, Any]:
    return {
        "criteria": [{"id": f"C{n}", "hits": each} for n, each in enumerate(hits, 1)],
        "queries": [{"query_id": f"Q{n}", "pool": each} for n, each in enumerate(pools, 1)],
    }


@pytest.mark.parametrize(
    ("hits", "pools", "reasons"),
    [
        (
            [8, 9, 20, 31],
            [20, 40],
            ["no trigger: the weakest criterion has 8 hits, the median is 14.5, the smallest query pool is 20"],
        ),
        (
            [7, 9, 20, 31],
            [20, 40],
            ["criterion C1 has 7 hits, fewer than 8", "criterion C1 has 7 hits, fewer than 0.5 of the median 14.5"],
        ),
        ([7, 8, 14], [20], ["criterion C1 has 7 hits, fewer than 8"]),
        ([20, 9, 20], [20], ["criterion C2 has 9 hits, fewer than 0.5 of the median 20"]),
        ([20, 10, 20], [19, 20], ["query Q1 has a pool of 19, smaller than 20"]),
    ],
)
def test_each_trigger_fires_below_its_bound(hits: list[int], pools: list[int], reasons: list[str]) -> None:
    # scan A29
    advice = gap_decision(counted(hits, pools), "standard", is_forced=False)
    assert advice == GapAdvice(not reasons[0].startswith("no trigger"), "standard", False, tuple(reasons))


def test_the_profile_and_the_caller_decide_before_any_trigger() -> None:
    # scan A29
    well, badly = counted([30, 30, 30], [30]), counted([0, 30, 30], [1])
    assert not any(gap_decision(each, "quick", is_forced=False).should_run for each in (well, badly))
    assert all(gap_decision(each, "deep", is_forced=False).should_run for each in (well, badly))
    assert gap_decision(well, "quick", is_forced=True) == GapAdvice(
        True, "quick", True, ("the caller asked for a gap round",)
    )
    assert len(gap_decision(badly, "deep", is_forced=False).reasons) == 4


def test_a_scan_that_found_nothing_asks_for_more() -> None:
    empty = coverage_round(Pool(), {}, PLAN, 1, ())
    assert gap_decision(empty, "standard", is_forced=False).reasons == (
        "criterion C1 has 0 hits, fewer than 8",
        "query Q1 has a pool of 0, smaller than 20",
        "query Q2 has a pool of 0, smaller than 20",
    )
    nothing = gap_decision({"criteria": [], "queries": []}, "standard", is_forced=False)
    assert (nothing.should_run, len(nothing.reasons)) == (False, 1)


@given(st.permutations(POOL.candidates))
def test_the_order_of_the_pool_does_not_matter(shuffled: list[Any]) -> None:
    pool = Pool(tuple(shuffled), POOL.aliases)
    assert coverage_round(pool, SCORES, PLAN, 2, ("a", "d")) == coverage_round(POOL, SCORES, PLAN, 2, ("d", "a"))


def test_profiles_are_those_of_the_table() -> None:
    assert [(each.shortlist_max, each.outside_shortlist_max) for each in PROFILES.values()] == [
        (40, 12),
        (60, 16),
        (80, 20),
    ]
