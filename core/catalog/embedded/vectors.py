"""Unit vectors of papers: streamed to disk by a build, then searched exactly."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.catalog.embedded.coarse import CoarseBuilder, CoarseRows, Estimates

try:
    import numkong
except ImportError:  # the extra `semantic` is not installed: plain numpy is some ten times slower
    HAS_NUMKONG = False
else:
    HAS_NUMKONG = True

_META = "vectors.json"
_ROWS = "rows.f16"
_PIDS = "pids.u32"

_BLOCK_ROWS = 1024
_SCORE_DECIMALS = 6
_TIE_WIDTH = 1e-6
_BLOCKS_PER_RANK = 32
# Looking at more than this share of the rows one by one takes longer than looking at all of them in a row.
_SHARE_MOST = 0.25

Scored = list[tuple[int, float]]
"""Papers by pid with their cosine, rounded to 6 decimals."""


class VectorsBuilder:
    """Appends vectors to a new directory; rows are made unit length and stored as float16.

    `has_coarse` adds their eight-bit form, which `Vectors.deciding_cosines` is fast with. Used with `with`, its files
    are closed whatever happens.
    """

    def __init__(self, directory: Path, *, model: str, dimensions: int, has_coarse: bool = False) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._model = model
        self._dimensions = dimensions
        self._count = 0
        self._rows = (directory / _ROWS).open("wb")
        self._pids = (directory / _PIDS).open("wb")
        self._coarse = CoarseBuilder(directory) if has_coarse else None

    def add(self, pids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Appends one row per pid; each pid is added once, in any order."""
        if vectors.shape != (len(pids), self._dimensions):
            raise ValueError(f"expected {len(pids)} rows of {self._dimensions} numbers, got shape {vectors.shape}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # A row without a length, or with one beyond all numbers, is near nothing.
        has_length = (lengths > 0) & np.isfinite(lengths)
        unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=has_length)
        stored = unit.astype("<f2")
        self._rows.write(stored.tobytes())
        if self._coarse is not None:
            self._coarse.add(stored)
        self._pids.write(np.asarray(pids, dtype="<u4").tobytes())
        self._count += len(pids)

    def __enter__(self) -> "VectorsBuilder":
        return self

    def __exit__(self, *failure: object) -> None:
        self._close()

    def _close(self) -> None:
        self._rows.close()
        self._pids.close()
        if self._coarse is not None:
            self._coarse.finish()

    def finish(self) -> None:
        """Closes the files and describes them."""
        self._close()
        meta = {
            "model": self._model,
            "dimensions": self._dimensions,
            "count": self._count,
            "coarse": self._coarse is not None,
        }
        (self._directory / _META).write_text(json.dumps(meta), encoding="utf-8")


