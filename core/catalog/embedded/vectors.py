"""Unit vectors of papers: streamed to disk by a build, then searched exactly."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_META = "vectors.json"
_ROWS = "rows.f16"
_PIDS = "pids.u32"


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
    """The vectors of a catalog, mapped into memory."""

    def __init__(self, directory: Path) -> None:
        meta = json.loads((directory / _META).read_text(encoding="utf-8"))
        self.model: str = meta["model"]
        self.dimensions: int = meta["dimensions"]
        self.count: int = meta["count"]
        self._rows: NDArray[np.float16] = np.memmap(
            directory / _ROWS, dtype="<f2", mode="r", shape=(self.count, self.dimensions)
        )
        self._pids: NDArray[np.uint32] = np.fromfile(directory / _PIDS, dtype="<u4")
