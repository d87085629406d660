"""Plain text as LaTeX that reads as the same text again: escapes, protected capitals, letters as macros."""

import unicodedata
from functools import lru_cache

from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexencode import get_builtin_uni2latex_dict

from core.latex.math import pieces
from core.texts import clean_text

_SPECIALS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%#_$"},
}
_ESCAPES = str.maketrans(_SPECIALS)
_LITERAL = str.maketrans({**_SPECIALS, "{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
_UNSAFE = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C"})
_CONTROLS = ("Cc", "Cs", "Zl", "Zp")
_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
    "\u0328": "k",
    "\u0331": "b",
}
_NO_BRACES = str.maketrans("", "", "{}")


def literal_tex(text: str, *, protects: bool = False) -> str:
    """A text of unknown making as the value of a BibTeX field, every character as itself: nothing in it is TeX.

    White space is collapsed and control characters are left out, else the typeset text is the text given. `protects`
    is that of `tex`.
    """
    words = "".join(" " if unicodedata.category(sign) in _CONTROLS else sign for sign in text).split()
    return " ".join(_literal_word(word) if protects else word.translate(_LITERAL) for word in words)


def _literal_word(word: str) -> str:
    written = word.translate(_LITERAL)
    has_capital = any(character.isupper() for part in word.split("-") for character in part[1:])
    return f"{{{written}}}" if has_capital else written


def tex(text: str, *, ascii_only: bool, protects: bool = False) -> str:
    """A text as the value of a BibTeX field, its braces balanced; formulas stay as they are.

    `protects` puts words with a capital after their first letter in braces, which keep BibTeX from lowering it.
    `ascii_only` writes every character that has a macro as that macro.
    """
    written = []
    for is_formula, piece in pieces(clean_text(text) or ""):
        plain = piece if is_formula else piece.translate(_NO_BRACES)
        written.append(plain if is_formula else _tex_of_words(plain, ascii_only, protects))
    return " ".join("".join(written).split())


def _tex_of_words(text: str, ascii_only: bool, protects: bool) -> str:
    if not protects:
        return _escaped(text, ascii_only)
    return " ".join(_tex_of_word(word, ascii_only) for word in text.split(" "))


def _tex_of_word(word: str, ascii_only: bool) -> str:
    inside = [place for place, character in enumerate(word) if character.isalnum()]
    if not inside:
        return _escaped(word, ascii_only)
    start, end = inside[0], inside[-1] + 1
    core = _escaped(word[start:end], ascii_only)
    if any(character.isupper() for part in word[start:end].split("-") for character in part[1:]):
        core = f"{{{core}}}"
    return f"{_escaped(word[:start], ascii_only)}{core}{_escaped(word[end:], ascii_only)}"


def _escaped(text: str, ascii_only: bool) -> str:
    escaped = text.translate(_ESCAPES)
    if not ascii_only or escaped.isascii():
        return escaped
    return "".join(character if character.isascii() else _macro(character) for character in escaped)


@lru_cache(maxsize=4096)
def _macro(character: str) -> str:
    """The character as a macro in braces, or itself where no macro gives it back: the table has wrong ones."""
    for macro in (get_builtin_uni2latex_dict().get(ord(character)), _accented(character)):
        if macro and macro.isascii() and _decoded(f"{{{macro}}}") == character:
            return f"{{{macro}}}"
    return character


def _accented(character: str) -> str | None:
    decomposed = unicodedata.normalize("NFD", character)
    if len(decomposed) != 2 or decomposed[1] not in _ACCENTS:
        return None
    return f"\\{_ACCENTS[decomposed[1]]}{{{decomposed[0]}}}"


def _decoded(macro: str) -> str:
    return unicodedata.normalize("NFC", LatexNodes2Text().latex_to_text(macro))


def verbatim(value: str) -> str:
    """A value that is copied, not typeset; braces, and backslashes before them, would end it before its time."""
    return value.translate(_UNSAFE)
