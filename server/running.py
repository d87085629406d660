"""Running a call in the task that asked for it: under a deadline, and for as long as someone waits for it.

A call that is ready at once costs nothing more: its first step is taken here, and the timer or the watcher is made only
when it suspends. A scope of anyio, entered that late, would lie inside the scopes that the call itself had opened; so a
call is ended as `asyncio.timeout` ends one, by cancelling the task and taking the request back. Shields do not hold it.
"""

import asyncio
import types
from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

T = TypeVar("T")


class DeadlinePassed(Exception):
    """The call did not end in time; it was cancelled."""


class Abandoned(Exception):
    """Whoever waited for the call has left; it was cancelled."""


async def within(limit_s: float, call: Awaitable[T]) -> T:
    """What the call gives; raises `DeadlinePassed` where it takes longer, and a cancellation by others as it is."""
    steps = call.__await__()
    try:
        waits_for = steps.send(None)
    except StopIteration as done:
        ready: T = done.value
        return ready
    with _Ending(DeadlinePassed) as ending:
        timer = asyncio.get_running_loop().call_later(limit_s, ending.bring)
        try:
            return await _rest(steps, waits_for)
        finally:
            timer.cancel()


async def while_awaited(leaving: Callable[[], Awaitable[object]], call: Awaitable[T]) -> T:
    """What the call gives; raises `Abandoned` where `leaving`, asked only of a call that suspends, ends first."""
    steps = call.__await__()
    try:
        waits_for = steps.send(None)
    except StopIteration as done:
        ready: T = done.value
        return ready
    with _Ending(Abandoned) as ending:
        watcher = asyncio.create_task(_until(leaving))
        watcher.add_done_callback(lambda done: None if done.cancelled() else ending.bring())
        try:
            return await _rest(steps, waits_for)
        finally:
            watcher.cancel()


class _Ending:
    """A way to cancel the task inside; what is raised then is `reason`, unless others want the task cancelled too."""

    def __init__(self, reason: type[Exception]) -> None:
        task = asyncio.current_task()
        assert task is not None, "a call runs in a task"
        self._task = task
        self._reason = reason
        self._requests_before = task.cancelling()
        self._is_open = True
        self._is_brought = False

    def bring(self) -> None:
        """Cancels, once; after the end it is too late and nothing happens."""
        if self._is_open and not self._is_brought:
            self._is_brought = True
            self._task.cancel()

    def __enter__(self) -> "_Ending":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self._is_open = False
        if not self._is_brought:
            return
        is_ours_alone = self._task.uncancel() <= self._requests_before
        if is_ours_alone and kind is asyncio.CancelledError:
            raise self._reason from error


@types.coroutine
def _rest(steps: Generator[Any, Any, T], waits_for: Any) -> Generator[Any, Any, T]:
    """The steps after the first, which waits for `waits_for`; what is thrown in here is thrown into them."""
    while True:
        thrown: BaseException | None = None
        try:
            yield waits_for
        except GeneratorExit:
            steps.close()
            raise
        except BaseException as error:
            thrown = error
        if thrown is None:
            return (yield from steps)
        try:
            waits_for = steps.throw(thrown)
        except StopIteration as done:
            result: T = done.value
            return result
        finally:
            # Its traceback leads to this frame, and the frame would lead to it.
            del thrown


async def _until(leaving: Callable[[], Awaitable[object]]) -> None:
    await leaving()
