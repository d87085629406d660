"""Where the state of pacing groups is kept: in this process, or for the fleet with this process to fall back on."""

import logging
from collections.abc import Callable
from typing import Protocol, TypeVar

from core.clock import Clock
from core.http.pacing.group import GroupState
from core.http.pacing.terms import Moment

HOLD_OFF_S = 5.0
"""How long a store that did not answer is left alone."""
GROUPS_MAX = 512
"""Beyond so many groups, those that forgetting changes nothing for are forgotten."""

T = TypeVar("T")
Step = Callable[[GroupState, Moment], T]

_log = logging.getLogger("paperdesk.pacing")


class PaceStore(Protocol):
    """Keeps each group's state and changes it one step at a time."""

    async def change(self, group: str, step: Step[T]) -> T:
        """Applies a step to a group's state and answers what the step did; a step may be run more than once."""
        ...


class StoreDown(Exception):
    """The shared store did not answer."""


class MemoryPace:
    """States in this process; `share` processes pace themselves by the same figures without knowing of each other."""

    def __init__(self, clock: Clock, *, share: int = 1) -> None:
        self._clock = clock
        self._share = share
        # Reads like Unix time and never goes back.
        self._offset_s = clock.now_s() - clock.monotonic_s()
        self._states: dict[str, GroupState] = {}

    async def change(self, group: str, step: Step[T]) -> T:
        """Applies a step at once."""
        return self.change_now(group, step)

    def change_now(self, group: str, step: Step[T]) -> T:
        """The same without waiting."""
        state = self._states.get(group)
        if state is None:
            self._make_room()
            state = self._states[group] = GroupState()
        return step(state, self.moment())

    def moment(self) -> Moment:
        """Now."""
        return Moment(self._offset_s + self._clock.monotonic_s(), self._share)

    def take(self, group: str) -> GroupState | None:
        """A group's state, which is no longer kept here."""
        return self._states.pop(group, None)

    def __len__(self) -> int:
        return len(self._states)

    def __contains__(self, group: str) -> bool:
        return group in self._states

    def _make_room(self) -> None:
        if len(self._states) >= GROUPS_MAX:
            moment = self.moment()
            self._states = {name: state for name, state in self._states.items() if not state.is_idle(moment)}


class Shared(Protocol):
    """A store for the fleet."""

    async def change(self, group: str, step: Step[T]) -> T:
        """As `PaceStore`; raises `StoreDown`."""
        ...

    def seen(self, group: str) -> tuple[GroupState, float] | None:
        """The last state read, and by how much this process's clock reads more than the store's."""
        ...


class FleetPace:
    """The shared store; while it is down, each of `workers` processes paces itself at its share of every figure.

    What was known goes along both ways, so that neither change lets a request start too early. `errors` counts the
    questions that found no answer.
    """

    def __init__(self, shared: Shared, clock: Clock, *, workers: int, process: str) -> None:
        self.errors = 0
        self._shared = shared
        self._clock = clock
        self._process = process
        self._alone = MemoryPace(clock, share=workers)
        self._is_down = False
        self._held_until_s = float("-inf")

    @property
    def is_down(self) -> bool:
        """Whether the last question found no answer."""
        return self._is_down

    async def change(self, group: str, step: Step[T]) -> T:
        """Applies a step in the shared store, or here."""
        if self._clock.monotonic_s() >= self._held_until_s:
            try:
                return await self._in_shared(group, step)
            except StoreDown as error:
                self._failed(error)
        return self._in_own(group, step)

    async def _in_shared(self, group: str, step: Step[T]) -> T:
        if group not in self._alone:
            found = await self._shared.change(group, step)
        else:
            own = self._alone.change_now(group, lambda state, moment: state)

            def with_own(state: GroupState, moment: Moment) -> T:
                later_s = moment.now_s - self._alone.moment().now_s
                state.take_over(own, later_s=later_s, leases=tuple(own.leases))
                state.add_starts(own)
                return step(state, moment)

            found = await self._shared.change(group, with_own)
            self._alone.take(group)
        if self._is_down:
            self._is_down = False
            _log.info("pace_store=up")
        return found

    def _in_own(self, group: str, step: Step[T]) -> T:
        seen = self._shared.seen(group)
        if group not in self._alone and seen is not None:
            known, later_s = seen
            ours = tuple(lease for lease in known.leases if lease.startswith(self._process))
            self._alone.change_now(group, lambda state, moment: state.take_over(known, later_s=later_s, leases=ours))
        return self._alone.change_now(group, step)

    def _failed(self, error: StoreDown) -> None:
        self.errors += 1
        self._held_until_s = self._clock.monotonic_s() + HOLD_OFF_S
        if not self._is_down:
            self._is_down = True
            # The class alone: the text may hold host and port.
            _log.warning("pace_store=down error=%s", type(error.__cause__ or error).__name__)
