"""What leaves is clean, whether or not it had to be walked."""

import math
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.dialect import clean, cleaned

TEXTS = st.text(st.characters()) | st.sampled_from(["null", "a\ud800b", "\udfff", "é null", "NaN"])
NUMBERS = st.floats() | st.integers(-(2**63), 2**64 - 1) | st.sampled_from([math.nan, math.inf, -math.inf])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def plain(value: Any) -> bool:
    """Whether there is neither a surrogate nor a number that is none."""
    if isinstance(value, dict):
        return all(plain(key) and plain(item) for key, item in value.items())
    if isinstance(value, list):
        return all(map(plain, value))
    if isinstance(value, str):
        return not any(0xD800 <= ord(character) <= 0xDFFF for character in value)
    return not isinstance(value, float) or math.isfinite(value)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_cleaning_gives_the_clean_value_and_its_json(value: dict[str, Any]) -> None:
    # hosting S21
    found, encoded = cleaned(value)
    assert found == clean(value)
    assert plain(found)
    assert encoded == orjson.dumps(found)
    # Nothing that is clean already is changed, nor copied where no null is in the way.
    if plain(value):
        assert found == value
        assert found is value or b"null" in encoded


def test_a_number_that_is_none_is_left_out_and_a_null_stays() -> None:
    value = {"a": math.nan, "b": [1.5, math.inf, None], "c": None, "d": "null"}
    assert cleaned(value) == ({"b": [1.5, None], "c": None, "d": "null"}, b'{"b":[1.5,null],"c":null,"d":"null"}')


@pytest.mark.parametrize("value", [{"x": 2**64}, {"x": object()}, {1: "x"}])
def test_what_no_json_can_hold_is_a_mistake_of_ours(value: dict[Any, Any]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        cleaned(value)
