"""What the evidence tools take and refuse, and how every failure is worded."""

from typing import Any

import pytest

from core.errors import (
    Ambiguous,
    Entry,
    InvalidInput,
    NotFound,
    SourceMalformed,
    SourceRateLimited,
    SourceTimeout,
    SourceUnreachable,
    StoreFailed,
    Unavailable,
)
from server.toolsets.evidence.dialect import EvidenceDialect
from tests.evidence_tools import Tools

pytestmark = pytest.mark.anyio
MARK = "hunter2-planted-secret"


async def test_a_value_off_the_list_is_told_the_list(tools: Tools) -> None:
    # evidence A19
    assert await tools.bad("search_claims", direction="sideways") == (
        "invalid_argument: Invalid direction 'sideways'. Must be one of: mixed, negative, null_result, positive."
    )
    assert "rct" in await tools.bad("search_papers", paper_type="RCT")


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        *[(0, "0"), (51, "51"), (2.5, "2.5"), ("1e4", "'1e4'"), ("2.5", "'2.5'"), ("0x10", "'0x10'"), (True, "true")],
        *[("ten", "'ten'"), (float("nan"), "nan"), (float("inf"), "inf"), ([5], "[5]"), (10**30, "")],
    ],
)
async def test_a_limit_out_of_form_or_bounds_is_told_the_bounds(tools: Tools, limit: Any, shown: str) -> None:
    # evidence A20
    blank = f" {shown}" if shown else ""
    expected = f"invalid_argument: Invalid limit{blank}. Must be a whole number from 1 to 50."
    assert await tools.bad("search_claims", limit=limit) == expected


@pytest.mark.parametrize(
    ("limit", "applied"), [("10", 10), (" 10 ", 10), (10.0, 10), (50, 50), (1, 1), (None, 20), ("", 20), (" ", 20)]
)
async def test_a_limit_without_loss_is_taken_and_absent_is_the_default(tools: Tools, limit: Any, applied: int) -> None:
    # evidence A20
    assert (await tools.good("search_claims", limit=limit))["limit"] == applied


async def test_a_least_weight_is_inclusive_and_bounded(tools: Tools) -> None:
    # evidence A21
    top = await tools.good("search_claims", min_evidence_weight=1.0)
    assert top["total"] >= 1 and {row["evidence_weight"] for row in top["results"]} == {1.0}
    everything = await tools.good("search_claims", limit=1)
    assert (await tools.good("search_claims", min_evidence_weight="0", limit=1))["total"] == everything["total"]
    for wrong in (1.0001, -0.1, "NaN", "1e-1", float("nan"), True):
        assert "from 0.0 to 1.0" in await tools.bad("search_claims", min_evidence_weight=wrong)


async def test_an_unknown_argument_is_told_the_known_ones(tools: Tools) -> None:
    # evidence A22
    assert await tools.bad("search_claims", max_results=5) == (
        "invalid_argument: search_claims has no argument 'max_results'. It takes: direction, effect_type,"
        " evidence_grade, limit, min_evidence_weight, outcome_category, paper_type, query."
    )


@pytest.mark.parametrize("query", ["", "  ", None])
async def test_nothing_is_as_if_absent(tools: Tools, query: Any) -> None:
    # evidence A22
    assert await tools.good("search_papers", query=query) == await tools.good("search_papers")


@pytest.mark.parametrize("query", ["", "  ", None])
async def test_nothing_is_not_enough_where_something_is_needed(tools: Tools, query: Any) -> None:
    assert await tools.bad("semantic_search", query=query) == (
        "invalid_argument: query is missing: semantic_search needs text of 1 to 500 characters."
    )


async def test_reversed_years_are_refused(tools: Tools) -> None:
    # evidence A23: that no store is touched is tested where the years are checked.
    assert await tools.bad("search_papers", year_from=2026, year_to=2020) == (
        "invalid_argument: Reversed years: year_from 2026 is after year_to 2020. Swap the two."
    )


async def test_all_problems_of_a_call_are_told_together(tools: Tools) -> None:
    # evidence A24
    text = await tools.bad("search_claims", direction="up", limit=99, sort="new", page=2)
    assert text == (
        "invalid_argument: search_claims has no arguments 'sort', 'page'. It takes: direction, effect_type,"
        " evidence_grade, limit, min_evidence_weight, outcome_category, paper_type, query. Invalid direction 'up'. Must"
        " be one of: mixed, negative, null_result, positive. Invalid limit 99. Must be a whole number from 1 to 50."
    )


