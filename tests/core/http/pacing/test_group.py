"""What a group decides, question by question, at times that the test names."""

from dataclasses import replace
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.http.pacing.group import GroupState
from core.http.pacing.terms import Health, Moment, Reply, Ticket, Verdict
from core.http.rules import Pace, Tightening

ARXIV = Pace("arxiv", gap_s=3.0, in_flight=1, queue_max=4)
DATACITE = Pace("datacite", gap_s=0.3, in_flight=2)
ONE = Pace("crossref", gap_s=0.2, in_flight=3, lane="one")
LIST = Pace("crossref", gap_s=0.4, in_flight=3, lane="list")
LEASE_S = 25.0
NOW_S = 1_700_000_000.0
WELL = Verdict(Health.WELL)


class Group:
    """A state and the time; `share` processes pace themselves alike."""

    def __init__(self, *, share: int = 1, forgotten_after_s: float | None = None) -> None:
        self.state = GroupState()
        self.moment = Moment(NOW_S, share, forgotten_after_s)

    def later(self, seconds: float) -> None:
        self.moment = replace(self.moment, now_s=self.moment.now_s + seconds)

    def ask(self, id: str, pace: Pace = ARXIV, *, caller: str = "", **more: object) -> Reply:
        return self.state.ask(Ticket(id, caller or id, pace, LEASE_S, **more), self.moment)  # type: ignore[arg-type]

    def leave(self, id: str, verdict: Verdict = WELL, pace: Pace = ARXIV) -> float:
        return round(self.state.leave(Ticket(id, id, pace, LEASE_S), verdict, self.moment), 6)


def kinds(*replies: Reply) -> list[str]:
    return [reply.kind for reply in replies]


# references A70
def test_a_start_needs_a_free_slot_and_the_gap_since_the_last_start() -> None:
    group = Group()
    assert kinds(group.ask("a"), group.ask("b")) == ["go", "wait"]
    group.later(3)
    assert group.ask("b").kind == "wait", "the slot is still taken"
    group.leave("a")
    assert group.ask("b").kind == "go"
    group.later(2.9)
    group.leave("b")
    assert group.ask("c") == Reply("wait", pytest.approx(0.1, abs=1e-6))
    group.later(0.1)
    assert group.ask("c").kind == "go"


def test_a_request_that_left_late_moves_the_next_start() -> None:
    group = Group()
    group.ask("a")
    group.later(2)
    group.leave("a", Verdict(Health.WELL, started_s=NOW_S + 1.5))
    group.later(1)
    assert group.ask("b").kind == "wait"
    group.later(1.5)
    assert group.ask("b").kind == "go"


# references A72
def test_four_wait_for_arxiv_and_a_fifth_is_turned_away_with_its_estimate() -> None:
    group = Group()
    replies = [group.ask(id) for id in "abcdef"]
    assert kinds(*replies) == ["go", "wait", "wait", "wait", "wait", "full"]
    assert replies[-1].after_s == pytest.approx(15)


def test_elsewhere_one_is_turned_away_whose_wait_would_be_over_twelve_seconds() -> None:
    group = Group()
    replies = [group.ask(str(number), DATACITE) for number in range(42)]
    assert kinds(*replies) == ["go", *["wait"] * 40, "full"]
    assert replies[-1].after_s == pytest.approx(12.3)


def test_how_long_slots_were_held_of_late_counts_in_the_estimate() -> None:
    group = Group()
    for number in range(20):
        group.ask(f"a{number}", DATACITE)
        group.later(4)
        group.leave(f"a{number}", pace=DATACITE)
    asked = [group.ask(str(number), DATACITE) for number in range(9)]
    assert [reply.kind for reply in asked].count("full") == 2, "a slot comes free every 2 seconds: seven wait at most"


def test_a_wait_that_is_of_no_use_is_not_begun() -> None:
    group = Group()
    group.ask("a")
    assert group.ask("b", most_s=2.9) == Reply("full", 3.0)
    assert group.ask("b", most_s=3.0).kind == "wait"


# references A72
def test_two_callers_with_four_and_one_waiting_are_served_in_turn() -> None:
    group = Group()
    group.ask("first", caller="c")
    for id in ("a1", "a2", "a3"):
        group.ask(id, caller="a")
    group.ask("b1", caller="b")
    order, last = [], "first"
    while len(order) < 4:
        group.later(3)
        group.leave(last)
        last = next(id for id in ("a1", "a2", "a3", "b1") if group.ask(id, caller=id[0], is_admitted=True).kind == "go")
        order.append(last)
    assert order == ["a1", "b1", "a2", "a3"]


