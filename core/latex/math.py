"""Finds the formulas in a title: `$…$` that is TeX and no sum of money."""

import re
from collections.abc import Iterator

# As in Pandoc: no blank inside the dollars, no digit after them.
_FORMULA = re.compile(r"\$\$(?:[^$\\]|\\.)+\$\$|(?<!\\)\$(?![\s$])(?:[^$\\]|\\.)+(?<!\s)\$(?![0-9$])")
# A raw one of these would comment out or break what follows.
_UNTYPEABLE = re.compile(r"(?<!\\)[%#]")


def pieces(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces: (whether it is a formula, the piece with its dollars)."""
    position = 0
    for match in _FORMULA.finditer(text):
        if _UNTYPEABLE.search(match[0]) or not _is_balanced(match[0]):
            continue
        yield False, text[position : match.start()]
        yield True, match[0]
        position = match.end()
    yield False, text[position:]


def _is_balanced(formula: str) -> bool:
    """As BibTeX counts braces: escaped ones too."""
    depth = 0
    for character in formula:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0
