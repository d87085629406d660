"""What a batch costs: as many tokens as it has items, all or none, and never more than the whole window."""

import pytest

from core.clock import ManualClock
from server.limits.admission import Limiter
from server.limits.budgets import WINDOWS, Budgets
from server.limits.identity import Caller
from server.limits.memory import MemoryWindows
from server.limits.refusal import LimitRefused, RateState
from server.limits.windows import Draw, WindowState

pytestmark = pytest.mark.anyio

ONE = Caller("ip", b"1" * 16)
SEMANTIC = "catalog_semantic_per_minute"


async def request(desk: Limiter, cost: int, *budgets: str) -> RateState | None:
    """One whole request; what its answer says."""
    ticket = await desk.admit(ONE)
    try:
        await ticket.take(budgets, cost=cost)
        return ticket.rate
    finally:
        await ticket.close()


async def refusal(desk: Limiter, cost: int, *budgets: str) -> LimitRefused:
    with pytest.raises(LimitRefused) as caught:
        await request(desk, cost, *budgets)
    return caught.value


def desk_of(clock: ManualClock, **anonymous: int) -> Limiter:
    return Limiter(Budgets(anonymous=anonymous), MemoryWindows(clock))


async def test_a_batch_takes_as_many_tokens_as_it_has_items() -> None:
    desk = desk_of(ManualClock())
    assert await request(desk, 50) == RateState(60, 10, 60)
    assert await request(desk, 10) == RateState(60, 0, 60)
    assert (await refusal(desk, 1)).retry_after_s == 60


async def test_a_batch_that_exceeds_what_is_left_passes_after_the_wait_that_is_told_and_no_sooner() -> None:
    clock = ManualClock()
    desk = desk_of(clock, per_minute=10)
    for cost in (3, 2, 4):
        await request(desk, cost)
        clock.advance(10)
    refused = await refusal(desk, 5)
    assert (refused.status, refused.budget, refused.limit, refused.rate) == (
        429,
        "per_minute",
        10,
        RateState(10, 1, 30),
    )
    # Of the nine that are out four must come back, and the fourth is of the second call.
    assert refused.retry_after_s == 40
    assert refused.message == (
        "This call costs 5 of your budget per_minute of 10, and less is left;"
        " send it again in 40 seconds, or ask for fewer at a time."
    )
    # It took nothing, so that nothing moves the end of the wait.
    clock.advance(39)
    assert (await refusal(desk, 5)).retry_after_s == 1
    clock.advance(1)
    assert await request(desk, 5) == RateState(10, 1, 10)


async def test_a_batch_larger_than_the_budget_takes_all_of_it_and_is_not_impossible() -> None:
    clock = ManualClock()
    desk = desk_of(clock, per_minute=10)
    await request(desk, 1)
    clock.advance(20)
    refused = await refusal(desk, 100)
    assert (refused.retry_after_s, refused.rate) == (40, RateState(10, 9, 40))
    assert "costs 10 of your budget per_minute of 10" in refused.message
    clock.advance(40)
    assert await request(desk, 100) == RateState(10, 0, 60)


async def test_a_batch_and_another_budget_are_taken_together_or_not_at_all() -> None:
    desk = desk_of(ManualClock(), per_minute=10, catalog_semantic_per_minute=1)
    assert await request(desk, 2, SEMANTIC) == RateState(1, 0, 60)
    refused = await refusal(desk, 3, SEMANTIC)
    assert (refused.budget, refused.rate, refused.cost) == (SEMANTIC, RateState(1, 0, 60), 1)
    assert await request(desk, 8) == RateState(10, 0, 60)


async def test_a_window_that_is_shut_has_no_room_for_a_batch_either() -> None:
    windows = MemoryWindows(ManualClock())
    shut = Draw(WINDOWS["per_minute"], 0).of(5)
    assert shut.amount == 1
    assert await windows.take(ONE.digest, (shut,)) == (False, [WindowState(0, 0.0, 60.0)])
