"""Turns inputs into a catalog directory: stage every row, unite rows that are one thing, write, rename into place."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from core.catalog.embedded.embedding import Embedder
from core.clock import Clock, SystemClock
from core.ingest.report import BuildReport
from core.ingest.sources import Source, SourceKind, parse_source

__all__ = ["BuildOptions", "Progress", "Source", "SourceKind", "build_catalog", "parse_source"]


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How to build. `as_of` is `YYYY-MM-DD`, else the latest paper date; `categories` limits arXiv inputs."""

    as_of: str | None = None
    replace: bool = False
    allow_bad_rows: bool = False
    categories: tuple[str, ...] = ()
    topics_as_tasks: bool = False
    embedder: Embedder | None = None
    clock: Clock = field(default_factory=SystemClock)


class Progress(Protocol):
    """Told how a build goes; one stage at a time."""

    def started(self, name: str, total: int | None) -> None:
        """A stage begins; `total` in the units that `advanced` counts, where it is known."""
        ...

    def advanced(self, n: int) -> None:
        """`n` more units of the running stage are done."""
        ...

    def finished(self) -> None:
        """The running stage is done."""
        ...


def build_catalog(
    sources: Sequence[Source], out: Path, *, options: BuildOptions, progress: Progress | None = None
) -> BuildReport:
    """Builds a catalog directory at `out`, which appears whole or not at all.

    Raises `BuildFailed` naming the file and the reason; an existing `out` is then untouched.
    """
    raise NotImplementedError
