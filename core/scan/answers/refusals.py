"""Every way in which a call about a scan is not `ok`, and the failure that carries one (scan contract 5)."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from core.errors import PaperdeskError
from core.scan.vocabulary import Recovery, Status

LINES_MAX = 50
RETRY_AFTER_MS = 4_000
"""How long to wait where nothing better is known."""


class Code(StrEnum):
    """The closed list. `sentence` is all that is ever said of a case; `may_retry` asks for `retry_after_ms`."""

    status: Status
    recovery: Recovery
    sentence: str
    may_retry: bool

    def __new__(cls, value: str, status: Status, recovery: Recovery, sentence: str, may_retry: bool = False) -> "Code":
        """A member that is its text and knows what goes with it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.status, member.recovery, member.sentence, member.may_retry = status, recovery, sentence, may_retry
        return member

    INVALID_SCAN_ID = (
        "invalid_scan_id",
        "invalid_artifact",
        "fix_and_resend",
        "scan_id must be a version 4 UUID in lower case with dashes, made fresh for each brief.",
    )
    SCAN_ID_CONFLICT = (
        "scan_id_conflict",
        "invalid_artifact",
        "start_new_scan",
        "This scan_id belongs to a scan with other inputs; use a fresh one for a new scan.",
    )
    SCHEMA_VIOLATION = (
        "schema_violation",
        "invalid_artifact",
        "fix_and_resend",
        "The call does not fit the tool's schema; correct each line and send it again.",
    )
    INVALID_PLAN = (
        "invalid_plan",
        "invalid_artifact",
        "fix_and_resend",
        "The plan breaks a rule that spans its parts; correct each line and send it again.",
    )
    WINDOW_CONFLICT = (
        "window_conflict",
        "invalid_artifact",
        "fix_and_resend",
        "The window is reversed, or given twice with different ends; give it once, earlier month first.",
    )
    MULTIPLE_ARTIFACTS = (
        "multiple_artifacts",
        "invalid_artifact",
        "fix_and_resend",
        "A call takes at most one artifact; send one of them.",
    )
    UNKNOWN_CID = (
        "unknown_cid",
        "invalid_artifact",
        "fix_and_resend",
        "A cid was not handed out for this judgement; use the cids as they were handed out.",
    )
    UNSCORED_ITEMS = (
        "unscored_items",
        "invalid_artifact",
        "fix_and_resend",
        "A batch must be scored whole; add the missing cids and send the scores again.",
    )
    UNKNOWN_CRITERION = (
        "unknown_criterion",
        "invalid_artifact",
        "fix_and_resend",
        "criteria_hit may name only ids of the plan's sub-criteria.",
    )
    CRITERIA_MISMATCH = (
        "criteria_mismatch",
        "invalid_artifact",
        "fix_and_resend",
        "criteria must have exactly the ids of the plan's sub-criteria as keys.",
    )
    DUPLICATE_SCORE = (
        "duplicate_score",
        "invalid_artifact",
        "fix_and_resend",
        "One cid is judged more than once with different content; keep one of them.",
    )
    INVALID_GAP_PLAN = (
        "invalid_gap_plan",
        "invalid_artifact",
        "fix_and_resend",
        "The gap queries break a rule; correct each line and send them again.",
    )
    UNKNOWN_SCAN = (
        "unknown_scan",
        "wrong_phase",
        "start_new_scan",
        "No scan is kept under this scan_id; start one with a fresh scan_id.",
    )
    ARTIFACT_NOT_EXPECTED = (
        "artifact_not_expected",
        "wrong_phase",
        "follow_next_action",
        "The scan waits for something else; do what next_action says.",
    )
    NO_OPEN_BATCH = (
        "no_open_batch",
        "wrong_phase",
        "follow_next_action",
        "No batch is open for scores; do what next_action says.",
    )
    GAP_NOT_ASKED = (
        "gap_not_asked",
        "wrong_phase",
        "follow_next_action",
        "Gap queries are not asked for now; do what next_action says.",
    )
    NO_SHORTLIST = (
        "no_shortlist",
        "wrong_phase",
        "follow_next_action",
        "There is no shortlist to rank or verify yet; do what next_action says.",
    )
    RANKING_INCOMPLETE = (
        "ranking_incomplete",
        "wrong_phase",
        "follow_next_action",
        "Every shortlisted record must be ranked first; rank the listed cids.",
    )
    SCAN_COMPLETE = (
        "scan_complete",
        "wrong_phase",
        "poll",
        "The scan is finished and takes no more artifacts; read it with scan_result.",
    )
    STAGE_RUNNING = (
        "stage_running",
        "in_progress",
        "wait",
        "The server is at work on this scan; read it with scan_result after the wait.",
        True,
    )
    CALL_IN_PROGRESS = (
        "call_in_progress",
        "in_progress",
        "wait",
        "Another call of this scan is being taken in; read it with scan_result after the wait.",
        True,
    )
    JOB_LIMIT = (
        "job_limit",
        "queued_behind_other_scan",
        "wait",
        "All places for work at the same time are taken; repeat the call after the wait.",
        True,
    )
    SCAN_LIMIT = (
        "scan_limit",
        "queued_behind_other_scan",
        "wait",
        "Too many scans are open; finish or delete one, or repeat the call after the wait.",
        True,
    )
    ALL_SOURCES_FAILED = (
        "all_sources_failed",
        "failed",
        "retry_same_call",
        "No source gave anything to work with; repeat the same call after the wait.",
        True,
    )
    VERIFICATION_UNAVAILABLE = (
        "verification_unavailable",
        "failed",
        "retry_same_call",
        "No source of verification answered; repeat the same call after the wait.",
        True,
    )
    STAGE_TIMEOUT = (
        "stage_timeout",
        "failed",
        "retry_same_call",
        "A stage took longer than it may; repeat the same call after the wait.",
        True,
    )
    STAGE_FAILED = (
        "stage_failed",
        "failed",
        "retry_same_call",
        "A stage could not finish; repeat the same call after the wait.",
        True,
    )
    ARTIFACT_CORRUPT = (
        "artifact_corrupt",
        "failed",
        "start_new_scan",
        "A stored part of this scan is damaged and cannot be made again; start a new scan.",
    )
    STORE_UNAVAILABLE = (
        "store_unavailable",
        "failed",
        "retry_same_call",
        "The store of scans does not answer; repeat the same call after the wait.",
        True,
    )
    INTERNAL_ERROR = (
        "internal_error",
        "failed",
        "retry_same_call",
        "Something went wrong on our side; repeat the same call after the wait.",
        True,
    )


