"""`coverage`, `coverage-r2` and `shortlist`: what is covered, whether to search on, and what is ranked (7.10, 7.12)."""

from dataclasses import replace

from core.scan.coverage import coverage_round, gap_decision
from core.scan.engine.scan import Scan
from core.scan.engine.state import with_warnings
from core.scan.engine.steps import after_coverage
from core.scan.profiles import KEPT_SCORE
from core.scan.searching.port import Literature, Warned
from core.scan.shortlist import shortlist
from core.scan.vocabulary import Step


async def cover(scan: Scan, literature: Literature) -> Scan:
    """The scan with a round of coverage, and after round 1 with the decision on a second one."""
    state = scan.state
    is_first = state.step is Step.COVERAGE
    expansion = scan.expansions.get("expanded.json" if is_first else "expanded-round2.json", {})
    counted = coverage_round(scan.pool, scan.scores, scan.plan, 1 if is_first else 2, expansion.get("seeds", ()))
    advice = state.gap_advice
    if is_first:
        advice = gap_decision(counted, state.profile, is_forced=state.is_forced)
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


async def shorten(scan: Scan, literature: Literature) -> Scan:
    """The scan with its shortlist, which is frozen from here on."""
    state = scan.state
    made = shortlist(scan.pool, scan.scores, scan.plan, state.profile)
    warned: tuple[Warned, ...] = ()
    if not made.records and scan.pool.candidates:
        warned = (Warned("nothing_relevant", "No candidate was scored 2 or 3."),)
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
