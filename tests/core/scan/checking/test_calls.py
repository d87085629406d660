"""The arguments of the four tools: types, bounds, coercions, absence, and one refusal for all that is wrong."""

import json
from typing import Any

import pytest

from core.scan.checking import (
    ContinueRequest,
    ResultRequest,
    StartRequest,
    VerifyRequest,
    proceed,
    result,
    scan_id_of,
    start,
    verify,
)
from core.scan.checking.plans import plan_of
from core.scan.checking.schemas import PLAN
from core.scan.checking.walking import Walk
from core.scan.models import Flags, Query, RankedEntry, ScreenScore
from tests.core.scan.checking.refusing import refused
from tests.core.scan.sent import SCAN_ID, sent_entry, sent_gap, sent_plan, sent_score, sent_start

PLAN_SENT = plan_of(Walk().value(PLAN, sent_plan(), "queries"))

BAD_IDS = [
    "8f14e45f-ceea-11ed-9a29-8f6a2b1c0d3e",
    SCAN_ID.upper(),
    f"{{{SCAN_ID}}}",
    f"urn:uuid:{SCAN_ID}",
    SCAN_ID.replace("-", ""),
    "",
    "../x",
    7,
    None,
    f"{SCAN_ID}\n{SCAN_ID}",
]


def test_a_start_gets_its_defaults() -> None:
    assert start(sent_start()) == StartRequest(
        scan_id=SCAN_ID,
        brief="How do agents search?",
        plan=PLAN_SENT,
        profile="standard",
        top=10,
        foundational=2,
        since=None,
        until=None,
        slug="scan-5f0c954e",
        max_candidates=None,
        per_query=None,
        force_gap_round=False,
        window=None,
    )


def test_what_is_written_out_is_taken() -> None:
    request = start(
        sent_start(
            profile="deep",
            top=3,
            foundational=0,
            slug="my-run-2",
            max_candidates=25,
            per_query=100,
            force_gap_round=True,
        )
    )
    taken = (request.profile, request.top, request.foundational, request.slug, request.max_candidates)
    assert taken == ("deep", 3, 0, "my-run-2", 25)
    assert (request.per_query, request.force_gap_round) == (100, True)


@pytest.mark.parametrize("given", BAD_IDS)
@pytest.mark.parametrize("call", [start, proceed, verify, result])
def test_an_id_that_is_no_canonical_uuid4_wins_over_all_other_problems(call: Any, given: Any) -> None:
    # scan A6
    code, lines = refused(call, {"scan_id": given, "other": 1})
    assert code == "invalid_scan_id"
    assert lines[0] == (
        "scan_id: is required" if given is None else "scan_id: must be a version 4 UUID in lower case with dashes"
    ) or (given == 7 and lines[0] == "scan_id: must be a string")
    assert lines[1].startswith("other: unknown key; the known keys are scan_id")
    assert scan_id_of({"scan_id": given}) is None


def test_a_sound_id_is_found_beside_anything() -> None:
    assert scan_id_of({"scan_id": f" {SCAN_ID} ", "x": 1}) == SCAN_ID
    assert scan_id_of(["scan_id"]) is None


@pytest.mark.parametrize("given", [None, [], "text", 3])
def test_arguments_that_are_no_object_have_no_scan_id(given: Any) -> None:
    assert refused(result, given) == ("invalid_scan_id", ["scan_id: is required"])


@pytest.mark.parametrize(
    ("name", "given", "taken"),
    [
        ("top", "10", 10),
        ("top", 10.0, 10),
        ("top", " 12.0 ", 12),
        ("max_candidates", "2000", 2_000),
        ("force_gap_round", "true", True),
        ("force_gap_round", "false", False),
        ("brief", "  a  b \n", "a  b"),
        ("profile", " quick ", "quick"),
    ],
)
def test_an_argument_may_be_told_in_another_form_that_loses_nothing(name: str, given: Any, taken: Any) -> None:
    # scan A8
    assert getattr(start(sent_start(**{name: given})), name) == taken


