"""One deadline for everything that a call does."""

import asyncio

from core.clock import ManualClock
from core.deadline import current_deadline, deadline


def test_a_request_gets_what_is_left_less_a_margin_and_no_more_than_its_own_limit() -> None:
    clock = ManualClock()
    with deadline(25, clock) as ends:
        assert (ends.left_s(), ends.request_left_s(25), ends.request_left_s(5)) == (25, 24.5, 5)
        clock.advance(24.75)
        assert ends.request_left_s(25) == -0.25
    assert current_deadline() is None


def test_an_inner_deadline_only_shortens_the_one_around_it() -> None:
    clock = ManualClock()
    with deadline(10, clock) as outer:
        with deadline(20, clock) as longer:
            assert longer is outer is current_deadline()
        with deadline(5, clock) as shorter:
            assert shorter.left_s() == 5
        assert current_deadline() is outer


async def test_tasks_that_a_call_starts_share_its_deadline() -> None:
    async def seen() -> object:
        return current_deadline()

    with deadline(10, ManualClock()) as ends:
        task = asyncio.create_task(seen())
    assert await task is ends
    assert current_deadline() is None
