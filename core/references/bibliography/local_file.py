"""Opens a bibliography on the user's own disk, in local mode only: a plain file that looks like one, and no other."""

import os
import stat
from pathlib import Path

from core.errors import InvalidInput

ENDINGS = (".bib", ".biblatex", ".json", ".csl", ".txt", ".refs")
FILE_BYTES_MAX = 10 * 1024 * 1024
# A pipe would keep the caller waiting, a link lead elsewhere than the name says.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_local(path: str) -> tuple[bytes, str]:
    """The content of the file and its ending; raises `InvalidInput`, whose message says nothing about the file."""
    place = Path(path)
    ending = place.suffix.lower()
    if not place.is_absolute() or "\0" in path:
        raise InvalidInput("The path is absolute, as in /home/me/library.bib.")
    if ending not in ENDINGS:
        raise InvalidInput(f"The path must end in one of {', '.join(ENDINGS)}.")
    try:
        descriptor = os.open(place, _FLAGS)
    except OSError as error:
        raise _unreadable() from error
    try:
        content = _content(descriptor)
    except OSError as error:
        raise _unreadable() from error
    finally:
        os.close(descriptor)
    if len(content) > FILE_BYTES_MAX:
        raise InvalidInput(f"A bibliography file has at most {FILE_BYTES_MAX // 1024**2} MiB. Split it.")
    return content, ending


def _content(descriptor: int) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise _unreadable()
    with open(descriptor, "rb", closefd=False) as file:
        return file.read(FILE_BYTES_MAX + 1)


def _unreadable() -> InvalidInput:
    return InvalidInput("The path names no file that can be read: it must be a plain file, and no link.")
