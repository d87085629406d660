"""Where groups are kept: this process, a fleet's store, and what happens when that one falls silent and comes back."""

import asyncio
import logging
import socket
from collections.abc import Callable

import pytest

from core.errors import OperatorError
from core.http.opening import open_pacing
from core.http.pacing.group import GroupState
from core.http.pacing.shared import SharedPace, open_client
from core.http.pacing.stores import FleetPace, MemoryPace, Step, StoreDown, T
from core.http.pacing.terms import Health, Moment, Reply, Ticket, Verdict
from core.http.rules import Pace
from tests.listening import listening
from tests.virtual_time import VirtualTime

ARXIV = Pace("arxiv", gap_s=3.0, in_flight=1, queue_max=4)
DAILY = Pace("unpaywall", gap_s=0.2, in_flight=3, a_day=8)
WELL = Verdict(Health.WELL)


class Shelf:
    """A fleet's store in memory that can be made to fall silent; its clock is its own."""

    def __init__(self, time: VirtualTime, *, ahead_s: float = 0.0) -> None:
        self.is_silent = False
        self.states: dict[str, GroupState] = {}
        self.questions = 0
        self._time = time
        self._ahead_s = ahead_s

    def moment(self) -> Moment:
        return Moment(self._time.clock.now_s() + self._ahead_s)

    async def change(self, group: str, step: Step[T]) -> T:
        self.questions += 1
        if self.is_silent:
            raise StoreDown
        return step(self.states.setdefault(group, GroupState()), self.moment())

    def seen(self, group: str) -> tuple[GroupState, float] | None:
        return (self.states[group], -self._ahead_s) if group in self.states else None


@pytest.fixture
def shelf(time: VirtualTime) -> Shelf:
    return Shelf(time, ahead_s=1_000)


@pytest.fixture
def fleet(shelf: Shelf, time: VirtualTime) -> FleetPace:
    return FleetPace(shelf, time.clock, workers=4, process="me")


def asking(id: str, pace: Pace = ARXIV) -> Callable[[GroupState, Moment], Reply]:
    return lambda state, moment: state.ask(Ticket(id, id, pace, 25.0), moment)


def leaving(id: str, verdict: Verdict = WELL, pace: Pace = ARXIV) -> Callable[[GroupState, Moment], float]:
    return lambda state, moment: state.leave(Ticket(id, id, pace, 25.0), verdict, moment)


async def start_at(store: FleetPace, id: str, time: VirtualTime, pace: Pace = ARXIV) -> float:
    """When a request starts, asking every half second."""
    while (await store.change(pace.group, asking(id, pace))).kind != "go":
        time.clock.advance(0.5)
    return time.clock.monotonic_s()


# references A71
async def test_with_the_store_silent_each_of_four_processes_keeps_twelve_seconds(
    fleet: FleetPace, shelf: Shelf, time: VirtualTime
) -> None:
    shelf.is_silent = True
    starts = []
    for number in range(3):
        starts.append(await start_at(fleet, f"me-{number}", time))
        await fleet.change("arxiv", leaving(f"me-{number}"))
    assert starts == [0, 12, 24]
    assert (fleet.errors, fleet.is_down) == (5, True), "asked again every five seconds, and each silence is counted"


