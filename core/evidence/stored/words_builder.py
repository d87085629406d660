"""Writes the word index of one field: which documents hold a term, how often, and where."""

import sqlite3
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.evidence.folding import tokens

_GAP = 0
_FREQUENCY_MAX = 2**16 - 1
_INSERT = "INSERT INTO term (field, term, first, documents, first_place, places) VALUES (?, ?, ?, ?, ?, ?)"


class FieldBuilder:
    """One field of documents that are added in the order of their numbers, each once."""

    def __init__(self, field: str) -> None:
        self._field = field
        self._ids: dict[str, int] = {}
        self._sequence = array("I")
        self._starts = array("I", [0])
        self._lengths = array("I")

    def add(self, texts: Sequence[str]) -> None:
        """The texts of the next document; nothing that is adjacent reaches over the end of one."""
        ids, length = self._ids, 0
        for text in texts:
            found = [ids.setdefault(token, len(ids) + 1) for token in tokens(text)]
            length += len(found)
            self._sequence.extend(found)
            self._sequence.append(_GAP)
        self._lengths.append(length)
        self._starts.append(len(self._sequence))

    def write(self, directory: Path, connection: sqlite3.Connection) -> None:
        """Writes the arrays into a folder and the terms into the records."""
        names = sorted(self._ids)
        ranks = np.zeros(len(names) + 1, dtype=np.uint32)
        for rank, name in enumerate(names, start=1):
            ranks[self._ids[name]] = rank
        sequence = ranks[np.frombuffer(self._sequence, dtype=np.uint32)]
        order = np.argsort(sequence, kind="stable")
        order = order[np.searchsorted(sequence[order], 1) :]
        terms = sequence[order]
        starts = np.frombuffer(self._starts, dtype=np.uint32)
        documents = (np.searchsorted(starts, order, side="right") - 1).astype(np.uint32)
        is_new = np.ones(len(terms), dtype=bool)
        is_new[1:] = (terms[1:] != terms[:-1]) | (documents[1:] != documents[:-1])
        heads = np.flatnonzero(is_new)
        frequencies = np.diff(np.append(heads, len(terms)))
        arrays: dict[str, NDArray[Any]] = {
            "docs": documents[heads],
            "freqs": np.minimum(frequencies, _FREQUENCY_MAX).astype(np.uint16),
            "places": order.astype(np.uint32),
            "starts": starts,
            "lengths": np.frombuffer(self._lengths, dtype=np.uint32),
        }
        for name, values in arrays.items():
            np.save(directory / f"{self._field}.{name}.npy", values)
        connection.executemany(_INSERT, self._terms(names, terms, terms[heads]))

    def _terms(
        self, names: Sequence[str], terms: NDArray[np.uint32], heads: NDArray[np.uint32]
    ) -> list[tuple[str, str, int, int, int, int]]:
        wanted = np.arange(1, len(names) + 2)
        first, place = np.searchsorted(heads, wanted).tolist(), np.searchsorted(terms, wanted).tolist()
        return [
            (self._field, name, first[i], first[i + 1] - first[i], place[i], place[i + 1] - place[i])
            for i, name in enumerate(names)
        ]
