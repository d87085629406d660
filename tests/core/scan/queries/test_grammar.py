"""Keyword texts as trees: precedence, operators without a term, what is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.scan.queries.grammar import And, Not, Or, Term, Tree, parse, terms, without_exclusions

A, B, C, D = map(Term, "abcd")


# scan A12
@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("a b", And((A, B))),
        ("a AND b OR c d", Or((And((A, B)), And((C, D))))),
        ("a NOT b", And((A, Not(B)))),
        ("a AND (b OR c)", And((A, Or((B, C))))),
        ("a (b (c d))", And((A, B, C, D))),
        ("a OR (b OR c)", Or((A, B, C))),
        ('"a  b" c', And((Term("a b", True), C))),
        ('"a"', A),
        ("a and b or c not d", And((A, Term("and"), B, Term("or"), C, Term("not"), D))),
        ("NOT NOT a", A),
        ("a NOT (b NOT c)", And((A, Not(And((B, Not(C))))))),
        ("a NOT b NOT c", And((A, Not(B), Not(C)))),
        ("a (NOT b OR NOT c)", And((A, Not(And((B, C)))))),
        ("a (NOT b NOT c)", And((A, Not(Or((B, C)))))),
        ("a OR NOT b", A),
        ("AND a OR AND NOT", A),
        ("a () & b", And((A, B))),
        ("NOT AND a", A),
        ("a(b)c", And((A, B, C))),
    ],
)
def test_a_text_is_read_by_precedence(text: str, tree: Tree) -> None:
    assert parse(text) == tree


# scan A12
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('a "b', "has unbalanced quotes"),
        ("(a", "has unbalanced parentheses"),
        ("a)", "has unbalanced parentheses"),
        (")a(", "has unbalanced parentheses"),
        ("NOT a", "has only exclusions"),
        ("NOT a NOT b", "has only exclusions"),
        ("NOT a OR NOT b", "has only exclusions"),
        ("NOT (a NOT b)", "has only exclusions"),
        ("AND OR", "has no words to search for"),
        ('"" & ()', "has no words to search for"),
    ],
)
def test_a_text_that_searches_for_nothing_is_refused_with_one_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse(text)
    assert refusal.value.message == reason


def test_parentheses_in_quotes_do_not_count() -> None:
    assert parse('"a (b"') == Term("a (b", True)


def test_what_is_excluded_is_no_term() -> None:
    tree = parse('a NOT (b c) ("d e" OR c NOT a)')
    assert [term.text for term in terms(tree)] == ["a", "d e", "c"]
    assert without_exclusions(tree) == And((A, Or((Term("d e", True), C))))
    assert without_exclusions(Not(A)) is None


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["a", "b", "AND", "OR", "NOT", "(", ")", '"', " ", "é", "-"]), max_size=30))
def test_any_text_is_a_tree_or_one_of_four_reasons(parts: list[str]) -> None:
    try:
        tree = parse(" ".join(parts))
    except InvalidInput as refusal:
        assert refusal.message.startswith(("has unbalanced ", "has only ", "has no words "))
        return
    assert not isinstance(tree, Not)
    check(tree)


def check(tree: Tree) -> None:
    """The shape that writers rely on."""
    match tree:
        case And(parts):
            assert len(parts) > 1
            assert not all(isinstance(each, Not) for each in parts)
            assert not any(isinstance(each, And) for each in parts)
        case Or(parts):
            assert len(parts) > 1
            assert not any(isinstance(each, Not | Or) for each in parts)
        case Not(part):
            assert not isinstance(part, Not)
            parts = (part,)
        case Term():
            parts = ()
    for each in parts:
        check(each)


def test_five_hundred_signs_of_nesting_are_read() -> None:
    assert parse("(" * 249 + "a" + ")" * 249) == A
    assert parse("a OR (b " * 60 + "c" + ")" * 60)
