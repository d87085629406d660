"""The best of many scores are those of a full sort, however many are equal."""

import numpy as np
import pytest

from core.evidence.ranking import best_ranked, first_by_score

SIZE = 30_000


@pytest.mark.parametrize("distinct", [1, 2, 7, 400, SIZE])
@pytest.mark.parametrize("limit", [1, 20, 50])
@pytest.mark.parametrize("order", ["mixed", "rising", "falling"])
def test_the_first_of_many_are_those_of_a_full_sort(distinct: int, limit: int, order: str) -> None:
    chance = np.random.default_rng(distinct + limit)
    scores = chance.integers(0, distinct, SIZE) / distinct
    if order != "mixed":
        scores = np.sort(scores) if order == "rising" else np.sort(scores)[::-1].copy()
    wanted = chance.random(SIZE) < 0.9
    numbers = np.flatnonzero(wanted)
    expected = numbers[np.argsort(-scores[numbers], kind="stable")][:limit].tolist()
    assert first_by_score(scores, wanted, limit) == expected
    assert (
        best_ranked(scores, wanted, limit)[0]
        == numbers[np.lexsort((numbers, -np.round(scores[numbers], 6)))][:limit].tolist()
    )
