"""Orders and word matches that the listings of named things share (catalog contract 4, 11.3)."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Protocol, TypeVar

from core.catalog.models import Direction
from core.folds import key_fold, plain_fold

NameKey = tuple[str, str, int]
"""Sorts as text by plain fold, then code points, then id."""


class Named(Protocol):
    """An entry of a listing."""

    @property
    def name_key(self) -> NameKey:
        """Its place by name, then id."""
        ...


N = TypeVar("N", bound=Named)


def name_key(name: str, number: int) -> NameKey:
    """The place of a name among others."""
    return plain_fold(name), name, number


def text_key(text: str | None) -> tuple[str, str] | None:
    """The place of a text that may be missing."""
    return None if text is None else (plain_fold(text), text)


def ordered(entries: Iterable[N], first_key: Callable[[N], Any], direction: Direction) -> list[N]:
    """Entries by the first key, missing values last both ways; ties by name, then id, which never turn round."""
    by_name = sorted(entries, key=lambda entry: entry.name_key)
    known = [entry for entry in by_name if first_key(entry) is not None]
    missing = [entry for entry in by_name if first_key(entry) is None]
    # A stable sort that is turned round keeps equal entries in the order of their tie-breakers.
    known.sort(key=first_key, reverse=direction is Direction.DESC)
    return known + missing


def searchable(*texts: str | None) -> str:
    """Texts as `has_words` looks for words in them."""
    return "".join(f" {key_fold(text)}" for text in texts if text)


def has_words(text: str, search: str | None) -> bool:
    """Whether every word of a search begins a word of a `searchable` text; a search without a word finds nothing."""
    if search is None:
        return True
    words = _words(search)
    return bool(words) and all(word in text for word in words)


@lru_cache(maxsize=256)
def _words(search: str) -> tuple[str, ...]:
    """The words of a search, each behind the blank that begins a word; asked for once an entry."""
    return tuple(f" {word}" for word in key_fold(search).split())
