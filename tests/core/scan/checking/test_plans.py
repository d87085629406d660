"""The rules that span a plan, and those of gap queries beside it."""

from typing import Any

import pytest

from core.scan.checking import Beside, gap, proceed, start
from core.scan.models import Anchor, PlanWindow, Query
from tests.core.scan.checking.refusing import refused
from tests.core.scan.sent import SCAN_ID, sent_gap, sent_plan, sent_start


def test_five_faults_of_a_plan_are_told_at_once() -> None:
    # scan A7
    queries = sent_plan()["queries"][:5]
    queries[1]["id"] = "Q1"
    queries[3]["type"] = "gap"
    queries[4]["target_criterion"] = "c9"
    assert refused(start, sent_start(queries=sent_plan(queries=queries))) == (
        "schema_violation",
        [
            "queries.queries: must have 6 to 8 items",
            "queries.queries[1].id: repeats the id of queries.queries[0]",
            "queries.queries[3].type: gap belongs into round2 or gap_queries",
            "queries.queries[4].target_criterion: is no id of a sub-criterion",
            "queries.queries: needs at least one query of type review",
        ],
    )


@pytest.mark.parametrize("needed", ["direct", "terminology", "contradictory", "review"])
def test_each_needed_type_must_be_there(needed: str) -> None:
    queries = sent_plan()["queries"]
    for query in queries:
        query["type"] = "adjacent" if query["type"] == needed else query["type"]
    assert refused(start, sent_start(queries=sent_plan(queries=queries))) == (
        "invalid_plan",
        [f"queries.queries: needs at least one query of type {needed}"],
    )


def test_ids_are_unique_over_both_rounds_and_among_sub_criteria() -> None:
    plan = sent_plan(round2=[sent_gap("Q2"), sent_gap("G1"), sent_gap("G1")])
    plan["sub_criteria"][2]["id"] = "c1"
    assert refused(start, sent_start(queries=plan)) == (
        "invalid_plan",
        [
            "queries.sub_criteria[2].id: repeats the id of queries.sub_criteria[0]",
            "queries.round2[0].id: repeats the id of queries.queries[1]",
            "queries.round2[2].id: repeats the id of queries.round2[1]",
        ],
    )


def test_a_filled_second_round_is_kept() -> None:
    plan = start(sent_start(queries=sent_plan(round2=[sent_gap(), sent_gap("G2", type="review", target_criterion="")])))
    assert plan.plan.round2 == (
        Query("G1", "gap", "more words", "semantic", "c1"),
        Query("G2", "review", "more words"),
    )
    without_target = sent_plan(round2=[sent_gap(target_criterion=None)])
    assert refused(start, sent_start(queries=without_target)) == (
        "invalid_plan",
        ["queries.round2[0].target_criterion: is required for type gap"],
    )


def test_a_broken_part_is_told_once_and_passed_over_by_the_rules_across_parts() -> None:
    plan = sent_plan(anchors=["x", {"title": 3}], queries=[None, *sent_plan()["queries"]])
    plan["sub_criteria"][0] = {"id": 5, "name": "n", "text": "t"}
    plan["queries"][3] |= {"target_criterion": "c9", "mode": "odd"}
    assert refused(start, sent_start(queries=plan)) == (
        "schema_violation",
        [
            "queries.sub_criteria[0].id: must be a string",
            "queries.queries[0]: must be an object",
            "queries.queries[3].mode: must be one of semantic, keyword",
            "queries.anchors[0]: must be an object",
            "queries.anchors[1].title: must be a string",
        ],
    )
    assert refused(start, sent_start(queries={"queries": 1, "domain": "auto", "sub_criteria": {}})) == (
        "schema_violation",
        [
            "queries.brief_summary: is required",
            "queries.domain: must be one of behavioral, cs, biomed, general",
            "queries.sub_criteria: must be an array",
            "queries.queries: must be an array",
        ],
    )


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"sub_criteria": sent_plan()["sub_criteria"][:2]}, "sub_criteria: must have 3 to 6 items"),
        ({"must_not": ["x"] * 31}, "must_not: must have 0 to 30 items"),
        ({"must_not": ["x" * 101]}, "must_not[0]: must have 1 to 100 characters"),
        ({"must_not": [None]}, "must_not[0]: must be a string"),
        ({"anchors": [{"title": "t"}] * 21}, "anchors: must have 0 to 20 items"),
        ({"anchors": [{}]}, "anchors[0]: needs a title or a doi"),
        (
            {"anchors": [{"doi": "no doi"}]},
            "anchors[0].doi: must be a DOI such as 10.1038/nature14539 or an arXiv id such as 1706.03762",
        ),
        (
            {"anchors": [{"doi": "W2741809807"}]},
            "anchors[0].doi: must be a DOI such as 10.1038/nature14539 or an arXiv id such as 1706.03762",
        ),
        ({"round2": [sent_gap(f"G{n}") for n in range(9)]}, "round2: must have 0 to 8 items"),
        ({"window": {"from": "2024"}}, "window.from: must be a month such as 2024-03"),
        ({"brief_summary": "x" * 4_001}, "brief_summary: must have 1 to 4000 characters"),
    ],
)
def test_bounds_of_a_plan(changes: dict[str, Any], line: str) -> None:
    assert refused(start, sent_start(queries=sent_plan(**changes))) == ("schema_violation", [f"queries.{line}"])


