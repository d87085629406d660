"""Reads the HTML that LaTeXML makes of a paper, as arXiv and ar5iv serve it (references contract 8.1)."""

import re

from core.references.text.assembly import Assembly, Line
from core.references.text.document import Document
from core.references.text.elements import BLOCKS, FOREIGN, VOID, Element, OpenElements
from core.references.text.latexml import OWN_STRUCTURE, Role, is_hidden, role_of
from core.references.text.layout import Layout, Part
from core.references.text.markup import RAW_TEXT, Markup, Token, attributes, is_self_closing
from core.references.text.maths import TEX_ENCODING, OpenFormula
from core.references.text.prose import line

_BANNER = re.compile(
    r"\s*(?:(?P<fatal>Conversion to HTML had a fatal error\b)|No content available\s*\Z)", re.IGNORECASE
)
"""What a converter says in place of a paper, or at the end of half of one."""
_FATAL_CLASS = "ar5iv-severity-fatal"
_TITLE_CLASS = "ltx_title_document"
_PAGE_ID = re.compile(r"\A\s*\[[^\]]{0,60}\]\s*")
_LICENSE_WORD = re.compile(r"\Alicen[cs]e\s*:\s*", re.IGNORECASE)
_LICENSE_CHARS = 200
_ROOTS = (Role.ARTICLE, Role.MAIN, None)
"""What a page is read from: the first of these that it has; None is the page as a whole."""
_PAGE_PARTS = frozenset(("html", "head", "body"))
_PAGE_ENDS = frozenset(("html", "body"))
_HEARD_ROLES = frozenset((Role.PAGE_TITLE, Role.LICENSE))
_NEVER_LEFT = FOREIGN | {"template", "noscript"}
_SOURCES = frozenset(("annotation", "annotation-xml"))
_FORMULA_EDGE = re.compile(r"<(/?)math\b", re.IGNORECASE)
_NOT_OF_FORMULAS = re.compile(
    r"</?(?:a|article|b|blockquote|body|br|cite|div|dl|em|figure|footer|h[1-6]|header|hr|i|img|li|main|ol|p|pre|section|span|"
    r"strong|sub|sup|table|t[dr]|ul)\b|<!",
    re.IGNORECASE,
)


def read_html(body: bytes) -> Document:
    """The text of a page. Takes any bytes; a page without text of a paper gives a document without prose."""
    page = body.decode("utf-8-sig", errors="replace")
    readers = (_Reader(page, root) for root in _ROOTS)
    return next(reader for reader in readers if reader.read()).document()


