"""Waiting with a bound, over a sleep that tests replace (scan contract 4.3, 10.4)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")


async def bounded(work: Coroutine[Any, Any, T], seconds: float, sleep: Sleep) -> T:
    """What the work gives; raises `TimeoutError` where it takes longer, and then it is cancelled."""
    doing = asyncio.ensure_future(work)
    timer = asyncio.ensure_future(sleep(seconds))
    try:
        await asyncio.wait((doing, timer), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise TimeoutError
        return doing.result()
    finally:
        await ended(doing, timer)


async def ended(*tasks: "asyncio.Future[Any]") -> None:
    """Cancels what still works and waits until it has ended; how it ended is nobody's matter."""
    for each in tasks:
        each.cancel()
    await asyncio.wait(tasks)
    for each in tasks:
        if not each.cancelled():
            each.exception()
