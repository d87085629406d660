"""What the evidence and connector toolsets offer, to the letter of the contract."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.connector import TOOLSET as CONNECTOR
from server.toolsets.evidence import TOOLSET as EVIDENCE

SNAPSHOTS = Path(__file__).resolve().parents[3] / "snapshots"
Json = dict[str, Any]
LISTED = {toolset.id: BoundToolset(toolset, None, clock=ManualClock()).tools_list for toolset in (EVIDENCE, CONNECTOR)}
TOOLS = [pytest.param(name, tool, id=f"{name}-{tool['name']}") for name, tools in LISTED.items() for tool in tools]

LEVEL = ["high", "low", "medium"]
PAPER_TYPE = [
    *("commentary", "correlational", "descriptive", "other"),
    *("quasi_experimental", "rct", "review_meta", "theoretical"),
]
LIMIT = {"type": "integer", "minimum": 1, "maximum": 50, "default": 20}
YEAR = {"type": "integer", "minimum": 1500, "maximum": 2100}


def text(most: int) -> Json:
    return {"type": "string", "minLength": 1, "maxLength": most}


def one_of(*values: str) -> Json:
    return {"type": "string", "enum": list(values)}


ARGUMENTS: dict[str, dict[str, Json]] = {
    "search_claims": {
        "direction": one_of("mixed", "negative", "null_result", "positive"),
        "effect_type": one_of(
            *("cohens_d", "count", "dollars", "log_points", "odds_ratio", "other", "percentage"), "standard_deviations"
        ),
        "evidence_grade": one_of("high", "low", "medium", "speculative"),
        "limit": LIMIT,
        "min_evidence_weight": {"type": "number", "minimum": 0.0, "maximum": 1.0},
        "outcome_category": text(100),
        "paper_type": one_of(*PAPER_TYPE),
        "query": text(500),
    },
    "search_papers": {
        "author": text(200),
        "evidence_strength": one_of(*LEVEL),
        "limit": LIMIT,
        "methods_rigor": one_of(*LEVEL),
        "min_relevance": {"type": "integer", "minimum": 1, "maximum": 10},
        "paper_type": one_of(*PAPER_TYPE),
        "query": text(500),
        "source": text(50),
        "theme": one_of(
            *("adoption", "governance", "human_ai_collab", "inequality", "innovation", "labor_markets"),
            *("org_design", "productivity", "skills_training"),
        ),
        "year_from": YEAR,
        "year_to": YEAR,
    },
    "find_authors": {"limit": LIMIT, "query": text(500)},
    "get_author_papers": {"author_id": text(200), "author_name": text(200), "limit": LIMIT},
    "semantic_search": {
        "query": text(500),
        "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 10},
        "search_type": {**one_of("claims", "papers"), "default": "papers"},
    },
    "get_paper": {"paper_id": text(500)},
    "list_digests": {"limit": {**LIMIT, "default": 10}},
    "get_digest": {"date": {"type": "string", "format": "date"}},
}
REQUIRED = {"semantic_search": ["query"], "get_paper": ["paper_id"], "get_digest": ["date"]}


def plain(properties: Json) -> Json:
    return {
        name: {key: value for key, value in schema.items() if key != "description"}
        for name, schema in properties.items()
    }


def test_evidence_has_its_eight_tools_with_exactly_their_arguments() -> None:
    # evidence A1
    assert [tool["name"] for tool in LISTED["evidence"]] == list(ARGUMENTS)
    for tool in LISTED["evidence"]:
        schema = tool["inputSchema"]
        assert plain(schema["properties"]) == ARGUMENTS[tool["name"]], tool["name"]
        assert schema.get("required", []) == REQUIRED.get(tool["name"], [])
    assert (EVIDENCE.path, EVIDENCE.server_name) == ("/mcp/evidence", "paperdesk-evidence")


def test_the_connector_has_exactly_two_tools() -> None:
    # evidence A1
    assert {tool["name"]: plain(tool["inputSchema"]["properties"]) for tool in LISTED["connector"]} == {
        "search": {"query": text(500)},
        "fetch": {"id": text(500)},
    }
    assert [tool["inputSchema"]["required"] for tool in LISTED["connector"]] == [["query"], ["id"]]
    assert (CONNECTOR.path, CONNECTOR.server_name) == ("/mcp/connector", "paperdesk-connector")


def nodes(schema: Any) -> Iterator[Json]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


@pytest.mark.parametrize(("toolset", "tool"), TOOLS)
def test_a_tool_has_title_hints_description_and_plain_schemas(toolset: str, tool: Json) -> None:
    # evidence A2
    assert tool["title"] and len(tool["name"]) <= 40
    assert tool["annotations"] == {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": tool["name"] == "semantic_search",
    }
    purpose, others = tool["description"].split("\n\n")
    assert purpose.endswith(".") and others.endswith(".")
    assert any(name in others for name in [each["name"] for each in LISTED[toolset] if each is not tool])
    for schema in (tool["inputSchema"], tool["outputSchema"]):
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        for node in nodes(schema):
            assert not isinstance(node.get("type"), list) and node.get("type") != "null" and "$ref" not in node
            assert node.get("type") != "array" or node["items"]
            assert not isinstance(node.get("format"), str) or node["format"] == "date"


def test_instructions_explain_what_the_numbers_mean() -> None:
    for toolset in (EVIDENCE, CONNECTOR):
        assert len(toolset.instructions) <= 2_000
        assert all(word in toolset.instructions for word in ("grade", "weight", "direction"))
    assert "semantic_search finds other wordings and is metered" in EVIDENCE.instructions


@pytest.mark.parametrize(("toolset", "tool"), TOOLS)
def test_a_tool_definition_is_the_accepted_one(toolset: str, tool: Json, update_snapshots: bool) -> None:
    written = orjson.dumps(tool, option=orjson.OPT_INDENT_2) + b"\n"
    path = SNAPSHOTS / toolset / f"{tool['name']}.json"
    if update_snapshots:
        path.write_bytes(written)
    assert path.read_bytes() == written, "a public definition changed: run pytest --update-snapshots and read the diff"
