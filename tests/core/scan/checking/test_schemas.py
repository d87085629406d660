"""What is published and what is checked follow from one description."""

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scan.checking import schemas
from core.scan.checking.shapes import Anything, Choice, Fields, Flag, Items, Marks, Shape, Text, Whole, published
from core.scan.checking.walking import Walk
from tests.core.scan.sent import SCAN_ID, sent_entry, sent_gap, sent_score, sent_start

TOOLS = sorted(schemas.TOOLS)


def places(schema: Any) -> Iterator[dict[str, Any]]:
    """Each schema within a schema, itself first."""
    yield schema
    for each in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(each, dict):
            yield from places(each)


def test_the_tools_have_the_arguments_of_the_contract() -> None:
    # scan A1
    assert {name: tool.names for name, tool in schemas.TOOLS.items()} == {
        "scan_start": (
            "scan_id",
            "brief",
            "queries",
            "profile",
            "top",
            "foundational",
            "since",
            "until",
            "slug",
            "max_candidates",
            "per_query",
            "force_gap_round",
        ),
        "scan_continue": ("scan_id", "screen_scores", "gap_queries", "ranked_entries"),
        "scan_verify": ("scan_id", "ranked_entries"),
        "scan_result": ("scan_id",),
    }
    required = {tool: schemas.input_schema(tool)["required"] for tool in TOOLS}
    assert required.pop("scan_start") == ["scan_id", "brief", "queries"]
    assert set(map(tuple, required.values())) == {("scan_id",)}


def test_defaults_and_bounds_are_published() -> None:
    # scan A1
    start = schemas.input_schema("scan_start")["properties"]
    assert {name: each["default"] for name, each in start.items() if "default" in each} == {
        "profile": "standard",
        "top": 10,
        "foundational": 2,
        "force_gap_round": False,
    }
    assert start["top"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "description": "Papers to emit",
        "default": 10,
    }
    assert start["slug"]["pattern"] == "^[a-z0-9]+(-[a-z0-9]+)*$"
    assert start["since"]["pattern"] == "^[0-9]{4}-(0[1-9]|1[0-2])$"
    queries = start["queries"]["properties"]["queries"]
    assert (queries["minItems"], queries["maxItems"]) == (6, 8)
    entry = schemas.input_schema("scan_verify")["properties"]["ranked_entries"]["items"]["properties"]
    assert entry["criteria"]["additionalProperties"] == {"type": "integer", "minimum": 0, "maximum": 3}
    assert entry["verification"] == {"description": "Ignored: the server verifies"}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_published_schema_is_closed_inlined_and_plain(tool: str) -> None:
    # scan A1
    schema = schemas.input_schema(tool)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    for each in places(schema):
        assert not each.keys() & {"$ref", "$defs", "anyOf", "oneOf", "allOf", "format"}
        assert isinstance(each.get("type", ""), str)
        assert "null" not in each.get("enum", ()) and each.get("type") != "null"
        if "properties" in each:
            assert each["additionalProperties"] is False
    assert schemas.input_schema(tool) is not schemas.input_schema(tool)


@pytest.mark.parametrize(
    ("tool", "sent"),
    [
        ("scan_start", sent_start()),
        ("scan_continue", {"scan_id": SCAN_ID, "screen_scores": [sent_score()], "gap_queries": [sent_gap()]}),
        ("scan_verify", {"scan_id": SCAN_ID, "ranked_entries": [sent_entry(verification=3)]}),
        ("scan_result", {"scan_id": SCAN_ID}),
    ],
)
def test_what_is_accepted_fits_the_published_schema(tool: str, sent: dict[str, Any]) -> None:
    jsonschema.validate(sent, schemas.input_schema(tool))
    walk = Walk()
    walk.arguments(schemas.TOOLS[tool], sent)
    assert walk.problems == []


def near(shape: Shape) -> st.SearchStrategy[Any]:
    """Values at and just beyond the bounds of a shape, and of other types."""
    return st.one_of(_near(shape), st.sampled_from([3.5, True, [], {}, "x!"])) if not _is_deep(shape) else _near(shape)


def _is_deep(shape: Shape) -> bool:
    return isinstance(shape, Items | Fields)


def _near(shape: Shape) -> st.SearchStrategy[Any]:
    match shape:
        case Text():
            samples = ["2024-03", "0123456789ab", "a-b", SCAN_ID, "A" * 12]
            lengths = [size for size in (1, shape.most or 12, (shape.most or 12) + 1) if size]
            return st.sampled_from([*samples, *("x" * size for size in lengths)])
        case Choice():
            return st.sampled_from([*shape.values, "else"])
        case Whole():
            return st.integers(shape.least - 1, shape.most + 1)
        case Flag() | Anything():
            return st.booleans()
        case Items():
            return st.lists(near(shape.of), min_size=max(0, shape.least - 1), max_size=min(shape.most + 1, 9))
        case Marks():
            return st.dictionaries(st.sampled_from(["c1", "c2"]), near(shape.of))
        case Fields():
            parts = {each.name: near(each.shape) for each in shape.fields}
            needed = {each.name: parts[each.name] for each in shape.fields if each.required}
            return st.fixed_dictionaries(needed, optional={k: v for k, v in parts.items() if k not in needed})


@pytest.mark.parametrize(
    "shape", [schemas.WINDOW, schemas.SUB_CRITERION, schemas.QUERY, schemas.SCORE, schemas.ENTRY, schemas.SLUG]
)
def test_the_check_and_the_published_schema_agree_on_every_value(shape: Shape) -> None:
    # scan A1
    validator = jsonschema.Draft202012Validator(published(shape))

    @given(near(shape))
    @settings(max_examples=60)
    def agree(value: Any) -> None:
        walk = Walk()
        walk.value(shape, value, "value")
        assert (walk.problems == []) == validator.is_valid(value)

    agree()