def test_objects_and_arrays_may_come_as_json_texts_parsed_once() -> None:
    # scan A8
    assert start(sent_start(queries=json.dumps(sent_plan()))).plan == PLAN_SENT
    asked = proceed({"scan_id": SCAN_ID, "screen_scores": json.dumps([sent_score()])})
    assert asked.screen_scores == (ScreenScore("0" * 12, 2, "fits the question"),)
    assert refused(start, sent_start(queries=json.dumps(json.dumps(sent_plan())))) == (
        "schema_violation",
        ["queries: must be an object"],
    )
    inside = sent_plan(sub_criteria=json.dumps(sent_plan()["sub_criteria"]))
    assert refused(start, sent_start(queries=inside))[1] == ["queries.sub_criteria: must be an array"]
    assert refused(proceed, {"scan_id": SCAN_ID, "gap_queries": "[" * 9_000})[1] == ["gap_queries: must be an array"]


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"top": 0}, "top: must be an integer from 1 to 50"),
        ({"top": 51}, "top: must be an integer from 1 to 50"),
        ({"top": 10.5}, "top: must be an integer from 1 to 50"),
        ({"top": True}, "top: must be an integer from 1 to 50"),
        ({"top": "ten"}, "top: must be an integer from 1 to 50"),
        ({"top": float("inf")}, "top: must be an integer from 1 to 50"),
        ({"foundational": 51}, "foundational: must be an integer from 0 to 50"),
        ({"foundational": -1}, "foundational: must be an integer from 0 to 50"),
        ({"max_candidates": 24}, "max_candidates: must be an integer from 25 to 2000"),
        ({"max_candidates": 2_001}, "max_candidates: must be an integer from 25 to 2000"),
        ({"per_query": 0}, "per_query: must be an integer from 1 to 100"),
        ({"per_query": 101}, "per_query: must be an integer from 1 to 100"),
        ({"force_gap_round": 1}, "force_gap_round: must be true or false"),
        ({"force_gap_round": "yes"}, "force_gap_round: must be true or false"),
        ({"profile": "huge"}, "profile: must be one of quick, standard, deep"),
        ({"profile": 1}, "profile: must be one of quick, standard, deep"),
        ({"since": "2024-13"}, "since: must be a month such as 2024-03"),
        ({"until": "2024-1"}, "until: must be a month such as 2024-03"),
        ({"slug": "A b"}, "slug: must be lower-case letters, digits and single dashes"),
        ({"slug": "a" * 41}, "slug: must have 1 to 40 characters"),
        ({"brief": "x" * 20_001}, "brief: must have 1 to 20000 characters"),
        ({"brief": "  "}, "brief: must have 1 to 20000 characters"),
        ({"brief": None}, "brief: is required"),
        ({"brief": ["x"]}, "brief: must be a string"),
        ({"brief": "a\ud800b"}, "brief: must be Unicode text without lone surrogates"),
        ({"queries": 5}, "queries: must be an object"),
    ],
)
def test_an_argument_out_of_its_bounds_is_refused(changes: dict[str, Any], line: str) -> None:
    # scan A9
    assert refused(start, sent_start(**changes)) == ("schema_violation", [line])


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"score": "3"}, "score: must be an integer from 0 to 3"),
        ({"score": True}, "score: must be an integer from 0 to 3"),
        ({"score": 2.0}, "score: must be an integer from 0 to 3"),
        ({"score": 7}, "score: must be an integer from 0 to 3"),
        ({"score": -1}, "score: must be an integer from 0 to 3"),
        ({"score": None}, "score: is required"),
        ({"reason": "w " * 21}, "reason: must have at most 20 words"),
        ({"reason": "w" * 301}, "reason: must have 1 to 300 characters"),
        ({"cid": "ABCDEF012345"}, "cid: must be 12 hex digits in lower case, as handed out"),
        ({"criteria_hit": ["c1"] * 7}, "criteria_hit: must have 0 to 6 items"),
        ({"criteria_hit": "c1"}, "criteria_hit: must be an array"),
        ({"criteria_hit": [""]}, "criteria_hit[0]: must have 1 to 64 characters"),
        ({"note": None}, "note: unknown key; the known keys are cid, score, reason, criteria_hit"),
    ],
)
def test_types_inside_scores_are_strict(changes: dict[str, Any], line: str) -> None:
    # scan A8
    sent = {"scan_id": SCAN_ID, "screen_scores": [sent_score(), sent_score(**changes)]}
    assert refused(proceed, sent) == ("schema_violation", [f"screen_scores[1].{line}"])


