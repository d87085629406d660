"""Dates as inputs write them, at the precision they are known to."""

import re
from email.utils import parsedate_to_datetime
from functools import lru_cache

from core.errors import InvalidInput
from core.records import PartialDate

_REMEMBERED_DATES = 65_536
_DAY_CHARS = 10
_ARXIV_MONTH = re.compile(r"(\d{2})(\d{2})\.\d{4,5}\Z", re.ASCII)


@lru_cache(maxsize=_REMEMBERED_DATES)
def partial_date(text: str) -> str | None:
    """`YYYY`, `YYYY-MM` or `YYYY-MM-DD` (a time of day is dropped); None when it names no real period."""
    try:
        return str(PartialDate.parse(text[:_DAY_CHARS] if text[_DAY_CHARS:].startswith("T") else text))
    except InvalidInput:
        return None


@lru_cache(maxsize=_REMEMBERED_DATES)
def first_day(partial: str) -> int:
    """Proleptic Gregorian ordinal of the first day of a valid partial date's period."""
    return PartialDate.parse(partial).first_day().toordinal()


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
