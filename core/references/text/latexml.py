"""What the elements of a LaTeXML page are for, and which of them are the site's and not the paper's."""

import re
from enum import StrEnum, auto
from functools import lru_cache

from core.references.text.elements import BLOCKS, HEADINGS, names


class Role(StrEnum):
    """What an element means to a reader of the text."""

    INLINE = auto()
    SPACED = auto()
    BLOCK = auto()
    DROPPED = auto()
    ARTICLE = auto()
    MAIN = auto()
    BODY = auto()
    TITLE = auto()
    PAGE_TITLE = auto()
    LICENSE = auto()
    HEADING = auto()
    ABSTRACT = auto()
    APPENDIX = auto()
    REFERENCES = auto()
    REFERENCE = auto()
    TAG = auto()
    NOTE = auto()
    CAPTION = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()
    MATHS = auto()
    ANNOTATION = auto()
    EQUATION = auto()
    EQUATION_ROW = auto()
    EQUATION_NUMBER = auto()
    LIST = auto()
    ITEM = auto()
    ITEM_TAG = auto()
    TERM = auto()
    DEFINITION = auto()
    CODE = auto()
    LISTING = auto()
    CODE_LINE = auto()


PARTS = frozenset((Role.ABSTRACT, Role.APPENDIX, Role.REFERENCES))
OWN_STRUCTURE = PARTS | {Role.ARTICLE, Role.MAIN}
"""What a paper consists of. One of them inside of a dropped part means that the part was never closed."""

_DROPPED_NAMES = names(
    "script style noscript template svg nav header footer dialog button form iframe textarea select noembed noframes "
    "annotation-xml"
)
_DROPPED_CLASSES = names(
    "ltx_page_header ltx_page_footer ltx_page_navbar ltx_page_logo ltx_TOC ltx_ERROR package-alerts ltx_authors "
    "ltx_author_notes ltx_dates ltx_note_mark ltx_note_type ltx_tag_note ltx_listing_data html-header-message "
    "keyboard-glossary ar5iv-footer"
)
_DROPPED_IDS = frozenset(("watermark-tr", "infoIcon", "myForm"))
_FEEDBACK = re.compile(
    r"(?:\A|[\s_-])(?:feedback|(?:bug|issue|error)-?report|report-?(?:issue|bug|error))", re.IGNORECASE
)
_BY_CLASS = {
    "ltx_document": Role.ARTICLE,
    "ltx_title_document": Role.TITLE,
    "ltx_abstract": Role.ABSTRACT,
    "ltx_appendix": Role.APPENDIX,
    "ltx_bibliography": Role.REFERENCES,
    "ltx_biblist": Role.REFERENCES,
    "ltx_bibitem": Role.REFERENCE,
    "ltx_note": Role.NOTE,
    "ltx_caption": Role.CAPTION,
    "ltx_eqn_row": Role.EQUATION_ROW,
    "ltx_equation": Role.EQUATION,
    "ltx_equationgroup": Role.EQUATION,
    "ltx_tag_equation": Role.EQUATION_NUMBER,
    "ltx_tag_equationgroup": Role.EQUATION_NUMBER,
    "ltx_tag_item": Role.ITEM_TAG,
    "ltx_tag": Role.TAG,
    "ltx_listing": Role.LISTING,
    "ltx_listingline": Role.CODE_LINE,
    "ltx_tabular": Role.TABLE,
    "ltx_tr": Role.ROW,
    "ltx_td": Role.CELL,
    "ltx_th": Role.CELL,
    "ltx_p": Role.SPACED,
    "ltx_para": Role.SPACED,
    "ltx_inline-para": Role.SPACED,
    "ltx_bibblock": Role.SPACED,
}
"""In this order: an element with two of these classes is what the first one says."""
_BY_NAME = {
    **dict.fromkeys(BLOCKS, Role.BLOCK),
    **dict.fromkeys(HEADINGS, Role.HEADING),
    "article": Role.ARTICLE,
    "main": Role.MAIN,
    "body": Role.BODY,
    "title": Role.PAGE_TITLE,
    "math": Role.MATHS,
    "annotation": Role.ANNOTATION,
    "figcaption": Role.CAPTION,
    "caption": Role.CAPTION,
    "table": Role.TABLE,
    "tr": Role.ROW,
    "td": Role.CELL,
    "th": Role.CELL,
    **dict.fromkeys(("ul", "ol", "dl"), Role.LIST),
    "li": Role.ITEM,
    "dt": Role.TERM,
    "dd": Role.DEFINITION,
    "pre": Role.CODE,
    "br": Role.SPACED,
}
_EQUATION_TABLE = "ltx_eqn_table"
_CACHED_CLASSES_CHARS = 200


def role_of(name: str, attributes: dict[str, str]) -> Role:
    """The role of an element, by its name, classes and id."""
    if name == "math":
        return Role.MATHS
    if is_hidden(attributes):
        return Role.DROPPED
    identity = attributes.get("id", "")
    if identity == "license-tr":
        return Role.LICENSE
    if identity and (identity in _DROPPED_IDS or _is_feedback(identity)):
        return Role.DROPPED
    classes = attributes.get("class", "")
    return (_role if len(classes) <= _CACHED_CLASSES_CHARS else _role.__wrapped__)(name, classes)


@lru_cache(maxsize=4096)
def _role(name: str, written_classes: str) -> Role:
    classes = written_classes.split()
    if name in _DROPPED_NAMES or not _DROPPED_CLASSES.isdisjoint(classes) or any(map(_is_feedback, classes)):
        return Role.DROPPED
    by_name = _BY_NAME.get(name, Role.INLINE)
    by_class = next((role for known, role in _BY_CLASS.items() if known in classes), by_name)
    if by_class is Role.EQUATION and name != "table" and _EQUATION_TABLE not in classes:
        return Role.EQUATION_ROW
    return by_name if by_class is Role.SPACED and by_name is Role.BLOCK else by_class


def is_hidden(attributes: dict[str, str]) -> bool:
    """Whether an element is kept from readers."""
    return "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true"


def _is_feedback(text: str) -> bool:
    return not text.startswith("ltx_") and _FEEDBACK.search(text) is not None
