"""One upstream over the client: what it is asked, when it is asked again, and what each failure is called."""

from collections.abc import Awaitable, Callable

import anyio
import httpx
import pytest
import respx

from core.clock import ManualClock
from core.deadline import deadline
from core.errors import SourceError, SourceMalformed, SourceRateLimited, SourceTimeout, SourceUnreachable
from core.http.client import Exchange, HttpClient
from core.http.upstream import Manners, Upstream

BASE = "https://catalog.example.org/api/v1"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def upstream(clock: ManualClock, slept: list[float]) -> Upstream:
    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 3))
        clock.advance(seconds)

    client = HttpClient(user_agent="paperdesk/9.9")
    return Upstream(client, BASE + "/", source="catalog", clock=clock, random=lambda: 0.5, sleep=sleep)


@respx.mock(base_url=BASE)
async def test_a_request_says_who_asks_and_what_for(respx_mock: respx.MockRouter, upstream: Upstream) -> None:
    route = respx_mock.get(url__regex=".*").respond(json={"a": 1})
    found = await upstream.get(("papers", "math.GT/0309136", ""), {"page": 1, "q": None, "flag": True})
    assert (found.status, found.body) == (200, b'{"a":1}')
    (call,) = route.calls
    assert call.request.url.raw_path == b"/api/v1/papers/math.GT%2F0309136/?page=1&flag=true"
    assert call.request.headers["user-agent"] == "paperdesk/9.9"
    assert call.request.headers["accept"] == "application/json, text/plain;q=0.9"
    assert call.request.headers["accept-encoding"] == "gzip"


@respx.mock(base_url=BASE)
async def test_no_cookie_is_kept(respx_mock: respx.MockRouter, upstream: Upstream) -> None:
    route = respx_mock.get("/a").respond(json={}, headers={"set-cookie": "who=me; Path=/"})
    await upstream.get(("a",))
    await upstream.get(("a",))
    assert "cookie" not in route.calls[1].request.headers


@pytest.mark.parametrize("first", [502, 503, 504, httpx.ConnectError("x"), httpx.RemoteProtocolError("x")])
@respx.mock(base_url=BASE)
async def test_a_passing_failure_is_tried_once_more_after_a_short_wait(
    respx_mock: respx.MockRouter, upstream: Upstream, slept: list[float], first: int | Exception
) -> None:
    failing = first if isinstance(first, Exception) else httpx.Response(first)
    route = respx_mock.get("/a").mock(side_effect=[failing, httpx.Response(200, json=[])])
    assert (await upstream.get(("a",))).body == b"[]"
    assert (route.call_count, slept) == (2, [0.25])


@pytest.mark.parametrize(
    ("answers", "failure", "calls"),
    [
        ([500], SourceUnreachable, 1),
        ([503, 503, 200], SourceUnreachable, 2),
        ([httpx.ConnectError("SECRET"), httpx.ReadError("SECRET"), 200], SourceUnreachable, 2),
        ([httpx.ConnectTimeout("x"), 200], SourceTimeout, 1),
        ([httpx.ReadTimeout("x"), 200], SourceTimeout, 1),
        ([httpx.WriteTimeout("x"), 200], SourceTimeout, 1),
        ([httpx.PoolTimeout("x"), 200], SourceTimeout, 1),
        ([401], SourceMalformed, 1),
        ([403], SourceMalformed, 1),
        ([304], SourceMalformed, 1),
    ],
)
@respx.mock(base_url=BASE)
async def test_each_failure_has_one_name_and_no_word_of_the_upstream(
    respx_mock: respx.MockRouter,
    upstream: Upstream,
    answers: list[int | Exception],
    failure: type[SourceError],
    calls: int,
) -> None:
    # catalog A18, A20
    effects = [each if isinstance(each, Exception) else httpx.Response(each, text="SECRET") for each in answers]
    route = respx_mock.get("/a").mock(side_effect=effects)
    with pytest.raises(failure) as caught:
        await upstream.get(("a",))
    assert (type(caught.value), caught.value.source, route.call_count) == (failure, "catalog", calls)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("status", [400, 404, 409, 422])
@respx.mock(base_url=BASE)
async def test_a_refusal_is_an_answer_for_the_caller_to_read(
    respx_mock: respx.MockRouter, upstream: Upstream, status: int
) -> None:
    respx_mock.get("/a").respond(status, text="why")
    found = await upstream.get(("a",))
    assert (found.status, found.body) == (status, b"why")


@respx.mock(base_url=BASE)
async def test_what_is_gone_is_not_found(respx_mock: respx.MockRouter, upstream: Upstream) -> None:
    respx_mock.get("/a").respond(410)
    assert (await upstream.get(("a",))).status == 404


