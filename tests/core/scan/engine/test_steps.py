"""The steps of a scan and what follows which (scan contract 4.1, 4.2)."""

import itertools

from core.scan.engine.steps import (
    ACTIONS,
    after_coverage,
    after_expansion,
    after_retrieval,
    after_screening,
    is_stage,
    limit_s,
    phase_of,
)
from core.scan.vocabulary import Step

BOTH = (True, False)


def test_steps_have_the_phases_and_actions_of_the_contract() -> None:
    assert {step.value: (phase_of(step), ACTIONS.get(step)) for step in Step} == {
        "retrieve": ("screen", None),
        "screen-q": ("screen", "screen_candidates"),
        "expand": ("screen", None),
        "screen-x": ("screen", "screen_candidates"),
        "coverage": ("screen", None),
        "gap": ("gap", "write_gap_queries"),
        "retrieve-r2": ("screen", None),
        "screen-r": ("screen", "screen_candidates"),
        "expand-r2": ("screen", None),
        "screen-xr": ("screen", "screen_candidates"),
        "coverage-r2": ("screen", None),
        "shortlist": ("rank", None),
        "rank": ("rank", "rank_shortlist"),
        "ranked": ("rank", "verify_ranked"),
        "verify": ("rank", None),
        "emit": ("rank", None),
        "complete": ("complete", "complete"),
    }


def test_transitions_are_those_of_the_contract() -> None:
    assert [after_retrieval(Step.RETRIEVE, has_new=each) for each in BOTH] == [Step.SCREEN_Q, Step.COVERAGE]
    assert [after_retrieval(Step.RETRIEVE_R2, has_new=each) for each in BOTH] == [Step.SCREEN_R, Step.COVERAGE_R2]
    assert [after_screening(Step.SCREEN_Q, has_seeds=each) for each in BOTH] == [Step.EXPAND, Step.COVERAGE]
    assert [after_screening(Step.SCREEN_X, has_seeds=each) for each in BOTH] == [Step.COVERAGE, Step.COVERAGE]
    assert [after_screening(Step.SCREEN_R, has_seeds=each) for each in BOTH] == [Step.EXPAND_R2, Step.COVERAGE_R2]
    assert [after_screening(Step.SCREEN_XR, has_seeds=each) for each in BOTH] == [Step.COVERAGE_R2, Step.COVERAGE_R2]
    assert [after_expansion(Step.EXPAND, has_new=each) for each in BOTH] == [Step.SCREEN_X, Step.COVERAGE]
    assert [after_expansion(Step.EXPAND_R2, has_new=each) for each in BOTH] == [Step.SCREEN_XR, Step.COVERAGE_R2]
    decided = {
        (wants, has): after_coverage(Step.COVERAGE, wants_gap=wants, has_round2=has)
        for wants, has in itertools.product(BOTH, BOTH)
    }
    assert decided == {
        (True, True): Step.RETRIEVE_R2,
        (True, False): Step.GAP,
        (False, True): Step.SHORTLIST,
        (False, False): Step.SHORTLIST,
    }
    ends = {after_coverage(Step.COVERAGE_R2, wants_gap=wants, has_round2=True) for wants in BOTH}
    assert ends == {Step.SHORTLIST}, "the gap round runs at most once"


def test_stages_that_ask_sources_have_four_minutes_and_others_half_a_one() -> None:
    asking = {Step.RETRIEVE, Step.RETRIEVE_R2, Step.EXPAND, Step.EXPAND_R2, Step.VERIFY}
    assert {step: limit_s(step) for step in Step if is_stage(step)} == {
        step: 240.0 if step in asking else 30.0 for step in Step if is_stage(step)
    }