def test_a_score_is_normalised() -> None:
    sent = sent_score(reason=" w \u2003 w ", criteria_hit=["c2", " c1 ", "c2"])
    assert proceed({"scan_id": SCAN_ID, "screen_scores": [sent]}) == ContinueRequest(
        SCAN_ID, screen_scores=(ScreenScore("0" * 12, 2, "w \u2003 w", ("c2", "c1")),)
    )


def test_an_unknown_key_is_named_with_its_path_and_the_known_keys() -> None:
    # scan A11
    plan = sent_plan()
    plan["sub_criteria"][2]["weight\n" + "x" * 90] = 1
    assert refused(start, sent_start(queries=plan, depth=1)) == (
        "schema_violation",
        [
            "depth: unknown key; the known keys are scan_id, brief, queries, profile, top, foundational, since, until, "
            "slug, max_candidates, per_query, force_gap_round",
            f"queries.sub_criteria[2].weight {'x' * 57}: unknown key; the known keys are id, name, text",
        ],
    )
    assert refused(result, {"scan_id": SCAN_ID, "verbose\x07": 1})[1] == [
        "verbose?: unknown key; the known keys are scan_id"
    ]


@pytest.mark.parametrize("absent", [None, "", "  "])
def test_null_and_empty_text_of_an_optional_key_are_absence_at_every_depth(absent: Any) -> None:
    # scan A11
    optional = ("profile", "top", "foundational", "since", "until", "slug", "max_candidates", "per_query")
    plan = sent_plan(window=absent, must_not=absent, anchors=[{"title": "A title", "doi": absent}], round2=absent)
    plan["queries"][0] |= {"mode": absent, "target_criterion": absent}
    sparse = sent_start(queries=plan, force_gap_round=absent, **dict.fromkeys(optional, absent))
    assert start(sparse) == start(sent_start(queries=sent_plan(anchors=[{"title": "A title"}])))
    entry = sent_entry(relation=absent, flags={"review": absent}, verification=absent)
    asked = verify({"scan_id": SCAN_ID, "ranked_entries": [entry]})
    assert asked == verify({"scan_id": SCAN_ID, "ranked_entries": [sent_entry(flags=absent)]})
    assert proceed({"scan_id": SCAN_ID, "gap_queries": absent}) == ContinueRequest(SCAN_ID)


def test_an_empty_array_is_a_value() -> None:
    assert proceed({"scan_id": SCAN_ID, "gap_queries": []}) == ContinueRequest(SCAN_ID, gap_queries=())
    assert refused(proceed, {"scan_id": SCAN_ID, "screen_scores": []}) == (
        "schema_violation",
        ["screen_scores: must have 1 to 500 items"],
    )
    assert refused(verify, {"scan_id": SCAN_ID, "ranked_entries": []})[1] == [
        "ranked_entries: must have 1 to 100 items"
    ]


