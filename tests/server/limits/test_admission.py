"""Admission: slots, looks, takings of all or none, reservations, and what is freed on every way out."""

import gc
from collections.abc import Sequence

import anyio
import anyio.lowlevel
import pytest

from core.clock import ManualClock
from server.limits.admission import Limiter, Ticket
from server.limits.budgets import DAY_S, DEFAULTS, WINDOWS, Budgets, Window, share_of
from server.limits.egress import EgressTiers
from server.limits.identity import Caller, Identities
from server.limits.memory import MemoryWindows
from server.limits.refusal import LimitRefused, RateState
from server.limits.windows import Draw, WindowState
from server.peers import PeerTrust

pytestmark = pytest.mark.anyio

ONE, OTHER = Caller("ip", b"1" * 16), Caller("ip", b"2" * 16)
SEMANTIC = "catalog_semantic_per_minute"


def limiter(clock: ManualClock | None = None, *, ceiling: int = 128, **anonymous: int) -> Limiter:
    return Limiter(Budgets(anonymous=anonymous, ceiling=ceiling), MemoryWindows(clock or ManualClock()))


async def request(desk: Limiter, caller: Caller = ONE, budgets: Sequence[str] = ()) -> RateState | None:
    """One whole request; what its answer says."""
    ticket = await desk.admit(caller)
    try:
        await ticket.take(budgets)
        return ticket.rate
    finally:
        await ticket.close()


async def refusal(desk: Limiter, caller: Caller = ONE, budgets: Sequence[str] = ()) -> LimitRefused:
    with pytest.raises(LimitRefused) as caught:
        await request(desk, caller, budgets)
    return caught.value


def facts(refused: LimitRefused) -> tuple[int, str, str, int, int]:
    return refused.status, refused.code, refused.budget, refused.limit, refused.retry_after_s


def assert_nothing_is_held(desk: Limiter) -> None:
    assert (desk.slots.in_progress, len(desk.reservations)) == (0, 0)
    assert desk.slots.held_by(ONE.digest) == 0


async def test_the_sixty_first_request_is_refused_until_the_first_leaves_the_window() -> None:
    # hosting A55
    clock = ManualClock()
    desk = limiter(clock)
    for _ in range(60):
        await request(desk)
        clock.advance(0.5)
    refused = await refusal(desk)
    assert facts(refused) == (429, "rate_limit_exceeded", "per_minute", 60, 30)
    assert refused.rate == RateState(60, 0, 30)
    clock.advance(29.9)
    assert (await refusal(desk)).retry_after_s == 1
    clock.advance(0.1)
    assert await request(desk) == RateState(60, 0, 1)
    assert_nothing_is_held(desk)


async def test_whoever_waits_as_told_passes() -> None:
    # hosting A55, A61
    clock = ManualClock()
    desk = limiter(clock, per_minute=3)
    for step_s in (0.1, 7.3, 0.033):
        await request(desk)
        clock.advance(step_s)
    for _ in range(20):
        clock.advance((await refusal(desk)).retry_after_s)
        await request(desk)
        while (await desk.windows.look(ONE.digest, Draw(WINDOWS["per_minute"], 3))).frees_s == 0:  # type: ignore[union-attr]
            await request(desk)


async def test_remaining_falls_by_one_each_time_and_reset_is_that_of_the_oldest() -> None:
    # hosting A61
    clock = ManualClock()
    desk = limiter(clock, per_minute=3)
    told = []
    for _ in range(3):
        told.append(await request(desk))
        clock.advance(10)
    assert told == [RateState(3, 2, 60), RateState(3, 1, 50), RateState(3, 0, 40)]


async def test_a_hundred_refusals_cost_nothing() -> None:
    # hosting A59
    clock = ManualClock()
    desk = limiter(clock, per_minute=2)
    for _ in range(2):
        await request(desk)
    for _ in range(100):
        clock.advance(0.1)
        await refusal(desk)
    clock.advance(50)
    assert await request(desk) == RateState(2, 1, 60)


async def test_of_ten_parallel_requests_at_one_remaining_token_one_passes() -> None:
    # hosting A60
    desk = limiter(per_minute=5, concurrent=20)
    for _ in range(4):
        await request(desk)
    outcomes: list[str] = []

    async def one() -> None:
        ticket = await desk.admit(ONE)
        try:
            # All of them have looked before any of them takes.
            await anyio.lowlevel.checkpoint()
            await ticket.take()
            outcomes.append("passed")
        except LimitRefused as refused:
            outcomes.append(refused.budget)
        finally:
            await ticket.close()

    async with anyio.create_task_group() as group:
        for _ in range(10):
            group.start_soon(one)
    assert sorted(outcomes) == ["passed", *["per_minute"] * 9]
    assert_nothing_is_held(desk)


