"""Failures as they are remembered, and as they are said again (references contract, section 1.8)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.errors import Denial, SourceRateLimited
from core.references import repeat
from core.references.failures import Code, Failure


def remembered(failure: Failure) -> repeat.Failure:
    """What is kept of a failure: all but the trace of its call."""
    details: dict[str, Any] = {"reason": failure.reason, "field": failure.field, "hint": failure.hint}
    details = {name: value for name, value in details.items() if value is not None}
    if failure.denial is not None:
        details["denial"] = asdict(failure.denial)
    if failure.remedies:
        details["remedies"] = [dict(each) for each in failure.remedies]
    wait_s = None if failure.retry_after_ms is None else failure.retry_after_ms / 1000
    return repeat.Failure(failure.code.value, failure.disposition.value, failure.message, wait_s, details)


def blocked(pdf: Mapping[str, Any]) -> Failure:
    """The failure that a blocked PDF is, with why it was refused."""
    shown = pdf.get("denial_context")
    return Failure.of(
        Code(pdf["code"]),
        pdf["message"],
        retry_after_ms=pdf.get("retry_after_ms"),
        denial=None if shown is None else _denial(shown),
    )


def replayed(replay: repeat.Replay) -> Failure:
    """What is said in the place of asking again."""
    kept = replay.failure
    if replay.retry_after_s is not None:
        return Failure.of(
            Code(replay.code),
            "The same reference failed a moment ago; wait before asking again, or pass force.",
            retry_after_ms=max(round(replay.retry_after_s * 1000), 1),
            replayed=True,
        )
    details = dict(kept.details)
    denial = details.pop("denial", None)
    if denial is not None:
        details["denial"] = _denial(denial)
    remedies = tuple(details.pop("remedies", ()))
    return Failure.of(Code(replay.code), kept.message, replayed=True, remedies=remedies, **details)


async def forced(repeats: repeat.Repeats, caller: str) -> None:
    """Counts a call that goes past what is remembered; raises `SourceRateLimited` where they are too many."""
    wait_s = await repeats.force(caller)
    if wait_s > 0:
        raise SourceRateLimited(
            f"At most {repeat.FORCED_MAX} forced calls an hour are taken; leave force out.",
            source="paperdesk",
            retry_after_s=wait_s,
        )


def _denial(facts: Mapping[str, Any]) -> Denial:
    expected = facts.get("expected")
    return Denial(**{**facts, "expected": None if expected is None else tuple(expected)})
