"""Every catalog tool against its own output schema and ceilings, and what all lists and references have in common."""

from typing import Any

import orjson
import pytest
from jsonschema import Draft202012Validator

from core.clock import ManualClock
from server.registry import BoundToolset, Tool
from server.toolsets.catalog import TOOLSET
from tests.catalog_desk import Desk, Json
from tests.odd_catalog import BUSY_TASK
from tests.odd_papers import MANY_AUTHORS_ID

QUILLFISH_ID = "1905.90001"
LONGEST_TEXT_ID = "2401.90001"
SCHEMAS = {tool["name"]: tool["outputSchema"] for tool in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list}
REFERENCES = (
    "1905.90001",
    "1905.90001v3",
    "arXiv:1905.90001",
    "10.48550/arXiv.1905.90001",
    "hf.co/papers/1905.90001",
    "paperswithcode.com/paper/quillfish",
)

# What each tool needs at least, for the catalog of odd cases and for the sample.
DEFAULT_CALLS: dict[str, tuple[Json, Json]] = {
    "search_papers": ({"query": "lantern"}, {"query": "language models"}),
    "get_paper_info": ({"paper": MANY_AUTHORS_ID}, {"paper": "1706.03762"}),
    "get_paper_evaluations": ({"paper": "2403.90002"}, {"paper": "1810.04805"}),
    "read_paper": ({"paper": LONGEST_TEXT_ID}, {"paper": "1706.03762"}),
    "list_papers": ({}, {}),
    "list_recent_papers": ({}, {}),
    "list_trending_papers": ({}, {}),
    "get_related_papers": ({"paper": QUILLFISH_ID}, {"paper": "1706.03762"}),
    "get_paper_lineage": ({"paper": QUILLFISH_ID}, {"paper": "1706.03762"}),
    "get_task": ({"task": BUSY_TASK}, {"task": "language-modelling"}),
    "list_tasks": ({}, {}),
    "get_method": ({"method": "QuillNet"}, {"method": "transformer"}),
    "list_methods": ({}, {}),
    "get_conference": ({"conference": "fog-2022"}, {"conference": "iclr-2024"}),
    "list_conferences": ({}, {}),
    "get_organization": ({"organization": "Lighthouse Institute"}, {"organization": "google"}),
    "list_organizations": ({}, {}),
    "get_framework": ({"framework": "framework-00"}, {"framework": "pytorch"}),
    "list_frameworks": ({}, {}),
    "get_benchmark": ({"benchmark": "Lantern Reading"}, {"benchmark": "wikitext-103"}),
    "list_benchmarks": ({}, {}),
}
FULL_CALLS: list[tuple[str, Json]] = [
    ("search_papers", {"query": "lantern", "mode": "keyword", "limit": 25, "published_after": "2020-01-01"}),
    ("get_paper_info", {"paper": QUILLFISH_ID, "include_resources": True, "include_evaluations": True}),
    ("get_paper_info", {"paper": "2403.90002", "include_resources": True, "repo_limit": 10}),
    ("list_papers", {"task": BUSY_TASK, "include_resources": True, "limit": 25}),
    ("list_recent_papers", {"limit": 25}),
    ("list_trending_papers", {"max_age_days": 365, "min_velocity": 0.5, "limit": 25}),
    ("get_related_papers", {"paper": MANY_AUTHORS_ID, "limit": 20}),
    ("get_related_papers", {"paper": "2506.90000", "limit": 20}),
    ("get_task", {"task": "lantern-tracking-part-0", "benchmark_limit": 1}),
    ("get_task", {"task": "Überraschung—未分類"}),
    ("list_tasks", {"group_by_area": True, "order_by": "paper_count", "order_direction": "desc", "page": 2}),
    ("list_tasks", {"search": "lantern", "area": "Computer Vision", "level": 1, "visible_only": True}),
    ("list_methods", {"area": "12", "order_by": "introduced_year", "order_direction": "desc"}),
    ("list_conferences", {"year": 2022}),
    ("list_organizations", {"featured_only": True}),
    ("list_frameworks", {"domain": "Vision Kits", "platform": "web"}),
    ("get_benchmark", {"benchmark": "Wide Board", "limit": 25}),
    ("list_benchmarks", {"group_by_area": True, "benchmarks_per_task": 10}),
]


