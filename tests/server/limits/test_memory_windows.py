"""Windows in memory: the library's moving windows, bounded, with time as a parameter."""

import limits.storage.memory
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import FixedWindowRateLimiter, MovingWindowRateLimiter

from core.clock import ManualClock
from server.limits.budgets import DAY_S, WINDOWS
from server.limits.memory import BoundedMemory, MemoryWindows
from server.limits.windows import Draw, WindowState

pytestmark = pytest.mark.anyio

MINUTE, SEMANTIC, DAILY = (WINDOWS[name] for name in ("per_minute", "catalog_semantic_per_minute", "semantic_daily"))
ONE, OTHER = b"1" * 16, b"2" * 16
# No sum of these steps is a whole minute: there the library counts a token a moment longer than the contract does.
STEP_S = 0.7
STEPS = st.lists(st.tuples(st.integers(0, 90), st.booleans()), max_size=40)


class _LibraryTime:
    """What the library's own store asks for the time."""

    def __init__(self, clock: ManualClock) -> None:
        self.time = clock.now_s


@settings(max_examples=60, deadline=None)
@given(limit=st.integers(1, 5), steps=STEPS)
async def test_windows_go_as_the_librarys_own(limit: int, steps: list[tuple[int, bool]]) -> None:
    # hosting A55 (part)
    clock = ManualClock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits.storage.memory, "time", _LibraryTime(clock))
        await _compare(clock, limit, steps)


async def _compare(clock: ManualClock, limit: int, steps: list[tuple[int, bool]]) -> None:
    item = RateLimitItemPerMinute(limit)
    oracle = MovingWindowRateLimiter(MemoryStorage())
    under_the_library = MovingWindowRateLimiter(BoundedMemory(clock=clock))
    ours = MemoryWindows(clock)
    draw = Draw(MINUTE, limit)
    for step, takes in steps:
        clock.advance(step * STEP_S)
        if takes:
            expected = oracle.hit(item, "caller")
            assert under_the_library.hit(item, "caller") is expected
            assert (await ours.take(ONE, (draw,)))[0] is expected
        stats = oracle.get_window_stats(item, "caller")
        state = await ours.look(ONE, draw)
        assert (limit - state.counted, state.frees_s == 0) == (stats.remaining, oracle.test(item, "caller"))
        assert under_the_library.get_window_stats(item, "caller").remaining == stats.remaining
        if state.counted:
            assert clock.now_s() + state.reset_s == pytest.approx(stats.reset_time, abs=1e-3)
            theirs = under_the_library.get_window_stats(item, "caller").reset_time
            assert theirs == pytest.approx(stats.reset_time, abs=1e-3)


async def test_a_token_counts_for_exactly_a_minute() -> None:
    # hosting A55
    clock = ManualClock()
    windows, draw = MemoryWindows(clock), Draw(MINUTE, 2)
    await windows.take(ONE, (draw,))
    clock.advance(20.25)
    await windows.take(ONE, (draw,))
    assert await windows.look(ONE, draw) == WindowState(2, 39.75, 39.75)
    assert await windows.take(ONE, (draw,)) == (False, [WindowState(2, 39.75, 39.75)])
    clock.advance(39.74)
    assert (await windows.take(ONE, (draw,)))[0] is False
    clock.advance(0.01)
    assert await windows.take(ONE, (draw,)) == (True, [WindowState(2, pytest.approx(20.25), pytest.approx(20.25))])


async def test_a_refusal_takes_nothing_from_any_window() -> None:
    # hosting A59
    clock = ManualClock()
    windows = MemoryWindows(clock)
    wide, narrow = Draw(MINUTE, 9), Draw(SEMANTIC, 1)
    assert (await windows.take(ONE, (wide, narrow)))[0] is True
    for _ in range(100):
        assert (await windows.take(ONE, (wide, narrow)))[0] is False
    assert (await windows.look(ONE, wide)).counted == (await windows.look(ONE, narrow)).counted == 1
    assert (await windows.look(OTHER, wide)).counted == 0


