"""Citations a year, by which works of different ages are compared (scan contract 7.9)."""

from collections.abc import Sequence

from core.scan.days import ScanWindow
from core.scan.models import FoundWork

UNKNOWN_AGE_YEARS = 3


def ages_years(works: Sequence[FoundWork], window: ScanWindow) -> list[int]:
    """The age of each work at the window's end, at least 1; an unknown one is the upper median of the list's."""
    known = [None if each.year is None else max(1, window.upper.year - each.year + 1) for each in works]
    sorted_ages = sorted(age for age in known if age is not None)
    usual = sorted_ages[len(sorted_ages) // 2] if sorted_ages else UNKNOWN_AGE_YEARS
    return [usual if age is None else age for age in known]


def velocities(works: Sequence[FoundWork], window: ScanWindow) -> list[float]:
    """Citations a year of each work; unknown citations count as none."""
    return [(work.citation_count or 0) / age for work, age in zip(works, ages_years(works, window), strict=True)]
