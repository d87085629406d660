"""Running text as it is kept: blanks collapsed, none before punctuation, ligatures expanded, NFC."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from itertools import groupby
from typing import NamedTuple

LONGEST_MARK_RUN = 32
"""More marks than any script puts on one letter; the stream-safe text format of Unicode stops at 30."""

_BLANKS = re.compile(r"\s+")
_CLOSED_UP = re.compile(r" (?=[,;)\]}]|[.:!?](?:[\s)\]}\"'”’»]|$))")
"""A full stop before a letter or digit (`.NET`, `.5`) and signs such as `:=` or `!=` are no punctuation."""
_TURN_INTO_MARKS = "\u0f73\u0f75\u0f81"
"""The characters that are no marks themselves and decompose into nothing else."""
_DROPPED = {0xAD: None} | dict.fromkeys([*range(9), *range(14, 28), *range(127, 133), *range(134, 160)])
_CHARACTERS = _DROPPED | dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))


class Formula(NamedTuple):
    """A formula as TeX, without delimiters."""

    tex: str
    is_display: bool

    @property
    def text(self) -> str:
        """The formula between the delimiters of its kind."""
        return rf"\[{self.tex}\]" if self.is_display else rf"\({self.tex}\)"


Piece = str | Formula


def line(pieces: Iterable[Piece]) -> str:
    """One line of running text. Formulas stay as they are, whatever stands around them."""
    return _composed("".join(_cleaned(pieces, _running)).strip())


def code_lines(pieces: Iterable[Piece]) -> str:
    """Lines of code: line ends stay, other blanks collapse, punctuation is left where it stands."""
    lines = "".join(_cleaned(pieces, plain)).splitlines()
    return _composed("\n".join(_BLANKS.sub(" ", text).strip() for text in lines).strip("\n"))


def equation(pieces: Iterable[Piece], number: str) -> str:
    """One row of an equation: its cells as one displayed formula, the number after it."""
    parts: list[Piece] = []
    for is_formula, run in groupby(_joined(pieces), key=lambda piece: isinstance(piece, Formula)):
        if is_formula:
            parts += [" ", Formula(" ".join(piece.tex for piece in run if isinstance(piece, Formula)), True), " "]
        else:
            parts += run
    return " ".join(part for part in (line(parts), number) if part)


def _joined(pieces: Iterable[Piece]) -> Iterable[Piece]:
    """The pieces with neighbouring texts as one; blank ones are gone."""
    for is_formula, run in groupby(pieces, key=lambda piece: isinstance(piece, Formula)):
        if is_formula:
            yield from run
        elif (text := "".join(piece for piece in run if isinstance(piece, str))).strip():
            yield text


def normalised(text: str) -> str:
    """NFC, ligatures expanded, soft hyphens and control characters dropped."""
    return _composed(plain(text))


def plain(text: str) -> str:
    """Ligatures expanded, soft hyphens and control characters dropped: before blanks are looked for."""
    return text if text.isascii() and text.isprintable() else text.translate(_CHARACTERS)


def _cleaned(pieces: Iterable[Piece], clean: Callable[[str], str]) -> Iterable[str]:
    """Each run of text cleaned as a whole, each formula as its text."""
    for is_formula, run in groupby(pieces, key=lambda piece: isinstance(piece, Formula)):
        if is_formula:
            yield from (piece.text for piece in run if isinstance(piece, Formula))
        else:
            yield clean("".join(piece for piece in run if isinstance(piece, str)))


def _running(text: str) -> str:
    return _CLOSED_UP.sub("", _BLANKS.sub(" ", plain(text)))


def _composed(text: str) -> str:
    """NFC in linear time: sorting a run of marks takes the square of its length, so endless runs are left alone."""
    if text.isascii():
        return text
    parts, start = [], 0
    for run in _endless_marks().finditer(text):
        parts += [unicodedata.normalize("NFC", text[start : run.start()]), run[0]]
        start = run.end()
    return "".join((*parts, unicodedata.normalize("NFC", text[start:])))


@cache
def _endless_marks() -> re.Pattern[str]:
    marks = "".join(character for code in range(0x300, 0x1F000) if unicodedata.combining(character := chr(code)))
    return re.compile(f"[{marks}{_TURN_INTO_MARKS}]{{{LONGEST_MARK_RUN},}}")
