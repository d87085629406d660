"""How deep a message may nest, judged without walking it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.envelope import MAX_DEPTH, EnvelopeError, parse_message


def nested(value: Any, depth: int) -> Any:
    """The value inside so many containers, lists and objects in turn."""
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def is_read(params: Any) -> bool:
    try:
        parse_message(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params}).encode())
    except EnvelopeError:
        return False
    return True


def depth_of(value: Any) -> int:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if children is None else 1 + max(map(depth_of, children), default=0)


@given(
    leaf=st.recursive(
        st.none() | st.text(st.sampled_from('[]{}"\\x')),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(st.sampled_from('[{"\\')), inner, max_size=3)
        ),
        max_leaves=12,
    ),
    depth=st.integers(MAX_DEPTH - 8, MAX_DEPTH + 3),
)
def test_depth_is_counted_in_containers_whatever_stands_in_texts(leaf: Any, depth: int) -> None:
    params = {"a": nested(leaf, depth)}
    # The message itself is one level more.
    assert is_read(params) is (1 + depth_of(params) <= MAX_DEPTH)


@pytest.mark.parametrize("text", ["[" * 5_000, "{" * 5_000, '\\"[' * 5_000, "]}" * 5_000])
def test_brackets_in_a_text_are_no_nesting(text: str) -> None:
    assert is_read({"a": text, "b": [[]] * 200})
