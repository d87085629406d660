"""Plain text from titles that hold TeX: formulas, accents and a few commands as the characters they stand for."""

import re
import unicodedata

from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db

from core.latex.math import pieces
from core.texts import clean_text

_MACRO = re.compile(r"\\([A-Za-z]+)")
_STYLED = re.compile(r"\\(?:emph|text(?:bf|it|rm|sc|sf|sl|tt|up))\{([^{}]*)\}")
# Only what can be nothing but TeX: a title may hold a backslash of its own.
_CHARACTER = re.compile(
    r"""(\{)?\\(?:
      ["'`^~=.]\s*(?:\{\\?[A-Za-z]\}|\\?[A-Za-z])
    | [Hckrubvd](?:\s*\{\\?[A-Za-z]\}|\s+[A-Za-z])
    | (?:ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j|dh|DH|dj|DJ|th|TH|ng|NG)(?:\{\}|\s+|(?![A-Za-z]))
    | [&%\#_$]
    )(?(1)\})""",
    re.VERBOSE,
)
_MACROS = get_default_latex_context_db()


def plain(text: str | None) -> str | None:
    """A text without TeX, or None when nothing is left; a formula with a macro that is not known stays as it is."""
    cleaned = clean_text(text) if text else None
    if cleaned is None or ("$" not in cleaned and "\\" not in cleaned):
        return cleaned
    written = [_typed(piece) if is_formula else _without_macros(piece) for is_formula, piece in pieces(cleaned)]
    return unicodedata.normalize("NFC", " ".join("".join(written).split())) or None


def _typed(formula: str) -> str:
    if all(_MACROS.get_macro_spec(name) is not None for name in _MACRO.findall(formula)):
        return _decoded(formula)
    return formula.strip("$")


def _without_macros(text: str) -> str:
    return _CHARACTER.sub(lambda match: _decoded(match[0]), _STYLED.sub(r"\1", text))


def _decoded(tex: str) -> str:
    return str(LatexNodes2Text(math_mode="text").latex_to_text(tex))
