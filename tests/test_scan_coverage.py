"""The scan contract and its tests, held together: each acceptance statement has a test that names it."""

from collections.abc import Mapping
from pathlib import Path

from tests import statements

STATEMENTS = range(1, 81)

NOT_YET: Mapping[int, str] = {}
"""Statements without a test, each with the reason. Exact: one that a test names leaves in the same commit."""

ONLY_IN_PART: Mapping[int, str] = {}
"""Statements that no test covers in full, each with what is not covered."""


def named() -> Mapping[int, frozenset[bool]]:
    """Every statement that some test names, and how."""
    return statements.named("scan", but=Path(__file__))


def test_every_statement_is_named_by_a_test_or_waits() -> None:
    assert set(STATEMENTS) - set(named()) == set(NOT_YET)


def test_what_is_named_in_part_only_is_known() -> None:
    assert {number for number, ways in named().items() if ways == {True}} == set(ONLY_IN_PART)


def test_no_test_names_a_statement_that_there_is_not() -> None:
    assert (set(named()) | set(NOT_YET)) - set(STATEMENTS) == set()
