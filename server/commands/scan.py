"""`paperdesk scan ...`: the scans that are kept here, as files, and their removal (scan contract 8.1, 10.7)."""

import secrets
import shutil
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import anyio
import typer

from core.clock import SystemClock
from core.errors import InvalidInput, OperatorError
from core.scan.checking import scan_id_of
from core.scan.engine.exporting import exported
from core.scan.replay.report import replayed
from core.scan.stores.port import ScanStore, scan_key
from server.commands.opening import settings_for
from server.scan_desk import ANONYMOUS, open_store

T = TypeVar("T")

scan = typer.Typer(help="Look after the scans that are kept here.", no_args_is_help=True, rich_markup_mode=None)

ScanId = Annotated[str, typer.Argument(help="The scan's id.")]
KeyOption = Annotated[
    str | None, typer.Option("--key", help="Id of the API key whose scan it is; without it, a scan of nobody's key.")
]


@scan.callback()
def _group() -> None:
    """Look after the scans that are kept here."""


@scan.command()
def export(
    scan_id: ScanId,
    directory: Annotated[Path, typer.Argument(help="A new directory for the scan's documents.")],
    key: KeyOption = None,
) -> None:
    """Write every document of a scan into a new directory."""
    if directory.exists():
        raise OperatorError(f"{directory} exists already; name a new directory.")
    documents = _in_store(lambda store: exported(store, _scope(key), _sound(scan_id)))
    try:
        _write(documents, directory)
    except OSError as error:
        raise OperatorError(f"{directory} cannot be written: {error.strerror}.") from error
    typer.echo(f"Wrote {len(documents)} documents to {directory}.")


@scan.command()
def replay(directory: Annotated[Path, typer.Argument(help="The directory of a scan's documents.")]) -> None:
    """Compute a recorded scan's results again from its judgements: exit status 1 where any differs."""
    try:
        findings = list(replayed(directory))
    except OSError as error:
        raise OperatorError(f"{directory} cannot be read: {error.strerror}.") from error
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        # Documents by another hand may hold anything, and none of it is worth a check of its own.
        raise InvalidInput("A document of this run is damaged, or is no document of a run.") from error
    for finding in findings:
        typer.echo(finding.text)
    if any(finding.differs for finding in findings):
        raise typer.Exit(1)


@scan.command()
def delete(scan_id: ScanId, key: KeyOption = None) -> None:
    """Remove a scan and all that is kept of it."""
    sound = scan_key(_scope(key), _sound(scan_id))
    _in_store(lambda store: store.delete(sound))
    typer.echo("Nothing is kept of that scan.")


@scan.command()
def purge() -> None:
    """Remove the scans whose time is over."""
    count = _in_store(lambda store: store.purge(SystemClock().now_s()))
    typer.echo(f"Removed {count} scans.")


def _in_store(use: Callable[[ScanStore], Awaitable[T]]) -> T:
    settings = settings_for(serving=False, toolsets="scan")

    async def used() -> T:
        store = open_store(settings, SystemClock())
        try:
            return await use(store)
        finally:
            await store.aclose()

    return anyio.run(used)


def _scope(key: str | None) -> str:
    return ANONYMOUS if key is None else f"key:{key}"


def _sound(scan_id: str) -> str:
    if scan_id_of({"scan_id": scan_id}) is None:
        raise InvalidInput("A scan's id is a version 4 UUID in lower case with dashes.")
    return scan_id


def _write(documents: Mapping[str, bytes], directory: Path) -> None:
    """All or nothing: a directory beside it is filled and then renamed."""
    beside = directory.with_name(f".{directory.name}.writing-{secrets.token_hex(4)}")
    try:
        for name, data in documents.items():
            target = beside / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        beside.rename(directory)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
