"""Unit vectors of papers: streamed to disk by a build, then searched exactly."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

try:
    from usearch.compiled import MetricKind
    from usearch.index import search

    HAS_USEARCH = True
except ImportError:  # the extra `semantic` is not installed
    HAS_USEARCH = False

_META = "vectors.json"
_ROWS = "rows.f16"
_PIDS = "pids.u32"

_BLOCK_ROWS = 8192
_GATHERED_SHARE = 0.1
"""Up to this share of passing rows, copying them out is cheaper than searching among all."""
_SLACK = 64

Scored = list[tuple[int, float]]
"""Papers by pid with their cosine, rounded to 6 decimals."""


class VectorsBuilder:
    """Appends vectors to a new directory; rows are made unit length and stored as float16."""

    def __init__(self, directory: Path, *, model: str, dimensions: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._model = model
        self._dimensions = dimensions
        self._count = 0
        self._rows = (directory / _ROWS).open("wb")
        self._pids = (directory / _PIDS).open("wb")

    def add(self, pids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Appends one row per pid; each pid is added once, in any order."""
        if vectors.shape != (len(pids), self._dimensions):
            raise ValueError(f"expected {len(pids)} rows of {self._dimensions} numbers, got shape {vectors.shape}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        self._rows.write(unit.astype("<f2").tobytes())
        self._pids.write(np.asarray(pids, dtype="<u4").tobytes())
        self._count += len(pids)

    def finish(self) -> None:
        """Closes the files and describes them."""
        self._rows.close()
        self._pids.close()
        meta = {"model": self._model, "dimensions": self._dimensions, "count": self._count}
        (self._directory / _META).write_text(json.dumps(meta), encoding="utf-8")


class Vectors:
    """The vectors of a catalog, mapped into memory; every search is exact over the stored float16 rows."""

    def __init__(self, directory: Path) -> None:
        meta = json.loads((directory / _META).read_text(encoding="utf-8"))
        self.model: str = meta["model"]
        self.dimensions: int = meta["dimensions"]
        self.count: int = meta["count"]
        self._pids: NDArray[np.uint32] = np.fromfile(directory / _PIDS, dtype="<u4")
        self._rows: NDArray[np.float16] = np.empty((0, self.dimensions), dtype="<f2")
        if self.count:
            self._rows = np.memmap(directory / _ROWS, dtype="<f2", mode="r", shape=(self.count, self.dimensions))

    @property
    def pids(self) -> NDArray[np.uint32]:
        """The paper of each row."""
        return self._pids

    def nearest(self, query: NDArray[np.float32], count: int, is_passing: NDArray[np.bool_] | None = None) -> Scored:
        """At least the `count` papers nearest to a unit vector, by cosine desc; all of them when there are fewer.

        `is_passing` says of each row whether it may be returned. Papers that tie with the last one at
        6 decimals are returned too, so that the caller can settle ties by its own order.
        """
        # Stored rows meet the query at their own precision: then the scan and the scores below agree on the order.
        query = query.astype(np.float16).astype(np.float32)
        rows = None if is_passing is None else np.flatnonzero(is_passing)
        total = self.count if rows is None else len(rows)
        wanted = count + _SLACK
        while True:
            wanted = min(wanted, total)
            places = self._best(query, wanted, rows)
            scores = self._rows[places].astype(np.float32) @ query
            order = np.argsort(-scores, kind="stable")
            rounded = np.round(scores[order].astype(np.float64), 6)
            if wanted == total or rounded[-1] < rounded[count - 1]:
                kept = rounded >= rounded[count - 1] if total > count else slice(None)
                return list(zip(self._pids[places][order][kept].tolist(), rounded[kept].tolist(), strict=True))
            wanted *= 2

    def _best(self, query: NDArray[np.float32], count: int, rows: NDArray[np.intp] | None) -> NDArray[np.intp]:
        """Places of the `count` best rows, in no order, out of `rows` (all when None)."""
        if rows is None:
            return _top(self._rows, query, count)
        share = len(rows) / max(1, self.count)
        if share <= _GATHERED_SHARE or not HAS_USEARCH:
            return rows[_top(self._rows[rows], query, count)]
        is_passing = np.zeros(self.count, dtype=np.bool_)
        is_passing[rows] = True
        depth = int(count / share * 1.5) + _SLACK
        while True:
            depth = min(depth, self.count)
            best = _top(self._rows, query, depth)
            found = best[is_passing[best]]
            if len(found) >= count or depth == self.count:
                return found[:count]
            depth *= 2


def _top(rows: NDArray[np.float16], query: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """Places of the `count` rows with the largest inner product, best first."""
    if count >= len(rows):
        return np.arange(len(rows), dtype=np.intp)
    if HAS_USEARCH:
        found = search(rows, query.astype(np.float16), count, MetricKind.IP, exact=True)
        return np.asarray(found.keys, dtype=np.intp)
    scores = np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        scores[start : start + _BLOCK_ROWS] = rows[start : start + _BLOCK_ROWS].astype(np.float32) @ query
    best = np.argpartition(-scores, count)[:count]
    return best[np.argsort(-scores[best], kind="stable")]
