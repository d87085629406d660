"""Words of a citation text, in two foldings: as the public contract counts them, and for the better ranking."""

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i"})
_EMPTY_WORDS = frozenset(
    _WORD.findall("a an and as at by for from in into is of on or the to via with et al vol no pp doi arxiv proc")
)


def plain_tokens(text: str) -> tuple[str, ...]:
    """The distinct words of a text, lower-case, in order."""
    return tuple(dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text).lower())))


def folded_tokens(text: str) -> tuple[str, ...]:
    """The distinct words of a text without case, accents and ligatures, in order."""
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    kept = "".join(character for character in folded if not unicodedata.combining(character))
    # Signs such as the numero sign are made of capitals.
    return tuple(dict.fromkeys(_WORD.findall(kept.casefold())))


def content(tokens: Iterable[str]) -> tuple[str, ...]:
    """Folded words that say something: no single characters and no function words, unless fewer than two stay."""
    given = tuple(tokens)
    kept = tuple(token for token in given if len(token) > 1 and token not in _EMPTY_WORDS)
    return kept if len(kept) > 1 else given
