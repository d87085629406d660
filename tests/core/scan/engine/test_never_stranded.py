"""Whatever is called, fails or dies: following what the answers say ends a scan (scan contract 4.3)."""

import asyncio
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.scan.answers.envelope import ENVELOPE_KEYS, Envelope
from core.scan.answers.refusals import Code
from core.scan.engine.configuration import LEASE_S
from tests.core.scan.sent import SCAN_ID, sent_entry, sent_gap, sent_score
from tests.scan_bench import ANN, Bench, Killed, MortalStore, Player, scan_id
from tests.scan_world import WorldLiterature, small_world

QUERIES = tuple(f"Q{number}" for number in range(1, 7))
ACTIONS = {
    "complete": {"complete"},
    "screen": {"screen_candidates"},
    "gap": {"write_gap_queries"},
    "rank": {"rank_shortlist", "verify_ranked"},
}
STRAY: dict[str, tuple[str, dict[str, Any]]] = {
    "poll": ("proceed", {}),
    "result": ("result", {}),
    "verify": ("verify", {}),
    "skip": ("proceed", {"gap_queries": []}),
    "gap": ("proceed", {"gap_queries": [sent_gap("G1")]}),
    "unknown scores": ("proceed", {"screen_scores": [sent_score("f" * 12)]}),
    "unknown entries": ("verify", {"ranked_entries": [sent_entry("f" * 12)]}),
    "two artifacts": ("proceed", {"gap_queries": [], "screen_scores": [sent_score()]}),
    "junk": ("proceed", {"screen_scores": "no", "more": 1}),
}
TROUBLES = (
    "sources fail",
    "graph fails",
    "verification fails",
    "all is well",
    "killed at an answer",
    "killed",
    "waits",
)
happenings = st.lists(st.sampled_from(("follow", "follow", "again", *STRAY, *TROUBLES)), max_size=40)


class Walk:
    """A scan to which things happen."""

    def __init__(self, *, is_forced: bool, all_zero: bool) -> None:
        literature = WorldLiterature(small_world((*QUERIES, "G1"), each=2), ("catalog", "s2"))
        self.literature = literature
        self.stores: list[MortalStore] = []
        self.bench = Bench(literature, wrapped=self._mortal)
        self.player = Player(self.bench, force_gap_round=is_forced)
        self.player.gap_queries = [sent_gap("G1")]
        if all_zero:
            self.player.score_of = lambda _: 0
        self.last: Envelope | None = None
        self.repeated: tuple[str, dict[str, Any]] = ("start", self.player.arguments)
        self.dies = False
        literature.on_answer = self._answer

    async def happen(self, what: str) -> None:
        """One call or one trouble; a process that dies is followed by another."""
        try:
            await self._do(what)
        except Killed:
            self._reopen()
            await self.bench.time.pass_by(LEASE_S / 2)

    async def end(self) -> Envelope:
        """The end of the scan, all being well again."""
        self.literature.down, self.literature.graph_answers, self.literature.verifies = set(), True, True
        self.dies = False
        if self.last is None or self.last.phase == "unknown":
            self.last = await self.player.call("start", self.player.arguments)
        for _ in range(60):
            if self.last.phase == "complete":
                return self.last
            self.last = checked(await self.player.step(self.last))
        raise AssertionError(f"stranded: {self.last.json()}")

    async def _do(self, what: str) -> None:
        match what:
            case "sources fail":
                self.literature.down = {"catalog", "s2"}
            case "graph fails":
                self.literature.graph_answers = False
            case "verification fails":
                self.literature.verifies = False
            case "all is well":
                self.literature.down, self.literature.graph_answers, self.literature.verifies = set(), True, True
            case "killed at an answer":
                self.dies = True
            case "killed":
                self._reopen()
            case "waits":
                await self.bench.time.pass_by(20)
            case "follow":
                await self._follow()
            case "again":
                self.last = checked(await self.player.call(*self.repeated))
            case _:
                self.last = checked(await self.player.call(*STRAY[what]))

    async def _follow(self) -> None:
        if self.last is None or self.last.phase == "unknown":
            self.last = checked(await self.player.call("start", self.player.arguments))
            return
        self.last = checked(await self.player.step(self.last))

    def _mortal(self, store: Any) -> MortalStore:
        self.stores.append(MortalStore(store))
        return self.stores[-1]

    def _reopen(self) -> None:
        self.dies = False
        self.stores[-1].is_dead = True
        self.bench.scans = self.bench.opened(self._mortal(self.bench.store))

    async def _answer(self, _: str, __: str) -> None:
        if self.dies:
            self.stores[-1].kill()


def checked(answer: Envelope) -> Envelope:
    """An answer that is sound in itself and says how to go on."""
    told = answer.json()
    assert tuple(told) == ENVELOPE_KEYS
    if answer.phase == "unknown":
        assert answer.payload["recovery"] in ("start_new_scan", "fix_and_resend", "wait", "retry_same_call")
        return answer
    if answer.status != "ok":
        code = Code(answer.payload["code"])  # type: ignore[call-arg]
        assert (answer.status, answer.payload["recovery"]) == (code.status, code.recovery)
        assert code not in (Code.INTERNAL_ERROR, Code.ARTIFACT_CORRUPT, Code.STAGE_FAILED)
    if answer.next_action is not None:
        assert answer.next_action in ACTIONS[answer.phase]
    else:
        assert answer.status != "ok"
        assert answer.payload["recovery"] in ("wait", "retry_same_call", "fix_and_resend")
    return answer


# scan A25, A66
@settings(max_examples=25)
@given(happenings, st.booleans(), st.booleans())
@example(["follow", "killed at an answer", "follow", "verify", "again", "follow"], True, False)
@example(["sources fail", "follow", "poll", "verify", "result", "killed"], False, True)
def test_following_the_answers_ends_every_scan(happened: list[str], is_forced: bool, all_zero: bool) -> None:
    async def walk() -> None:
        walked = Walk(is_forced=is_forced, all_zero=all_zero)
        for what in happened:
            await walked.happen(what)
        done = await walked.end()
        assert (done.status, done.next_action) == ("ok", "complete")
        result = await walked.player.call("result", {})
        assert set(result.payload) >= {"run_dir", "coverage", "unverified", "evidence_json", "top", "evidence_md"}

    asyncio.run(walk())


@pytest.mark.parametrize("call", ["proceed", "verify", "result"])
async def test_a_scan_that_never_began_is_named_as_such(call: str) -> None:
    bench = Bench()
    answer = await bench.done(getattr(bench.scans, call)({"scan_id": scan_id(3)}, ANN))
    assert (answer.scan_id, answer.phase, answer.status) == (scan_id(3), "unknown", "wrong_phase")
    assert answer.payload["code"] == "unknown_scan"
    assert answer.scan_id != SCAN_ID