# references A71
async def test_a_store_that_cannot_be_reached_is_counted_and_paced_without(
    time: VirtualTime, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    opened = open_pacing(f"redis://:SECRET@127.0.0.1:{port}/0", time.clock, workers=4, sleep=time.sleep)
    async with opened.pacing.turn(ARXIV, "a", whole_s=10):
        assert opened.store_errors() == 1
    await opened.aclose()
    lines = [record.getMessage() for record in caplog.records if record.name == "paperdesk.pacing"]
    assert lines == ["pace_store=down error=ConnectionError"]
    assert all("SECRET" not in record.getMessage() for record in caplog.records)


async def test_what_the_store_knew_holds_on_when_it_falls_silent(
    fleet: FleetPace, shelf: Shelf, time: VirtualTime
) -> None:
    await fleet.change("arxiv", asking("me-0"))
    await shelf.change("arxiv", lambda state, moment: state.leases.update(other=moment.now_s + 25))
    time.clock.advance(2)
    shelf.is_silent = True
    assert (await fleet.change("arxiv", asking("me-1"))).kind == "wait", "our own is still under way"
    await fleet.change("arxiv", leaving("me-0"))
    assert await start_at(fleet, "me-1", time) == 12, (
        "twelve seconds after our last start, the other's slot not counted"
    )


async def test_a_cool_down_holds_on_in_both_directions(fleet: FleetPace, shelf: Shelf, time: VirtualTime) -> None:
    await fleet.change("arxiv", asking("me-0"))
    await fleet.change("arxiv", leaving("me-0", Verdict(Health.THROTTLED, cool_s=100)))
    shelf.is_silent = True
    time.clock.advance(10)
    reply = await fleet.change("arxiv", asking("me-1"))
    assert (reply.kind, round(reply.after_s, 3)) == ("cooling", 90)
    time.clock.advance(90)
    assert (await fleet.change("arxiv", asking("me-2"))).kind == "go"
    await fleet.change("arxiv", leaving("me-2", Verdict(Health.THROTTLED, cool_s=200)))
    shelf.is_silent = False
    time.clock.advance(10)
    reply = await fleet.change("arxiv", asking("me-3"))
    assert (reply.kind, round(reply.after_s, 3)) == ("cooling", 190)
    assert shelf.states["arxiv"].cool_until_s == pytest.approx(shelf.moment().now_s + 190)


async def test_a_store_that_comes_back_learns_what_was_started_without_it(
    fleet: FleetPace, shelf: Shelf, time: VirtualTime, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "paperdesk.pacing")
    shelf.is_silent = True
    await fleet.change("arxiv", asking("me-0"))
    shelf.is_silent = False
    time.clock.advance(4)
    assert (await fleet.change("arxiv", asking("me-1"))).kind == "wait", "a silent store is left alone for a while"
    assert shelf.states == {}
    time.clock.advance(1)
    assert (await fleet.change("arxiv", asking("me-1"))).kind == "wait", "what started without it is under way"
    assert list(shelf.states["arxiv"].leases) == ["me-0"]
    await fleet.change("arxiv", leaving("me-0"))
    assert (await fleet.change("arxiv", asking("me-1"))).kind == "go"
    assert [record.getMessage() for record in caplog.records] == ["pace_store=down error=StoreDown", "pace_store=up"]
    assert (fleet.errors, fleet.is_down) == (1, False)


async def test_starts_of_the_day_are_added_up_and_shared_out(fleet: FleetPace, shelf: Shelf, time: VirtualTime) -> None:
    async def start(id: str) -> str:
        time.clock.advance(6)
        reply = await fleet.change("unpaywall", asking(id, DAILY))
        await fleet.change("unpaywall", leaving(id, pace=DAILY))
        return reply.kind

    assert [await start("me-0"), await start("me-1")] == ["go", "go"]
    shelf.is_silent = True
    assert [await start("me-2"), await start("me-3"), await start("me-4")] == ["go", "go", "spent"]
    shelf.is_silent = False
    assert await start("me-5") == "go"
    assert shelf.states["unpaywall"].day_count == 5


async def test_groups_that_have_been_quiet_are_forgotten(time: VirtualTime) -> None:
    store = MemoryPace(time.clock)
    for number in range(2_000):
        pace = Pace(f"host:{number}", gap_s=1.0, in_flight=1)
        await store.change(pace.group, asking("a", pace))
        await store.change(pace.group, leaving("a", pace=pace))
        time.clock.advance(10)
    assert len(store) <= 512


@pytest.mark.parametrize("url", ["http://localhost", "memory", "redis"])
def test_an_address_that_no_store_has_is_refused_with_the_form_of_one_that_may(url: str) -> None:
    with pytest.raises(OperatorError, match=r"redis://host:6379/0"):
        open_client(url)


def test_a_port_that_is_none_is_refused() -> None:
    with pytest.raises(OperatorError, match="cannot be read"):
        open_client("redis://127.0.0.1:port/0")


async def test_a_store_that_stands_still_is_asked_twice_and_given_up_in_time(time: VirtualTime) -> None:
    questions: list[bytes] = []

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while read := await reader.read(1_000):
            questions.append(read)

    async with listening(silent) as port:
        shared = SharedPace(open_client(f"redis://127.0.0.1:{port}/0", limit_s=0.05), time.clock, limit_s=0.05)
        with pytest.raises(StoreDown) as caught:
            await shared.change("arxiv", asking("a"))
        await shared.aclose()
    assert isinstance(caught.value.__cause__, TimeoutError)
    assert len(questions) >= 2


async def test_an_unknown_group_has_not_been_seen(time: VirtualTime) -> None:
    assert SharedPace(open_client("redis://127.0.0.1:1/0"), time.clock).seen("arxiv") is None