async def test_the_fifth_request_in_progress_is_refused_until_one_ends() -> None:
    # hosting A57
    desk = limiter()
    tickets = [await desk.admit(ONE) for _ in range(4)]
    refused = await refusal(desk)
    assert facts(refused) == (429, "rate_limit_exceeded", "concurrent", 4, 1)
    assert refused.rate == RateState(4, 0, 1)
    await request(desk, OTHER)
    await tickets.pop().close()
    await request(desk)
    for ticket in tickets:
        await ticket.close()
    assert_nothing_is_held(desk)


async def test_the_ceiling_for_all_is_503() -> None:
    # hosting A58
    desk = limiter(ceiling=2)
    held = [await desk.admit(ONE), await desk.admit(OTHER)]
    refused = await refusal(desk, Caller("ip", b"3" * 16))
    assert facts(refused) == (503, "server_saturated", "global", 2, 1)
    await held[0].close()
    await request(desk, Caller("ip", b"3" * 16))


def test_workers_share_the_ceiling() -> None:
    assert [share_of(128, workers) for workers in (1, 3, 128, 200)] == [128, 42, 1, 1]


async def test_slots_are_refused_before_windows_and_a_refused_request_takes_neither() -> None:
    desk = limiter(per_minute=1, concurrent=1)
    await request(desk)
    assert (await refusal(desk)).budget == "per_minute"
    assert_nothing_is_held(desk)
    held = limiter(per_minute=1, concurrent=1)
    ticket = await held.admit(ONE)
    assert (await refusal(held)).budget == "concurrent"
    await ticket.close()


async def test_a_request_that_ends_early_takes_its_token_when_it_is_closed() -> None:
    # hosting A59
    desk = limiter(per_minute=2)
    for _ in range(2):
        ticket = await desk.admit(ONE)
        await ticket.close()
        await ticket.close()
    assert (await refusal(desk)).budget == "per_minute"


async def test_a_request_settled_before_its_answer_is_not_charged_again() -> None:
    desk = limiter(per_minute=2)
    ticket = await desk.admit(ONE)
    assert ticket.rate == RateState(2, 2, 0)
    await ticket.settle()
    assert ticket.rate == RateState(2, 1, 60)
    await ticket.settle()
    await ticket.close()
    assert await request(desk) == RateState(2, 0, 60)


async def test_settling_late_at_a_full_window_lets_the_answer_go_out() -> None:
    desk = limiter(per_minute=1, concurrent=2)
    first, second = await desk.admit(ONE), await desk.admit(ONE)
    await first.settle()
    await second.settle()
    assert (first.rate, second.rate) == (RateState(1, 0, 60), RateState(1, 0, 60))
    await first.close()
    await second.close()
    assert_nothing_is_held(desk)


async def test_a_refused_tool_budget_leaves_the_window_alone_and_is_what_the_answer_tells() -> None:
    # hosting A56 (part), A59
    desk = limiter(catalog_semantic_per_minute=1)
    assert await request(desk, budgets=[SEMANTIC]) == RateState(1, 0, 60)
    ticket = await desk.admit(ONE)
    with pytest.raises(LimitRefused) as caught:
        await ticket.take([SEMANTIC])
    assert facts(caught.value) == (429, "rate_limit_exceeded", SEMANTIC, 1, 60)
    assert ticket.rate == RateState(1, 0, 60)
    await ticket.close()
    assert await request(desk) == RateState(60, 58, 60)
    assert_nothing_is_held(desk)


async def test_of_several_full_budgets_the_one_that_is_full_longest_refuses() -> None:
    clock = ManualClock()
    desk = limiter(clock, per_minute=2, catalog_semantic_per_minute=1, concurrent=9)
    await request(desk)
    clock.advance(30)
    early = await desk.admit(ONE)
    await request(desk, budgets=[SEMANTIC])
    with pytest.raises(LimitRefused) as caught:
        await early.take([SEMANTIC])
    assert facts(caught.value)[2:] == (SEMANTIC, 1, 60)


