"""Waiting for one's turn, in many tasks over one time: order, room for each caller, and places that are given back."""

import asyncio
from dataclasses import dataclass, field

import anyio
import pytest

from core.http.pacing.callers import Callers
from core.http.pacing.group import GroupState
from core.http.pacing.stores import MemoryPace
from core.http.pacing.terms import Health, Reply, Verdict
from core.http.pacing.turns import Pacing, TurnedAway
from core.http.rules import Pace
from tests.virtual_time import VirtualTime

ARXIV = Pace("arxiv", gap_s=3.0, in_flight=1, queue_max=4)
DATACITE = Pace("datacite", gap_s=0.3, in_flight=2)
WELL = Verdict(Health.WELL)
FAST = Pace("fast", gap_s=0.0, in_flight=100)


@dataclass
class Office:
    """Requests by name, as they start and end; each goes on until it is told to finish."""

    time: VirtualTime
    pacing: Pacing
    started: list[tuple[str, float]] = field(default_factory=list)
    turned_away: dict[str, Reply] = field(default_factory=dict)
    endings: dict[str, anyio.Event] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    async def run(self, name: str, caller: str, pace: Pace, verdict: Verdict) -> None:
        try:
            async with self.pacing.turn(pace, caller, whole_s=20) as turn:
                self.started.append((name, round(self.time.clock.monotonic_s(), 3)))
                await self.endings[name].wait()
                await turn.leave(verdict)
        except TurnedAway as turned:
            self.turned_away[name] = turned.reply

    async def ask(self, name: str, caller: str = "", pace: Pace = ARXIV, verdict: Verdict = WELL) -> None:
        self.endings[name] = anyio.Event()
        self.tasks[name] = asyncio.create_task(self.run(name, caller or name, pace, verdict))
        await self.time.settle()

    async def end(self, name: str) -> None:
        self.endings[name].set()
        await self.time.settle()

    def names(self) -> list[str]:
        return [name for name, _ in self.started]

    async def close(self) -> None:
        for task in self.tasks.values():
            task.cancel()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


@pytest.fixture
async def office(time: VirtualTime):  # type: ignore[no-untyped-def]
    opened = Office(time, Pacing(MemoryPace(time.clock), time.clock, sleep=time.sleep))
    yield opened
    await opened.close()


# references A72
async def test_of_six_callers_at_once_one_starts_four_wait_and_the_sixth_is_turned_away_at_once(
    office: Office, time: VirtualTime
) -> None:
    for name in "abcdef":
        await office.ask(name)
    assert (office.names(), list(office.turned_away)) == (["a"], ["f"])
    assert office.turned_away["f"].after_s == pytest.approx(15)
    for name in "abcde":
        await office.end(name)
        await time.pass_by(3)
    assert office.started == [("a", 0), ("b", 3), ("c", 6), ("d", 9), ("e", 12)]


# references A72
async def test_two_clients_with_four_and_one_waiting_calls_are_served_in_turn(
    office: Office, time: VirtualTime
) -> None:
    await office.ask("0", "other")
    for name, caller in (("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b")):
        await office.ask(name, caller)
    for name in ("0", "a1", "b1", "a2", "a3"):
        assert office.names()[-1] == name
        await office.end(name)
        await time.pass_by(3)


async def test_a_slot_that_comes_free_is_taken_at_once(office: Office, time: VirtualTime) -> None:
    for name in "abc":
        await office.ask(name, pace=DATACITE)
    await time.pass_by(5)
    assert office.names() == ["a", "b"]
    await office.end("a")
    assert office.started[-1] == ("c", 5)


# references A68
async def test_who_waits_hears_of_a_cool_down_at_once(office: Office) -> None:
    await office.ask("a", verdict=Verdict(Health.THROTTLED, cool_s=60))
    await office.ask("b")
    await office.end("a")
    assert office.turned_away == {"b": Reply("cooling", 60)}


async def test_one_that_gives_up_waiting_leaves_its_place_to_the_next(office: Office, time: VirtualTime) -> None:
    for name in "abc":
        await office.ask(name)
    office.tasks["b"].cancel()
    await office.end("a")
    await time.pass_by(3)
    assert office.started == [("a", 0), ("c", 3)]


