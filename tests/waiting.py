"""Waiting for what another process does, within a bound."""

import asyncio
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], bool | Awaitable[bool]], *, limit_s: float = 20) -> None:
    """Until the condition holds; raises `TimeoutError` where it never does."""
    async with asyncio.timeout(limit_s):
        while True:
            held = condition()
            if held if isinstance(held, bool) else await held:
                return
            await asyncio.sleep(0.01)
