"""Whose a scan is: keys and callers without one, what others learn of it, quotas, and deletion."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from core.scan.stores.port import scan_key
from server.limits.key_file import write_keys
from server.limits.keys import new_key
from tests.scan_service import GAP_QUERY, MODERN, Json, Judge, ScanClient, entry, fresh_id, serve_scans


@dataclass(frozen=True)
class Callers:
    """Two holders of a key and one without, at one service whose store is a file."""

    http: httpx.Client
    one: ScanClient
    other: ScanClient
    nobody: ScanClient
    key_name: str
    store: Path


@pytest.fixture(scope="module", params=["lean", "sdk"])
def callers(
    request: pytest.FixtureRequest, sample_directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callers]:
    folder = tmp_path_factory.mktemp("whose")
    (one, key), (other, other_key) = new_key("one", 0, limits={}), new_key("other", 0, limits={})
    write_keys(folder / "keys", [key, other_key])
    settings = {"keys_file": str(folder / "keys"), "scan_store": f"sqlite:{folder / 'scans.db'}"}
    with serve_scans(sample_directory, dispatcher=request.param, scan_max_jobs="8", **settings) as http:
        yield Callers(
            http,
            ScanClient(http, key=one),
            ScanClient(http, MODERN, key=other),
            ScanClient(http),
            key.key_id,
            folder / "scans.db",
        )


def answers_about(client: ScanClient, scan_id: str, cid: str) -> list[str]:
    """All that can be asked about a scan by who has its id, as text in which the id is blotted out."""
    score = {"cid": cid, "score": 1, "reason": "words in common"}
    told = [
        client.raw("scan_result", {"scan_id": scan_id}),
        client.raw("scan_continue", {"scan_id": scan_id}),
        client.raw("scan_continue", {"scan_id": scan_id, "screen_scores": [score]}),
        client.raw("scan_continue", {"scan_id": scan_id, "gap_queries": [GAP_QUERY]}),
        client.raw("scan_verify", {"scan_id": scan_id}),
        client.raw("scan_verify", {"scan_id": scan_id, "ranked_entries": [entry(0, cid)]}),
        client.read(f"scan-run://{scan_id}/queries.json"),
        client.read(f"scan-run://{scan_id}/candidates.json"),
        client.read(f"scan-run://{scan_id}/nothing.json"),
    ]
    gone = client.delete(scan_id)
    told += [{"status": gone.status_code, "body": gone.text, "headers": shown(gone)}]
    return [str(each).replace(scan_id, "ID") for each in told]


def shown(answer: httpx.Response) -> list[tuple[str, str]]:
    passing = ("date", "x-request-id", "ratelimit-remaining", "ratelimit-reset", "request-id")
    return [(name, value) for name, value in answer.headers.items() if name.lower() not in passing]


def begun(client: ScanClient) -> tuple[str, Json]:
    scan_id = fresh_id()
    judge = Judge(client, scan_id)
    return scan_id, judge.play(client.start(scan_id, profile="quick"), until="screen_candidates")


def test_a_scan_of_another_is_answered_as_one_that_there_is_not(callers: Callers) -> None:
    # scan A72
    for owner in (callers.one, callers.other, callers.nobody):
        scan_id, first = begun(owner)
        cid = first["payload"]["screen_batch"]["items"][0]["cid"]
        for stranger in (callers.one, callers.other, callers.nobody):
            if stranger is not owner:
                assert answers_about(stranger, scan_id, cid) == answers_about(stranger, fresh_id(), cid)
        still = owner.call("scan_result", scan_id=scan_id)
        assert (still["status"], still["next_action"]) == ("ok", "screen_candidates")
        assert "result" in owner.read(f"scan-run://{scan_id}/queries.json")
        assert owner.delete(scan_id).status_code == 204
        assert owner.call("scan_result", scan_id=scan_id)["payload"]["code"] == "unknown_scan"


def test_one_id_in_two_scopes_is_two_scans(callers: Callers) -> None:
    # scan A72
    scan_id, _ = begun(callers.one)
    assert callers.other.start(scan_id, brief="Another question?", top=20)["payload"].get("code") != "scan_id_conflict"
    assert callers.nobody.start(scan_id, brief="A third question?")["payload"].get("code") != "scan_id_conflict"
    assert callers.one.start(scan_id, brief="Another question?", profile="quick")["payload"]["errors"] == [
        "differs: brief"
    ]
    for each in (callers.other, callers.nobody):
        each.delete(scan_id)
    assert callers.one.call("scan_result", scan_id=scan_id)["status"] == "ok"
    callers.one.delete(scan_id)


def test_nothing_of_a_deleted_scan_is_left_in_the_file(callers: Callers) -> None:
    # scan A73
    owner, scan_id = callers.one, fresh_id()
    Judge(owner, scan_id).play(owner.start(scan_id, profile="quick"))
    with sqlite3.connect(callers.store) as connection:
        kept = [bytes(blob) for (blob,) in connection.execute("SELECT padded FROM contents")]
    connection.close()
    key = scan_key(f"key:{callers.key_name}", scan_id).encode()
    assert key in written(callers.store) and scan_id.encode() not in written(callers.store)
    pieces = [blob[place : place + 48] for blob in kept for place in range(0, len(blob) - 48, 251)]
    pieces = [piece for piece in pieces if len(set(piece)) > 16]
    assert len(pieces) > 100
    assert owner.delete(scan_id).status_code == 204
    left = written(callers.store)
    assert key not in left
    assert [piece for piece in pieces if piece in left] == []
    assert owner.delete(scan_id).status_code == 204
    again = owner.start(scan_id, profile="quick", brief="A question of another kind?")
    assert again["status"] in ("ok", "in_progress")
    owner.delete(scan_id)


def written(store: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(store.parent.glob(f"{store.name}*")))


MALFORMED = [
    "x",
    "7D9F1C52-3A5E-4B1F-9C0D-2F6A81E4B7C3",
    "7d9f1c523a5e4b1f9c0d2f6a81e4b7c3",
    "..%2f",
    "%00",
    "7d9f1c52-3a5e-1b1f-9c0d-2f6a81e4b7c3",
]


def test_deletion_answers_alike_whatever_there_was(callers: Callers) -> None:
    # scan A73
    scan_id, _ = begun(callers.nobody)
    was, was_not = callers.nobody.delete(scan_id), callers.nobody.delete(fresh_id())
    assert {(each.status_code, each.content) for each in (was, was_not)} == {(204, b"")}
    assert shown(was) == shown(was_not)
    assert was.headers["cache-control"] == "no-store"
    for part in MALFORMED:
        answer = callers.nobody.delete(part)
        assert (answer.status_code, answer.json()["error"]) == (400, "invalid_scan_id"), part
        assert part not in answer.text
    assert callers.http.delete("/scans").status_code == 404
    assert callers.http.delete(f"/scans/{scan_id}/evidence.json").status_code == 404
    assert callers.http.delete(f"/scans/{scan_id}/").status_code == 204


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "HEAD"])
def test_deletion_is_the_only_method(callers: Callers, method: str) -> None:
    # scan A73
    answer = callers.http.request(method, f"/scans/{fresh_id()}")
    assert (answer.status_code, answer.headers["allow"]) == (405, "DELETE")


def test_deletion_is_guarded_as_the_endpoint_is(callers: Callers) -> None:
    # scan A73
    path, origin = f"/scans/{fresh_id()}", "https://claude.ai"
    asked = {"origin": origin, "access-control-request-method": "DELETE"}
    preflight = callers.http.options(path, headers=asked)
    assert preflight.status_code in (200, 204)
    assert preflight.headers["access-control-allow-origin"] == origin
    assert "DELETE" in preflight.headers["access-control-allow-methods"]
    assert callers.http.delete(path, headers={"origin": origin}).headers["access-control-allow-origin"] == origin
    assert callers.http.delete(path, headers={"origin": "https://evil.test"}).status_code == 403
    assert callers.http.delete(path, headers={"host": "evil.test"}).status_code == 421
    wrong = callers.http.delete(path, headers={"authorization": "Bearer nothing"})
    assert (wrong.status_code, wrong.headers["www-authenticate"]) == (401, 'Bearer realm="paperdesk"')


def test_deletions_are_counted_with_calls(sample_directory: Path) -> None:
    # scan A73, A78
    with serve_scans(sample_directory, limit_per_minute="3") as http:
        client = ScanClient(http)
        told = [
            client.delete(fresh_id()),
            client.post("tools/list"),
            client.delete("malformed"),
            client.delete(fresh_id()),
        ]
        assert [each.status_code for each in told] == [204, 200, 400, 429]
        assert [each.headers["ratelimit-remaining"] for each in told] == ["2", "1", "0", "0"]
        assert {each.headers["ratelimit-limit"] for each in told} == {"3"}
        spent = client.post("tools/call", {"name": "scan_result", "arguments": {"scan_id": fresh_id()}})
        assert (spent.status_code, spent.json()["error"], spent.json()["budget"]) == (
            429,
            "rate_limit_exceeded",
            "per_minute",
        )
        assert 1 <= int(spent.headers["retry-after"]) <= 60


def test_a_bad_key_and_none_at_all_are_401(sample_directory: Path, tmp_path: Path) -> None:
    # scan A78
    _, key = new_key("one", 0, limits={})
    write_keys(tmp_path / "keys", [key])
    with serve_scans(sample_directory, keys_file=str(tmp_path / "keys"), anonymous="false") as http:
        refused = [ScanClient(http, key="nothing").post("tools/list"), ScanClient(http).post("tools/list")]
        refused.append(ScanClient(http).delete(fresh_id()))
    assert {(each.status_code, each.headers["www-authenticate"], each.content) for each in refused} == {
        (401, 'Bearer realm="paperdesk"', refused[0].content)
    }
    assert refused[0].json()["error"] == "invalid_credential"


def test_a_full_quota_holds_up_its_caller_alone(sample_directory: Path, tmp_path: Path) -> None:
    # scan A74
    clear, key = new_key("one", 0, limits={})
    write_keys(tmp_path / "keys", [key])
    with serve_scans(sample_directory, keys_file=str(tmp_path / "keys"), scan_max_open="1") as http:
        here = ScanClient(http)
        first, _ = begun(here)
        second = fresh_id()
        for _ in range(2):
            queued = here.start(second, profile="quick")
            assert (queued["status"], queued["phase"], queued["next_action"]) == (
                "queued_behind_other_scan",
                "unknown",
                None,
            )
            assert queued["payload"]["code"] == "scan_limit"
            assert (queued["payload"]["recovery"], queued["payload"]["retry_after_ms"] > 0) == ("wait", True)
        assert here.call("scan_result", scan_id=second)["payload"]["code"] == "unknown_scan"
        begun(ScanClient(http, key=clear))
        assert ScanClient(http, headers={"x-forwarded-for": "198.51.100.7"}).start(fresh_id(), profile="quick")[
            "status"
        ] in ("ok", "in_progress")
        tier = ScanClient(http, headers={"x-forwarded-for": "160.79.104.1"})
        assert [tier.start(fresh_id(), profile="quick")["status"] in ("ok", "in_progress") for _ in range(2)] == [
            True
        ] * 2
        here.delete(first)
        assert here.start(second, profile="quick")["status"] in ("ok", "in_progress")
