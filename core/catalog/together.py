"""Several reads of one answer at once, at most four at a time (catalog contract 14)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import anyio

from core.errors import PaperdeskError

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")

AT_ONCE_MAX = 4


@overload
async def together(first: Callable[[], Awaitable[A]], second: Callable[[], Awaitable[B]], /) -> tuple[A, B]: ...
@overload
async def together(
    first: Callable[[], Awaitable[A]], second: Callable[[], Awaitable[B]], third: Callable[[], Awaitable[C]], /
) -> tuple[A, B, C]: ...
async def together(*asks: Callable[[], Awaitable[Any]]) -> Any:
    """What each read gives, in the order given; the first failure ends the others and is raised as it is."""
    return tuple(await all_of(asks))


async def in_order(first: Callable[[], Awaitable[A]], second: Callable[[], Awaitable[B]]) -> tuple[A, B]:
    """Two reads at once that fail like one after the other: the first failure goes before the second."""
    one, other = await together(lambda: _settled(first), lambda: _settled(second))
    if isinstance(one, _Failed):
        raise one.failure
    if isinstance(other, _Failed):
        raise other.failure
    return one, other


@dataclass(frozen=True, slots=True)
class _Failed:
    failure: PaperdeskError


async def _settled(ask: Callable[[], Awaitable[A]]) -> A | _Failed:
    try:
        return await ask()
    except PaperdeskError as failure:
        return _Failed(failure)


async def all_of(asks: Sequence[Callable[[], Awaitable[A]]]) -> list[A]:
    """`together` for reads of one kind."""
    found: dict[int, A] = {}
    failures: list[Exception] = []
    slots = anyio.Semaphore(AT_ONCE_MAX)

    async def read(place: int, ask: Callable[[], Awaitable[A]]) -> None:
        try:
            async with slots:
                found[place] = await ask()
        except Exception as error:
            failures.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for place, ask in enumerate(asks):
            group.start_soon(read, place, ask)
    if failures:
        raise failures[0]
    return [found[place] for place in range(len(asks))]
