"""How single sources say that they are asked too much, and what else only they do (references contract 4.4)."""

import re

from core.clock import Clock
from core.http.client import Exchange
from core.http.retry import retry_after_s
from core.http.rules import COOL_MAX_S, Throttle, Tightening, default_throttled

_DAY_S = 86_400
_GAP_MAX_S = 60.0
_FORBIDDEN, _NOT_ACCEPTABLE, _TOO_MANY, _UNAVAILABLE = 403, 406, 429, 503
_ARXIV_SAYS = b"Rate exceeded"
_NCBI_SAYS = re.compile(rb'"error"\s*:\s*"API rate limit exceeded')
_OPENALEX_DEFECT = re.compile(rb"query param", re.IGNORECASE)
_SPAN = re.compile(r"([0-9]{1,6})\s*(ms|s|m|h|d)?", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,9})?", re.ASCII)
_UNITS_S = {None: 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def arxiv_throttled(found: Exchange, clock: Clock) -> Throttle | None:
    """403 bans for a while; 406, 429, 503 and a 200 that says so in words ask to slow down."""
    wait_s = retry_after_s(found.headers, clock)
    if found.status == _FORBIDDEN:
        return Throttle(COOL_MAX_S)
    if found.status in (_TOO_MANY, _UNAVAILABLE):
        return Throttle(wait_s, may_retry=True)
    if found.status == _NOT_ACCEPTABLE or (found.status == 200 and found.body.lstrip().startswith(_ARXIV_SAYS)):
        return Throttle(wait_s)
    return None


def openalex_throttled(found: Exchange, clock: Clock) -> Throttle | None:
    """With budget left, 429 is a burst; without, or where nothing is known of it, the day's budget is spent."""
    has_rates = any(name.startswith("x-ratelimit-") for name in found.headers)
    if found.status != _TOO_MANY and not (found.status == _FORBIDDEN and has_rates):
        return None
    if (_number(found, "x-ratelimit-remaining") or 0) > 0:
        return Throttle(retry_after_s(found.headers, clock), may_retry=found.status == _TOO_MANY)
    until_reset_s = _number(found, "x-ratelimit-reset")
    until_midnight_s = _DAY_S - clock.now_s() % _DAY_S
    return Throttle(max(until_midnight_s if until_reset_s is None else until_reset_s, 0.0), cool_max_s=_DAY_S)


def openalex_defect(found: Exchange) -> bool:
    """Whether a refusal speaks of query parameters: then we wrote them wrongly."""
    return found.status in (400, _FORBIDDEN) and _OPENALEX_DEFECT.search(found.body) is not None


def ncbi_throttled(found: Exchange, clock: Clock) -> Throttle | None:
    """An error that says so in words is a 429, whatever its status."""
    if _NCBI_SAYS.search(found.body[:1_000]):
        return Throttle(retry_after_s(found.headers, clock), may_retry=True)
    return default_throttled(found, clock)


def crossref_tightened(found: Exchange) -> Tightening | None:
    """So many requests in an interval, and so many at once."""
    limit = _number(found, "x-rate-limit-limit") or 0
    span = _SPAN.fullmatch(found.headers.get("x-rate-limit-interval", "").strip())
    at_once = int(_number(found, "x-concurrency-limit") or 0)
    gap_s = int(span[1]) * _UNITS_S[span[2]] / limit if span and limit > 0 else 0.0
    if gap_s <= 0 and at_once <= 0:
        return None
    return Tightening(min(gap_s, _GAP_MAX_S), at_once if at_once > 0 else None)


def _number(found: Exchange, header: str) -> float | None:
    given = found.headers.get(header, "").strip()
    return float(given) if _NUMBER.fullmatch(given) else None