class Refused(PaperdeskError):
    """A call that gets no `ok`; `errors` are at most 50 lines and a last one that counts the rest.

    `retry_after_ms` is always there where the code asks for it.
    """

    def __init__(
        self,
        code: Code,
        errors: Sequence[str] = (),
        *,
        retry_after_ms: int | None = None,
        stage: str | None = None,
    ) -> None:
        super().__init__(code.sentence)
        self.code = code
        self.errors = shown_lines(errors)
        self.retry_after_ms = RETRY_AFTER_MS if retry_after_ms is None and code.may_retry else retry_after_ms
        self.stage = stage

    def payload(self) -> Mapping[str, Any]:
        """What every answer that is not `ok` holds; `retry_after_ms` and `stage` only where there are such."""
        payload: dict[str, Any] = {
            "code": self.code.value,
            "error": self.code.sentence,
            "errors": list(self.errors),
            "recovery": self.code.recovery,
        }
        if self.stage is not None:
            payload["stage"] = self.stage
        if self.retry_after_ms is not None:
            payload["retry_after_ms"] = self.retry_after_ms
        if self.stage is not None or self.code.status == "in_progress":
            payload["poll"] = "scan_result"
        return payload


def shown_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """At most 50 lines, and one that counts those left out."""
    shown = tuple(lines[:LINES_MAX])
    return (*shown, f"+{len(lines) - LINES_MAX} more") if len(lines) > LINES_MAX else shown
