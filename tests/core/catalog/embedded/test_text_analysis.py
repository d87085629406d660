"""Texts and queries become the same terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalog.embedded.text_analysis import QueryTerms, all_terms, normalised, query_terms


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Graph Neural Networks", ("graph", "neural", "network")),
        ("networks network NETWORK", ("network",)),
        ("what is the state of the art", ("state", "art")),
        ("to be or not to be", ("to", "be", "or", "not")),
        ("ＧＰＴ－４", ("gpt", "4")),
        ("Straße", ("strass",)),
        ("naïve café", ("naïv", "café")),
        ("深層学習 and 灯", ("深層", "層学", "学習", "灯")),
        ("title:lantern^2 +(a*)", ("titl", "lantern", "2")),
        ("e5-base_v2", ("e5", "base", "v2")),
        ("\ud83clantern\udfee x", ("lantern", "x")),
        ("???", ()),
        ("", ()),
        ("x" * 200, ()),
    ],
)
def test_a_query_becomes_its_distinct_terms(query: str, terms: tuple[str, ...]) -> None:
    assert query_terms(query) == QueryTerms(terms, is_phrase=False)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"The Art of the Art"', QueryTerms(("the", "art", "of", "the", "art"), is_phrase=True)),
        (' "深層学習" ', QueryTerms(("深層", "層学", "学習"), is_phrase=True)),
        ('"networks"', QueryTerms(("network",), is_phrase=False)),
        ('"one" and "two"', QueryTerms(("one", "two"), is_phrase=False)),
        ('""', QueryTerms((), is_phrase=False)),
        ('"', QueryTerms((), is_phrase=False)),
    ],
)
def test_a_query_wholly_in_double_quotes_is_a_phrase(query: str, expected: QueryTerms) -> None:
    assert query_terms(query) == expected


def test_all_terms_keep_stop_words() -> None:
    assert all_terms("The art of the Arts") == ("the", "art", "of")


def test_bigrams_overlap_within_a_run_and_never_across_runs() -> None:
    assert normalised("東京、大阪 ab").split() == ["東京", "、", "大阪", "ab"]
    assert normalised("한국어").split() == ["한국", "국어"]


@given(st.text())
def test_a_text_finds_itself(text: str) -> None:
    assert set(query_terms(text).terms) <= set(all_terms(text))


@given(st.text())
def test_normalising_is_blind_to_compatibility_forms_and_case(text: str) -> None:
    assert all_terms(text.casefold()) == all_terms(text) or not text.isascii()
