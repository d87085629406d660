"""What each entry of the store is, read once and again when its file changes."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import StoreFailed
from core.references.store.documents import OWN_TABLE, plain_values
from core.references.store.layout import Layout
from core.references.store.shape import identity_of, stored_year

_Mark = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One entry in a list."""

    safekey: str
    title: str
    year: int | None
    fetched_at: str | None


@dataclass(frozen=True, slots=True)
class Known:
    """What lists and look-ups need of an entry; `searched` is lower-case."""

    identity: str | None
    row: Row
    searched: tuple[str, ...]


class Index:
    """All entries of a store; None stands for one that cannot be read."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._lock = threading.Lock()
        self._known: dict[str, tuple[_Mark, Known | None]] = {}

    def find(self, identity: str, likely: str) -> str | None:
        """The stem of the entry with an identity; the likely one is looked at first. Raises `StoreFailed`."""
        with self._lock:
            content = self._layout.read_toml(likely)
            if content is not None and identity_of(plain_values(content)) == identity:
                return likely
            self._refresh()
            found = (stem for stem, (_, known) in self._known.items() if known and known.identity == identity)
            return min(found, default=None)

    def stems(self) -> set[str]:
        """The stems in use, also those of entries that cannot be read."""
        with self._lock:
            self._refresh()
            return set(self._known)

    def all(self) -> list[Known]:
        """Every entry that can be read, by safekey."""
        with self._lock:
            self._refresh()
            return [known for _, (_, known) in sorted(self._known.items()) if known is not None]

    def _refresh(self) -> None:
        present = dict(self._layout.entries())
        fresh = {}
        for stem, found in present.items():
            held = self._known.get(stem)
            mark = _mark(found)
            fresh[stem] = held if held is not None and held[0] == mark else (mark, self._read(stem))
        self._known = fresh

    def _read(self, stem: str) -> Known | None:
        try:
            content = self._layout.read_toml(stem)
            return None if content is None else _known(stem, plain_values(content))
        except (OSError, StoreFailed):
            return None


def _known(stem: str, values: Mapping[str, Any]) -> Known:
    own = values.get(OWN_TABLE)
    fetched_at = own.get("fetched_at") if isinstance(own, dict) else None
    title, authors = values.get("title"), values.get("authors")
    row = Row(
        stem,
        title if isinstance(title, str) else stem,
        stored_year(values),
        fetched_at if isinstance(fetched_at, str) else None,
    )
    names = " ".join(each for each in authors if isinstance(each, str)) if isinstance(authors, list) else ""
    texts = (row.title, names, values.get("venue"), values.get("publisher"))
    return Known(identity_of(values), row, tuple(text.lower() for text in texts if isinstance(text, str)))


def _mark(found: os.stat_result) -> _Mark:
    """What tells one state of a file from another."""
    return found.st_mtime_ns, found.st_size, found.st_ino
