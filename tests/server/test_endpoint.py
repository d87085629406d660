import json
import logging
import socket
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from desk_toolset import META_KEY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from live import Live, serve_desk

from server import __version__
from server.bootstrap import DISPATCHERS

TOOLS = "find_notes, add, wait_for_ever, crash, miss, grow, spoil"
OLD = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
ERAS = ("old", "modern")


@pytest.fixture(scope="module", params=DISPATCHERS)
def live(request: pytest.FixtureRequest) -> Iterator[Live]:
    with serve_desk(request.param) as server:
        yield server


@pytest.fixture(scope="module")
def client(live: Live) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live.url, headers={"accept": "*/*"}) as made:
        yield made


def envelope(version: str = MODERN) -> dict[str, Any]:
    return {VERSION_KEY: version, CAPABILITIES_KEY: {}}


def message(era: str, method: str, params: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    params = dict(params or {})
    if era == "modern":
        params["_meta"] = envelope()
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}


def headers(era: str, method: str, name: str | None = None) -> dict[str, str]:
    if era == "old":
        return {"mcp-protocol-version": "2025-11-25"}
    routing = {"mcp-protocol-version": MODERN, "mcp-method": method}
    return routing | ({"mcp-name": name} if name is not None else {})


def ask(
    client: httpx.Client,
    era: str,
    method: str,
    params: dict[str, Any] | None = None,
    *,
    path: str = "/mcp",
    **more: str,
) -> httpx.Response:
    name = (params or {}).get("name")
    sent = headers(era, method, name if isinstance(name, str) and name.isascii() else None) | more
    return client.post(path, json=message(era, method, params), headers=sent)


def call(client: httpx.Client, era: str, tool: str, arguments: Any = None) -> dict[str, Any]:
    answer = ask(client, era, "tools/call", {"name": tool, "arguments": arguments})
    assert answer.status_code == 200, answer.text
    return answer.json()["result"]


def error(answer: httpx.Response) -> tuple[int, int, Any]:
    body = answer.json()
    assert set(body) == {"jsonrpc", "id", "error"}
    assert "pydantic" not in answer.text
    assert "http" not in body["error"]["message"]
    return answer.status_code, body["error"]["code"], body["id"]


# Paths, methods, forms


@pytest.mark.parametrize("era", ERAS)
def test_each_endpoint_lists_its_own_tools_in_order(client: httpx.Client, era: str) -> None:
    # hosting A1
    listed = [ask(client, era, "tools/list").content for _ in range(2)]
    assert listed[0] == listed[1]
    names = [tool["name"] for tool in json.loads(listed[0])["result"]["tools"]]
    assert names == ["find_notes", "add", "wait_for_ever", "crash", "miss", "grow", "spoil"]
    other = ask(client, era, "tools/list", path="/mcp/other").json()["result"]
    assert [tool["name"] for tool in other["tools"]] == ["subtract"]
    assert "nextCursor" not in other


@pytest.mark.parametrize("path", ["/mcp", "/mcp/other"])
def test_a_trailing_slash_changes_nothing(client: httpx.Client, path: str) -> None:
    # hosting A2
    plain, slashed = (ask(client, "old", "tools/list", path=spelling) for spelling in (path, f"{path}/"))
    assert (plain.status_code, slashed.status_code) == (200, 200)
    assert plain.content == slashed.content


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE"])
def test_other_methods_are_405_and_leave_no_task(live: Live, client: httpx.Client, method: str) -> None:
    # hosting A3
    client.get("/health/live")
    before = live.tasks()
    for path in ("/mcp", "/mcp/", "/mcp/other"):
        started_s = time.perf_counter()
        answer = client.request(method, path, headers={"accept": "text/event-stream"})
        assert time.perf_counter() - started_s < 0.5
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
        if method != "HEAD":
            assert answer.json()["error"] == "method_not_allowed"
            assert answer.json()["allowed"] == ["POST"]
    wait_until(lambda: live.tasks() <= before)