def test_newcomers_do_not_keep_one_from_its_second_start() -> None:
    group = Group()
    group.ask("0", DATACITE)
    group.ask("a1", DATACITE, caller="a")
    group.ask("a2", DATACITE, caller="a")
    started = []
    for number in range(6):
        group.ask(f"n{number}", DATACITE)
        group.later(0.3)
        waiting = ["a1", "a2", *(f"n{place}" for place in range(number + 1))]
        for id in waiting:
            if (
                id not in started
                and group.ask(id, DATACITE, caller=id[0] if id[0] == "a" else id, is_admitted=True).kind == "go"
            ):
                started.append(id)
                group.leave(id, pace=DATACITE)
    assert started.index("a2") == 2


def test_lanes_have_their_own_gaps_and_share_the_slots() -> None:
    group = Group()
    assert kinds(group.ask("l1", LIST), group.ask("o1", ONE), group.ask("l2", LIST), group.ask("o2", ONE)) == [
        "go",
        "go",
        "wait",
        "wait",
    ]
    group.later(0.2)
    assert kinds(group.ask("o2", ONE), group.ask("l2", LIST)) == ["go", "wait"]
    group.later(0.2)
    assert group.ask("l2", LIST).kind == "wait", "all three slots are taken"
    group.leave("o1", pace=ONE)
    assert group.ask("l2", LIST).kind == "go"


def test_one_who_waits_in_a_lane_that_is_not_ready_lets_another_lane_pass() -> None:
    group = Group()
    group.ask("l1", LIST)
    group.ask("l2", LIST)
    assert group.ask("o1", ONE).kind == "go"


# references A71
def test_processes_that_do_not_know_of_each_other_share_every_figure_out() -> None:
    group = Group(share=4)
    assert kinds(group.ask("a"), group.ask("b"), group.ask("c")) == ["go", "wait", "full"]
    group.leave("a")
    group.later(11.9)
    assert group.ask("b").kind == "wait"
    group.later(0.1)
    assert group.ask("b").kind == "go"
    assert Group(share=4).ask("a", replace(DATACITE, a_day=2)).kind == "go"


def test_headers_make_a_lane_slower_and_never_faster() -> None:
    group = Group()
    group.ask("a", ONE)
    group.leave("a", Verdict(Health.WELL, tightening=Tightening(gap_s=1.0, in_flight=1)), ONE)
    group.later(0.9)
    assert group.ask("b", ONE).kind == "wait"
    group.later(0.1)
    assert kinds(group.ask("b", ONE), group.ask("l", LIST)) == ["go", "wait"]
    group.leave("b", Verdict(Health.WELL, tightening=Tightening(gap_s=0.01, in_flight=50)), ONE)
    group.later(0.1)
    assert group.ask("c", ONE).kind == "wait"


def test_a_days_starts_are_counted_until_midnight() -> None:
    pace = replace(DATACITE, a_day=2)
    group = Group()
    for id in "ab":
        assert group.ask(id, pace).kind == "go"
        group.leave(id, pace=pace)
        group.later(1)
    into_s = (NOW_S + 2) % 86_400
    assert group.ask("c", pace) == Reply("spent", 86_400 - into_s, cap=2, actual=2)
    group.later(86_400 - into_s)
    assert group.ask("c", pace).kind == "go"


# references A68
def test_throttling_closes_the_group_for_as_long_as_it_asks_and_one_probe_opens_it() -> None:
    group = Group()
    group.ask("a")
    assert group.leave("a", Verdict(Health.THROTTLED, cool_s=90)) == 90
    group.later(10)
    assert group.ask("b") == Reply("cooling", 80)
    group.later(80)
    assert group.ask("b").kind == "go"
    group.later(5)
    assert group.ask("c") == Reply("cooling", 1.0), "everybody else waits for what the probe finds"
    group.leave("b")
    assert group.ask("c").kind == "go"


def test_without_a_length_cool_downs_double_from_a_minute_to_fifteen() -> None:
    group, lengths = Group(), []
    for number in range(6):
        assert group.ask(str(number)).kind == "go"
        lengths.append(group.leave(str(number), Verdict(Health.THROTTLED)))
        group.later(lengths[-1])
    assert lengths == [60, 120, 240, 480, 900, 900]
    group.ask("well")
    group.leave("well")
    group.later(3)
    group.ask("again")
    assert group.leave("again", Verdict(Health.THROTTLED)) == 60


def test_three_failures_in_a_row_close_the_group_and_an_answer_between_them_does_not() -> None:
    group = Group()
    for number, health in enumerate((Health.FAILED, Health.FAILED, Health.WELL, Health.FAILED, Health.FAILED)):
        group.ask(str(number))
        assert group.leave(str(number), Verdict(health)) == 0
        group.later(3)
    group.ask("last")
    assert group.leave("last", Verdict(Health.FAILED)) == 60
    assert group.ask("next").kind == "cooling"


def test_a_failed_probe_closes_the_group_anew_and_one_that_tells_nothing_leaves_room_for_another() -> None:
    group = Group()
    group.ask("a")
    group.leave("a", Verdict(Health.THROTTLED))
    group.later(60)
    group.ask("probe")
    assert group.leave("probe", Verdict(Health.UNKNOWN)) == 0
    group.later(3)
    assert group.ask("next").kind == "go"
    assert group.leave("next", Verdict(Health.FAILED)) == 120


