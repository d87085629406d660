"""The places of all papers in the three listings, both ways (catalog contract 11.3): computed once, by a build."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int32]

_LEAST_AGE_DAYS = 30
_LAST = np.inf
_BLOCK_PAPERS = 4096


@dataclass(frozen=True, slots=True)
class PaperRanks:
    """Places counted from 0 by pid."""

    trending: Ranks
    trending_asc: Ranks
    published: Ranks
    published_asc: Ranks
    citation: Ranks
    citation_asc: Ranks

    def by_pid(self) -> Iterator[tuple[int, ...]]:
        """The six places of each paper, in the order of the fields."""
        columns = (
            self.trending,
            self.trending_asc,
            self.published,
            self.published_asc,
            self.citation,
            self.citation_asc,
        )
        for start in range(0, len(self.trending), _BLOCK_PAPERS):
            yield from zip(*(column[start : start + _BLOCK_PAPERS].tolist() for column in columns), strict=True)


def _places(*keys: NDArray[np.float64]) -> Ranks:
    """Places when sorted by the keys, the first being the main one; ties go to the smaller pid."""
    order = np.lexsort((np.arange(len(keys[0])), *reversed(keys)))
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def paper_ranks(
    published_day: NDArray[np.int32],
    citation_count: NDArray[np.int64],
    velocity: NDArray[np.float64],
    as_of_day: int | None,
) -> PaperRanks:
    """Ranks from columns by pid in which -1 (days, citations) and NaN (velocity) mean unknown.

    Unknown values come last both ways; tie-breakers never turn round.
    """
    day = np.where(published_day < 0, np.nan, published_day.astype(np.float64))
    cited = np.where(citation_count < 0, np.nan, citation_count.astype(np.float64))
    age = np.maximum(_LEAST_AGE_DAYS, (as_of_day or 0) - day)
    trend = np.nan_to_num(np.where(np.isnan(velocity), cited / age, velocity), nan=0.0)
    newest, most_cited = np.nan_to_num(-day, nan=_LAST), np.nan_to_num(-cited, nan=_LAST)
    return PaperRanks(
        trending=_places(-trend, newest),
        trending_asc=_places(trend, newest),
        published=_places(newest, most_cited),
        published_asc=_places(np.nan_to_num(day, nan=_LAST), most_cited),
        citation=_places(most_cited, newest),
        citation_asc=_places(np.nan_to_num(cited, nan=_LAST), newest),
    )
