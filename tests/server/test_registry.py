import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from desk_toolset import META_KEY, SECRET, TOOLSET, Desk, add
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from core.clock import ManualClock
from core.errors import InvalidInput
from server.arguments import Arguments
from server.registry import BoundToolset, Tool, ToolOutcome, Toolset, UnknownTool
from server.schemas import PORTABLE_FORMATS

pytestmark = pytest.mark.anyio


def bound(toolset: Toolset = TOOLSET) -> tuple[BoundToolset, Desk]:
    desk = Desk()
    return BoundToolset(toolset, desk, clock=ManualClock()), desk


async def find(**arguments: Any) -> ToolOutcome:
    toolset, _ = bound()
    return await toolset.call("find_notes", {"query": "q", **arguments})


def understood(outcome: ToolOutcome) -> Mapping[str, Any]:
    assert outcome.structured is not None, outcome.texts
    return outcome.structured["arguments"]


def refused(outcome: ToolOutcome) -> str:
    assert outcome.is_error
    assert outcome.code == "invalid_argument"
    return outcome.texts[0].removeprefix("invalid_argument: ")


LIMIT_TEXT = "limit must be a whole number from 1 to 25."


async def test_unknown_argument_names_the_arguments_and_suggests_the_synonym() -> None:
    # catalog A3
    toolset, desk = bound()
    outcome = await toolset.call("find_notes", {"query": "q", "max_results": 5})
    assert refused(outcome) == (
        "find_notes has no argument 'max_results'. It takes query, mode, limit, published_after, authors, "
        "minimum_metrics, only_open."
    )
    assert outcome.meta == {
        META_KEY: {
            "code": "invalid_argument",
            "retryable": False,
            "suggestions": [{"id": "limit", "name": "limit"}],
        }
    }
    assert outcome.structured is None
    assert desk.calls == []


async def test_unknown_arguments_are_named_together_each_with_what_it_meant() -> None:
    outcome = await find(max_results=5, limt=3, autors=["A"], xyzzy=1)
    assert refused(outcome) == (
        "find_notes has no arguments 'max_results', 'limt', 'autors', 'xyzzy'. It takes query, mode, limit,"
        " published_after, authors, minimum_metrics, only_open."
    )
    assert outcome.meta is not None
    assert outcome.meta[META_KEY]["suggestions"] == [
        {"id": "limit", "name": "limit"},
        {"id": "authors", "name": "authors"},
    ]


async def test_a_crowd_of_unknown_arguments_is_counted() -> None:
    text = refused(await find(**{f"zz{number}": 1 for number in range(9)}))
    assert text.startswith("find_notes has no arguments 'zz0', 'zz1', 'zz2', 'zz3', 'zz4' and 4 more. It takes ")


async def test_misspelt_argument_suggests_the_near_one() -> None:
    outcome = await find(limt=5)
    assert outcome.meta is not None
    assert outcome.meta[META_KEY]["suggestions"] == [{"id": "limit", "name": "limit"}]


async def test_unknown_argument_is_repeated_printable_and_cut() -> None:
    text = refused(await find(**{"x\x00\x1b" + "y" * 500: 1}))
    assert text.startswith("find_notes has no argument 'x" + "y" * 62 + "…'")


@pytest.mark.parametrize("value", ["10", 10, 10.0, " 10 "])
async def test_integer_text_and_integral_numbers_are_integers(value: Any) -> None:
    # catalog A4
    assert understood(await find(limit=value))["limit"] == 10


@pytest.mark.parametrize("value", ["1e4", "0x10", True, 0, 26, 1.5, "ten", [1], {"a": 1}, "9" * 30, "1_0", "١"])
async def test_what_is_no_integer_within_bounds_states_the_bounds(value: Any) -> None:
    # catalog A4
    assert refused(await find(limit=value)) == LIMIT_TEXT


@pytest.mark.parametrize("value", ["", None, "  ", []])
async def test_empty_optional_argument_is_absent(value: Any) -> None:
    # catalog A5
    everything = dict.fromkeys(("mode", "limit", "published_after", "authors", "minimum_metrics", "only_open"), value)
    assert understood(await find(**everything)) == {"query": "q", "mode": "hybrid", "limit": 10, "only_open": "False"}


@pytest.mark.parametrize("value", ["20260801", "2026-W31-1", "2026-02-30", "2026-8-1", "２０２６-08-01", 20260801])
async def test_what_is_no_calendar_day_is_refused(value: Any) -> None:
    # catalog A5
    expected = "published_after must be a calendar date as YYYY-MM-DD, such as 2024-03-31."
    assert refused(await find(published_after=value)) == expected


async def test_calendar_day_reaches_the_tool_as_text() -> None:
    assert understood(await find(published_after=" 2024-02-29 "))["published_after"] == "2024-02-29"


async def test_json_integer_becomes_text() -> None:
    # catalog A7
    assert understood(await find(query=12345))["query"] == "12345"


@pytest.mark.parametrize("value", [1.5, 10.0, True, ["a"], {"a": 1}])
async def test_other_values_for_text_are_refused(value: Any) -> None:
    assert refused(await find(query=value)) == "query must be text of 1 to 500 characters."


