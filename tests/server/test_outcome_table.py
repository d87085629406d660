"""The table of outcomes by era (hosting contract 2.2), row by row, on every dispatcher."""

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx
import pytest
from desk_toolset import META_KEY, TOOLSET, Desk
from live import desk_service, front

from core.clock import SystemClock
from server.app import create_app
from server.bootstrap import DISPATCHERS
from server.prompts import Prompt
from server.registry import BoundToolset
from tests.conformance.toolset import bound_fixture

pytestmark = pytest.mark.anyio

MODERN = "2026-07-28"
ERAS = ("2025-11-25", None, MODERN)
"""Both eras, the older one with and without its header."""
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SECRET = "planted-in-a-prompt"


def broken() -> str:
    """Fails in a way nobody planned."""
    raise RuntimeError(SECRET)


@pytest.fixture(scope="module", params=DISPATCHERS)
async def client(request: pytest.FixtureRequest) -> AsyncIterator[httpx.AsyncClient]:
    clock = SystemClock()
    desk = BoundToolset(replace(TOOLSET, prompts=(Prompt(broken, "Broken"),)), Desk(), clock=clock)
    service = replace(desk_service(Desk(), request.param), toolsets=(desk, bound_fixture(clock)))
    app = create_app(service, front())
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as made,
    ):
        yield made


@dataclass(frozen=True, slots=True)
class Row:
    """A message and what becomes of it: HTTP statuses in the older era and the newer, and a JSON-RPC code or none.

    `changed` headers are laid over the right ones; None takes one away. `None` as a status: the row has no such era.
    """

    statuses: tuple[int | None, int | None]
    code: int | None = None
    method: str = "tools/call"
    params: Any = None
    path: str = "/mcp"
    body: bytes | None = None
    changed: Mapping[str, str | None] | None = None
    doubled: str | None = None
    without: str | None = None
    is_notification: bool = False
    data: Mapping[str, Any] | None = None
    has_id: bool = True


ADD = {"name": "add", "arguments": {"a": 1}}
FIXTURE = "/mcp/conformance"
CALLER = {"statuses": (200, 400), "code": -32602}
ROWS = {
    "success": Row((200, 200), params=ADD),
    "a failure that the family words": Row((200, 200), params={"name": "miss", "arguments": {"what": "x"}}),
    "a known notification": Row((202, 202), method="notifications/initialized", params={}, is_notification=True),
    "an unknown notification": Row((202, 202), method="no/such", params={}, is_notification=True),
    "a call as a notification": Row((202, 202), params=ADD, is_notification=True),
    **{
        f"no strict JSON: {body[:24]!r}": Row((400, 400), -32700, body=body, has_id=False)
        for body in (b"", b"{", b"\xff", b"NaN", b"[Infinity]", b"\xef\xbb\xbf{}", b'"\\ud800"', b"[" * 100_000)
    },
    **{
        f"no single message: {body[:40]!r}": Row((400, 400), -32600, body=body, has_id=False)
        for body in (
            b"[]",
            b"5",
            b'"x"',
            b"{}",
            b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":1,"method":5}',
            b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
            b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":[],"method":"ping"}',
            b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
            b'{"jsonrpc":"2.0","id":1,"result":{}}',
        )
    },
    **{
        f"{name} twice": Row((400, 400), -32020, params=ADD, doubled=name)
        for name in ("mcp-protocol-version", "mcp-method", "mcp-name")
    },
    **{
        f"no {key.rpartition('/')[2]}": Row((None, 400), -32602, params=ADD, without=key)
        for key in (VERSION_KEY, CAPABILITIES_KEY)
    },
    "another method in the header": Row((None, 400), -32020, params=ADD, changed={"mcp-method": "ping"}),
    "no method in a header": Row((None, 400), -32020, params=ADD, changed={"mcp-method": None}),
    "another name in the header": Row((None, 400), -32020, params=ADD, changed={"mcp-name": "miss"}),
    "no name in a header": Row((None, 400), -32020, params=ADD, changed={"mcp-name": None}),
    "another version in the header": Row((None, 400), -32020, params=ADD, changed={"mcp-protocol-version": "x"}),
    **{
        f"the method {method}": Row((200, 404), -32601, method, {})
        for method in ("no/such", "subscriptions/listen", "logging/setLevel", "resources/subscribe", "resources/list")
    },
    "discovery before there was any": Row((200, None), -32601, "server/discover", {}),
    "a handshake after there was one": Row((None, 404), -32601, "initialize", {}),
    "a ping after there was one": Row((None, 404), -32601, "ping", {}),
    "an unknown tool": Row(params={"name": "nope"}, **CALLER),
    "a call without a name": Row(params={}, **CALLER),
    "a call whose name is a number": Row(params={"name": 5}, **CALLER),
    "arguments that are a list": Row(params={"name": "add", "arguments": [1]}, **CALLER),
    "arguments that are text": Row(params={"name": "add", "arguments": "a"}, **CALLER),
    "null for arguments": Row((200, 200), params={"name": "crash", "arguments": None}),
    "a wrong argument": Row((200, 200), params={"name": "add", "arguments": {"a": "x"}}),
    "a missing argument": Row((200, 200), params={"name": "add", "arguments": {}}),
    "an unknown argument": Row((200, 200), params={"name": "add", "arguments": {"a": 1, "c": 2}}),
    "an unexpected exception in a tool": Row((200, 200), params={"name": "crash"}),
    "an unexpected exception elsewhere": Row((200, 200), -32603, "prompts/get", {"name": "broken"}),
    "an unknown prompt": Row(method="prompts/get", params={"name": "nope"}, path=FIXTURE, **CALLER),
    "a prompt without its argument": Row(
        method="prompts/get", params={"name": "test_prompt_with_arguments"}, path=FIXTURE, **CALLER
    ),
    "a resource that is not there": Row(
        method="resources/read", params={"uri": "test://nope"}, path=FIXTURE, data={"uri": "test://nope"}, **CALLER
    ),
    "a cursor": Row(method="tools/list", params={"cursor": "x"}, **CALLER),
    "an empty cursor": Row((200, 200), method="tools/list", params={"cursor": ""}),
}


