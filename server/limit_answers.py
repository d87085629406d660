"""How a budget that is used up is told over HTTP (hosting contract 1.3, 4.4)."""

from starlette.types import Scope, Send

from server.answers import Answer, refusal, refuse
from server.exchange import exchange_of
from server.limits.budgets import GLOBAL
from server.limits.refusal import LimitRefused, RateState

Headers = tuple[tuple[bytes, bytes], ...]


def rate_headers(rate: RateState | None) -> Headers:
    """The three `RateLimit-*` headers; none while the store of windows is down."""
    if rate is None:
        return ()
    return (
        (b"ratelimit-limit", b"%d" % rate.limit),
        (b"ratelimit-remaining", b"%d" % rate.remaining),
        (b"ratelimit-reset", b"%d" % rate.reset_s),
    )


def limit_answer(refused: LimitRefused) -> Answer:
    """429, or 503 where the whole service is full; `RateLimit-*` come with the exchange."""
    extra: dict[str, object] = {"budget": refused.budget}
    if refused.budget != GLOBAL:
        extra |= {"limit": refused.limit, "retry_after_s": refused.retry_after_s}
    wait = ((b"retry-after", b"%d" % refused.retry_after_s),)
    return refusal(refused.status, refused.code, refused.message, headers=wait, **extra)


async def refuse_limit(scope: Scope, send: Send, refused: LimitRefused) -> None:
    """Sends the refusal and lets the log line say which budget it was."""
    exchange_of(scope).budget = refused.budget
    await refuse(scope, send, limit_answer(refused))
