"""The command line: `paperdesk ...`, and the same as `python -m server ...`."""

import sys
from typing import Annotated

import typer

from core.errors import PaperdeskError
from server import __version__
from server.commands.call import call
from server.commands.catalog import catalog
from server.commands.desk import read, search
from server.commands.health import health
from server.commands.keys import keys
from server.commands.log import log
from server.commands.scan import scan
from server.commands.serve import serve, stdio
from server.commands.smoke import smoke

app = typer.Typer(
    name="paperdesk",
    help="The research desk for AI agents: papers, leaderboards and full texts over MCP.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(serve)
app.command()(stdio)
app.command()(health)
app.command()(smoke)
app.add_typer(catalog, name="catalog")
app.add_typer(keys, name="keys")
app.add_typer(log, name="log")
app.add_typer(scan, name="scan")
app.command()(search)
app.command()(read)
# The tools' own commands read everything that follows, help included.
app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "help_option_names": [],
    }
)(call)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"paperdesk {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and end.")
    ] = False,
) -> None:
    """Options of the program itself."""


def main() -> None:
    """Runs a command; a failure that speaks to the operator is one message and exit status 2."""
    try:
        app(prog_name="paperdesk")
    except PaperdeskError as error:
        typer.echo(f"paperdesk: {error.message}", err=True)
        sys.exit(2)
    except OSError as error:
        # What commands do with files fails in words of its own; what is left is the terminal, a pipe, or a full disk.
        typer.echo(f"paperdesk: the output could not be written: {error.strerror}.", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