def test_an_entry_becomes_a_value_and_its_verification_is_dropped() -> None:
    entry = sent_entry(relation="foundational", flags={"review": True}, verification=[{"verified": True}])
    assert verify({"scan_id": SCAN_ID, "ranked_entries": [entry]}) == VerifyRequest(
        SCAN_ID,
        (
            RankedEntry(
                cid="0" * 12,
                criteria={"c1": 3, "c2": 0, "c3": 1},
                overall=2,
                evidence_level="other",
                key_finding="It works",
                methodology="A test",
                why_it_matters="It bears on the design",
                relevance_reason="It is near",
                limitations=("Small",),
                relation="foundational",
                flags=Flags(review=True),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"criteria": {"c1": 2.0}}, "criteria.c1: must be an integer from 0 to 3"),
        ({"criteria": {"c1": None}}, "criteria.c1: must be an integer from 0 to 3"),
        ({"criteria": [3]}, "criteria: must be an object"),
        ({"overall": "2"}, "overall: must be an integer from 0 to 3"),
        ({"flags": {"review": "true"}}, "flags.review: must be true or false"),
        ({"flags": {"good": True}}, "flags.good: unknown key; the known keys are review, contradicts, methods_paper"),
        ({"limitations": []}, "limitations: must have 1 to 10 items"),
        ({"limitations": ["x" * 501]}, "limitations[0]: must have 1 to 500 characters"),
        ({"key_finding": "x" * 2_001}, "key_finding: must have 1 to 2000 characters"),
        ({"methodology": ""}, "methodology: must have 1 to 2000 characters"),
        (
            {"relation": "near"},
            "relation: must be one of design-changing, plan-influencing, closely-related, contradicting, foundational",
        ),
    ],
)
def test_types_inside_entries_are_strict(changes: dict[str, Any], line: str) -> None:
    sent = {"scan_id": SCAN_ID, "ranked_entries": [sent_entry(**changes)]}
    assert refused(proceed, sent) == ("schema_violation", [f"ranked_entries[0].{line}"])


def test_a_poll_carries_no_artifact() -> None:
    assert proceed({"scan_id": SCAN_ID}) == ContinueRequest(SCAN_ID)
    assert verify({"scan_id": SCAN_ID}) == VerifyRequest(SCAN_ID)
    assert result({"scan_id": SCAN_ID}) == ResultRequest(SCAN_ID)


def test_more_than_one_artifact_is_refused_with_their_names_first() -> None:
    sent = {"scan_id": SCAN_ID, "screen_scores": [sent_score(score=9)], "gap_queries": []}
    assert refused(proceed, sent) == (
        "multiple_artifacts",
        ["screen_scores", "gap_queries", "screen_scores[0].score: must be an integer from 0 to 3"],
    )


def test_gap_queries_become_values() -> None:
    assert proceed({"scan_id": SCAN_ID, "gap_queries": [sent_gap()]}).gap_queries == (
        Query("G1", "gap", "more words", "semantic", "c1"),
    )


def test_fifty_lines_are_told_and_the_rest_is_counted() -> None:
    code, lines = refused(proceed, {"scan_id": SCAN_ID, "screen_scores": [sent_score(score=9) for _ in range(73)]})
    assert (code, len(lines), lines[49][:17], lines[50]) == ("schema_violation", 51, "screen_scores[49]", "+23 more")


def test_unknown_keys_beyond_those_told_are_counted() -> None:
    code, lines = refused(result, {**{f"k{n}": n for n in range(60)}, "scan_id": "x"})
    assert (code, len(lines), lines[-1]) == ("invalid_scan_id", 51, "+11 more")
    assert lines[1] == "k0: unknown key; the known keys are scan_id"


def test_no_value_of_the_caller_stands_in_a_line() -> None:
    # scan A3
    plan = sent_plan(domain="secret brief", brief_summary=["secret brief"], anchors=[{"doi": "secret brief"}])
    plan["queries"][0] |= {"text": 'secret "brief', "mode": "keyword", "target_criterion": "secret brief"}
    plan["queries"][1] |= {"id": "secret brief", "type": "secret brief"}
    plan["queries"][2] |= {"id": "secret brief"}
    _, lines = refused(start, sent_start(brief="secret brief", queries=plan, since="secret brief"))
    assert len(lines) == 9
    assert "secret" not in "\n".join(lines)
