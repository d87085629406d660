"""How fast works are cited, so that young and old ones can be compared (scan contract 7.9)."""

from collections.abc import Iterable

from core.scan.days import ScanWindow
from core.scan.models import FoundWork

UNKNOWN_AGE_YEARS = 3
"""The age of works in a list of which no year is known."""


def age_years(year: int, window: ScanWindow) -> int:
    """The years in which a work could be cited up to the window's end, the year of publication counted."""
    return max(1, window.upper.year - year + 1)


def median_age(works: Iterable[FoundWork], window: ScanWindow) -> int:
    """The upper median of the ages that are known: what a work of unknown year is taken to have."""
    ages = sorted(age_years(each.year, window) for each in works if each.year is not None)
    return ages[len(ages) // 2] if ages else UNKNOWN_AGE_YEARS


def velocity(work: FoundWork, window: ScanWindow, median: int) -> float:
    """Citations a year."""
    age = median if work.year is None else age_years(work.year, window)
    return (work.citation_count or 0) / age
