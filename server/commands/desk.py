"""`paperdesk search` and `paperdesk read`: the catalog's own tools from the command line."""

import secrets
import shutil
from pathlib import Path
from typing import Annotated, Any

import anyio
import typer

from core.errors import OperatorError
from server.commands.opening import local_service, settings_for
from server.commands.serve import CatalogOption
from server.registry import BoundToolset, ToolOutcome


def search(
    query: Annotated[str, typer.Argument(help="Words or a question.")],
    mode: Annotated[str, typer.Option(help="hybrid, keyword or semantic.")] = "hybrid",
    limit: Annotated[int, typer.Option(help="How many papers, 1 to 25.")] = 10,
    catalog: CatalogOption = None,
) -> None:
    """Search the catalog for papers."""
    settings = settings_for(serving=False, toolsets="catalog", catalog_url=catalog)
    with local_service(settings) as service:
        outcome = anyio.run(_call, service.toolsets[0], "search_papers", {"query": query, "mode": mode, "limit": limit})
    typer.echo("\n".join(outcome.texts))


def read(
    reference: Annotated[str, typer.Argument(help="An id, DOI, URL or title of a paper.")],
    catalog: CatalogOption = None,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead of standard output.")] = None,
) -> None:
    """Print the whole stored text of a paper as Markdown."""
    settings = settings_for(serving=False, toolsets="catalog", catalog_url=catalog)
    with local_service(settings) as service:
        text = anyio.run(_whole_text, service.toolsets[0], reference)
    if out is None:
        typer.echo(text.encode(), nl=False)
        return
    try:
        _write_whole(out, text.encode())
    except OSError as error:
        raise OperatorError(f"{out} cannot be written; choose another file with --out.") from error
    typer.echo(f"Wrote {out.stat().st_size:,} bytes to {out}.", err=True)


def _write_whole(out: Path, data: bytes) -> None:
    """Writes beside the file and renames, so that it is never half written; what is no plain file is written to."""
    target = out.resolve()
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    beside = target.with_name(f".{target.name}.writing-{secrets.token_hex(4)}")
    try:
        beside.write_bytes(data)
        if target.exists():
            shutil.copymode(target, beside)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


async def _whole_text(tools: BoundToolset, reference: str) -> str:
    parts: list[str] = []
    arguments: dict[str, Any] = {"paper": reference}
    while True:
        structured = (await _call(tools, "read_paper", arguments)).structured or {}
        parts.append(structured["markdown"])
        if not structured["truncated"]:
            return "".join(parts)
        arguments["cursor"] = structured["next_cursor"]


async def _call(tools: BoundToolset, name: str, arguments: dict[str, Any]) -> ToolOutcome:
    """A tool's outcome; its failure ends the command with exit status 1."""
    outcome = await tools.call(name, arguments)
    if outcome.is_error:
        typer.echo("\n".join(outcome.texts), err=True)
        raise typer.Exit(1)
    return outcome