async def test_json_text_stands_for_a_list() -> None:
    # catalog A8
    assert understood(await find(authors='["A B", "C"]'))["authors"] == "A B|C"
    assert understood(await find(authors='["A B"]')) == understood(await find(authors=["A B"]))


async def test_empty_list_as_json_text_is_absent() -> None:
    assert "authors" not in understood(await find(authors="[]"))


async def test_too_long_list_and_plain_text_for_a_list_are_refused() -> None:
    # catalog A8
    expected = "authors must be a list of at most 10 entries, each text of 1 to 200 characters."
    assert refused(await find(authors=[str(i) for i in range(11)])) == expected
    assert refused(await find(authors="A B")) == expected
    assert refused(await find(authors=["A", None])) == "authors[1] must be text of 1 to 200 characters."


async def test_object_values_are_coerced_and_keys_may_hold_anything_printable() -> None:
    outcome = await find(minimum_metrics={"Acc, top=1:x": "0.5", " F1 ": 2})
    assert understood(outcome)["minimum Acc, top=1:x"] == 0.5
    assert understood(outcome)["minimum F1"] == 2.0
    assert understood(await find(minimum_metrics='{"F1": -0.25}'))["minimum F1"] == -0.25


@pytest.mark.parametrize("value", ["1e4", True, "x", None, [1], "1,5", "nan", "inf", "٣"])
async def test_what_is_no_number_is_refused(value: Any) -> None:
    assert refused(await find(minimum_metrics={"F1": value})) == "minimum_metrics['F1'] must be a number."


async def test_exact_true_and_false_are_booleans() -> None:
    assert understood(await find(only_open="true"))["only_open"] == "True"
    assert understood(await find(only_open="false"))["only_open"] == "False"
    for value in ("True", "yes", 1, 0, "1"):
        assert refused(await find(only_open=value)) == "only_open must be true or false."


async def test_value_off_the_list_states_the_allowed_values_in_order() -> None:
    outcome = await find(mode="keywrod")
    assert refused(outcome) == "mode must be one of hybrid, keyword, semantic."
    assert outcome.meta is not None
    assert outcome.meta[META_KEY]["suggestions"] == [{"id": "keyword", "name": "keyword"}]


async def test_text_is_trimmed_and_control_characters_are_refused() -> None:
    assert understood(await find(query='  -foo, a=b "c"\n'))["query"] == '-foo, a=b "c"'
    assert understood(await find(query="a\tb\nc"))["query"] == "a\tb\nc"
    for bad in ("a\x00b", "a\x1bb", "a\rb", "a\x7fb", "a\x85b"):
        assert refused(await find(query=bad)) == (
            "query holds a control character; only tabs and line breaks are allowed."
        )


async def test_missing_required_argument_says_what_is_needed() -> None:
    toolset, _ = bound()
    expected = "query is missing: find_notes needs text of 1 to 500 characters."
    assert refused(await toolset.call("find_notes", None)) == expected
    assert refused(await toolset.call("find_notes", {"query": None})) == expected
    assert refused(await toolset.call("find_notes", {"query": " "})) == "query must be text of 1 to 500 characters."


async def test_zero_and_false_are_values_not_absence() -> None:
    toolset, _ = bound()
    assert (await toolset.call("add", {"a": 0, "b": 0})).structured == {"total": 0}


@given(st.integers(min_value=-(10**17), max_value=10**17))
def test_every_spelling_of_an_integer_is_that_integer(value: int) -> None:
    schema = {"properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert Arguments("t", schema).bind({"n": str(value)}) == {"n": value}
    assert Arguments("t", schema).bind({"n": value}) == {"n": value}


@given(st.dates())
def test_every_calendar_day_passes(day: date) -> None:
    schema = {"properties": {"day": {"type": "string", "format": "date"}}, "required": ["day"]}
    assert Arguments("t", schema).bind({"day": day.isoformat()}) == {"day": day.isoformat()}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["query", "mode", "limit", "authors", "minimum_metrics", "x"]), json_values))
def test_arguments_are_either_bound_within_the_schema_or_refused_in_our_words(arguments: dict[str, Any]) -> None:
    toolset, _ = bound()
    schema = toolset.input_schema("find_notes")
    assert schema is not None
    try:
        values = Arguments("find_notes", schema).bind(arguments)
    except Exception as error:
        assert type(error).__name__ == "InvalidInput"
        return
    Draft202012Validator(schema).validate(values)


async def test_unknown_tool_has_near_names() -> None:
    toolset, desk = bound()
    with pytest.raises(UnknownTool) as caught:
        await toolset.call("find_note", {})
    assert (caught.value.name, caught.value.near) == ("find_note", ("find_notes",))
    assert desk.calls == []


