"""How a pacing group decides who starts, who waits and who is turned away, and when nobody may ask.

Arithmetic over a state that a store keeps, the same for one process and for a fleet (references contract 5.5, 5.6).
Times are seconds of the store's clock, which reads like Unix time.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from core.http.pacing.terms import Health, Moment, Reply, Ticket, Verdict
from core.http.rules import Pace

WAIT_MAX_S = 12.0
ASK_AGAIN_S = 0.25
"""How often the first in the queue asks again when nothing says how long it will be."""
ASK_AGAIN_LATEST_S = 1.0
"""How often everybody asks again, to be known to wait still."""
COOL_FIRST_S = 60.0
COOL_LONGEST_S = 15 * 60.0
FAILURES_TO_COOL = 3
DAY_S = 86_400

_ROUNDING_S = 1e-6
_NEWEST_WEIGHT = 0.25


@dataclass(slots=True)
class Lane:
    """When a lane's last request started, and the gap that the source's headers ask for."""

    started_s: float = 0.0
    gap_s: float = 0.0


@dataclass(slots=True)
class Waiting:
    """One in the queue; `turn` is its round: in each round every caller has one start."""

    id: str
    caller: str
    lane: str
    gap_s: float
    turn: int
    seen_s: float


@dataclass(slots=True)
class GroupState:
    """All that is known of a group. `leases` hold each request under way and the time when it is given up for lost.

    `turn` is the round being served, `held_s` how long requests were under way of late, `probe` the one that finds out
    whether a cool-down is over.
    """

    lanes: dict[str, Lane] = field(default_factory=dict)
    leases: dict[str, float] = field(default_factory=dict)
    queue: list[Waiting] = field(default_factory=list)
    turn: int = 0
    held_s: float = 0.0
    slots: int | None = None
    paused_until_s: float = 0.0
    failures: int = 0
    cool_until_s: float = 0.0
    cool_level: int = 0
    probe: str = ""
    day: int = 0
    day_count: int = 0

    def ask(self, ticket: Ticket, moment: Moment) -> Reply:
        """Whether a request may start now; one that may not yet has its place in the queue from then on."""
        # One that was let go without hearing of it, since its store fell silent, starts anew.
        self.leases.pop(ticket.id, None)
        self._forget(moment)
        cooling_s = self._cooling_s(moment)
        if cooling_s > 0:
            self.drop(ticket.id)
            return Reply("cooling", cooling_s)
        spent = self._spent(ticket.pace, moment)
        if spent is not None:
            self.drop(ticket.id)
            return spent
        own = next((each for each in self.queue if each.id == ticket.id), None)
        is_new = own is None
        if own is None:
            own = self._queued(ticket, moment)
        # Seldom enough that most questions leave the state as it is, and need no writing.
        if moment.now_s - own.seen_s >= ASK_AGAIN_LATEST_S:
            own.seen_s = moment.now_s
        if self._may_start(own, ticket.pace, moment):
            self._start(own, ticket, moment)
            return Reply("go", at_s=moment.now_s)
        wait_s = self._estimate_s(own, ticket.pace, moment)
        if is_new and not ticket.is_admitted and self._is_too_long(ticket, wait_s, moment):
            self.queue.remove(own)
            return Reply("full", wait_s)
        latest_s = ASK_AGAIN_LATEST_S if self._ahead(own) else ASK_AGAIN_S
        return Reply("wait", min(wait_s, latest_s) if wait_s > _ROUNDING_S else ASK_AGAIN_S)

    def again(self, ticket: Ticket, moment: Moment) -> Reply:
        """The same for a further request of one that is under way: it keeps its slot and waits for the gap alone."""
        spent = self._spent(ticket.pace, moment)
        if spent is not None:
            return spent
        wait_s = self._ready_s(ticket.pace.lane, self._gap_s(ticket.pace, moment)) - moment.now_s
        if wait_s > _ROUNDING_S:
            return Reply("wait", wait_s)
        self._mark(ticket, moment)
        return Reply("go", at_s=moment.now_s)

    def leave(self, ticket: Ticket, verdict: Verdict, moment: Moment) -> float:
        """The request has ended; seconds of the cool-down that now holds, 0 without one."""
        until_s = self.leases.pop(ticket.id, None)
        if until_s is not None:
            held_s = max(moment.now_s - (until_s - ticket.lease_s), 0.0)
            self.held_s += (held_s - self.held_s) * _NEWEST_WEIGHT
        lane = self._lane(ticket.pace)
        lane.started_s = max(lane.started_s, verdict.started_s)
        if verdict.pause_s:
            self.paused_until_s = max(self.paused_until_s, moment.now_s + verdict.pause_s)
        if verdict.tightening is not None:
            lane.gap_s, self.slots = verdict.tightening.gap_s, verdict.tightening.in_flight
        is_probe = self.probe == ticket.id
        if is_probe:
            self.probe = ""
        self._learn(verdict, moment, is_probe=is_probe)
        return max(self.cool_until_s - moment.now_s, 0.0)

    def drop(self, ticket_id: str) -> None:
        """One who waited goes away."""
        self.queue = [each for each in self.queue if each.id != ticket_id]

    def is_idle(self, moment: Moment) -> bool:
        """Whether forgetting the group would change nothing."""
        quiet_s = moment.now_s - COOL_LONGEST_S
        return (
            not self.leases
            and not self.queue
            and not self.day_count
            and max(self.cool_until_s, self.paused_until_s) < quiet_s
            and all(lane.started_s < quiet_s for lane in self.lanes.values())
        )

    def take_over(self, other: "GroupState", *, later_s: float, leases: Iterable[str]) -> None:
        """Learns what another state of the group knew, whose clock reads `later_s` less; of its requests only `leases`.

        Those who wait there ask here themselves.
        """
        for name, known in other.lanes.items():
            lane = self.lanes.setdefault(name, Lane())
            lane.started_s = max(lane.started_s, known.started_s + later_s)
            lane.gap_s = max(lane.gap_s, known.gap_s)
        self.paused_until_s = max(self.paused_until_s, other.paused_until_s + later_s)
        self.leases |= {each: other.leases[each] + later_s for each in leases if each in other.leases}
        if other.cool_until_s + later_s > self.cool_until_s:
            self.cool_until_s, self.cool_level = other.cool_until_s + later_s, max(self.cool_level, other.cool_level)
        self.failures = max(self.failures, other.failures)

    def add_starts(self, other: "GroupState") -> None:
        """Counts the starts of the day that another state has counted."""
        if other.day > self.day:
            self.day, self.day_count = other.day, 0
        if other.day == self.day:
            self.day_count += other.day_count

    def to_json(self) -> dict[str, Any]:
        """The state as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "GroupState":
        """The state that `to_json` gave."""
        lanes = {name: Lane(**lane) for name, lane in found["lanes"].items()}
        return cls(**{**found, "lanes": lanes, "queue": [Waiting(**each) for each in found["queue"]]})

    def _lane(self, pace: Pace) -> Lane:
        return self.lanes.setdefault(pace.lane, Lane())

    def _ready_s(self, lane: str, gap_s: float) -> float:
        """From when on a request with that gap may start."""
        return max(self.lanes.get(lane, Lane()).started_s + gap_s, self.paused_until_s)

    def _gap_s(self, pace: Pace, moment: Moment) -> float:
        return max(pace.gap_s, self._lane(pace).gap_s) * moment.share

    def _slots(self, pace: Pace, moment: Moment) -> int:
        most = pace.in_flight if self.slots is None else min(pace.in_flight, self.slots)
        return max(most // moment.share, 1)

    def _forget(self, moment: Moment) -> None:
        """Drops who has died: leases past their time, callers that ask no more."""
        self.leases = {each: until_s for each, until_s in self.leases.items() if until_s > moment.now_s}
        if self.probe not in self.leases:
            self.probe = ""
        if moment.forgotten_after_s is not None:
            gone_s = moment.now_s - moment.forgotten_after_s
            self.queue = [each for each in self.queue if each.seen_s >= gone_s]

    def _cooling_s(self, moment: Moment) -> float:
        """Seconds during which nobody may ask; past them one may, and the others wait for what it finds."""
        if self.probe:
            return max(1.0, self.cool_until_s - moment.now_s)
        return max(self.cool_until_s - moment.now_s, 0.0)

    def _spent(self, pace: Pace, moment: Moment) -> Reply | None:
        day, into_s = divmod(moment.now_s, DAY_S)
        if int(day) != self.day:
            self.day, self.day_count = int(day), 0
        if pace.a_day is None or self.day_count < (cap := max(pace.a_day // moment.share, 1)):
            return None
        return Reply("spent", DAY_S - into_s, cap=cap, actual=self.day_count)

    def _queued(self, ticket: Ticket, moment: Moment) -> Waiting:
        """A new place, in the round after the caller's last one. Nobody joins a round that is being served already:
        so newcomers never keep one who waits for its second start from it.
        """
        turn = 1 + max([self.turn, *(each.turn for each in self.queue if each.caller == ticket.caller)])
        gap_s = self._gap_s(ticket.pace, moment)
        own = Waiting(ticket.id, ticket.caller, ticket.pace.lane, gap_s, turn, moment.now_s)
        self.queue.append(own)
        return own

    def _in_order(self) -> list[Waiting]:
        # Sorting is stable: within a round first come, first served.
        return sorted(self.queue, key=lambda each: each.turn)

    def _may_start(self, own: Waiting, pace: Pace, moment: Moment) -> bool:
        free = self._slots(pace, moment) - len(self.leases)
        passed: set[str] = set()
        for each in self._in_order():
            if free <= 0:
                return False
            if each.lane in passed:
                continue
            # Only the first of a lane can start; it takes a slot from those behind it in other lanes if it is ready.
            passed.add(each.lane)
            if self._ready_s(each.lane, each.gap_s) <= moment.now_s + _ROUNDING_S:
                if each is own:
                    return True
                free -= 1
        return False

    def _start(self, own: Waiting, ticket: Ticket, moment: Moment) -> None:
        self.queue.remove(own)
        self.turn = max(self.turn, own.turn) if self.queue else 0
        if self.cool_level and not self.probe:
            self.probe = own.id
        self._mark(ticket, moment)

    def _mark(self, ticket: Ticket, moment: Moment) -> None:
        self.leases[ticket.id] = moment.now_s + ticket.lease_s
        self._lane(ticket.pace).started_s = moment.now_s
        if ticket.pace.a_day is not None:
            self.day_count += 1

    def _ahead(self, own: Waiting) -> int:
        order = self._in_order()
        return sum(each.lane == own.lane for each in order[: order.index(own)])

    def _estimate_s(self, own: Waiting, pace: Pace, moment: Moment) -> float:
        """When those ahead will have started, by the gap, and by how long slots were held of late."""
        slots = self._slots(pace, moment)
        slot_s = self.held_s / slots
        for_slot_s = slot_s if len(self.leases) >= slots else 0.0
        for_gap_s = self._ready_s(own.lane, own.gap_s) - moment.now_s
        return max(for_gap_s, for_slot_s, 0.0) + self._ahead(own) * max(own.gap_s, slot_s)

    def _is_too_long(self, ticket: Ticket, wait_s: float, moment: Moment) -> bool:
        if ticket.most_s is not None and wait_s > ticket.most_s:
            return True
        if ticket.pace.queue_max is None:
            return wait_s > WAIT_MAX_S + _ROUNDING_S
        return len(self.queue) > max(ticket.pace.queue_max // moment.share, 1)

    def _learn(self, verdict: Verdict, moment: Moment, *, is_probe: bool) -> None:
        match verdict.health:
            case Health.WELL:
                self.failures = 0
                if is_probe:
                    self.cool_level, self.cool_until_s = 0, 0.0
            case Health.FAILED:
                self.failures += 1
                if is_probe or self.failures >= FAILURES_TO_COOL:
                    self._cool(None, moment)
            case Health.THROTTLED:
                self._cool(verdict.cool_s, moment)
            case Health.UNKNOWN:
                pass

    def _cool(self, asked_s: float | None, moment: Moment) -> None:
        """Starts a cool-down, or lengthens the one that holds; each that a probe finds no end of is twice as long."""
        self.failures = 0
        if self.cool_until_s <= moment.now_s:
            length_s = min(COOL_FIRST_S * 2**self.cool_level, COOL_LONGEST_S) if asked_s is None else asked_s
            self.cool_level += 1
            self.cool_until_s = moment.now_s + length_s
        elif asked_s is not None:
            self.cool_until_s = max(self.cool_until_s, moment.now_s + asked_s)
