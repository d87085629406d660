"""How a scan goes on: stages, judgements, polls and what is repeated (scan contract 4.2, 4.3, 7.13)."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
import pytest

from core.deadline import current_deadline, deadline
from core.scan.engine.configuration import JOBS_AT_ONCE, LEASE_S, LOOKS_EVERY_S, EngineSettings
from core.scan.engine.steps import is_stage
from core.scan.stores.port import Stored, scan_key
from core.scan.vocabulary import Step
from tests.core.scan.sent import SCAN_ID, sent_gap, sent_plan, sent_score
from tests.scan_bench import ANN, QUERIES, Bench, Player, scan_id
from tests.scan_world import World, WorldLiterature, nothing, small_world

KEY = scan_key(ANN.scope, SCAN_ID)


def zero(_: Mapping[str, Any]) -> int:
    return 0


def three(_: Mapping[str, Any]) -> int:
    return 3


def codes(payload: Mapping[str, Any]) -> list[str]:
    return [each["code"] for each in payload.get("warnings", ())]


async def step_of(bench: Bench) -> Step:
    snapshot = await bench.store.load(KEY)
    assert snapshot is not None
    return Step(snapshot.stored.step)


async def artifacts(bench: Bench) -> dict[str, str]:
    snapshot = await bench.store.load(KEY)
    assert snapshot is not None
    return {name: ref.sha256 for name, ref in snapshot.stored.artifacts.items()}


async def until(player: Player, action: str) -> Any:
    """The first answer that asks for the action."""
    answer = await player.call("start", player.arguments)
    while answer.next_action != action:
        answer = await player.step(answer)
    return answer


async def hang(_: str, __: str) -> None:
    await asyncio.Event().wait()


# scan A25
async def test_a_scan_in_which_nothing_is_relevant_ends_with_empty_packets() -> None:
    bench = Bench()
    player = Player(bench, profile="quick")
    player.score_of = zero
    await player.play()
    result = await player.call("result", {})
    assert (result.status, result.phase, result.payload["top"]) == ("ok", "complete", [])
    assert "nothing_relevant" in codes(result.payload)
    assert [each["round"] for each in result.payload["coverage"]["rounds"]] == [1]
    assert bench.literature.asked["graph"] == 0, "no seeds, no graph"


# scan A26
async def test_sources_without_hits_make_a_finished_scan_and_failing_ones_none() -> None:
    bench = Bench(WorldLiterature(World(), ("catalog", "s2")))
    player = Player(bench, profile="quick")
    await player.play()
    result = await player.call("result", {})
    assert (result.phase, result.payload["top"]) == ("complete", [])
    assert "nothing_found" in codes(result.payload)
    bench.literature.down = {"s2"}
    failing = Player(bench, profile="quick", scan_id=scan_id(1))
    answer = await failing.call("start", failing.arguments)
    assert (answer.status, answer.payload["code"]) == ("failed", "all_sources_failed")
    assert "nothing_found" not in codes(answer.payload)


# scan A27
async def test_a_skipped_gap_round_is_remembered_by_the_next_process() -> None:
    bench = Bench()
    player = Player(bench, force_gap_round=True)
    answer = await until(player, "write_gap_queries")
    assert (answer.phase, answer.payload["gap_round"]["forced"]) == ("gap", True)
    skipped = await player.call("proceed", {"gap_queries": []})
    assert skipped.next_action == "rank_shortlist"
    bench.scans = bench.opened()
    again = await player.call("proceed", {"gap_queries": []})
    assert (again.status, again.next_action, codes(again.payload)[-1]) == ("ok", "rank_shortlist", "already_applied")
    refused = await player.call("proceed", {"gap_queries": [sent_gap()]})
    assert (refused.payload["code"], refused.next_action) == ("gap_not_asked", "rank_shortlist")


def gap_world() -> WorldLiterature:
    literature = WorldLiterature(small_world((*QUERIES, "G1")), ("catalog", "s2"))
    return literature


# scan A30
async def test_a_second_round_leaves_what_the_first_one_made() -> None:
    bench = Bench(gap_world())
    player = Player(bench, force_gap_round=True)
    await until(player, "write_gap_queries")
    before = await artifacts(bench)
    kept = [name for name in before if name.startswith("screen-batches/")]
    documents = await _read(bench, "candidates.json", "screen.json")
    answer = await player.call("proceed", {"gap_queries": [sent_gap("G1")]})
    assert answer.payload["screen_batch"]["batch"] == "r01"
    now = await artifacts(bench)
    assert {name: now[name] for name in kept} == {name: before[name] for name in kept}
    after = await _read(bench, "candidates.json", "screen.json")
    old = [each["cid"] for each in documents[0]["candidates"]]
    assert [each["cid"] for each in after[0]["candidates"]][: len(old)] == old
    assert after[1] == documents[1]
    player.gap_queries = [sent_gap("G1")]
    while answer.phase != "complete":
        answer = await player.step(answer)
    result = await player.call("result", {})
    assert [each["round"] for each in result.payload["coverage"]["rounds"]] == [1, 2]
    assert {"r01", "xr01"} <= set(player.batches)


async def _read(bench: Bench, *names: str) -> list[Any]:
    return [orjson.loads((await bench.scans.artifact(SCAN_ID, name, ANN)).text) for name in names]


# scan A30
async def test_a_second_round_admits_from_outside_the_window_what_the_first_one_left() -> None:
    bench = Bench(WorldLiterature(small_world((*QUERIES, "G1"), old=3), ("catalog", "s2")))
    player = Player(bench, force_gap_round=True)
    player.gap_queries = [sent_gap("G1")]
    player.score_of = three
    await player.play()
    first, second = await _read(bench, "expanded.json", "expanded-round2.json")
    assert (len(first["added_outside_window"]), len(second["seeds"])) == (20, 5)
    assert second["added_outside_window"] == []
    assert second["dropped"]["cap"] == 9


# scan A31
@pytest.mark.parametrize("cause", ["no seeds", "no answers"])
async def test_a_second_expansion_that_brings_nothing_goes_on_to_coverage(cause: str) -> None:
    bench = Bench(gap_world())
    player = Player(bench, force_gap_round=True)
    player.gap_queries = [sent_gap("G1")]
    await until(player, "write_gap_queries")
    if cause == "no seeds":
        player.score_of = zero
    else:
        player.score_of = three
        bench.literature.graph_answers = False
    answer = await player.call("proceed", {"gap_queries": player.gap_queries})
    answer = await player.step(answer)
    assert answer.next_action == "rank_shortlist"
    result = await player.call("result", {})
    assert ("expansion_failed" in codes(result.payload)) == (cause == "no answers")


async def test_a_second_round_that_the_plan_brings_is_not_asked_for() -> None:
    bench = Bench(gap_world())
    player = Player(bench, queries=sent_plan(round2=[sent_gap("G1")]), force_gap_round=True)
    answer = await player.play()
    assert answer.phase == "complete"
    assert "r01" in player.batches
    assert "write_gap_queries" not in [each.next_action for each in player.said]


# scan A58
async def test_works_that_the_client_knows_come_first_and_are_seeds_whatever_their_score() -> None:
    bench = Bench()
    known, unknown = {"doi": "10.1234/w3"}, {"title": "A work that nobody has"}
    player = Player(bench, queries=sent_plan(anchors=[unknown, known]), max_candidates=30)
    player.score_of = zero
    answer = await player.play()
    assert answer.phase == "complete"
    pool, expanded = await _read(bench, "candidates.json", "expanded.json")
    first = pool["candidates"][0]
    assert first["ids"]["doi"] == "10.1234/w3"
    assert expanded["seeds"] == [first["cid"]]
    screened = [each for each in pool["candidates"] if not any(o["seed_id"] for o in each["origins"])]
    assert len(screened) == 31, "a known work does not count against the cap"


# scan A23, A24
async def test_scores_sent_again_change_nothing_and_may_be_replaced_while_screening() -> None:
    bench = Bench()
    player = Player(bench)
    first = await player.call("start", player.arguments)
    scores = player.scores(first.payload["screen_batch"])
    second = await player.call("proceed", {"screen_scores": scores})
    held = await artifacts(bench)
    again = await player.call("proceed", {"screen_scores": scores})
    assert (again.status, codes(again.payload)) == ("ok", ["already_applied"])
    assert (again.payload["screen_batch"], await artifacts(bench)) == (second.payload["screen_batch"], held)
    other = {**scores[0], "score": (scores[0]["score"] + 1) % 4, "criteria_hit": []}
    changed = await player.call("proceed", {"screen_scores": [other]})
    assert (changed.status, codes(changed.payload)) == ("ok", [])
    assert (await _read(bench, "screen.json"))[0]["scores"][0]["score"] == other["score"]
    answer = changed
    while answer.next_action != "rank_shortlist":
        answer = await player.step(answer)
    late = await player.call("proceed", {"screen_scores": [scores[0]]})
    assert (late.status, late.payload["code"], late.next_action) == ("wrong_phase", "no_open_batch", "rank_shortlist")
    same = await player.call("proceed", {"screen_scores": [other]})
    assert (same.status, codes(same.payload)[-1]) == ("ok", "already_applied")


# scan A34
async def test_verifying_asks_for_every_entry_and_takes_the_last_ones_along() -> None:
    bench = Bench()
    player = Player(bench, profile="quick")
    early = await player.call("start", player.arguments)
    early = await player.call("verify", {})
    assert (early.payload["code"], early.next_action) == ("no_shortlist", "screen_candidates")
    answer = await until(player, "rank_shortlist")
    entries = []
    while answer.next_action == "rank_shortlist":
        page = [player.entry(each) for each in answer.payload["shortlist_records"]]
        if answer.progress["page"] == answer.progress["of"]:
            break
        entries += page
        answer = await player.call("proceed", {"ranked_entries": page})
    missing = page[-1]
    partly = await player.call("verify", {"ranked_entries": page[:-1]})
    assert (partly.status, partly.payload["code"]) == ("wrong_phase", "ranking_incomplete")
    assert f"unranked cid: {missing['cid']}" in partly.payload["errors"]
    whole = await player.call("verify", {"ranked_entries": page})
    assert (whole.status, whole.phase) == ("ok", "complete")


# scan A35
async def test_a_finished_scan_takes_nothing_new_and_stays_as_it_is() -> None:
    bench = Bench()
    player = Player(bench, profile="quick")
    done = await player.play()
    held = await artifacts(bench)
    ranked = next(each for each in player.said if each.next_action == "rank_shortlist")
    entry = player.entry(ranked.payload["shortlist_records"][0])
    other = {**entry, "overall": (entry["overall"] + 1) % 4}
    for arguments, call in (
        ({"ranked_entries": [other]}, "proceed"),
        ({"ranked_entries": [other]}, "verify"),
        ({"gap_queries": []}, "proceed"),
        ({"screen_scores": [sent_score(entry["cid"], 1)]}, "proceed"),
    ):
        refused = await player.call(call, arguments)
        assert (refused.status, refused.payload["code"]) == ("wrong_phase", "scan_complete")
        assert (refused.phase, refused.next_action) == ("complete", "complete")
    assert (await player.call("verify", {})).json() == done.json()
    assert (await player.call("start", player.arguments)).json() == done.json()
    repeated = await player.call("proceed", {"ranked_entries": [entry]})
    assert (repeated.status, codes(repeated.payload)[-1]) == ("ok", "already_applied")
    assert await artifacts(bench) == held


# scan A36, A37
async def test_a_result_is_read_while_a_stage_works_and_changes_nothing() -> None:
    bench = Bench()
    free = asyncio.Event()

    async def answer(_: str, __: str) -> None:
        await free.wait()

    bench.literature.on_answer = answer
    player = Player(bench)
    await player.call("start", player.arguments)
    before = await bench.store.load(KEY)
    began_s = bench.clock.monotonic_s()
    task = asyncio.ensure_future(bench.scans.result({"scan_id": SCAN_ID}, ANN))
    await bench.time.settle()
    working = task.result()
    assert bench.clock.monotonic_s() == began_s, "it waited for nothing"
    assert (working.status, working.phase, working.next_action) == ("in_progress", "screen", None)
    shown = {key: working.payload[key] for key in ("code", "stage", "poll", "recovery", "run_dir", "unverified")}
    assert shown == {
        "code": "stage_running",
        "stage": "retrieve",
        "poll": "scan_result",
        "recovery": "wait",
        "run_dir": f"scan-run://{SCAN_ID}/",
        "unverified": [],
    }
    assert 1_000 <= working.payload["retry_after_ms"] <= 10_000
    assert await bench.store.load(KEY) == before
    free.set()
    await bench.time.pass_by(1)
    settled = await player.call("result", {})
    assert (settled.status, settled.payload["screen_batch"]["batch"]) == ("ok", "01")
    held = await bench.store.load(KEY)
    await player.call("result", {})
    assert await bench.store.load(KEY) == held


# scan A37
async def test_a_result_wakes_what_nobody_does_and_leaves_a_failed_stage_alone() -> None:
    bench = Bench()
    bench.literature.on_answer = hang
    player = Player(bench)
    await player.call("start", player.arguments)
    bench.scans = bench.opened()
    bench.clock.advance(LEASE_S)
    bench.literature.on_answer = nothing_more
    assert (await player.call("result", {})).status == "in_progress"
    await bench.time.pass_by(1)
    assert (await player.call("result", {})).status == "ok"
    bench.literature.down = {"catalog", "s2"}
    failing = Player(bench, scan_id=scan_id(1))
    assert (await failing.call("start", failing.arguments)).status == "failed"
    bench.literature.down = set()
    for _ in range(3):
        failed = await failing.call("result", {})
        assert (failed.status, failed.payload["code"], failed.next_action) == ("failed", "all_sources_failed", None)
        assert (failed.payload["stage"], failed.payload["recovery"]) == ("retrieve", "retry_same_call")
        await bench.time.pass_by(20)
    assert (await failing.call("proceed", {})).status == "ok"


async def nothing_more(_: str, __: str) -> None:
    await asyncio.sleep(0)


# scan A43
async def test_an_offline_scan_is_finished_with_nothing_verified() -> None:
    bench = Bench()
    bench.literature.is_offline = True
    player = Player(bench, profile="quick")
    await player.play()
    result = await player.call("result", {})
    assert "verification_offline" in codes(result.payload)
    assert {each["verification_state"] for each in result.payload["top"]} == {"unverifiable"}


# scan A44
async def test_verification_that_nobody_answers_fails_twice_and_then_ends() -> None:
    bench = Bench()
    player = Player(bench, profile="quick")
    await until(player, "verify_ranked")
    bench.literature.verifies = False
    for _ in range(2):
        failed = await player.call("verify", {})
        assert (failed.status, failed.phase, failed.next_action) == ("failed", "rank", None)
        assert failed.payload["code"] == "verification_unavailable"
        assert failed.payload["errors"] == ["crossref: unavailable", "openalex: unavailable"]
    done = await player.call("verify", {})
    assert (done.status, done.phase) == ("ok", "complete")
    result = await player.call("result", {})
    assert {each["state"] for each in result.payload["unverified"]} == {"unverifiable"}


# scan A67
async def test_a_holder_that_sleeps_past_its_lease_keeps_nothing_and_another_takes_over() -> None:
    bench = Bench()
    sleeping, first = asyncio.Event(), True

    async def answer(_: str, __: str) -> None:
        nonlocal first
        if first:
            first = False
            await sleeping.wait()

    bench.literature.on_answer = answer
    player = Player(bench)
    started = asyncio.ensure_future(bench.scans.start(player.arguments, ANN))
    await bench.time.settle()
    bench.clock.advance(LEASE_S)  # the process sleeps: nothing is renewed
    other = bench.opened()
    looking = asyncio.ensure_future(other.run())
    await bench.time.settle()
    assert await step_of(bench) is Step.SCREEN_Q
    held = await bench.store.load(KEY)
    sleeping.set()
    answer = await bench.done(_of(started))
    assert answer.status == "ok"
    now = await bench.store.load(KEY)
    assert now == held
    looking.cancel()
    await asyncio.wait([looking])


async def test_scans_that_cannot_be_read_keep_no_other_from_being_taken_up(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()
    unread = Stored(b"no state", Step.RETRIEVE.value, is_owed=True, is_open=True, owner="ann", expires_at_s=2e9)
    for number in range(2 * JOBS_AT_ONCE):
        assert await bench.store.create(scan_key(ANN.scope, scan_id(number)), unread, {})
    bench.literature.on_answer = hang
    player = Player(bench)
    started = asyncio.ensure_future(bench.scans.start(player.arguments, ANN))
    await bench.time.settle()
    bench.clock.advance(LEASE_S)  # the process is gone
    bench.literature.on_answer = nothing
    looking = asyncio.ensure_future(bench.opened().run())
    await bench.time.pass_by(3 * LOOKS_EVERY_S)
    assert await step_of(bench) is Step.SCREEN_Q
    assert caplog.text.count("scan_unreadable") == 2 * JOBS_AT_ONCE
    assert "no state" not in caplog.text
    for task in (started, looking):
        task.cancel()
    await asyncio.wait([started, looking])


async def _of(task: Any) -> Any:
    return await task


# scan A68
async def test_a_long_stage_outlives_the_call_that_began_it_and_is_done_once() -> None:
    bench = Bench()
    works, most, asked = 0, 0, 0

    async def slow(_: str, __: str) -> None:
        nonlocal works, most, asked
        works, asked = works + 1, asked + 1
        most = max(most, works)
        await bench.time.sleep(5)
        works -= 1

    bench.literature.on_answer = slow
    player = Player(bench)
    began_s = bench.clock.monotonic_s()
    answer = await player.call("start", player.arguments)
    assert bench.clock.monotonic_s() - began_s <= 26
    assert (answer.status, answer.payload["stage"]) == ("in_progress", "retrieve")
    leaving = asyncio.ensure_future(bench.scans.start(player.arguments, ANN))
    await bench.time.pass_by(1)
    leaving.cancel()
    await asyncio.wait([leaving])
    other = bench.opened()
    theirs = await bench.done(other.proceed({"scan_id": SCAN_ID}, ANN))
    assert theirs.status == "in_progress"
    await bench.time.pass_by(30)
    ready = await player.call("result", {})
    assert (ready.status, most, asked) == ("ok", 1, 12)


# scan A69
async def test_a_hung_source_ends_in_a_timeout_that_the_next_poll_tries_again() -> None:
    bench = Bench(settings=EngineSettings(wait_s=300.0))
    bench.literature.on_answer = hang
    player = Player(bench)
    failed = await player.call("start", player.arguments)
    assert (failed.status, failed.payload["code"]) == ("failed", "stage_timeout")
    assert failed.payload["errors"] == ["stage: retrieve"]
    assert bench.clock.monotonic_s() == pytest.approx(240, abs=1)
    bench.literature.on_answer = nothing_more
    assert (await player.call("proceed", {})).status == "ok"


async def test_a_stage_that_crashes_is_a_failure_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()

    async def crash(_: str, __: str) -> None:
        raise RuntimeError("a secret word")

    bench.literature.on_answer = crash
    player = Player(bench)
    failed = await player.call("start", player.arguments)
    assert (failed.status, failed.payload["code"]) == ("failed", "stage_failed")
    assert "secret" not in str(failed.json()) + caplog.text


async def test_a_failed_stage_that_is_at_work_again_is_in_progress() -> None:
    bench = Bench()
    bench.literature.down = {"catalog", "s2"}
    player = Player(bench)
    assert (await player.call("start", player.arguments)).status == "failed"
    bench.literature.down, bench.literature.on_answer = set(), hang
    for call in ("proceed", "result"):
        answer = await player.call(call, {})
        assert (answer.status, answer.payload["code"]) == ("in_progress", "stage_running")
    await bench.done(bench.scans.close())


async def test_the_deadline_of_a_call_is_not_that_of_the_stages_after_it() -> None:
    bench = Bench()
    left: list[float] = []

    async def answer(_: str, __: str) -> None:
        ends = current_deadline()
        left.append(0.0 if ends is None else ends.left_s())

    bench.literature.on_answer = answer
    player = Player(bench)
    with deadline(40.0, bench.clock):
        await player.call("start", player.arguments)
    assert set(left) == {216.0}, "nine tenths of a stage's time are for asking"


# scan A79
async def test_calls_stay_short_with_sources_that_take_five_seconds() -> None:
    bench = Bench()

    async def slow(_: str, __: str) -> None:
        await bench.time.sleep(5)

    bench.literature.on_answer = slow
    player = Player(bench, profile="quick")
    spans = []
    answer = None
    while answer is None or answer.phase != "complete":
        began_s = bench.clock.monotonic_s()
        if answer is not None and answer.status == "in_progress":
            await bench.time.pass_by(answer.payload["retry_after_ms"] / 1000)
            began_s = bench.clock.monotonic_s()
            answer = await player.call("result", {})
        else:
            answer = await (player.step(answer) if answer else player.call("start", player.arguments))
        spans.append(bench.clock.monotonic_s() - began_s)
    assert max(spans) < 30


async def test_a_judgement_that_comes_while_a_stage_works_is_told_to_wait() -> None:
    bench = Bench()
    bench.literature.on_answer = hang
    player = Player(bench)
    await player.call("start", player.arguments)
    began_s = bench.clock.monotonic_s()
    for arguments, call in (({"gap_queries": []}, "proceed"), ({}, "verify")):
        answer = await player.call(call, arguments)
        assert (answer.status, answer.payload["code"]) == ("in_progress", "stage_running")
        assert answer.next_action is None
    assert bench.clock.monotonic_s() - began_s <= 1
    await bench.done(bench.scans.close())


async def test_a_call_that_another_call_of_the_scan_keeps_waiting_says_so_after_two_seconds() -> None:
    bench = Bench()
    player = Player(bench)
    first = await player.call("start", player.arguments)
    token = await bench.store.acquire(KEY, "another call", LEASE_S)
    assert token is not None
    scores = player.scores(first.payload["screen_batch"])
    began_s = bench.clock.monotonic_s()
    answer = await player.call("proceed", {"screen_scores": scores})
    assert (answer.status, answer.payload["code"]) == ("in_progress", "call_in_progress")
    assert (answer.phase, answer.next_action) == ("screen", "screen_candidates")
    assert 2 <= bench.clock.monotonic_s() - began_s <= 3
    await bench.store.release(KEY, token)
    assert (await player.call("proceed", {"screen_scores": scores})).payload["screen_batch"]["batch"] == "02"


async def test_two_equal_judgements_at_once_are_taken_once() -> None:
    bench = Bench()
    player = Player(bench)
    first = await player.call("start", player.arguments)
    sent = {"scan_id": SCAN_ID, "screen_scores": player.scores(first.payload["screen_batch"])}
    both = await bench.done(_of(asyncio.gather(*(bench.scans.proceed(sent, ANN) for _ in range(2)))))
    assert sorted(codes(each.payload) for each in both) == [[], ["already_applied"]]
    assert {each.payload["screen_batch"]["batch"] for each in both} == {"02"}


async def test_closing_gives_work_ten_seconds_and_its_lease_back() -> None:
    bench = Bench()
    bench.literature.on_answer = hang
    player = Player(bench)
    task = asyncio.ensure_future(bench.scans.start(player.arguments, ANN))
    await bench.time.settle()
    began_s = bench.clock.monotonic_s()
    await bench.done(bench.scans.close())
    assert 10 <= bench.clock.monotonic_s() - began_s <= 11
    snapshot = await bench.store.load(KEY)
    assert snapshot is not None and not snapshot.is_leased
    assert snapshot.stored.is_owed
    answer = await bench.done(_of(task))
    assert answer.status == "in_progress"
    assert (await bench.done(bench.scans.start(player.arguments, ANN))).status == "in_progress"


async def test_every_step_is_a_stage_or_asks_for_something() -> None:
    assert {step for step in Step if is_stage(step)} == {
        Step.RETRIEVE,
        Step.EXPAND,
        Step.COVERAGE,
        Step.RETRIEVE_R2,
        Step.EXPAND_R2,
        Step.COVERAGE_R2,
        Step.SHORTLIST,
        Step.VERIFY,
        Step.EMIT,
    }


async def test_keys_have_longer_lives() -> None:
    bench = Bench()
    owner = replace(ANN, scope="key:a", is_key=True)
    player = Player(bench, owner)
    await player.call("start", player.arguments)
    bench.clock.advance(bench.settings.ttl_anonymous_s + 1)
    assert (await player.call("result", {})).status == "ok"
