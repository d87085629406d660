"""The scan endpoint over a real port, in both eras and both dispatchers: the form of answers, and what is public."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.scan.rubrics.texts import NAMES, RUBRICS
from tests.scan_service import ERAS, MODERN, OLD, PLAN, Json, Judge, ScanClient, fresh_id, serve_scans

TOOLS = ("scan_start", "scan_continue", "scan_verify", "scan_result")
ID = "7d9f1c52-3a5e-4b1f-9c0d-2f6a81e4b7c3"
BAD_IDS = ["", "../x", 7, None, ID.upper(), f"{{{ID}}}", f"urn:uuid:{ID}", ID.replace("-", ""), [], {"a": 1}, True]
DEEP: Any = "x"
for _ in range(60):
    DEEP = [DEEP]
HOSTILE: list[Any] = [
    {},
    *({"scan_id": bad} for bad in BAD_IDS),
    {"scan_id": "x" * 5_000},
    {"scan_id": "\u0000\u202e💥"},
    {"scan_id": ID, "wish": 1},
    {"scan_id": ID, "queries": "not JSON", "brief": 7},
    {"scan_id": ID, "brief": "b", "queries": {"queries": [{"id": 1}] * 9, "domain": "auto"}},
    {"scan_id": ID, "brief": "b", "queries": {**PLAN, "wish": {"a": {"b": None}}}, "top": "0", "since": "2024-13"},
    {"scan_id": ID, "screen_scores": [{"cid": "X", "score": 2.0, "reason": ""}] * 60, "gap_queries": []},
    {"scan_id": ID, "ranked_entries": [{"cid": 1, "verification": DEEP}]},
    {"scan_id": ID, "screen_scores": DEEP},
    {"scan_id": ID, "ranked_entries": "[" * 500},
    {"scan_id": ID, "ranked_entries": "[1, 2"},
    {"scan_id": ID, "gap_queries": {"a": 1e300, "b": -0.0, "c": 2**60}},
]


@pytest.fixture(scope="module", params=["lean", "sdk"])
def service(request: pytest.FixtureRequest, sample_directory: Path) -> Iterator[httpx.Client]:
    with serve_scans(sample_directory, dispatcher=request.param, scan_max_open="1000", scan_max_jobs="8") as client:
        yield client


@pytest.fixture(params=ERAS)
def client(request: pytest.FixtureRequest, service: httpx.Client) -> ScanClient:
    return ScanClient(service, request.param)


@pytest.mark.parametrize("tool", TOOLS)
def test_whatever_is_sent_the_answer_is_one_envelope(client: ScanClient, tool: str) -> None:
    # scan A2, A3
    for arguments in HOSTILE:
        envelope = client.call(tool, arguments)
        assert envelope["status"] in ("invalid_artifact", "wrong_phase"), arguments
        given = arguments.get("scan_id")
        assert envelope["scan_id"] == (given[:100] if isinstance(given, str) else "")
        assert (envelope["phase"], envelope["next_action"], envelope["progress"]) == ("unknown", None, {})


@pytest.mark.parametrize("bad", BAD_IDS)
def test_what_is_no_id_is_told_before_all_else(client: ScanClient, bad: Any) -> None:
    # scan A6 (part)
    for tool in TOOLS:
        envelope = client.call(tool, {"scan_id": bad, "top": "many", "wish": 1})
        assert envelope["payload"]["code"] == "invalid_scan_id"
        assert len(envelope["payload"]["errors"]) >= 2


def test_a_call_without_arguments_is_answered_too(client: ScanClient) -> None:
    # scan A2
    for params in ({"name": "scan_result"}, {"name": "scan_start", "arguments": None}):
        result = client.post("tools/call", params).json()["result"]
        assert result["structuredContent"]["payload"]["code"] == "invalid_scan_id"


def test_schema_violations_of_one_call_are_all_told_with_their_paths(client: ScanClient) -> None:
    # scan A2, A7, A8
    queries = [{**PLAN["queries"][0], "type": "gap", "target_criterion": "C9"}, *PLAN["queries"][:4]]
    envelope = client.start(fresh_id(), queries={**PLAN, "queries": queries}, top="10", wish=1)
    assert envelope["status"] == "invalid_artifact"
    assert envelope["payload"]["recovery"] == "fix_and_resend"
    said = "\n".join(envelope["payload"]["errors"])
    assert "wish" in said and "queries.queries" in said


def test_an_unknown_tool_is_the_one_error_of_the_protocol(client: ScanClient) -> None:
    # scan A2
    answer = client.post("tools/call", {"name": "scan_stop", "arguments": {"scan_id": ID}})
    assert answer.status_code == (400 if client.era == MODERN else 200)
    assert answer.json()["error"]["code"] == -32602


def test_a_refused_start_leaves_nothing_and_the_same_id_starts_when_corrected(client: ScanClient) -> None:
    # scan A9
    scan_id = fresh_id()
    for wrong in ({"since": "2024-13"}, {"top": 0}, {"since": "2025-02", "until": "2025-01"}):
        assert client.start(scan_id, **wrong)["status"] == "invalid_artifact"
        assert client.call("scan_result", scan_id=scan_id)["payload"]["code"] == "unknown_scan"
    assert client.start(scan_id)["status"] in ("ok", "in_progress")
    assert client.start(scan_id, profile="standard", foundational=None)["status"] in ("ok", "in_progress")
    conflict = client.start(scan_id, top=20, brief="Another question?")
    assert conflict["payload"]["code"] == "scan_id_conflict"
    assert conflict["payload"]["errors"] == ["differs: brief", "differs: top"]
    assert client.delete(scan_id).status_code == 204


def test_refusals_of_a_living_scan_keep_its_place(client: ScanClient) -> None:
    # scan A3, A20, A22, A28
    scan_id = fresh_id()
    first = Judge(client, scan_id).play(client.start(scan_id, profile="quick"), until="screen_candidates")
    items = first["payload"]["screen_batch"]["items"]
    good = {"score": 1, "reason": "words in common"}
    calls: list[tuple[str, Json, str]] = [
        ("scan_continue", {"screen_scores": [{"cid": items[0]["cid"], **good}]}, "unscored_items"),
        ("scan_continue", {"screen_scores": [{"cid": "0" * 12, **good}]}, "unknown_cid"),
        ("scan_continue", {"screen_scores": [{"cid": items[0]["cid"], **good, "score": "3"}]}, "schema_violation"),
        ("scan_continue", {"screen_scores": [{"cid": items[0]["cid"], **good, "wish": 1}]}, "schema_violation"),
        ("scan_continue", {"gap_queries": []}, "gap_not_asked"),
        ("scan_verify", {}, "no_shortlist"),
        ("scan_continue", {"gap_queries": [], "screen_scores": [{"cid": "0" * 12, **good}]}, "multiple_artifacts"),
    ]
    for tool, arguments, code in calls:
        refused = client.call(tool, {"scan_id": scan_id, **arguments})
        assert refused["payload"]["code"] == code, arguments
        assert {key: refused[key] for key in ("phase", "next_action", "progress")} == {
            key: first[key] for key in ("phase", "next_action", "progress")
        }


def test_lists_rubrics_and_documents_say_how_long_they_may_be_kept(service: httpx.Client) -> None:
    modern, scan_id = ScanClient(service, MODERN), fresh_id()
    Judge(modern, scan_id).play(modern.start(scan_id, profile="quick"), until="screen_candidates")
    hour = {"ttlMs": 3_600_000, "cacheScope": "public"}
    for method in ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"):
        assert hints(modern.post(method).json()["result"]) == hour, method
    for name in NAMES:
        assert hints(modern.read(f"scan-rubric://{name}")["result"]) == hour
    for name in ("queries.json", "screen-batches/01.json"):
        assert hints(modern.read(f"scan-run://{scan_id}/{name}")["result"]) == {"ttlMs": 0, "cacheScope": "private"}


def hints(result: Json) -> Json:
    return {key: result[key] for key in ("ttlMs", "cacheScope")}


def test_rubrics_are_read_as_they_are(client: ScanClient) -> None:
    # scan A5
    for name in NAMES:
        [content] = client.read(f"scan-rubric://{name}")["result"]["contents"]
        uri = f"scan-rubric://{name}"
        assert content == {"uri": uri, "mimeType": "text/markdown", "text": RUBRICS[name].text}


SERVED = {
    "manifest.json": "application/json",
    "queries.json": "application/json",
    "candidates.json": "application/json",
    "aliases.json": "application/json",
    "screen-batches/01.json": "application/json",
    "screen-batches/x01.json": "application/json",
    "screen.json": "application/json",
    "expanded.json": "application/json",
    "coverage.json": "application/json",
    "shortlist.json": "application/json",
    "ranked.json": "application/json",
    "evidence.json": "application/json",
    "evidence.md": "text/markdown",
    "evidence.bib": "text/plain",
}
NOT_SERVED = [
    *("retrieval.log.jsonl", "expansion.log.jsonl", "verify.log.jsonl", "brief.md", "nothing.json", "state"),
    *(
        "screen-batches/99.json",
        "screen-batches",
        "../evidence.json",
        "screen-batches/../evidence.json",
        "EVIDENCE.JSON",
    ),
]


def test_every_document_of_a_finished_scan_is_a_resource_but_its_logs(client: ScanClient) -> None:
    scan_id = fresh_id()
    Judge(client, scan_id).play(client.start(scan_id, profile="quick"))
    for name, mime_type in SERVED.items():
        uri = f"scan-run://{scan_id}/{name}"
        [content] = client.read(uri)["result"]["contents"]
        assert (content["uri"], content["mimeType"]) == (uri, mime_type)
        assert content["text"]
    unknown = {str(client.read(f"scan-run://{fresh_id()}/evidence.json")["error"])}
    for name in NOT_SERVED:
        answer = client.read(f"scan-run://{scan_id}/{name}")
        assert answer["error"]["code"] == -32602, name
        unknown.add(str(answer["error"]).replace(scan_id, "ID"))
    told = {text.split("scan-run://")[0] for text in unknown}
    assert len(told) == 1, told


def test_prompts_end_with_the_arguments_as_data(client: ScanClient) -> None:
    # scan A5
    result = client.post("prompts/get", {"name": "scan_plan", "arguments": {"brief": "What is known?"}}).json()[
        "result"
    ]
    [message] = result["messages"]
    assert message["role"] == "user"
    assert message["content"]["text"].startswith(RUBRICS["plan"].text)
    assert message["content"]["text"].endswith("```text\nbrief:\nWhat is known?\n```\n")


@pytest.mark.parametrize("version", [None, "2024-11-05", "2025-03-26", "2025-06-18", OLD, MODERN])
def test_an_unknown_method_is_told_by_era(service: httpx.Client, version: str | None) -> None:
    # scan A78
    sent = {} if version is None else {"mcp-protocol-version": version}
    body: Json = {"jsonrpc": "2.0", "id": 7, "method": "no/such"}
    if version == MODERN:
        answer = ScanClient(service, MODERN).post("no/such")
    else:
        answer = service.post("/mcp/scan", json=body, headers=sent)
    assert (answer.status_code, answer.json()["error"]["code"]) == (404 if version == MODERN else 200, -32601)


@pytest.mark.parametrize("body", [b"{", b"", b"\xff", b"[]", b"5", b'{"jsonrpc":"2.0"}'])
def test_what_is_no_request_is_400(service: httpx.Client, body: bytes) -> None:
    # scan A78
    answer = service.post("/mcp/scan", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"] in (-32700, -32600)) == (400, True)


def test_other_methods_sizes_and_types_are_refused_before_they_are_read(service: httpx.Client) -> None:
    # scan A78
    got = service.get("/mcp/scan")
    assert (got.status_code, got.headers["allow"]) == (405, "POST")
    sent = {"content-type": "application/json"}
    assert service.post("/mcp/scan", content=b" " * (2 * 2**20 + 1), headers=sent).status_code == 413
    assert service.post("/mcp/scan", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
    assert service.post("/mcp/scan", content=b"{}", headers={**sent, "origin": "https://evil.test"}).status_code == 403
    assert service.post("/mcp/scan", content=b"{}", headers={**sent, "host": "evil.test"}).status_code == 421
