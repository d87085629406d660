"""What is written down of scans: no log, counter or error tells what they were about, and no brief is kept."""

import logging
from collections.abc import Iterator
from pathlib import Path

import anyio
import httpx
import pytest

from core.clock import SystemClock
from core.scan.engine.exporting import exported
from core.scan.stores.opening import open_scan_store
from server.limits.key_file import write_keys
from server.limits.keys import new_key
from server.scan_desk import ANONYMOUS
from tests.scan_service import PLAN, Judge, ScanClient, entry, fresh_id, serve_scans

BRIEF = "hunter2brief planted in the brief"
SUMMARY = "hunter2summary planted in the plan"
QUERY = "hunter2query"
REASON = "hunter2reason"
HEADER = "hunter2header"
WRONG = "hunter2wrong"
SECRETS = (BRIEF, SUMMARY, QUERY, REASON, HEADER, WRONG)
SILENT = ("httpx", "httpcore", "uvicorn.access")
"""The client of the tests, and what the service switches off when it is started."""
SEALING = "hunter2seal-0123456789abcdef0123456789abcdef"
PLANTED = {
    **PLAN,
    "brief_summary": SUMMARY,
    "must_not": [QUERY],
    "queries": [{**PLAN["queries"][0], "text": f"attention {QUERY}"}, *PLAN["queries"][1:]],
}


@pytest.fixture(params=["lean", "sdk"])
def store(tmp_path: Path) -> Path:
    return tmp_path / "scans.db"


@pytest.fixture
def service(
    request: pytest.FixtureRequest, sample_directory: Path, tmp_path: Path, store: Path
) -> Iterator[httpx.Client]:
    _, key = new_key("one", 0, limits={})
    write_keys(tmp_path / "keys", [key])
    dispatcher = request.node.callspec.params["store"]
    settings = {"keys_file": str(tmp_path / "keys"), "scan_store": f"sqlite:{store}", "log_level": "DEBUG"}
    with serve_scans(sample_directory, dispatcher=dispatcher, **settings) as client:
        yield client


def documents(store: Path, scan_id: str, keys: tuple[bytes, ...] = ()) -> dict[str, bytes]:
    """Every document that a store has of a scan, logs included."""

    async def read() -> dict[str, bytes]:
        opened = open_scan_store(f"sqlite:{store}", SystemClock(), keys)
        try:
            return dict(await exported(opened, ANONYMOUS, scan_id))
        finally:
            await opened.aclose()

    return anyio.run(read)


def test_what_a_scan_is_about_is_in_no_log_no_counter_and_no_error(
    service: httpx.Client, store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # scan A75
    caplog.set_level(logging.DEBUG)
    client, scan_id = ScanClient(service, headers={"x-note": HEADER, "user-agent": HEADER}), fresh_id()
    judge = Judge(client, scan_id)
    first = judge.play(client.start(scan_id, brief=BRIEF, queries=PLANTED, profile="quick"), until="screen_candidates")
    cid = first["payload"]["screen_batch"]["items"][0]["cid"]
    errors = [
        client.call("scan_continue", scan_id=scan_id, screen_scores=[{"cid": cid, "score": 9, "reason": REASON}]),
        client.call("scan_continue", scan_id=scan_id, ranked_entries=[{**entry(0, cid), "key_finding": REASON}]),
        client.call("scan_continue", scan_id=scan_id, gap_queries=[{"id": "G1", "type": "gap", "text": QUERY}]),
        client.start(scan_id, brief=f"{BRIEF}!", queries=PLANTED, profile="quick"),
        client.start(fresh_id(), brief=BRIEF, queries={**PLANTED, "domain": "auto"}, top=f"{REASON}"),
    ]
    told = [str(each) for each in errors]
    told.append(ScanClient(service, key=WRONG).post("tools/list").text)
    told.append(service.delete(f"/scans/{QUERY}").text)
    scores = [{**score, "reason": REASON} for score in judge.scores(first["payload"]["screen_batch"]["items"])]
    judge.play(client.call("scan_continue", scan_id=scan_id, screen_scores=scores))
    told.append(service.get("/metrics").text)
    assert "paperdesk" in told[-1]
    records = [vars(record) for record in caplog.records if not record.name.startswith(SILENT)]
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("paperdesk")]
    assert any(line.startswith("mcp_request tool=scan_start ") for line in lines)
    assert any(line.startswith("stage=retrieve result=done ") for line in lines)
    for secret in (*SECRETS, scan_id, cid):
        assert secret not in repr(records), secret
        assert secret not in "\n".join(lines), secret
    for secret in SECRETS:
        assert not any(secret in each for each in told), secret
    kept = documents(store, scan_id)
    everything = b"".join(kept.values()) + b"".join(path.read_bytes() for path in store.parent.glob("scans.db*"))
    assert BRIEF.encode() not in everything and SUMMARY.encode() not in everything
    assert b'"brief_summary":"(not kept)"' in kept["queries.json"].replace(b'": "', b'":"')
    logs = b"".join(data for name, data in kept.items() if name.endswith(".log.jsonl"))
    assert logs and QUERY.encode() not in logs
    assert scan_id.encode() not in b"".join(path.read_bytes() for path in store.parent.glob("scans.db*"))


def test_a_sealed_store_keeps_the_summary_and_shows_it_to_key_holders_alone(
    sample_directory: Path, tmp_path: Path
) -> None:
    # scan A75
    store, scan_id = tmp_path / "sealed.db", fresh_id()
    with serve_scans(sample_directory, scan_store=f"sqlite:{store}", scan_encryption_keys=SEALING) as http:
        client = ScanClient(http)
        Judge(client, scan_id).play(
            client.start(scan_id, brief=BRIEF, queries=PLANTED, profile="quick"), until="screen_candidates"
        )
        [content] = client.read(f"scan-run://{scan_id}/queries.json")["result"]["contents"]
        assert SUMMARY in content["text"] and BRIEF not in content["text"]
        raw = b"".join(path.read_bytes() for path in tmp_path.glob("sealed.db*"))
        for secret in (*SECRETS, SEALING, "attention"):
            assert secret.encode() not in raw, secret
