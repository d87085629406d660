"""The wire definitions of the catalog tools: snapshots, names, annotations, portable schemas and sizes."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET

SNAPSHOTS = Path(__file__).resolve().parents[2] / "snapshots" / "catalog"
TOOLS: list[dict[str, Any]] = BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list
LIST_MAX_BYTES = 48_327
INPUT_MAX_BYTES = 19_000
"""Well under the contract's 120,000 and 30,000: every client pays for the list with each conversation."""
BY_NAME = {tool["name"]: tool for tool in TOOLS}


def nodes(schema: Any, path: str = "") -> list[tuple[str, dict[str, Any]]]:
    found = []
    if isinstance(schema, dict):
        found.append((path, schema))
        for key, value in schema.items():
            found += nodes(value, f"{path}/{key}")
    elif isinstance(schema, list):
        for position, value in enumerate(schema):
            found += nodes(value, f"{path}/{position}")
    return found


def test_the_tools_are_served_in_the_order_of_the_contract() -> None:  # catalog A1
    assert list(BY_NAME) == [
        "search_papers",
        "get_paper_info",
        "get_paper_evaluations",
        "read_paper",
        "list_papers",
        "list_recent_papers",
        "list_trending_papers",
        "get_related_papers",
        "get_paper_lineage",
        "get_task",
        "list_tasks",
        "get_method",
        "list_methods",
        "get_conference",
        "list_conferences",
        "get_organization",
        "list_organizations",
        "get_framework",
        "list_frameworks",
        "get_benchmark",
        "list_benchmarks",
    ]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_tool_definition_is_the_accepted_one(name: str, update_snapshots: bool) -> None:
    written = orjson.dumps(BY_NAME[name], option=orjson.OPT_INDENT_2) + b"\n"
    path = SNAPSHOTS / f"{name}.json"
    if update_snapshots:
        path.write_bytes(written)
    assert path.read_bytes() == written, "a public definition changed: run pytest --update-snapshots and read the diff"


@pytest.mark.parametrize("name", BY_NAME)
def test_a_tool_has_title_hints_description_and_both_schemas(name: str) -> None:  # catalog A1
    tool = BY_NAME[name]
    assert set(tool) == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
    assert tool["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": True,
    }
    assert 0 < len(tool["description"]) <= 700
    assert len(name) <= 40


@pytest.mark.parametrize("name", BY_NAME)
@pytest.mark.parametrize("side", ["inputSchema", "outputSchema"])
def test_a_schema_is_portable(name: str, side: str) -> None:  # catalog A2
    schema = BY_NAME[name][side]
    assert schema["type"] == "object"
    for path, node in nodes(schema):
        if path.endswith("/properties"):
            continue
        assert "$ref" not in node and "$defs" not in node, path
        assert not isinstance(node.get("type"), list), path
        assert node.get("type") != "null", path
        if node.get("type") == "array":
            assert "type" in node["items"] or "anyOf" in node["items"], path
        if node.get("type") == "object":
            assert node["additionalProperties"] is False or isinstance(node["additionalProperties"], dict), path
        assert node.get("format", "date") in ("date", "date-time"), path


def test_every_parameter_is_described() -> None:
    bare = [
        f"{tool['name']}.{name}"
        for tool in TOOLS
        for name, schema in tool["inputSchema"]["properties"].items()
        if not schema.get("description")
    ]
    assert bare == []


def test_the_list_is_small() -> None:  # catalog A2
    everything = len(orjson.dumps({"tools": TOOLS}))
    without_output = len(
        orjson.dumps([{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in TOOLS])
    )
    print(f"tools/list: {everything:,} bytes; names, descriptions and input schemas: {without_output:,} bytes")
    assert everything < LIST_MAX_BYTES and without_output < INPUT_MAX_BYTES


def test_the_mode_enum_starts_with_its_default() -> None:  # catalog A35
    mode = BY_NAME["search_papers"]["inputSchema"]["properties"]["mode"]
    assert (mode["enum"], mode["default"]) == (["hybrid", "keyword", "semantic"], "hybrid")


def test_instructions_fit_and_name_the_rules_a_caller_needs() -> None:
    assert len(TOOLSET.instructions) <= 2_000
    for word in ("search_papers", "YYYY-MM-DD", "official", "third-party", "missing"):
        assert word in TOOLSET.instructions
