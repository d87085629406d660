"""Exact word search over fields: who matches completely or partly, and the BM25 score in each field (5.2, 5.3)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from core.catalog.embedded.connection import Connection, bindable
from core.evidence.folding import Unit

K1: Final = 1.2
B: Final = 0.75
SCORE_DECIMALS: Final = 6
_MAPPED_FROM_BYTES = 2**16
# Two lists of places are merged when one is at most this many times as long; else the short one is looked up.
_MERGED_UP_TO = 4

Numbers = NDArray[np.uint32]
Mask = NDArray[np.bool_]
Scores = NDArray[np.float64]
_NONE: Numbers = np.empty(0, dtype=np.uint32)
_TERM = "SELECT first, documents, first_place, places FROM term WHERE field = ? AND term = ?"


@dataclass(frozen=True, slots=True)
class Postings:
    """Documents that hold a unit in one field, ascending, and how often."""

    docs: Numbers
    freqs: NDArray[np.uint16] | NDArray[np.int64]


class FieldWords:
    """The index of one field."""

    def __init__(self, directory: Path, field: str) -> None:
        self.field = field
        self._docs: Numbers = _mapped(directory, field, "docs")
        self._freqs: NDArray[np.uint16] = _mapped(directory, field, "freqs")
        self._places: Numbers = _mapped(directory, field, "places")
        self._starts: Numbers = _mapped(directory, field, "starts")
        lengths: Numbers = _mapped(directory, field, "lengths")
        self.size = len(lengths)
        self._documents = int(np.count_nonzero(lengths))
        average = float(lengths.sum()) / self._documents if self._documents else 1.0
        self._norms: Scores = np.asarray(K1 * (1.0 - B + B * lengths / average), dtype=np.float64)

    def postings(self, connection: Connection, unit: Unit) -> Postings:
        """Where a unit stands."""
        if len(unit.tokens) > 1:
            return self._phrase(connection, unit.tokens)
        found = self._entry(connection, unit.tokens[0])
        if found is None:
            return Postings(_NONE, np.empty(0, dtype=np.uint16))
        first, documents, _, _ = found
        return Postings(self._docs[first : first + documents], self._freqs[first : first + documents])

    def _entry(self, connection: Connection, token: str) -> tuple[int, int, int, int] | None:
        found: tuple[int, int, int, int] | None = connection.execute(_TERM, (self.field, bindable(token))).fetchone()
        return found

    def _phrase(self, connection: Connection, parts: Sequence[str]) -> Postings:
        """Documents in which tokens follow each other: the rarest one's places are looked up in the others'."""
        entries = [self._entry(connection, part) for part in parts]
        if any(entry is None for entry in entries):
            return Postings(_NONE, np.empty(0, dtype=np.int64))
        last = len(parts) - 1
        known = sorted((entry[3], last - offset, entry[2]) for offset, entry in enumerate(entries) if entry is not None)
        ends: Numbers | None = None
        for count, to_end, first in known:
            places = self._places[first : first + count]
            ends = places + np.uint32(to_end) if ends is None else _ending(ends, places, np.uint32(to_end))
        docs = np.searchsorted(self._starts, (_NONE if ends is None else ends) - np.uint32(last), side="right") - 1
        unique, counts = np.unique(docs.astype(np.uint32), return_counts=True)
        return Postings(unique, counts)

    def scored(self, found: Postings, is_wanted: Mask) -> tuple[Numbers, Scores]:
        """The wanted documents of a unit's postings with their BM25 scores."""
        chosen = is_wanted[found.docs]
        docs, freqs = (found.docs, found.freqs) if chosen.all() else (found.docs[chosen], found.freqs[chosen])
        holding = len(found.docs)
        idf = math.log(1.0 + (self._documents - holding + 0.5) / (holding + 0.5))
        return docs, (idf * (K1 + 1.0)) * (freqs / (freqs + self._norms[docs]))


def _ending(ends: Numbers, places: Numbers, to_end: np.uint32) -> Numbers:
    """Those of the ascending ends of a phrase that have a place so far before them."""
    if len(ends) * _MERGED_UP_TO > len(places):
        return np.intersect1d(ends, places + to_end, assume_unique=True)
    # What would stand before the first place of all wraps around, and there is no place so late.
    wanted = ends - to_end
    at = np.minimum(np.searchsorted(places, wanted), len(places) - 1)
    found: Numbers = ends[places[at] == wanted]
    return found


def _mapped(directory: Path, field: str, name: str) -> Any:
    path = directory / f"{field}.{name}.npy"
    # An array without elements cannot be mapped, and one page is read faster.
    mode: Literal["r"] | None = "r" if path.stat().st_size > _MAPPED_FROM_BYTES else None
    return np.load(path, mmap_mode=mode, allow_pickle=False).view(np.ndarray)


@dataclass(frozen=True, slots=True)
class Found:
    """Who matches a query. `absent` are the units found nowhere; `postings` are by field, then unit."""

    matches: Mask
    is_complete: bool
    absent: tuple[Unit, ...]
    postings: tuple[tuple[Postings, ...], ...]


class Words:
    """An index of documents with one or more fields."""

    def __init__(self, directory: Path, fields: Sequence[str]) -> None:
        self._fields = tuple(FieldWords(directory, field) for field in fields)
        self.size = self._fields[0].size

    def find(self, connection: Connection, query: Sequence[Unit]) -> Found:
        """Documents with every unit in some field; only where there is none, those with at least half of the tokens."""
        found = tuple(tuple(field.postings(connection, unit) for unit in query) for field in self._fields)
        held = np.zeros(self.size, dtype=np.uint16)
        absent = []
        for place, unit in enumerate(query):
            has = np.zeros(self.size, dtype=bool)
            for postings in found:
                has[postings[place].docs] = True
            if not has.any():
                absent.append(unit)
            held += has * np.uint16(len(unit.tokens))
        whole = sum(len(unit.tokens) for unit in query)
        matches = held == whole
        if matches.any():
            return Found(matches, is_complete=True, absent=(), postings=found)
        return Found(held >= (whole + 1) // 2, is_complete=False, absent=tuple(absent), postings=found)

    def scores(self, found: Found, wanted: Mask, *, is_rounded: bool = True) -> list[Scores]:
        """For each field the BM25 scores of all documents; 0 for those that are not wanted or not there.

        Six decimals count; who looks at few of many scores may round those alone.
        """
        by_field = []
        for field, postings in zip(self._fields, found.postings, strict=True):
            total = np.zeros(self.size)
            for each in postings:
                docs, scores = field.scored(each, wanted)
                total[docs] += scores
            by_field.append(np.round(total, SCORE_DECIMALS) if is_rounded else total)
        return by_field