@pytest.mark.parametrize(
    "path",
    [
        "/mcp/nope",
        "/.well-known/oauth-protected-resource/mcp",
        "/MCP",
        "/mcp//",
        "//mcp",
        "/mcp%2Fother",
        "/%6dcp",
    ],
)
def test_unknown_paths_are_404_and_list_the_endpoints(client: httpx.Client, live: Live, path: str) -> None:
    # hosting A4
    for method in ("GET", "POST"):
        answer = client.request(method, httpx.URL(live.url + path), json={})
        assert answer.status_code == 404
        assert answer.json()["error"] == "not_found"
        assert answer.json()["endpoints"] == ["/mcp", "/mcp/other"]
        assert "/mcp, /mcp/other" in answer.json()["message"]


def test_every_answer_has_its_headers(client: httpx.Client) -> None:
    # hosting A7
    answers = [
        client.get("/mcp"),
        client.get("/nope"),
        client.get("/health"),
        client.get("/.well-known/mcp"),
        client.options("/mcp"),
        ask(client, "old", "tools/list"),
        ask(client, "modern", "tools/call", {"name": "add", "arguments": {"a": 1}}),
        client.post("/mcp", content=b"{"),
        client.post("/mcp", content=b"{", headers={"content-type": "application/json"}),
        client.get("/mcp", headers={"host": "evil.example"}),
        client.post("/mcp", headers={"origin": "https://evil.example"}),
    ]
    for answer in answers:
        assert len(answer.headers["x-request-id"]) == 16
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert not {"server", "set-cookie", "mcp-session-id", "transfer-encoding"} & set(answer.headers)
        assert int(answer.headers["content-length"]) == len(answer.content)
        if answer.content:
            assert answer.headers["content-type"] == "application/json"
    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)


def test_a_loopback_peers_request_id_is_kept_when_well_formed(client: httpx.Client) -> None:
    # hosting A74 (part)
    assert client.get("/health", headers={"x-request-id": "abc-DEF_12"}).headers["x-request-id"] == "abc-DEF_12"
    assert client.get("/health", headers={"x-request-id": "short"}).headers["x-request-id"] != "short"


# Protocol


@pytest.mark.parametrize("version", [*OLD, MODERN, "1999-01-01"])
def test_initialize_echoes_a_known_version(client: httpx.Client, version: str) -> None:
    # hosting A17
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    result = client.post("/mcp", json=message("old", "initialize", params)).json()["result"]
    assert result == {
        "protocolVersion": version if version in OLD else "2025-11-25",
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "paperdesk-desk", "title": "paperdesk desk", "version": __version__},
        "instructions": "Find notes, add numbers.",
    }


@pytest.mark.parametrize("version", [None, *OLD])
def test_a_call_needs_no_handshake(client: httpx.Client, version: str | None) -> None:
    # hosting A18
    sent = {} if version is None else {"mcp-protocol-version": version}
    body = message("old", "tools/call", {"name": "add", "arguments": {"a": 2, "b": 3}})
    answer = client.post("/mcp", json=body, headers=sent).json()
    assert answer["result"]["structuredContent"] == {"total": 5}