async def test_a_lowered_limit_waits_for_as_many_as_are_too_many() -> None:
    clock = ManualClock()
    windows = MemoryWindows(clock)
    for _ in range(3):
        await windows.take(ONE, (Draw(MINUTE, 3),))
        clock.advance(10)
    assert await windows.look(ONE, Draw(MINUTE, 1)) == WindowState(3, 30, 50)
    assert await windows.look(ONE, Draw(MINUTE, 0)) == WindowState(3, 30, 60)


async def test_a_daily_window_ends_at_midnight_utc() -> None:
    clock = ManualClock(now_s=19_000 * DAY_S + 40_000)
    windows, draw = MemoryWindows(clock), Draw(DAILY, 2)
    assert await windows.look(ONE, draw) == WindowState(0)
    await windows.record(ONE, DAILY)
    assert await windows.look(ONE, draw) == WindowState(1, 46_400)
    await windows.record(ONE, DAILY)
    await windows.record(ONE, DAILY)
    assert await windows.look(ONE, draw) == WindowState(3, 46_400, 46_400)
    clock.advance(46_399)
    assert (await windows.look(ONE, draw)).counted == 3
    clock.advance(1)
    assert await windows.look(ONE, draw) == WindowState(0)


async def test_ten_thousand_identities_are_remembered_and_the_newest_is_served() -> None:
    # hosting A67
    clock = ManualClock()
    windows, draw = MemoryWindows(clock), Draw(MINUTE, 60)
    digests = [number.to_bytes(16) for number in range(10_001)]
    for digest in digests[:-1]:
        await windows.take(digest, (draw,))
    # The first is used again, so the second is the one to go.
    await windows.look(digests[0], draw)
    assert (await windows.take(digests[-1], (draw,)))[0] is True
    assert (windows.identities, windows.errors) == (10_000, 0)
    assert (await windows.look(digests[0], draw)).counted == 1
    assert (await windows.look(digests[-1], draw)).counted == 1
    assert (await windows.look(digests[1], draw)).counted == 0


async def test_an_identity_keeps_no_more_than_its_limits() -> None:
    # hosting A67
    clock = ManualClock()
    windows, draw = MemoryWindows(clock), Draw(MINUTE, 60)
    for _ in range(5_000):
        await windows.take(ONE, (draw,))
        clock.advance(0.1)
    kept = windows.storage.windows_of(ONE)
    assert {name: len(entries) for name, entries in kept.items()} == {"per_minute": 60}


async def test_nothing_waits_on_memory() -> None:
    windows, draw = MemoryWindows(ManualClock()), Draw(MINUTE, 60)
    for question in (windows.look(ONE, draw), windows.take(ONE, (draw,)), windows.record(ONE, MINUTE)):
        with pytest.raises(StopIteration):
            question.send(None)


def test_the_library_makes_this_store_for_memory() -> None:
    assert isinstance(storage_from_string("memory:"), BoundedMemory)


def test_the_store_keeps_the_librarys_other_promises() -> None:
    clock = ManualClock()
    store = BoundedMemory(clock=clock)
    fixed = FixedWindowRateLimiter(store)
    item = RateLimitItemPerMinute(2)
    assert [fixed.hit(item, "caller") for _ in range(3)] == [True, True, False]
    stats = fixed.get_window_stats(item, "caller")
    assert (stats.remaining, stats.reset_time) == (0, clock.now_s() + 60)
    clock.advance(60)
    assert fixed.get_window_stats(item, "caller") == (clock.now_s(), 2)
    assert fixed.hit(item, "caller") is True
    assert store.acquire_entry("moving", 2, 60, amount=3) is False
    assert store.acquire_entry("moving", 2, 60, amount=2) is True
    store.clear("moving")
    assert store.get_moving_window("moving", 2, 60) == (clock.now_s(), 0)
    assert (store.check(), store.reset(), len(store)) == (True, 2, 0)
