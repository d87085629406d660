"""The documents of a scan: served, damaged and computed again; and what the log says of the work (8.3, 10.2, 10.9)."""

import asyncio
import logging
import re
from typing import Any

import orjson
import pytest

from core.errors import ArtifactCorrupt, NotFound, StoreUnavailable
from core.scan.engine.configuration import LEASE_S
from core.scan.stores.port import scan_key
from tests.core.scan.sent import SCAN_ID, sent_plan
from tests.scan_bench import ANN, Bench, Player

KEY = scan_key(ANN.scope, SCAN_ID)
SERVED = {
    "manifest.json": "application/json",
    "queries.json": "application/json",
    "candidates.json": "application/json",
    "aliases.json": "application/json",
    "screen-batches/01.json": "application/json",
    "screen.json": "application/json",
    "expanded.json": "application/json",
    "coverage.json": "application/json",
    "shortlist.json": "application/json",
    "ranked.json": "application/json",
    "evidence.json": "application/json",
    "evidence.md": "text/markdown",
    "evidence.bib": "text/plain",
}


class DamagedStore:
    """A store in which some documents are not what they were."""

    def __init__(self, store: Any, *names: str) -> None:
        self._store = store
        self._names = names

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, key: str, name: str, version: int) -> bytes:
        if name in self._names:
            raise ArtifactCorrupt("A document is damaged.", name=name)
        return bytes(await self._store.read(key, name, version))


async def finished() -> tuple[Bench, Player]:
    bench = Bench()
    player = Player(bench, profile="quick")
    await player.play()
    return bench, player


async def texts(bench: Bench, *names: str) -> dict[str, str]:
    return {name: (await bench.scans.artifact(SCAN_ID, name, ANN)).text for name in names}


async def test_every_document_but_logs_is_served_under_the_scans_own_address() -> None:
    bench, _ = await finished()
    served = {name: await bench.scans.artifact(SCAN_ID, name, ANN) for name in SERVED}
    assert {name: each.mime_type for name, each in served.items()} == SERVED
    for name in ("candidates.json", "coverage.json", "evidence.json", "manifest.json"):
        assert orjson.loads(served[name].text)["run"]["run_dir"] == f"scan-run://{SCAN_ID}/"
    assert f"scan-run://{SCAN_ID}/" in served["evidence.md"].text
    snapshot = await bench.store.load(KEY)
    assert snapshot is not None
    logs = {name for name in snapshot.stored.artifacts if name.endswith(".jsonl")}
    assert logs == {"retrieval.log.jsonl", "expansion.log.jsonl", "verify.log.jsonl"}
    for name in (*logs, "no.json", "screen-batches/99.json", "../state"):
        with pytest.raises(NotFound, match=r"^There is no such document of a scan\.$"):
            await bench.scans.artifact(SCAN_ID, name, ANN)


async def test_the_brief_and_its_summary_are_kept_nowhere() -> None:
    bench = Bench()
    secret = "xyzzy of the brief"
    player = Player(bench, brief=secret, queries=sent_plan(brief_summary=f"Build: {secret}"))
    await player.play()
    snapshot = await bench.store.load(KEY)
    assert snapshot is not None
    refs = snapshot.stored.artifacts
    kept = [await bench.store.read(KEY, name, ref.version) for name, ref in refs.items()]
    assert b"xyzzy" not in b"".join([*kept, snapshot.stored.state])
    assert orjson.loads((await texts(bench, "queries.json"))["queries.json"])["brief_summary"] == "(not kept)"
    assert SCAN_ID.encode() not in b"".join([*kept, snapshot.stored.state])


async def test_superseded_versions_are_gone_when_a_scan_is_complete() -> None:
    bench, _ = await finished()
    with pytest.raises(NotFound):
        await bench.store.read(KEY, "screen.json", 3)


# scan A71
@pytest.mark.parametrize(
    "name", ["screen-batches/01.json", "coverage.json", "evidence.json", "evidence.md", "evidence.bib"]
)
async def test_a_damaged_document_that_follows_from_others_is_computed_again(name: str) -> None:
    bench, _ = await finished()
    whole = await texts(bench, name)
    result = await bench.done(bench.scans.result({"scan_id": SCAN_ID}, ANN))
    bench.scans = bench.opened(DamagedStore(bench.store, name))
    assert await texts(bench, name) == whole
    assert (await bench.done(bench.scans.result({"scan_id": SCAN_ID}, ANN))).json() == result.json()


