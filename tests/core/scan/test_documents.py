"""Documents are read as they were written, and the older form of recorded runs is understood (scan contract 8.2)."""

from types import MappingProxyType
from typing import Any

import pytest

from core.scan.documents import (
    aliases_json,
    batch_of,
    candidate_json,
    candidate_of,
    candidates_json,
    entry_json,
    entry_of,
    plan_json,
    plan_of,
    pool_of,
    ranked_json,
    ranked_of,
    score_json,
    score_of,
    scores_json,
    scores_of,
    shortlist_json,
    shortlist_of,
    verification_json,
    verification_of,
)
from core.scan.models import (
    Anchor,
    Batch,
    Candidate,
    FoundWork,
    Ids,
    Plan,
    PlanWindow,
    Pool,
    Query,
    Retraction,
    ScanAuthor,
    ScreenScore,
    Verification,
)
from tests.core.scan.judged import entry, shortlisted
from tests.scan_works import candidate, hit, linked, plan

WORK = FoundWork(
    title="T",
    abstract="A",
    tldr="S",
    authors=(ScanAuthor("Ada Lovelace", "1", "A2"),),
    year=2025,
    publication_date="2025-01-02",
    venue="V",
    type="review",
    raw_type="Review",
    ids=Ids("10.1/x", "2401.00001", "7", "W1", "a" * 40, "42"),
    citation_count=3,
    influential_citation_count=1,
    is_retracted=True,
    oa_url="https://example.org",
    origins=(hit(0, secondary=True), linked(2, "s")),
)
VERDICT = Verification(
    "mismatched", ("s2",), "2026-08-20", 91.5, ("year",), True, ("arxiv",), ("s2",), Retraction("unknown", (), ("s2",))
)


def test_a_plan_is_read_as_it_was_written() -> None:
    whole = Plan(
        "S",
        "cs",
        plan().sub_criteria,
        (Query("Q1", "direct", "words", "keyword", "C1"),),
        PlanWindow("2024-01", None),
        ("AI",),
        (Anchor("T", None), Anchor(None, "10.1/x")),
        (Query("G1", "gap", "more", target_criterion="C1"),),
    )
    assert plan_of(plan_json(whole)) == whole
    assert plan_of(plan_json(plan("Q1"))) == plan("Q1")
    bare = {**plan_json(plan("Q1")), "must_not": None, "anchors": None, "round2": None, "unknown": 1}
    assert plan_of(bare) == plan("Q1")


def test_a_candidate_is_read_as_it_was_written_in_the_order_of_the_contract() -> None:
    whole = Candidate("c" * 12, WORK, True, ("d" * 12,))
    written = candidate_json(whole)
    assert candidate_of(written) == whole
    assert " ".join(written) == (
        "cid title abstract tldr authors year publication_date venue type raw_type ids citation_count "
        "influential_citation_count is_retracted oa_url origins outside_window versions"
    )
    assert list(written["ids"]) == ["doi", "arxiv", "pmid", "openalex", "s2", "catalog"]
    assert list(written["origins"][0]) == ["source", "relation", "query_id", "seed_id", "rank", "secondary"]


def test_a_candidate_of_nulls_is_one_of_which_nothing_is_known() -> None:
    nulls = dict.fromkeys(candidate_json(Candidate("c", WORK))) | {"cid": "c"}
    assert candidate_of(nulls) == candidate_of({"cid": "c"}) == Candidate("c", FoundWork(""))


def test_a_pool_is_read_from_its_two_documents() -> None:
    pool = Pool(
        (
            Candidate("b", WORK, False, ("a",)),
            Candidate("a", WORK, False, ("b",)),
            candidate("c", hit(0)),
        ),
        {"y": "a", "x": "b"},
    )
    aliases = aliases_json(pool)
    assert aliases == {"aliases": {"x": "b", "y": "a"}, "versions": [["a", "b"]]}
    assert pool_of(candidates_json({"slug": "s"}, pool), aliases) == pool
    assert pool_of({"candidates": None}, {"aliases": None}) == Pool((), {})


def test_scores_entries_and_batches_are_read_as_they_were_written() -> None:
    score = ScreenScore("a", 3, "fits", ("C1",))
    assert score_of(score_json(score)) == score
    assert score_of({"cid": "a", "score": 0, "reason": None, "criteria_hit": None}) == ScreenScore("a", 0, "")
    assert scores_of(scores_json({"a": score})) == {"a": score}
    assert scores_of({}) == {}
    judged = entry("a", 3, relation="contradicting", review=True, contradicts=True)
    assert entry_of(entry_json(judged)) == judged
    entries, verdicts = ranked_of(ranked_json([judged, entry("b")], {"a": VERDICT}))
    assert (entries, verdicts) == ({"a": judged, "b": entry("b")}, {"a": VERDICT})
    assert isinstance(entries, MappingProxyType)
    assert batch_of({"batch": "x01", "items": [{"cid": "a"}, {"cid": "b"}]}) == Batch("x01", ("a", "b"))
    sides = shortlisted(candidate("a", hit(0)), candidate("b", hit(0), outside_window=True), score=3)
    assert shortlist_of(shortlist_json(sides)) == sides
    assert shortlist_of({"in_window": None}) == shortlisted()


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (verification_json(VERDICT), VERDICT),
        ({"verified": True, "verified_by": ["s2"]}, Verification("verified", ("s2",))),
        ({"verified": False, "mismatches": ["year"]}, Verification("mismatched", mismatches=("year",))),
        ({"verified": None, "mismatches": None, "retraction": None}, Verification("unverifiable")),
    ],
)
def test_a_verdict_of_an_earlier_run_has_the_state_that_its_flag_means(
    row: dict[str, Any], expected: Verification
) -> None:
    assert verification_of(row) == expected
