"""Text rules of catalog contract section 20, with a fast way for text that needs nothing done."""

import html
import re
import unicodedata
from html.entities import html5

_ASCII_TROUBLE = re.compile(r"[<&\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ENTITY = re.compile(r"&(?:#[0-9]{1,8};?|#[xX][0-9a-fA-F]{1,8};?|[A-Za-z][A-Za-z0-9]{1,31};?)")
# The four that exports most often glue to the next word, unless the two together begin an English word.
_GLUED = re.compile(r"amp(?!h|er|l(?!t)|oul|ut)|lt|gt|quot(?![aei])")
_ATTRIBUTES = r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*\s*/?"
_BLOCK_TAG = re.compile(rf"</?jats:(?:p|title|sec|list|list-item|break){_ATTRIBUTES}>", re.IGNORECASE)
_INLINE_TAG = re.compile(rf"</?(?:i|b|em|strong|sub|sup|jats:[\w.-]+){_ATTRIBUTES}>", re.IGNORECASE)
_IN_BLANKS = re.compile(r"[ \t]{2,}")
_SOFT_HYPHEN = "\u00ad"


def _decoded(match: re.Match[str]) -> str:
    entity = match.group()
    if entity[1] == "#":
        return html.unescape(entity)
    name = entity[1:]
    if name in html5:
        return html5[name]
    # Else, of the entities that may lack a semicolon, only a few count: `AT&T` and `R&Dept` stay as they are.
    # An equals sign behind the word makes it a parameter of a web address.
    glued = None if match.string.startswith("=", match.end()) else _GLUED.match(name)
    return entity if glued is None else html5[glued.group()] + name[glued.end() :]


def _without_tags(text: str) -> str:
    return _INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", text)) if "<" in text else text


def _without_markup(text: str) -> str:
    text = _without_tags(text)
    # Twice: exports of exports escape twice.
    for _ in range(2):
        if "&" not in text:
            break
        text = _ENTITY.sub(_decoded, text)
    return _without_tags(text)


def clean_text(text: str) -> str | None:
    """A text with its line ends, by the rules for surrogates, entities, tags, soft hyphens and NFC; None when empty."""
    if text.isascii():
        if _ASCII_TROUBLE.search(text) is None:
            return text.strip() or None
    else:
        text = _SURROGATE.sub("\ufffd", text).replace(_SOFT_HYPHEN, "")
    text = _without_markup(text)
    if not text.isascii():
        # An entity may have brought one of these in.
        text = unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", text).replace(_SOFT_HYPHEN, ""))
    return _IN_BLANKS.sub(" ", _CONTROL.sub("", text)).strip() or None


def clean_name(text: str) -> str | None:
    """A title or name: as `clean_text`, with every run of whitespace as one blank."""
    cleaned = clean_text(text)
    return None if cleaned is None else " ".join(cleaned.split()) or None


def clean_label(text: str) -> str:
    """A name that must not be lost: as `clean_name`, or as it stands when cleaning would leave nothing of it."""
    return clean_name(text) or text