async def test_a_ticket_is_taken_once() -> None:
    ticket = await limiter().admit(ONE)
    await ticket.take()
    with pytest.raises(RuntimeError):
        await ticket.take()


async def test_a_key_has_its_own_numbers_over_those_of_all_keys() -> None:
    # hosting A68 (part)
    desk = Limiter(Budgets(key={"per_minute": 5}), MemoryWindows(ManualClock()))
    assert await request(desk, Caller("key", b"k" * 16)) == RateState(5, 4, 60)
    assert await request(desk, Caller("key", b"o" * 16, "o", {"per_minute": 7})) == RateState(7, 6, 60)
    assert desk.budgets.of(Caller("key", b"o" * 16, "o", {"concurrent": 2}))["concurrent"] == 2


async def test_every_kind_of_caller_has_the_numbers_of_the_contract() -> None:
    # hosting A66 (part)
    names = ("per_minute", SEMANTIC, "semantic_per_minute", "semantic_daily", "concurrent", "api_per_minute")
    budgets = Budgets()
    told = {kind: tuple(budgets.of(Caller(kind, b"")).get(name) for name in names) for kind in ("ip", "key", "tier")}
    assert told == {
        "ip": (60, 10, 6, 50, 4, 300),
        "key": (300, 50, 30, 1_000, 8, 3_000),
        "tier": (1_200, 200, 60, 2_000, 32, 3_000),
    }
    assert budgets.of(Caller("tag", b"")) == budgets.of(Caller("ip", b""))
    assert budgets.ceiling == 128
    assert set(DEFAULTS) == set(WINDOWS) | {"concurrent"}


async def test_windows_are_counted_apart() -> None:
    desk = limiter(per_minute=1, api_per_minute=2)
    await request(desk)
    ticket = await desk.admit(ONE, window="api_per_minute")
    await ticket.take()
    assert ticket.rate == RateState(2, 1, 60)
    await ticket.close()


async def test_a_refused_credential_costs_the_address_a_token() -> None:
    # hosting A68 (part)
    desk = limiter(per_minute=2)
    assert await desk.charge(ONE) == RateState(2, 1, 60)
    assert await desk.charge(ONE) == RateState(2, 0, 60)
    with pytest.raises(LimitRefused) as caught:
        await desk.charge(ONE)
    assert facts(caught.value) == (429, "rate_limit_exceeded", "per_minute", 2, 60)


# Metered budgets: reserved when a call begins, taken when they are owed.


async def test_parallel_calls_cannot_overrun_a_metered_budget() -> None:
    # evidence A15 (part)
    desk = limiter(concurrent=20)
    tickets: list[Ticket] = []
    refusals = []
    for _ in range(10):
        ticket = await desk.admit(ONE)
        tickets.append(ticket)
        try:
            await ticket.take(["semantic_per_minute", "semantic_daily"])
        except LimitRefused as refused:
            refusals.append(facts(refused)[2:])
    assert refusals == [("semantic_per_minute", 6, 60)] * 4
    for ticket in tickets:
        await ticket.close()
    assert_nothing_is_held(desk)
    assert (await desk.windows.look(ONE.digest, Draw(WINDOWS["semantic_per_minute"], 6))) == WindowState(0)


async def test_what_is_owed_is_taken_and_what_is_not_is_given_back() -> None:
    # evidence A17 (part)
    desk = limiter(semantic_per_minute=2)
    kept = await desk.admit(ONE)
    await kept.take(["semantic_per_minute"])
    # Nothing is owed yet, so the caller still has both.
    assert kept.rate == RateState(2, 2, 0)
    kept.owe("semantic_per_minute")
    assert kept.rate == RateState(2, 1, 60)
    await kept.close()
    given_back = await desk.admit(ONE)
    await given_back.take(["semantic_per_minute"])
    await given_back.close()
    state = await desk.windows.look(ONE.digest, Draw(WINDOWS["semantic_per_minute"], 2))
    assert state == WindowState(1, 60.0)


async def test_a_spent_day_waits_for_midnight() -> None:
    # evidence A16 (part)
    clock = ManualClock(now_s=19_000 * DAY_S + 45_200)
    desk = limiter(clock, semantic_daily=1)
    ticket = await desk.admit(ONE)
    await ticket.take(["semantic_daily"])
    ticket.owe("semantic_daily")
    await ticket.close()
    refused = await refusal(desk, budgets=["semantic_daily"])
    assert facts(refused)[2:] == ("semantic_daily", 1, 41_200)
    clock.advance(41_200)
    await request(desk, budgets=["semantic_daily"])


