"""Scores beside the batches that were handed out."""

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.answers.refusals import Refused
from core.scan.checking import Beside, Screening, proceed, scores, start, united
from core.scan.models import Batch, Candidate, FoundWork, Pool, ScreenScore
from tests.core.scan.checking.refusing import refused
from tests.core.scan.sent import SCAN_ID, sent_score, sent_start

PLAN = start(sent_start()).plan
CIDS = tuple(f"{number:012x}" for number in range(1, 8))
A, B, C, D, E, F, G = CIDS
POOL = Pool(tuple(Candidate(cid, FoundWork(f"Work {cid}")) for cid in CIDS))
BATCHES = (Batch("01", (A, B, C)), Batch("02", (D, E)), Batch("03", (F, G)))
NONE: dict[str, ScreenScore] = {}


def scored(cid: str, score: int = 1, *hit: str) -> ScreenScore:
    return ScreenScore(cid, score, "because", hit)


def test_a_whole_batch_is_taken() -> None:
    # scan A20
    sent = [scored(A), scored(B, 3, "c1"), scored(C)]
    assert scores(sent, POOL, BATCHES, NONE, PLAN) == {A: scored(A), B: scored(B, 3, "c1"), C: scored(C)}


def test_a_batch_with_an_item_missing_is_refused_naming_it() -> None:
    # scan A20
    assert refused(scores, [scored(A), scored(C)], POOL, BATCHES, NONE, PLAN) == (
        "unscored_items",
        [f"unscored cid: {B}"],
    )


def test_any_open_batch_may_be_answered_and_several_at_once_but_none_in_half() -> None:
    # scan A21
    third = [scored(F), scored(G)]
    assert scores(third, POOL, BATCHES, NONE, PLAN) == {F: scored(F), G: scored(G)}
    assert set(scores([scored(D), *third, scored(E)], POOL, BATCHES, NONE, PLAN)) == {D, E, F, G}
    assert refused(scores, [scored(F)], POOL, BATCHES, NONE, PLAN)[1] == [f"unscored cid: {G}"]
    assert refused(scores, [*third, scored(A), scored(D)], POOL, BATCHES, NONE, PLAN)[1] == [
        f"unscored cid: {B}",
        f"unscored cid: {C}",
        f"unscored cid: {E}",
    ]


def test_a_batch_may_be_completed_by_what_it_lacks() -> None:
    so_far = {A: scored(A), B: scored(B)}
    assert scores([scored(C)], POOL, BATCHES, so_far, PLAN) == {**so_far, C: scored(C)}


def test_unknown_cids_and_criteria_and_contradictions_are_all_listed() -> None:
    # scan A22
    sent = [scored(A, 1, "c9", "c1"), scored(B, 1), scored(B, 2), scored(B, 1), scored("f" * 12)]
    assert refused(scores, sent, POOL, BATCHES, NONE, PLAN) == (
        "unknown_cid",
        [
            f"unknown cid: {'f' * 12}",
            f"{A}: unknown criterion 'c9'",
            f"{B}: 2 different entries",
            f"unscored cid: {C}",
        ],
    )
    assert refused(scores, [scored(A, 1, "c9\n")], POOL, BATCHES, {A: scored(A)}, PLAN) == (
        "unknown_criterion",
        [f"{A}: unknown criterion 'c9'"],
    )
    assert refused(scores, [scored(A), scored(A, 2)], POOL, BATCHES, {A: scored(A)}, PLAN)[0] == "duplicate_score"


def test_an_equal_duplicate_collapses() -> None:
    # scan A22
    sent = [scored(D), scored(E), scored(D)]
    assert scores(sent, POOL, BATCHES, NONE, PLAN) == {D: scored(D), E: scored(E)}


def test_fifty_unknown_cids_are_named_and_the_rest_counted() -> None:
    # scan A22
    sent = [scored(f"{number:012x}") for number in range(100, 160)]
    code, lines = refused(scores, sent, POOL, BATCHES, {A: scored(A)}, PLAN)
    assert (code, len(lines), lines[-1]) == ("unknown_cid", 51, "+10 more")


