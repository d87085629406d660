"""What commands share: settings from the environment and the command line, and services for as long as they run."""

import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

import anyio

from core.clock import SystemClock
from server.app import Service
from server.bootstrap import OpenedCatalog, compose, open_catalog
from server.commands.progress import TerminalProgress
from server.logs import configure_logging
from server.settings import Settings, parse_settings

SCANS_GRACE_S = 1.0
"""What works when a command ends has so long to end by itself; its scan goes on in whichever process asks next."""


def settings_for(*, serving: bool, local: bool = False, **given: object) -> Settings:
    """The settings, with what the command line gave in place of the environment; also sets up logging."""
    overrides = {name: str(value) for name, value in given.items() if value is not None}
    settings = parse_settings(os.environ, overrides=overrides, serving=serving, local=local)
    configure_logging(settings.log_level, batched=serving)
    return settings


@contextlib.contextmanager
def local_service(settings: Settings) -> Iterator[Service]:
    """Services over the catalog that the settings name, closed at the end."""
    with TerminalProgress() as progress:
        opened = open_catalog(settings, progress)
    try:
        yield compose(settings, opened, SystemClock(), own_key=_own_key(opened), counted=False)
    finally:
        opened.close()


@contextlib.asynccontextmanager
async def scans_at_work(service: Service, *, takes_up: bool) -> AsyncIterator[Callable[[], None]]:
    """Lets scans work, and gives back their leases and their store at the end; nothing where none are served.

    `takes_up` also looks for work that another process left. What it yields lets the work end before the end, so that
    no call waits for it.
    """
    if service.scans is None:
        yield lambda: None
        return
    scans = service.scans.scans

    def end_work() -> None:
        group.start_soon(partial(scans.stop, grace_s=SCANS_GRACE_S))

    async with anyio.create_task_group() as group:
        if takes_up:
            group.start_soon(scans.run)
        try:
            yield end_work
        finally:
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await scans.close(grace_s=SCANS_GRACE_S)


def _own_key(opened: OpenedCatalog) -> str:
    """The key of a command's cursors, the same in the next one over the same catalog, so that it can go on reading.

    Nothing is served here, and a cursor grants nothing: the key only has to outlive the process.
    """
    return f"paperdesk-command-{opened.facts.build or opened.facts.backend}"
