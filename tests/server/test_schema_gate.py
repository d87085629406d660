"""What every published tool must be for every client of the checklist (hosting contract 6), whatever its toolset."""

from typing import Any

import orjson
import pytest
from test_registry import breaches

from core.clock import ManualClock
from server.registry import BoundToolset
from server.served import TOOLSETS

NAME_CHARACTERS = 40
DESCRIPTION_CHARACTERS = 700
INSTRUCTIONS_CHARACTERS = 2_048
LIST_BYTES = 120_000
INPUT_LIST_BYTES = 30_000
TOOLS_A_REQUEST = 128

LISTED = {toolset.id: BoundToolset(toolset, None, clock=ManualClock()).tools_list for toolset in TOOLSETS}
TOOLS = [pytest.param(tool, id=f"{toolset}-{tool['name']}") for toolset, tools in LISTED.items() for tool in tools]
each_tool = pytest.mark.parametrize("tool", TOOLS)


@each_tool
@pytest.mark.parametrize("side", ["inputSchema", "outputSchema"])
def test_a_schema_is_portable(tool: dict[str, Any], side: str) -> None:
    # hosting A90
    assert tool[side]["type"] == "object"
    found = breaches(tool[side])
    if side == "outputSchema" and tool["name"].startswith(("doiget_", "scan_")):
        # references contract 1.3: its answers are open objects; scan contract 3: two of the six keys are.
        found = [each for each in found if not each.endswith((": open object", ": free keys without a type"))]
    assert found == []


@each_tool
def test_a_tool_is_named_titled_hinted_and_described(tool: dict[str, Any]) -> None:
    # hosting A90
    assert 0 < len(tool["name"]) <= NAME_CHARACTERS and tool["name"].isascii()
    assert tool["title"].strip() == tool["title"] != ""
    assert {name: type(value) for name, value in tool["annotations"].items()} == dict.fromkeys(
        ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"), bool
    )
    assert 0 < len(tool["description"]) <= DESCRIPTION_CHARACTERS
    assert [name for name, schema in tool["inputSchema"]["properties"].items() if not schema.get("description")] == []


@pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.id)
def test_a_list_and_instructions_are_small_enough_to_be_read_each_time(toolset: Any) -> None:
    # hosting A90
    tools = LISTED[toolset.id]
    inputs = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in tools]
    assert len(orjson.dumps({"tools": tools})) <= LIST_BYTES
    assert len(orjson.dumps(inputs)) <= INPUT_LIST_BYTES
    assert len(tools) <= TOOLS_A_REQUEST
    assert 0 < len(toolset.instructions) <= INSTRUCTIONS_CHARACTERS


def test_no_two_toolsets_have_a_tool_of_one_name_but_for_one_that_contracts_fix() -> None:
    # Clients show the tools of several endpoints side by side.
    names = [tool["name"] for tools in LISTED.values() for tool in tools]
    assert {name for name in names if names.count(name) > 1} == {"search_papers"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}},
        {"type": "object", "properties": {"a": {"type": "array"}}, "additionalProperties": False},
        {"type": "object", "properties": {"a": {"type": "string", "format": "uri"}}, "additionalProperties": False},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"$ref": "#/x"}}, "additionalProperties": False},
    ],
)
def test_the_gate_finds_what_is_not_portable(schema: dict[str, Any]) -> None:
    assert breaches(schema) != []
