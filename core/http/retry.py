"""What may be asked once more, and after how long (catalog contract 14)."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime

from core.clock import Clock

RETRIED_STATUSES = frozenset({502, 503, 504})
RETRY_AFTER_MAX_S = 2.0
SECOND_TRY_LEFT_S = 1.0
"""A second try needs at least this much of the deadline."""

_JITTER_LOW_S = 0.1
_JITTER_HIGH_S = 0.4
_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", re.ASCII)


def jitter_s(random: Callable[[], float]) -> float:
    """A short wait, so that those who failed together do not come back together; `random` gives 0 to below 1."""
    return _JITTER_LOW_S + random() * (_JITTER_HIGH_S - _JITTER_LOW_S)


def retry_after_s(headers: Mapping[str, str], clock: Clock) -> float | None:
    """The wait that `Retry-After` asks for: seconds, or a date against its `Date`; None when unreadable."""
    given = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(given):
        return float(given)
    until_s = _date_s(given)
    if until_s is None:
        return None
    sent_s = _date_s(headers.get("date", ""))
    return max(0.0, until_s - (clock.now_s() if sent_s is None else sent_s))


def _date_s(text: str) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
        # A date without a zone is in GMT by the rules of HTTP.
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