class Vectors:
    """The vectors of a catalog, mapped into memory; every search looks at every row."""

    def __init__(self, directory: Path) -> None:
        meta = json.loads((directory / _META).read_text(encoding="utf-8"))
        self.model: str = meta["model"]
        self.dimensions: int = meta["dimensions"]
        self.count: int = meta["count"]
        self._pids: NDArray[np.uint32] = np.fromfile(directory / _PIDS, dtype="<u4")
        self._rows: NDArray[np.float16] = np.empty((0, self.dimensions), dtype="<f2")
        if self.count:
            self._rows = np.memmap(directory / _ROWS, dtype="<f2", mode="r", shape=(self.count, self.dimensions))
        # Vectors written before there was an eight-bit form are searched without it.
        has_coarse = self.count and meta.get("coarse", False)
        self._coarse = CoarseRows(directory, self.count, self.dimensions) if has_coarse else None

    @property
    def pids(self) -> NDArray[np.uint32]:
        """The paper of each row."""
        return self._pids

    def of(self, pid: int) -> NDArray[np.float32] | None:
        """The vector of one paper; None when it has none."""
        places = np.flatnonzero(self._pids == pid)
        return self._rows[places[0]].astype(np.float32) if len(places) else None

    def cosines(self, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """The cosine of every row with a unit vector, in the order of the rows."""
        return _products(self._rows, query)

    def deciding_cosines(
        self, query: NDArray[np.float32], *, floor: float, count: int, owners: NDArray[np.integer] | None = None
    ) -> NDArray[np.float64]:
        """Cosines that decide a search as those of `cosines` do, most of them only estimated.

        Each row is at or above the floor exactly when its true cosine is. The cosine itself is true for each row that
        may be the best of one of the `count` best owners (without owners: that may be one of the `count` best rows),
        or as good as the last of them; all other rows are below those.
        """
        if self._coarse is None:
            return self.cosines(query)
        estimates = self._coarse.estimates(query.astype(self._rows.dtype))
        cosines = estimates.cosines.astype(np.float64)
        places = np.flatnonzero(_is_open(estimates, floor, count, owners))
        if len(places) > _SHARE_MOST * self.count:
            return self.cosines(query)
        # `take` copies rows in half the time that an index of places needs.
        cosines[places] = _products(np.take(self._rows, places, axis=0), query)
        return cosines

    def nearest(self, query: NDArray[np.float32], count: int, is_passing: NDArray[np.bool_] | None = None) -> Scored:
        """At least the `count` papers nearest to a unit vector, by cosine desc; all of them when there are fewer.

        `is_passing` says of each row whether it may be returned. Papers that tie with the last one at 6 decimals are
        returned too, so that the caller can settle ties by its own order.
        """
        pids, scores = self._pids, _products(self._rows, query)
        if is_passing is not None:
            pids, scores = pids[is_passing], scores[is_passing]
        if len(scores) > count:
            least = np.partition(scores, len(scores) - count)[len(scores) - count]
            is_near = scores >= least - _TIE_WIDTH
            pids, scores = pids[is_near], scores[is_near]
        scores = np.round(scores, _SCORE_DECIMALS)
        order = np.argsort(-scores, kind="stable")
        return list(zip(pids[order].tolist(), scores[order].tolist(), strict=True))


def _is_open(estimates: Estimates, floor: float, count: int, owners: NDArray[np.integer] | None) -> NDArray[np.bool_]:
    """Whether the estimate of a row leaves open on which side of the floor it is, or whether it is among the best."""
    cosines, errors = estimates.cosines, estimates.errors
    least = cosines - errors
    if owners is not None:
        of_rows, least = least, np.full(int(owners.max()) + 1, -np.inf, dtype=np.float32)
        np.maximum.at(least, owners, of_rows)
    is_open: NDArray[np.bool_] = np.abs(cosines - np.float32(floor)) <= errors
    is_open |= cosines + errors >= _reached_by(least, count)
    return is_open


def _reached_by(values: NDArray[np.float32], count: int) -> float:
    """A number that at least `count` values reach, close to the highest such; -inf for fewer values."""
    # The maxima of many blocks hold most of the best values, and there are fewer of them to put into order.
    width = max(1, len(values) // (_BLOCKS_PER_RANK * count))
    maxima = np.maximum.reduceat(values, np.arange(0, len(values), width))
    if len(maxima) < count:
        return -np.inf
    return float(np.partition(maxima, len(maxima) - count)[len(maxima) - count])


def _products(rows: NDArray[np.float16], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """The inner product of each row with the query, both at the precision of the rows, added up in a wider one."""
    if not len(rows):
        return np.empty(0)
    narrow = query.astype(rows.dtype)
    if HAS_NUMKONG:
        products: NDArray[np.float64] = np.asarray(numkong.cdist(narrow[np.newaxis], rows, "dot"), dtype=np.float64)[0]
        return products
    products = np.empty(len(rows), dtype=np.float64)
    wide = narrow.astype(np.float32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = rows[start : start + _BLOCK_ROWS].astype(np.float32)
        # Unlike a product of matrices, this adds up each row in one way, wherever in the block it stands.
        products[start : start + _BLOCK_ROWS] = np.einsum("ij,j->i", block, wide)
    return products
