import asyncio
import gc
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any

import anyio
import anyio.to_thread
import pytest

from core.cache import Answer, Tier, TierCache
from core.clock import ManualClock
from server.running import Abandoned, DeadlinePassed, while_awaited, within

SOON_S = 0.001
NEVER_S = 3600.0

Ended = Callable[[Awaitable[Any]], Awaitable[Any]]


async def never() -> None:
    await asyncio.Event().wait()


async def at_once() -> None:
    return None


def by_deadline(call: Awaitable[Any]) -> Awaitable[Any]:
    return within(SOON_S, call)


def by_leaving(call: Awaitable[Any]) -> Awaitable[Any]:
    return while_awaited(at_once, call)


WAYS = pytest.mark.parametrize(("ended", "reason"), [(by_deadline, DeadlinePassed), (by_leaving, Abandoned)])


def own_task() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


async def settled(before: set[asyncio.Task[Any]]) -> bool:
    """Whether no other tasks are left than before, once those that were cancelled have had their last step."""
    for _ in range(3):
        await asyncio.sleep(0)
    return asyncio.all_tasks() == before


class CountingLoop(asyncio.SelectorEventLoop):
    """Counts the timers and tasks that are made on it."""

    def __init__(self) -> None:
        super().__init__()
        self.made: list[str] = []

    def call_at(self, *args: Any, **kwargs: Any) -> asyncio.TimerHandle:
        self.made.append("timer")
        return super().call_at(*args, **kwargs)

    def create_task(self, *args: Any, **kwargs: Any) -> asyncio.Task[Any]:
        self.made.append("task")
        return super().create_task(*args, **kwargs)


def made_by(main: Callable[[], Coroutine[Any, Any, None]]) -> list[str]:
    loop = CountingLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())
        made = loop.made.copy()
    return made[1:]  # the first task is main's own


def test_a_call_that_is_ready_at_once_makes_neither_timer_nor_task() -> None:
    async def ready() -> int:
        return 7

    async def main() -> None:
        assert await within(NEVER_S, ready()) == 7
        assert await while_awaited(never, ready()) == 7
        assert await while_awaited(never, within(NEVER_S, ready())) == 7

    assert made_by(main) == []


def test_a_call_that_suspends_makes_one_of_each() -> None:
    async def suspended() -> int:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return 7

    async def main() -> None:
        assert await while_awaited(never, within(NEVER_S, suspended())) == 7

    assert made_by(main) == ["timer", "task"]


@pytest.mark.parametrize("pauses", [0, 1, 2])
@pytest.mark.parametrize("around", [lambda call: within(NEVER_S, call), lambda call: while_awaited(never, call)])
async def test_what_a_call_raises_is_raised_as_it_is(around: Ended, pauses: int) -> None:
    failure = KeyError("its own")

    async def fail() -> None:
        for _ in range(pauses):
            await asyncio.sleep(0)
        raise failure

    before = asyncio.all_tasks()
    with pytest.raises(KeyError) as raised:
        await around(fail())
    assert raised.value is failure
    assert own_task().cancelling() == 0
    assert await settled(before)


@WAYS
async def test_a_call_that_takes_too_long_or_is_not_awaited_is_cancelled(ended: Ended, reason: type[Exception]) -> None:
    steps: list[str] = []

    async def call() -> None:
        try:
            await never()
        finally:
            # What has to be tidied may take its time.
            await asyncio.sleep(0)
            steps.append("tidied")

    before = asyncio.all_tasks()
    with pytest.raises(reason):
        await ended(call())
    assert steps == ["tidied"]
    assert own_task().cancelling() == 0
    await asyncio.sleep(0)  # the task can still wait
    assert await settled(before)


@WAYS
async def test_a_result_that_a_cancelled_call_gives_all_the_same_is_kept(ended: Ended, reason: type[Exception]) -> None:
    async def call() -> str:
        try:
            await never()
        except asyncio.CancelledError:
            return "partial"
        return "whole"

    assert await ended(call()) == "partial"
    assert own_task().cancelling() == 0


