"""What each source is sent, and how it is relaxed: its own operators, and never a word that the query lacks."""

import re
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.scan.models import FoundWork, Query
from core.scan.queries.exclusions import admits
from core.scan.queries.grammar import parse
from core.scan.queries.writers import conjunctions, native, relaxed, title_words, tree_of, words
from core.scan.vocabulary import SourceName

SOURCES: tuple[SourceName, ...] = ("catalog", "openalex", "s2", "arxiv", "crossref")


def query(text: str, mode: Literal["semantic", "keyword"] = "keyword") -> Query:
    return Query("Q1", "direct", text, mode)


# scan A55
@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("openalex", '"deep learning" AND (vision OR fine-tuning) NOT (survey OR "the art")'),
        ("s2", '"deep learning" + (vision | fine-tuning) -(survey | "the art")'),
        ("arxiv", 'all:"deep learning" AND (all:vision OR all:fine-tuning) ANDNOT (all:survey OR all:"the art")'),
        ("crossref", "deep learning vision fine-tuning"),
        ("catalog", "deep learning vision fine-tuning"),
    ],
)  # fmt: skip
def test_each_source_gets_its_own_boolean_form(source: SourceName, form: str) -> None:
    text = '"deep learning" AND (vision OR fine-tuning) NOT (survey OR "the art")'
    assert native(query(text), source) == form


@pytest.mark.parametrize(
    ("source", "form"),
    [
        ("openalex", "The GPT-4.1 title p-value learner's 3.5 GHz"),
        ("s2", "The GPT 4.1 title p value learner's 3.5 GHz"),
        ("arxiv", "all:The AND all:GPT-4.1 AND all:title AND all:p-value AND all:learner's AND all:3.5 AND all:GHz"),
        ("crossref", "The GPT-4.1 title p-value learner's 3.5 GHz"),
        ("catalog", "The GPT-4.1 title p-value learner's 3.5 GHz"),
    ],
)  # fmt: skip
def test_a_semantic_text_is_words_alone(source: SourceName, form: str) -> None:
    text = 'The "GPT-4.1" AND (title: p-value) OR | learner\'s, 3.5 GHz? NOT'
    assert native(query(text, "semantic"), source) == form


# scan A57
@pytest.mark.parametrize(
    ("source", "mode", "forms"),
    [
        ("openalex", "keyword", ("deep AND learning AND vision", "deep OR learning OR vision")),
        ("s2", "keyword", ("deep + learning + vision", "deep | learning | vision")),
        ("arxiv", "keyword", ("all:deep AND all:learning AND all:vision", "all:deep OR all:learning OR all:vision")),
        ("crossref", "keyword", ()),
        ("openalex", "semantic", ("learning OR vision OR survey",)),
        ("s2", "semantic", ("learning vision survey",)),
        ("arxiv", "semantic", ("all:learning OR all:vision OR all:survey",)),
        ("crossref", "semantic", ("learning vision survey",)),
    ],
)  # fmt: skip
def test_relaxed_forms_lose_exclusions_and_quotes_then_all_but_three_words(
    source: SourceName, mode: Literal["semantic", "keyword"], forms: tuple[str, ...]
) -> None:
    assert relaxed(query('"deep learning" vision NOT survey', mode), source) == forms


def test_what_was_sent_already_is_no_relaxed_form() -> None:
    assert relaxed(query("a"), "openalex") == ()
    assert relaxed(query("a", "semantic"), "s2") == ()
    assert relaxed(query("a b"), "arxiv") == ("all:a OR all:b",)
    assert relaxed(query("a a a b", "semantic"), "openalex") == ("a OR b",)


def test_a_text_without_any_word_has_no_form() -> None:
    assert [native(query("!? NOT", "semantic"), source) for source in SOURCES] == [""] * 5
    assert [relaxed(query("!?", "semantic"), source) for source in SOURCES] == [()] * 5


@settings(max_examples=150)
@given(st.text(st.sampled_from("ab-é() \"NOTANDOR'.:+|"), max_size=40), st.sampled_from(["semantic", "keyword"]))
def test_no_word_is_ever_added(text: str, mode: Literal["semantic", "keyword"]) -> None:
    # scan A57
    try:
        asked = query(text, mode)
        tree_of(asked)
    except InvalidInput:
        return
    own = set(re.findall(r"\w+", text.lower()))
    for source in SOURCES:
        for form in (native(asked, source), *relaxed(asked, source)):
            bare = re.sub(r"all:|\bANDNOT\b|\bAND\b|\bOR\b|\bNOT\b", " ", form)
            assert set(re.findall(r"\w+", bare.lower())) <= own


def test_the_catalog_is_asked_for_at_most_four_conjunctions() -> None:
    assert conjunctions(parse('"deep learning"')) == ('"deep learning"',)
    assert conjunctions(parse('(a OR "b c") (d OR e) NOT f')) == ("a d", "a e", "b c d", "b c e")
    assert conjunctions(parse("(a OR b OR c) (d OR e)")) == ("a d", "a e", "b d", "b e")
    assert conjunctions(parse("a OR b OR a")) == ("a", "b")


def test_words_leave_out_what_is_excluded() -> None:
    assert words(query("a b NOT c")) == ("a", "b")
    assert words(query("a b NOT c", "semantic")) == ("a", "b", "c")
    assert title_words("Is it: A-Test? (NOT) | x") == "is it a test not x"


# scan A55
@pytest.mark.parametrize(
    ("text", "title", "abstract", "expected"),
    [
        ("a NOT AI", "On AIDS", None, True),
        ("a NOT AI", "On ai, again", None, False),
        ("a NOT AI", "On ethics", "with AI.", False),
        ('a NOT "deep learning"', "Deep learning", None, False),
        ('a NOT "deep learning"', "Deep and learning", None, True),
        ("a NOT (b c)", "only b", None, True),
        ("a NOT (b c)", "b and c", None, False),
        ("a NOT (b OR c)", "only c", None, False),
        ("a NOT (b NOT c)", "b and c", None, True),
        ("(a NOT b) OR c", "b", None, True),
        ("a b", "neither", None, True),
    ],
)
def test_exclusions_are_checked_here_too(text: str, title: str, abstract: str | None, expected: bool) -> None:
    assert admits(parse(text), FoundWork(title, abstract)) is expected
    assert admits(None, FoundWork(title, abstract))


# scan A57
def test_what_is_nested_stays_nested_when_it_is_relaxed() -> None:
    asked = query('("a b" c OR (d NOT e)) f')
    assert native(asked, "openalex") == '(("a b" AND c) OR (d NOT e)) AND f'
    assert relaxed(asked, "openalex") == ("((a AND b AND c) OR d) AND f", "a OR b OR c")
    assert conjunctions(parse(asked.text)) == ("a b c f", "d f")
