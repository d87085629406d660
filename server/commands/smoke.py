"""`paperdesk smoke`: whether a running service may have clients, one line for each thing that they rely on."""

import time
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import httpx
import typer

from core.errors import OperatorError
from server import __version__
from server.limits.keys import KEY_FORM
from server.setting_values import is_loopback_host
from server.smoke.run import smoke_run
from server.smoke.target import Options


def smoke(
    url: Annotated[str, typer.Option(help="The service's address, such as http://127.0.0.1:7861.")],
    public: Annotated[
        bool, typer.Option("--public", help="Through the proxy: without what only loopback sees.")
    ] = False,
    expect_version: Annotated[
        str | None, typer.Option(help="The version that must answer.", show_default=False)
    ] = None,
    paper: Annotated[
        str | None, typer.Option(help="A paper whose text is longer than one chunk.", show_default="the sample's")
    ] = None,
    log: Annotated[Path | None, typer.Option(help="The service's log file, to look into.", show_default=False)] = None,
    key_file: Annotated[
        Path | None,
        typer.Option(
            help="A file with an API key to call with; its budget is used up for a minute.", show_default=False
        ),
    ] = None,
) -> None:
    """Ask a running service all that its clients rely on; exit status 1 when something fails."""
    host = _host_of(url)
    key = None if key_file is None else _key_in(key_file)
    options = Options(url, public, expect_version, paper, None if log is None else str(log), key)
    endings = []
    started_s = time.monotonic()
    # Certificates that the environment names are trusted everywhere; its proxies are for the way to the outside.
    with httpx.Client(
        follow_redirects=False,
        verify=httpx.create_ssl_context(trust_env=True),
        trust_env=not is_loopback_host(host),
        headers={"User-Agent": f"paperdesk-smoke/{__version__}"},
    ) as client:
        for line in smoke_run(options, client):
            typer.echo(str(line))
            endings.append(line.ending)
    failed, skipped = endings.count("FAIL"), endings.count("skip")
    took_s = time.monotonic() - started_s
    typer.echo(f"{len(endings)} checks, {failed} failed, {skipped} not run, {took_s:.1f} s")
    if failed:
        raise typer.Exit(1)


def _host_of(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        raise OperatorError("--url takes an http or https address, such as http://127.0.0.1:7861.")
    return host


def _key_in(path: Path) -> str:
    """The key in a file, as `paperdesk keys new` prints it: on a command line everybody on the machine would see it."""
    try:
        key = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        key = ""
    if KEY_FORM.fullmatch(key) is None:
        raise OperatorError("--key-file names a file that holds one API key, as `paperdesk keys new` prints it.")
    return key
