"""HTML as a stream of texts and tags: in one pass, and without losing the tail of a damaged page.

The tokens are those of the HTML standard where a page is sound. Where it is not, the standard gives the rest of a page
to an open comment, script or quotation mark; here the mark counts as text and reading goes on. Tree-building parsers
are no way around this: on hostile input they take the square of its length (scope checks, copied formatting elements)
or stop at a depth, and the tail is lost in both.
"""

import html
import re
from collections.abc import Iterator
from enum import Enum, auto

_TAG = re.compile(
    r"<(?P<slash>/?+)(?P<name>[a-zA-Z][^\s/<>]*+)(?P<attributes>(?:[^<>=]++|=\s*+(?>\"[^\"]*+\"|'[^']*+')|=)*+)"
)
"""A tag but for its last sign. One that another `<` interrupts is none: somebody wrote the sign for "less than"."""
_ATTRIBUTE = re.compile(r"([^\s/>=][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]*+)))?")
_COMMENT_END = re.compile(r"--!?>")
_HUGE_NUMBER = re.compile(r"&#[0-9]{9,}+;?")
"""More digits than any character has; whoever converts them all takes the square of their number."""

RAW_TEXT = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_READABLE_RAW_TEXT = frozenset({"textarea", "title"})


class Token(Enum):
    """What a piece of a page is."""

    TEXT = auto()
    START = auto()
    END = auto()


class Markup:
    """A page, read token by token; `position` is where the next token starts, and a reader may move it forward."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.position = 0
        self.is_cut = False
        """Whether a tag, a comment or a script was begun that never ends."""
        self._last_bracket = page.rfind(">")
        self._unclosed: set[str] = set()
        self._last_ends: dict[str, int] = {}

    def tokens(self) -> Iterator[tuple[Token, str, str]]:
        """The kind of each token, then its decoded text, or its name in small letters and its attributes as written."""
        page, text_start = self.page, 0
        while (at := page.find("<", self.position)) >= 0:
            tag = _TAG.match(page, at)
            is_tag = tag is not None and page.startswith(">", tag.end())
            if tag and not is_tag:
                # What stands in quotes up to here is not looked at again: that could go on for ever.
                self.position = tag.end()
                self.is_cut |= self.position == len(page)
                continue
            end = tag.end() + 1 if tag else self._passed(at)
            if end is None:
                self.position = at + 1
                continue
            if at > text_start:
                yield Token.TEXT, decoded(page[text_start:at]), ""
            text_start = self.position = end
            if tag:
                name = tag["name"].lower()
                yield (Token.END if tag["slash"] else Token.START), name, tag["attributes"]
                if name in RAW_TEXT and not tag["slash"] and not is_self_closing(tag["attributes"]):
                    yield from self._raw_text(name)
                text_start = self.position
        if len(page) > text_start:
            yield Token.TEXT, decoded(page[text_start:]), ""

    def has_end_ahead(self, name: str) -> bool:
        """Whether an end tag of that name is still to come."""
        if name not in self._last_ends:
            self._last_ends[name] = max(self.page.rfind(f"</{name}"), self.page.rfind(f"</{name.upper()}"))
        return self._last_ends[name] >= self.position

    def _passed(self, at: int) -> int | None:
        """The end of a comment, a declaration or an end tag without a name; None where `<` is only a sign."""
        page = self.page
        if page.startswith("<!--", at):
            return self._comment_end(at)
        is_declaration = page.startswith(("<!", "<?", "</"), at)
        return page.index(">", at) + 1 if is_declaration and at < self._last_bracket else None

    def _comment_end(self, at: int) -> int:
        if self.page.startswith((">", "->"), at + 4):
            return self.page.index(">", at) + 1
        end = None if "<!--" in self._unclosed else _COMMENT_END.search(self.page, at + 4)
        if end is None:
            self._unclosed.add("<!--")
            self.is_cut = True
            return at + len("<!--")
        return end.end()

    def _raw_text(self, name: str) -> Iterator[tuple[Token, str, str]]:
        """The content of an element that holds no markup; one without an end is like any other element."""
        if name in self._unclosed:
            return
        end = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(self.page, self.position)
        if end is None:
            self._unclosed.add(name)
            self.is_cut = True
            return
        text = self.page[self.position : end.start()]
        self.position = end.start()
        if name in _READABLE_RAW_TEXT and text:
            yield Token.TEXT, decoded(text), ""


def is_self_closing(written: str) -> bool:
    """Whether the attributes of a tag end with the slash of XML."""
    return written.endswith("/")


def attributes(written: str) -> dict[str, str]:
    """The attributes of a tag by their names in small letters; the first of two equal ones counts."""
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(written):
        found.setdefault(name.lower(), decoded(double or single or bare))
    return found


def decoded(text: str) -> str:
    """Text with its character references resolved."""
    return html.unescape(_HUGE_NUMBER.sub("\ufffd", text)) if "&" in text else text
