"""Unit vectors in eight bits: half the bytes to look at, and a proven bound on how far each cosine may be off.

A row `r` is kept as `s * a`, with `a` whole numbers up to 127 and a scale `s` of its own; what that loses, the length
of `r - s * a`, is measured and kept beside it. A query `q` becomes `t * b` in the same way when it is asked. Then

    r . q - (s * a) . (t * b)  =  (r - s * a) . q  +  (s * a) . (q - t * b)

and each product on the right is at most the product of two lengths (Cauchy and Schwarz), all four of which are known.
The whole numbers add up without loss; what rounding in 32 bits adds elsewhere is covered by a slack of its own.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

try:
    import numkong
except ImportError:  # the extra `semantic` is not installed: plain numpy takes some four times as long
    HAS_NUMKONG = False
else:
    HAS_NUMKONG = True

_ROWS = "rows.i8"
_SCALES = "scales.f32"
_LOST = "lost.f32"
_MOST = 127
_BLOCK_ROWS = 1024
# Rows are of length 1 before each number is rounded to 11 bits.
_LENGTH_MOST = 1.001
# A sum of d products in 32 bits is off by at most d * 2**-24 times the product of the lengths. There are two such sums,
# the true cosine and (where whole numbers outgrow 24 bits) the estimate, and a few single roundings; this is twice
# their sum.
_SLACK_PER_TERM = 2.0**-22
_SINGLE_ROUNDINGS = 8

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Estimates:
    """For each row a cosine and how far it may be off at most."""

    cosines: Floats
    errors: Floats


def quantised(rows: NDArray[np.float16]) -> tuple[NDArray[np.int8], Floats, Floats]:
    """Whole numbers, their scale and the length of what is lost, of each row."""
    wide = rows.astype(np.float64)
    scales = (np.abs(wide).max(axis=1, initial=0.0) / _MOST).astype(np.float32)
    steps = scales.astype(np.float64)[:, np.newaxis]
    parts = np.divide(wide, steps, out=np.zeros_like(wide), where=steps > 0)
    whole = np.clip(np.rint(parts), -_MOST, _MOST)
    lost = np.linalg.norm(wide - whole * steps, axis=1)
    return whole.astype(np.int8), scales, lost.astype(np.float32)


class CoarseBuilder:
    """Appends the eight-bit form of rows to a directory of vectors."""

    def __init__(self, directory: Path) -> None:
        self._files = [(directory / name).open("wb") for name in (_ROWS, _SCALES, _LOST)]

    def add(self, rows: NDArray[np.float16]) -> None:
        """Appends rows as they are stored."""
        whole, scales, lost = quantised(rows)
        for file, part in zip(self._files, (whole, scales.astype("<f4"), lost.astype("<f4")), strict=True):
            file.write(part.tobytes())

    def finish(self) -> None:
        """Closes the files."""
        for file in self._files:
            file.close()


class CoarseRows:
    """The eight-bit form of all rows, mapped into memory."""

    def __init__(self, directory: Path, count: int, dimensions: int) -> None:
        self._scales: Floats = np.fromfile(directory / _SCALES, dtype="<f4")
        self._lost: Floats = np.fromfile(directory / _LOST, dtype="<f4")
        if not len(self._scales) == len(self._lost) == count:
            raise ValueError(f"expected scales and losses of {count} rows")
        self._rows: NDArray[np.int8] = np.memmap(directory / _ROWS, dtype=np.int8, mode="r", shape=(count, dimensions))

    def estimates(self, query: NDArray[np.float16]) -> Estimates:
        """What the cosine of every row with a query may be, in the order of the rows."""
        whole, scales, lost = quantised(query[np.newaxis])
        length = float(np.linalg.norm(query.astype(np.float64)))
        slack = _SLACK_PER_TERM * (len(query) + _SINGLE_ROUNDINGS) * _LENGTH_MOST * max(1.0, length)
        cosines = _whole_products(self._rows, whole[0])
        cosines *= self._scales
        cosines *= scales[0]
        # The length of `s * a` is at most the sum of that of the row and what was lost.
        errors = self._lost * np.float32(length + lost[0])
        errors += np.float32(_LENGTH_MOST * lost[0] + slack)
        return Estimates(cosines, errors)


def _whole_products(rows: NDArray[np.int8], query: NDArray[np.int8]) -> Floats:
    if HAS_NUMKONG:
        products: Floats = np.asarray(numkong.cdist(query[np.newaxis], rows, "dot")).astype(np.float32)[0]
        return products
    products = np.empty(len(rows), dtype=np.float32)
    wide = query.astype(np.float32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        products[start : start + _BLOCK_ROWS] = rows[start : start + _BLOCK_ROWS].astype(np.float32) @ wide
    return products