def without_data(structured: Json) -> Json:
    return {name: value for name, value in structured.items() if name != "data"}


def nulls(value: Any) -> bool:
    if isinstance(value, dict):
        return any(nulls(item) for item in value.values())
    return any(nulls(item) for item in value) if isinstance(value, list) else value is None


def test_there_is_a_default_call_of_every_tool() -> None:  # catalog A1
    assert list(DEFAULT_CALLS) == [tool.name for tool in TOOLSET.tools]


def assert_valid(tool: str, structured: Json) -> None:
    Draft202012Validator(SCHEMAS[tool]).validate(structured)
    assert not nulls(without_data(structured))


@pytest.mark.parametrize("tool", DEFAULT_CALLS)
async def test_a_default_call_is_valid_small_and_repeatable(tool: str, odd: Desk, sample: Desk) -> None:
    # catalog A10, A11, A15
    for desk, arguments in zip((odd, sample), DEFAULT_CALLS[tool], strict=True):
        outcome = await desk.call(tool, **arguments)
        assert not outcome.is_error and outcome.structured is not None, outcome.texts
        assert_valid(tool, outcome.structured)
        structured, text = orjson.dumps(outcome.structured), "".join(outcome.texts)
        if tool == "read_paper":
            assert len(text.encode()) / 3 < 25_000 and len(structured) / 3 < 25_000
        else:
            assert len(structured) <= 66_000 and len(text.encode()) <= 6_000
            assert (len(structured) + len(text.encode())) / 3 < 25_000
            assert "data" in outcome.structured or outcome.structured["data_omitted"] == "size"
        assert len(structured.decode()) + len(text) < 150_000
        again = await desk.call(tool, **arguments)
        assert (orjson.dumps(again.structured), again.texts) == (structured, outcome.texts)


@pytest.mark.parametrize("tool", TOOLSET.tools, ids=lambda tool: tool.name)
async def test_the_documented_example_finds_something_in_the_sample(tool: Tool, sample: Desk) -> None:
    assert tool.example is not None
    outcome = await sample.call(tool.name, **tool.example)
    assert not outcome.is_error and outcome.structured is not None, outcome.texts
    assert outcome.structured.get("items", ...) != []


@pytest.mark.parametrize(("tool", "arguments"), FULL_CALLS, ids=[f"{n}-{c[0]}" for n, c in enumerate(FULL_CALLS)])
async def test_a_call_with_many_arguments_is_valid(tool: str, arguments: Json, odd: Desk) -> None:  # catalog A10
    outcome = await odd.call(tool, **arguments)
    assert outcome.structured is not None, outcome.texts
    assert_valid(tool, outcome.structured)
    assert len(orjson.dumps(outcome.structured)) <= 66_000
    assert len("".join(outcome.texts).encode()) <= 6_000


LISTS = [tool for tool in DEFAULT_CALLS if tool.startswith("list_")]


@pytest.mark.parametrize("tool", LISTS)
async def test_the_text_of_a_list_has_one_line_for_each_row(tool: str, odd: Desk) -> None:  # catalog A12
    text = await odd.text(tool, limit=5)
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(text)
    rows = (await odd.result(tool, limit=5))["items"]
    named = [row.get("arxiv_id") or row.get("slug") or row["id"] for row in rows]
    assert [line.split(" — ")[0] for line in text.splitlines() if line.startswith("- ")] == [
        f"- {id_}" for id_ in named
    ]


@pytest.mark.parametrize("tool", LISTS)
async def test_rows_have_the_same_ids_in_data(tool: str, odd: Desk) -> None:
    found = await odd.result(tool, limit=5)
    rows = found["data"] if isinstance(found["data"], list) else found["data"]["results"]
    assert [row["id"] for row in rows] == [item["id"] for item in found["items"]]


@pytest.mark.parametrize("tool", ["get_related_papers", "get_paper_lineage", "get_paper_evaluations"])
async def test_every_form_of_a_reference_gives_the_same_answer(tool: str, odd: Desk) -> None:  # catalog A22
    answers = [await odd.result(tool, paper=reference) for reference in REFERENCES]
    # These fields speak of the reference itself.
    echoes = {"resolution", "notes"} | ({"paper"} if tool == "get_paper_evaluations" else set())
    bare = [{name: value for name, value in answer.items() if name not in echoes} for answer in answers]
    assert all(answer == bare[0] for answer in bare)