async def test_one_that_is_cancelled_under_way_gives_its_slot_back(office: Office, time: VirtualTime) -> None:
    await office.ask("a")
    await office.ask("b")
    office.tasks["a"].cancel()
    await time.pass_by(3)
    assert office.started == [("a", 0), ("b", 3)]


async def test_a_redirect_waits_for_the_gap_and_goes_before_who_waits(time: VirtualTime) -> None:
    pacing = Pacing(MemoryPace(time.clock), time.clock, sleep=time.sleep)
    starts: list[tuple[str, float]] = []

    async def hopping() -> None:
        async with pacing.turn(ARXIV, "a", whole_s=20) as turn:
            await turn.again(ARXIV)
            starts.append(("hop", time.clock.monotonic_s()))

    async def plain() -> None:
        async with pacing.turn(ARXIV, "b", whole_s=20):
            starts.append(("plain", time.clock.monotonic_s()))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hopping)
        await time.settle()
        tasks.start_soon(plain)
        await time.pass_by(10)
    assert starts == [("hop", pytest.approx(3)), ("plain", pytest.approx(6))]


# references A70
async def test_the_gap_counts_from_when_a_request_left_and_not_from_when_it_was_let_go(time: VirtualTime) -> None:
    pacing = Pacing(MemoryPace(time.clock), time.clock, sleep=time.sleep)
    async with pacing.turn(ARXIV, "a", whole_s=20) as turn:
        # A connection that takes its time to be made.
        time.clock.advance(1.5)
        turn.sent()
        time.clock.advance(0.5)
    async with anyio.create_task_group() as tasks:
        starts: list[float] = []

        async def next_one() -> None:
            async with pacing.turn(ARXIV, "b", whole_s=20):
                starts.append(time.clock.monotonic_s())

        tasks.start_soon(next_one)
        await time.pass_by(10)
    assert starts == [pytest.approx(4.5)]


async def test_a_redirect_into_another_group_leaves_the_first(time: VirtualTime) -> None:
    store = MemoryPace(time.clock)
    pacing = Pacing(store, time.clock, sleep=time.sleep)
    async with pacing.turn(ARXIV, "a", whole_s=20) as turn:
        await turn.again(DATACITE)
        held = [store.change_now(group, _leases) for group in ("arxiv", "datacite")]
    after = [store.change_now(group, _leases) for group in ("arxiv", "datacite")]
    assert (held, after) == ([0, 1], [0, 0])


def _leases(state: GroupState, moment: object) -> int:
    return len(state.leases)


async def test_a_caller_has_five_under_way_and_others_are_not_held_back(office: Office) -> None:
    for number in range(6):
        await office.ask(f"a{number}", "a", FAST)
    await office.ask("b", "b", FAST)
    assert office.names() == ["a0", "a1", "a2", "a3", "a4", "b"]


async def test_a_caller_starts_five_in_any_second(office: Office, time: VirtualTime) -> None:
    for number in range(12):
        await office.ask(f"a{number}", "a", FAST)
        await office.end(f"a{number}")
    await time.pass_by(0.999)
    assert len(office.started) == 5
    await time.pass_by(3)
    assert [at for _, at in office.started] == [0] * 5 + [1] * 5 + [2] * 2


async def test_callers_are_told_apart_in_the_store_and_not_named(time: VirtualTime) -> None:
    store = MemoryPace(time.clock)
    office = Office(time, Pacing(store, time.clock, sleep=time.sleep, process="p"))
    await office.ask("a")
    await office.ask("b", "203.0.113.9")
    state = store.change_now("arxiv", lambda state, moment: state)
    assert "203.0.113.9" not in str(state.to_json())
    assert [each.id for each in state.queue] == ["p-1"]
    await office.close()


async def test_callers_that_are_gone_are_forgotten(time: VirtualTime) -> None:
    callers = Callers(time.clock, time.sleep)
    async with callers.turn("stays"):
        for number in range(3_000):
            time.clock.advance(2)
            async with callers.turn(str(number)):
                pass
        assert len(callers) <= 1_001
        held = [callers.turn("stays") for _ in range(4)]
        for each in held:
            await each.__aenter__()
        with anyio.move_on_after(0) as scope:
            await callers.turn("stays").__aenter__()
        assert scope.cancelled_caught, "five of one who stayed are still counted"
        for each in held:
            await each.__aexit__(None, None, None)