# catalog A19
@pytest.mark.parametrize(
    ("after", "calls", "wait_s"),
    [("7", 1, 7), ("2", 2, 2), ("2.1", 1, 2.1), (None, 1, None), ("soon", 1, None)],
)
@respx.mock(base_url=BASE)
async def test_a_429_is_tried_again_only_when_it_asks_for_two_seconds_at_most(
    respx_mock: respx.MockRouter,
    upstream: Upstream,
    slept: list[float],
    after: str | None,
    calls: int,
    wait_s: float | None,
) -> None:
    route = respx_mock.get("/a").respond(429, headers={"retry-after": after} if after else {})
    with pytest.raises(SourceRateLimited) as caught:
        await upstream.get(("a",))
    assert (route.call_count, caught.value.retry_after_s) == (calls, wait_s)
    assert slept == [2.0] * (calls - 1)


@respx.mock(base_url=BASE)
async def test_a_second_try_needs_a_second_of_the_deadline(
    respx_mock: respx.MockRouter, upstream: Upstream, clock: ManualClock
) -> None:
    route = respx_mock.get("/a").respond(503)
    # 0.5 s are kept back and 0.25 s would be waited.
    for seconds, calls in ((1.7, 1), (1.8, 2)):
        before = route.call_count
        with deadline(seconds, clock), pytest.raises(SourceUnreachable):
            await upstream.get(("a",))
        assert route.call_count - before == calls


@respx.mock(base_url=BASE, assert_all_called=False)
async def test_without_time_left_nothing_is_asked(
    respx_mock: respx.MockRouter, upstream: Upstream, clock: ManualClock
) -> None:
    route = respx_mock.get("/a").respond(200)
    with deadline(10, clock):
        clock.advance(9.6)
        with pytest.raises(SourceTimeout):
            await upstream.get(("a",))
    assert route.call_count == 0


@respx.mock(base_url=BASE)
async def test_five_failures_in_a_row_stop_the_asking_until_a_trial_succeeds(
    respx_mock: respx.MockRouter, upstream: Upstream, clock: ManualClock
) -> None:
    route = respx_mock.get("/a").respond(500)
    for _ in range(5):
        with pytest.raises(SourceUnreachable):
            await upstream.get(("a",))
    with pytest.raises(SourceUnreachable, match="keeps failing"):
        await upstream.get(("a",))
    assert route.call_count == 5
    clock.advance(15)
    route.respond(200, json=[])
    assert (await upstream.get(("a",))).status == 200
    assert (await upstream.get(("a",))).status == 200


@respx.mock(base_url=BASE)
async def test_refusals_and_rate_limits_do_not_open_the_breaker(
    respx_mock: respx.MockRouter, upstream: Upstream
) -> None:
    route = respx_mock.get("/a").respond(404)
    for _ in range(6):
        await upstream.get(("a",))
    route.respond(429)
    for _ in range(6):
        with pytest.raises(SourceRateLimited):
            await upstream.get(("a",))
    route.respond(503)
    for _ in range(6):
        assert (await upstream.get(("a",), takes=frozenset({503}))).status == 503
    route.respond(200)
    assert (await upstream.get(("a",))).status == 200


@respx.mock(base_url=BASE)
async def test_redirects_are_followed_on_the_same_host_only(respx_mock: respx.MockRouter, upstream: Upstream) -> None:
    respx_mock.get("/a").respond(307, headers={"location": "/api/v1/b?x=1"})
    respx_mock.get("/b").respond(200, text="b")
    assert (await upstream.get(("a",))).body == b"b"
    for elsewhere in (
        "https://other.example.org/b",
        "http://catalog.example.org/b",
        "https://catalog.example.org:8443/b",
        "https://me@catalog.example.org/b",
        "/api/v1/c",
    ):
        respx_mock.get("/c").respond(302, headers={"location": elsewhere})
        with pytest.raises(SourceMalformed):
            await upstream.get(("c",))


async def test_an_address_too_long_for_any_service_is_a_named_failure(upstream: Upstream) -> None:
    with pytest.raises(SourceMalformed):
        await upstream.get(("papers", "x" * 70_000))


@respx.mock(base_url=BASE)
async def test_a_body_over_two_mebibytes_is_refused(respx_mock: respx.MockRouter, upstream: Upstream) -> None:
    respx_mock.get("/a").respond(200, content=b"x" * (2 * 1024 * 1024))
    assert len((await upstream.get(("a",))).body) == 2 * 1024 * 1024
    respx_mock.get("/a").respond(200, content=b"x" * (2 * 1024 * 1024 + 1))
    with pytest.raises(SourceMalformed):
        await upstream.get(("a",))


async def test_a_caller_who_leaves_says_nothing_about_the_upstream(clock: ManualClock) -> None:
    class Waiting(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await anyio.sleep_forever()
            raise AssertionError

    manners = Manners()
    client = HttpClient(user_agent="paperdesk/9.9", transport=Waiting())
    upstream = Upstream(client, BASE, source="catalog", clock=clock, manners=manners)
    asked: list[Callable[[], Awaitable[Exchange]]] = [lambda: upstream.get(("a",))] * 8
    async with anyio.create_task_group() as group:
        for ask in asked:
            group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    with anyio.move_on_after(0.01) as scope:
        await upstream.get(("a",))
    assert scope.cancelled_caught, "the breaker is still closed"
    await client.aclose()
