"""A catalog behind HTTP as its users meet it: one wait for many reads, one request for many callers, and an outage."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from core.catalog.cached import CachedCatalog
from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import ManualClock
from core.http.client import HttpClient
from core.http.upstream import Upstream
from tests.catalog_desk import Desk
from tests.live_api import serve_api
from tests.odd_catalog import BUSY_TASK

TASK_SLUG = BUSY_TASK.lower().replace(" ", "-")
Handler = Callable[[Scope, Receive, Send], Awaitable[None]]


class Road:
    """Between the port and the API: counts requests, holds them until some are there together, or closes the road."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.questions: Counter[tuple[str, bytes]] = Counter()
        self.hold_until = 0
        self.is_closed = False
        self._waiting = 0
        self._released = asyncio.Event()

    def around(self, app: ASGIApp) -> Handler:
        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or not scope["path"].startswith("/api/"):
                await app(scope, receive, send)
                return
            self.requests[scope["path"]] += 1
            self.questions[scope["path"], scope["query_string"]] += 1
            if self.is_closed:
                await PlainTextResponse("SECRET", 503)(scope, receive, send)
                return
            await self._held()
            await app(scope, receive, send)

        return handle

    async def _held(self) -> None:
        if not self.hold_until:
            return
        self._waiting += 1
        if self._waiting >= self.hold_until:
            self._released.set()
        # Ends by itself when the others never come: then the reads were not made together.
        with anyio.move_on_after(5) as scope:
            await self._released.wait()
        assert not scope.cancelled_caught


@pytest.fixture
def road() -> Road:
    return Road()


@pytest.fixture
def url(odd_directory: Path, road: Road) -> Iterator[str]:
    with serve_api(odd_directory, around=road.around) as served:
        yield served


@asynccontextmanager
async def far(url: str, clock: ManualClock) -> AsyncIterator[Desk]:
    client = HttpClient(user_agent="paperdesk/test")
    backend = CachedCatalog(UpstreamCatalog(Upstream(client, url, source="catalog", clock=clock), clock), clock)
    await backend.ping()
    try:
        yield Desk(backend)
    finally:
        await client.aclose()


async def test_a_cold_task_makes_all_its_reads_at_once(url: str, road: Road) -> None:  # catalog A55
    async with far(url, ManualClock()) as desk:
        road.requests.clear()
        road.hold_until = 4
        outcome = await desk.call("get_task", task=TASK_SLUG)
        assert outcome.structured is not None, outcome.texts
        assert outcome.structured["task"]["name"] == BUSY_TASK
        assert road.requests == {
            f"/api/v1/tasks/{TASK_SLUG}/page": 1,
            f"/api/v1/tasks/{TASK_SLUG}/trending-benchmarks": 1,
            f"/api/v1/tasks/{TASK_SLUG}/papers": 1,
            "/api/v1/areas/": 1,
        }


async def test_a_hundred_equal_cold_calls_ask_each_endpoint_once_and_warm_ones_never(
    url: str, road: Road
) -> None:  # catalog A80
    calls = (("get_task", {"task": BUSY_TASK}), ("get_benchmark", {"benchmark": "Lantern Reading"}))
    async with far(url, ManualClock()) as desk:
        for tool, arguments in calls:
            road.questions.clear()
            async with anyio.create_task_group() as group:
                for _ in range(100):
                    group.start_soon(lambda: desk.call(tool, **arguments))  # noqa: B023
            # Pages of one leaderboard are questions of their own.
            assert road.questions and set(road.questions.values()) == {1}
            road.questions.clear()
            outcome = await desk.call(tool, **arguments)
            assert not outcome.is_error and not road.questions


async def test_in_an_outage_known_answers_keep_coming_marked_and_others_say_what_to_do(
    url: str, road: Road
) -> None:  # catalog A18, A83
    clock = ManualClock()
    async with far(url, clock) as desk:
        known = await desk.call("get_paper_info", paper="1905.90001")
        road.is_closed = True
        clock.advance(600)
        again = await desk.call("get_paper_info", paper="1905.90001")
        assert known.structured is not None and again.structured is not None
        assert again.structured["paper"] == known.structured["paper"]
        (note,) = set(again.structured["notes"]) - set(known.structured["notes"])
        assert note.startswith("The catalog is not answering; ") and note.endswith("at least 10 minutes old.")
        unknown = await desk.call("get_paper_info", paper="2401.90001")
        assert (unknown.code, unknown.structured) == ("upstream_error", None)
        assert "SECRET" not in "".join(unknown.texts) and "again" in unknown.texts[0]


async def test_after_an_outage_everything_is_asked_anew(url: str, road: Road) -> None:
    clock = ManualClock()
    async with far(url, clock) as desk:
        road.is_closed = True
        for _ in range(6):
            assert (await desk.call("get_paper_info", paper="1905.90001")).code == "upstream_error"
        road.is_closed = False
        held_back = await desk.call("get_paper_info", paper="1905.90001")
        assert held_back.meta is not None
        assert held_back.meta["org.paperdesk/error"] == {
            "code": "upstream_error",
            "retryable": True,
            "retry_after_s": 15,
        }
        assert held_back.texts == ("upstream_error: The catalog's service keeps failing; try again in 15 seconds.",)
        clock.advance(16)
        found = await desk.call("get_paper_info", paper="1905.90001")
        assert found.structured is not None
        assert not any("not answering" in note for note in found.structured["notes"])
