"""`paperdesk log verify`: whether the log of a store of papers is as it was written."""

import os
from pathlib import Path
from typing import Annotated

import typer

from core.errors import OperatorError, StoreFailed
from core.references.store.layout import Layout, store_directory
from core.references.store.log import verify as verify_log

STORE_VARIABLE = "PAPERDESK_STORE"

log = typer.Typer(help="Look at the log of a store of papers.", no_args_is_help=True, rich_markup_mode=None)


@log.callback()
def _group() -> None:
    """Look at the log of a store of papers."""


@log.command()
def verify(
    store: Annotated[
        Path | None,
        typer.Option(help="The store's directory.", show_default=f"what {STORE_VARIABLE} names, else ./papers"),
    ] = None,
) -> None:
    """Check every row against the one before it: exit status 1 where one is not as it was written."""
    directory = store_directory(None if store is None else str(store), os.environ.get(STORE_VARIABLE))
    layout = Layout(directory)
    broken = False
    # A mistyped name must not read as good news.
    if not directory.is_dir():
        raise OperatorError(f"There is no store in {directory}; name the directory of one with --store.")
    try:
        checked = list(verify_log(layout))
    except StoreFailed as error:
        raise OperatorError(str(error)) from error
    except OSError as error:
        raise OperatorError(f"The log in {directory} cannot be read: {error.strerror}.") from error
    if not checked:
        typer.echo(f"There is no log in {directory}.")
    for path, rows, found in checked:
        if found is None:
            typer.echo(f"{path.name}: {rows} rows, all as they were written.")
        else:
            broken = True
            typer.echo(f"{path.name}: row {found.row} is broken: {found.why}; {rows} rows before it are whole.")
    if broken:
        raise typer.Exit(1)
