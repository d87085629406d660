"""How scans begin: the same start again, other starts of one id, quotas and scopes (scan contract 2.2, 10.6, 10.7)."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from core.errors import NotFound
from core.scan.engine.configuration import JOBS_AT_ONCE, LEASE_S
from core.scan.stores.port import scan_key
from tests.core.scan.sent import SCAN_ID, sent_start
from tests.scan_bench import ANN, Bench, Killed, MortalStore, Player, scan_id

BOB = replace(ANN, owner="b" * 64)


def told(answer: Any) -> dict[str, Any]:
    return answer.json()


# scan A13
async def test_an_identical_start_is_a_poll_that_asks_nobody() -> None:
    bench = Bench()
    first = await bench.done(bench.scans.start(sent_start(), ANN))
    asked = bench.literature.asked.copy()
    written_out = sent_start(profile="standard", top=10, foundational=2, force_gap_round=False, slug="scan-5f0c954e")
    again = await bench.done(bench.scans.start(written_out, ANN))
    assert (told(again), bench.literature.asked) == (told(first), asked)
    assert (first.status, first.next_action) == ("ok", "screen_candidates")


# scan A14
async def test_another_start_of_the_same_id_is_a_conflict_that_names_arguments_only() -> None:
    bench = Bench()
    first = await bench.done(bench.scans.start(sent_start(), ANN))
    other = await bench.done(bench.scans.start(sent_start(brief="A secret brief", top=3), ANN))
    assert other.status == "invalid_artifact"
    assert other.payload["code"] == "scan_id_conflict"
    assert other.payload["errors"] == ["differs: brief", "differs: top"]
    assert (other.phase, other.next_action, other.progress) == ("screen", "screen_candidates", first.progress)
    assert told(await bench.done(bench.scans.start(sent_start(), ANN))) == told(first)


# scan A15
async def test_two_identical_starts_at_once_make_one_retrieval() -> None:
    bench = Bench()
    both = asyncio.gather(*(bench.scans.start(sent_start(), ANN) for _ in range(2)))
    one, other = await bench.done(_of(both))
    assert told(one) == told(other)
    assert bench.literature.asked["search"] == 12


# scan A15
@pytest.mark.parametrize("quota", [{"jobs_max": 1}, {"open_max": 1}, {"jobs_max": 1, "open_max": 1}])
async def test_a_quota_holds_no_identical_start_back(quota: dict[str, int]) -> None:
    bench, who = Bench(), replace(ANN, **quota)
    for start in (sent_start(), sent_start(brief="Another brief")):
        answers = await bench.done(_of(asyncio.gather(*(bench.scans.start(start, who) for _ in range(12)))))
        codes = {each.payload.get("code") for each in answers}
        assert codes == ({None} if start == sent_start() else {"scan_id_conflict"})
    assert bench.literature.asked["search"] == 12


async def _of(gathered: Any) -> Any:
    return await gathered


# scan A16
async def test_a_hundred_scans_go_on_beside_one_that_hangs() -> None:
    bench = Bench()
    owners = [replace(ANN, owner=f"{number:064x}") for number in range(100)]
    hanging = scan_key(owners[0].scope, scan_id(0))[:16]
    never = asyncio.Event()

    async def answer(_: str, caller: str) -> None:
        await asyncio.sleep(0)
        if caller == hanging:
            await never.wait()

    bench.literature.on_answer = answer
    starts = [bench.scans.start(sent_start(scan_id=scan_id(n)), who) for n, who in enumerate(owners)]
    answers = await bench.done(_of(asyncio.gather(*starts)))
    assert [each.status for each in answers] == ["in_progress"] + ["ok"] * 99
    assert answers[0].payload["stage"] == "retrieve"
    await bench.done(bench.scans.close())


# scan A17
async def test_silent_sources_fail_a_start_that_the_same_call_repeats_later() -> None:
    bench = Bench()
    bench.literature.down = {"catalog", "s2"}
    failed = await bench.done(bench.scans.start(sent_start(), ANN))
    assert (failed.status, failed.phase, failed.next_action) == ("failed", "screen", None)
    assert failed.payload["code"] == "all_sources_failed"
    assert failed.payload["errors"] == ["catalog: 6/6 failed", "s2: 6/6 failed"]
    assert failed.payload["recovery"] == "retry_same_call"
    assert bench.literature.asked["search"] == 24, "a stage is tried twice"
    bench.literature.down = set()
    well = await bench.done(bench.scans.start(sent_start(), ANN))
    assert (well.status, well.next_action) == ("ok", "screen_candidates")


async def test_live_sources_that_fail_twice_leave_a_scan_with_what_the_catalog_has() -> None:
    bench = Bench()
    bench.literature.down = {"s2"}
    answer = await bench.done(bench.scans.start(sent_start(), ANN))
    assert answer.next_action == "screen_candidates"
    assert "live_sources_failed" in [each["code"] for each in answer.payload["warnings"]]
    assert bench.literature.asked["search"] == 24
    bench.literature.down = {"catalog"}
    other = await bench.done(bench.scans.start(sent_start(scan_id=scan_id(1)), ANN))
    assert "live_sources_failed" not in [each["code"] for each in other.payload.get("warnings", ())]


# scan A18
async def test_a_start_whose_process_was_killed_is_taken_up_by_the_same_call() -> None:
    store = None

    def mortal(inner: Any) -> MortalStore:
        nonlocal store
        store = MortalStore(inner)
        return store

    bench = Bench(wrapped=mortal)

    async def answer(_: str, __: str) -> None:
        if bench.literature.asked["search"] == 5:
            store.kill()

    bench.literature.on_answer = answer
    with pytest.raises(Killed):
        await bench.done(bench.scans.start(sent_start(), ANN))
    bench.scans = bench.opened()
    waiting = await bench.done(bench.scans.start(sent_start(), ANN))
    assert (waiting.status, waiting.payload["code"]) == ("in_progress", "stage_running")
    await bench.time.pass_by(LEASE_S)
    ready = await bench.done(bench.scans.start(sent_start(), ANN))
    assert (ready.status, ready.payload["screen_batch"]["batch"]) == ("ok", "01")


# scan A74
async def test_quotas_are_ones_own_and_store_nothing() -> None:
    bench = Bench()
    small = replace(ANN, open_max=2)
    for number in (1, 2):
        await bench.done(bench.scans.start(sent_start(scan_id=scan_id(number)), small))
    full = await bench.done(bench.scans.start(sent_start(scan_id=scan_id(3)), small))
    assert (full.status, full.phase, full.payload["code"]) == ("queued_behind_other_scan", "unknown", "scan_limit")
    assert (full.payload["recovery"], full.payload["retry_after_ms"]) == ("wait", 10_000)
    assert await bench.store.load(scan_key(ANN.scope, scan_id(3))) is None
    other = await bench.done(bench.scans.start(sent_start(scan_id=scan_id(3)), BOB))
    assert other.status == "ok"


# scan A74
async def test_no_more_stages_of_one_caller_are_begun_than_may_work_at_once() -> None:
    bench = Bench()
    never = asyncio.Event()

    async def answer(_: str, __: str) -> None:
        await never.wait()

    bench.literature.on_answer = answer
    starts = [bench.scans.start(sent_start(scan_id=scan_id(number)), ANN) for number in range(3)]
    answers = await bench.done(_of(asyncio.gather(*starts)))
    assert [each.payload["code"] for each in answers] == ["stage_running", "stage_running", "job_limit"]
    assert answers[2].status == "queued_behind_other_scan"
    never.set()
    others = [bench.scans.start(sent_start(scan_id=scan_id(9)), BOB)]
    assert (await bench.done(_of(asyncio.gather(*others))))[0].status == "ok"


async def test_a_worker_does_no_more_than_eight_stages_at_once() -> None:
    bench = Bench()
    at_work, most = set(), 0

    async def answer(_: str, caller: str) -> None:
        nonlocal most
        at_work.add(caller)
        most = max(most, len(at_work))
        await bench.time.sleep(1)
        at_work.discard(caller)

    bench.literature.on_answer = answer
    whos = [replace(ANN, owner=f"{number:064x}") for number in range(20)]
    starts = [bench.scans.start(sent_start(scan_id=scan_id(n)), who) for n, who in enumerate(whos)]
    await bench.done(_of(asyncio.gather(*starts)))
    assert most == JOBS_AT_ONCE
    await bench.done(bench.scans.close())


# scan A72
async def test_a_scan_of_another_scope_is_as_one_that_never_was() -> None:
    bench = Bench()
    key_a, key_b = (replace(ANN, scope=f"key:{name}", is_key=True) for name in "ab")
    await bench.done(bench.scans.start(sent_start(), key_a))
    for arguments, call in (
        ({"scan_id": SCAN_ID}, "result"),
        ({"scan_id": SCAN_ID}, "proceed"),
        ({"scan_id": SCAN_ID}, "verify"),
        ({"scan_id": SCAN_ID, "gap_queries": []}, "proceed"),
    ):
        theirs = await bench.done(getattr(bench.scans, call)(arguments, key_b))
        nobodys = await bench.done(getattr(bench.scans, call)({**arguments, "scan_id": scan_id(7)}, key_b))
        assert {**told(theirs), "scan_id": ""} == {**told(nobodys), "scan_id": ""}
        assert theirs.payload["code"] == "unknown_scan"
    for id in (SCAN_ID, scan_id(7)):
        with pytest.raises(NotFound, match=r"^There is no such document of a scan\.$"):
            await bench.scans.artifact(id, "queries.json", key_b)
    await bench.scans.delete(SCAN_ID, key_b)
    assert (await bench.done(bench.scans.result({"scan_id": SCAN_ID}, key_a))).status == "ok"
    same_id = await bench.done(bench.scans.start(sent_start(brief="Another brief"), key_b))
    assert same_id.status == "ok", "the same id in two scopes is two scans"


# scan A73
async def test_expired_and_deleted_scans_are_unknown_and_may_begin_afresh() -> None:
    bench = Bench()
    for end in ("delete", "expire"):
        started = await bench.done(bench.scans.start(sent_start(brief=end), ANN))
        assert started.status == "ok"
        if end == "delete":
            await bench.scans.delete(SCAN_ID, ANN)
            await bench.scans.delete(SCAN_ID, ANN)
        else:
            bench.clock.advance(bench.settings.ttl_anonymous_s)
        gone = await bench.done(bench.scans.result({"scan_id": SCAN_ID}, ANN))
        assert (gone.status, gone.phase, gone.payload["code"]) == ("wrong_phase", "unknown", "unknown_scan")
        assert gone.payload["recovery"] == "start_new_scan"


# scan A73
async def test_deleting_ends_the_work_and_leaves_nothing() -> None:
    bench = Bench()
    never = asyncio.Event()

    async def answer(_: str, __: str) -> None:
        await never.wait()

    bench.literature.on_answer = answer
    working = await bench.done(bench.scans.start(sent_start(), ANN))
    assert working.status == "in_progress"
    await bench.scans.delete(SCAN_ID, ANN)
    assert bench.shelf._scans == {}
    assert not bench.scans._jobs.has(scan_key(ANN.scope, SCAN_ID))


async def test_a_life_is_renewed_by_accepted_judgements() -> None:
    bench = Bench()
    player = Player(bench)
    answer = await player.call("start", player.arguments)
    bench.clock.advance(bench.settings.ttl_anonymous_s - 10)
    await player.step(answer)
    bench.clock.advance(bench.settings.ttl_anonymous_s - 10)
    assert (await player.call("result", {})).status == "ok"
