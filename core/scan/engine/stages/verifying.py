"""`verify`: every ranked entry is held against live records (scan contract 7.13)."""

from collections import Counter
from dataclasses import replace

from core.scan.answers.refusals import Code
from core.scan.answers.warnings import WarningCode
from core.scan.engine.scan import Scan, appended
from core.scan.engine.stages.turns import StageFailed, Turn
from core.scan.engine.state import said, with_warnings
from core.scan.models import Shortlist, Verification
from core.scan.searching.port import Answers, Lookups, Warned
from core.scan.verdicts import verdict
from core.scan.vocabulary import Step

ATTEMPTS_MAX = 3
"""The last attempt ends with what there is, so that sources which are down hold no scan up for good."""


async def verify(scan: Scan, turn: Turn) -> Scan:
    """The scan with a verdict on each entry. Raises `StageFailed` (`verification_unavailable`)."""
    state = scan.state
    candidates = [each.candidate for each in (scan.shortlist or Shortlist()).records]
    found = await turn.literature.lookups(candidates, turn.caller)
    if not found.is_offline and candidates and not found.answered and state.attempts < ATTEMPTS_MAX - 1:
        lines = [f"{source}: unavailable" for source in sorted(found.failed)]
        raise StageFailed(Code.VERIFICATION_UNAVAILABLE, lines)
    on = state.verified_on or state.start_day
    verifications = {
        each.cid: verdict(each, found.answers.get(each.cid, Answers()), on, is_offline=found.is_offline)
        for each in candidates
    }
    return replace(
        scan,
        state=replace(
            state,
            step=Step.EMIT,
            counts={**state.counts, "verified": sum(1 for each in verifications.values() if each.verified)},
            warnings=with_warnings(state.warnings, _warned(found)),
        ),
        entries=dict(scan.entries),
        verifications=verifications,
        manifest={**scan.manifest, "verification": _section(verifications, found)},
        logs=appended(scan.logs, "verify.log.jsonl", found.events),
    )


def _warned(found: Lookups) -> tuple[Warned, ...]:
    if found.is_offline:
        return (said(WarningCode.VERIFICATION_OFFLINE),)
    if found.failed:
        names = ", ".join(sorted(found.failed))
        return (Warned("verification_partial", f"Some sources of verification did not answer: {names}."),)
    return ()


def _section(verifications: dict[str, Verification], found: Lookups) -> dict[str, object]:
    states = Counter(each.state for each in verifications.values())
    return {
        "verified": states["verified"],
        "unverified": len(verifications) - states["verified"],
        "mismatched": states["mismatched"],
        "unverifiable": states["unverifiable"],
        "dropped_retracted": sum(1 for each in verifications.values() if "retracted" in each.mismatches),
        "crossref_skipped": "crossref" not in found.answered,
    }
