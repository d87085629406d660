"""How texts are compared: plain fold, key fold, slugs and fold hashes (catalog contract, sections 1 and 17.2)."""

import hashlib
import re
import unicodedata
from typing import Literal

_BLANKS = re.compile(r"\s+")
_QUOTES = re.compile(r"[\"'`´‘’‚‛“”„‟‹›«»′″ʻʼʽˮ❛❜❝❞❟❠❮❯⹂〝〞〟\u1fef\u1ffd]")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_ASCII_KEYS = {
    code: None if _QUOTES.match(chr(code)) else " " if _NOT_ALPHANUMERIC.match(chr(code)) else chr(code).lower()
    for code in range(128)
}
"""What the two patterns do to ASCII, in one step: a build folds every title and name."""
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def plain_fold(text: str) -> str:
    """Unicode NFC, whitespace runs to one space, trimmed, casefolded."""
    if text.isascii():
        return " ".join(text.split()).lower()
    return _BLANKS.sub(" ", _caseless(text, "NFD", "NFC")).strip()


def key_fold(text: str) -> str:
    """NFKC, casefolded, quotes removed, every other non-alphanumeric run to one space, trimmed."""
    if text.isascii():
        return " ".join(text.translate(_ASCII_KEYS).split())
    # Compatibility forms turn some quotes into blanks and others into plain quotes: they go before and after.
    folded = _QUOTES.sub("", text)
    folded = _QUOTES.sub("", _caseless(folded, "NFKD", "NFKC"))
    return _NOT_ALPHANUMERIC.sub(" ", folded).strip()


def slug(text: str) -> str:
    """The key fold with every run outside `a-z0-9` as one `-`; empty when nothing is left."""
    key = key_fold(text)
    return key.replace(" ", "-") if key.isascii() else _NOT_SLUG.sub("-", key).strip("-")


def fold_hash(folded: str) -> int:
    """First 8 bytes of BLAKE2b of a folded text as a signed integer; equal texts have equal hashes, not conversely."""
    digest = hashlib.blake2b(folded.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _caseless(text: str, decomposed: Literal["NFD", "NFKD"], composed: Literal["NFC", "NFKC"]) -> str:
    """Casefolded in normal form; cases of one letter may decompose differently, hence the form before the fold."""
    folded = unicodedata.normalize(decomposed, text).casefold()
    return unicodedata.normalize(composed, folded)
