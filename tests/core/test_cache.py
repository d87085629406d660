"""The tiered cache: sharing loads, standing in for failures, bounds and counters."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from core.cache import Answer, Counters, Sized, Tier, TierCache
from core.clock import ManualClock
from core.errors import (
    InvalidInput,
    NotFound,
    PaperdeskError,
    SourceMalformed,
    SourceRateLimited,
    SourceTimeout,
    SourceUnreachable,
)

TIER = Tier("search", fresh_s=60, max_entries=4, max_bytes=1000, stale_s=600)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Upstream:
    """Answers with what it is told to, after its gate opens; counts its calls."""

    def __init__(self, answer: str | Exception = "answer") -> None:
        self.answer = answer
        self.calls = 0
        self.cancelled = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> str:
        self.calls += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def cache_of(tier: Tier = TIER, clock: ManualClock | None = None) -> TierCache[str]:
    return TierCache(tier, clock or ManualClock(), len)


async def settle() -> None:
    """Lets every task that can run do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_hundred_concurrent_equal_misses_make_one_load() -> None:
    # catalog A80
    cache, upstream = cache_of(), Upstream()
    upstream.gate.clear()
    waiting = [asyncio.create_task(cache.get("k", upstream)) for _ in range(100)]
    await settle()
    upstream.gate.set()
    assert await asyncio.gather(*waiting) == [Answer("answer")] * 100
    assert upstream.calls == 1
    assert cache.counters() == Counters(hits=0, misses=1, joined=99, stale=0, evictions=0, entries=1, bytes=6)


async def test_failure_reaches_all_waiters_and_is_not_remembered() -> None:
    # catalog A80
    cache, upstream = cache_of(), Upstream(SourceUnreachable("down", source="catalog"))
    upstream.gate.clear()
    waiting = [asyncio.create_task(cache.get("k", upstream)) for _ in range(10)]
    await settle()
    upstream.gate.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(result) for result in results] == [SourceUnreachable] * 10
    assert upstream.calls == 1
    upstream.answer = "back"
    assert await cache.get("k", upstream) == Answer("back")
    assert upstream.calls == 2


async def test_different_keys_load_side_by_side() -> None:
    cache, upstream = cache_of(), Upstream()
    upstream.gate.clear()
    waiting = [asyncio.create_task(cache.get(key, upstream)) for key in ("a", "b")]
    await settle()
    assert upstream.calls == 2
    upstream.gate.set()
    await asyncio.gather(*waiting)


async def test_waiter_that_gives_up_leaves_the_load_to_the_others() -> None:
    cache, upstream = cache_of(), Upstream()
    upstream.gate.clear()
    first = asyncio.create_task(cache.get("k", upstream))
    await settle()
    second = asyncio.create_task(cache.get("k", upstream))
    await settle()
    first.cancel()
    await settle()
    upstream.gate.set()
    assert await second == Answer("answer")
    assert first.cancelled()
    assert (upstream.calls, upstream.cancelled) == (1, 0)


async def test_last_waiter_to_give_up_ends_the_load() -> None:
    cache, upstream = cache_of(), Upstream()
    upstream.gate.clear()
    before = asyncio.all_tasks()
    waiting = [asyncio.create_task(cache.get("k", upstream)) for _ in range(3)]
    await settle()
    for task in waiting:
        task.cancel()
    await settle()
    assert upstream.cancelled == 1
    assert asyncio.all_tasks() == before
    upstream.gate.set()
    assert await cache.get("k", upstream) == Answer("answer")
    assert upstream.calls == 2


async def test_new_caller_does_not_join_a_load_that_was_given_up() -> None:
    cache, upstream = cache_of(), Upstream()
    upstream.gate.clear()
    first = asyncio.create_task(cache.get("k", upstream))
    await settle()
    first.cancel()
    second = asyncio.create_task(cache.get("k", upstream))
    await settle()
    upstream.gate.set()
    assert await second == Answer("answer")


async def test_new_caller_does_not_join_a_load_that_has_just_failed() -> None:
    cache, upstream = cache_of(), Upstream("second")
    later: list[asyncio.Task[Answer[str]]] = []

    async def fail() -> str:
        # The second caller comes after the load has ended and before the first caller hears of it.
        asyncio.get_running_loop().call_soon(lambda: later.append(asyncio.create_task(cache.get("k", upstream))))
        raise SourceUnreachable("down", source="catalog")

    with pytest.raises(SourceUnreachable):
        await cache.get("k", fail)
    assert await later[0] == Answer("second")
    assert cache.counters().misses == 2


@pytest.mark.parametrize(("fresh_s", "name"), [(60, "search"), (600, "taxonomy"), (300, "record"), (30, "negative")])
async def test_entry_is_loaded_again_when_its_time_is_over(fresh_s: int, name: str) -> None:
    # catalog A81
    clock = ManualClock()
    cache, upstream = cache_of(Tier(name, fresh_s, 10, 1000), clock), Upstream()
    await cache.get("k", upstream)
    clock.advance(fresh_s - 0.001)
    await cache.get("k", upstream)
    assert upstream.calls == 1
    clock.advance(0.001)
    await cache.get("k", upstream)
    assert upstream.calls == 2


