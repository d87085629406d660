"""`coverage`, `coverage-r2` and `shortlist`: what is covered, whether to search on, and what is ranked (7.10, 7.12)."""

from dataclasses import asdict, replace
from typing import Any

from core.scan.answers.warnings import WarningCode
from core.scan.coverage import coverage_round, gap_decision
from core.scan.engine.scan import Scan
from core.scan.engine.stages.turns import Turn
from core.scan.engine.state import said, with_warnings
from core.scan.engine.steps import after_coverage
from core.scan.profiles import KEPT_SCORE
from core.scan.searching.port import Warned
from core.scan.shortlist import shortlist
from core.scan.vocabulary import Step


async def cover(scan: Scan, turn: Turn) -> Scan:
    """The scan with a round of coverage, and after round 1 with the decision on a second one."""
    state = scan.state
    is_first = state.step is Step.COVERAGE
    counted = _counted(scan, 1 if is_first else 2)
    advice = state.gap_advice
    if is_first:
        advice = asdict(gap_decision(counted, state.profile_name, is_forced=state.is_forced))
    rounds = [counted] if scan.coverage is None else [*scan.coverage["rounds"][:1], counted]
    kept = sum(1 for each in scan.scores.values() if each.score >= KEPT_SCORE)
    wants = bool(advice and advice["should_run"]) and not state.has_skipped_gap
    return replace(
        scan,
        state=replace(
            state,
            step=after_coverage(state.step, wants_gap=wants, has_round2=bool(scan.plan.round2)),
            gap_advice=advice,
            counts={**state.counts, "screened_ge2": kept},
        ),
        coverage={"run": scan.run, "rounds": rounds, "gap_round": advice},
    )


def covered_again(scan: Scan) -> dict[str, Any]:
    """`coverage.json` from the documents that it follows from, for one that was damaged; of the first round, what the
    pool says of it now.
    """
    rounds = [_counted(scan, 1)]
    if any(each.id.startswith("r") for each in scan.state.batches):
        rounds.append(_counted(scan, 2))
    return {"run": scan.run, "rounds": rounds, "gap_round": scan.state.gap_advice}


def _counted(scan: Scan, number: int) -> dict[str, Any]:
    expansion = scan.expansions.get("expanded.json" if number == 1 else "expanded-round2.json", {})
    return coverage_round(scan.pool, scan.scores, scan.plan, number, expansion.get("seeds", ()))


async def shorten(scan: Scan, turn: Turn) -> Scan:
    """The scan with its shortlist, which is frozen from here on."""
    state = scan.state
    made = shortlist(scan.pool, scan.scores, scan.plan, state.profile)
    warned: tuple[Warned, ...] = ()
    if not made.records and scan.pool.candidates:
        warned = (said(WarningCode.NOTHING_RELEVANT),)
    return replace(
        scan,
        state=replace(
            state,
            step=Step.RANK if made.records else Step.EMIT,
            counts={**state.counts, "shortlisted": len(made.records)},
            warnings=with_warnings(state.warnings, warned),
        ),
        shortlist=made,
    )