@WAYS
async def test_a_failure_in_answer_to_the_cancellation_is_raised(ended: Ended, reason: type[Exception]) -> None:
    async def call() -> None:
        try:
            await never()
        except asyncio.CancelledError:
            raise KeyError("could not tidy") from None

    with pytest.raises(KeyError, match="could not tidy"):
        await ended(call())
    assert own_task().cancelling() == 0


async def test_a_stopping_servers_cancellation_is_neither_a_deadline_nor_a_leaving_client() -> None:
    # hosting A35: cancellation by a stopping server is not mistaken for it
    started = asyncio.Event()

    async def call() -> None:
        started.set()
        await never()

    async def request() -> None:
        await while_awaited(never, within(NEVER_S, call()))

    before = asyncio.all_tasks()
    task = asyncio.create_task(request())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert await settled(before)


@WAYS
async def test_a_server_that_stops_while_a_call_is_being_ended_stops_the_task(
    ended: Ended, reason: type[Exception]
) -> None:
    async def call() -> None:
        try:
            await never()
        except asyncio.CancelledError:
            own_task().cancel()
            raise

    async def request() -> None:
        await ended(call())

    task = asyncio.create_task(request())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()


async def test_a_stop_and_a_leaving_client_in_one_turn_of_the_loop_stop_the_task() -> None:
    async def leaving() -> None:
        task.cancel()

    async def request() -> None:
        await while_awaited(leaving, never())

    task = asyncio.create_task(request())
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (task.cancelled(), task.cancelling()) == (True, 1)


async def test_each_of_two_ends_around_a_call_knows_its_own() -> None:
    with pytest.raises(Abandoned):
        await while_awaited(at_once, within(NEVER_S, never()))
    with pytest.raises(DeadlinePassed):
        await while_awaited(never, within(SOON_S, never()))
    with pytest.raises(DeadlinePassed):
        await within(NEVER_S, within(SOON_S, never()))
    assert own_task().cancelling() == 0


async def test_a_client_that_leaves_at_the_deadline_has_left() -> None:
    async def call() -> None:
        try:
            await never()
        except asyncio.CancelledError:
            gone.set()
            for _ in range(3):
                await asyncio.sleep(0)

    gone = asyncio.Event()
    with pytest.raises(Abandoned):
        await while_awaited(gone.wait, within(SOON_S, call()))
    assert own_task().cancelling() == 0


async def test_leaving_after_the_end_disturbs_nobody() -> None:
    gone = asyncio.Event()

    async def call() -> str:
        await asyncio.sleep(0)
        gone.set()  # the watcher is woken, and too late
        return "done"

    assert await while_awaited(gone.wait, call()) == "done"
    for _ in range(5):
        await asyncio.sleep(0)
    assert own_task().cancelling() == 0


@WAYS
async def test_a_task_group_inside_is_ended_with_all_its_tasks(ended: Ended, reason: type[Exception]) -> None:
    cancelled: list[int] = []

    async def child(number: int) -> None:
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            cancelled.append(number)
            raise

    async def call() -> None:
        async with anyio.create_task_group() as group:
            for number in range(3):
                group.start_soon(child, number)

    before = asyncio.all_tasks()
    with pytest.raises(reason):
        await ended(call())
    assert sorted(cancelled) == [0, 1, 2]
    assert own_task().cancelling() == 0
    assert await settled(before)


async def test_scopes_that_a_call_opens_before_it_suspends_stay_in_order() -> None:
    async def call() -> str:
        # Opened in the first step, closed after the timer and the watcher were made.
        with anyio.CancelScope() as outer:
            with anyio.move_on_after(SOON_S) as inner:
                await anyio.sleep_forever()
            assert inner.cancelled_caught
            await anyio.lowlevel.checkpoint()
        assert not outer.cancel_called
        return "went on"

    assert await while_awaited(never, within(NEVER_S, call())) == "went on"
    with anyio.CancelScope() as scope:
        assert await while_awaited(never, within(NEVER_S, call())) == "went on"
        scope.cancel()
        await within(NEVER_S, anyio.sleep_forever())
    assert scope.cancelled_caught
    assert own_task().cancelling() == 0