def sent(row: Row, version: str | None) -> tuple[bytes, list[tuple[str, str]]]:
    """The body and the headers of a row in an era, right in all but what the row is about."""
    params = row.params if row.params is None else dict(row.params)
    headers: dict[str, str | None] = {"content-type": "application/json", "mcp-protocol-version": version}
    if version == MODERN:
        meta = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
        meta.pop(row.without or "", None)
        params = {**(params or {}), "_meta": meta}
        name = params.get("name") or params.get("uri")
        headers |= {"mcp-method": row.method, "mcp-name": name if isinstance(name, str) else None}
    message = {"jsonrpc": "2.0", "method": row.method, "params": params or {}}
    if not row.is_notification:
        message["id"] = 7
    headers |= row.changed or {}
    lines = [(name, value) for name, value in headers.items() if value is not None]
    if row.doubled:
        lines = [(name, value) for name, value in lines if name != row.doubled] + [(row.doubled, version or "x")] * 2
    return json.dumps(message).encode() if row.body is None else row.body, lines


CASES = [
    (name, version) for name, row in ROWS.items() for version in ERAS if row.statuses[version == MODERN] is not None
]
IGNORED = [name for name, row in ROWS.items() if row.without or {"mcp-method", "mcp-name"} & {*(row.changed or ())}]


@pytest.mark.parametrize(("name", "version"), CASES)
async def test_a_row_of_the_table_holds(client: httpx.AsyncClient, name: str, version: str | None) -> None:
    # hosting A20
    row = ROWS[name]
    status = row.statuses[version == MODERN]
    body, headers = sent(row, version)
    answer = await client.post(row.path, content=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert "pydantic" not in answer.text and SECRET not in answer.text
    if status == 202:
        assert answer.content == b""
        return
    found = answer.json()
    assert found["id"] == (7 if row.has_id else None)
    assert found.get("error", {}).get("code") == row.code
    if row.data is not None:
        assert row.data.items() <= found["error"]["data"].items()


@pytest.mark.parametrize("version", [version for version in ERAS if version != MODERN])
@pytest.mark.parametrize("name", IGNORED)
async def test_what_only_the_newer_era_asks_for_is_ignored_in_the_older(
    client: httpx.AsyncClient, name: str, version: str | None
) -> None:
    # hosting A20
    body, headers = sent(ROWS[name], version)
    answer = await client.post("/mcp", content=body, headers=headers)
    assert (answer.status_code, answer.json()["result"]["structuredContent"]) == (200, {"total": 2})


@pytest.mark.parametrize("is_notification", [False, True])
async def test_a_version_that_is_not_served_is_told_what_is(client: httpx.AsyncClient, is_notification: bool) -> None:
    # hosting A20
    params = {"_meta": {VERSION_KEY: "2030-01-01", CAPABILITIES_KEY: {}}}
    message = {"jsonrpc": "2.0", "method": "tools/list", "params": params} | ({} if is_notification else {"id": 7})
    headers = {"mcp-protocol-version": "2030-01-01", "mcp-method": "tools/list"}
    answer = await client.post("/mcp", json=message, headers=headers)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, -32022)
    assert error["data"] == {"supported": [MODERN], "requested": "2030-01-01"}


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("miss", {"what": "x"}, "not_found"),
        ("add", {"a": "x"}, "invalid_argument"),
        ("add", {}, "invalid_argument"),
        ("add", {"a": 1, "c": 2}, "invalid_argument"),
        ("crash", None, "internal_error"),
    ],
)
async def test_a_failure_of_a_tool_is_a_result_in_the_familys_words(
    client: httpx.AsyncClient, version: str | None, tool: str, arguments: Any, code: str
) -> None:
    # hosting A20, A33
    body, headers = sent(Row((200, 200), params={"name": tool, "arguments": arguments}), version)
    result = (await client.post("/mcp", content=body, headers=headers)).json()["result"]
    assert (result["isError"], result["_meta"][META_KEY]["code"]) == (True, code)
    assert result["content"][0]["text"].startswith(f"{code}: ")
