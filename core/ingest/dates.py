"""Dates as inputs write them, at the precision they are known to."""

import re
from datetime import date
from email.utils import parsedate_to_datetime

_PARTIAL = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:T[0-9:.+Z-]*)?\Z", re.ASCII)
_ARXIV_MONTH = re.compile(r"(\d{2})(\d{2})\.\d{4,5}\Z", re.ASCII)


def partial_date(text: str) -> str | None:
    """`YYYY`, `YYYY-MM` or `YYYY-MM-DD` (a time of day is dropped); None when it names no real period."""
    match = _PARTIAL.match(text)
    if match is None:
        return None
    year, month, day = match.groups()
    try:
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        return None
    return "-".join(part for part in (year, month, day) if part)


def first_day(partial: str) -> int:
    """Proleptic Gregorian ordinal of the first day of a valid partial date's period."""
    return date(int(partial[:4]), int(partial[5:7] or 1), int(partial[8:10] or 1)).toordinal()


def mail_date(text: str) -> str | None:
    """The day of an RFC 1123 date, in UTC as arXiv writes it; None when it is none."""
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def arxiv_month(arxiv_id: str) -> str | None:
    """The year and month that a new-style arXiv id was given in; None for old ids."""
    match = _ARXIV_MONTH.match(arxiv_id)
    if match is None:
        return None
    return partial_date(f"20{match.group(1)}-{match.group(2)}")
