"""Readiness as probes find it, without anyone polling; and whose request ids are kept."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from core.clock import Clock, ManualClock, SystemClock
from server import __version__, readiness
from server.answers import Answer, send_answer
from server.app import create_app
from server.bootstrap import compose, front_of, open_catalog
from server.middleware.outgoing import Outgoing
from server.middleware.request_id import RequestIds
from server.peers import PeerTrust
from server.readiness import PROBE_LIMIT_S, STALE_AFTER_S, Readiness
from server.settings import parse_settings
from tests.scripted_upstream import answer, page, scripted, silence
from tests.waiting import until

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def serving(catalog_url: str, clock: Clock) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the whole service while its probes run, under a host name that is not on the list."""
    overrides = {"catalog_url": catalog_url, "embedder": "none"}
    settings = parse_settings({}, overrides=overrides, serving=False)
    app = create_app(compose(settings, open_catalog(settings), clock), front_of(settings))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://probe.example") as client,
    ):
        yield client


async def state(client: httpx.AsyncClient) -> tuple[int, Any]:
    found = await client.get("/health")
    return found.status_code, found.json().get("reason")


async def test_health_of_a_catalog_that_lies_here_is_good_from_the_start(odd_directory: Path) -> None:
    # hosting A9
    async with serving(f"file:{odd_directory}", SystemClock()) as client:
        found = await client.get("/health")
        body = found.json()
        catalog = body.pop("catalog")
        assert (found.status_code, found.headers["cache-control"]) == (200, "no-store")
        assert body == {"status": "ok", "service": "paperdesk", "version": __version__, "protocol": "2025-11-25"}
        assert (catalog["backend"], set(catalog)) == ("file", {"backend", "build", "age_s"})
        # A probe by address needs no host name; what is for readers does.
        assert (await client.get("/docs")).status_code == 421


async def test_health_over_a_dead_upstream_says_that_it_is_the_catalog() -> None:
    # hosting A9
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    async with serving(f"http://127.0.0.1:{port}/api/v1", SystemClock()) as client:
        await until(lambda: is_(client, (503, "catalog")))
        found = await client.get("/health")
    assert found.headers["retry-after"] == "5"
    assert found.json()["catalog"] == {"backend": "http"}
    assert str(port) not in found.text


async def test_health_over_an_upstream_that_hangs_answers_at_once() -> None:
    # hosting A9
    async with scripted() as upstream:
        upstream.scripts["tasks/"] = silence
        async with serving(upstream.url, SystemClock()) as client:
            await until(lambda: upstream.at_once == 1)
            started_s = time.perf_counter()
            assert await state(client) == (503, "starting")
            # Far below the probe's own limit, which it would have waited for.
            assert time.perf_counter() - started_s < PROBE_LIMIT_S / 5


async def test_a_catalog_that_comes_back_is_noticed_without_anyone_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    # hosting A10
    monkeypatch.setattr(readiness, "AFTER_FAILURE_S", 0.0)
    clock = ManualClock()
    async with scripted() as upstream, serving(upstream.url, clock) as client:
        await until(lambda: upstream.calls()["tasks/"] > 1)
        assert await state(client) == (503, "catalog")
        upstream.scripts["tasks/"] = answer(page([], 0))
        await until(lambda: is_(client, (200, None)))
        clock.advance(STALE_AFTER_S)
        assert await state(client) == (200, None)
        clock.advance(0.1)
        assert await state(client) == (503, "stale")


async def test_probes_come_one_at_a_time_and_a_stale_state_recovers(monkeypatch: pytest.MonkeyPatch) -> None:
    # hosting A10
    monkeypatch.setattr(readiness, "AFTER_SUCCESS_S", 0.0)
    clock = ManualClock()
    running, most, probes = 0, 0, 0
    may_end = asyncio.Event()

    async def probe() -> None:
        nonlocal running, most, probes
        running, probes = running + 1, probes + 1
        most = max(most, running)
        await may_end.wait()
        running -= 1

    state = Readiness(probe, clock, since_start=True)
    probing = asyncio.create_task(state.keep_probing())
    try:
        await until(lambda: probes == 1)
        clock.advance(STALE_AFTER_S + 1)
        assert state.reason() == "stale"
        may_end.set()
        await until(lambda: probes > 3)
        assert (state.reason(), most) == (None, 1)
    finally:
        probing.cancel()


async def is_(client: httpx.AsyncClient, wanted: tuple[int, Any]) -> bool:
    return await state(client) == wanted


@pytest.mark.parametrize(
    ("peer", "given", "is_kept"),
    [
        ("127.0.0.1", "abc-DEF_12", True),
        ("::1", "a" * 64, True),
        ("10.9.0.2", "abc-DEF_12", True),
        ("203.0.113.9", "abc-DEF_12", False),
        ("10.0.0.1", "abc-DEF_12", False),
        ("127.0.0.1", "short", False),
        ("127.0.0.1", "a" * 65, False),
        ("127.0.0.1", "abc DEF 12", False),
        ("127.0.0.1", "abc.DEF.12", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", None, False),
    ],
)
async def test_a_trusted_peers_well_formed_id_is_kept_and_any_other_replaced(
    peer: str, given: str | None, is_kept: bool
) -> None:
    # hosting A74
    async def plain(scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, Answer(200))

    app = RequestIds(Outgoing(plain), peers=PeerTrust((ip_network("10.9.0.0/24"),)))
    transport = httpx.ASGITransport(app, client=(peer, 4711))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        headers = {} if given is None else {"x-request-id": given}
        answers = [(await client.get("/", headers=headers)).headers.get_list("x-request-id") for _ in range(2)]
    assert all(len(ids) == 1 for ids in answers)
    [[first], [second]] = answers
    if is_kept:
        assert (first, second) == (given, given)
    else:
        assert first != second and given not in (first, second)
        assert all(len(each) == 16 and int(each, 16) >= 0 for each in (first, second))