def test_a_query_has_at_most_thirty_words_told_apart_by_white_space() -> None:
    plan = sent_plan()
    plan["queries"][0]["text"] = "a-b " * 30
    assert len(start(sent_start(queries=plan)).plan.queries[0].text.split()) == 30
    plan["queries"][0]["text"] = "a\tb\u00a0c " * 11
    assert refused(start, sent_start(queries=plan))[1] == ["queries.queries[0].text: must have at most 30 words"]


def test_anchors_may_name_a_doi_or_an_arxiv_id_as_it_is_written() -> None:
    anchors = [{"doi": "https://doi.org/10.1234/ABC"}, {"doi": " arXiv:1706.03762v2", "title": "T"}]
    assert start(sent_start(queries=sent_plan(anchors=anchors))).plan.anchors == (
        Anchor(None, "https://doi.org/10.1234/ABC"),
        Anchor("T", "arXiv:1706.03762v2"),
    )


def test_the_window_of_a_plan_is_taken() -> None:
    window = {"from": "2023-01", "to": None}
    assert start(sent_start(queries=sent_plan(window=window))).plan.window == PlanWindow("2023-01", None)
    assert start(sent_start(queries=sent_plan(window={}))).plan.window is None


@pytest.mark.parametrize("text", ['a "b', "(a OR b", "NOT a"])
def test_a_keyword_text_must_parse(text: str) -> None:
    # scan A12
    plan = sent_plan()
    plan["queries"][0] |= {"text": text, "mode": "keyword"}
    code, lines = refused(start, sent_start(queries=plan))
    assert (code, len(lines)) == ("invalid_plan", 1)
    assert lines[0].startswith("queries.queries[0].text: ")
    sent = {"scan_id": SCAN_ID, "gap_queries": [sent_gap(text=text, mode="keyword")]}
    assert refused(proceed, sent)[0] == "invalid_gap_plan"
    plan["queries"][0]["mode"] = "semantic"
    assert start(sent_start(queries=plan)).plan.queries[0].text == text


def test_lower_case_and_is_a_word() -> None:
    # scan A12
    plan = sent_plan()
    plan["queries"][0] |= {"text": "search and rescue", "mode": "keyword"}
    assert start(sent_start(queries=plan)).plan.queries[0].mode == "keyword"


def test_four_faults_of_gap_queries_are_told_at_once_beside_the_plan() -> None:
    # scan A28
    plan = start(sent_start()).plan
    queries = [sent_gap(f"G{n}") for n in range(6)]
    faulty = [sent_gap("Q1"), sent_gap("G8", target_criterion=None), sent_gap("G9", target_criterion="c9")]
    sent = {"scan_id": SCAN_ID, "gap_queries": queries + faulty}
    assert refused(proceed, sent, Beside(gap_plan=plan)) == (
        "invalid_gap_plan",
        [
            "gap_queries: must have 0 to 8 items",
            "gap_queries[6].id: repeats the id of a query of the plan",
            "gap_queries[7].target_criterion: is required for type gap",
            "gap_queries[8].target_criterion: is no id of a sub-criterion",
        ],
    )
    assert refused(proceed, sent) == (
        "invalid_gap_plan",
        ["gap_queries: must have 0 to 8 items", "gap_queries[7].target_criterion: is required for type gap"],
    )


def test_no_array_is_a_fault_of_the_schema() -> None:
    assert refused(proceed, {"scan_id": SCAN_ID, "gap_queries": {}}) == (
        "schema_violation",
        ["gap_queries: must be an array"],
    )


def test_gap_queries_become_the_second_round() -> None:
    # scan A28
    plan = start(sent_start()).plan
    query = Query("G1", "gap", "more words", "semantic", "c1")
    assert gap([query], plan).round2 == (query,)
    assert gap([], plan) is plan
    assert refused(gap, [Query("Q1", "gap", "w", "semantic", "c9"), query, query], plan) == (
        "invalid_gap_plan",
        [
            "gap_queries[0].id: repeats the id of a query of the plan",
            "gap_queries[0].target_criterion: is no id of a sub-criterion",
            "gap_queries[2].id: repeats the id of gap_queries[1]",
        ],
    )
