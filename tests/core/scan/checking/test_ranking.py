"""Entries beside the shortlist."""

from typing import Any

from core.scan.checking import Beside, Ranking, all_ranked, entries, proceed, start, verify
from core.scan.models import Candidate, FoundWork, Pool, RankedEntry, Shortlist, Shortlisted
from tests.core.scan.checking.refusing import refused
from tests.core.scan.sent import SCAN_ID, sent_entry, sent_start

PLAN = start(sent_start()).plan
A, B, C, ALIAS = (f"{number:012x}" for number in range(4))
CANDIDATES = tuple(Candidate(cid, FoundWork(f"Work {cid}")) for cid in (A, B, C))
POOL = Pool(CANDIDATES, {ALIAS: B})
SHORTLIST = Shortlist((Shortlisted(CANDIDATES[0], 3),), (Shortlisted(CANDIDATES[1], 2),))


def entry(cid: str, **changes: Any) -> RankedEntry:
    asked = verify({"scan_id": SCAN_ID, "ranked_entries": [sent_entry(cid, **changes)]}).ranked_entries
    assert asked is not None
    return asked[0]


def test_entries_merge_and_a_later_call_replaces_an_earlier_entry() -> None:
    # scan A32
    first = entries([entry(A), entry(B)], SHORTLIST, POOL, PLAN, {})
    assert first == {A: entry(A), B: entry(B)}
    assert entries([entry(A, overall=0)], SHORTLIST, POOL, PLAN, first) == {A: entry(A, overall=0), B: entry(B)}
    assert entries([entry(A), entry(A)], SHORTLIST, POOL, PLAN, first) == first


def test_an_alias_is_taken_for_the_surviving_work_and_criteria_follow_the_plan() -> None:
    # scan A47
    taken = entries([entry(ALIAS, criteria={"c3": 1, "c2": 2, "c1": 3})], SHORTLIST, POOL, PLAN, {})
    assert taken == {B: entry(B, criteria={"c1": 3, "c2": 2, "c3": 1})}
    assert list(taken[B].criteria) == ["c1", "c2", "c3"]


def test_invented_and_missing_criteria_and_cids_outside_the_shortlist_are_all_told() -> None:
    # scan A33
    sent = [entry(A, criteria={"c1": 1, "c2": 2, "c9\nx": 0}), entry(C), entry(B), entry(B, overall=0)]
    assert refused(entries, sent, SHORTLIST, POOL, PLAN, {}) == (
        "unknown_cid",
        [
            f"unknown cid: {C}",
            f"{A}: missing 'c3'",
            f"{A}: unknown 'c9 x'",
            f"{B}: 2 different entries",
        ],
    )
    assert refused(entries, [entry(A, criteria={})], SHORTLIST, POOL, PLAN, {}) == (
        "criteria_mismatch",
        [f"{A}: missing 'c1'", f"{A}: missing 'c2'", f"{A}: missing 'c3'"],
    )


def test_what_the_scan_has_against_the_entries_is_told_with_what_the_schema_has() -> None:
    # scan A33
    beside = Beside(ranking=Ranking(SHORTLIST, POOL, PLAN))
    sent = {"scan_id": SCAN_ID, "ranked_entries": [sent_entry(C), sent_entry(A, criteria={"c1": 9})]}
    lines = ["ranked_entries[1].criteria.c1: must be an integer from 0 to 3", f"unknown cid: {C}"]
    assert refused(proceed, sent, beside) == ("schema_violation", lines)
    assert refused(verify, sent, beside) == ("schema_violation", lines)


def test_verification_waits_for_the_last_entry() -> None:
    # scan A34
    assert refused(all_ranked, SHORTLIST, {A: entry(A)}) == ("ranking_incomplete", [f"unranked cid: {B}"])
    all_ranked(SHORTLIST, {A: entry(A), B: entry(B)})
    all_ranked(Shortlist(), {})
