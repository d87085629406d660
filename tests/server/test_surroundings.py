"""What surrounds the endpoints: hosts, origins, bounds, documents."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest
from desk_toolset import Desk
from live import PUBLIC_URL, Live, desk_service, front, serve_desk
from starlette.types import Message, Receive, Scope, Send

from core.clock import ManualClock
from server import __version__
from server.answers import Answer, send_answer
from server.app import create_app
from server.body import BodyBounds, BodyRefused, ClientLeft, read_body
from server.bootstrap import DISPATCHERS
from server.metrics import Traffic
from server.middleware.outgoing import Outgoing
from server.middleware.request_id import RequestIds
from server.middleware.telemetry import Telemetry
from server.peers import PeerTrust
from server.readiness import Readiness

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module", params=DISPATCHERS)
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    with serve_desk(request.param) as server:
        yield server


@pytest.fixture(scope="module")
def client(live: Live) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live.url) as made:
        yield made


def raw(live: Live, head: str, body: bytes = b"") -> tuple[int, dict[str, str], Any]:
    """Sends bytes as they are and reads until the server closes."""
    with socket.create_connection(("127.0.0.1", live.port), timeout=5) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n" + body)
        received = b""
        while part := connection.recv(65536):
            received += part
    top, _, content = received.partition(b"\r\n\r\n")
    lines = top.decode().split("\r\n")
    fields = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines[1:]}
    return int(lines[0].split()[1]), fields, json.loads(content) if content else None


# Hosts and origins


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "localhost:x"]
)
def test_other_hosts_are_421(client: httpx.Client, host: str) -> None:
    # hosting A46
    answer = client.post("/mcp", content=PING, headers={**JSON, "host": host})
    assert (answer.status_code, answer.json()["error"]) == (421, "host_not_allowed")
    assert "PAPERDESK_ALLOWED_HOSTS" in answer.json()["message"]
    assert host == "" or host not in answer.text


@pytest.mark.parametrize(
    "host",
    [
        "LOCALHOST:7860",
        "[::1]:7860",
        "127.0.0.1",
        "localhost.",
        "desk.example.org",
        "desk.example.org:443",
        "DESK.example.org",
    ],
)
def test_own_hosts_are_served(client: httpx.Client, host: str) -> None:
    # hosting A46
    assert client.post("/mcp", content=PING, headers={**JSON, "host": host}).status_code == 200


def test_absent_and_doubled_host_are_refused(live: Live) -> None:
    # hosting A46
    status, _, body = raw(live, "POST /mcp HTTP/1.0\nContent-Type: application/json\nContent-Length: 0\n")
    assert (status, body["error"]) == (421, "host_not_allowed")
    status, fields, body = raw(live, "POST /mcp HTTP/1.1\nHost: localhost\nHost: localhost\nContent-Length: 0\n")
    assert (status, body["error"], fields["connection"]) == (400, "bad_request", "close")


def test_health_needs_no_allowed_host_and_unknown_paths_come_before_hosts(client: httpx.Client) -> None:
    # hosting A9 (part)
    evil = {"host": "evil.example"}
    assert client.get("/health", headers=evil).status_code == 200
    assert client.get("/.well-known/mcp", headers=evil).status_code == 421
    assert client.get("/nope", headers=evil).status_code == 404


ALLOWED = (
    "https://claude.ai",
    "https://claude.com",
    "https://chatgpt.com",
    "https://vscode.dev",
    "https://github.dev",
    "http://localhost:6274",
    "http://127.0.0.1:1",
    "http://[::1]:8080",
    PUBLIC_URL,
)
REFUSED = (
    "null",
    "https://evil.example",
    "https://claude.ai.evil.example",
    "http://claude.ai",
    "https://claude.ai:8443",
    "https://sub.claude.ai",
    "https://localhost:6274",
    "http://localhost:*",
    "",
)


@pytest.mark.parametrize("origin", ALLOWED)
def test_listed_origins_are_served_and_preflight_agrees(client: httpx.Client, origin: str) -> None:
    # hosting A40, A41, A43
    asked = {
        "origin": origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "mcp-protocol-version, mcp-method, mcp-name, authorization",
    }
    preflight = client.options("/mcp", headers=asked)
    answer = client.post("/mcp", content=PING, headers={**JSON, "origin": origin})
    refusals = [client.get("/mcp", headers=asked), client.post("/mcp", content=b"", headers={"origin": origin})]
    assert (preflight.status_code, preflight.content, answer.status_code) == (200, b"", 200)
    assert [refusal.status_code for refusal in refusals] == [405, 415]
    for each in (preflight, answer, *refusals):
        assert each.headers["access-control-allow-origin"] == origin
        assert each.headers["vary"] == "Origin"
        assert "access-control-allow-credentials" not in each.headers
    assert preflight.headers["access-control-allow-methods"] == "GET, POST, DELETE, OPTIONS"
    assert preflight.headers["access-control-allow-headers"] == (
        "Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID"
    )
    assert preflight.headers["access-control-max-age"] == "600"


@pytest.mark.parametrize("origin", REFUSED)
def test_other_origins_are_403_and_preflight_agrees(client: httpx.Client, origin: str) -> None:
    # hosting A40, A41, A44
    answers = [
        client.post("/mcp", content=PING, headers={**JSON, "origin": origin}),
        client.options("/mcp", headers={"origin": origin, "access-control-request-method": "POST"}),
    ]
    for answer in answers:
        assert (answer.status_code, answer.json()["error"]) == (403, "origin_not_allowed")
        assert "Origin" in answer.json()["message"]
        assert "PAPERDESK_ALLOWED_ORIGINS" in answer.json()["message"]
        assert "access-control-allow-origin" not in answer.headers


def test_public_documents_are_open_and_endpoints_never_are(client: httpx.Client) -> None:
    # hosting A45
    document = client.get("/.well-known/mcp", headers={"origin": "https://anyone.example"})
    assert document.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in client.post("/mcp", content=PING, headers=JSON).headers


def test_options_without_an_origin_says_what_is_allowed(client: httpx.Client) -> None:
    answer = client.options("/mcp")
    assert (answer.status_code, answer.headers["allow"], answer.content) == (200, "POST", b"")


# Bounds


def test_a_declared_length_over_the_bound_is_413_before_the_body(live: Live) -> None:
    # hosting A47
    head = "POST /mcp HTTP/1.1\nHost: localhost\nContent-Type: application/json\nContent-Length: {}\n"
    status, fields, body = raw(live, head.format(2_097_153))
    assert (status, fields["connection"]) == (413, "close")
    assert (body["error"], body["limit_bytes"]) == ("request_too_large", 2_097_152)
    for length in ("x", "-1", "1_0"):
        answer = refused_by_parser_or_us(live, head.format(length))
        assert answer == 400


def refused_by_parser_or_us(live: Live, head: str) -> int:
    with socket.create_connection(("127.0.0.1", live.port), timeout=5) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n")
        return int(connection.recv(65536).split()[1])


def test_a_body_of_exactly_the_bound_is_read(client: httpx.Client) -> None:
    # hosting A47
    body = PING[:-1] + b" " * (2_097_152 - len(PING)) + b"}"
    assert len(body) == 2_097_152
    assert client.post("/mcp", content=body, headers=JSON).json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_chunked_body_is_cut_off_at_the_bound(live: Live) -> None:
    # hosting A47
    chunk = b"%x\r\n" % 65536 + b" " * 65536 + b"\r\n"
    head = (
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", live.port), timeout=5) as connection:
        connection.sendall(head + chunk * 33)
        assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")


async def parts(*messages: Message, then_hang: bool = False) -> Receive:
    waiting = list(messages)

    async def receive() -> Message:
        if not waiting and then_hang:
            await anyio.sleep_forever()
        return waiting.pop(0)

    return receive


@pytest.mark.anyio
@pytest.mark.parametrize("bounds", [BodyBounds(between_parts_s=0.01), BodyBounds(total_s=0.01)])
async def test_a_body_that_stops_is_408(bounds: BodyBounds) -> None:
    # hosting A48 (part)
    receive = await parts({"type": "http.request", "body": b"{", "more_body": True}, then_hang=True)
    with pytest.raises(BodyRefused) as caught:
        await read_body(receive, bounds)
    answer = caught.value.answer
    assert (answer.status, json.loads(answer.body)["error"]) == (408, "request_timeout")
    assert (b"connection", b"close") in answer.headers


@pytest.mark.anyio
async def test_a_client_that_leaves_while_sending_ends_the_reading() -> None:
    receive = await parts({"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"})
    with pytest.raises(ClientLeft):
        await read_body(receive, BodyBounds())


def test_too_many_header_bytes_or_fields_are_431(client: httpx.Client) -> None:
    # hosting A49
    for many in ({"x-big": "x" * 17 * 1024}, {f"x-{number}": "1" for number in range(101)}):
        answer = client.post("/mcp", content=PING, headers={**JSON, **many})
        assert (answer.status_code, answer.json()["error"]) == (431, "headers_too_large")
        assert answer.headers["connection"] == "close"


async def get(app: Any) -> httpx.Response:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
        return await client.get("/mcp")


@pytest.mark.anyio
async def test_an_answer_over_the_last_bound_is_not_sent_in_any_part() -> None:
    # hosting A50 (second half)
    async def large(scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, Answer(200, b"y" * 101))

    async def streaming(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"y", "more_body": True})
        await send({"type": "http.response.body", "body": b"y"})

    async def fitting(scope: Scope, receive: Receive, send: Send) -> None:
        await send_answer(send, Answer(200, b"y" * 100))

    for app in (large, streaming):
        answer = await get(Outgoing(app, max_bytes=100))
        assert (answer.status_code, answer.json()["error"]) == (503, "response_too_large")
        assert "yy" not in answer.text
    assert (await get(Outgoing(fitting, max_bytes=100))).content == b"y" * 100


@pytest.mark.anyio
async def test_an_escaped_exception_is_a_plain_500_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        raise RuntimeError("planted-secret")

    answer = await get(
        RequestIds(Outgoing(Telemetry(broken, toolsets={"/mcp": "desk"}, traffic=Traffic())), peers=PeerTrust())
    )
    assert (answer.status_code, answer.json()["error"]) == (500, "internal_error")
    assert len(answer.headers["x-request-id"]) == 16
    assert "planted-secret" not in caplog.text
    assert "request_crashed error=RuntimeError" in caplog.text


# Documents


def test_health_is_ready_with_its_fixed_keys(client: httpx.Client) -> None:
    body = client.get("/health").json()
    age_s = body["catalog"].pop("age_s")
    assert body == {
        "status": "ok",
        "service": "paperdesk",
        "version": __version__,
        "protocol": "2025-11-25",
        "catalog": {"backend": "sample", "build": "b1"},
    }
    assert 0 <= age_s < 120
    assert client.get("/health/live").json() == {"status": "alive"}
    head = client.head("/health")
    assert (head.status_code, head.content, head.headers["cache-control"]) == (200, b"", "no-store")
    assert client.post("/health").status_code == 405


@pytest.mark.anyio
async def test_readiness_follows_probes_and_grows_stale() -> None:
    # hosting A10 (part)
    clock = ManualClock()
    answers = [OSError("planted"), None, OSError("planted"), None]

    async def probe() -> None:
        answer = answers.pop(0)
        if answer is not None:
            raise answer

    readiness = Readiness(probe, clock)
    assert readiness.reason() == "starting"
    assert not await readiness.probe_once()
    assert readiness.reason() == "catalog"
    assert await readiness.probe_once()
    assert (readiness.reason(), readiness.age_s()) == (None, 0)
    clock.advance(120)
    assert readiness.reason() is None
    clock.advance(0.1)
    assert readiness.reason() == "stale"
    assert not await readiness.probe_once()
    assert await readiness.probe_once()
    assert readiness.reason() is None


def test_the_description_names_what_is_served(client: httpx.Client) -> None:
    # hosting A11 (part)
    body = client.get("/.well-known/mcp").json()
    assert body["transport"] == {"type": "streamable-http", "url": "https://desk.example.org/mcp"}
    assert body["supported_protocol_versions"] == ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    assert [(one["toolset"], one["url"], one["tools"]) for one in body["endpoints"]] == [
        ("desk", "https://desk.example.org/mcp", 7),
        ("other", "https://desk.example.org/mcp/other", 1),
    ]
    assert client.get("/.well-known/mcp.json").content == client.get("/.well-known/mcp").content


@pytest.mark.anyio
async def test_a_path_in_the_public_url_is_above_every_route() -> None:
    # hosting A6 (part)
    url = "https://example.org/desk"
    app = create_app(desk_service(Desk()), front("https://example.org", "/desk"))
    transport = httpx.ASGITransport(app)
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=transport, base_url=url) as client:
        assert (await client.post("/mcp", content=PING, headers=JSON)).json()["result"] == {}
        assert (await client.post("/mcp/", content=PING, headers=JSON)).status_code == 200
        document = (await client.get("/.well-known/mcp")).json()
        assert document["transport"]["url"] == "https://example.org/desk/mcp"
        assert (await client.get("/health")).status_code == 200
        assert (await client.get("https://example.org/health")).status_code == 200
        outside = await client.post("https://example.org/mcp", content=PING, headers=JSON)
        assert (outside.status_code, outside.json()["endpoints"]) == (404, ["/desk/mcp", "/desk/mcp/other"])