@WAYS
async def test_a_shielded_scope_does_not_outlast_the_end(ended: Ended, reason: type[Exception]) -> None:
    async def call() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep_forever()

    with pytest.raises(reason):
        await ended(call())
    # The task is none the worse for it.
    with anyio.move_on_after(SOON_S) as scope:
        await anyio.sleep_forever()
    assert scope.cancelled_caught


async def test_nobody_waits_for_a_thread_past_the_end() -> None:
    loop = asyncio.get_running_loop()
    started = asyncio.Event()
    go_on, finished = threading.Event(), threading.Event()

    def work() -> str:
        loop.call_soon_threadsafe(started.set)
        go_on.wait(5)
        finished.set()
        return "unread"

    before = asyncio.all_tasks()
    with pytest.raises(Abandoned):
        await while_awaited(started.wait, anyio.to_thread.run_sync(work))
    assert not finished.is_set()
    go_on.set()
    assert await anyio.to_thread.run_sync(finished.wait, 5)
    assert await settled(before)


@WAYS
async def test_a_second_waiter_on_one_flight_still_gets_its_answer(ended: Ended, reason: type[Exception]) -> None:
    # hosting A35 (single-flight)
    cache: TierCache[str] = TierCache(Tier("t", 60, 10, 1000), ManualClock(), len)
    loads: list[str] = []
    loaded = asyncio.Event()

    async def load() -> str:
        loads.append("started")
        await loaded.wait()
        return "answer"

    async def second() -> Answer[str]:
        return await within(NEVER_S, cache.get("k", load))

    before = asyncio.all_tasks()
    first = asyncio.ensure_future(ended(cache.get("k", load)))
    other = asyncio.create_task(second())
    with pytest.raises(reason):
        await first
    loaded.set()
    assert (await other).value == "answer"
    assert loads == ["started"]
    assert await settled(before)


async def test_a_call_runs_in_the_context_of_whoever_asked() -> None:
    seen: ContextVar[str] = ContextVar("seen", default="nothing")
    outer = seen.set("from outside")

    async def call() -> list[str]:
        found = [seen.get()]
        token = seen.set("inside")
        await asyncio.sleep(0)
        found.append(seen.get())
        seen.reset(token)
        await asyncio.sleep(0)
        found.append(seen.get())
        seen.set("left behind")
        return found

    assert await while_awaited(never, within(NEVER_S, call())) == ["from outside", "inside", "from outside"]
    assert seen.get() == "left behind"
    seen.reset(outer)


@WAYS
async def test_nothing_of_an_ended_call_is_kept(ended: Ended, reason: type[Exception]) -> None:
    class Held:
        pass

    kept: list[weakref.ref[Held]] = []

    async def call() -> None:
        held = Held()
        kept.append(weakref.ref(held))
        await never()

    async def request() -> None:
        with pytest.raises(reason):
            await ended(call())

    gc.collect()
    gc.disable()
    try:
        await request()
        await asyncio.sleep(0)
        assert kept[0]() is None
    finally:
        gc.enable()


async def test_a_call_that_is_dropped_while_it_waits_is_closed() -> None:
    closed: list[bool] = []

    async def call() -> None:
        try:
            await never()
        finally:
            closed.append(True)

    request = within(NEVER_S, call())
    assert isinstance(request, Coroutine)
    request.send(None)
    request.close()
    assert closed == [True]
    # Nor does its timer reach the task later.
    assert own_task().cancelling() == 0


async def test_any_awaitable_can_be_run() -> None:
    future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_soon(future.set_result, "later")
    assert await within(NEVER_S, future) == "later"
    assert await while_awaited(never, future) == "later"
