"""Every plain refusal of hosting contract 1.3, made by the whole service: status, code, further keys, headers."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx
import pytest
from starlette.types import Receive, Scope, Send

from core.clock import ManualClock
from server.answers import Answer, send_answer
from server.app import Front, Service, create_app
from server.body import BodyBounds
from server.bootstrap import compose, front_of, open_catalog
from server.limits.key_file import write_keys
from server.limits.keys import new_key
from server.middleware.outgoing import Outgoing
from server.middleware.request_id import RequestIds
from server.peers import PeerTrust
from server.readiness import Readiness
from server.settings import parse_settings
from tests.answer_form import breaches

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
SOON = BodyBounds(between_parts_s=0.01)
RATE = ("ratelimit-limit", "ratelimit-remaining", "ratelimit-reset")


@dataclass(frozen=True, slots=True)
class Desk:
    """The whole service over a catalog, and a client of it."""

    service: Service
    client: httpx.AsyncClient


@asynccontextmanager
async def desk(
    directory: Path,
    *,
    around: Callable[[Service, Front], tuple[Service, Front]] = lambda service, front: (service, front),
    **settings: str,
) -> AsyncIterator[Desk]:
    given = {f"PAPERDESK_{name.upper()}": value for name, value in settings.items()}
    parsed = parse_settings(given, overrides={"catalog_url": f"file:{directory}", "embedder": "none"}, serving=False)
    service, front = around(compose(parsed, open_catalog(parsed), ManualClock()), front_of(parsed))
    app = create_app(service, front)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        yield Desk(service, client)


async def never_ending() -> AsyncIterator[bytes]:
    yield b"{"
    await anyio.sleep_forever()


def with_short_patience(service: Service, front: Front) -> tuple[Service, Front]:
    return service, replace(front, body_bounds=SOON)


class Broken(Readiness):
    """A defect where nobody expects one."""

    def reason(self) -> Any:
        raise RuntimeError("planted")


def with_a_defect(service: Service, front: Front) -> tuple[Service, Front]:
    async def probe() -> None:
        return None

    return replace(service, readiness=Broken(probe, ManualClock())), front


def draining(service: Service, front: Front) -> tuple[Service, Front]:
    service.drain.begin()
    return service, front


Make = Callable[[Desk], Awaitable[httpx.Response]]


def post(path: str = "/mcp", *, content: Any = PING, headers: Any = JSON) -> Make:
    async def make(made: Desk) -> httpx.Response:
        return await made.client.post(path, content=content, headers=headers)

    return make


def get(path: str) -> Make:
    async def make(made: Desk) -> httpx.Response:
        return await made.client.get(path)

    return make


async def second(made: Desk) -> httpx.Response:
    assert (await made.client.post("/mcp", content=PING, headers=JSON)).status_code == 200
    return await made.client.post("/mcp", content=PING, headers=JSON)


async def beside_another(made: Desk) -> httpx.Response:
    """While another request is on its way."""
    async with anyio.create_task_group() as group:
        stuck = made.client.build_request("POST", "/mcp", content=never_ending(), headers=JSON)
        group.start_soon(made.client.send, stuck)
        with anyio.fail_after(5):
            while made.service.limits.limiter.slots.in_progress == 0:
                await anyio.lowlevel.checkpoint()
        answer = await made.client.post("/mcp", content=PING, headers=JSON)
        group.cancel_scope.cancel()
    return answer


@dataclass(frozen=True, slots=True)
class Row:
    """One way to be refused, and how: `says` must stand in the message."""

    status: int
    code: str
    make: Make
    extra: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    says: str = ""
    has_rate: bool = False
    is_uncounted: bool = True
    settings: dict[str, Any] = field(default_factory=dict)


CLOSE = {"connection": "close"}
DOUBLED_HOST = [("host", "localhost"), ("host", "localhost"), *JSON.items()]
DOUBLED_ORIGIN = [("origin", "https://claude.ai"), ("origin", "https://claude.ai"), *JSON.items()]
LATIN = {"content-type": "application/json; charset=latin-1"}
ROWS = {
    "a doubled host": Row(400, "bad_request", post(headers=DOUBLED_HOST), headers=CLOSE),
    "a doubled origin": Row(400, "bad_request", post(headers=DOUBLED_ORIGIN), headers=CLOSE),
    "a length that is none": Row(400, "bad_request", post(headers={**JSON, "content-length": "1_0"}), headers=CLOSE),
    "a wrong key": Row(
        401,
        "invalid_credential",
        post(headers={**JSON, "authorization": "Bearer pdk_wrong"}),
        headers={"www-authenticate": 'Bearer realm="paperdesk"'},
        settings={"keys_file": "KEYS"},
        has_rate=True,
    ),
    "another origin": Row(
        403,
        "origin_not_allowed",
        post(headers={**JSON, "origin": "https://evil.example"}),
        says=r"Origin.*PAPERDESK_ALLOWED_ORIGINS",
    ),
    "another path": Row(
        404,
        "not_found",
        post("/nope"),
        {"endpoints": ["/mcp", "/mcp/references", "/mcp/evidence", "/mcp/scan", "/mcp/connector"]},
        says="/mcp",
    ),
    "another method": Row(405, "method_not_allowed", get("/mcp"), {"allowed": ["POST"]}, {"allow": "POST"}),
    "another method of a document": Row(
        405, "method_not_allowed", post("/docs"), {"allowed": ["GET", "HEAD"]}, {"allow": "GET, HEAD"}
    ),
    "a body that stops": Row(
        408,
        "request_timeout",
        post(content=never_ending()),
        headers=CLOSE,
        settings={"around": with_short_patience},
        has_rate=True,
    ),
    "a declared length over the bound": Row(
        413,
        "request_too_large",
        post(headers={**JSON, "content-length": "2097153"}),
        {"limit_bytes": 2_097_152},
        CLOSE,
    ),
    "a body over the bound": Row(
        413,
        "request_too_large",
        post(content=b" " * 2_097_153, headers={**JSON, "content-length": "5"}),
        {"limit_bytes": 2_097_152},
        CLOSE,
        has_rate=True,
    ),
    "no type": Row(415, "unsupported_media_type", post(headers={}), says="application/json"),
    "another charset": Row(415, "unsupported_media_type", post(headers=LATIN), says="UTF-8"),
    "another host": Row(
        421, "host_not_allowed", post(headers={**JSON, "host": "evil.example"}), says="PAPERDESK_ALLOWED_HOSTS"
    ),
    "a window used up": Row(
        429,
        "rate_limit_exceeded",
        second,
        {"budget": "per_minute", "limit": 1, "retry_after_s": 60},
        {"retry-after": "60", "ratelimit-limit": "1", "ratelimit-remaining": "0", "ratelimit-reset": "60"},
        settings={"limit_per_minute": "1"},
        has_rate=True,
    ),
    "too many at once": Row(
        429,
        "rate_limit_exceeded",
        beside_another,
        {"budget": "concurrent", "limit": 1, "retry_after_s": 1},
        {"retry-after": "1"},
        settings={"limit_concurrent": "1"},
        has_rate=True,
    ),
    "large headers": Row(431, "headers_too_large", post(headers={**JSON, "x-big": "x" * 17_000}), headers=CLOSE),
    "many headers": Row(
        431, "headers_too_large", post(headers={**JSON, **{f"x-{n}": "1" for n in range(101)}}), headers=CLOSE
    ),
    "a defect": Row(500, "internal_error", get("/health"), settings={"around": with_a_defect}),
    "the whole service full": Row(
        503,
        "server_saturated",
        beside_another,
        {"budget": "global"},
        {"retry-after": "1"},
        settings={"limit_global_concurrent": "1"},
        has_rate=True,
    ),
    "a process that stops": Row(
        503, "draining", post(), headers={"retry-after": "5", **CLOSE}, settings={"around": draining}
    ),
}


@pytest.mark.parametrize("name", ROWS)
async def test_a_refusal_has_its_status_code_keys_and_headers(name: str, odd_directory: Path, tmp_path: Path) -> None:
    # hosting A8
    row = ROWS[name]
    settings = dict(row.settings)
    if "keys_file" in settings:
        _, key = new_key("a reader", 0.0, limits={})
        write_keys(tmp_path / "keys", [key])
        settings["keys_file"] = str(tmp_path / "keys")
    async with AsyncExitStack() as stack:
        made = await stack.enter_async_context(desk(odd_directory, **settings))
        check(row, await row.make(made))


def check(row: Row, answer: httpx.Response) -> None:
    body = answer.json()
    message = body.pop("message")
    assert (answer.status_code, body) == (row.status, {"error": row.code, **row.extra})
    assert re.fullmatch(r"[^\n]{10,200}\.", message)
    assert re.search(row.says, message)
    assert {name: answer.headers.get(name) for name in row.headers} == row.headers
    assert ("retry-after" in answer.headers) == ("retry-after" in row.headers)
    assert ("connection" in answer.headers) == ("connection" in row.headers)
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"] == "application/json"
    assert all((name in answer.headers) == row.has_rate for name in RATE)
    assert breaches("POST", answer.status_code, answer.headers.multi_items(), answer.content) == []


async def test_an_answer_that_nothing_should_have_made_is_not_sent() -> None:
    # hosting A8 (response_too_large), A50
    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, Answer(200, b"y" * 101))

    row = Row(503, "response_too_large", post())
    app = RequestIds(Outgoing(large, max_bytes=100), peers=PeerTrust())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        answer = await client.post("/mcp", content=PING, headers=JSON)
    assert b"yy" not in answer.content
    check(row, answer)


def test_every_row_of_the_table_is_here() -> None:
    # hosting A8
    assert {(row.status, row.code) for row in ROWS.values()} | {(503, "response_too_large")} == {
        (400, "bad_request"),
        (401, "invalid_credential"),
        (403, "origin_not_allowed"),
        (404, "not_found"),
        (405, "method_not_allowed"),
        (408, "request_timeout"),
        (413, "request_too_large"),
        (415, "unsupported_media_type"),
        (421, "host_not_allowed"),
        (429, "rate_limit_exceeded"),
        (431, "headers_too_large"),
        (500, "internal_error"),
        (503, "server_saturated"),
        (503, "draining"),
        (503, "response_too_large"),
    }