class _Reader:
    """One pass over a page, from the first element of a role that is its root, or over the whole page."""

    def __init__(self, page: str, root: Role | None) -> None:
        self._markup = Markup(page)
        self._assembly = Assembly()
        self._layout = Layout(self._assembly)
        self._open = OpenElements(Part(), self._closed)
        self._root_role = root
        self._root: Element[Part] | None = None
        self._is_inside = root is None
        self._has_title_class = _TITLE_CLASS in page
        self._dropped: Element[Part] | None = None
        self._can_be_left = False
        self._formula: OpenFormula | None = None
        self._formula_element: Element[Part] | None = None
        self._source_element: Element[Part] | None = None
        self._heard: list[str] | None = None
        self._page_title: list[str] = []
        self._license: list[str] = []
        self._has_ended = False
        self._is_damaged = False

    def read(self) -> bool:
        """Reads the page; whether it has the root."""
        for kind, content, written in self._markup.tokens():
            if kind is Token.TEXT:
                self._text(content)
            elif kind is Token.START:
                self._start(content, written)
            elif content in _PAGE_ENDS:
                self._has_ended = True
            else:
                self._open.end(content)
        self._is_damaged |= self._markup.is_cut or (not self._has_ended and self._open.lacks_an_end)
        self._open.close_from(1)
        return self._root_role is None or self._root is not None

    def document(self) -> Document:
        """What was read."""
        sections = self._assembly.sections()
        page_title = _PAGE_ID.sub("", line(self._page_title), count=1)
        return Document(
            self._assembly.title or page_title or None, sections, self._is_damaged, _license(line(self._license))
        )

    def _text(self, text: str) -> None:
        if banner := _BANNER.match(text):
            self._is_damaged |= banner["fatal"] is not None
        elif self._heard is not None:
            self._heard.append(text)
        elif self._is_inside and self._dropped is None:
            self._assembly.add(text)

    def _start(self, name: str, written: str) -> None:
        if name in _PAGE_PARTS:
            return
        self._is_damaged |= _FATAL_CLASS in written
        self._open.imply_ends(name)
        if self._open.lacks_a_row(name):
            self._start("tr", "")
        found = attributes(written) if written else {}
        role = role_of(name, found)
        if self._dropped and self._can_be_left and role in OWN_STRUCTURE:
            self._open.close_from(self._dropped.place)
        is_foreign = name in FOREIGN or bool(self._open.top.foreign)
        if name in VOID or (is_self_closing(written) and (is_foreign or name in RAW_TEXT)):
            self._void(role, found)
        elif self._dropped:
            self._open.open(name, Part())
        elif self._formula:
            self._start_inside_formula(name, found)
        else:
            self._start_plain(name, role, found)

    def _void(self, role: Role, found: dict[str, str]) -> None:
        if self._dropped is None and self._formula is None and self._is_inside:
            if role is Role.MATHS and (formula := _opened(found, is_display=False).formula()):
                self._assembly.add(formula)
            elif role is Role.BLOCK:
                self._assembly.block()
            elif role is Role.SPACED:
                self._assembly.space()

    def _start_plain(self, name: str, role: Role, found: dict[str, str]) -> None:
        role = self._in_place(name, role)
        if role is Role.DROPPED or role in _HEARD_ROLES:
            self._start_dropped(name, role, found)
        elif not self._is_inside:
            is_root = role is self._root_role and self._root is None
            element = self._open.open(name, Part(), is_root=is_root)
            if is_root:
                self._root, self._is_inside = element, True
        elif role is Role.MATHS:
            self._formula = _opened(found, is_display=self._assembly.mode is Line.EQUATION)
            self._formula_element = self._open.open(name, Part())
            self._heard = self._formula.content
            self._skip_formula()
        else:
            element = self._open.open(name, Part(role))
            self._layout.start(element)

    def _in_place(self, name: str, role: Role) -> Role:
        """The role that an element has where it stands."""
        if role is Role.DROPPED and not self._markup.has_end_ahead(name):
            # It is never closed: dropping it could drop the rest of the page.
            return Role.BLOCK if name in BLOCKS else Role.INLINE
        if role is Role.NOTE and self._assembly.mode is Line.TITLE:
            return Role.DROPPED
        is_first = self._assembly.title is None and not self._has_title_class
        return Role.TITLE if name == "h1" and role is Role.HEADING and is_first else role

    def _start_dropped(self, name: str, role: Role, found: dict[str, str]) -> None:
        if name in BLOCKS and self._is_inside:
            self._assembly.block()
        self._dropped = self._open.open(name, Part(role))
        self._can_be_left = not is_hidden(found) and name not in _NEVER_LEFT
        heard = {Role.PAGE_TITLE: self._page_title, Role.LICENSE: self._license}.get(role)
        self._heard = heard if heard is not None and not heard else None

    def _start_inside_formula(self, name: str, found: dict[str, str]) -> None:
        element = self._open.open(name, Part())
        if name in _SOURCES and self._source_element is None and self._formula:
            self._source_element = element
            is_tex = name == "annotation" and found.get("encoding", "").strip().lower() == TEX_ENCODING
            self._heard = self._formula.annotation if is_tex else []

    def _skip_formula(self) -> None:
        """Moves on to the end of a formula that needs nothing from its content, unless the content needs a look."""
        if self._formula and self._formula.alttext.strip():
            page, start = self._markup.page, self._markup.position
            edge = _FORMULA_EDGE.search(page, start)
            if edge and edge[1] and not _NOT_OF_FORMULAS.search(page, start, edge.start()):
                self._markup.position = edge.start()

    def _closed(self, element: Element[Part]) -> None:
        if element is self._dropped:
            self._dropped = self._heard = None
            if element.name in BLOCKS and self._is_inside:
                self._assembly.block()
        elif element is self._source_element:
            self._source_element = None
            self._heard = self._formula.content if self._formula else None
        elif element is self._formula_element:
            formula = self._formula.formula() if self._formula else None
            self._formula = self._formula_element = self._heard = None
            if formula:
                self._assembly.add(formula)
        elif element is self._root:
            self._is_inside = False
            self._assembly.block()
        else:
            self._layout.end(element)


def _opened(found: dict[str, str], *, is_display: bool) -> OpenFormula:
    is_block = found.get("display", "").strip().lower() == "block"
    return OpenFormula(found.get("alttext", ""), is_block or is_display)


def _license(stated: str) -> str | None:
    return _LICENSE_WORD.sub("", stated, count=1)[:_LICENSE_CHARS].strip() or None
