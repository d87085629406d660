"""Text of unknown making inside Markdown: every character stands for itself (scan contract 7.15)."""

import unicodedata

_ESCAPES = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        **{sign: f"\\{sign}" for sign in "\\`*_{}[]()#|~!$"},
    }
)
_DESTINATION = str.maketrans({sign: f"%{ord(sign):02X}" for sign in " \"'()<>[]\\`|*_{}^$~!"})
_DIRECTIONS = frozenset("\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that change the direction of what follows them, and with it how the rest of a line reads."""


def flat(text: str) -> str:
    """The text on one line, without control characters."""
    kept = "".join(_flattened(sign) for sign in text)
    return " ".join(kept.split())


def inline(text: str) -> str:
    """The text on one line and escaped: safe in a paragraph, a heading, a link's text and a table's cell."""
    return flat(text).translate(_ESCAPES)


def link(text: str, url: str | None) -> str:
    """A link, or the text alone where there is no address; `text` is written already."""
    return text if url is None else f"[{text}]({url.translate(_DESTINATION)})"


def _flattened(sign: str) -> str:
    if sign in _DIRECTIONS:
        return ""
    return " " if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") else sign
