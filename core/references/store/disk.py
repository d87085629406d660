"""Files as the store writes them: whole or not at all, for their owner's eyes (references contract, section 10.1)."""

import contextlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from core.errors import StoreFailed

FILE_BYTES_MAX = 8 * 1024 * 1024
"""A TOML file above this is none of ours."""
FORGOTTEN_S = 86_400.0
"""A temporary file so old belongs to nobody who still writes it."""

OnStep = Callable[[str], None]
"""Told of each step of a write as it is done; for those who want to know what a stop there leaves behind."""

_TEMPORARY = re.compile(r"\.new\.[a-z0-9_]+\.tmp", re.ASCII)
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def no_step(_: str) -> None:
    """Nobody wants to know."""


@contextlib.contextmanager
def disk_failures() -> Iterator[None]:
    """What the system says of files, as failures of the store."""
    try:
        yield
    except OSError as error:
        raise StoreFailed(
            "The store could not be read or written; look for free space, and for the rights of its directory."
        ) from error


def make_folder(folder: Path) -> None:
    """Makes a directory for its owner's eyes, and those above it, where there is none."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Makes the names in a directory last."""
    if os.name == "nt":  # where a directory cannot be opened
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def file_bytes(path: Path) -> bytes:
    """The content of a plain file of modest size."""
    descriptor = os.open(path, _READ)
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > FILE_BYTES_MAX:
            raise StoreFailed("An entry of the store is no plain file of a usable size; look at it, or move it away.")
        return file.read()


class Draft:
    """A file that is being written beside the place where it will be."""

    def __init__(self, folder: Path, what: str, on_step: OnStep = no_step) -> None:
        self.size = 0
        self._what = what
        self._on_step = on_step
        handle, name = tempfile.mkstemp(dir=folder, prefix=".new.", suffix=".tmp")
        self._path = Path(name)
        self._file = open(handle, "wb")  # noqa: SIM115
        self._step("opened")

    def write(self, chunk: bytes) -> None:
        """Adds to it."""
        self._file.write(chunk)
        self.size += len(chunk)

    def seal(self) -> None:
        """Makes what was written last."""
        self._file.flush()
        self._step("written")
        os.fsync(self._file.fileno())
        self._file.close()
        self._step("sealed")

    def publish(self, path: Path) -> None:
        """Puts it in its place, at once and as a whole."""
        self._path.replace(path)
        self._step("published")
        sync_folder(path.parent)
        self._step("settled")

    def discard(self) -> None:
        """Takes it away, if it was not published."""
        # What cannot be written out any more need not be.
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _step(self, name: str) -> None:
        self._on_step(f"{self._what} {name}")


def replace_file(path: Path, content: bytes, what: str, on_step: OnStep = no_step) -> None:
    """Gives a file new content: whoever reads it meets the old or the new, whatever happens."""
    draft = Draft(path.parent, what, on_step)
    try:
        draft.write(content)
        draft.seal()
        draft.publish(path)
    finally:
        draft.discard()


def sweep(folder: Path, now_s: float) -> None:
    """Takes away temporary files whose writers ended long ago."""
    with os.scandir(folder) as found:
        for entry in found:
            if _TEMPORARY.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if now_s - entry.stat(follow_symlinks=False).st_mtime > FORGOTTEN_S:
                        Path(entry.path).unlink()
