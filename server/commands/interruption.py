"""A build that is told to stop: it cleans up, says what came of it, and ends with the status that shells expect."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import typer

from core.catalog.embedded.manifest import MANIFEST_NAME

_SIGNAL_STATUS = 128


class _Terminated(KeyboardInterrupt):
    """SIGTERM, which by itself would end the process without any cleaning up."""


@contextlib.contextmanager
def ends_cleanly(out: Path) -> Iterator[None]:
    """SIGTERM and Ctrl-C unwind a build of the catalog `out`; the exit status is 143 or 130."""
    before = _inode(out)
    try:
        with _terminated_by_exception():
            yield
    except KeyboardInterrupt as interrupt:
        stopped_by = signal.SIGTERM if isinstance(interrupt, _Terminated) else signal.SIGINT
        # The signal may have come after the catalog was in place.
        outcome = "Nothing was built." if _inode(out) == before else f"{out} was built all the same."
        typer.echo(f"paperdesk: stopped. {outcome}", err=True)
        raise typer.Exit(_SIGNAL_STATUS + stopped_by) from None


@contextlib.contextmanager
def _terminated_by_exception() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are the main thread's alone
        return

    def terminate(number: int, frame: FrameType | None) -> None:
        # A second one must not cut the cleaning up short.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise _Terminated

    earlier = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


def _inode(out: Path) -> int | None:
    try:
        return (out / MANIFEST_NAME).stat().st_ino
    except OSError:
        return None
