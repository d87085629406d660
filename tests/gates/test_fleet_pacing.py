"""Sources paced for a whole fleet through real stores, Redis and Valkey: by processes, and through outages."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import Clock, ManualClock, SystemClock
from core.http.pacing.group import GroupState
from core.http.pacing.shared import FORGOTTEN_AFTER_S, KEY_PREFIX, SharedPace, open_client
from core.http.pacing.stores import FleetPace
from core.http.pacing.terms import Health, Moment, Reply, Ticket, Verdict
from core.http.pacing.turns import Pacing
from core.http.rules import Pace
from tests.gates.tools import ROOT
from tests.scripted_upstream import Writer, answer
from tests.source_world import Asked, World, world_around
from tests.stores import PASSWORD, Store

pytestmark = [pytest.mark.gate, pytest.mark.anyio, pytest.mark.timeout(300)]

GAP_S = 3.0
ON_THE_WAY_S = 0.05
"""What a request may take from leaving its process to being seen here, on a busy machine."""
BODIES = {"xml": b"<feed/>", "pdf": b"%PDF-1.4", "bytes": b"\x1f\x8b", "html": b"<html></html>"}


@pytest.fixture(scope="module", params=["redis", "valkey"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(request.param, tmp_path_factory.mktemp(request.param))
    store.start()
    try:
        yield store
    finally:
        store.stop()


@pytest.fixture
def store(running: Store) -> Store:
    """The module's store, running."""
    if running.process is None:
        running.start()
    return running


def group() -> str:
    """A group that nobody else uses."""
    return f"of-a-test-{os.urandom(6).hex()}"


def patient(store: Store, clock: Clock, *, use_own_time: bool = True) -> SharedPace:
    """A store that is waited for long: what is decided must not depend on how busy the machine of the tests is."""
    return SharedPace(open_client(store.url, limit_s=10), clock, use_own_time=use_own_time, limit_s=10)


def asking(id: str, pace: Pace) -> Callable[[GroupState, Moment], Reply]:
    return lambda state, moment: state.ask(Ticket(id, id[0], pace, 25.0), moment)


def leaving(id: str, pace: Pace, verdict: Verdict) -> Callable[[GroupState, Moment], float]:
    return lambda state, moment: state.leave(Ticket(id, id[0], pace, 25.0), verdict, moment)


def near(found: Reply | float) -> object:
    """The same answer up to the rounding of two ways to add up one time."""
    if isinstance(found, Reply):
        return replace(found, after_s=pytest.approx(found.after_s, abs=1e-5), at_s=pytest.approx(found.at_s, abs=1e-5))
    return pytest.approx(found, abs=1e-5)


STEPS = st.lists(
    st.tuples(
        st.sampled_from([f"{caller}{number}" for caller in "abc" for number in range(3)]),
        st.sampled_from(["ask", "ask", "ask", "well", "failed", "throttled", "unknown"]),
        st.integers(0, 10),
    ),
    max_size=40,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS, is_arxiv=st.booleans())
async def test_a_group_in_a_store_decides_as_its_state_alone_does(
    store: Store, steps: list[tuple[str, str, int]], is_arxiv: bool
) -> None:
    name, clock = group(), ManualClock()
    pace = Pace(name, gap_s=3.0, in_flight=1, queue_max=4) if is_arxiv else Pace(name, gap_s=0.3, in_flight=2, a_day=9)
    state, shared = GroupState(), patient(store, clock)
    try:
        for id, action, tenths in steps:
            clock.advance(tenths / 10)
            step = asking(id, pace) if action == "ask" else leaving(id, pace, Verdict(Health(action)))
            alone = step(state, Moment(clock.now_s(), forgotten_after_s=FORGOTTEN_AFTER_S))
            assert await shared.change(name, step) == near(alone)
    finally:
        await shared.aclose()


async def test_of_many_that_ask_at_once_no_two_are_let_go_together(store: Store) -> None:
    # references A70
    name = group()
    pace = Pace(name, gap_s=3.0, in_flight=1, queue_max=100)
    processes = [patient(store, SystemClock(), use_own_time=False) for _ in range(4)]
    replies: list[str] = []

    async def ask(number: int) -> None:
        found = await processes[number % 4].change(name, asking(f"{number % 4}-{number}", pace))
        replies.append(found.kind)

    async with anyio.create_task_group() as tasks:
        for number in range(80):
            tasks.start_soon(ask, number)
    assert (replies.count("go"), replies.count("wait")) == (1, 79)
    for each in processes:
        await each.aclose()


