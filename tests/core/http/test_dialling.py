"""Resolving and dialling: every address is checked before any is dialled, and each gets its share of the time."""

import asyncio
import gc
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import anyio
import httpcore
import httpx
import pytest
import respx

from core.clock import ManualClock
from core.http.addresses import is_loopback
from core.http.client import Bounds, Broken, HttpClient, TimedOut, Timeouts
from core.http.dialling import AddressRefused, CheckedBackend, CheckedTransport, system_resolve
from core.http.opening import MEMORY_URL, open_pacing, open_wires
from core.http.polite import PoliteClient
from core.http.rules import Pace
from core.sources.configuration import SourceChoices, build_sources
from tests.listening import listening
from tests.polite_desk import CONTACT
from tests.scripted_upstream import answer
from tests.source_world import PUBLIC, World, world_around
from tests.virtual_time import InstantTime

SHORT = Timeouts(0.05, 0.05, 0.05)


class Dial(httpcore.AsyncNetworkBackend):
    """Notes what is dialled and with how much time, and never connects."""

    def __init__(self, failure: type[Exception] = httpcore.ConnectError) -> None:
        self.dialled: list[tuple[str, float | None]] = []
        self._failure = failure

    async def connect_tcp(self, host: str, port: int, timeout: float | None = None, *_: Any) -> Any:  # noqa: ASYNC109
        self.dialled.append((host, timeout))
        raise self._failure


def resolving(*addresses: str) -> Any:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return addresses

    return resolve


async def test_each_address_gets_its_share_of_the_time_until_one_takes_the_connection() -> None:
    dial = Dial(httpcore.ConnectTimeout)
    with pytest.raises(httpcore.ConnectTimeout):
        await CheckedBackend(resolving(PUBLIC, "8.8.8.8"), dial=dial).connect_tcp("a.org", 443, 4.0)
    assert [address for address, _ in dial.dialled] == [PUBLIC, "8.8.8.8"]
    shares = [share_s or 0 for _, share_s in dial.dialled]
    assert shares == [pytest.approx(2, abs=0.5), pytest.approx(4, abs=0.5)]


# references A62
@pytest.mark.parametrize("addresses", [("10.0.0.1",), (PUBLIC, "::1"), ("::1", PUBLIC)])
async def test_one_address_that_is_not_public_refuses_all(addresses: tuple[str, ...]) -> None:
    dial = Dial()
    with pytest.raises(AddressRefused):
        await CheckedBackend(resolving(*addresses), dial=dial).connect_tcp("a.org", 443)
    assert dial.dialled == []


async def test_a_name_without_an_address_cannot_be_connected_to() -> None:
    with pytest.raises(httpcore.ConnectError):
        await CheckedBackend(resolving(), dial=Dial()).connect_tcp("a.org", 443)


@pytest.mark.parametrize("failure", [OSError(), UnicodeError()])
async def test_a_resolver_that_fails_is_a_failed_connection(failure: Exception) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        raise failure

    client = HttpClient(user_agent="x", transport=CheckedTransport(CheckedBackend(resolve, dial=Dial())))
    with pytest.raises(Broken):
        await client.exchange(httpx.URL("https://a.org/"), headers={}, timeouts=SHORT, bounds=Bounds(1))


async def test_a_resolver_that_hangs_is_a_timeout() -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        await anyio.sleep_forever()
        raise AssertionError

    client = HttpClient(user_agent="x", transport=CheckedTransport(CheckedBackend(resolve, dial=Dial())))
    with pytest.raises(TimedOut):
        await client.exchange(httpx.URL("https://a.org/"), headers={}, timeouts=SHORT, bounds=Bounds(1))


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing is closed by being collected."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
async def test_a_caller_who_leaves_during_the_handshake_leaves_no_connection_behind() -> None:
    came, ended = anyio.Event(), anyio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1_000):
            came.set()
        ended.set()

    async with listening(silent) as port:
        backend = CheckedBackend(resolving("127.0.0.1"), admits=is_loopback)
        client = HttpClient(user_agent="x", transport=CheckedTransport(backend))
        target = httpx.URL(f"https://localhost:{port}/")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(partial(client.exchange, target, headers={}, timeouts=Timeouts(9, 9, 9), bounds=Bounds(1)))
            await came.wait()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(5):
            await ended.wait()
        await client.aclose()


async def test_this_machines_own_resolver_answers_addresses_for_an_address() -> None:
    assert await system_resolve("127.0.0.1", 80) == ["127.0.0.1"]


@pytest.fixture
async def world():  # type: ignore[no-untyped-def]
    async with world_around() as around:
        yield around


async def test_opened_pools_reach_a_loopback_service_and_no_other_way_inside(world: World) -> None:
    world.scripts["/a"] = answer(b"{}")
    wires = open_wires("paperdesk/9.9")
    target = httpx.URL(f"{world.plain_url}/a")
    usual = Timeouts(5, 5, 5)
    found = await wires.loopback.exchange(target, headers={}, timeouts=usual, bounds=Bounds(9))
    assert (found.status, found.body, world.asked[0].headers["user-agent"]) == (200, b"{}", "paperdesk/9.9")
    with pytest.raises(AddressRefused):
        await wires.public.exchange(target, headers={}, timeouts=usual, bounds=Bounds(9))
    with pytest.raises(AddressRefused):
        await wires.loopback.exchange(httpx.URL(f"http://{PUBLIC}/"), headers={}, timeouts=usual, bounds=Bounds(9))
    await wires.aclose()


# references A71
async def test_without_a_shared_store_each_of_several_workers_takes_its_share() -> None:
    time = InstantTime()
    opened = open_pacing(MEMORY_URL, time.clock, workers=4, sleep=time.sleep)
    pace = Pace("arxiv", gap_s=3.0, in_flight=1, queue_max=4)
    for _ in range(2):
        async with opened.pacing.turn(pace, "a", whole_s=10):
            pass
    assert (time.clock.monotonic_s(), opened.store_errors()) == (12, 0)
    await opened.aclose()


@respx.mock
async def test_an_answer_may_be_scripted_below_the_pool(respx_mock: respx.MockRouter) -> None:
    route = respx_mock.get("https://api.crossref.org/works/10.1%2Fa", params={"mailto": CONTACT}).respond(json={"a": 1})
    time = InstantTime()
    wires = open_wires("paperdesk/9.9", resolve=resolving("10.0.0.1"))
    opened = open_pacing(MEMORY_URL, time.clock, sleep=time.sleep)
    client = PoliteClient(wires, opened.pacing, ManualClock(), sleep=time.sleep)
    sources = build_sources(SourceChoices(contact=CONTACT))
    assert (await client.get(sources["crossref"], ("works", "10.1/a"))).json() == {"a": 1}
    assert route.call_count == 1
