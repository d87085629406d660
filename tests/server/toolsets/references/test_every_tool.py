"""What holds for every tool: its example works, answers fit their schema and their size, and its text is short."""

from typing import Any

import jsonschema
import pytest

from core.references.text.cuts import units_of
from server.toolsets.references import TOOLSET
from tests.references_desk import Tools

TOKENS_MAX = 25_000
CHARS_MAX = 150_000
NEEDS_SOURCES = {"doiget_paper_tex_source", "doiget_expand_citation_graph"}


def validate(tools: Tools, name: str, structured: Any) -> None:
    schema = next(each["outputSchema"] for each in tools.bound.tools_list if each["name"] == name)
    jsonschema.Draft202012Validator(schema).validate(structured)


# references A14, A12
@pytest.mark.parametrize("tool", TOOLSET.tools, ids=lambda tool: tool.name)
async def test_an_example_is_answered_from_the_catalog_alone(alone: Tools, tool: Any) -> None:
    outcome = await alone.bound.call(tool.name, tool.example)
    assert outcome.structured is not None and not outcome.is_error
    assert outcome.structured["ok"] is (tool.name not in NEEDS_SOURCES)
    validate(alone, tool.name, outcome.structured)
    whole = outcome.encoded.decode() + "".join(outcome.texts)
    assert units_of(whole) / 3 < TOKENS_MAX
    assert len(whole) < CHARS_MAX


@pytest.mark.parametrize("tool", TOOLSET.tools, ids=lambda tool: tool.name)
async def test_a_failure_fits_the_schema_too(alone: Tools, tool: Any) -> None:
    outcome = await alone.bound.call(tool.name, {"no_such_argument": 1})
    assert outcome.structured is not None and not outcome.is_error and outcome.code == "INVALID_REF"
    validate(alone, tool.name, outcome.structured)


# references A13
@pytest.mark.parametrize("name", ["resolve_paper", "fetch_paper", "info"])
async def test_the_text_of_one_record_is_one_line_and_no_json(alone: Tools, name: str) -> None:
    (text,) = (await alone.call(name, {"ref": "1706.03762"})).texts
    assert text.startswith("**Attention Is All You Need** (2017)")
    assert "\n" not in text and "{" not in text


# references A12
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("batch_fetch", {"refs": ["1706.03762", "10.1038/none"] * 50}),
        ("search_local", {"query": "", "limit": 200}),
        ("paper_text", {"ref": "1706.03762", "max_chars": 60_000}),
        ("csl_export", {"refs": ["1706.03762"] * 200}),
        ("list_recent", {"limit": 200}),
    ],
)
async def test_the_largest_answers_stay_under_the_ceiling(alone: Tools, name: str, arguments: dict[str, Any]) -> None:
    outcome = await alone.call(name, arguments)
    assert outcome.structured is not None and outcome.structured["ok"] is True
    assert len(outcome.encoded.decode()) + sum(map(len, outcome.texts)) < CHARS_MAX
    validate(alone, f"doiget_{name}", outcome.structured)
