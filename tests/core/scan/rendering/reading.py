"""Reads back what was rendered: Markdown with a parser of its own, fields of BibTeX as LaTeX would set them."""

from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

# Ligatures such as `--` are typography, not spelling: a title has them as it has them.
_CONTEXT = get_default_latex_context_db().filter_context(exclude_categories=["nonascii-specials"])
_CONTEXT.add_context_category(
    "braces",
    prepend=True,
    macros=[
        MacroTextSpec("textbraceleft", simplify_repl="{"),
        MacroTextSpec("textbraceright", simplify_repl="}"),
        MacroTextSpec("textasciicircum", simplify_repl="^"),
    ],
)
_LATEX = LatexNodes2Text(latex_context=_CONTEXT, keep_braced_groups=False, strict_latex_spaces=True)
_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@dataclass(frozen=True)
class Read:
    """The first table's body by its cells, headings with their levels, link targets, and whether there is raw HTML."""

    rows: list[list[str]]
    headings: list[tuple[str, str]]
    links: list[str]
    has_html: bool
    blocks: list[str]


def bibtex_text(value: str) -> str:
    """A field's value as a reader sees it."""
    return str(_LATEX.latex_to_text(value))


def read_markdown(text: str) -> Read:
    """The text as a renderer takes it."""
    tokens = _MARKDOWN.parse(text)
    inline = [each for each in tokens if each.type == "inline"]
    children = [child for each in inline for child in each.children or ()]
    rows: list[list[str]] = []
    end = next((place for place, each in enumerate(tokens) if each.type == "tbody_close"), 0)
    for place, token in enumerate(tokens[:end]):
        if token.type == "tr_open":
            rows.append([])
        if token.type == "inline" and tokens[place - 1].type == "td_open":
            rows[-1].append(shown(token))
    return Read(
        rows=[row for row in rows if row],
        headings=[
            (each.tag, shown(tokens[place + 1])) for place, each in enumerate(tokens) if each.type == "heading_open"
        ],
        links=[str(each.attrs["href"]) for each in children if each.type == "link_open"],
        has_html=any(each.type in ("html_block", "html_inline") for each in [*tokens, *children]),
        blocks=[each.type for each in tokens if each.level == 0 and each.nesting != -1],
    )


def table_rows(text: str) -> list[list[str]]:
    """The cells of the first table's body."""
    return read_markdown(text).rows


def shown(token: Token) -> str:
    """The text of an inline token without its marks."""
    return "".join(
        each.content for each in token.children or () if each.type in ("text", "text_special", "code_inline")
    )
