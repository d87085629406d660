"""What claims and papers are filtered by, as one array per column in the order of their numbers."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MISSING = -1
Column = NDArray[np.int64] | NDArray[np.int32] | NDArray[np.int16] | NDArray[np.int8]
_TYPES = (np.int8, np.int16, np.int32, np.int64)


def code(value: str | None, values: Sequence[str]) -> int:
    """The place of a value in its list; `MISSING` for none."""
    return MISSING if value is None else values.index(value)


def write_columns(directory: Path, kind: str, columns: Mapping[str, Sequence[int]]) -> None:
    """Writes each column in the narrowest type that holds it."""
    for name, values in columns.items():
        whole = np.asarray(values, dtype=np.int64)
        low, high = (int(whole.min()), int(whole.max())) if len(whole) else (0, 0)
        fitting = next(each for each in _TYPES if np.iinfo(each).min <= low and high <= np.iinfo(each).max)
        np.save(directory / f"{kind}.{name}.npy", whole.astype(fitting))


def read_columns(directory: Path, kind: str, names: Sequence[str]) -> dict[str, Column]:
    """The columns of one kind, in memory."""
    return {name: np.load(directory / f"{kind}.{name}.npy", allow_pickle=False) for name in names}
