"""Why a candidate is not let into the pool (scan contract 7.7)."""

from collections.abc import Iterable, Sequence
from typing import Literal

from core.folds import plain_fold
from core.scan.models import Candidate

DropReason = Literal["retracted", "must_not", "type", "window"]
"""The reasons in the order in which they are looked at; the first that applies is counted."""

_DROPPED_TYPES = frozenset({"paratext", "erratum", "dataset", "peer-review", "libguides", "supplementary-materials"})
_HYPHENS = {0x2010: "-", 0x2011: "-"}
_TYPE_SEPARATORS = {ord("_"): "-", ord(" "): "-"}


def drop_reason(candidate: Candidate, must_not: Sequence[str], *, in_expansion: bool) -> DropReason | None:
    """The first reason to leave a candidate out; None for one that may stay.

    An anchor is left out only when it is retracted. Found by expansion, a work outside the window stays, as marked.
    """
    work = candidate.work
    if work.is_retracted:
        return "retracted"
    if any(origin.relation == "anchor" for origin in work.origins):
        return None
    texts = [_folded(text) for text in (work.title, work.abstract) if text]
    if any(_hold_phrase(texts, phrase) for phrase in must_not):
        return "must_not"
    if work.raw_type and work.raw_type.strip().lower().translate(_TYPE_SEPARATORS) in _DROPPED_TYPES:
        return "type"
    return "window" if candidate.outside_window and not in_expansion else None


def names_phrase(texts: Iterable[str], phrase: str) -> bool:
    """Whether a phrase stands whole in one of the texts, whatever its case."""
    return _hold_phrase(map(_folded, texts), phrase)


def _hold_phrase(folded: Iterable[str], phrase: str) -> bool:
    return any(_holds_phrase(text, _folded(phrase)) for text in folded)


def _folded(text: str) -> str:
    return plain_fold(text if text.isascii() else text.translate(_HYPHENS))


def _holds_phrase(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text with no word character before or behind it; both are folded."""
    start = text.find(phrase) if phrase else -1
    while start >= 0:
        end = start + len(phrase)
        if not _is_word_sign(text[start - 1 : start]) and not _is_word_sign(text[end : end + 1]):
            return True
        start = text.find(phrase, start + 1)
    return False


def _is_word_sign(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
