"""How texts are compared: plain fold, key fold, slugs and fold hashes (catalog contract, sections 1 and 17.2)."""

import hashlib
import re
import unicodedata

_BLANKS = re.compile(r"\s+")
_QUOTES = re.compile(r"[\"'`´‘’‚‛“”„‟‹›«»′″]")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def plain_fold(text: str) -> str:
    """Unicode NFC, whitespace runs to one space, trimmed, casefolded."""
    if text.isascii():
        return _BLANKS.sub(" ", text).strip().lower()
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).strip().casefold()


def key_fold(text: str) -> str:
    """NFKC, casefolded, quotes removed, every other non-alphanumeric run to one space, trimmed."""
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _NOT_ALPHANUMERIC.sub(" ", _QUOTES.sub("", folded)).strip()


def slug(text: str) -> str:
    """The key fold with every run outside `a-z0-9` as one `-`; empty when nothing is left."""
    return _NOT_SLUG.sub("-", key_fold(text)).strip("-")


def fold_hash(folded: str) -> int:
    """First 8 bytes of BLAKE2b of a folded text as a signed integer; equal texts have equal hashes, not conversely."""
    return int.from_bytes(
        hashlib.blake2b(folded.encode(errors="surrogatepass"), digest_size=8).digest(), "big", signed=True
    )
