"""`paperdesk serve` and `paperdesk stdio`: the service over HTTP, or one toolset over standard input and output."""

import logging
import os
import socket
import threading
from collections.abc import Callable
from typing import Annotated

import anyio
import typer

from core.clock import SystemClock
from core.errors import OperatorError
from core.references.store.layout import names_directory
from server import __version__
from server.app import Service, create_app
from server.bootstrap import compose, front_of, open_catalog, served_toolsets
from server.commands.opening import local_service, scans_at_work, settings_for
from server.commands.progress import TerminalProgress
from server.endpoint.handlers import build_server
from server.endpoint.stdio import serve_stdio
from server.logs import configure_logging
from server.serving import listen, run
from server.settings import Settings, limits_of
from server.workers import Workers

CatalogOption = Annotated[
    str | None, typer.Option("--catalog", help="sample:, file:DIRECTORY or an https address.", show_default=False)
]

LocalOption = Annotated[
    bool, typer.Option("--local", help="Local mode of the references toolset: keep papers in a store of your own.")
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store", help="The store's directory, with --local.", show_default="what PAPERDESK_STORE names, else ./papers"
    ),
]

LEFT_WITHIN_S = 4.0
"""How long after the end of its input a process over standard input is there at most."""

_log = logging.getLogger("paperdesk.start")


def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.", show_default="7860")] = None,
    catalog: CatalogOption = None,
    allow_loopback_sources: Annotated[
        bool, typer.Option("--allow-loopback-sources", help="Take loopback addresses for sources; for tests.")
    ] = False,
    local: LocalOption = False,
    store: StoreOption = None,
) -> None:
    """Serve the toolsets over HTTP until stopped."""
    settings = settings_for(
        serving=True,
        local=local,
        host=host,
        port=port,
        catalog_url=catalog,
        allow_loopback_sources=allow_loopback_sources or None,
        store=_named(store),
    )
    _warn_of_passing_keys(settings)
    try:
        with listen(settings.host, settings.port) as listener:
            if settings.workers == 1:
                _serve(settings, listener, on_ready=lambda: _say_ready(settings))
            else:
                _open_once(settings)
                workers = Workers(
                    _work, settings, listener, count=settings.workers, on_ready=lambda: _say_ready(settings)
                )
                workers.run()
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _serve(
    settings: Settings, listener: socket.socket, *, on_ready: Callable[[], None], worker: int | None = None
) -> None:
    """One process of the service, until a signal."""
    with TerminalProgress() as progress:
        opened = open_catalog(settings, progress)
    service = compose(settings, opened, SystemClock())
    app = create_app(service, front_of(settings, worker=worker))
    _announce(settings, opened.facts.backend, listener.getsockname()[1], worker)
    if not run(app, listener, service.drain, on_ready):
        raise OperatorError("The service could not start; the log says why.")


def _work(settings: Settings, listener: socket.socket, number: int, on_ready: Callable[[], None]) -> None:
    """One of several processes, started anew: nothing of the first one's logging is in it."""
    configure_logging(settings.log_level, batched=True)
    _serve(settings, listener, on_ready=on_ready, worker=number)


def _open_once(settings: Settings) -> None:
    """What is wrong with the catalog is said once, and a sample is built once, before the workers all open it."""
    with TerminalProgress() as progress:
        open_catalog(settings, progress).close()


def stdio(
    toolset: Annotated[str, typer.Option(help="The toolset to serve.")],
    catalog: CatalogOption = None,
    local: LocalOption = False,
    store: StoreOption = None,
) -> None:
    """Serve one toolset to one client over standard input and output."""
    settings = settings_for(serving=False, local=local, toolsets=toolset, catalog_url=catalog, store=_named(store))
    _warn_of_passing_keys(settings)
    with local_service(settings) as service:
        anyio.run(_over_stdio, service)


async def _over_stdio(service: Service) -> None:
    async with scans_at_work(service, takes_up=True) as end_work:

        def leave() -> None:
            _leave_in_time()
            end_work()

        await serve_stdio(build_server(service.toolsets[0]), leave)


def _leave_in_time() -> None:
    """Ends the process soon after its input, even where a thread works on or nobody reads the output.

    The store bears a stop at any step, and locks end with the process.
    """
    last = threading.Timer(LEFT_WITHIN_S, os._exit, (1,))
    last.daemon = True
    last.start()


def _named(store: str | None) -> str | None:
    """The option where it names a directory; what clients leave blank or unfilled is as if it were not given."""
    return store if store is not None and names_directory(store) else None


def _announce(settings: Settings, backend: str, port: int, worker: int | None) -> None:
    limits = limits_of(settings, "limit")
    _log.info(
        "serving version=%s worker=%s address=%s:%d public_url=%s toolsets=%s catalog=%s api=%s hosts=%s origins=%s"
        " budgets=%s global=%d tiers=%s store=%s keys=%s anonymous=%s",
        __version__,
        "-" if worker is None else worker,
        settings.host,
        port,
        settings.public_url,
        ",".join(settings.toolsets),
        backend,
        "on" if settings.serve_api else "off",
        settings.allowed_hosts.summary,
        settings.allowed_origins.summary,
        ",".join(f"{name}:{limit}" for name, limit in limits.items()),
        settings.limit_global_concurrent,
        ",".join(settings.shared_egress.names) or "-",
        "shared" if settings.has_shared_store else "memory",
        "on" if settings.keys_file else "off",
        "true" if settings.anonymous else "false",
    )


def _say_ready(settings: Settings) -> None:
    """The one line for whoever started this at a terminal; logs go to standard error."""
    urls = ", ".join(f"{settings.public_url}{toolset.path}" for toolset in served_toolsets(settings))
    typer.echo(f"Ready: {urls} (Ctrl-C stops)")


def _warn_of_passing_keys(settings: Settings) -> None:
    if not settings.cursor_keys:
        _log.warning("cursor_keys=random: reading cursors end with this process")
