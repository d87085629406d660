"""A schema in words."""

from typing import Any

import pytest
from desk_toolset import TOOLSET

from core.clock import ManualClock
from server.pages.parameters import Parameter, parameters_of
from server.registry import BoundToolset


def test_every_parameter_of_a_tool_is_a_row_with_all_that_its_schema_states() -> None:
    schema = BoundToolset(TOOLSET, None, clock=ManualClock()).input_schema("find_notes")
    assert schema is not None
    modes = ('"hybrid"', '"keyword"', '"semantic"')
    assert parameters_of(schema) == [
        Parameter("query", "string", True, None, (), "1 to 500 characters", "Words or a question."),
        Parameter("mode", "string", False, '"hybrid"', modes, "", "How to search."),
        Parameter("limit", "integer", False, "10", (), "1 to 25", "Rows per page."),
        Parameter("published_after", "string", False, None, (), "YYYY-MM-DD", "First day, inclusive."),
        Parameter(
            "authors",
            "array of string",
            False,
            None,
            (),
            "at most 10 items; each item 1 to 200 characters",
            "Exact names; all must match.",
        ),
        Parameter("minimum_metrics", "object of number", False, None, (), "", "Least values by metric."),
        Parameter("only_open", "boolean", False, "false", (), "", "Keeps open ones only."),
    ]


@pytest.mark.parametrize(
    ("schema", "kind", "bounds"),
    [
        ({"type": "number", "minimum": 0}, "number", "at least 0"),
        ({"type": "integer", "maximum": 1_000_000}, "integer", "at most 1,000,000"),
        ({"type": "string", "pattern": "^a+$"}, "string", "matches ^a+$"),
        ({"type": "string", "format": "date-time"}, "string", "YYYY-MM-DDThh:mm:ssZ"),
        ({"const": "v1"}, "any value", 'always "v1"'),
        ({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]}, "integer or string", "at least 1"),
        (
            {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "array of string",
            'each item one of "a", "b"',
        ),
        (
            {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}, "maxProperties": 3},
            "object of number",
            "at most 3 entries; each value at least 0",
        ),
        (
            {
                "type": "array",
                "minItems": 1,
                "items": {"type": "object", "properties": {"id": {}, "note": {}}, "required": ["id"]},
            },
            "array of object",
            "at least 1 items; each item fields id (required), note",
        ),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, "object", "fields a"),
        ({}, "any value", ""),
    ],
)
def test_other_forms_of_a_schema_are_worded_too(schema: dict[str, Any], kind: str, bounds: str) -> None:
    (row,) = parameters_of({"properties": {"it": schema}})
    assert (row.kind, row.bounds, row.required, row.default) == (kind, bounds, False, None)


def test_a_tool_without_parameters_has_no_rows() -> None:
    assert parameters_of({"properties": {}}) == []
