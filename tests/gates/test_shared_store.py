"""Budgets in real stores, Redis and Valkey: exact between processes, open while the store is away."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.clock import Clock, ManualClock, SystemClock
from server.limits.admission import Limiter
from server.limits.budgets import DAY_S, WINDOWS, Budgets
from server.limits.egress import EgressTiers
from server.limits.identity import Caller, Identities
from server.limits.memory import MemoryWindows
from server.limits.refusal import LimitRefused
from server.limits.shared import KEY_PREFIX, SharedWindows, open_store
from server.limits.windows import Draw, WindowState
from server.peers import PeerTrust
from tests.stores import PASSWORD, Store, free_port

pytestmark = [pytest.mark.gate, pytest.mark.anyio, pytest.mark.timeout(300)]

MINUTE, SEMANTIC, DAILY = (WINDOWS[name] for name in ("per_minute", "catalog_semantic_per_minute", "semantic_daily"))
STEPS = st.lists(
    st.tuples(st.integers(0, 400), st.sampled_from(["look", "one", "both", "batch", "record"])), max_size=30
)


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


def patient(store: Store, clock: Clock) -> SharedWindows:
    """Windows that wait long: what is counted must not depend on how busy the machine of the tests is."""
    return SharedWindows(open_store(store.url, limit_s=10), clock, limit_s=10)


def digest() -> bytes:
    """An identity that nobody else uses."""
    return os.urandom(16)


def near(state: WindowState) -> WindowState:
    """A state as a store that reads the time since the epoch tells it."""
    return WindowState(state.counted, pytest.approx(state.reset_s, abs=1e-5), pytest.approx(state.frees_s, abs=1e-5))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(limits=st.tuples(st.integers(1, 4), st.integers(1, 3)), steps=STEPS)
async def test_windows_in_a_store_go_as_those_in_memory(
    store: Store, limits: tuple[int, int], steps: list[tuple[int, str]]
) -> None:
    clock, who = ManualClock(), digest()
    memory, shared = MemoryWindows(clock), patient(store, clock)
    one, other = Draw(MINUTE, limits[0]), Draw(SEMANTIC, limits[1])
    try:
        for tenths, action in steps:
            clock.advance(tenths / 10)
            if action == "record":
                await memory.record(who, MINUTE)
                await shared.record(who, MINUTE)
            elif action != "look":
                draws = (one,) if action == "one" else (one.of(3), other) if action == "batch" else (one, other)
                taken, states = await memory.take(who, draws)
                assert await shared.take(who, draws) == (taken, [near(state) for state in states])
            for draw in (one, other, one.of(2), one._replace(limit=0)):
                assert await shared.look(who, draw) == near(await memory.look(who, draw))
    finally:
        await shared.aclose()


async def test_tokens_lie_as_the_librarys_moving_windows_do(store: Store) -> None:
    storage = open_store(store.url, limit_s=10)
    shared, who = SharedWindows(storage, SystemClock(), limit_s=10), digest()
    for _ in range(3):
        await shared.take(who, (Draw(MINUTE, 9),))
    assert (await storage.get_moving_window(f"{who.hex()}:per_minute", 9, 60))[1] == 3
    assert [await storage.acquire_entry(f"{who.hex()}:per_minute", 4, 60) for _ in range(2)] == [True, False]
    state = await shared.look(who, Draw(MINUTE, 4))
    assert state is not None
    assert (state.counted, state.frees_s == state.reset_s > 59) == (4, True)
    await shared.aclose()


async def test_a_full_window_keeps_the_other_from_being_drawn_on(store: Store) -> None:
    # hosting A59
    clock, who = ManualClock(), digest()
    shared = patient(store, clock)
    wide, narrow = Draw(MINUTE, 9), Draw(SEMANTIC, 1)
    assert (await shared.take(who, (wide, narrow)) or ())[0] is True
    for _ in range(5):
        assert (await shared.take(who, (wide, narrow)) or ())[0] is False
    assert [await shared.look(who, draw) for draw in (wide, narrow)] == [WindowState(1, 60), WindowState(1, 60, 60)]
    await shared.aclose()


async def test_a_daily_budget_ends_at_midnight_utc(store: Store) -> None:
    clock, who = ManualClock(now_s=19_000 * DAY_S + 86_000), digest()
    shared, draw = patient(store, clock), Draw(DAILY, 2)
    assert await shared.look(who, draw) == WindowState(0)
    for expected in (WindowState(1, 400), WindowState(2, 400, 400)):
        await shared.record(who, DAILY)
        assert await shared.look(who, draw) == expected
    clock.advance(400)
    assert await shared.look(who, draw) == WindowState(0)
    await shared.aclose()


async def test_clocks_that_differ_share_one_window(store: Store) -> None:
    ahead, behind, who = ManualClock(1_700_000_003.0), ManualClock(1_700_000_000.0), digest()
    first, second = (patient(store, clock) for clock in (ahead, behind))
    draw = Draw(MINUTE, 4)
    taken = [(await windows.take(who, (draw,)) or ())[0] for windows in (first, second, first, second, first, second)]
    assert taken == [True] * 4 + [False] * 2
    assert await second.look(who, draw) == near(WindowState(4, 60, 60))
    ahead.advance(60)
    behind.advance(60)
    assert (await first.look(who, draw) or WindowState(9)).counted == 0
    await first.aclose()
    await second.aclose()


async def test_two_limiters_share_one_budget_exactly(store: Store) -> None:
    # hosting A70
    caller = Caller("ip", digest())
    windows = [patient(store, SystemClock()) for _ in range(2)]
    desks = [Limiter(Budgets(anonymous={"concurrent": 100}), each) for each in windows]
    outcomes: list[bool] = []

    async def request(desk: Limiter) -> None:
        try:
            ticket = await desk.admit(caller)
        except LimitRefused:
            outcomes.append(False)
            return
        try:
            await ticket.take()
            outcomes.append(True)
        except LimitRefused:
            outcomes.append(False)
        finally:
            await ticket.close()

    async with anyio.create_task_group() as group:
        for number in range(120):
            group.start_soon(request, desks[number % 2])
    assert sorted(outcomes) == [False] * 60 + [True] * 60
    assert [desk.slots.in_progress for desk in desks] == [0, 0]
    for each in windows:
        await each.aclose()


async def test_what_lies_in_the_store_names_nobody_and_ends_with_its_window(store: Store) -> None:
    # hosting A72
    identities = Identities(peers=PeerTrust(), tiers=EgressTiers({}), secret=b"s" * 32)
    shared = patient(store, SystemClock())
    callers = [
        identities.of_peer("203.0.113.77"),
        identities.of_peer("127.0.0.1", (), "tag-of-somebody"),
        identities.of_key("abcd1234"),
    ]
    for caller in callers:
        await shared.take(caller.digest, (Draw(MINUTE, 9), Draw(SEMANTIC, 9)))
        await shared.record(caller.digest, DAILY)
    lines = store.contents().splitlines()
    assert len(lines) >= 9
    for line in lines:
        key, ttl_ms, *_ = line.split()
        assert key.startswith(f"{KEY_PREFIX}:")
        assert 0 < int(ttl_ms) <= (DAY_S * 1000 if "daily" in key else 60_000)
    whole = "\n".join(lines)
    for clear in ("203.0.113.77", "cb00714d", "tag-of-somebody", "abcd1234"):
        assert clear not in whole
    await shared.aclose()


async def test_a_store_that_goes_and_comes_is_warned_of_once_and_holds_again(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    # hosting A70
    caplog.set_level(logging.INFO)
    clock, who = ManualClock(), digest()
    shared, draw = patient(store, clock), Draw(MINUTE, 1)
    assert await shared.take(who, (draw,)) == (True, [WindowState(1, 60, 60)])
    store.stop()
    for _ in range(3):
        assert await shared.take(who, (draw,)) is None
        assert shared.is_down
        clock.advance(5)
    assert shared.errors == 3
    store.start()
    assert await shared.take(who, (draw,)) == (True, [WindowState(1, 60, 60)])
    assert (await shared.take(who, (draw,)) or ())[0] is False
    assert not shared.is_down
    ours = [(record.levelname, record.getMessage()) for record in caplog.records if record.name.startswith("paperdesk")]
    assert ours == [
        ("WARNING", "limit_store=down error=ConnectionError windows=open"),
        ("INFO", "limit_store=up windows=closed"),
    ]
    for secret in (PASSWORD, str(store.port), "127.0.0.1"):
        assert secret not in caplog.text
    await shared.aclose()


async def test_a_store_that_stands_still_is_given_up_in_time(store: Store) -> None:
    clock, who = ManualClock(), digest()
    shared, draw = SharedWindows(open_store(store.url), clock), Draw(MINUTE, 9)
    assert await shared.look(who, draw) == WindowState(0)
    assert store.process is not None
    store.process.send_signal(signal.SIGSTOP)
    try:
        started_s = time.monotonic()
        assert await shared.look(who, draw) is None
        assert time.monotonic() - started_s < 0.5
        assert await shared.look(who, draw) is None
    finally:
        store.process.send_signal(signal.SIGCONT)
    clock.advance(5)
    assert await shared.look(who, draw) == WindowState(0)
    assert shared.errors == 1
    await shared.aclose()


async def test_a_question_that_was_cancelled_leaves_its_answer_to_nobody_else(store: Store) -> None:
    shared, full, free = patient(store, ManualClock()), digest(), digest()
    draw = Draw(MINUTE, 1)
    assert (await shared.take(full, (draw,)) or ())[0] is True
    assert store.process is not None
    store.process.send_signal(signal.SIGSTOP)
    try:
        with anyio.move_on_after(0.05) as scope:
            await shared.look(full, draw)
    finally:
        store.process.send_signal(signal.SIGCONT)
    assert scope.cancelled_caught
    assert [await shared.look(who, draw) for who in (free, full, free)] == [
        WindowState(0),
        WindowState(1, 60, 60),
        WindowState(0),
    ]
    await shared.aclose()


async def test_a_wrong_password_opens_the_windows_and_is_not_logged(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    shared = SharedWindows(open_store(store.url.replace(PASSWORD, "planted-wrong-one")), ManualClock())
    assert await shared.look(digest(), Draw(MINUTE, 1)) is None
    assert "error=AuthenticationError" in caplog.text
    assert "planted" not in caplog.text
    await shared.aclose()


# Real processes


@dataclass(frozen=True, slots=True)
class Served:
    client: httpx.Client
    log: Path

    def post(self, tag: str) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        return self.client.post("/mcp", json=body, headers={"X-PwC-MCP-Client": tag})

    def outages(self, error: str) -> int:
        """How many outages of one kind the log tells of."""
        return self.log.read_text().count(f"] limit_store=down error={error} windows=open\n")

    def said(self, text: str, wanted: int) -> int:
        """How often the log says something, once it says it as often as wanted or five seconds have passed."""
        ends_s = time.monotonic() + 5
        while (count := self.log.read_text().count(text)) < wanted and time.monotonic() < ends_s:
            time.sleep(0.05)
        return count


@contextmanager
def serving(catalog: Path, url: str, log: Path) -> Iterator[Served]:
    """A process of the service that counts in the store; it ends by its id."""
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAPERDESK_", "PWC_"))}
    environment = {
        **kept,
        "PAPERDESK_EMBEDDER": "none",
        "PAPERDESK_CURSOR_KEYS": "k" * 32,
        "PAPERDESK_IDENTITY_KEY": "i" * 32,
        "PAPERDESK_LIMITS_URL": url,
    }
    command = [sys.executable, "-m", "server", "serve", "--port", str(port), "--catalog", f"file:{catalog}"]
    with log.open("w") as sink:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=sink)
    try:
        transport = httpx.HTTPTransport(retries=8)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", transport=transport, timeout=10) as client:
            client.get("/health").raise_for_status()
            yield Served(client, log)
    finally:
        process.terminate()
        process.wait(70)


def passed(desks: Sequence[Served], tag: str, count: int) -> int:
    """How many of so many requests, to the processes in turn, are served; the others are refused by `per_minute`."""
    answers = [desks[number % len(desks)].post(tag) for number in range(count)]
    refused = [answer for answer in answers if answer.status_code != 200]
    assert {(answer.status_code, answer.json()["budget"]) for answer in refused} <= {(429, "per_minute")}
    return count - len(refused)


def passed_by_the_store(desks: Sequence[Served], tag: str, count: int) -> int:
    """As `passed`, of a round in which the store was never given up as too slow.

    It has a tenth of a second, and a busy machine may stand still for longer.
    """
    for attempt in range(5):
        slow = [desk.outages("TimeoutError") for desk in desks]
        found = passed(desks, f"{tag}-{attempt}", count)
        if [desk.outages("TimeoutError") for desk in desks] == slow:
            return found
        for desk in desks:
            until_counted(desk, tag, 20)
    raise AssertionError("the machine is too busy to ask a store in time")


def until_counted(desk: Served, tag: str, limit_s: float) -> float:
    """Asks until answers say what is left again; how long that took."""
    started_s = time.monotonic()
    number = 0
    while time.monotonic() - started_s < limit_s:
        number += 1
        if "ratelimit-remaining" in desk.post(f"{tag}-probe-{number}").headers:
            return time.monotonic() - started_s
        time.sleep(0.1)
    raise AssertionError(f"windows did not hold again within {limit_s} s")


def test_two_processes_share_a_budget_through_an_outage(store: Store, sample_directory: Path, tmp_path: Path) -> None:
    # hosting A70, 7.6
    with (
        serving(sample_directory, store.url, tmp_path / "one.log") as one,
        serving(sample_directory, store.url, tmp_path / "other.log") as other,
    ):
        desks = (one, other)
        assert passed_by_the_store(desks, "before", 120) == 60
        slow = [desk.outages("TimeoutError") for desk in desks]
        store.stop()
        assert passed(desks, "down", 120) == 120
        assert "ratelimit-limit" not in one.post("down").headers
        assert [desk.outages("ConnectionError") for desk in desks] == [1, 1]
        store.start()
        for desk in desks:
            until_counted(desk, "again", 20)
        assert [desk.outages("ConnectionError") for desk in desks] == [1, 1]
        assert passed_by_the_store(desks, "after", 120) == 60
        for desk, before in zip(desks, slow, strict=True):
            # A warning is written at once, a line that is none a moment later.
            down = desk.log.read_text().count("limit_store=down")
            up = desk.said("limit_store=up windows=closed", down)
            text = desk.log.read_text()
            assert down == up == 1 + desk.outages("TimeoutError") >= 1 + before
            assert PASSWORD not in text and str(store.port) not in text
