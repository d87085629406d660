"""Every text parameter of every tool with texts that somebody made to break it: an answer or a named failure."""

import math
from typing import Any

import pytest

from tests.catalog_desk import CODES, Desk
from tests.odd_boards import BIG_BENCHMARK
from tests.odd_papers import SHORT_TEXT_ID

REQUIRED = {"query": "lantern", "paper": SHORT_TEXT_ID, "benchmark": BIG_BENCHMARK}
TEXTS = {
    "lone surrogate": "\ud800",
    "surrogate in a word": "lan\udcfftern",
    "one token, repeated": "a " * 250,
    "many ideographs": "".join(chr(0x4E00 + 7 * number) for number in range(500)),
    "each grows in its compatibility form": "\ufdfa" * 500,
    "combining marks": "e" + "\u0301" * 499,
    "emoji": "\U0001f3ee" * 500,
    "right to left": "\u202e\u200f lantern",
    "zero width": "\u200b" * 500,
    "stop words": "the of and to in is",
    "query syntax": 'title:(a OR b) AND [x TO y] ^2 ~1 * \\ "',
    "regular expression": "/(a+)+$/",
    "SQL": "'; DROP TABLE paper; --",
    "patterns": "%_%*?",
    "quotes": '"' * 500,
    "long number": "9" * 500,
    "other digits": "\u0661\u0662\u0663",
    "broken address": "https://[::1",
    "escaped address": "https://arxiv.org/abs/" + "%00" * 100,
    "endless DOI": "10.1000/" + "(" * 480,
    "control character": "a\x00b",
}
NUMBERS = (-0.0, -1, 0, 101, 1 << 63, 1 << 70, 1e300, 1e308, math.inf, -math.inf, math.nan, "NaN", "9" * 400, True)


def arguments(odd: Desk, tool: str, name: str, value: Any) -> dict[str, Any]:
    schema = odd.tools.input_schema(tool)
    assert schema is not None
    return {each: REQUIRED[each] for each in schema.get("required", ()) if each in REQUIRED} | {name: value}


def holds(schema: Any, kinds: set[str]) -> bool:
    return schema.get("type") in kinds or any(holds(member, kinds) for member in schema.get("anyOf", ()))


async def must_be_answered(odd: Desk, tool: str, given: dict[str, Any]) -> None:
    outcome = await odd.tools.call(tool, given)
    assert outcome.ending in ("ok", "failed"), (tool, given)
    assert outcome.code is None or outcome.code in CODES, (tool, given)
    "".join(outcome.texts).encode()


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
async def test_hostile_texts_are_answered_everywhere(odd: Desk, text: str) -> None:
    for tool in odd.tools.names:
        schema = odd.tools.input_schema(tool)
        assert schema is not None
        for name, wanted in schema["properties"].items():
            if holds(wanted, {"string"}):
                await must_be_answered(odd, tool, arguments(odd, tool, name, text))
            if holds(wanted, {"array"}):
                await must_be_answered(odd, tool, arguments(odd, tool, name, [text[:200]] * 3))
            if holds(wanted, {"object"}):
                await must_be_answered(odd, tool, arguments(odd, tool, name, {text: 1}))


@pytest.mark.parametrize("number", NUMBERS)
async def test_hostile_numbers_are_answered_everywhere(odd: Desk, number: Any) -> None:
    for tool in odd.tools.names:
        schema = odd.tools.input_schema(tool)
        assert schema is not None
        for name, wanted in schema["properties"].items():
            if holds(wanted, {"integer", "number", "string"}):
                await must_be_answered(odd, tool, arguments(odd, tool, name, number))
            if holds(wanted, {"object"}):
                given = {f"metric {place}": number for place in range(20)}
                await must_be_answered(odd, tool, arguments(odd, tool, name, given))


async def test_an_unpaired_surrogate_comes_back_as_the_replacement_character(odd: Desk) -> None:
    text = await odd.text("search_papers", query="lantern \ud800", mode="keyword", limit=1)
    assert '"lantern \ufffd"' in text
