"""Puts the files that a TeX file takes in into their places (references contract 8.2)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from core.references.tex.includes import Include, commands
from core.references.tex.limits import Effort
from core.references.tex.names import Names, directory_of

UNRESOLVED_LISTED = 200
_OPENING, _CLOSING, _NEW_LINE = "% >>> ", "% <<< ", "\n"


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with its files in place; `unresolved` are the files that are not, as the commands name them."""

    text: str
    unresolved: tuple[str, ...]


class Expansion:
    """One expansion: all its files together stay within the limits, and no file is taken into itself."""

    def __init__(self, names: Names, read: Callable[[str], str], effort: Effort) -> None:
        self._names = names
        self._read = read
        self._effort = effort
        self._chars = 0
        self._sizes: dict[str, int] = {}
        self._unresolved: dict[str, None] = {}

    def expand(self, main_file: str) -> Expanded:
        """The text of the main file with all that it takes in."""
        text = self._read(main_file)
        self._chars = len(text)
        whole = "".join(self._pieces(text, (main_file,), directory_of(main_file)))
        return Expanded(whole, tuple(self._unresolved))

    def _pieces(self, text: str, path: tuple[str, ...], base: str) -> Iterator[str]:
        """The text of the last file of `path`; names in it are seen from `base` and from the main file."""
        start = 0
        for include in commands(text, self._effort):
            if not include.name:
                yield text[start : include.start]
                return
            if (found := self._found(include, path, base)) is None:
                continue
            name, its_base = found
            before = text[start : include.start]
            yield before
            yield f"{'' if _is_at_line_start(before) else _NEW_LINE}{_OPENING}{name}\n"
            yield from _with_line_end(self._pieces(self._read(name), (*path, name), its_base))
            yield f"{_CLOSING}{name}"
            start = include.end
            yield "" if text.startswith("\n", start) or start == len(text) else "\n"
        yield text[start:]

    def _found(self, include: Include, path: tuple[str, ...], base: str) -> tuple[str, str] | None:
        """The file that a command names, and where names in it are seen from; None where it stays as written."""
        main, here = directory_of(path[0]), directory_of(path[-1])
        wanted = include.path
        directories = {"import": (main,), "subimport": (base, main)}.get(include.command, (base, main, here))
        name = self._names.find(wanted, directories)
        if name in path:
            return None
        if name is None or len(path) > self._effort.limits.depth or not self._fits(name):
            if len(self._unresolved) < UNRESOLVED_LISTED:
                self._unresolved[wanted] = None
            return None
        return name, base if include.directory is None else directory_of(name)

    def _fits(self, name: str) -> bool:
        """Whether there is room for a file, which is then taken."""
        if name not in self._sizes:
            self._sizes[name] = len(self._read(name)) + 2 * len(name) + len(_OPENING) + len(_CLOSING)
        if self._chars + self._sizes[name] > self._effort.limits.expanded_chars:
            return False
        self._chars += self._sizes[name]
        return True


def _is_at_line_start(before: str) -> bool:
    return before.rstrip(" \t").endswith("\n") or not before.strip(" \t")


def _with_line_end(pieces: Iterator[str]) -> Iterator[str]:
    last = "\n"
    for piece in pieces:
        yield piece
        last = piece or last
    if not last.endswith("\n"):
        yield "\n"
