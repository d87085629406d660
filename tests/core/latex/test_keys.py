"""Citation keys that no two entries share."""

from hypothesis import given
from hypothesis import strategies as st

from core.latex.keys import distinct_keys


def test_keys_that_would_be_equal_get_a_suffix_each_that_no_other_has() -> None:
    assert distinct_keys(["k", "other", "k", "ka", "k"]) == ["kb", "other", "kc", "ka", "kd"]
    assert distinct_keys(["k"] * 28)[24:] == ["ky", "kz", "kaa", "kab"]
    assert distinct_keys([]) == []


@given(st.lists(st.text("ab", max_size=3), max_size=20))
def test_keys_are_distinct_and_begin_as_they_were(keys: list[str]) -> None:
    distinct = distinct_keys(keys)
    assert len(set(distinct)) == len(keys)
    assert all(made.startswith(key) for key, made in zip(keys, distinct, strict=True))
