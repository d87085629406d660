"""Turns inputs into a catalog directory: stage every row, unite rows that are one thing, write, rename into place.

Inputs are streamed into a temporary database, so memory does not grow with them beyond a few dozen bytes a paper. What
is written does not depend on the order of the sources. The manifest comes last: a folder without one is no catalog.
"""

import contextlib
import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Protocol

import orjson

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.manifest import EmbeddingRecord, SourceRecord, write_manifest
from core.clock import Clock
from core.errors import BuildFailed, SourceError
from core.ingest.assembly import Assembly
from core.ingest.evidence.build import check_folder, evidence_report, write_evidence
from core.ingest.inputs import InputFile, InputReader, find_inputs
from core.ingest.report import BuildReport, FileReport
from core.ingest.sources import Source, SourceKind, parse_source
from core.ingest.staging import Staging
from core.ingest.vectors import EMBEDDED_FIELDS, write_vectors
from core.ingest.workspace import check_target, publish, workspace

__all__ = ["BuildOptions", "Progress", "Source", "SourceKind", "build_catalog", "parse_source"]

REPORT_NAME = "build-report.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How to build. `as_of` is `YYYY-MM-DD`, else the latest paper date; `categories` limits arXiv inputs."""

    clock: Clock
    as_of: str | None = None
    replace: bool = False
    allow_bad_rows: bool = False
    categories: tuple[str, ...] = ()
    topics_as_tasks: bool = False
    embedder: Embedder | None = None


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


class _Silent:
    def started(self, name: str, total: int | None) -> None: ...

    def advanced(self, n: int) -> None: ...

    def finished(self) -> None: ...


class _Stages:
    """Passes stages on to the progress and adds up their seconds by name."""

    def __init__(self, progress: Progress, clock: Clock) -> None:
        self._progress = progress
        self._clock = clock
        self._name = ""
        self._started_s = 0.0
        self.seconds: dict[str, float] = {}
        self.advanced = progress.advanced

    def start(self, label: str, total: int | None = None, *, name: str | None = None) -> None:
        self._name = name or label
        self._started_s = self._clock.monotonic_s()
        self._progress.started(label, total)

    def finish(self) -> None:
        self._progress.finished()
        seconds = self._clock.monotonic_s() - self._started_s
        self.seconds[self._name] = self.seconds.get(self._name, 0.0) + seconds


def build_catalog(
    sources: Sequence[Source], out: Path, *, options: BuildOptions, progress: Progress | None = None
) -> BuildReport:
    """Builds a catalog directory at `out`, which appears whole or not at all.

    Raises `BuildFailed` naming the file and the reason; an existing `out` is then untouched.
    """
    if options.as_of is not None:
        _check_day(options.as_of)
    check_target(out, replace=options.replace)
    evidence = _evidence_of(sources)
    inputs = find_inputs([source for source in sources if source.kind is not SourceKind.EVIDENCE])
    with workspace(out) as folder, _collector_paused():
        build = _Build(folder, options, _Stages(progress or _Silent(), options.clock), evidence)
        try:
            report = build.run(inputs)
        except SourceError as error:  # an embeddings service is the only source that a build asks
            raise BuildFailed(f"{error.message} Nothing was built.") from error
        publish(build.catalog, out, replace=options.replace)
    return report


