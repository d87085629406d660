"""Secrets planted wherever a caller, an upstream or an operator can put one: none comes out (hosting contract 7.6)."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.envelope import MODERN_VERSION
from server.limits.key_file import write_keys
from server.limits.keys import new_key
from server.setting_table import SETTINGS
from tests.gates.leaky_upstream import WAYS, leaking
from tests.gates.raw_http import RawConnection
from tests.gates.running import (
    DISPATCHERS,
    ROOT,
    WIDE_BUDGETS,
    Server,
    clean_environment,
    free_port,
    serving,
    serving_catalog,
    serving_fixture,
)
from tests.scan_service import GAP_QUERY, PLAN, Json, Judge, ScanClient, entry, fresh_id
from tests.server.desk_toolset import SECRET as CRASH_SECRET

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

ENVELOPE = "io.modelcontextprotocol/"
MARK = "hunter2.planted"
"""A dot keeps it from being a well-formed request id, which is repeated and logged."""

HEADERS = (
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "Content-Type",
    "Cookie",
    "Forwarded",
    "From",
    "Host",
    "If-None-Match",
    "Last-Event-ID",
    "Mcp-Method",
    "Mcp-Name",
    "MCP-Protocol-Version",
    "Mcp-Session-Id",
    "Origin",
    "Proxy-Authorization",
    "Range",
    "Referer",
    "TE",
    "Traceparent",
    "Tracestate",
    "Baggage",
    "User-Agent",
    "Via",
    "X-Anything",
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-PwC-MCP-Client",
    "X-Real-IP",
    "X-Request-Id",
)
REPEATED_TO_ITS_SENDER = {"MCP-Protocol-Version"}
"""A version that is not served is named in `data.requested` (hosting contract 2.2)."""


def secret_of(place: str) -> str:
    """A text of its own for each place, so that a leak names where it came from."""
    return f"{MARK}.{place.lower().replace('-', '.').replace(' ', '.')}"


UPSTREAM_SECRET = secret_of("upstream")
CLEAR_KEY, KEY = new_key(secret_of("label"), 0.0, limits={})
SECRET_TEXTS = (MARK, CLEAR_KEY, CLEAR_KEY.removeprefix("pdk_"), KEY.sha256)


@pytest.fixture(scope="module", params=DISPATCHERS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The service at its most talkative, over an upstream that leaks; nothing may ever be found in what it said."""
    folder = tmp_path_factory.mktemp("served")
    write_keys(folder / "keys", [KEY])
    given = {
        "PAPERDESK_CURSOR_KEYS": secret_of("cursor key"),
        "PAPERDESK_KEYS_FILE": str(folder / "keys"),
        "PAPERDESK_LOG_LEVEL": "DEBUG",
        "PAPERDESK_DISPATCHER": request.param,
    }
    with (
        leaking(UPSTREAM_SECRET) as upstream,
        serving(folder, "serve", "--catalog", upstream, environment={**WIDE_BUDGETS, **given}) as started,
    ):
        yield started
        metrics = httpx.get(f"{started.url}/metrics")
        assert metrics.status_code == 200
        assert "paperdesk_requests_total" in metrics.text
        assert [secret for secret in SECRET_TEXTS if secret in metrics.text] == []
        started.stop()
        assert started.requests()
        assert [line for line in started.said().splitlines() if any(secret in line for secret in SECRET_TEXTS)] == []
        assert "Traceback" not in started.said()


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as made:
        yield made


