"""What is wrong with a call, gathered until all is known, and the one refusal that tells it (scan contract 2.1, 5)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from core.scan.answers.refusals import LINES_MAX, Code, Refused

SHOWN_CHARS = 64

# The first that occurs is the code of the call; its lines come first.
_PRECEDENCE = (
    Code.INVALID_SCAN_ID,
    Code.MULTIPLE_ARTIFACTS,
    Code.SCHEMA_VIOLATION,
    Code.WINDOW_CONFLICT,
    Code.INVALID_PLAN,
    Code.INVALID_GAP_PLAN,
    Code.UNKNOWN_CID,
    Code.CRITERIA_MISMATCH,
    Code.UNKNOWN_CRITERION,
    Code.DUPLICATE_SCORE,
    Code.UNSCORED_ITEMS,
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of `errors` and the code that it would have alone; `path` is empty where the line names no place."""

    code: Code
    path: str
    reason: str

    @property
    def line(self) -> str:
        """The line as the client reads it."""
        return f"{self.path}: {self.reason}" if self.path else self.reason


def refuse(problems: Sequence[Problem]) -> None:
    """Raises the refusal of all problems, in the order of their codes; does nothing where there are none."""
    if problems:
        _refuse(problems)


def _refuse(problems: Iterable[Problem]) -> NoReturn:
    ordered = sorted(problems, key=lambda each: _PRECEDENCE.index(each.code))
    # Only the lines that are shown are written out.
    lines = [each.line if index < LINES_MAX else "" for index, each in enumerate(ordered)]
    raise Refused(ordered[0].code, lines)


def shown(name: str) -> str:
    """A key or id of the client as a line may hold it: on one line, printable, at most 64 characters."""
    cut = " ".join(name[: SHOWN_CHARS * 2].split())[:SHOWN_CHARS]
    return "".join(char if char.isprintable() else "?" for char in cut)
