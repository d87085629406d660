"""Several reads of one answer at once."""

from collections.abc import Awaitable, Callable

import anyio
import pytest

from core.catalog.together import all_of, in_order, together
from core.errors import NotFound, PaperdeskError, SourceTimeout

GONE, LATE = NotFound("Gone."), SourceTimeout("Late.", source="catalog")


def gives(value: int, *, after: int = 0) -> Callable[[], Awaitable[int]]:
    async def ask() -> int:
        for _ in range(after):
            await anyio.lowlevel.checkpoint()
        return value

    return ask


def fails(failure: Exception, *, after: int = 0) -> Callable[[], Awaitable[int]]:
    async def ask() -> int:
        await gives(0, after=after)()
        raise failure

    return ask


async def test_answers_come_in_the_order_of_the_questions_four_at_a_time() -> None:
    running = most = 0

    async def ask() -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await anyio.lowlevel.checkpoint()
        running -= 1
        return most

    assert len(await all_of([ask] * 9)) == 9
    assert most == 4
    assert await together(gives(1, after=5), gives(2), gives(3)) == (1, 2, 3)
    assert await all_of([]) == []


async def test_the_first_failure_is_raised_as_it_is_and_ends_the_others() -> None:
    async def for_ever() -> int:
        await anyio.sleep_forever()
        return 0

    with pytest.raises(NotFound) as caught:
        await together(for_ever, fails(GONE, after=3))
    assert caught.value is GONE


@pytest.mark.parametrize("order", [(5, 0), (0, 5)])
async def test_reads_in_order_fail_as_one_after_the_other_would(order: tuple[int, int]) -> None:
    with pytest.raises(PaperdeskError) as caught:
        await in_order(fails(GONE, after=order[0]), fails(LATE, after=order[1]))
    assert caught.value is GONE
    with pytest.raises(PaperdeskError) as caught:
        await in_order(gives(1), fails(LATE))
    assert caught.value is LATE
    assert await in_order(gives(1), gives(2)) == (1, 2)
