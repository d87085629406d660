"""`emit`: the evidence is selected and rendered (scan contract 7.14, 7.15)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from core.scan.answers.warnings import WarningCode
from core.scan.engine.scan import Scan
from core.scan.engine.stages.turns import Turn
from core.scan.engine.state import said, with_warnings
from core.scan.models import Shortlist
from core.scan.profiles import CONTRADICTING_PLACES
from core.scan.rendering.bibtex import evidence_bibtex
from core.scan.rendering.evidence import evidence_json
from core.scan.rendering.markdown import evidence_markdown
from core.scan.searching.port import Warned
from core.scan.selection import Selection, select
from core.scan.vocabulary import Step

SATURATED_SHARE = 0.5


async def emit(scan: Scan, turn: Turn) -> Scan:
    """The finished scan."""
    selection = selected(scan)
    emitted = len(selection.packets)
    section = {
        "top": scan.state.top,
        "foundational": scan.state.foundational,
        "contradicting": CONTRADICTING_PLACES,
        "emitted": emitted,
        "alternates": len(selection.alternates),
        "dropped_retracted": selection.dropped_retracted,
    }
    counts = {**scan.state.counts, "ranked": len(scan.entries), "emitted": emitted}
    warnings = with_warnings(scan.state.warnings, _warned(scan, selection))
    state = replace(scan.state, step=Step.COMPLETE, counts=counts, warnings=warnings)
    finished = replace(scan, state=state, manifest={**scan.manifest, "emit": section})
    return replace(finished, written=renderings(finished, selection))


def selected(scan: Scan) -> Selection:
    """The papers that the evidence consists of: the same for the same documents."""
    state = scan.state
    return select(
        scan.shortlist or Shortlist(),
        scan.entries,
        scan.verifications,
        top=state.top,
        foundational=state.foundational,
    )


def renderings(scan: Scan, selection: Selection) -> Mapping[str, bytes]:
    """The three forms of the evidence; a pure function of the scan's documents."""
    evidence = evidence_json(scan.run, selection)
    markdown = evidence_markdown(
        scan.run,
        selection,
        coverage=scan.coverage,
        failed_sources=tuple(name for name, tally in scan.state.tallies.items() if tally.failed),
        sub_criteria=scan.plan.sub_criteria,
    )
    return {
        "evidence.json": orjson.dumps(evidence, option=orjson.OPT_APPEND_NEWLINE),
        "evidence.md": markdown.encode(),
        "evidence.bib": evidence_bibtex(selection).encode(),
    }


def _warned(scan: Scan, selection: Selection) -> tuple[Warned, ...]:
    found = []
    latest: Mapping[str, Any] = scan.coverage["rounds"][-1] if scan.coverage else {}
    if latest.get("unattributed_ge2"):
        found.append(said(WarningCode.CRITERIA_UNATTRIBUTED))
    if any(each["thin"] for each in latest.get("criteria", ())):
        found.append(said(WarningCode.THIN_CRITERIA))
    best = sum(1 for each in scan.entries.values() if each.overall == 3)
    if best > SATURATED_SHARE * len(scan.entries):
        found.append(said(WarningCode.RANK_SATURATED))
    if len(selection.packets) < scan.state.top:
        found.append(said(WarningCode.FEWER_THAN_TOP))
    return tuple(found)
