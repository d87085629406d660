"""`paperdesk serve` and `paperdesk stdio`: the service over HTTP, or one toolset over standard input and output."""

import logging
from typing import Annotated

import anyio
import typer

from core.clock import SystemClock
from core.errors import OperatorError
from server import __version__
from server.app import Service, create_app
from server.bootstrap import compose, front_of, open_catalog
from server.commands.opening import local_service, settings_for
from server.commands.progress import TerminalProgress
from server.endpoint.handlers import build_server, serve_stdio
from server.serving import listen, run
from server.settings import Settings

CatalogOption = Annotated[
    str | None, typer.Option("--catalog", help="sample:, file:DIRECTORY or an https address.", show_default=False)
]

_log = logging.getLogger("paperdesk.start")


def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", show_default="7860")] = None,
    catalog: CatalogOption = None,
) -> None:
    """Serve the toolsets over HTTP until stopped."""
    settings = settings_for(serving=True, host=host, port=port, catalog_url=catalog)
    listener = listen(settings.host, settings.port)
    with listener:
        with TerminalProgress() as progress:
            opened = open_catalog(settings, progress)
        service = compose(settings, opened, SystemClock())
        app = create_app(service, front_of(settings))
        _warn_of_passing_keys(settings)
        _announce(settings, opened.facts.backend, listener.getsockname()[1])
        try:
            started = run(app, listener, service.drain, lambda: _say_ready(settings, service))
        except KeyboardInterrupt:
            raise typer.Exit(130) from None
    if not started:
        raise OperatorError("The service could not start; the log says why.")


def stdio(
    toolset: Annotated[str, typer.Option(help="The toolset to serve.")],
    catalog: CatalogOption = None,
) -> None:
    """Serve one toolset to one client over standard input and output."""
    settings = settings_for(serving=False, toolsets=toolset, catalog_url=catalog)
    _warn_of_passing_keys(settings)
    with local_service(settings) as service:
        anyio.run(serve_stdio, build_server(service.toolsets[0]))


def _announce(settings: Settings, backend: str, port: int) -> None:
    _log.info(
        "serving version=%s address=%s:%d public_url=%s toolsets=%s catalog=%s api=%s hosts=%s origins=%s",
        __version__,
        settings.host,
        port,
        settings.public_url,
        ",".join(settings.toolsets),
        backend,
        "on" if settings.serve_api else "off",
        settings.allowed_hosts.summary,
        settings.allowed_origins.summary,
    )


def _say_ready(settings: Settings, service: Service) -> None:
    """The one line for whoever started this at a terminal; logs go to standard error."""
    urls = ", ".join(f"{settings.public_url}{bound.toolset.path}" for bound in service.toolsets)
    typer.echo(f"Ready: {urls} (Ctrl-C stops)")


def _warn_of_passing_keys(settings: Settings) -> None:
    if not settings.cursor_keys:
        _log.warning("cursor_keys=random: reading cursors end with this process")