# scan A71
@pytest.mark.parametrize("name", ["candidates.json", "screen.json", "shortlist.json", "ranked.json", "queries.json"])
async def test_a_damaged_judgement_or_pool_is_told_and_never_passed_over(name: str) -> None:
    bench, player = await finished()
    bench.scans = bench.opened(DamagedStore(bench.store, name))
    for call in ("result", "proceed", "verify"):
        answer = await player.call(call, {})
        assert (answer.status, answer.phase) == ("failed", "complete")
        assert answer.payload["code"] == "artifact_corrupt"
        assert answer.payload["errors"] == [f"artifact: {name}"]
        assert answer.payload["recovery"] == "start_new_scan"


# scan A71
async def test_a_stage_over_a_damaged_document_fails_and_is_not_tried_by_the_timer() -> None:
    bench = Bench()
    player = Player(bench)
    answer = await player.call("start", player.arguments)
    while answer.payload["screen_batch"]["batch"] != "03":
        answer = await player.step(answer)

    async def hang(_: str, __: str) -> None:
        await asyncio.Event().wait()

    bench.literature.on_answer = hang
    answer = await player.step(answer)
    assert (answer.status, answer.payload["stage"]) == ("in_progress", "expand")
    bench.clock.advance(LEASE_S)
    bench.scans = bench.opened(DamagedStore(bench.store, "candidates.json"))
    assert len(await bench.store.owed(10)) == 1
    looking = asyncio.ensure_future(bench.scans.run())
    await bench.time.settle()
    assert await bench.store.owed(10) == ()
    answer = await player.call("result", {})
    assert (answer.status, answer.payload["errors"]) == ("failed", ["artifact: candidates.json"])
    looking.cancel()
    await asyncio.wait([looking])


async def test_a_store_that_does_not_answer_is_told() -> None:
    class DownStore(DamagedStore):
        async def load(self, key: str) -> Any:
            raise StoreUnavailable("The store is down.")

    bench, player = await finished()
    bench.scans = bench.opened(DownStore(bench.store))
    answer = await player.call("result", {})
    assert (answer.status, answer.phase, answer.payload["code"]) == ("failed", "unknown", "store_unavailable")
    assert (answer.payload["recovery"], answer.payload["retry_after_ms"]) == ("retry_same_call", 4_000)


# scan A75
async def test_the_log_has_one_line_a_stage_and_nothing_of_the_scan(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "paperdesk.scan")
    await finished()
    lines = [record.getMessage() for record in caplog.records if record.name == "paperdesk.scan"]
    stages = [re.match(r"stage=(\S+) result=(\S+) ms=\d+ scan=[0-9a-f]{12}( \w+=[\d.]+)*$", line) for line in lines]
    assert all(stages), lines
    assert [each[1] for each in stages if each] == ["retrieve", "expand", "coverage", "shortlist", "verify", "emit"]
    assert SCAN_ID not in "".join(lines)


async def test_the_manifest_tells_what_each_stage_did_and_when() -> None:
    bench, _ = await finished()
    manifest = orjson.loads((await texts(bench, "manifest.json"))["manifest.json"])
    assert {name for name, section in manifest.items() if section is None} == {"retrieval_round2", "expansion_round2"}
    assert set(manifest["timestamps"]) == {
        f"{stage}.{end}_at"
        for stage in ("retrieve", "expand", "coverage", "shortlist", "verify", "emit")
        for end in ("started", "finished")
    }
    assert manifest["tool_version"] == "1.0"
    assert manifest["counts"]["emitted"] == manifest["emit"]["emitted"]
    assert manifest["retrieval"]["per_source"]["catalog"] == {
        "queried": 6,
        "hits": 36,
        "failed": 0,
        "unavailable": False,
        "auth": "anon",
        "skipped": 0,
        "secondary": 0,
    }
