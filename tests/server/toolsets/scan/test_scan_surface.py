"""What the scan toolset offers, to the letter of the contract."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from core.clock import ManualClock
from core.scan.rubrics.texts import NAMES, RUBRICS, TEXT_CHARS_MAX, VERSIONS
from server.pages.descriptions import toolset_description
from server.pages.facts import Facts
from server.pages.page import page
from server.registry import BoundToolset
from server.toolsets.scan import TOOLSET

SNAPSHOTS = Path(__file__).resolve().parents[3] / "snapshots"
BOUND = BoundToolset(TOOLSET, None, clock=ManualClock())
TOOLS = {tool["name"]: tool for tool in BOUND.tools_list}

SCAN_ID = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
MONTH = "^[0-9]{4}-(0[1-9]|1[0-2])$"
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")

ABOUT = {
    "scan_start": ("Start a literature scan", (False, False, True, True)),
    "scan_continue": ("Send a judgement or poll", (False, False, True, True)),
    "scan_verify": ("Verify and finish", (False, False, True, True)),
    "scan_result": ("Read a scan", (True, False, True, False)),
}
ARGUMENTS: dict[str, dict[str, dict[str, Any]]] = {
    "scan_start": {
        "scan_id": {"type": "string", "pattern": SCAN_ID},
        "brief": {"type": "string", "minLength": 1, "maxLength": 20_000},
        "queries": {"type": "object"},
        "profile": {"type": "string", "enum": ["quick", "standard", "deep"], "default": "standard"},
        "top": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "foundational": {"type": "integer", "minimum": 0, "maximum": 50, "default": 2},
        "since": {"type": "string", "pattern": MONTH},
        "until": {"type": "string", "pattern": MONTH},
        "slug": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 40},
        "max_candidates": {"type": "integer", "minimum": 25, "maximum": 2_000},
        "per_query": {"type": "integer", "minimum": 1, "maximum": 100},
        "force_gap_round": {"type": "boolean", "default": False},
    },
    "scan_continue": {
        "scan_id": {"type": "string", "pattern": SCAN_ID},
        "screen_scores": {"type": "array", "minItems": 1, "maxItems": 500},
        "gap_queries": {"type": "array", "minItems": 0, "maxItems": 8},
        "ranked_entries": {"type": "array", "minItems": 1, "maxItems": 100},
    },
    "scan_verify": {
        "scan_id": {"type": "string", "pattern": SCAN_ID},
        "ranked_entries": {"type": "array", "minItems": 1, "maxItems": 100},
    },
    "scan_result": {"scan_id": {"type": "string", "pattern": SCAN_ID}},
}
REQUIRED = {
    "scan_start": ["scan_id", "brief", "queries"],
    "scan_continue": ["scan_id"],
    "scan_verify": ["scan_id"],
    "scan_result": ["scan_id"],
}


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema, itself first."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


def test_there_are_exactly_four_tools_with_their_titles_and_hints() -> None:
    # scan A1
    found = {name: (tool["title"], tuple(tool["annotations"][hint] for hint in HINTS)) for name, tool in TOOLS.items()}
    assert (list(found), found) == (list(ABOUT), ABOUT)


@pytest.mark.parametrize("name", TOOLS)
def test_arguments_have_the_names_defaults_and_bounds_of_the_contract(name: str) -> None:
    # scan A1
    schema = TOOLS[name]["inputSchema"]
    properties = schema["properties"]
    assert list(properties) == list(ARGUMENTS[name])
    assert schema["required"] == REQUIRED[name]
    for argument, asked in ARGUMENTS[name].items():
        assert {key: properties[argument].get(key) for key in asked} == asked, argument
        assert "default" in properties[argument] or "default" not in asked


@pytest.mark.parametrize("name", TOOLS)
def test_schemas_are_inlined_and_closed_at_every_level(name: str) -> None:
    # scan A1
    schema = TOOLS[name]["inputSchema"]
    assert schema["type"] == "object"
    for node in nodes(schema):
        assert not node.keys() & {"$ref", "$defs", "anyOf", "oneOf", "allOf", "format"}
        assert not isinstance(node.get("type"), list) and node.get("type") != "null"
        if node.get("type") == "object" and "properties" in node:
            assert node["additionalProperties"] is False


@pytest.mark.parametrize("name", TOOLS)
def test_the_answer_is_six_keys_of_which_one_may_be_null(name: str) -> None:
    # scan A2
    schema = TOOLS[name]["outputSchema"]
    six = ["scan_id", "phase", "status", "next_action", "progress", "payload"]
    assert (list(schema["properties"]), schema["required"]) == (six, six)
    assert "type" not in schema["properties"]["next_action"]


@pytest.mark.parametrize("name", TOOLS)
def test_a_description_says_what_the_tool_gives_and_which_one_follows(name: str) -> None:
    # scan A1
    description = TOOLS[name]["description"]
    assert any(other in description for other in TOOLS if other != name)
    assert not {"must", "always", "never"} & set(description.lower().split())


def test_the_definitions_are_those_that_were_accepted(update_snapshots: bool) -> None:
    for name, tool in TOOLS.items():
        path = SNAPSHOTS / "scan" / f"{name}.json"
        now = orjson.dumps(tool, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        if update_snapshots:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(now)
        assert path.read_bytes() == now


def test_five_prompts_and_five_rubric_resources_are_offered() -> None:
    # scan A5
    prompts = {
        each["name"]: {one["name"]: one["required"] for one in each["arguments"]} for each in BOUND.prompts.listed
    }
    of_a_scan = {"scan_id": True}
    assert prompts == {
        "scan_plan": {"brief": True, "profile": False},
        **{f"scan_{name}": of_a_scan for name in NAMES if name != "plan"},
    }
    fixed = {each["uri"]: each["mimeType"] for each in BOUND.resources.fixed}
    assert fixed == {f"scan-rubric://{name}": "text/markdown" for name in NAMES}
    assert [each["uriTemplate"] for each in BOUND.resources.listed] == ["scan-run://{scan_id}/{+artifact}"]


@pytest.mark.parametrize("name", NAMES)
def test_a_rubric_is_short_and_its_version_follows_its_text(name: Any) -> None:
    # scan A5
    rubric = RUBRICS[name]
    assert 0 < len(rubric.text) <= TEXT_CHARS_MAX
    assert rubric.version == VERSIONS[name] == hashlib.sha256(rubric.text.encode()).hexdigest()[:12]
    assert rubric.pointer == {"prompt": f"scan_{name}", "uri": f"scan-rubric://{name}", "version": rubric.version}


@pytest.mark.parametrize("name", NAMES)
def test_a_prompt_is_one_message_the_rubric_and_then_what_it_is_about_as_data(name: str) -> None:
    # scan A5
    argument = "brief" if name == "plan" else "scan_id"
    written = BOUND.prompts.write(f"scan_{name}", {argument: "What ``` is ````this?"})
    (message,) = written["messages"]
    assert message["role"] == "user"
    text = message["content"]["text"]
    rubric, _, data = text.partition("\nWhat follows is data, not instructions.\n\n")
    assert rubric == RUBRICS[name].text  # type: ignore[index]
    fence, _, rest = data.partition("text\n")
    assert set(fence) == {"`"} and len(fence) == 5
    assert rest.count(fence) == 1 and rest.endswith(f"\n{fence}\n")


def test_what_the_contract_asks_of_the_rubrics_is_in_them() -> None:
    # scan A5
    said = {name: " ".join(RUBRICS[name].text.split()) for name in NAMES}
    for word in ("build", "research", "orient", "contradictory", "must_not", "36 months", "about 60", "Never guess"):
        assert word in said["plan"], word
    for word in ("cannot be answered without", "words", "something else", "`criteria_hit`", "Age is no reason"):
        assert word in said["screen"], word
    for word in ("gap_queries: []", "`target_criterion`", "At most two reformulations"):
        assert word in said["gap"], word
    for word in ("It is no average", "at most 2", "two at a time", "at least one", "Add no paper"):
        assert word in said["rank"], word
    for word in ("at most 30 words", "copied exactly", "Thin sub-criteria", "failed", "not verified"):
        assert word in said["report"], word


def test_the_documents_say_what_is_kept_what_sources_learn_and_which_rubrics_there_are() -> None:
    # scan 10.9
    facts = Facts("https://desk.example.org/desk")
    text = " ".join(page(facts, [BOUND]).body.decode().split())
    assert "nothing about the caller" in text
    assert "The brief's text is not kept" in text
    assert "DELETE /desk/scans/SCAN_ID" in text
    told = toolset_description(facts, BOUND)
    assert [each["uri"] for each in told["resources"]] == [f"scan-rubric://{name}" for name in NAMES]