def test_the_same_scores_again_change_nothing() -> None:
    # scan A23
    so_far = {A: scored(A), B: scored(B), C: scored(C)}
    assert scores([scored(B), scored(A)], POOL, BATCHES, so_far, PLAN) == so_far


def test_a_later_score_replaces_an_earlier_one_without_completing_a_batch() -> None:
    # scan A24
    so_far = {A: scored(A), B: scored(B), C: scored(C)}
    assert scores([scored(B, 3)], POOL, BATCHES, so_far, PLAN) == {**so_far, B: scored(B, 3)}


def test_a_first_score_outside_every_batch_is_told_what_the_first_open_batch_lacks() -> None:
    so_far = {cid: scored(cid) for cid in (A, B, C)}
    assert refused(scores, [scored(F)], POOL, BATCHES[:2], so_far, PLAN)[1] == [
        f"unscored cid: {D}",
        f"unscored cid: {E}",
    ]


def test_an_alias_stands_for_the_surviving_work() -> None:
    # scan A47
    pool = Pool(POOL.candidates[1:], MappingProxyType({A: B, "e" * 12: "d" * 12}))
    assert scores([scored(A, 2), scored(C)], pool, BATCHES, NONE, PLAN) == {B: scored(B, 2), C: scored(C)}
    both = [scored(B, 1, "c1"), scored(A, 2, "c2", "c1"), scored(C)]
    assert scores(both, pool, BATCHES, NONE, PLAN)[B] == scored(B, 2, "c1", "c2")
    assert refused(scores, [scored("e" * 12)], pool, BATCHES, NONE, PLAN) == (
        "unknown_cid",
        [f"unknown cid: {'e' * 12}"],
    )


def test_of_two_scores_the_higher_stays_with_all_criteria() -> None:
    assert united(scored(A, 2, "c1"), scored(B, 2, "c3")) == scored(A, 2, "c1", "c3")
    assert united(scored(A, 0), scored(B, 3, "c3")) == scored(A, 3, "c3")


def test_what_the_scan_has_against_the_scores_is_told_with_what_the_schema_has() -> None:
    # scan A22
    beside = Beside(screening=Screening(POOL, BATCHES, NONE, PLAN))
    sent = [sent_score(A, criteria_hit=["c9"]), sent_score(B, 9), sent_score("f" * 12)]
    assert refused(proceed, {"scan_id": SCAN_ID, "screen_scores": sent}, beside) == (
        "schema_violation",
        [
            "screen_scores[1].score: must be an integer from 0 to 3",
            f"unknown cid: {'f' * 12}",
            f"{A}: unknown criterion 'c9'",
        ],
    )
    short = {"scan_id": SCAN_ID, "screen_scores": [sent_score(D)]}
    assert refused(proceed, short, beside) == ("unscored_items", [f"unscored cid: {E}"])


SENT: Any = st.lists(
    st.builds(
        ScreenScore,
        st.sampled_from([*CIDS, "f" * 12]),
        st.integers(0, 3),
        st.just("because"),
        st.lists(st.sampled_from(["c1", "c2", "c9"]), max_size=1).map(tuple),
    ),
    max_size=9,
)


@given(SENT, st.sets(st.sampled_from(BATCHES)))
def test_accepted_scores_leave_no_batch_half_scored(sent: list[ScreenScore], done: set[Batch]) -> None:
    so_far = {cid: scored(cid) for batch in done for cid in batch.cids}
    try:
        merged = scores(sent, POOL, BATCHES, so_far, PLAN)
    except Refused as refusal:
        assert refusal.errors
        return
    assert {each.cid: each for each in sent}.items() <= merged.items()
    assert all(len(set(batch.cids) & merged.keys()) in (0, len(batch.cids)) for batch in BATCHES)


@pytest.mark.parametrize("sent", [[], [scored(A)]])
def test_nothing_changes_what_was_given(sent: list[ScreenScore]) -> None:
    so_far = {cid: scored(cid, 2) for cid in (A, B, C)}
    scores(sent, POOL, BATCHES, so_far, PLAN)
    assert so_far == {cid: scored(cid, 2) for cid in (A, B, C)}
