"""What a build did, row by row: read, kept, merged away and skipped by reason, for every file."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

SAMPLES_PER_REASON = 5
BAD_ROWS_ALLOWED = 10
BAD_SHARE_ALLOWED = 0.01


def readable_name(path: PurePath) -> str:
    """A file's name as UTF-8 text, whatever the locale; bytes that are not UTF-8 are U+FFFD."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Sample:
    """One skipped row: where it stands (`line 7`, `element 3`, `task A > dataset B > row 2`) and why it was skipped."""

    position: str
    reason: str


@dataclass(slots=True)
class FileReport:
    """The account of one file: `read` = `kept` + all `skipped` + all `merged`.

    `skipped` rows are lost, by reason; those that count as bad (malformed) are also in `bad`. `merged` rows say nothing
    that another row does not say (exact duplicates), by reason. `left_out` are parts of kept rows that were not kept.
    """

    kind: str
    name: str
    path: Path
    shape: str = ""
    sha256: str = ""
    licence: str | None = None
    read: int = 0
    kept: int = 0
    bad: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    merged: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    samples: list[Sample] = field(default_factory=list)
    input: int = -1
    """Its number in the staging database; -1 when it held nothing."""

    def skip(self, reason: str, position: str, *, bad: bool) -> None:
        """Counts a row that was read and not kept; `bad` rows count against the file's allowance."""
        self.skipped[reason] += 1
        self.bad += bad
        if self.skipped[reason] <= SAMPLES_PER_REASON:
            self.samples.append(Sample(position, reason))

    @property
    def has_too_many_bad_rows(self) -> bool:
        """Over 1 % of the rows and over 10 of them."""
        return self.bad > BAD_ROWS_ALLOWED and self.bad > self.read * BAD_SHARE_ALLOWED

    def as_json(self) -> dict[str, Any]:
        """The account as it stands in `build-report.json`; no path of the building machine."""
        return {
            "kind": self.kind,
            "name": self.name,
            "shape": self.shape,
            "sha256": self.sha256,
            "licence": self.licence,
            "read": self.read,
            "kept": self.kept,
            "bad": self.bad,
            "skipped": dict(sorted(self.skipped.items())),
            "merged": dict(sorted(self.merged.items())),
            "left_out": dict(sorted(self.left_out.items())),
            "samples": [{"position": sample.position, "reason": sample.reason} for sample in self.samples],
        }


@dataclass(frozen=True, slots=True)
class BuildReport:
    """The outcome of a build: counts per entity, conflicts per field, the account of each file, seconds per stage.

    `paper_rows` is how many rows describe papers; those of one paper were united.
    """

    content_id: str
    as_of: str | None
    counts: Mapping[str, int]
    paper_rows: int
    conflicts: Mapping[str, int]
    files: tuple[FileReport, ...]
    stage_seconds: Mapping[str, float]

    def as_json(self) -> dict[str, Any]:
        """The report as `build-report.json` holds it: reproducible, so without the seconds."""
        return {
            "content_id": self.content_id,
            "as_of": self.as_of,
            "counts": dict(self.counts),
            "paper_rows": self.paper_rows,
            "conflicts": dict(sorted(self.conflicts.items())),
            "files": [file.as_json() for file in self.files],
        }
