"""What each way of failing is called, what it says of the source, and whether to ask again (5.6, 5.8)."""

from collections.abc import Callable
from dataclasses import dataclass

from core.clock import Clock
from core.errors import (
    Denial,
    NotFound,
    PaperdeskError,
    SourceCooling,
    SourceDenied,
    SourceMalformed,
    SourceMismatch,
    SourceQueueFull,
    SourceRateLimited,
    SourceTimeout,
    SourceTooLarge,
    SourceUnreachable,
)
from core.http.client import Exchange, TooLarge
from core.http.content import WrongKind
from core.http.pacing.terms import Health, Reply
from core.http.retry import retry_after_s
from core.http.rules import SourceRules

RETRIED_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
RETRY_WAIT_MAX_S = 30.0

_BACKOFF_S = 0.5
_ABSENT = frozenset({404, 410, 451})
_SERVER_ERROR = 500
_REQUEST_TIMEOUT = 408
_MULTIPLE_CHOICES = 300


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a request's answer, or with having none.

    `wait_s` is the wait that the source asked for, `cool_s` the cool-down that follows if this is the end of it.
    """

    failure: PaperdeskError
    health: Health = Health.UNKNOWN
    may_retry: bool = False
    wait_s: float | None = None
    cool_s: float | None = None


def backoff_s(tries: int, random: Callable[[], float]) -> float:
    """The wait before the next try after so many; `random` gives 0 to below 1."""
    return _BACKOFF_S * (1 << tries - 1) + random() * _BACKOFF_S


def judged(rules: SourceRules, found: Exchange, clock: Clock, *, takes: frozenset[int]) -> Trouble | None:
    """What is wrong with an answer by its status and its source's own habits; None where it may be taken."""
    if found.status >= 400 and rules.is_our_defect(found):
        return Trouble(malformed(rules), Health.WELL)
    throttle = rules.throttled(found, clock)
    if throttle is not None:
        failure = SourceRateLimited(
            f"{rules.label} asks to slow down; wait before the next call.",
            source=rules.key,
            retry_after_s=throttle.wait_s,
        )
        return Trouble(failure, Health.THROTTLED, throttle.may_retry, throttle.wait_s, throttle.cool_s)
    if found.status < _MULTIPLE_CHOICES or found.status in takes:
        return None
    if found.status < 400:
        return Trouble(unreachable(rules))
    return _refused(rules, found, clock)


def _refused(rules: SourceRules, found: Exchange, clock: Clock) -> Trouble:
    if found.status in _ABSENT:
        return Trouble(NotFound(f"{rules.label} has nothing under this identifier."), Health.WELL)
    if found.status in rules.denied:
        denied = SourceDenied(f"{rules.label} refuses this request to us.", source=rules.key)
        return Trouble(denied, Health.WELL)
    if found.status >= _SERVER_ERROR or found.status == _REQUEST_TIMEOUT:
        wait_s = retry_after_s(found.headers, clock)
        failure = unreachable(rules, retry_after=wait_s)
        return Trouble(failure, Health.FAILED, found.status in RETRIED_STATUSES, wait_s)
    return Trouble(malformed(rules), Health.WELL)


def unreachable(rules: SourceRules, *, retry_after: float | None = None) -> SourceUnreachable:
    """No answer that could be used, and perhaps the next time one."""
    message = f"{rules.label} could not be reached or failed; try again later."
    return SourceUnreachable(message, source=rules.key, retry_after_s=retry_after)


def timed_out(rules: SourceRules) -> SourceTimeout:
    """No answer in time."""
    return SourceTimeout(f"{rules.label} did not answer in time; try again later.", source=rules.key)


def malformed(rules: SourceRules) -> SourceMalformed:
    """An answer, or a refusal, that nothing can be made of."""
    return SourceMalformed(f"{rules.label} gave an answer that cannot be used.", source=rules.key)


def schema_drift(rules: SourceRules, field: str) -> SourceMalformed:
    """An answer without a field that its reader needs; `field` is our name of the place, never a value."""
    return SourceMalformed(
        f"{rules.label} gave an answer without the field {field}; its reader here is out of date.",
        source=rules.key,
        denial=Denial("schema_drift", rules.key, attempted=field),
    )


def too_large(rules: SourceRules, error: TooLarge) -> SourceTooLarge:
    """An answer over its bound."""
    return SourceTooLarge(
        f"{rules.label} gave an answer over {error.cap} bytes, which is more than is read from it.",
        source=rules.key,
        denial=Denial("size_cap_exceeded", rules.key, cap=error.cap, actual=error.actual),
    )


def mismatch(rules: SourceRules, error: WrongKind) -> SourceMismatch:
    """An answer of another kind."""
    return SourceMismatch(
        f"{rules.label} gave something else than what was asked for.",
        source=rules.key,
        denial=Denial("content_type_mismatch", rules.key, attempted=error.attempted, expected=error.expected),
    )


def denied(rules: SourceRules, denial: Denial) -> SourceDenied:
    """Our policy refuses an address."""
    return SourceDenied(_DENIED[denial.reason].format(label=rules.label), source=rules.key, denial=denial)


_DENIED = {
    "insecure_scheme": "{label} points to an address without encryption, which is not followed.",
    "host_in_block_list": "{label} points to an address that this deployment blocks.",
    "redirect_not_in_allowlist": "{label} points to a host that is not on its list of hosts.",
    "ssrf_private_address": "{label} points to a host that is not on the public internet.",
}


def turned_away(rules: SourceRules, reply: Reply) -> SourceRateLimited:
    """Our own pacing refuses a request; nothing was asked."""
    denial = Denial("rate_limit_window", rules.key, cap=reply.cap, actual=reply.actual)
    kind, message = _TURNED_AWAY[reply.kind]
    return kind(message.format(label=rules.label), source=rules.key, retry_after_s=reply.after_s, denial=denial)


_TURNED_AWAY: dict[str, tuple[type[SourceRateLimited], str]] = {
    "full": (SourceQueueFull, "Too many requests wait for {label}; try again later."),
    "spent": (SourceQueueFull, "What may be asked of {label} in a day is spent; try again after midnight UTC."),
    "cooling": (SourceCooling, "{label} is left alone for a while, since it asked to slow down or kept failing."),
}