async def test_tier_without_expiry_keeps_its_entries() -> None:
    clock = ManualClock()
    cache, upstream = cache_of(Tier("taxonomy", None, 10, 1000), clock), Upstream()
    await cache.get("k", upstream)
    clock.advance(10 * 365 * 86400)
    assert await cache.get("k", upstream) == Answer("answer")
    assert upstream.calls == 1


@pytest.mark.parametrize(
    "failure",
    [
        SourceTimeout("slow", source="catalog"),
        SourceRateLimited("busy", source="catalog", retry_after_s=7),
        SourceUnreachable("down", source="catalog"),
    ],
)
async def test_stale_entry_stands_in_for_a_passing_failure(failure: PaperdeskError) -> None:
    # catalog A83
    clock = ManualClock()
    cache, upstream = cache_of(clock=clock), Upstream("old")
    await cache.get("k", upstream)
    upstream.answer = failure
    clock.advance(60 + 300)
    answer = await cache.get("k", upstream)
    assert (answer, answer.is_stale) == (Answer("old", stale_age_s=360.0), True)
    assert cache.counters().stale == 1
    clock.advance(300)
    with pytest.raises(type(failure)):
        await cache.get("k", upstream)


@pytest.mark.parametrize(
    "failure", [NotFound("gone"), InvalidInput("bad"), SourceMalformed("odd", source="catalog"), ZeroDivisionError()]
)
async def test_stale_entry_never_hides_a_lasting_failure(failure: Exception) -> None:
    # catalog A83
    clock = ManualClock()
    cache, upstream = cache_of(clock=clock), Upstream("old")
    await cache.get("k", upstream)
    upstream.answer = failure
    clock.advance(61)
    with pytest.raises(type(failure)):
        await cache.get("k", upstream)


async def test_tier_without_stale_window_raises_the_failure() -> None:
    clock = ManualClock()
    cache, upstream = cache_of(Tier("markdown", 3600, 10, 1000), clock), Upstream("old")
    await cache.get("k", upstream)
    upstream.answer = SourceTimeout("slow", source="catalog")
    clock.advance(3600)
    with pytest.raises(SourceTimeout):
        await cache.get("k", upstream)


def fixed(value: str | Sized[str]) -> Callable[[], Awaitable[str | Sized[str]]]:
    async def load() -> str | Sized[str]:
        return value

    return load


async def test_least_recently_used_entry_leaves_when_there_are_too_many() -> None:
    cache = cache_of()
    for key in "abcd":
        await cache.get(key, fixed(key))
    await cache.get("a", fixed("unused"))
    await cache.get("e", fixed("e"))
    assert [cache.peek(key) for key in "abcde"] == [Answer("a"), None, Answer("c"), Answer("d"), Answer("e")]
    assert (cache.counters().evictions, cache.counters().entries) == (1, 4)


async def test_filling_a_tier_past_its_bytes_evicts_from_that_tier_only() -> None:
    # catalog A82
    taxonomy, search = cache_of(Tier("taxonomy", 600, 100, 1000)), cache_of(Tier("search", 60, 100, 1000))
    await taxonomy.get("areas", fixed("x" * 200))
    for number in range(10):
        await search.get(number, fixed("x" * 200))
    assert search.counters() == Counters(hits=0, misses=10, joined=0, stale=0, evictions=5, entries=5, bytes=1000)
    assert search.peek(4) is None
    assert search.peek(5) == Answer("x" * 200)
    assert taxonomy.counters().evictions == 0
    assert taxonomy.peek("areas") == Answer("x" * 200)


async def test_entry_over_a_quarter_of_the_bytes_is_answered_and_not_kept() -> None:
    cache = cache_of()
    await cache.get("small", fixed("x" * 250))
    assert await cache.get("big", fixed("x" * 251)) == Answer("x" * 251)
    assert cache.peek("big") is None
    assert cache.counters().bytes == 250


async def test_loader_may_state_the_size_of_its_value() -> None:
    cache = cache_of()
    assert await cache.get("k", fixed(Sized("tiny", 240))) == Answer("tiny")
    assert cache.counters().bytes == 240
    assert await cache.get("l", fixed(Sized("tiny", 251))) == Answer("tiny")
    assert cache.peek("l") is None


async def test_put_replaces_and_forget_drops() -> None:
    cache = cache_of()
    cache.put("k", "first")
    cache.put("k", "second")
    assert await cache.get("k", fixed("unused")) == Answer("second")
    assert cache.counters().bytes == 6
    cache.forget("k")
    cache.forget("k")
    assert cache.peek("k") is None
    assert cache.counters() == Counters(hits=1, misses=0, joined=0, stale=0, evictions=0, entries=0, bytes=0)


async def test_none_is_remembered_like_any_other_value() -> None:
    cache: TierCache[None] = TierCache(TIER, ManualClock(), lambda value: 8)
    calls = 0

    async def find() -> None:
        nonlocal calls
        calls += 1

    assert [await cache.get("k", find) for _ in range(2)] == [Answer(None)] * 2
    assert calls == 1
