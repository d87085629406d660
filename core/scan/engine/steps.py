"""The steps of a scan: which kind each is, what it waits for, and which follows (scan contract 4.1, 4.2)."""

from collections.abc import Mapping
from types import MappingProxyType

from core.scan.profiles import SMALL_STAGE_LIMIT_S, STAGE_LIMIT_S
from core.scan.vocabulary import Action, Phase, Step

ACTIONS: Mapping[Step, Action] = MappingProxyType(
    {
        Step.SCREEN_Q: "screen_candidates",
        Step.SCREEN_X: "screen_candidates",
        Step.SCREEN_R: "screen_candidates",
        Step.SCREEN_XR: "screen_candidates",
        Step.GAP: "write_gap_queries",
        Step.RANK: "rank_shortlist",
        Step.RANKED: "verify_ranked",
        Step.COMPLETE: "complete",
    }
)
"""What the client does at each step that is no stage."""

SCREENING = (Step.SCREEN_Q, Step.SCREEN_X, Step.SCREEN_R, Step.SCREEN_XR)
RANKING = (Step.RANK, Step.RANKED)
STAGES = tuple(step for step in Step if step not in ACTIONS)

PREFIXES: Mapping[Step, str] = MappingProxyType(
    {Step.RETRIEVE: "", Step.EXPAND: "x", Step.RETRIEVE_R2: "r", Step.EXPAND_R2: "xr"}
)
"""How the batches of each stage that makes some are called."""

_LONG = (Step.RETRIEVE, Step.RETRIEVE_R2, Step.EXPAND, Step.EXPAND_R2, Step.VERIFY)
_PHASES: Mapping[Step, Phase] = MappingProxyType(
    {
        Step.GAP: "gap",
        Step.SHORTLIST: "rank",
        Step.RANK: "rank",
        Step.RANKED: "rank",
        Step.VERIFY: "rank",
        Step.EMIT: "rank",
        Step.COMPLETE: "complete",
    }
)


def is_stage(step: Step) -> bool:
    """Whether the service works at this step; else the client is waited for, or the scan is over."""
    return step not in ACTIONS


def phase_of(step: Step) -> Phase:
    """The phase that an answer names."""
    return _PHASES.get(step, "screen")


def limit_s(step: Step) -> float:
    """The deadline of a stage."""
    return STAGE_LIMIT_S if step in _LONG else SMALL_STAGE_LIMIT_S


def after_retrieval(step: Step, *, has_new: bool) -> Step:
    """After `retrieve` and `retrieve-r2`."""
    if step is Step.RETRIEVE:
        return Step.SCREEN_Q if has_new else Step.COVERAGE
    return Step.SCREEN_R if has_new else Step.COVERAGE_R2


def after_screening(step: Step, *, has_seeds: bool) -> Step:
    """After a screening step whose batches are all scored."""
    match step:
        case Step.SCREEN_Q:
            return Step.EXPAND if has_seeds else Step.COVERAGE
        case Step.SCREEN_R:
            return Step.EXPAND_R2 if has_seeds else Step.COVERAGE_R2
        case Step.SCREEN_X:
            return Step.COVERAGE
        case _:
            return Step.COVERAGE_R2


def after_expansion(step: Step, *, has_new: bool) -> Step:
    """After `expand` and `expand-r2`."""
    if step is Step.EXPAND:
        return Step.SCREEN_X if has_new else Step.COVERAGE
    return Step.SCREEN_XR if has_new else Step.COVERAGE_R2


def after_coverage(step: Step, *, wants_gap: bool, has_round2: bool) -> Step:
    """After `coverage` and `coverage-r2`."""
    if step is Step.COVERAGE_R2 or not wants_gap:
        return Step.SHORTLIST
    return Step.RETRIEVE_R2 if has_round2 else Step.GAP
