"""Both endpoints as a caller meets them: methods, bodies, eras, keys, budgets, and what is never written down."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.limits.key_file import write_keys
from server.limits.keys import new_key
from tests.evidence_service import MODERN, Served, served

pytestmark = pytest.mark.anyio
OLD = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
PATHS = ("/mcp/evidence", "/mcp/connector")
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SECRET = "hunter2-planted-secret"


@pytest.fixture
async def desk(sample_with_evidence: Path) -> AsyncIterator[Served]:
    async with served(sample_with_evidence, embedder="none", toolsets="evidence,connector") as made:
        yield made


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("version", [None, *OLD, MODERN])
async def test_an_unknown_method_is_told_by_era(desk: Served, path: str, version: str | None) -> None:
    # evidence A5
    headers = {} if version is None else {"mcp-protocol-version": version}
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 7, "method": "no/such"}
    if version == MODERN:
        headers["mcp-method"] = "no/such"
        body["params"] = {"_meta": META}
    answer = await desk.post(body, path=path, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404 if version == MODERN else 200, -32601)
    assert answer.json()["id"] == 7


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("body", "code"),
    [
        *[(b"{", -32700), (b"", -32700), (b"\xff", -32700), (b"[]", -32600), (b"5", -32600)],
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
    ],
)
async def test_what_is_no_request_is_refused(desk: Served, path: str, body: bytes, code: int) -> None:
    # evidence A6
    answer = await desk.post(body, path=path)
    assert (answer.status_code, answer.json()["error"]["code"], answer.json()["id"]) == (400, code, None)


@pytest.mark.parametrize("path", PATHS)
async def test_one_method_one_size_and_a_closing_slash(desk: Served, path: str) -> None:
    # evidence A7
    answer = await desk.get(path)
    assert (answer.status_code, answer.headers["allow"], answer.json()["error"]) == (405, "POST", "method_not_allowed")
    assert (await desk.post(b" " * (2 * 2**20 + 1), path=path)).status_code == 413
    assert (await desk.post(LIST, path=f"{path}/")).content == (await desk.post(LIST, path=path)).content


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("accept", [None, "*/*", "text/event-stream", "application/json"])
async def test_whatever_is_accepted_the_answer_is_json(desk: Served, path: str, accept: str | None) -> None:
    # evidence A8
    answer = await desk.post(LIST, path=path, headers={} if accept is None else {"accept": accept})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")


async def test_two_services_give_equal_bytes(sample_with_evidence: Path) -> None:
    # evidence A9
    calls = [
        ("search_claims", {"query": "productivity"}, PATHS[0]),
        ("search_papers", {"theme": "productivity"}, PATHS[0]),
        ("find_authors", {}, PATHS[0]),
        ("get_paper", {"paper_id": "10.1126/science.adh2586"}, PATHS[0]),
        ("search", {"query": "attention"}, PATHS[1]),
        ("fetch", {"id": "claim:123"}, PATHS[1]),
    ]
    told = []
    for dispatcher in ("lean", "lean", "sdk"):
        async with served(sample_with_evidence, embedder="none", dispatcher=dispatcher) as desk:
            told.append([await desk.call(name, arguments, path=path) for name, arguments, path in calls])
    assert [answer.content for answer in told[0]] == [answer.content for answer in told[1]]
    assert [answer.json() for answer in told[0]] == [answer.json() for answer in told[2]]
    assert all(answer.json()["result"]["isError"] is False for answer in told[0])


async def test_an_unknown_tool_is_an_error_of_the_protocol(desk: Served) -> None:
    answer = await desk.call("search_claim")
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32602)
    names = "search_claims, search_papers, find_authors, get_author_papers, semantic_search, get_paper"
    assert f"Its tools: {names}, list_digests, get_digest." in answer.json()["error"]["message"]


async def test_keys_on_the_evidence_endpoint(sample_with_evidence: Path, tmp_path: Path) -> None:
    # evidence A10, A11, A12
    clear, key = new_key("desk", 0, limits={})
    old_clear, old = new_key("old", 0, expires_s=1.0, limits={})
    write_keys(tmp_path / "keys", [key, old])
    assert clear not in (tmp_path / "keys").read_text()
    wrong = [f"Bearer {new_key('x', 0, limits={})[0]}", f"Bearer {old_clear}", "Bearer x", "Basic eDp5"]
    common = {"embedder": "none", "keys_file": str(tmp_path / "keys"), "toolsets": "evidence"}
    async with served(sample_with_evidence, **common) as desk:
        good = await desk.post(LIST, headers={"authorization": f"Bearer {clear}"})
        assert (good.status_code, good.headers["ratelimit-limit"]) == (200, "300")
        nobody = await desk.post(LIST)
        in_url = await desk.post(LIST, path=f"/mcp/evidence?key={clear}&authorization=Bearer%20{clear}")
        assert [each.headers["ratelimit-limit"] for each in (nobody, in_url)] == ["60", "60"]
        refusals = [await desk.post(LIST, headers={"authorization": each}) for each in wrong]
    async with served(sample_with_evidence, **common, anonymous="false") as desk:
        refusals.append(await desk.post(LIST))
    assert {(each.status_code, each.headers["www-authenticate"], each.content) for each in refusals} == {
        (401, 'Bearer realm="paperdesk"', refusals[0].content)
    }
    assert refusals[0].json()["error"] == "invalid_credential"


async def test_the_sixty_first_in_a_minute_is_429(desk: Served) -> None:
    # evidence A13, A14
    for number in range(60):
        forged = {"x-forwarded-for": f"198.51.100.{number}"}
        assert (await desk.post(LIST, headers=forged)).status_code == 200
    answer = await desk.post(LIST)
    body = answer.json()
    assert (answer.status_code, body["error"], body["budget"]) == (429, "rate_limit_exceeded", "per_minute")
    assert 1 <= int(answer.headers["retry-after"]) <= 60
    assert [answer.headers[f"ratelimit-{name}"] for name in ("limit", "remaining")] == ["60", "0"]
    assert (await desk.post(LIST, peer="203.0.113.77")).status_code == 200
    shared = [await desk.post(LIST, peer=peer) for peer in ("160.79.104.1", "160.79.111.9")]
    assert [each.headers["ratelimit-remaining"] for each in shared] == ["1199", "1198"]


async def test_a_planted_secret_is_written_nowhere(desk: Served, caplog: pytest.LogCaptureFixture) -> None:
    # evidence A60
    caplog.set_level(logging.DEBUG)
    headers = {"authorization": f"Bearer {SECRET}", "x-note": SECRET}
    answers = [
        await desk.call("search_claims", {"query": f"{SECRET} " * 40}, headers=headers),
        await desk.call("search_claims", {"query": f"{SECRET}"}, headers=headers),
        await desk.call("semantic_search", {"query": SECRET}, headers=headers),
        await desk.call("search", {"query": SECRET}, headers=headers, path="/mcp/connector"),
        await desk.call(SECRET, {}, headers=headers),
    ]
    assert [record for record in caplog.records if record.name == "paperdesk.requests"]
    assert SECRET not in caplog.text
    assert SECRET not in repr([vars(record) for record in caplog.records])
    assert answers[0].json()["result"]["isError"] is True and SECRET not in answers[0].text
    assert answers[4].json()["error"]["code"] == -32602
