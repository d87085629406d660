"""What a caller over a budget is told (hosting contract 1.3, 4.4): the numbers of an answer, as values."""

from typing import NamedTuple

from server.limits.budgets import CONCURRENT, GLOBAL
from server.limits.windows import WindowState, whole_seconds

SLOT_WAIT_S = 1
"""Nobody can say when a request in progress will end."""


class RateState(NamedTuple):
    """The three `RateLimit-*` values."""

    limit: int
    remaining: int
    reset_s: int


class LimitRefused(Exception):
    """A budget is used up, or holds less than the call costs. `rate` is that budget's, None while it cannot be told."""

    def __init__(self, *, budget: str, limit: int, retry_after_s: int, rate: RateState | None, cost: int = 1) -> None:
        super().__init__(budget)
        self.budget = budget
        self.limit = limit
        self.retry_after_s = retry_after_s
        self.rate = rate
        self.cost = cost

    @property
    def status(self) -> int:
        """503 where the service is full, 429 where the caller is."""
        return 503 if self.budget == GLOBAL else 429

    @property
    def code(self) -> str:
        """The refusal's name on the wire."""
        return "server_saturated" if self.budget == GLOBAL else "rate_limit_exceeded"

    @property
    def message(self) -> str:
        """One sentence: what was wrong and what to do next."""
        if self.budget == GLOBAL:
            return "The service has as many requests in progress as it takes; send this one again in a second."
        if self.budget == CONCURRENT:
            return f"{self.limit} of your requests are in progress, which is your limit; wait until one has ended."
        wait = "1 second" if self.retry_after_s == 1 else f"{self.retry_after_s} seconds"
        if self.cost > 1:
            return (
                f"This call costs {self.cost} of your budget {self.budget} of {self.limit}, and less is left;"
                f" send it again in {wait}, or ask for fewer at a time."
            )
        return f"Your budget {self.budget} of {self.limit} is used up; send the request again in {wait}."


def slots_used_up(budget: str, limit: int) -> LimitRefused:
    """A refusal for want of a slot."""
    return LimitRefused(budget=budget, limit=limit, retry_after_s=SLOT_WAIT_S, rate=RateState(limit, 0, SLOT_WAIT_S))


def window_used_up(budget: str, limit: int, state: WindowState, *, cost: int = 1) -> LimitRefused:
    """A refusal by a window that has no room for a call of that cost until `state.frees_s`."""
    # A call that costs one is refused by a full window, or by one whose rest is reserved.
    left = max(limit - state.counted, 0) if cost > 1 else 0
    rate = RateState(limit, left, max(whole_seconds(state.reset_s), 1))
    wait_s = max(whole_seconds(state.frees_s), 1)
    return LimitRefused(budget=budget, limit=limit, retry_after_s=wait_s, rate=rate, cost=cost)


def rate_of(limit: int, state: WindowState, *, reserved: int = 0) -> RateState:
    """What is left of a window, less what calls in progress have reserved of it."""
    left = limit - state.counted - reserved
    reset_s = whole_seconds(state.reset_s)
    return RateState(limit, left if left > 0 else 0, reset_s if reset_s > 0 else 0)
