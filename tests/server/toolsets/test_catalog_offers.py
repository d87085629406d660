"""The wire definitions of the catalog's resource templates and prompts."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET

SNAPSHOTS = Path(__file__).resolve().parents[2] / "snapshots" / "catalog"
BOUND = BoundToolset(TOOLSET, None, clock=ManualClock())


@pytest.mark.parametrize(
    ("name", "listed"), [("resource-templates", BOUND.resources.listed), ("prompts", BOUND.prompts.listed)]
)
def test_the_definitions_are_the_accepted_ones(name: str, listed: list[dict[str, Any]], update_snapshots: bool) -> None:
    written = orjson.dumps(listed, option=orjson.OPT_INDENT_2) + b"\n"
    path = SNAPSHOTS / f"{name}.json"
    if update_snapshots:
        path.write_bytes(written)
    assert path.read_bytes() == written, "a public definition changed: run pytest --update-snapshots and read the diff"


def test_templates_are_those_of_the_contract() -> None:  # catalog 19.1
    assert [
        (each["uriTemplate"], each["name"], each["title"], each["mimeType"]) for each in BOUND.resources.listed
    ] == [
        ("pwc://papers/{paper}", "paper-info", "Paper information", "application/json"),
        ("pwc://papers/{paper}/markdown", "paper-markdown", "Paper Markdown", "text/markdown"),
        ("pwc://tasks/{task}", "task", "Research task", "application/json"),
        ("pwc://benchmarks/{benchmark}", "benchmark", "Benchmark leaderboard", "application/json"),
    ]
    assert all(each["description"] for each in BOUND.resources.listed)


def test_prompts_are_those_of_the_contract() -> None:  # catalog 19.2
    assert [
        (each["name"], each["title"], [argument["name"] for argument in each["arguments"]])
        for each in BOUND.prompts.listed
    ] == [
        ("find_papers", "Find papers", ["topic"]),
        ("compare_leaderboard", "Compare a leaderboard", ["benchmark"]),
        ("survey_task", "Survey a research task", ["task"]),
    ]
