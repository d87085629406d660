"""What each source is sent for a query: its native form, and the relaxed forms of it (scan contract 7.3).

Forms are derived mechanically. No word is ever added.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from core.scan.models import Query
from core.scan.queries.grammar import And, Not, Or, Term, Tree, parse, terms, without_exclusions
from core.scan.vocabulary import SourceName

CONJUNCTIONS_MAX = 4
LONGEST_WORDS = 3

_OPERATORS = frozenset({"AND", "OR", "NOT"})
_WORD = re.compile(r"[^\W_]+(?:[-\u2010\u2011'\u2019][^\W_]+|\.(?=\d)[^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How a source with Boolean search writes operators and terms."""

    all_of: str
    any_of: str
    none_of: str
    leaf: Callable[[str], str]


def _plain(text: str) -> str:
    return f'"{text}"' if " " in text else text


def _in_all_fields(text: str) -> str:
    return f"all:{_plain(text)}"


_DIALECTS: dict[SourceName, _Dialect] = {
    "openalex": _Dialect(" AND ", " OR ", " NOT ", _plain),
    "s2": _Dialect(" + ", " | ", " -", _plain),
    "arxiv": _Dialect(" AND ", " OR ", " ANDNOT ", _in_all_fields),
}


def tree_of(query: Query) -> Tree | None:
    """The tree of a keyword query; None of a semantic one. Raises `InvalidInput` for a text that no scan admits."""
    return parse(query.text) if query.mode == "keyword" else None


def native(query: Query, source: SourceName) -> str:
    """What a source is sent; empty where the text holds no word that can be searched for."""
    tree = tree_of(query)
    if tree is not None and source in _DIALECTS:
        return _written(tree, _DIALECTS[source])
    return _of_words(words(query), source)


def relaxed(query: Query, source: SourceName) -> tuple[str, ...]:
    """At most two looser forms, the tighter one first, none of them what was sent before."""
    tree, forms = tree_of(query), []
    positive = None if tree is None else without_exclusions(tree)
    if positive is not None and source in _DIALECTS:
        forms.append(_written(_unquoted(positive), _DIALECTS[source]))
    few = _longest(words(query))
    is_boolean = source in _DIALECTS and (tree is not None or source != "s2")
    forms.append(_any_word(few, _DIALECTS[source]) if is_boolean else _of_words(few, source))
    sent = native(query, source)
    return tuple(form for form in dict.fromkeys(forms) if form and form != sent)


def words(query: Query) -> tuple[str, ...]:
    """The words of a query without operators, punctuation and what a keyword query excludes."""
    tree = tree_of(query)
    texts = [query.text] if tree is None else [term.text for term in terms(tree)]
    return tuple(word for text in texts for word in _WORD.findall(text) if tree is not None or word not in _OPERATORS)


def title_words(title: str) -> str:
    """A title as words that no source takes for anything else."""
    return " ".join(_WORD.findall(title.replace("-", " "))).lower()


def conjunctions(tree: Tree) -> tuple[str, ...]:
    """At most four texts that together say what a tree wants, for a search that knows no operators.

    Alternatives come in the order of the text; a phrase that stands alone keeps its quotes.
    """
    positive = without_exclusions(tree)
    found = [] if positive is None else _alternatives(positive)
    return tuple(dict.fromkeys(filter(None, map(_conjunction, found))))


def _alternatives(tree: Tree) -> list[tuple[Term, ...]]:
    match tree:
        case Or(parts):
            return [each for part in parts for each in _alternatives(part)][:CONJUNCTIONS_MAX]
        case And(parts):
            found: list[tuple[Term, ...]] = [()]
            for part in parts:
                found = [one + other for one in found for other in _alternatives(part)][:CONJUNCTIONS_MAX]
            return found
        case Not():
            return []
        case _:
            return [(tree,)]


def _conjunction(found: Sequence[Term]) -> str:
    texts = [" ".join(_WORD.findall(each.text)) for each in found]
    if len(found) == 1 and found[0].is_phrase:
        return _plain(texts[0])
    return " ".join(filter(None, texts))


def _of_words(found: Sequence[str], source: SourceName) -> str:
    match source:
        case "arxiv":
            return " AND ".join(f"all:{word}" for word in found)
        case "s2":
            return " ".join(" ".join(re.split(r"[-\u2010\u2011]", word)) for word in found)
        case _:
            return " ".join(found)


def _written(tree: Tree, dialect: _Dialect, *, is_inside: bool = False) -> str:
    match tree:
        case Term(text):
            return dialect.leaf(" ".join(_WORD.findall(text)))
        case Not(part):
            return dialect.none_of.lstrip() + _written(part, dialect, is_inside=True)
        case Or(parts):
            whole = dialect.any_of.join(_written(each, dialect, is_inside=True) for each in parts)
        case And(parts):
            wanted = [each for each in parts if not isinstance(each, Not)]
            whole = dialect.all_of.join(_written(each, dialect, is_inside=True) for each in wanted)
            for each in parts:
                if isinstance(each, Not):
                    whole += dialect.none_of + _written(each.part, dialect, is_inside=True)
    return f"({whole})" if is_inside else whole


def _unquoted(tree: Tree) -> Tree:
    """The same with each phrase as words that must all be there."""
    match tree:
        case And(parts):
            return _flat(map(_unquoted, parts))
        case Or(parts):
            return Or(tuple(map(_unquoted, parts)))
        case Term(text) if tree.is_phrase:
            return And(tuple(map(Term, _WORD.findall(text))))
        case _:
            return tree


def _flat(parts: Iterable[Tree]) -> And:
    return And(tuple(inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))))


def _longest(found: Sequence[str]) -> list[str]:
    """The three longest words, the earlier one of equals, in the order of the text."""
    distinct = list({word.lower(): word for word in reversed(found)}.values())[::-1]
    kept = sorted(distinct, key=len, reverse=True)[:LONGEST_WORDS]
    return [word for word in distinct if word in kept]


def _any_word(found: Sequence[str], dialect: _Dialect) -> str:
    return dialect.any_of.join(map(dialect.leaf, found))
