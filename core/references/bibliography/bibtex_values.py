"""Values of BibTeX fields: pieces in braces or quotes, numbers and names, joined by `#`; and TeX taken off them."""

import re
from collections.abc import Mapping

_LONGEST_STRING = 2000
_LONGEST_VALUE = 200_000
_PIECE = re.compile(r"[^\s#{}\",=]+")
_BLANKS = re.compile(r"\s*")
_BRACE = re.compile(r"[{}]")
_BRACE_OR_QUOTE = re.compile(r"[{}\"]")
_ESCAPED = re.compile(r"\\([_%&#$~{}^-])")
_SIGNS = re.compile(
    r"\$?\\(?:text)?(lt|gt|less|greater|underscore|_)(?:\{\}|(?![A-Za-z]))\$?|\$([<>_])\$|\\(?:url|path|href)(?=\{)"
)
_SIGN = {"lt": "<", "less": "<", "gt": ">", "greater": ">", "underscore": "_", "_": "_"}


def evaluate(expression: str, strings: Mapping[str, str]) -> str | None:
    """The value of a field as BibTeX reads it, or None when it is none; an undefined name stands for itself."""
    written = []
    length = position = 0
    while True:
        position = _after_blanks(expression, position)
        end = _end_of_piece(expression, position)
        if end is None:
            return None
        piece = expression[position:end]
        # Strings may hold strings, each twice as long as the last.
        value = piece[1:-1] if piece[0] in '{"' else strings.get(piece.lower(), piece)[:_LONGEST_STRING]
        length += len(value)
        if length > _LONGEST_VALUE:
            return None
        written.append(value)
        position = _after_blanks(expression, end)
        if position == len(expression):
            return "".join(written)
        if expression[position] != "#":
            return None
        position += 1


def untex(value: str) -> str:
    """An identifier without the TeX around it: escapes, braces, signs written as commands or formulas."""
    if "\\" in value or "$" in value:
        value = _ESCAPED.sub(r"\1", _SIGNS.sub(lambda match: _SIGN.get(match[1] or "", match[2] or ""), value))
    return " ".join(_BRACE.sub("", value).split())


def _after_blanks(text: str, position: int) -> int:
    match = _BLANKS.match(text, position)
    return match.end() if match else position


def _end_of_piece(text: str, start: int) -> int | None:
    opening = text[start : start + 1]
    if opening not in ("{", '"'):
        match = _PIECE.match(text, start)
        return match.end() if match else None
    depth = 0
    for mark in (_BRACE if opening == "{" else _BRACE_OR_QUOTE).finditer(text, start + (opening == '"')):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if depth == 0 and mark[0] in ('"', "}" if opening == "{" else '"'):
            return mark.end()
    return None
