"""Says which fields of a record are damaged, and takes lost characters from a whole copy elsewhere."""

import re
from collections.abc import Mapping

from core.texts.cleaning import REPLACEMENT, Cleaned

_RUNS = re.compile(f"({REPLACEMENT}+)")


def quality(fields: Mapping[str, Cleaned]) -> tuple[str, ...]:
    """What is wrong with the fields of a record, such as `replacement_char:venue`; empty when all are whole."""
    return tuple(f"{damage}:{name}" for name, field in fields.items() for damage in field.damage)


def restored(damaged: str, whole: str) -> str | None:
    """`whole` if it is `damaged` in every character that is left of it, else None.

    A run of n replacement characters stands for one to n characters: each byte of a letter may have been lost alone.
    """
    if REPLACEMENT not in damaged or REPLACEMENT in whole:
        return None
    pieces = _RUNS.split(damaged)
    left, lost = pieces[::2], [0, *map(len, pieces[1::2])]
    position = 0
    for piece, most in zip(left[:-1], lost[:-1], strict=True):
        found = whole.find(piece, position + min(most, 1), position + most + len(piece))
        if found < 0:
            return None
        position = found + len(piece)
    missing = len(whole) - len(left[-1]) - position
    return whole if whole.endswith(left[-1]) and 1 <= missing <= lost[-1] else None
