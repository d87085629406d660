"""Finds the commands of TeX that take in another file, and leaves comments and verbatim text alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.references.tex.limits import Effort

_VERBATIM = r"verbatim\*?|[BL]?Verbatim\*?|lstlisting|minted|comment|filecontents\*?"
_COMMAND = (
    r"\\(?:(?P<command>input|include|subfile|import|subimport|InputIfFileExists|endinput)(?![A-Za-z@])\*?"
    rf"|verb(?P<verb>)(?![A-Za-z@])\*?|begin\s{{0,9}}\{{(?P<environment>{_VERBATIM})\}})"
)
_PASSED_OVER = rf"(?:[^\\%]++|%[^\n]*+|(?!{re.sub('[?]P<[a-z]+>', '?:', _COMMAND)})\\(?:[A-Za-z]++|.|\Z))*+"
"""All up to the next command of interest: other text, comments, other commands, and escaped signs, which start none."""
_STEP = re.compile(f"{_PASSED_OVER}(?P<found>{_COMMAND})", re.DOTALL)
_BRACED = re.compile(r"\s{0,100}\{([^{}\n]{0,300})\}")
_BARE = re.compile(r"[ \t]{1,100}(?:\"([^\"\n]{1,300})\"|([^\s{}\\%\"]{1,300}+)(?=[\s{}\\%]|\Z))")
_VERB_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Include:
    """A command that takes in a file, and where it stands; `directory` is set for `\\import` and `\\subimport`."""

    start: int
    end: int
    command: str
    name: str
    directory: str | None = None

    @property
    def path(self) -> str:
        """The file as it is asked for, its directory before it."""
        return f"{self.directory.rstrip('/')}/{self.name}" if self.directory else self.name


def commands(text: str, effort: Effort) -> Iterator[Include]:
    """The commands in order. The one of `\\endinput` has no name, and nothing after it counts."""
    without_end: set[str] = set()
    position = 0
    while found := _STEP.match(text, position):
        effort.go_on()
        position = found.end()
        if command := found["command"]:
            if include := _include(text, found.start("found"), position, command):
                yield include
                position = include.end
            if command == "endinput":
                return
        elif found["verb"] is not None:
            position = _after_verb(text, position)
        elif (environment := found["environment"]) not in without_end:
            end = text.find(f"\\end{{{environment}}}", position)
            if end < 0:
                without_end.add(environment)
            else:
                position = end


def _include(text: str, start: int, position: int, command: str) -> Include | None:
    if command == "endinput":
        return Include(start, position, command, "")
    argument = _BRACED.match(text, position)
    if command == "input" and not argument:
        bare = _BARE.match(text, position)
        return Include(start, bare.end(), command, bare[1] or bare[2]) if bare else None
    directory = None
    if argument and command in ("import", "subimport"):
        directory = _plain(argument[1])
        argument = _BRACED.match(text, argument.end())
    name = _plain(argument[1]) if argument else ""
    return Include(start, argument.end(), command, name, directory) if argument and name else None


def _plain(argument: str) -> str:
    """A file name without the blanks and quotes that it may stand in."""
    return argument.strip().strip('"').strip()


def _after_verb(text: str, position: int) -> int:
    """Where `\\verb|…|` ends; it stays within a line."""
    if position >= len(text):
        return position
    line_end = text.find("\n", position, position + _VERB_CHARS)
    end = text.find(text[position], position + 1, line_end if line_end >= 0 else position + _VERB_CHARS)
    return end + 1 if end >= 0 else position
