"""The few facts of every paper that filters over many papers ask for, as arrays beside the text index."""

from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

COLUMNS_NAME = "papers.npy"
_NO_DAY = -1
_RECORD = np.dtype([("pid", "<u4"), ("day", "<i4"), ("has_official", "?"), ("is_latest", "?")])
_LAST_DAY = 2**23
"""Above the ordinal of 9999-12-31."""


def tie_key(pid: int, published_day: int | None) -> int:
    """One integer that sorts as published desc (missing last), then id; its low 32 bits are the pid."""
    age = _LAST_DAY if published_day is None or published_day == _NO_DAY else _LAST_DAY - published_day
    return age << 32 | pid


class ColumnsBuilder:
    """Collects the columns in any order of papers and writes them in order of pid."""

    def __init__(self) -> None:
        self._pids = array("L")
        self._days = array("l")
        self._officials = array("b")
        self._latests = array("b")

    def add(self, pid: int, published_day: int | None, has_official: bool, is_latest: bool) -> None:
        """Adds one paper."""
        self._pids.append(pid)
        self._days.append(_NO_DAY if published_day is None else published_day)
        self._officials.append(has_official)
        self._latests.append(is_latest)

    def write(self, directory: Path) -> None:
        """Writes the file that `PaperColumns` opens."""
        records = np.empty(len(self._pids), dtype=_RECORD)
        for name, values in zip(
            _RECORD.names or (), (self._pids, self._days, self._officials, self._latests), strict=True
        ):
            records[name] = values
        records.sort(order="pid")
        np.save(directory / COLUMNS_NAME, records)


class PaperColumns:
    """The columns of one catalog, in memory: ten bytes a paper."""

    def __init__(self, directory: Path) -> None:
        records = np.load(directory / COLUMNS_NAME)
        self._pids: NDArray[np.uint32] = records["pid"].copy()
        # Pids are dense in a whole catalog; then they are their own places.
        self._is_dense = bool((self._pids == np.arange(len(self._pids), dtype=np.uint32)).all())
        self._days: NDArray[np.int32] = records["day"].copy()
        self._officials: NDArray[np.bool_] = records["has_official"].copy()
        self._latests: NDArray[np.bool_] = records["is_latest"].copy()

    def tie_keys(self, pids: Sequence[int]) -> list[int]:
        """The tie order of searches, as integers that sort: published desc (missing last), then id."""
        places = self._places(np.array(pids, dtype=np.uint32))
        days = self._days[places].astype(np.int64)
        return list(map(tie_key, pids, days.tolist()))

    def mask(
        self,
        pids: NDArray[np.uint32],
        first_day: int | None,
        last_day: int | None,
        has_official: bool,
        latest_only: bool,
    ) -> NDArray[np.bool_]:
        """Which of some known papers pass; undated ones fail any bound."""
        places = self._places(pids)
        mask = np.ones(len(pids), dtype=np.bool_)
        if first_day is not None or last_day is not None:
            days = self._days[places]
            mask &= days != _NO_DAY
            mask &= days >= (first_day or 0)
            if last_day is not None:
                mask &= days <= last_day
        if has_official:
            mask &= self._officials[places]
        if latest_only:
            mask &= self._latests[places]
        return mask

    def _places(self, pids: NDArray[np.uint32]) -> NDArray[np.intp] | NDArray[np.uint32]:
        return pids if self._is_dense else np.searchsorted(self._pids, pids)
