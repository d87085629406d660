"""The closed list of refusals and what each answer holds."""

import pytest

from core.scan.answers.envelope import Envelope, received_id, refusal
from core.scan.answers.refusals import Code, Refused, shown_lines
from core.scan.answers.warnings import Notice, WarningCode, with_warnings

FIX, FOLLOW, WAIT, RETRY = "fix_and_resend", "follow_next_action", "wait", "retry_same_call"


def test_the_list_is_that_of_the_contract() -> None:
    # scan A3
    assert {code.value: (code.status, code.recovery) for code in Code} == {
        "invalid_scan_id": ("invalid_artifact", FIX),
        "scan_id_conflict": ("invalid_artifact", "start_new_scan"),
        "schema_violation": ("invalid_artifact", FIX),
        "invalid_plan": ("invalid_artifact", FIX),
        "window_conflict": ("invalid_artifact", FIX),
        "multiple_artifacts": ("invalid_artifact", FIX),
        "unknown_cid": ("invalid_artifact", FIX),
        "unscored_items": ("invalid_artifact", FIX),
        "unknown_criterion": ("invalid_artifact", FIX),
        "criteria_mismatch": ("invalid_artifact", FIX),
        "duplicate_score": ("invalid_artifact", FIX),
        "invalid_gap_plan": ("invalid_artifact", FIX),
        "unknown_scan": ("wrong_phase", "start_new_scan"),
        "artifact_not_expected": ("wrong_phase", FOLLOW),
        "no_open_batch": ("wrong_phase", FOLLOW),
        "gap_not_asked": ("wrong_phase", FOLLOW),
        "no_shortlist": ("wrong_phase", FOLLOW),
        "ranking_incomplete": ("wrong_phase", FOLLOW),
        "scan_complete": ("wrong_phase", "poll"),
        "stage_running": ("in_progress", WAIT),
        "call_in_progress": ("in_progress", WAIT),
        "job_limit": ("queued_behind_other_scan", WAIT),
        "scan_limit": ("queued_behind_other_scan", WAIT),
        "all_sources_failed": ("failed", RETRY),
        "verification_unavailable": ("failed", RETRY),
        "stage_timeout": ("failed", RETRY),
        "stage_failed": ("failed", RETRY),
        "artifact_corrupt": ("failed", "start_new_scan"),
        "store_unavailable": ("failed", RETRY),
        "internal_error": ("failed", RETRY),
    }


def test_what_may_be_repeated_after_a_wait_is_what_waits_or_fails_for_now() -> None:
    retried = {code for code in Code if code.recovery in (WAIT, RETRY)}
    assert {code for code in Code if code.may_retry} == retried
    assert {code for code in Code if "retry_after_ms" in Refused(code).payload()} == retried


@pytest.mark.parametrize("code", Code)
def test_each_code_has_one_sentence(code: Code) -> None:
    # scan A3
    assert code.sentence[-1] == "." and "/" not in code.sentence and "\n" not in code.sentence
    assert Refused(code).message == code.sentence


def test_a_payload_holds_code_sentence_lines_and_recovery() -> None:
    assert Refused(Code.UNKNOWN_CID, ("unknown cid: 0",)).payload() == {
        "code": "unknown_cid",
        "error": Code.UNKNOWN_CID.sentence,
        "errors": ["unknown cid: 0"],
        "recovery": FIX,
    }
    assert Refused(Code.STAGE_RUNNING, retry_after_ms=4_000, stage="retrieve").payload() == {
        "code": "stage_running",
        "error": Code.STAGE_RUNNING.sentence,
        "errors": [],
        "recovery": WAIT,
        "stage": "retrieve",
        "retry_after_ms": 4_000,
        "poll": "scan_result",
    }
    assert "poll" in Refused(Code.CALL_IN_PROGRESS, retry_after_ms=1_000).payload()
    assert "poll" not in Refused(Code.SCAN_LIMIT, retry_after_ms=1_000).payload()


def test_at_most_fifty_lines_are_told() -> None:
    assert shown_lines(["x"] * 50) == ("x",) * 50
    assert shown_lines(["x"] * 51) == (*("x",) * 50, "+1 more")


def test_a_refusal_of_a_living_scan_keeps_where_it_stands() -> None:
    refused = Refused(Code.UNSCORED_ITEMS, ("unscored cid: 0",))
    progress = {"batches_scored": 0, "batches_total": 2}
    answer = refusal("id", refused, phase="screen", next_action="screen_candidates", progress=progress)
    assert answer == Envelope("id", "screen", "invalid_artifact", "screen_candidates", progress, {**refused.payload()})
    alone = refusal("id", Refused(Code.UNKNOWN_SCAN), payload={"run_dir": "scan-run://id/"})
    assert (alone.phase, alone.next_action, alone.progress) == ("unknown", None, {})
    assert list(alone.payload) == ["run_dir", "code", "error", "errors", "recovery"]


def test_an_envelope_has_six_keys_in_one_order() -> None:
    # scan A2
    envelope = Envelope("id", "complete", next_action="complete")
    assert list(envelope.json().items()) == [
        ("scan_id", "id"),
        ("phase", "complete"),
        ("status", "ok"),
        ("next_action", "complete"),
        ("progress", {}),
        ("payload", {}),
    ]
    assert envelope.size_bytes() == len(
        '{"scan_id":"id","phase":"complete","status":"ok","next_action":"complete","progress":{},"payload":{}}'
    )


def test_the_id_is_echoed_as_it_came_but_short() -> None:
    # scan A2
    assert received_id({"scan_id": " X"}) == " X"
    assert received_id({"scan_id": "x" * 101}) == "x" * 100
    assert received_id({"scan_id": "\ud800"}) == "?"
    assert [received_id(given) for given in ({}, {"scan_id": 1}, None, [1])] == [""] * 4


def test_warnings_are_told_once_each_or_not_at_all() -> None:
    assert with_warnings({"a": 1}, []) == {"a": 1}
    notice = Notice.of(WarningCode.ALREADY_APPLIED)
    assert with_warnings({}, [notice, Notice("source_failed", "s2 failed."), notice]) == {
        "warnings": [
            {"code": "already_applied", "text": "All that was sent stands already; nothing changed."},
            {"code": "source_failed", "text": "s2 failed."},
        ]
    }


def test_the_warning_codes_are_those_of_the_contract() -> None:
    codes = (
        "source_failed source_skipped live_sources_failed query_no_hits anchor_unresolved date_unknown "
        "already_applied merged_scores_differ expansion_failed criteria_unattributed thin_criteria rank_saturated "
        "verification_offline verification_partial nothing_found nothing_relevant fewer_than_top"
    )
    assert [code.value for code in WarningCode] == codes.split()
    assert all(code.sentence.endswith(".") for code in WarningCode)
