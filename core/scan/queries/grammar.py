"""The grammar of keyword texts: words, phrases, AND, OR, NOT, parentheses (scan contract 7.3).

Terms side by side mean AND; NOT binds closest, then AND, then OR. Operators are upper case, and one without a term to
work on is passed over.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or the words between two quotes."""

    text: str
    is_phrase: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """What must not be there."""

    part: "Tree"


@dataclass(frozen=True, slots=True)
class And:
    """At least two parts, one of them no exclusion."""

    parts: tuple["Tree", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least two parts, none of them an exclusion."""

    parts: tuple["Tree", ...]


Tree = Term | Not | And | Or

_TOKENS = re.compile(r'"([^"]*)"|([()])|([^\s()"]+)')
_OPERATORS = frozenset({"AND", "OR", "NOT"})


def parse(text: str) -> Tree:
    """The tree of a text, never an exclusion alone; raises `InvalidInput` with the one reason why there is none."""
    if text.count('"') % 2:
        raise InvalidInput("has unbalanced quotes")
    levels = [_Level()]
    for phrase, bracket, word in _TOKENS.findall(text):
        if bracket == "(":
            levels.append(_Level())
        elif bracket:
            inner = levels.pop()
            if not levels:
                raise InvalidInput("has unbalanced parentheses")
            levels[-1].add(inner.tree())
        elif word in _OPERATORS:
            levels[-1].operate(word)
        else:
            levels[-1].add(_term(phrase or word, is_phrase=bool(phrase)))
    if len(levels) > 1:
        raise InvalidInput("has unbalanced parentheses")
    tree = levels[0].tree()
    if tree is None:
        raise InvalidInput("has no words to search for")
    if isinstance(tree, Not):
        raise InvalidInput("has only exclusions")
    return tree


def without_exclusions(tree: Tree) -> Tree | None:
    """The same without what must not be there; None where nothing else is in it."""
    match tree:
        case Not():
            return None
        case And(parts) | Or(parts):
            kept = [each for part in parts if (each := without_exclusions(part)) is not None]
            return _joined(kept, And if isinstance(tree, And) else Or)
        case _:
            return tree


def terms(tree: Tree) -> Iterator[Term]:
    """The terms in their order, those of exclusions left out."""
    match tree:
        case Term():
            yield tree
        case And(parts) | Or(parts):
            for part in parts:
                yield from terms(part)


class _Level:
    """What stands between two parentheses, read from left to right."""

    def __init__(self) -> None:
        self._alternatives: list[list[Tree]] = [[]]
        self._is_negated = False

    def operate(self, word: str) -> None:
        if word == "NOT":
            self._is_negated = not self._is_negated
            return
        self._is_negated = False
        if word == "OR":
            self._alternatives.append([])

    def add(self, tree: Tree | None) -> None:
        if tree is not None:
            self._alternatives[-1].append(_negated(tree) if self._is_negated else tree)
        self._is_negated = False

    def tree(self) -> Tree | None:
        found = [each for parts in self._alternatives if (each := _all_of(parts)) is not None]
        excluded = [each.part for each in found if isinstance(each, Not)]
        if found and len(excluded) == len(found):
            inner = _joined(excluded, And)
            return None if inner is None else _negated(inner)
        # An alternative that only excludes would admit nearly everything; no source takes one.
        return _joined([each for each in found if not isinstance(each, Not)], Or)


def _term(text: str, *, is_phrase: bool) -> Term | None:
    words = text.split()
    if not any(map(str.isalnum, text)):
        return None
    return Term(" ".join(words), is_phrase=is_phrase and len(words) > 1)


def _negated(tree: Tree) -> Tree:
    return tree.part if isinstance(tree, Not) else Not(tree)


def _all_of(parts: Sequence[Tree]) -> Tree | None:
    excluded = [each.part for each in parts if isinstance(each, Not)]
    if parts and len(excluded) == len(parts):
        inner = _joined(excluded, Or)
        return None if inner is None else _negated(inner)
    return _joined(parts, And)


def _joined(parts: Sequence[Tree], kind: type[And] | type[Or]) -> Tree | None:
    """The parts as one; those of the same kind are taken apart."""
    flat: list[Tree] = []
    for part in parts:
        flat += part.parts if isinstance(part, And | Or) and isinstance(part, kind) else (part,)
    if len(flat) < 2:
        return flat[0] if flat else None
    return kind(tuple(flat))
