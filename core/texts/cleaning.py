"""Cleans one text of upstream: markup, entities, encodings, invisible characters, blanks."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from core.texts.encodings import has_mojibake, without_mojibake
from core.texts.markup import without_markup

_PLAIN = re.compile(r"[^<&\x00-\x1f\x7f]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_SOFT_HYPHEN = "\u00ad"
REPLACEMENT = "\ufffd"


class Damage(StrEnum):
    """What can be wrong with a text beyond repair of its own."""

    MOJIBAKE = "mojibake"
    REPLACEMENT_CHAR = "replacement_char"


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A clean text, None when nothing is left of it, and the damage that was found in it.

    Mojibake is reported also where it could be repaired: the source is then suspect as a whole.
    """

    text: str | None
    damage: tuple[Damage, ...] = ()


def clean_text(text: str) -> str | None:
    """One line of plain text in NFC, or None when nothing is left."""
    return cleaned(text).text


def cleaned(text: str) -> Cleaned:
    """As `clean_text`, with what was found wrong."""
    if text.isascii() and _PLAIN.fullmatch(text):
        return Cleaned(" ".join(text.split()) or None)
    text = without_markup(_paired(text))
    damage = []
    if has_mojibake(text):
        damage.append(Damage.MOJIBAKE)
        text = without_mojibake(text)
    # Only now: in a broken encoding the soft hyphen and the control characters are parts of letters.
    text = _CONTROL.sub("", _paired(text).replace(_SOFT_HYPHEN, ""))
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    if REPLACEMENT in text:
        damage.append(Damage.REPLACEMENT_CHAR)
    return Cleaned(text or None, tuple(damage))


def _paired(text: str) -> str:
    """Surrogates in pairs become the character they stand for, lone ones U+FFFD."""
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
