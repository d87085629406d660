"""Two processes of the service on one store of scans: one judgement wins, and what one leaves the other takes up."""

import contextlib
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from core.scan.stores.port import scan_key
from core.scan.stores.redis import KEY_PREFIX
from server.setting_table import PREFIX
from tests.gates.running import WIDE_BUDGETS, Server, serving
from tests.gates.scan_worker import LEASE_S, LOOKS_EVERY_S
from tests.scan_service import Json, Judge, ScanClient, fresh_id
from tests.scan_upstreams import ScanUpstreams, scan_upstreams
from tests.stores import Store

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

SCANS = 4
CALLERS = 12
SPARE_S = 15.0
"""What a busy machine may need beside the lease and the look."""
EVIDENCE = ("evidence.json", "evidence.bib", "coverage.json", "candidates.json", "ranked.json")
GAP: Json = {"id": "G1", "type": "gap", "text": "memory of attention", "target_criterion": "C3"}
OTHER_GAP: Json = {**GAP, "id": "G2", "text": "heads of attention"}
WORKING = {"in_progress", "queued_behind_other_scan"}


@dataclass(frozen=True)
class Fleet:
    """Two processes, what they ask, and their store."""

    servers: Sequence[Server]
    http: Sequence[httpx.Client]
    upstreams: ScanUpstreams
    store: Store

    def client(self, number: int) -> ScanClient:
        """A client of one of the processes."""
        return ScanClient(self.http[number % 2])

    def version(self, scan_id: str) -> int:
        """How often a scan was changed, read from the store."""
        key = f"{KEY_PREFIX}:scan:{scan_key('anonymous', scan_id)}"
        return int(self.store.ask("HGET", key, "version"))


@dataclass
class Wandering:
    """Calls through the two processes by turns: who polls is never who works."""

    clients: Sequence[ScanClient]
    count: int = 0
    said: list[Json] = field(default_factory=list)

    def call(self, tool: str, arguments: Any = None, **more: Any) -> Json:
        """A tool's envelope."""
        self.count += 1
        self.said.append(self.clients[self.count % len(self.clients)].call(tool, arguments, **more))
        return self.said[-1]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    running = Store("redis", tmp_path_factory.mktemp("redis"))
    running.start()
    yield running
    running.stop()


