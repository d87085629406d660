"""Orders over numbered rows: the first that pass, the best by score, and ranks within the fields of papers."""

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from core.evidence.stored.words import SCORE_DECIMALS, Mask, Scores

FIELD_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {"title": 4.0, "authors": 2.0, "themes": 1.5, "abstract": 1.0, "summary": 1.0, "claims": 1.0}
)
"""What a field's rank is worth (5.3), in the order of `matched_fields`."""

RANK_BASE: Final = 60
_WORDS_SHARE = 0.98
_ALL_FIRST = sum(FIELD_WEIGHTS.values()) / (RANK_BASE + 1)
_SCORE_DECIMALS = 4
_PARTITIONED_MOST = 4096
_BLOCKS_PER_RANK = 32
Places = NDArray[np.int64]


def first_places(wanted: Mask, limit: int) -> list[int]:
    """The first numbers that are wanted."""
    numbers: list[int] = np.flatnonzero(wanted)[:limit].tolist()
    return numbers


def best_ranked(scores: Scores, wanted: Mask, limit: int) -> tuple[list[int], list[float]]:
    """The best numbers by score, then number, with `61 / (60 + r)`, equal scores sharing a rank (4.1).

    Scores need not be rounded: six decimals count.
    """
    numbers: Places = np.flatnonzero(wanted)
    if not len(numbers):
        return [], []
    values = scores[numbers]
    if len(numbers) > limit:
        least = least_of_best(values, limit)
        is_near = values >= least - 10.0**-SCORE_DECIMALS  # all that may equal the last one when rounded
        numbers, values = numbers[is_near], values[is_near]
    values = np.round(values, SCORE_DECIMALS)
    best = _best(values, limit)
    ordered = values[best]
    ranks = np.searchsorted(-ordered, -ordered, side="left") + 1
    chosen: list[int] = numbers[best].tolist()
    return chosen, [round((RANK_BASE + 1) / (RANK_BASE + rank), 4) for rank in ranks.tolist()]


def least_of_best(values: Scores, count: int) -> float:
    """The `count`-th highest of more values than that.

    A partition takes long where many values are equal, so it sees the maxima of blocks alone: fewer than `count` blocks
    hold anything above the `count`-th of these, and only that is looked at again.
    """
    while len(values) > _PARTITIONED_MOST:
        width = -(-len(values) // (_BLOCKS_PER_RANK * count))
        maxima = np.maximum.reduceat(values, np.arange(0, len(values), width))
        if len(maxima) <= count:
            break
        least = np.partition(maxima, len(maxima) - count)[len(maxima) - count]
        above = values[values > least]
        if len(above) < count:
            return float(least)
        values = above
    return float(np.partition(values, len(values) - count)[len(values) - count])


def _best(values: Scores, limit: int) -> Places:
    """Places of the highest values, equal ones in order of place; however many are equal, only the best are sorted."""
    places: Places = np.arange(len(values))
    if len(values) > limit:
        least = least_of_best(values, limit)
        above = np.flatnonzero(values > least)
        places = np.concatenate((above, np.flatnonzero(values == least)[: limit - len(above)]))
    order: Places = places[np.lexsort((places, -values[places]))]
    return order


def count_without(matches: Mask, masks: dict[str, Mask]) -> Callable[[str], int]:
    """How many match when one filter is left out."""

    def count(name: str) -> int:
        others: Sequence[Mask] = [mask for other, mask in masks.items() if other != name]
        return int(np.count_nonzero(reduce(np.logical_and, others, matches)))

    return count


def field_ranks(scores: Scores, wanted: Mask, id_ranks: NDArray[Any]) -> tuple[Places, Places]:
    """The wanted rows that a field matched, and their one-based ranks: score desc, then paper_id."""
    numbers: Places = np.flatnonzero(wanted & (scores > 0))
    order = np.lexsort((id_ranks[numbers], -scores[numbers]))
    return numbers[order], np.arange(1, len(numbers) + 1)


def fused_scores(by_field: Sequence[Scores], wanted: Mask, id_ranks: NDArray[Any]) -> Scores:
    """The score of each row over all fields (5.3), four decimals; 0 for what is not wanted."""
    total = np.zeros(len(wanted))
    for weight, scores in zip(FIELD_WEIGHTS.values(), by_field, strict=True):
        numbers, ranks = field_ranks(scores, wanted, id_ranks)
        total[numbers] += weight / (RANK_BASE + ranks)
    return np.round(_WORDS_SHARE * total / _ALL_FIRST, _SCORE_DECIMALS)


def first_by_score(scores: Scores, wanted: Mask, limit: int) -> list[int]:
    """The best numbers by score, then number."""
    numbers: Places = np.flatnonzero(wanted)
    best: list[int] = numbers[_best(scores[numbers], limit)].tolist()
    return best
