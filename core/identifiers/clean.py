"""What is taken off a text before it is read: invisible characters, entities, tags, enclosing pairs, the tail."""

import html
import re
from urllib.parse import unquote

from core.errors import InvalidReference

_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD])
_TYPOGRAPHY = {**_INVISIBLE, 0x2010: "-", 0x2011: "-", 0x00A0: " "}
# Joiners (U+200C, U+200D) are letters' business in several scripts, and a title is used as it was sent.
_NEVER_IN_TITLES = dict.fromkeys([0x200B, 0x2060, 0xFEFF, 0x00AD])
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_ENTITY_SIGN = re.compile(r"&(?:lt|gt|amp|quot|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

HTML_TAG = r"</?(?:a|br?|div|em|i|li|p|span|strong|su[bp]|t[dr])(?:[ /][^<>]*)?>"
_ONE_TAG = re.compile(HTML_TAG, re.IGNORECASE | re.ASCII)

_CLOSERS_OF = {
    "<": ">",
    '"': '"',
    "'": "'",
    "(": ")",
    "[": "]",
    "{": "}",
    "`": "`'",
    "“": "”",
    "‘": "’",
    "„": "“”",
    "«": "»",
    "»": "«",
    "‹": "›",
}
_SENTENCE_MARKS = ".,;:!?…"
_TAIL_MARKS = frozenset(".,;:!?'\"”’»…")
_PARTNER = {")": "(", "]": "[", "}": "{", ">": "<"}
_OPENERS = frozenset(_PARTNER.values())


def clean(text: str) -> str:
    """Step 1 of the grammar on a text of legal length; raises on control characters and when nothing is left."""
    if not text.isprintable() and _CONTROL.search(text):
        raise InvalidReference(
            "The reference holds a control character. Send it again as plain text.", reason="control_characters"
        )
    text = decode_entities(_visible(text))
    text = strip_enclosing_pair(strip_trailing_tags(text))
    if not text:
        raise InvalidReference(
            "The reference is empty. Send a DOI such as 10.1038/nature14539 or an arXiv id such as 1706.03762.",
            reason="empty",
        )
    return text


def clean_running_text(text: str) -> str:
    """As step 1 for a text of any length around identifiers: nothing is refused, and its ends are left alone."""
    if not text.isprintable():
        text = _CONTROL.sub(" ", text)
    return decode_entities(_visible(text))


def clean_title(text: str) -> str:
    """The text as it was sent, less what cannot be seen; blanks collapsed. Brackets, quotes and marks stay."""
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text.translate(_NEVER_IN_TITLES))
    return " ".join(text.split())


def _visible(text: str) -> str:
    return " ".join((text if text.isascii() else _plain_signs(text)).split())


def _plain_signs(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text.translate(_TYPOGRAPHY))


def decode_entities(text: str) -> str:
    """HTML entities decoded once, and only in a text with one that no one writes for its own sake."""
    if "&" not in text or not _ENTITY_SIGN.search(text):
        return text
    return _visible(_ENTITY.sub(lambda match: html.unescape(match[0]), text))


def decode_percent(text: str) -> str:
    """Percent-encoding decoded at most twice, never into broken UTF-8 or a control character."""
    for _ in range(2):
        if "%" not in text:
            break
        try:
            decoded = unquote(text, errors="strict")
        except UnicodeDecodeError:
            break
        if _CONTROL.search(decoded):
            break
        text = decoded if decoded.isascii() else _plain_signs(decoded)
    return text


def strip_trailing_tags(text: str) -> str:
    """The text without the HTML tags at its end."""
    while text.endswith(">"):
        start = text.rfind("<")
        if start < 0 or not _ONE_TAG.fullmatch(text, start):
            break
        text = text[:start].rstrip()
    return text


def strip_enclosing_pair(text: str) -> str:
    """The text without one pair of brackets or quotes around it and the sentence marks after that pair."""
    closers = _CLOSERS_OF.get(text[:1])
    if closers is None:
        return text
    body = text.rstrip(_SENTENCE_MARKS)
    return body[1:-1].strip() if len(body) > 1 and body[-1] in closers else text


def drop_tail(text: str) -> str:
    """The tail rule: end marks, opening brackets and closing brackets without a partner, from the end."""
    end = len(text)
    partnered: frozenset[int] | None = None
    while end:
        last = text[end - 1]
        if last in _PARTNER:
            if partnered is None:
                partnered = partnered_closers(text[:end])
            if end - 1 in partnered:
                break
        elif last not in _TAIL_MARKS and last not in _OPENERS:
            break
        end -= 1
    return text[:end]


def partnered_closers(text: str) -> frozenset[int]:
    """Positions of the closing brackets that have an opening one of their kind before them."""
    open_count = dict.fromkeys(_OPENERS, 0)
    found = []
    for position, character in enumerate(text):
        if character in open_count:
            open_count[character] += 1
        elif (opener := _PARTNER.get(character)) and open_count[opener]:
            open_count[opener] -= 1
            found.append(position)
    return frozenset(found)
