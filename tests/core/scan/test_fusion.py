"""Reciprocal-rank fusion (scan contract 7.4)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.fusion import fused_score, ordered
from core.scan.models import Origin
from tests.scan_works import ROUTING, candidate, hit, linked


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        # scan A54, A57
        ([hit(0)], 0.016393),
        ([hit(0), hit(2, source="openalex")], 0.032266),
        ([hit(0, secondary=True)], 0.008197),
        ([hit(0), hit(2, "Q2")], 0.032266),
        ([hit(2), hit(0)], 0.016393),
        ([hit(0), linked(0, "a"), Origin("s2", "anchor", None, None, 0)], 0.016393),
        ([], 0.0),
    ],
)
def test_a_place_in_a_list_is_worth_its_reciprocal(origins: list[Origin], expected: float) -> None:
    assert round(fused_score(origins), 6) == expected


def test_candidates_of_a_query_are_in_a_total_order() -> None:
    both = candidate("f0", hit(3), hit(3, source="arxiv"))
    best = candidate("e0", hit(0))
    # One score, one rank: the source that is routed first, then the cid.
    by_routing = [candidate("b1", hit(4, source="openalex")), candidate("a1", hit(4)), candidate("a2", hit(4))]
    unrouted = candidate("a0", hit(4, source="crossref"))
    other_query = candidate("a3", hit(0, "Q2"))
    graph = candidate("a4", linked(0, "e0"))
    expected = (both, best, *by_routing, unrouted)
    assert ordered([graph, other_query, unrouted, *reversed(by_routing), best, both], "Q1", ROUTING) == expected


def test_equal_scores_go_by_the_best_rank() -> None:
    # A primary place 61 further down weighs as much as a secondary first place.
    secondary, primary = candidate("b", hit(0, secondary=True)), candidate("a", hit(61))
    assert fused_score(secondary.work.origins) == fused_score(primary.work.origins)
    assert ordered([primary, secondary], "Q1", ROUTING) == (secondary, primary)


origins = st.lists(
    st.builds(
        hit, st.integers(0, 30), st.sampled_from(["Q1", "Q2"]), st.sampled_from(ROUTING), secondary=st.booleans()
    ),
    max_size=6,
)


@given(st.lists(origins, max_size=8), st.randoms(use_true_random=False))
def test_arrival_order_changes_neither_score_nor_order(lists: list[list[Origin]], shuffling: Random) -> None:
    # scan A54
    candidates = [candidate(f"{place:012x}", *each) for place, each in enumerate(lists)]
    again = [candidate(each.cid, *shuffling.sample(each.work.origins, len(each.work.origins))) for each in candidates]
    shuffling.shuffle(again)
    first, second = (ordered(each, "Q1", ROUTING) for each in (candidates, again))
    assert [each.cid for each in first] == [each.cid for each in second]
    assert [fused_score(each.work.origins) for each in first] == [fused_score(each.work.origins) for each in second]
