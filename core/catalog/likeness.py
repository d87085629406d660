"""Likeness of names by the letter triples that they share: how near names are found for suggestions."""

from core.folds import key_fold

MIN_SIMILARITY = 0.25
"""Names less alike than this are no help as suggestions."""


def trigrams(text: str) -> frozenset[str]:
    """Letter triples of the key fold, with blanks around it so that beginnings count more; empty for an empty fold."""
    folded = key_fold(text)
    if not folded:
        return frozenset()
    padded = f"  {folded} "
    return frozenset(padded[i : i + 3] for i in range(len(padded) - 2))


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Dice coefficient of two sets of triples, 0 to 1."""
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else 0.0
