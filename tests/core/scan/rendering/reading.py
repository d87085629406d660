"""Reads back what was rendered: tables of Markdown as GitHub does, fields of BibTeX as LaTeX would set them."""

import html
import re

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

_CONTEXT = get_default_latex_context_db().filter_context(exclude_categories=["nonascii-specials"])
_CONTEXT.add_context_category(
    "braces",
    prepend=True,
    macros=[MacroTextSpec("textbraceleft", simplify_repl="{"), MacroTextSpec("textbraceright", simplify_repl="}")],
)
_READER = LatexNodes2Text(latex_context=_CONTEXT, keep_braced_groups=False)

_LINK = re.compile(r"(?<!\\)\[((?:\\.|[^\\\]])*)\]\([^)\s]*\)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def bibtex_text(value: str) -> str:
    """A field's value as a reader sees it."""
    return str(_READER.latex_to_text(value))


def markdown_text(written: str) -> str:
    """A line's text as a reader sees it, links by their texts."""
    return html.unescape(_ESCAPED.sub(r"\1", _LINK.sub(r"\1", written)))


def table_rows(text: str) -> list[list[str]]:
    """The cells of the first table's body; a row is a line, cells end at pipes that are not escaped."""
    lines = text.splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("| #"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
        rows.append([markdown_text(cell.strip()) for cell in cells])
    return rows