def test_answers_that_come_in_while_the_group_is_closed_do_not_open_it() -> None:
    group = Group()
    group.ask("a", DATACITE)
    group.later(0.3)
    group.ask("b", DATACITE)
    group.leave("a", Verdict(Health.THROTTLED, cool_s=60), DATACITE)
    assert group.leave("b", Verdict(Health.WELL), DATACITE) == 60
    assert group.ask("c", DATACITE).kind == "cooling"


def test_a_longer_wait_asked_for_lengthens_a_cool_down_and_a_shorter_does_not() -> None:
    group = Group()
    for id in ("a", "b", "c"):
        group.ask(id, ONE)
        group.later(0.2)
    assert group.leave("a", Verdict(Health.THROTTLED, cool_s=60), ONE) == 60
    assert group.leave("b", Verdict(Health.THROTTLED, cool_s=100), ONE) == 100
    assert group.leave("c", Verdict(Health.THROTTLED, cool_s=10), ONE) == 100


def test_who_waits_when_the_group_closes_is_turned_away() -> None:
    group = Group()
    group.ask("a")
    group.ask("b")
    group.leave("a", Verdict(Health.THROTTLED, cool_s=60))
    assert group.ask("b", is_admitted=True) == Reply("cooling", 60)
    assert group.state.queue == []


def test_a_pause_holds_every_lane_back_and_turns_nobody_away() -> None:
    group = Group()
    group.ask("a", ONE)
    group.leave("a", Verdict(pause_s=2), ONE)
    assert kinds(group.ask("b", ONE), group.ask("c", LIST)) == ["wait", "wait"]
    group.later(2)
    assert kinds(group.ask("b", ONE), group.ask("c", LIST)) == ["go", "go"]


def test_the_slot_of_a_process_that_died_comes_free_with_its_lease() -> None:
    group = Group()
    group.ask("a")
    group.later(LEASE_S - 0.1)
    assert group.ask("b").kind == "wait"
    group.later(0.1)
    assert group.ask("b").kind == "go"


def test_the_place_of_one_that_asks_no_more_is_given_up_where_processes_may_die() -> None:
    group = Group(forgotten_after_s=3)
    group.ask("a")
    group.ask("dead")
    group.ask("b")
    group.leave("a")
    for _ in range(4):
        group.later(1)
        reply = group.ask("b")
    assert reply.kind == "go"


def test_a_further_request_of_one_under_way_waits_for_the_gap_and_keeps_its_slot() -> None:
    group = Group()
    ticket = Ticket("a", "a", ARXIV, LEASE_S)
    group.state.ask(ticket, group.moment)
    group.ask("b")
    assert group.state.again(ticket, group.moment) == Reply("wait", 3.0)
    group.later(3)
    assert group.state.again(ticket, group.moment).kind == "go"
    assert group.ask("b").kind == "wait"


def test_one_that_was_let_go_without_hearing_of_it_asks_anew() -> None:
    group = Group()
    group.ask("a")
    group.later(3)
    assert group.ask("a").kind == "go"
    assert len(group.state.leases) == 1


def test_a_state_comes_back_from_its_text_as_it_was() -> None:
    group = Group()
    for id in "abc":
        group.ask(id)
    group.leave("a", Verdict(Health.THROTTLED, cool_s=60, tightening=Tightening(1.0, 2)))
    text = orjson.dumps(group.state.to_json())
    assert GroupState.from_json(orjson.loads(text)) == group.state
    assert orjson.dumps(GroupState.from_json(orjson.loads(text)).to_json()) == text


def test_only_a_group_that_has_long_been_quiet_may_be_forgotten() -> None:
    group = Group()
    assert group.state.is_idle(group.moment)
    group.ask("a")
    assert not group.state.is_idle(group.moment)
    group.leave("a")
    assert not group.state.is_idle(group.moment)
    group.later(901)
    assert group.state.is_idle(group.moment)


STEPS = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["ask", "well", "failed", "unknown"]), st.floats(0, 4)),
    max_size=60,
)


# references A70
@given(STEPS)
def test_whatever_comes_starts_keep_their_gap_and_slots_their_number(steps: list[tuple[str, str, float]]) -> None:
    group, starts, running = Group(), [], set[str]()
    for id, what, seconds in steps:
        group.later(seconds)
        if what == "ask" and id not in running:
            if group.ask(id).kind == "go":
                starts.append(group.moment.now_s)
                running.add(id)
        elif what != "ask" and id in running:
            group.leave(id, Verdict(Health(what)))
            running.discard(id)
        running &= set(group.state.leases)
        assert len(running) <= 1
    assert all(later - earlier >= 3 - 1e-5 for earlier, later in pairwise(starts))