async def test_no_more_than_ten_problems_are_told(tools: Tools) -> None:
    names = "author evidence_strength limit methods_rigor min_relevance paper_type query source theme year_from year_to"
    text = await tools.bad("search_papers", **{name: [] for name in names.split()})
    assert text.count("Invalid ") == 10


async def test_text_is_trimmed_counted_by_characters_and_free_of_controls(tools: Tools) -> None:
    assert (await tools.good("search_claims", query=" " + "é" * 500 + " "))["total"] == 0
    assert "1 to 500 characters" in await tools.bad("search_claims", query="é" * 501)
    assert "control character" in await tools.bad("search_claims", query="a\x07b")
    assert "control character" in await tools.bad("search_claims", query="a\rb")
    assert (await tools.good("search_claims", query="remote\n\twork"))["limit"] == 20
    assert (await tools.good("search_claims", query=2023))["limit"] == 20


async def test_a_long_value_is_repeated_in_part(tools: Tools) -> None:
    text = await tools.bad("search_claims", direction="x" * 5_000)
    assert f" '{'x' * 200}…'." in text and len(text) < 400


@pytest.mark.parametrize("date", ["2026-13-40", "2026-04-04-before", "20260404", "2026-02-30"])
async def test_what_is_no_day_is_an_argument_error(tools: Tools, date: str) -> None:
    # evidence A48
    text = await tools.bad("get_digest", date=date)
    assert text == (
        f"invalid_argument: Invalid date '{date}'. Must be an existing day as YYYY-MM-DD, such as 2026-04-03."
    )


async def test_a_day_without_digest_names_its_neighbours(tools: Tools) -> None:
    # evidence A48
    outcome = await tools.call("get_digest", {"date": "2026-11-19"})
    assert outcome.meta is not None
    error = outcome.meta["org.paperdesk/error"]
    assert (error["code"], [each["id"] for each in error["candidates"]]) == ("not_found", ["2026-11-13", "2026-11-20"])


@pytest.mark.parametrize("call", [("search_claims", {"query": MARK * 30}), ("search_claims", {"query": [MARK]})])
async def test_what_was_searched_for_is_in_no_error(tools: Tools, call: tuple[str, Any]) -> None:
    # evidence A60
    outcome = await tools.call(*call)
    assert outcome.is_error and MARK not in outcome.texts[0]


@pytest.mark.parametrize(
    ("error", "code", "retryable", "details"),
    [
        (InvalidInput("No.", suggestions=[Entry(id="a", name="A")] * 9), "invalid_argument", False, "suggestions 5"),
        (NotFound("No."), "not_found", False, ""),
        (Ambiguous("No.", candidates=[Entry(id="a", title="A", year=2020)] * 12), "ambiguous", False, "candidates 10"),
        (Unavailable("No."), "unavailable", False, ""),
        (SourceTimeout("No.", source="x"), "upstream_timeout", True, ""),
        (SourceUnreachable("No.", source="x"), "upstream_error", True, ""),
        (SourceMalformed("No.", source="x"), "upstream_error", True, ""),
        (StoreFailed("No."), "upstream_error", True, ""),
        (SourceRateLimited("No.", source="x", retry_after_s=7.0), "rate_limited", True, "retry_after_s"),
        (RuntimeError(MARK), "internal_error", True, ""),
    ],
)
def test_each_failure_has_its_code(error: Exception, code: str, retryable: bool, details: str) -> None:
    # evidence A4
    dialect = EvidenceDialect()
    failure = dialect.failure(error)
    assert (failure.code, failure.retryable) == (code, retryable)
    assert MARK not in failure.message
    meta = dialect.failure_meta(failure)["org.paperdesk/error"]
    shown = [f"{key} {len(value)}" if isinstance(value, list) else key for key, value in meta.items()]
    assert shown == ["code", "retryable", *([details] if details else [])]


def test_entries_of_papers_have_titles_and_others_names() -> None:
    dialect = EvidenceDialect()
    papers = dialect.failure(Ambiguous("No.", candidates=[Entry(id="doi:1", name="x", title="T", year=2020)]))
    assert papers.details == {"candidates": [{"id": "doi:1", "title": "T", "year": 2020}]}
    others = dialect.failure(NotFound("No.", suggestions=[Entry(id="entity:1", name="N", note="3 papers"), Entry("b")]))
    assert others.details["suggestions"] == [
        {"id": "entity:1", "name": "N", "note": "3 papers"},
        {"id": "b", "name": "b"},
    ]