def test_discover_says_what_is_served(client: httpx.Client) -> None:
    # hosting A19
    result = ask(client, "modern", "server/discover").json()["result"]
    assert result == {
        "resultType": "complete",
        "supportedVersions": [MODERN],
        "capabilities": {"tools": {"listChanged": False}},
        "instructions": "Find notes, add numbers.",
        "ttlMs": 3_600_000,
        "cacheScope": "public",
        "_meta": {SERVER_INFO_KEY: {"name": "paperdesk-desk", "title": "paperdesk desk", "version": __version__}},
    }
    assert error(ask(client, "old", "server/discover")) == (200, -32601, 1)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "5",
        '"x"',
        "{}",
        "null",
        '{"jsonrpc":"2.0"}',
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        '{"id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":5}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
        '{"jsonrpc":"2.0","id":null,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
        '{"jsonrpc":"2.0","id":true,"method":"ping"}',
        '{"jsonrpc":"2.0","id":[],"method":"ping"}',
        '{"jsonrpc":"2.0","id":{},"method":"ping"}',
        '{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        '[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ],
)
def test_what_is_no_single_message_is_an_invalid_request(client: httpx.Client, era: str, body: str) -> None:
    # hosting A21
    sent = headers(era, "ping") | {"content-type": "application/json"}
    assert error(client.post("/mcp", content=body, headers=sent)) == (400, -32600, None)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"NaN",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}',
        b"\xef\xbb\xbf{}",
        b'"\xff"',
        b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}',
        b"[" * 100_000 + b"]" * 100_000,
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":' + b"[" * 400 + b"]" * 400 + b"}}",
    ],
)
def test_what_is_no_strict_json_is_a_parse_error(client: httpx.Client, era: str, body: bytes) -> None:
    # hosting A22
    sent = headers(era, "ping") | {"content-type": "application/json"}
    started_s = time.perf_counter()
    assert error(client.post("/mcp", content=body, headers=sent)) == (400, -32700, None)
    assert time.perf_counter() - started_s < 0.5


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("accept", [None, "", "*/*", "application/json", "text/event-stream", "text/html"])
def test_accept_never_matters(client: httpx.Client, era: str, accept: str | None) -> None:
    # hosting A23
    request = client.build_request(
        "POST",
        "/mcp",
        json=message(era, "tools/call", {"name": "add", "arguments": {"a": 1}}),
        headers=headers(era, "tools/call", "add"),
    )
    del request.headers["accept"]
    if accept is not None:
        request.headers["accept"] = accept
    answer = client.send(request)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("Application/JSON; charset=UTF-8", 200),
        ('application/json;charset="utf-8"', 200),
        ("text/plain", 415),
        (None, 415),
        ("application/json; charset=latin-1", 415),
    ],
)
def test_content_type_is_json_in_utf8(client: httpx.Client, content_type: str | None, status: int) -> None:
    # hosting A24
    sent = {} if content_type is None else {"content-type": content_type}
    answer = client.post("/mcp", content=json.dumps(message("old", "ping")), headers=sent)
    assert answer.status_code == status
    if status == 415:
        assert answer.json()["error"] == "unsupported_media_type"
        assert "application/json" in answer.json()["message"]


def test_blanks_around_routing_headers_change_nothing(client: httpx.Client) -> None:
    # hosting A25
    body = json.dumps(message("modern", "tools/call", {"name": "add", "arguments": {"a": 1}})).encode()
    raw = (
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: \t application/json \r\nConnection: close\r\n"
        b"MCP-Protocol-Version: \t2026-07-28 \t\r\nMcp-Method:  tools/call\t \r\nMcp-Name: \tadd  \r\n"
        b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
    )
    status, _, answer = exchange(client.base_url.port or 0, raw)
    assert (status, answer["result"]["structuredContent"]) == (200, {"total": 2})


