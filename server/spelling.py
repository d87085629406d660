"""Text that is repeated, compared and sent: what may be shown of a caller's words, and what names they are near to."""

import difflib
from collections.abc import Mapping, Sequence

MAX_ECHO = 64
MAX_SUGGESTIONS = 5


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for what no encoding can write: unpaired surrogates, as from a terminal's odd bytes."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def printable(text: str, limit: int = MAX_ECHO) -> str:
    """The caller's own text, safe to repeat: printable characters only, cut to `limit`."""
    kept = "".join(character for character in text[: limit * 4] if character.isprintable())
    return kept if len(kept) <= limit else kept[: limit - 1] + "…"


def near(name: str, known: Sequence[str], synonyms: Mapping[str, str] | None = None) -> list[str]:
    """The names of `known` that `name` most likely meant, best first, at most five."""
    close = difflib.get_close_matches(name[: MAX_ECHO * 2].lower(), known, n=MAX_SUGGESTIONS, cutoff=0.6)
    meant = (synonyms or {}).get(name.lower())
    if meant is not None:
        close = [meant, *(other for other in close if other != meant)]
    return close[:MAX_SUGGESTIONS]