async def test_clocks_of_machines_may_differ(store: Store) -> None:
    # references A70
    name = group()
    pace = Pace(name, gap_s=3.0, in_flight=1)
    ahead, behind = (patient(store, ManualClock(now_s), use_own_time=False) for now_s in (2e9, 1e9))
    assert (await ahead.change(name, asking("a", pace))).kind == "go"
    await ahead.change(name, leaving("a", pace, Verdict(Health.WELL)))
    reply = await behind.change(name, asking("b", pace))
    assert reply.kind == "wait"
    for each in (ahead, behind):
        await each.aclose()


async def test_an_outage_is_paced_through_and_the_store_learns_of_it(store: Store) -> None:
    # references A71
    name, clock = group(), ManualClock()
    pace = Pace(name, gap_s=3.0, in_flight=1, queue_max=4)
    shared = patient(store, clock)
    fleet = FleetPace(shared, clock, workers=4, process="me")
    assert (await fleet.change(name, asking("me-0", pace))).kind == "go"
    await fleet.change(name, leaving("me-0", pace, Verdict(Health.WELL)))
    store.stop()
    clock.advance(6)
    assert (await fleet.change(name, asking("me-1", pace))).kind == "wait"
    clock.advance(6)
    assert (await fleet.change(name, asking("me-1", pace))).kind == "go"
    await fleet.change(name, leaving("me-1", pace, Verdict(Health.THROTTLED, cool_s=100)))
    assert fleet.errors == 2
    store.start()
    clock.advance(5)
    others = patient(store, clock)
    other = FleetPace(others, clock, workers=4, process="other")
    assert (await fleet.change(name, asking("me-2", pace))).kind == "cooling"
    assert (await other.change(name, asking("other-0", pace))).kind == "cooling", "the other process hears of it"
    for each in (shared, others):
        await each.aclose()


async def test_what_lies_in_the_store_names_nobody_and_ends(store: Store) -> None:
    clock = SystemClock()
    shared = patient(store, clock, use_own_time=False)
    pacing = Pacing(shared, clock)
    async with pacing.turn(Pace(group(), 0.0, 1), "203.0.113.77", whole_s=5):
        lines = [line for line in store.contents().splitlines() if line.startswith(KEY_PREFIX)]
    assert lines
    for line in lines:
        assert 0 < int(line.split()[1]) <= 2 * 86_400_000
    assert "203.0.113.77" not in store.contents()
    await shared.aclose()


class Arxiv:
    """The five services as one: when each request came, and how many were under way at most."""

    def __init__(self) -> None:
        self.came_s: list[float] = []
        self.at_once = self.at_once_most = 0

    def __call__(self, asked: Asked) -> object:
        async def write(writer: Writer) -> None:
            self.came_s.append(asyncio.get_running_loop().time())
            self.at_once += 1
            self.at_once_most = max(self.at_once_most, self.at_once)
            # Long enough for a second one to be seen if it came meanwhile.
            await asyncio.sleep(0.2)
            self.at_once -= 1
            want = asked.path.rpartition("/")[2]
            if asked.path.startswith("/of/") and "/1/" in asked.path:
                await answer(b"", 302, {"location": f"/moved/{want}"})(writer)
            else:
                await answer(BODIES[want])(writer)

        return write


@contextlib.asynccontextmanager
async def arxiv() -> AsyncIterator[tuple[World, Arxiv]]:
    async with world_around() as world:
        services = Arxiv()
        world.otherwise = services
        yield world, services


async def process(store_url: str, services: str, name: str, count: int) -> list[str]:
    """What another process says of its requests."""
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.gates.asking_process",
        store_url,
        services,
        name,
        str(count),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said, complained = await running.communicate()
    assert PASSWORD.encode() not in complained
    return said.decode().split()


async def test_two_processes_keep_arxivs_gap_together_over_all_its_services(store: Store) -> None:
    # references A70
    async with arxiv() as (world, services):
        said = await asyncio.gather(
            process(store.url, world.plain_url, "one", 5), process(store.url, world.plain_url, "two", 5)
        )
    assert said == [["ok"] * 5 + ["errors=0"]] * 2
    # Each process was led on once, and a redirect is a request too.
    assert len(services.came_s) == 12
    assert services.at_once_most == 1
    assert min(later - earlier for earlier, later in pairwise(services.came_s)) > GAP_S - ON_THE_WAY_S
    assert len({path.rpartition("/")[2] for path in world.calls()}) == 4


async def test_a_process_without_its_store_keeps_its_share_of_the_gap() -> None:
    # references A71
    async with arxiv() as (world, services):
        said = await process("redis://127.0.0.1:1/0", world.plain_url, "one", 3)
    assert said[:3] == ["ok"] * 3
    assert said[3] != "errors=0"
    # Led on once: four requests, each of two workers' share of the gap apart.
    assert len(services.came_s) == 4
    assert min(later - earlier for earlier, later in pairwise(services.came_s)) > 2 * GAP_S - ON_THE_WAY_S