def envelope(method: str, params: Mapping[str, Any], *, modern: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """A message and the headers that go with it."""
    params, headers = dict(params), {"Content-Type": "application/json"}
    if modern:
        params["_meta"] = {f"{ENVELOPE}protocolVersion": MODERN_VERSION, f"{ENVELOPE}clientCapabilities": {}}
        headers |= {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
        name = params.get("name") or params.get("uri")
        headers |= {"Mcp-Name": name} if isinstance(name, str) else {}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, headers


def said(answer: httpx.Response) -> str:
    """All of an answer."""
    return "\n".join((*(f"{name}: {value}" for name, value in answer.headers.items()), answer.text))


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("header", HEADERS)
def test_no_header_is_repeated(client: httpx.Client, header: str, modern: bool) -> None:
    # hosting A51
    secret = secret_of(header)
    for method, params in (("tools/call", {"name": "list_tasks", "arguments": {}}), ("tools/list", {})):
        body, headers = envelope(method, params, modern=modern)
        for value in (secret, f"Bearer {secret}", f"{headers.get(header, '')} {secret}".strip()):
            # By name, so that the planted one stands in the place of the right one.
            sent = {name.lower(): text for name, text in headers.items()} | {header.lower(): value}
            answer = client.post("/mcp", json=body, headers=sent)
            assert header in REPEATED_TO_ITS_SENDER or MARK not in said(answer)


@pytest.mark.parametrize("form", ["Bearer {}", "Bearer {}x", "Basic {}", "{}"])
def test_no_key_is_repeated(client: httpx.Client, form: str) -> None:
    # hosting A51
    authorization = form.format(CLEAR_KEY)
    body, headers = envelope("tools/list", {}, modern=False)
    for path in ("/mcp", "/nope", "/docs", "/health"):
        answer = client.post(path, json=body, headers={**headers, "Authorization": authorization})
        assert [secret for secret in SECRET_TEXTS if secret in said(answer)] == []
    answer = client.post("/mcp", json=body, headers={**headers, "Authorization": authorization})
    assert answer.status_code == (200 if form == "Bearer {}" else 401)


@pytest.mark.parametrize("path", ["/mcp/{}", "/mcp?{}={}", "/{}", "/docs?format={}", "/.well-known/{}", "/health?{}"])
def test_no_path_or_query_is_repeated(client: httpx.Client, path: str) -> None:
    # hosting A51
    secret = secret_of("path")
    body, headers = envelope("tools/list", {}, modern=False)
    for method in ("POST", "GET", "DELETE", "OPTIONS"):
        assert MARK not in said(client.request(method, path.format(secret, secret), json=body, headers=headers))


@pytest.mark.parametrize(
    "raw",
    [
        b"%b /mcp HTTP/1.1\r\n\r\n",
        b"POST /mcp %b\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\n%b\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: %b\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: %b\r\n\r\n",
    ],
)
def test_nothing_unreadable_is_repeated(server: Server, raw: bytes) -> None:
    # hosting A51
    with RawConnection(int(server.url.rpartition(":")[2])) as connection:
        connection.send(raw % secret_of("bytes").encode())
        assert MARK.encode() not in connection.rest(10)


@pytest.mark.parametrize("modern", [False, True])
def test_names_arguments_and_bodies_stay_out_of_the_log(client: httpx.Client, modern: bool) -> None:
    # hosting A51; the fixture reads the log at the end
    secret = secret_of("argument")
    calls: list[tuple[str, dict[str, Any]]] = [
        ("tools/call", {"name": secret_of("tool"), "arguments": {}}),
        ("tools/call", {"name": "search_papers", "arguments": {"query": secret}}),
        ("tools/call", {"name": "search_papers", "arguments": {secret: secret}}),
        ("tools/call", {"name": "get_paper_info", "arguments": {"paper": f"10.1234/{secret}"}}),
        ("tools/call", {"name": "read_paper", "arguments": {"paper": "2401.00001", "cursor": secret}}),
        ("resources/read", {"uri": f"pwc://papers/{secret}"}),
        ("prompts/get", {"name": secret}),
        ("prompts/get", {"name": "find_papers", "arguments": {"topic": secret}}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": secret}, "argument": {"name": "x", "value": ""}},
        ),
        ("initialize", {"protocolVersion": secret, "capabilities": {}, "clientInfo": {"name": secret, "version": "1"}}),
        (secret_of("method"), {secret: secret}),
        ("tools/list", {"cursor": secret}),
    ]
    for method, params in calls:
        body, headers = envelope(method, params, modern=modern)
        answered = client.post("/mcp", json=body, headers=headers)
        assert answered.status_code in (200, 400, 404)
    for malformed in ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": "%s"}', '{"%s', '["%s"]', '{"%s": 1}'):
        answer = client.post("/mcp", content=malformed % secret, headers=headers)
        assert (answer.status_code, MARK in said(answer)) == (400, False)


class Talkative(Judge):
    """A judge that plants a secret in each text of a judgement."""

    def scores(self, items: list[Json]) -> list[Json]:
        """Scores with planted reasons."""
        return [{**each, "reason": secret_of("reason")} for each in super().scores(items)]

    def answer(self, envelope: Json) -> Json:
        """Does what is asked for; each call is made once more with a planted fault."""
        given: Json = {"scan_id": self.scan_id, secret_of("key"): secret_of("value")}
        self.client.call("scan_continue", given)
        if envelope["next_action"] != "rank_shortlist":
            return super().answer(envelope)
        told = ("key_finding", "methodology", "why_it_matters", "relevance_reason")
        planted = {**{name: secret_of(name) for name in told}, "limitations": [secret_of("limitation")]}
        rows = enumerate(envelope["payload"]["shortlist_records"])
        entries = [{**entry(place, row["cid"]), **planted} for place, row in rows]
        wrong = [{**each, "criteria": {secret_of("criterion"): 1}} for each in entries]
        refused = self.client.call("scan_continue", scan_id=self.scan_id, ranked_entries=wrong)
        assert refused["payload"]["code"] == "criteria_mismatch"
        return self.client.call("scan_continue", scan_id=self.scan_id, ranked_entries=entries)


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
def test_what_a_scan_is_told_stays_out_of_the_log(dispatcher: str, sample_directory: Path, tmp_path: Path) -> None:
    # scan A75
    given = {
        "PAPERDESK_LOG_LEVEL": "DEBUG",
        "PAPERDESK_SCAN_STORE": f"sqlite:{tmp_path / 'scans.db'}",
        "PAPERDESK_SCAN_SOURCES": "catalog",
        "PAPERDESK_SCAN_SECRET": secret_of("secret of the store"),
        "PAPERDESK_SCAN_ENCRYPTION_KEYS": secret_of("encryption key of scans"),
    }
    with serving_catalog(tmp_path, sample_directory, dispatcher=dispatcher, environment=given) as started:
        with httpx.Client(base_url=started.url, timeout=60) as http:
            client, scan_id = ScanClient(http), fresh_id()
            start: Json = {
                "scan_id": scan_id,
                "brief": secret_of("brief"),
                "profile": "quick",
                "force_gap_round": True,
                "queries": {
                    **PLAN,
                    "brief_summary": secret_of("summary"),
                    "must_not": [secret_of("must not")],
                    "anchors": [{"title": secret_of("anchor title")}, {"doi": f"10.1234/{secret_of('anchor doi')}"}],
                    "queries": [{**each, "text": f"{each['text']} {secret_of('query')}"} for each in PLAN["queries"]],
                },
            }
            conflict = {**start, "brief": secret_of("another brief")}
            judge = Talkative(client, scan_id, gap_queries=({**GAP_QUERY, "text": f"attention {secret_of('gap')}"},))
            begun = client.call("scan_start", start)
            assert client.call("scan_start", conflict)["payload"]["code"] == "scan_id_conflict"
            assert judge.play(begun)["phase"] == "complete"
            assert client.call("scan_start", {**start, "scan_id": secret_of("id")})["status"] == "invalid_artifact"
            client.read(f"scan-run://{scan_id}/{secret_of('document')}")
            client.delete(secret_of("deletion"))
            cids = [
                each["cid"]
                for each in json.loads(client.read(uri_of(scan_id))["result"]["contents"][0]["text"])["candidates"]
            ]
        metrics = httpx.get(f"{started.url}/metrics").text
        started.stop()
        for said_of_it in (metrics, started.said()):
            for secret in (MARK, scan_id, *cids):
                assert secret not in said_of_it
        assert "stage=emit result=done" in started.said()
        assert "Traceback" not in started.said()
    files = [path for path in tmp_path.iterdir() if path.name.startswith("scans.db")]
    assert files
    assert not any(MARK.encode() in path.read_bytes() or scan_id.encode() in path.read_bytes() for path in files)


def uri_of(scan_id: str) -> str:
    """Where the candidates of a scan are read."""
    return f"scan-run://{scan_id}/candidates.json"


@pytest.mark.parametrize("way", WAYS)
def test_no_text_of_an_upstream_is_repeated_in_a_failure(client: httpx.Client, way: str) -> None:
    # hosting A51
    body, headers = envelope("tools/call", {"name": "get_paper_info", "arguments": {"paper": way}}, modern=False)
    result = client.post("/mcp", json=body, headers=headers).json()["result"]
    assert result["isError"]
    assert UPSTREAM_SECRET not in json.dumps(result)


@pytest.mark.parametrize("dispatcher", DISPATCHERS)
def test_a_crash_says_nothing_of_its_cause(dispatcher: str, tmp_path: Path) -> None:
    # hosting A33, A51
    with serving_fixture(tmp_path, dispatcher=dispatcher, log_level="DEBUG") as started:
        for modern in (False, True):
            body, headers = envelope("tools/call", {"name": "crash", "arguments": {}}, modern=modern)
            answer = httpx.post(f"{started.url}/mcp", json=body, headers=headers)
            assert answer.json()["result"]["isError"]
            assert CRASH_SECRET not in said(answer)
        assert CRASH_SECRET not in httpx.get(f"{started.url}/metrics").text
        started.stop()
    assert "tool_crashed tool=crash error=RuntimeError" in started.said()
    assert CRASH_SECRET not in started.said()
    assert "Traceback" not in started.said()


SECRETS = [setting.name for setting in SETTINGS if setting.secret]
FORMS = ("{}", "{0},{0}", "redis://user:{}@127.0.0.1:1/0", "ftp://{}@nowhere", "{0}{0}{0}{0}")


@pytest.mark.parametrize("in_files", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_a_start_that_fails_shows_no_secret_setting(form: str, in_files: bool, tmp_path: Path) -> None:
    # hosting A51, A83
    assert SECRETS
    value = form.format(MARK)
    given = dict.fromkeys(SECRETS, value)
    if in_files:
        (tmp_path / "secret").write_text(value, encoding="utf-8")
        given = {f"{name}_FILE": str(tmp_path / "secret") for name in SECRETS}
    assert "PAPERDESK_PORT" in failed_start({**given, "PAPERDESK_PORT": "none"})


@pytest.mark.parametrize(
    "given",
    [
        {"PAPERDESK_CURSOR_KEY": MARK},
        {"PAPERDESK_LIMITS_URI": f"redis://:{MARK}@127.0.0.1"},
        {"PAPERDESK_CATALOG_URL": f"https://user:{MARK}@catalog.example.org/api/v1"},
        {"PAPERDESK_PUBLIC_URL": f"https://user:{MARK}@desk.example.org"},
        {"PAPERDESK_CURSOR_KEYS": MARK * 2, "PAPERDESK_CATALOG_URL": "file:/no/such/catalog"},
        {"PAPERDESK_CURSOR_KEYS": MARK * 2, "PWC_MCP_CURSOR_KEY_CURRENT": MARK * 3},
        {"PAPERDESK_IDENTITY_KEY": MARK * 4, "PAPERDESK_LIMITS_URL": f"redis://:{MARK}@", "PAPERDESK_WORKERS": "2"},
    ],
    ids="-".join,
)
def test_a_start_that_fails_for_another_reason_shows_no_secret_either(given: dict[str, str]) -> None:
    # hosting A51, A83
    assert failed_start({"PAPERDESK_PORT": str(free_port()), **given})


def failed_start(given: Mapping[str, str]) -> str:
    """What the program said before it ended, which it must do by itself, and without the planted secret."""
    done = subprocess.run(
        [sys.executable, "-m", "server", "serve"],
        cwd=ROOT,
        env=clean_environment({**given, "PAPERDESK_LOG_LEVEL": "DEBUG"}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert MARK not in done.stdout + done.stderr
    return done.stderr
