"""Citation keys of one bibliography, no two alike."""

from collections import Counter
from collections.abc import Sequence


def distinct_keys(keys: Sequence[str]) -> list[str]:
    """The keys in order; those that would be equal get a suffix each: `a` to `z`, then `aa` and so on."""
    shared = Counter(keys)
    taken = set(shared)
    used: Counter[str] = Counter()
    distinct = []
    for key in keys:
        written = key
        while shared[key] > 1 and written in taken:
            used[key] += 1
            written = f"{key}{_letters(used[key])}"
        taken.add(written)
        distinct.append(written)
    return distinct


def _letters(number: int) -> str:
    """1 is `a`, 26 `z`, 27 `aa`."""
    letters = ""
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters
