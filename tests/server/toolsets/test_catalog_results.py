"""What holds for every result of every catalog tool: its schema, no nulls, sizes, text, and sameness."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import orjson
import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import ManualClock
from server.registry import BoundToolset, ToolOutcome
from server.toolsets.catalog import TOOLSET
from server.toolsets.catalog.dialect import DATA_MAX_BYTES, STRUCTURED_MAX_BYTES
from server.toolsets.catalog.text import TEXT_MAX_BYTES
from tests.catalog_desk import Desk, Json, build
from tests.odd_boards import BIG_BENCHMARK, LONG_URL
from tests.odd_papers import (
    EXTERNAL_ID,
    LONG_NAMES_ID,
    LONG_TEXT_ID,
    MANY_AUTHORS_ID,
    NO_TEXT_ID,
    OLD_STYLE_ID,
    RETRACTED_ID,
    SICI_DOI,
    TWIN_TITLE,
)

SCHEMAS: dict[str, Json] = {
    tool["name"]: tool["outputSchema"] for tool in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list
}
QUILLFISH = {"paper": "1905.90001"}
CALLS: list[tuple[str, Json]] = [
    ("search_papers", {"query": "lantern"}),
    ("search_papers", {"query": "paper lantern", "mode": "keyword", "limit": 25}),
    ("search_papers", {"query": "xylophone"}),
    ("search_papers", {"query": TWIN_TITLE, "published_after": "2024-01-01", "has_official_implementation": True}),
    ("get_paper_info", QUILLFISH),
    ("get_paper_info", {**QUILLFISH, "include_resources": True, "include_evaluations": True, "repo_limit": 10}),
    ("get_paper_info", {"paper": MANY_AUTHORS_ID}),
    ("get_paper_info", {"paper": LONG_NAMES_ID, "include_evaluations": True}),
    ("get_paper_info", {"paper": EXTERNAL_ID}),
    ("get_paper_info", {"paper": SICI_DOI}),
    ("get_paper_info", {"paper": "قراءة الفوانيس 🏮 étude"}),
    ("get_paper_info", {"paper": RETRACTED_ID}),
    ("read_paper", {"paper": LONG_TEXT_ID}),
    ("read_paper", {"paper": OLD_STYLE_ID}),
    ("list_papers", {}),
    ("list_papers", {"limit": 25, "include_resources": True, "order_by": "date_published"}),
    ("list_papers", {"task": "RC", "authors": ["@adaq"], "search": "writing"}),
    ("list_papers", {"page": 99}),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK}),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK, "max_parameters": "1B", "sort_metric": "acc", "limit": 25}),
    ("get_benchmark", {"benchmark": "Wide Board"}),
    ("get_benchmark", {"benchmark": "Foghorn Speech"}),
    ("get_benchmark", {"benchmark": "Empty Board"}),
    ("list_benchmarks", {}),
    ("list_benchmarks", {"area": "Computer Vision"}),
    ("list_benchmarks", {"group_by_area": True, "benchmarks_per_task": 10, "minimum_evaluations": 0}),
    ("list_benchmarks", {"task": "Lantern Tracking", "include_descendants": True}),
]
FAILURES: list[tuple[str, Json, str]] = [
    ("search_papers", {}, "invalid_argument"),
    ("search_papers", {"query": "!!!"}, "invalid_argument"),
    ("search_papers", {"query": "x", "mode": "semantic"}, "unavailable"),
    ("search_papers", {"query": "x", "mode": "exact"}, "invalid_argument"),
    ("get_paper_info", {"paper": TWIN_TITLE}, "ambiguous"),
    ("get_paper_info", {"paper": "1905.12345"}, "not_found"),
    ("read_paper", {"paper": NO_TEXT_ID}, "no_markdown"),
    ("read_paper", {"paper": LONG_TEXT_ID, "cursor": "x.y"}, "cursor_invalid"),
    ("list_papers", {"authors": ["Nobody At All"]}, "not_found"),
    ("list_papers", {"order_by": "relevance"}, "invalid_argument"),
    ("get_benchmark", {"benchmark": "Twin Board"}, "ambiguous"),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK, "sort_metric": "Nope"}, "invalid_argument"),
    ("list_benchmarks", {"area": "Nope"}, "not_found"),
]


def nulls(value: Any, path: str = "") -> Iterator[str]:
    """Where a result holds a null."""
    if value is None:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield from nulls(item, f"{path}/{key}")


def compact(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def check(name: str, outcome: ToolOutcome) -> Json:
    """What holds for every success."""
    structured = outcome.structured
    assert structured is not None and not outcome.is_error, outcome.texts
    jsonschema.Draft202012Validator(SCHEMAS[name]).validate(structured)
    assert structured["schema_version"] == "v1"
    assert list(nulls({key: value for key, value in structured.items() if key != "data"})) == []
    assert ("data" in structured) is ("data_omitted" not in structured and name != "read_paper")
    size, written = len(compact(structured)), sum(len(text.encode()) for text in outcome.texts)
    if name != "read_paper":
        assert size <= STRUCTURED_MAX_BYTES and written <= TEXT_MAX_BYTES
        assert size <= DATA_MAX_BYTES or "data" not in structured
        assert (size + written) / 3 < 25_000
        (text,) = outcome.texts
        assert not text.startswith(("{", "["))
        assert all(character.isprintable() or character == "\n" for character in text)
        for note in structured.get("notes", ()):
            assert note in text
        if "next_page" in structured:
            assert text.splitlines()[-1] == f"Next page: page={structured['next_page']}."
    else:
        assert size / 3 < 25_000 and written / 3 < 25_000
    return structured


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_a_result_is_valid_without_nulls_and_within_its_ceilings(
    odd: Desk, name: str, arguments: Json
) -> None:  # catalog A10, catalog A11, catalog A12, catalog A14
    check(name, await odd.call(name, **arguments))


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_equal_calls_give_equal_bytes(
    odd: Desk, odd_directory: Path, name: str, arguments: Json
) -> None:  # catalog A15
    first, second = await odd.call(name, **arguments), await odd.call(name, **arguments)
    # Another process would open the catalog anew; the cursors of both carry one key and one time.
    backend = EmbeddedCatalog.open(odd_directory, kind="file")
    third = await Desk(backend).call(name, **arguments)
    backend.close()
    assert orjson.dumps(first.structured) == orjson.dumps(second.structured) == orjson.dumps(third.structured)
    assert first.texts == second.texts == third.texts


@pytest.mark.parametrize(("name", "arguments", "code"), FAILURES)
async def test_a_failure_has_one_text_and_a_known_code(
    odd: Desk, name: str, arguments: Json, code: str
) -> None:  # catalog A16
    said = await odd.failure(name, **arguments)
    assert said["code"] == code
    assert list(nulls(said)) == []
    for entry in (*said.get("candidates", ()), *said.get("suggestions", ())):
        assert isinstance(entry["id"], str) and ("name" in entry) is not ("title" in entry)


@pytest.mark.parametrize(
    ("name", "arguments", "bounds"),
    [
        ("search_papers", {"query": "x", "mode": "exact"}, "mode must be one of hybrid, keyword, semantic."),
        ("search_papers", {}, "query is missing: search_papers needs text of 1 to 500 characters."),
        ("list_papers", {"order_by": "name"}, "order_by must be one of trending, date_published, citation_count."),
        ("list_papers", {"page": 0}, "page must be a whole number from 1 to 100."),
        ("list_papers", {"all_versions": "yes"}, "all_versions must be true or false."),
        ("list_benchmarks", {"benchmarks_per_task": 11}, "benchmarks_per_task must be a whole number from 1 to 10."),
        (
            "list_benchmarks",
            {"minimum_evaluations": -1},
            "minimum_evaluations must be a whole number from 0 to 1000000.",
        ),
        ("get_benchmark", {"benchmark": "x", "max_parameters": "9" * 33}, "max_parameters must be text of 1 to 32"),
    ],
)
async def test_a_value_outside_its_bounds_is_told_them(odd: Desk, name: str, arguments: Json, bounds: str) -> None:
    said = await odd.failure(name, **arguments)
    assert said["code"] == "invalid_argument" and said["message"].startswith(bounds)


@pytest.mark.parametrize("absent", [None, "", [], {}])
async def test_an_empty_optional_argument_takes_its_default(odd: Desk, absent: Any) -> None:  # catalog A5
    names = ("search", "task", "authors", "order_by", "all_versions", "page", "limit", "published_after")
    assert await odd.result("list_papers", **dict.fromkeys(names, absent)) == await odd.result("list_papers")
    more = ("pareto", "minimum_metrics", "require_metrics", "sort_metric", "is_open", "max_parameters")
    assert await odd.result(
        "get_benchmark", benchmark=BIG_BENCHMARK, **dict.fromkeys(more, absent)
    ) == await odd.result("get_benchmark", benchmark=BIG_BENCHMARK)


async def test_a_board_of_extremes_stays_under_the_ceilings(tmp_path: Path) -> None:  # catalog A11, catalog A14
    long = "Ω" * 600
    tasks = [{"key": f"t{number}", "name": f"Task {number} {long}"} for number in range(16)]
    metrics = {f"Metric {number:02} {'µ' * 100}": number + 0.123456789 for number in range(30)}
    row = {
        "benchmark": "b", "harness": long, "protocol": long, "split": long, "metrics": metrics, "is_open": True,
        "num_parameters": 10**12, "updated_at": "2025-01-01", "uses_additional_data": False,
        "source_url": LONG_URL[:490], "code_url": LONG_URL[:490], "hf_model_url": LONG_URL[:490],
    }  # fmt: skip
    records: dict[str, list[Json]] = {
        "tasks": tasks,
        "papers": [{"key": f"p{number}", "title": f"{number} {long}", "arxiv_id": f"2401.{number:05}",
                    "abstract": long * 20, "authors": [{"name": long}] * 1} for number in range(20)],
        "benchmarks": [{"key": "b", "name": "Extreme", "description": long * 20, "tasks": [t["key"] for t in tasks]}],
        "evaluations": [
            {**row, "task": f"t{task}", "paper": f"p{number}", "model_name": f"{number} {long}", "rank": number + 1}
            for number in range(20) for task in range(16)
        ],
    }  # fmt: skip
    backend = EmbeddedCatalog.open(build(tmp_path, records), kind="file")
    desk = Desk(backend)
    outcome = await desk.call("get_benchmark", benchmark="Extreme")
    refused = await desk.call("get_benchmark", benchmark="Extreme", limit=25)
    calls: list[tuple[str, Json]] = [
        ("list_papers", {"limit": 25}),
        ("search_papers", {"query": "2401.00001", "limit": 25}),
        ("get_paper_info", {"paper": "2401.00001"}),
        ("list_benchmarks", {"group_by_area": True}),
        ("get_benchmark", {"benchmark": "Extreme", "limit": 5}),
    ]
    for name, arguments in calls:
        check(name, await desk.call(name, **arguments))
    # A record has no limit to make smaller; what made it too large is named.
    assert (await desk.failure("get_paper_info", paper="2401.00001", include_evaluations=True)) == {
        "code": "result_too_large",
        "retryable": False,
        "message": "The answer is too large even without its extras; leave out include_evaluations.",
    }
    backend.close()
    for answer in (outcome, refused):
        # Even without its extras such a board may be too large; then the parameter to reduce is named.
        if answer.is_error:
            assert answer.texts == (
                "result_too_large: The answer is too large even without its extras; use a smaller limit.",
            )
        else:
            structured = check("get_benchmark", answer)
            assert structured["data_omitted"] == "size"
            assert {len(each["rank_scopes"]) for each in structured["evaluations"]} == {1}
            assert not any("code_url" in each for each in structured["evaluations"])


SAMPLE_CALLS: list[tuple[str, Json]] = [
    ("search_papers", {"query": "attention"}),
    ("list_papers", {}),
    ("list_benchmarks", {}),
    ("list_benchmarks", {"group_by_area": True}),
]


async def test_the_sample_catalog_answers_by_the_same_rules(sample: Desk) -> None:  # catalog A10, catalog A11
    for name, arguments in SAMPLE_CALLS:
        result = check(name, await sample.call(name, **arguments))
        assert result["items"]
    papers = await sample.result("list_papers", limit=25)
    for row in papers["items"][:10]:
        paper = {"paper": row.get("arxiv_id", row["id"]), "include_evaluations": True, "include_resources": True}
        check("get_paper_info", await sample.call("get_paper_info", **paper))
    boards = await sample.result("list_benchmarks", order_by="paper_count", order_direction="desc", limit=10)
    for row in boards["items"]:
        check("get_benchmark", await sample.call("get_benchmark", benchmark=row["id"], limit=25))
        assert (await sample.result("get_benchmark", benchmark=row["slug"]))["benchmark"]["id"] == row["id"]