def exchange(port: int, raw: bytes) -> tuple[int, dict[str, str], Any]:
    """Sends bytes as they are; answers status, headers and the JSON body once the server has closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(raw)
        received = b""
        while part := connection.recv(65536):
            received += part
    head, _, body = received.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = {line.partition(":")[0].lower(): line.partition(":")[2].strip() for line in lines[1:]}
    return int(lines[0].split()[1]), fields, json.loads(body) if body else None


@pytest.mark.parametrize("era", ERAS)
def test_notifications_are_accepted_and_run_nothing(client: httpx.Client, live: Live, era: str) -> None:
    # hosting A26
    live.desk.calls.clear()
    for method in ("notifications/initialized", "notifications/cancelled", "no/such", "tools/call"):
        body = {"jsonrpc": "2.0", "method": method, "params": {"name": "add", "arguments": {"a": 1}}}
        answer = client.post("/mcp", json=body, headers=headers(era, method))
        assert (answer.status_code, answer.content) == (202, b"")
    assert live.desk.calls == []


@pytest.mark.parametrize(("era", "status"), [("old", 200), ("modern", 400)])
def test_unknown_tool_names_near_tools_or_the_endpoint_that_has_it(client: httpx.Client, era: str, status: int) -> None:
    # hosting A27
    answers = {
        "find_note": f"There is no tool 'find_note' here. Near: find_notes. Its tools: {TOOLS}.",
        "subtract": "There is no tool 'subtract' here. The endpoint /mcp/other has it.",
        "x" * 10_000: f"There is no tool '{'x' * 63}…' here. Its tools: {TOOLS}.",
    }
    for name, text in answers.items():
        answer = ask(client, era, "tools/call", {"name": name})
        assert error(answer) == (status, -32602, 1)
        assert answer.json()["error"] == {"code": -32602, "message": text}


@pytest.mark.parametrize(("era", "status"), [("old", 200), ("modern", 400)])
def test_arguments_are_an_object_or_absent(client: httpx.Client, era: str, status: int) -> None:
    # hosting A28
    absent = ask(client, era, "tools/call", {"name": "add"}).json()["result"]
    assert absent == call(client, era, "add", None)
    assert absent["content"][0]["text"] == "invalid_argument: a is missing: add needs a whole number."
    for bad in ([1], "x", 5, True):
        assert error(ask(client, era, "tools/call", {"name": "add", "arguments": bad})) == (status, -32602, 1)
    for name in (None, 5, ["add"]):
        assert error(ask(client, era, "tools/call", {"name": name})) == (status, -32602, 1)


@pytest.mark.parametrize("era", ERAS)
def test_the_last_of_duplicate_members_counts(client: httpx.Client, era: str) -> None:
    # hosting A29 (part)
    text = json.dumps(message(era, "tools/call", {"name": "add", "arguments": {"a": 1}}))
    text = text.replace('"a": 1', '"a": 1, "a": 41').replace('"method"', '"method": "ping", "method"')
    sent = headers(era, "tools/call", "add") | {"content-type": "application/json"}
    assert client.post("/mcp", content=text, headers=sent).json()["result"]["structuredContent"] == {"total": 42}


def test_only_a_modern_result_carries_the_modern_extras(client: httpx.Client) -> None:
    # hosting A30, A31
    modern, old = (call(client, era, "add", {"a": 1}) for era in ("modern", "old"))
    info = {"name": "paperdesk-desk", "title": "paperdesk desk", "version": __version__}
    assert modern == {**old, "resultType": "complete", "_meta": {SERVER_INFO_KEY: info}}
    assert old == {
        "content": [{"type": "text", "text": "add answered."}],
        "structuredContent": {"total": 2},
        "isError": False,
    }
    assert len(json.dumps(info)) <= 200
    listed = ask(client, "modern", "tools/list").json()["result"]
    assert {key: listed[key] for key in ("ttlMs", "cacheScope", "resultType")} == {
        "ttlMs": 3_600_000,
        "cacheScope": "public",
        "resultType": "complete",
    }
    assert set(ask(client, "old", "tools/list").json()["result"]) == {"tools"}


def test_structured_content_is_equal_in_both_eras_and_not_escaped(client: httpx.Client) -> None:
    # hosting A32 (part)
    answers = [
        ask(client, era, "tools/call", {"name": "find_notes", "arguments": {"query": "Gödel \\u0041"}}) for era in ERAS
    ]
    contents = [answer.json()["result"]["structuredContent"] for answer in answers]
    assert contents[0] == contents[1]
    assert contents[0]["data"] == {"kept": None, "list": [None, 1]}
    for answer in answers:
        assert "Schrödinger — 量子".encode() in answer.content
        assert "Gödel \\\\u0041".encode() in answer.content


@pytest.mark.parametrize("era", ERAS)
def test_a_failure_is_a_result_with_status_200(client: httpx.Client, era: str) -> None:
    # hosting A33 (wire)
    result = call(client, era, "crash")
    assert result["isError"] is True
    assert result["content"] == [{"type": "text", "text": "internal_error: paperdesk failed; try again."}]
    assert result["_meta"][META_KEY] == {"code": "internal_error", "retryable": True}
    assert "structuredContent" not in result
    assert call(client, era, "miss", {"what": "x"})["_meta"][META_KEY]["code"] == "not_found"
    assert call(client, era, "find_notes", {"q": 1})["_meta"][META_KEY]["code"] == "invalid_argument"


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_that_never_returns_ends_at_its_deadline(client: httpx.Client, live: Live, era: str) -> None:
    # hosting A34 (wire)
    before = live.tasks()
    result = call(client, era, "wait_for_ever")
    assert result["_meta"][META_KEY] == {"code": "upstream_timeout", "retryable": True}
    wait_until(lambda: live.tasks() <= before)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_leaves_has_its_call_cancelled(live: Live, caplog: pytest.LogCaptureFixture, era: str) -> None:
    # hosting A35 (part)
    caplog.set_level(logging.INFO, "paperdesk.requests")
    live.desk.started.clear()
    live.desk.cancelled.clear()
    before = live.tasks()
    body = json.dumps(message(era, "tools/call", {"name": "wait_for_ever"})).encode()
    fields = {"host": "localhost", "content-type": "application/json", "content-length": str(len(body))}
    fields |= headers(era, "tools/call", "wait_for_ever")
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    with socket.create_connection(("127.0.0.1", live.port)) as connection:
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        wait_until(live.desk.started.is_set)
        left_s = time.perf_counter()
    wait_until(live.desk.cancelled.is_set)
    assert time.perf_counter() - left_s < 0.4
    wait_until(lambda: len(lines(caplog)) == 1)
    assert " status=499 " in lines(caplog)[0]
    assert " outcome=cancelled " in lines(caplog)[0]
    wait_until(lambda: live.tasks() <= before)


def wait_until(condition: Any, limit_s: float = 3.0) -> None:
    """Waits for something that another thread does; the limit only bounds a failure."""
    end_s = time.perf_counter() + limit_s
    while not condition():
        assert time.perf_counter() < end_s, "it did not happen"
        time.sleep(0.002)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "paperdesk.requests"]


def test_half_a_body_and_a_disconnect_leave_no_record_above_info(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    # hosting A36
    caplog.set_level(logging.DEBUG)
    before = live.tasks()
    with socket.create_connection(("127.0.0.1", live.port)) as connection:
        connection.sendall(
            b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"
        )
        wait_until(lambda: live.tasks() > before)
    wait_until(lambda: len(lines(caplog)) == 1)
    assert " status=499 " in lines(caplog)[0]
    assert [record for record in caplog.records if record.levelno > logging.INFO] == []
    wait_until(lambda: live.tasks() <= before)


# The modern ladder and the rest of the table of outcomes (hosting A20)


@pytest.mark.parametrize("name", ["mcp-protocol-version", "mcp-method", "mcp-name"])
@pytest.mark.parametrize("era", ERAS)
def test_doubled_routing_headers_are_refused(client: httpx.Client, era: str, name: str) -> None:
    sent = [*headers(era, "tools/call", "add").items()]
    sent += [(name, "add")] * (1 if any(key == name for key, _ in sent) else 2)
    body = message(era, "tools/call", {"name": "add", "arguments": {"a": 1}})
    answer = client.post("/mcp", json=body, headers=sent)
    assert error(answer) == (400, -32020, 1)
    assert name in answer.json()["error"]["message"]


@pytest.mark.parametrize("missing", [VERSION_KEY, CAPABILITIES_KEY])
def test_missing_envelope_keys_are_named(client: httpx.Client, missing: str) -> None:
    body = message("modern", "tools/list")
    del body["params"]["_meta"][missing]
    answer = client.post("/mcp", json=body, headers=headers("modern", "tools/list"))
    assert error(answer) == (400, -32602, 1)
    assert missing in answer.json()["error"]["message"]
    del body["params"]
    answer = client.post("/mcp", json=body, headers=headers("modern", "tools/list"))
    assert error(answer) == (400, -32602, 1)
    assert VERSION_KEY in answer.json()["error"]["message"]
    assert CAPABILITIES_KEY in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "changed",
    [
        {"mcp-method": "tools/list"},
        {"mcp-method": None},
        {"mcp-name": "miss"},
        {"mcp-name": None},
        {"mcp-name": "=?base64?%%%?="},
        {"mcp-protocol-version": "2027-01-01"},
    ],
)
def test_headers_that_disagree_with_the_body_are_refused(client: httpx.Client, changed: dict[str, str | None]) -> None:
    merged = {**headers("modern", "tools/call", "add"), **changed}
    sent = {name: value for name, value in merged.items() if value is not None}
    body = message("modern", "tools/call", {"name": "add", "arguments": {"a": 1}})
    assert error(client.post("/mcp", json=body, headers=sent)) == (400, -32020, 1)


def test_a_name_in_base64_wrapping_is_understood(client: httpx.Client) -> None:
    answer = ask(
        client, "modern", "tools/call", {"name": "add", "arguments": {"a": 1}}, **{"mcp-name": "=?base64?YWRk?="}
    )
    assert answer.json()["result"]["structuredContent"] == {"total": 2}


def test_a_version_that_is_not_served_is_told_what_is(client: httpx.Client) -> None:
    body = message("modern", "tools/list")
    body["params"]["_meta"] = envelope("2027-01-01")
    sent = {"mcp-protocol-version": "2027-01-01", "mcp-method": "tools/list"}
    answer = client.post("/mcp", json=body, headers=sent)
    assert error(answer) == (400, -32022, 1)
    assert answer.json()["error"]["data"] == {"supported": [MODERN], "requested": "2027-01-01"}
    notification = client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=sent)
    assert error(notification) == (400, -32022, None)


@pytest.mark.parametrize("method", ["no/such", "subscriptions/listen", "logging/setLevel", "resources/subscribe"])
@pytest.mark.parametrize(("era", "status"), [("old", 200), ("modern", 404)])
def test_unknown_methods(client: httpx.Client, era: str, status: int, method: str) -> None:
    answer = ask(client, era, method)
    assert error(answer) == (status, -32601, 1)
    assert method not in answer.text


@pytest.mark.parametrize("method", ["initialize", "ping"])
def test_removed_methods_are_unknown_in_the_modern_era(client: httpx.Client, method: str) -> None:
    assert error(ask(client, "modern", method)) == (404, -32601, 1)


def test_ping_answers_in_the_old_era(client: httpx.Client) -> None:
    assert ask(client, "old", "ping").json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(("era", "status"), [("old", 200), ("modern", 400)])
def test_a_cursor_on_a_list_of_one_page_is_refused(client: httpx.Client, era: str, status: int) -> None:
    for cursor in ("x", 5):
        assert error(ask(client, era, "tools/list", {"cursor": cursor})) == (status, -32602, 1)
    assert ask(client, era, "tools/list", {"cursor": ""}).status_code == 200


def test_malformed_parameters_of_a_method_are_refused_in_our_words(client: httpx.Client) -> None:
    answer = ask(client, "old", "initialize", {"protocolVersion": 5, "capabilities": "SECRET"})
    assert error(answer) == (200, -32602, 1)
    assert "SECRET" not in answer.text
    assert "data" not in answer.json()["error"]


def test_a_2026_envelope_under_an_old_header_is_served_as_old(client: httpx.Client) -> None:
    body = message("modern", "tools/call", {"name": "add", "arguments": {"a": 1}})
    answer = client.post("/mcp", json=body, headers={"mcp-protocol-version": "2025-06-18"}).json()
    assert "resultType" not in answer["result"]
    assert answer["result"]["structuredContent"] == {"total": 2}


@pytest.mark.parametrize("request_id", ["a", "", 0, -5, 2**63 - 1, "é\U0001f600"])
@pytest.mark.parametrize("era", ERAS)
def test_every_proper_id_comes_back(client: httpx.Client, era: str, request_id: Any) -> None:
    body = message(era, "tools/call", {"name": "add", "arguments": {"a": 1}}) | {"id": request_id}
    answer = client.post("/mcp", json=body, headers=headers(era, "tools/call", "add")).json()
    assert answer["id"] == request_id
    assert type(answer["id"]) is type(request_id)


@pytest.mark.parametrize("era", ERAS)
def test_stale_session_headers_are_ignored(client: httpx.Client, era: str) -> None:
    answer = ask(client, era, "tools/list", **{"mcp-session-id": "stale", "last-event-id": "7", "x-odd": "1"})
    assert answer.status_code == 200


@pytest.mark.parametrize("era", ERAS)
def test_a_result_over_the_bound_is_the_familys_failure(client: httpx.Client, era: str) -> None:
    # hosting A50 (first half)
    result = call(client, era, "grow", {"size": 2_097_152})
    assert result["isError"] is True
    assert result["_meta"][META_KEY] == {"code": "result_too_large", "retryable": False}
    assert ("resultType" in result) == (era == "modern")
    assert len(call(client, era, "grow", {"size": 2_000_000})["structuredContent"]["arguments"]["text"]) == 2_000_000


# Anything at all


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
methods = st.sampled_from(["tools/call", "tools/list", "initialize", "server/discover", "ping", "x", ""])
versions = st.sampled_from([None, *OLD, MODERN, "1999-01-01", ""])
tools = st.sampled_from(["add", "miss", "find_notes", "nope"])
messages = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0") | json_values, "method": methods | json_values},
    optional={
        "id": st.integers() | json_values,
        "params": json_values
        | st.fixed_dictionaries(
            {},
            optional={
                "name": tools | json_values,
                "arguments": json_values | st.dictionaries(st.sampled_from(["a", "b", "query", "what"]), json_values),
                "_meta": json_values | st.just(envelope()),
                "cursor": json_values,
                "protocolVersion": json_values,
            },
        ),
        "result": json_values,
    },
)
bodies = st.binary(max_size=64) | json_values.map(json.dumps).map(str.encode) | messages.map(json.dumps).map(str.encode)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(body=bodies, version=versions, routing=st.tuples(st.none() | methods, st.none() | tools))
def test_no_message_makes_the_service_fail(
    client: httpx.Client, body: bytes, version: str | None, routing: tuple[str | None, str | None]
) -> None:
    given_headers = {"mcp-protocol-version": version, "mcp-method": routing[0], "mcp-name": routing[1]}
    sent = {name: value for name, value in given_headers.items() if value is not None}
    answer = client.post("/mcp", content=body, headers=sent | {"content-type": "application/json"})
    assert answer.status_code in (200, 202, 400, 404)
    if answer.status_code == 202:
        assert answer.content == b""
        return
    reply = answer.json()
    assert reply["jsonrpc"] == "2.0"
    assert ("result" in reply) != ("error" in reply)
    if "error" in reply:
        assert reply["error"]["code"] in (-32700, -32600, -32601, -32602, -32020, -32022)
        assert "pydantic" not in answer.text


# The log line


def test_one_line_for_each_request_with_names_from_closed_lists(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    # hosting A52; that a cancelled request has one line too is shown where a client leaves
    caplog.set_level(logging.INFO, "paperdesk.requests")
    ask(client, "modern", "tools/call", {"name": "add", "arguments": {"a": 1}})
    ask(client, "old", "tools/call", {"name": "planted-name"})
    client.post("/mcp", json=message("old", "planted/method"))
    client.post("/mcp", json=message("old", "ping"), headers={"mcp-protocol-version": "planted"})
    ask(client, "old", "tools/call", {"name": "crash"})
    client.get("/mcp")
    wait_until(lambda: len(lines(caplog)) == 6)
    seen = [dict(pair.split("=") for pair in line.removeprefix("mcp_request ").split()) for line in lines(caplog)]
    names = ("tool", "status", "protocol", "toolset", "method", "outcome", "code")
    assert [tuple(line[name] for name in names) for line in seen] == [
        ("add", "200", "2026-07-28", "desk", "tools/call", "ok", "-"),
        ("unknown", "200", "2025-11-25", "desk", "tools/call", "refused", "-32602"),
        ("-", "200", "legacy", "desk", "unknown", "refused", "-32601"),
        ("-", "400", "unknown", "desk", "ping", "refused", "-32602"),
        ("crash", "200", "2025-11-25", "desk", "tools/call", "crashed", "internal_error"),
        ("-", "405", "legacy", "desk", "-", "refused", "method_not_allowed"),
    ]
    first = ["tool", "status", "latency_ms", "bytes", "protocol", "version"]
    then = ["toolset", "method", "outcome", "code", "budget", "identity", "upstream_ms", "request_id"]
    assert all(list(line) == first + then for line in seen)
    assert "planted" not in caplog.text