def _evidence_of(sources: Sequence[Source]) -> Path | None:
    """The one folder of evidence, if any."""
    folders = [source.path for source in sources if source.kind is SourceKind.EVIDENCE]
    if len(folders) > 1:
        raise BuildFailed("Evidence comes from one folder; several were given. Nothing was built.")
    for folder in folders:
        check_folder(folder)
    return folders[0] if folders else None


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """A build makes millions of short-lived rows and no cycles: looking for cycles among them costs a tenth of it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _check_day(text: str) -> None:
    try:
        if date.fromisoformat(text).isoformat() == text:
            return
    except ValueError:
        pass
    raise BuildFailed(f"The as-of date '{text}' is no day such as 2025-07-01. Nothing was built.")


class _Build:
    """One build in its temporary folder."""

    def __init__(self, folder: Path, options: BuildOptions, stages: _Stages, evidence: Path | None) -> None:
        self._evidence = evidence
        self._options = options
        self._stages = stages
        self._staging_path = folder / "staging.sqlite"
        self.catalog = folder / "catalog"
        self.catalog.mkdir()

    def run(self, inputs: list[InputFile]) -> BuildReport:
        staging = Staging(self._staging_path)
        try:
            self._read(inputs, staging)
            files = [each.report for each in inputs]
            built = self._assemble(staging, files)
        finally:
            staging.close()
        self._staging_path.unlink()
        return self._seal(built, files)

    def _read(self, inputs: list[InputFile], staging: Staging) -> None:
        options, stages = self._options, self._stages
        reader = InputReader(staging, categories=options.categories, topics_as_tasks=options.topics_as_tasks)
        for each in inputs:
            stages.start(f"Reading {each.report.name}", each.bytes, name="read")
            reader.read(each, stages.advanced)
            stages.finish()
            if each.report.has_too_many_bad_rows and not options.allow_bad_rows:
                raise BuildFailed(_too_many(each.report))
        reader.check_references()
        ranked = sorted(
            (each.report for each in inputs if each.report.input >= 0), key=lambda file: (file.sha256, file.input)
        )
        staging.rank_inputs(file.input for file in ranked)

    def _assemble(self, staging: Staging, files: list[FileReport]) -> Assembly:
        stages, options = self._stages, self._options
        today = datetime.fromtimestamp(options.clock.now_s(), UTC).date()
        assembly = Assembly(self.catalog, staging, files, as_of=options.as_of, today=today)
        try:
            stages.start("Uniting papers", name="unite")
            assembly.unite()
            stages.finish()
            stages.start("Writing papers", assembly.papers, name="write papers")
            assembly.write_papers(stages.advanced)
            stages.finish()
            stages.start("Writing everything else", name="write others")
            assembly.write_others()
            stages.finish()
            if not any(assembly.counts.values()):
                raise BuildFailed(_nothing_kept(files))
            if options.embedder is not None:
                stages.start("Computing vectors", assembly.papers, name="vectors")
                write_vectors(assembly.records.connection, self.catalog / "vectors", options.embedder, stages.advanced)
                stages.finish()
            if self._evidence is not None:
                self._write_evidence(self._evidence, assembly, files)
            stages.start("Finishing the text index", name="text index")
        except BaseException:
            assembly.abandon()
            raise
        assembly.finish()
        stages.finish()
        return assembly

    def _write_evidence(self, folder: Path, assembly: Assembly, files: list[FileReport]) -> None:
        self._stages.start("Writing evidence", name="evidence")
        connection, embedder = assembly.records.connection, self._options.embedder
        built = write_evidence(folder, self.catalog, connection, content_id=assembly.content_id, embedder=embedder)
        files.append(evidence_report(folder, built))
        self._stages.finish()

    def _seal(self, built: Assembly, files: list[FileReport]) -> BuildReport:
        embedder, clock = self._options.embedder, self._options.clock
        self._stages.start("Sealing", name="seal")
        report = BuildReport(
            content_id=built.content_id,
            as_of=built.as_of,
            counts=built.counts,
            paper_rows=built.paper_rows,
            conflicts=dict(sorted(built.conflicts.items())),
            files=tuple(sorted(files, key=lambda file: (file.kind, file.name, file.sha256))),
            stage_seconds=self._stages.seconds,
        )
        (self.catalog / REPORT_NAME).write_bytes(orjson.dumps(report.as_json(), option=orjson.OPT_INDENT_2))
        write_manifest(
            self.catalog,
            built_at=datetime.fromtimestamp(clock.now_s(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            as_of=report.as_of,
            content_id=report.content_id,
            counts=report.counts,
            sources=[_source_record(file) for file in report.files],
            embedding=None
            if embedder is None
            else EmbeddingRecord(embedder.model, embedder.dimensions, EMBEDDED_FIELDS),
            conflicts=report.conflicts,
        )
        self._stages.finish()
        return report


def _source_record(file: FileReport) -> SourceRecord:
    return SourceRecord(
        kind=file.kind,
        name=file.name,
        sha256=file.sha256,
        licence=file.licence,
        read=file.read,
        kept=file.kept,
        skipped=dict(sorted(file.skipped.items())),
        merged=dict(sorted(file.merged.items())),
        left_out=dict(sorted(file.left_out.items())),
    )


def _nothing_kept(files: Sequence[FileReport]) -> str:
    fullest = max(files, key=lambda file: file.read)
    rows = sum(file.read for file in files)
    if not rows:
        return "The sources hold no rows. Nothing was built."
    skipped = sum(sum(file.skipped.values()) for file in files)
    first = f" (first in {fullest.path}: {_first_reasons(fullest)})" if fullest.samples else ""
    return (
        f"No paper, benchmark or other thing was found: of {rows} rows read, {skipped} were skipped{first}."
        " Is the kind of each source right? Nothing was built."
    )


def _first_reasons(file: FileReport) -> str:
    return "; ".join(f"{sample.position}: {sample.reason}" for sample in file.samples[:3])


def _too_many(file: FileReport) -> str:
    return (
        f"{file.path} has {file.bad} bad rows of {file.read} (first: {_first_reasons(file)}). Mend the file, or accept"
        " the loss with --allow-bad-rows. Nothing was built."
    )