async def test_a_refusal_after_a_reservation_gives_it_back() -> None:
    desk = limiter(catalog_semantic_per_minute=1)
    await request(desk, budgets=[SEMANTIC])
    ticket = await desk.admit(ONE)
    with pytest.raises(LimitRefused):
        await ticket.take(["semantic_daily", SEMANTIC])
    assert len(desk.reservations) == 0
    with pytest.raises(RuntimeError):
        ticket.owe("semantic_daily")
    await ticket.close()


# Every way out


class _Waiting:
    """A store that answers when it is told to, or not at all."""

    is_down = False
    errors = 0
    identities = 0

    def __init__(self) -> None:
        self.recorded: list[str] = []
        self.may_answer = anyio.Event()

    async def look(self, digest: bytes, draw: Draw) -> WindowState | None:
        await self.may_answer.wait()
        return WindowState(0)

    async def take(self, digest: bytes, draws: Sequence[Draw]) -> tuple[bool, list[WindowState]] | None:
        await anyio.lowlevel.checkpoint()
        self.recorded += [draw.window.name for draw in draws]
        return True, [WindowState(1, 60.0) for _ in draws]

    async def record(self, digest: bytes, window: Window) -> None:
        await anyio.lowlevel.checkpoint()
        self.recorded.append(window.name)


async def test_a_request_cancelled_while_the_store_is_asked_holds_nothing() -> None:
    # hosting A35 (part)
    desk = Limiter(Budgets(), _Waiting())
    with anyio.move_on_after(0):
        await desk.admit(ONE)
    assert_nothing_is_held(desk)


async def test_a_cancelled_request_frees_its_slot_and_pays_what_it_owes() -> None:
    # hosting A35 (part)
    store = _Waiting()
    store.may_answer.set()
    desk = Limiter(Budgets(), store)

    async def call(budgets: Sequence[str]) -> None:
        ticket = await desk.admit(ONE)
        try:
            if budgets:
                await ticket.take(budgets)
                ticket.owe(budgets[0])
            scope.cancel()
            await anyio.sleep_forever()
        finally:
            await ticket.close()

    for budgets in ((), ("semantic_daily",)):
        with anyio.CancelScope() as scope:
            await call(budgets)
        assert scope.cancelled_caught
        assert_nothing_is_held(desk)
    assert store.recorded == ["per_minute", "per_minute", "semantic_daily"]


async def test_an_error_in_the_store_leaves_no_slot() -> None:
    class Broken(_Waiting):
        async def look(self, digest: bytes, draw: Draw) -> WindowState | None:
            raise ValueError

    desk = Limiter(Budgets(), Broken())
    with pytest.raises(ValueError):
        await desk.admit(ONE)
    assert_nothing_is_held(desk)


async def test_what_the_limiter_holds_names_nobody() -> None:
    # hosting A72
    desk = limiter(concurrent=64)
    of = Identities(peers=PeerTrust(), tiers=EgressTiers({}), secret=b"s" * 32)
    callers = [
        of.of_peer("203.0.113.77"),
        of.of_peer("127.0.0.1", ["198.51.100.77"]),
        of.of_peer("127.0.0.1", (), "tag-of-somebody"),
        of.of_peer("2001:db8:77:77::1"),
    ]
    for caller in callers:
        ticket = await desk.admit(caller)
        await ticket.take(["semantic_daily"])
    held = _everything_in(desk) | _everything_in(of)
    for clear in ("203.0.113.77", "198.51.100.77", "tag-of-somebody", "2001:db8:77:77"):
        assert not [text for text in held if clear.encode() in text]
    assert not [text for text in held if b"\xcb\x00\x71\x4d" in text or b"\x20\x01\x0d\xb8\x00\x77" in text]
    assert {caller.digest for caller in callers} <= held


def _everything_in(root: object) -> set[bytes]:
    """Every text and byte string that can be reached from an object's state."""
    seen: set[int] = set()
    found: set[bytes] = set()
    left = [root]
    while left:
        each = left.pop()
        if id(each) in seen or isinstance(each, type) or callable(each):
            continue
        seen.add(id(each))
        if isinstance(each, str):
            found.add(each.encode("utf-8", "replace"))
        elif isinstance(each, bytes):
            found.add(each)
        else:
            left += [other for other in gc.get_referents(each) if not isinstance(other, type(gc))]
    return found