async def test_unexpected_exception_is_the_familys_internal_error_and_leaves_no_secret(
    caplog: pytest.LogCaptureFixture,
) -> None:
    # hosting A33
    caplog.set_level(logging.DEBUG)
    toolset, _ = bound()
    outcome = await toolset.call("crash", {})
    assert outcome.ending == "crashed"
    assert outcome.texts == ("internal_error: paperdesk failed; try again.",)
    assert outcome.meta == {META_KEY: {"code": "internal_error", "retryable": True}}
    assert [record.getMessage().split(" at=")[0] for record in caplog.records] == [
        "tool_crashed tool=crash error=RuntimeError"
    ]
    assert SECRET not in caplog.text


async def test_tool_that_never_returns_ends_at_its_deadline() -> None:
    # hosting A34
    toolset, desk = bound(replace(TOOLSET, deadline_s=0.01))
    outcome = await toolset.call("wait_for_ever", {})
    assert outcome.ending == "timeout"
    assert outcome.texts == (
        "upstream_timeout: wait_for_ever did not finish within 0.01 seconds; try again, or ask for less.",
    )
    assert outcome.meta == {META_KEY: {"code": "upstream_timeout", "retryable": True}}
    assert desk.cancelled.is_set()


async def test_results_hold_no_nan_and_no_unpaired_surrogate() -> None:
    toolset, _ = bound()
    outcome = await toolset.call("spoil", {})
    assert outcome.structured == {"schema_version": "v1", "arguments": {"text": "a\ufffdb", "good": 1.5}}


def test_duplicate_tool_name_is_an_error() -> None:
    with pytest.raises(ValueError, match="desk: two tools are called add"):
        bound(replace(TOOLSET, tools=(Tool(add, "Add"), Tool(add, "Add again"))))


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        ({"a": 1, "c": 2}, "add has no argument 'c'"),
        ({"b": 2}, "a is missing"),
        ({"a": "1"}, "add: the example is not written as its parameters are"),
    ],
)
def test_an_example_that_the_tool_would_not_take_is_an_error(example: dict[str, Any], reason: str) -> None:
    with pytest.raises((ValueError, InvalidInput), match=reason):
        bound(replace(TOOLSET, tools=(Tool(add, "Add", example=example),)))


def test_synonym_for_no_parameter_is_an_error() -> None:
    with pytest.raises(ValueError, match="add: synonyms for no parameter: limit"):
        bound(replace(TOOLSET, tools=(Tool(add, "Add", synonyms={"max": "limit"}),)))


def test_tools_list_has_the_wire_form() -> None:
    toolset, _ = bound()
    listed = next(tool for tool in toolset.tools_list if tool["name"] == "add")
    assert listed == {
        "name": "add",
        "title": "Add",
        "description": "Adds two whole numbers.",
        "inputSchema": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "default": 1}},
            "additionalProperties": False,
            "required": ["a"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {"total": {"type": "integer"}},
            "additionalProperties": False,
            "required": ["total"],
        },
        "annotations": {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": True,
        },
    }
    assert [tool["name"] for tool in toolset.tools_list] == list(toolset.names)


def breaches(schema: Any, where: str = "") -> list[str]:
    """Every way in which a schema leaves the plain subset of catalog contract section 2."""
    if isinstance(schema, list):
        return [found for index, item in enumerate(schema) for found in breaches(item, f"{where}[{index}]")]
    if not isinstance(schema, dict):
        return []
    found = [f"{where}: {key}" for key in ("$ref", "$defs", "title", "allOf", "oneOf", "nullable") if key in schema]
    kind = schema.get("type")
    if isinstance(kind, list) or kind == "null":
        found.append(f"{where}: type {kind}")
    if kind == "object" and "properties" in schema and schema.get("additionalProperties") is not False:
        found.append(f"{where}: open object")
    if kind == "object" and "properties" not in schema and not isinstance(schema.get("additionalProperties"), dict):
        found.append(f"{where}: free keys without a type")
    if kind == "array" and not ({"type", "anyOf"} & set(schema.get("items", {}))):
        found.append(f"{where}: untyped items")
    if "format" in schema and schema["format"] not in PORTABLE_FORMATS:
        found.append(f"{where}: format {schema['format']}")
    for key, value in schema.items():
        if key == "properties":
            for name, child in value.items():
                found += breaches(child, f"{where}.{name}")
        elif key not in ("default", "enum", "const"):
            found += breaches(value, f"{where}/{key}")
    return found


def test_every_schema_stays_in_the_plain_subset() -> None:
    # hosting A90 (part), catalog A2
    toolset, _ = bound()
    for tool in toolset.tools_list:
        for key in ("inputSchema", "outputSchema"):
            assert tool[key]["type"] == "object"
            assert breaches(tool[key]) == []
            Draft202012Validator.check_schema(tool[key])


async def test_results_validate_against_their_own_schema() -> None:
    toolset, _ = bound()
    schemas = {tool["name"]: tool["outputSchema"] for tool in toolset.tools_list}
    for name, arguments in (("find_notes", {"query": "q"}), ("add", {"a": 1}), ("spoil", {}), ("grow", {"size": 3})):
        outcome = await toolset.call(name, arguments)
        Draft202012Validator(schemas[name]).validate(outcome.structured)


def test_two_bindings_give_equal_bytes() -> None:
    assert json.dumps(bound()[0].tools_list) == json.dumps(bound()[0].tools_list)