@contextlib.contextmanager
def fleet_on(store: Store, catalog: Path, folder: Path, **settings: str) -> Iterator[Fleet]:
    """Two processes; both ask the scripted OpenAlex beside the catalog."""
    with scan_upstreams() as upstreams, contextlib.ExitStack() as stack:
        environment = {
            **WIDE_BUDGETS,
            **upstreams.settings(),
            **{f"{PREFIX}{name}": value for name, value in settings.items()},
            f"{PREFIX}TOOLSETS": "scan",
            f"{PREFIX}EMBEDDER": "none",
            f"{PREFIX}IDENTITY_KEY": "i" * 32,
            f"{PREFIX}CURSOR_KEYS": "k" * 32,
            f"{PREFIX}LIMITS_URL": store.url,
            f"{PREFIX}SCAN_STORE": store.url,
            f"{PREFIX}SCAN_SECRET": "s" * 32,
            f"{PREFIX}SCAN_SOURCES": "catalog,openalex",
            f"{PREFIX}SCAN_MAX_OPEN": "100",
            f"{PREFIX}SCAN_MAX_JOBS": "8",
            f"{PREFIX}SOURCE_OPENALEX_MIN_GAP_MS": "0",
        }
        run = ("serve", "--catalog", f"file:{catalog}")
        starting = [serving(folder, *run, module="tests.gates.scan_worker", environment=environment) for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            servers = list(pool.map(stack.enter_context, starting))
        http = [stack.enter_context(httpx.Client(base_url=each.url, timeout=60)) for each in servers]
        yield Fleet(servers, http, upstreams, store)


@pytest.fixture
def fleet(store: Store, sample_directory: Path, tmp_path: Path) -> Iterator[Fleet]:
    with fleet_on(store, sample_directory, tmp_path) as running:
        yield running


def at_once(work: Callable[[int], Json], count: int = CALLERS) -> list[Json]:
    """What so many threads are told that begin together."""
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def told(answers: Sequence[Json]) -> Counter[str]:
    """How often each answer came: its code, its warning of a repeat, or its status."""
    return Counter(_said(each) for each in answers)


def _said(answer: Json) -> str:
    warned = {warning["code"] for warning in answer["payload"].get("warnings", ())}
    return str(answer["payload"].get("code") or ("already_applied" if "already_applied" in warned else "ok"))


def documents(client: ScanClient, scan_id: str) -> dict[str, Any]:
    """A finished scan's documents, without what is its own."""
    found = {}
    for name in EVIDENCE:
        [content] = client.read(f"scan-run://{scan_id}/{name}")["result"]["contents"]
        text = content["text"].replace(scan_id, "ID").replace(f"scan-{scan_id[:8]}", "SLUG")
        found[name] = orjson.loads(text) if name.endswith(".json") else text
    return found


def settled(client: Any, scan_id: str, *, limit_s: float = 60.0) -> Json:
    """A scan's envelope once no stage is owed."""
    ends_s = time.monotonic() + limit_s
    while time.monotonic() < ends_s:
        found: Json = client.call("scan_result", scan_id=scan_id)
        if found["status"] not in WORKING:
            return found
        time.sleep(0.05)
    raise AssertionError(f"no stage ended within {limit_s} s: {found}")


def test_scans_go_on_through_both_processes_and_end_alike(fleet: Fleet) -> None:
    # scan A16, A63, A70
    clients = [fleet.client(number) for number in range(2)]

    def play(number: int) -> Json:
        scan_id = fresh_id()
        wandering = Wandering([fleet.client(number), fleet.client(number + 1)])
        judge = Judge(wandering, scan_id, gap_queries=(GAP,))  # type: ignore[arg-type]
        begun = wandering.clients[0].start(scan_id, force_gap_round=True, profile="quick")
        assert judge.play(begun)["phase"] == "complete"
        assert "write_gap_queries" in judge.actions
        return documents(clients[number % 2], scan_id)

    first, *others = at_once(play, SCANS)
    assert others == [first] * (SCANS - 1)
    for server in fleet.servers:
        assert server.complaints() == []


def test_of_judgements_at_once_one_is_taken_and_each_change_is_one_version(fleet: Fleet) -> None:
    # scan A15, A70
    scan_id = fresh_id()
    clients = [fleet.client(number) for number in range(CALLERS)]
    start = at_once(lambda number: clients[number].start(scan_id, profile="quick", force_gap_round=True))
    assert set(told(start)) <= {"ok", "stage_running"}
    shown = settled(clients[0], scan_id)
    assert fleet.version(scan_id) == 2
    searches = Counter(fleet.upstreams.asked)["/openalex/works"]
    judge = Judge(clients[0], scan_id)

    # The same scores from all: one change.
    scores = judge.scores(shown["payload"]["screen_batch"]["items"])
    answers = told(at_once(lambda number: clients[number].call("scan_continue", scan_id=scan_id, screen_scores=scores)))
    assert set(answers) <= {"ok", "already_applied", "call_in_progress"}
    assert (answers["ok"], fleet.version(scan_id)) == (1, 3)

    # Scores that contradict each other: each that is taken is one change, and nothing comes in between.
    shown = settled(clients[1], scan_id)
    items = shown["payload"]["screen_batch"]["items"]
    taken = at_once(
        lambda number: clients[number].call(
            "scan_continue",
            scan_id=scan_id,
            screen_scores=[{**each, "reason": f"as {number} says"} for each in judge.scores(items)],
        )
    )
    answers = told(taken)
    assert set(answers) <= {"ok", "call_in_progress"}
    assert answers["ok"] >= 1
    assert fleet.version(scan_id) == 3 + answers["ok"]
    [content] = clients[0].read(f"scan-run://{scan_id}/screen.json")["result"]["contents"]
    kept = {each["cid"]: each["reason"] for each in orjson.loads(content["text"])["scores"]}
    assert len({kept[each["cid"]] for each in items}) == 1

    # Gap plans that contradict each other: one is searched, the others are told to wait.
    gap = judge.play(settled(clients[0], scan_id), until="write_gap_queries")
    assert gap["next_action"] == "write_gap_queries"
    before = fleet.version(scan_id)
    plans: list[list[Json]] = [[GAP], [OTHER_GAP], []]
    answers = told(
        at_once(lambda number: clients[number].call("scan_continue", scan_id=scan_id, gap_queries=plans[number % 3]))
    )
    assert set(answers) <= {"ok", "already_applied", "stage_running", "call_in_progress", "gap_not_asked"}
    settled(clients[1], scan_id)
    [content] = clients[0].read(f"scan-run://{scan_id}/queries.json")["result"]["contents"]
    round2 = [each["id"] for each in orjson.loads(content["text"])["round2"]]
    assert round2 in ([], ["G1"], ["G2"])
    # The plan itself, and one change for each stage after it.
    assert fleet.version(scan_id) - before == (2 if not round2 else fleet_stages(clients[0], scan_id))
    assert Counter(fleet.upstreams.asked)["/openalex/works"] >= searches


def fleet_stages(client: ScanClient, scan_id: str) -> int:
    """The changes that a second round makes until the client is needed: its plan, and each of its stages so far."""
    [content] = client.read(f"scan-run://{scan_id}/manifest.json")["result"]["contents"]
    times = orjson.loads(content["text"])["timestamps"]
    done = [name for name in ("retrieve-r2", "expand-r2", "coverage-r2", "shortlist") if f"{name}.finished_at" in times]
    return 1 + len(done)


@pytest.mark.parametrize("stage", ["retrieve", "expand", "verify"])
def test_what_a_killed_process_was_at_the_other_goes_on_with_to_the_same_end(
    store: Store, sample_directory: Path, tmp_path: Path, stage: str
) -> None:
    # scan A66, A67
    with fleet_on(store, sample_directory, tmp_path, SCAN_WAIT_S="0") as fleet:
        dying, living = fleet.client(0), fleet.client(1)
        undisturbed, scan_id = fresh_id(), fresh_id()
        assert Judge(living, undisturbed).play(living.start(undisturbed, profile="quick"))["phase"] == "complete"

        judge = Judge(dying, scan_id)
        if stage != "retrieve":
            until = {"expand": "screen_candidates", "verify": "verify_ranked"}[stage]
            last = judge.play(dying.start(scan_id, profile="quick"), until=until)
            while stage == "expand" and len(last["payload"]["open_batches"]) > 1:
                last = judge.play(judge.answer(last), until=until)
        fleet.upstreams.latency_s, before = 0.3, len(fleet.upstreams.asked)
        working = dying.start(scan_id, profile="quick") if stage == "retrieve" else judge.answer(last)
        assert (working["status"], working["payload"]["stage"]) == ("in_progress", stage)
        fleet.upstreams.await_asked(before + 1)
        fleet.servers[0].process.kill()
        killed_s = time.monotonic()
        assert living.call("scan_result", scan_id=scan_id)["payload"]["stage"] == stage
        settled(living, scan_id)
        assert time.monotonic() - killed_s < LEASE_S + LOOKS_EVERY_S + SPARE_S
        fleet.upstreams.latency_s = 0.0
        judge.client = living
        assert judge.play(settled(living, scan_id))["phase"] == "complete"
        assert documents(living, scan_id) == documents(living, undisturbed)
        assert fleet.servers[1].complaints() == []
        assert fleet.servers[0].process.wait(10) == -signal.SIGKILL
