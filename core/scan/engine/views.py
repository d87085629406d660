"""What is said of a scan as it stands (scan contract 3, 6)."""

from collections.abc import Mapping
from typing import Any

import orjson

from core.scan import batches
from core.scan.answers import payloads
from core.scan.answers.envelope import Envelope, refusal
from core.scan.answers.progress import open_batches, progress
from core.scan.answers.refusals import Code, Refused
from core.scan.answers.results import Emitted, ScanView, result_payload, run_uri
from core.scan.answers.sizes import fitted
from core.scan.answers.warnings import with_warnings
from core.scan.engine.scan import RUN_DIR, Scan
from core.scan.engine.stages.emitting import renderings, selected
from core.scan.engine.steps import ACTIONS, SCREENING, is_stage, phase_of
from core.scan.models import Shortlist
from core.scan.rubrics.texts import RUBRIC_OF, VERSIONS
from core.scan.searching.port import Warned
from core.scan.vocabulary import Action, Step

RETRY_AFTER_MS: Mapping[Step, int] = {
    Step.RETRIEVE: 4_000,
    Step.RETRIEVE_R2: 4_000,
    Step.EXPAND: 5_000,
    Step.EXPAND_R2: 5_000,
    Step.VERIFY: 4_000,
}
"""How long a client should wait for a stage; one second for the small ones."""


class Views:
    """Envelopes of one release; `versions` names the engine and the rubrics."""

    def __init__(self, engine_version: str) -> None:
        self._versions = {"engine": engine_version, "rubrics": dict(VERSIONS)}

    def settled(self, scan_id: str, scan: Scan, *extra: Warned) -> Envelope:
        """The answer of a scan that waits for the client, or is over, with what its next action needs."""
        action = ACTIONS[scan.state.step]
        payload = with_warnings(decision(scan), (*scan.state.warnings, *extra))
        envelope = Envelope(scan_id, phase_of(scan.state.step), "ok", action, progress_of(scan), payload)
        return fitted(envelope)

    def current(self, scan_id: str, scan: Scan, *extra: Warned, is_working: bool) -> Envelope:
        """The answer to a poll: settled, working or failed."""
        if not is_stage(scan.state.step):
            return self.settled(scan_id, scan, *extra)
        return self.refused(scan_id, scan, owed(scan, is_working=is_working), *extra)

    def refused(self, scan_id: str, scan: Scan, refused: Refused, *extra: Warned) -> Envelope:
        """A refusal about a living scan, which keeps its place."""
        step = scan.state.step
        action: Action | None = ACTIONS.get(step)
        told = with_warnings({}, extra)
        done = progress_of(scan)
        return fitted(refusal(scan_id, refused, phase=phase_of(step), next_action=action, progress=done, payload=told))

    def result(self, scan_id: str, scan: Scan, *, is_working: bool) -> Envelope:
        """The answer of `scan_result`: all that is known, and the decision of the moment."""
        step = scan.state.step
        view = ScanView(
            scan_id,
            self._versions,
            coverage=None if scan.coverage is None else placed(scan.coverage, scan_id),
            shortlist=scan.shortlist or Shortlist(),
            verdicts=scan.verifications,
            emitted=_emitted(scan, scan_id) if step is Step.COMPLETE else None,
            decision={} if is_stage(step) else decision(scan),
            source_health=_health(scan),
        )
        payload = with_warnings(result_payload(view), scan.state.warnings)
        done = progress_of(scan)
        if not is_stage(step):
            return fitted(Envelope(scan_id, phase_of(step), "ok", ACTIONS[step], done, payload))
        refused = owed(scan, is_working=is_working)
        return fitted(refusal(scan_id, refused, phase=phase_of(step), progress=done, payload=payload))


def decision(scan: Scan) -> dict[str, Any]:
    """The payload of the next action."""
    step = scan.state.step
    rubric = RUBRIC_OF.get(ACTIONS[step])
    pointer = None if rubric is None else rubric.pointer
    if step in SCREENING:
        open_ids = open_batches(scan.pool, scan.state.batches, scan.scores)
        batch = scan.batch(open_ids[0])
        assert batch is not None, "an open batch is one of the scan's"
        return payloads.screen_candidates(batches.document(batch, scan.pool, scan.plan), open_ids, pointer)
    if step is Step.GAP and scan.coverage is not None and scan.state.gap_advice is not None:
        return payloads.write_gap_queries(scan.state.gap_advice, scan.coverage["rounds"][-1], pointer)
    if step is Step.RANK and scan.shortlist is not None:
        return payloads.rank_shortlist(scan.shortlist, scan.entries, pointer)
    return payloads.without_decision(pointer)


def owed(scan: Scan, *, is_working: bool) -> Refused:
    """Why a scan at a stage has no `ok`: it works, or its stage failed and waits for a call."""
    failure, step = scan.state.failure, scan.state.step
    if failure is not None and not is_working:
        return Refused(failure.code, failure.errors, retry_after_ms=failure.retry_after_ms, stage=step.value)
    return Refused(Code.STAGE_RUNNING, retry_after_ms=RETRY_AFTER_MS.get(step, 1_000), stage=step.value)


def progress_of(scan: Scan) -> dict[str, Any]:
    """How far it is."""
    state = scan.state
    has_retrieved = bool(state.tallies) or state.step is not Step.RETRIEVE
    return progress(
        scan.pool,
        state.batches,
        scan.scores,
        counts=_shown_counts(state.counts) if has_retrieved else None,
        shortlist=scan.shortlist,
        ranked=scan.entries,
    )


def placed(document: Mapping[str, Any], scan_id: str) -> dict[str, Any]:
    """A stored document with the scan's own address in it."""
    found: dict[str, Any] = orjson.loads(placed_bytes(orjson.dumps(document), scan_id))
    return found


def placed_bytes(data: bytes, scan_id: str) -> bytes:
    """The bytes of a stored document with the scan's own address in them."""
    return data.replace(RUN_DIR.encode(), run_uri(scan_id).encode())


def _emitted(scan: Scan, scan_id: str) -> Emitted:
    selection = selected(scan)
    written = scan.written if "evidence.md" in scan.written else renderings(scan, selection)
    return Emitted(selection.packets, placed_bytes(written["evidence.md"], scan_id).decode())


def _health(scan: Scan) -> dict[str, Any] | None:
    if not scan.state.tallies:
        return None
    return {
        source: {
            "queried": tally.queried,
            "hits": tally.hits,
            "failed": tally.failed,
            "skipped": tally.skipped,
            **({} if tally.reason is None else {"reason": tally.reason}),
        }
        for source, tally in scan.state.tallies.items()
    }


def _shown_counts(counts: Mapping[str, float]) -> dict[str, float | None]:
    """Whole counts as whole numbers, whatever a store made of them."""
    return {name: int(value) if name != "wall_clock_s" else value for name, value in counts.items()}
