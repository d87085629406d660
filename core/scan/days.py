"""The window of a scan in days, and what lies inside it (scan contract 2.2, 7.6)."""

import calendar
from dataclasses import dataclass
from datetime import date

from core.errors import InvalidInput
from core.records import PartialDate


@dataclass(frozen=True, slots=True)
class ScanWindow:
    """Days, both ends inclusive; `lower` None is open. Fixed once for a scan."""

    lower: date | None
    upper: date

    def holds(self, published: str | None, year: int | None) -> bool | None:
        """Whether a work's date lies inside; None where no date is known, which counts as inside.

        A full date decides by itself; of a month or year any day inside is enough. A malformed date is unknown.
        """
        span = _span(published) or (None if year is None else _span(f"{year:04d}"))
        if span is None:
            return None
        first, last = span
        return first <= self.upper and (self.lower is None or last >= self.lower)


def full_date(published: str | None) -> date | None:
    """The day of a real `YYYY-MM-DD`; None for anything else."""
    span = _span(published) if published is not None and len(published) == 10 else None
    return span[0] if span else None


def last_day(published: str) -> date | None:
    """The last day of what a partial date names; None for a malformed one."""
    span = _span(published)
    return span[1] if span else None


def _span(text: str | None) -> tuple[date, date] | None:
    """The first and last day of what a partial date names."""
    if text is None:
        return None
    try:
        parsed = PartialDate.parse(text)
    except InvalidInput:
        return None
    first = parsed.first_day()
    if parsed.day is not None:
        return first, first
    month = parsed.month or 12
    return first, date(parsed.year, month, calendar.monthrange(parsed.year, month)[1])
