"""Waiting one's turn: for the caller's own room first, then for the group's (references contract 5.5)."""

import hashlib
import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio

from core.clock import Clock
from core.http.pacing.callers import Callers
from core.http.pacing.group import GroupState
from core.http.pacing.stores import PaceStore, Step, T
from core.http.pacing.terms import Moment, Reply, Ticket, Verdict
from core.http.rules import Pace

LEASE_MARGIN_S = 5.0
"""How much longer than a request may take its slot is held for it, should its process die."""
GOODBYE_S = 1.0
"""How long telling the store of an end may take once nobody waits for it any more."""

_Ask = Callable[[GroupState, Ticket, Moment], Reply]


class TurnedAway(Exception):
    """No turn within a time of use; `reply` says why and when to come back."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class Pacing:
    """The turns of one process over a store of groups; `process` tells its requests from those of others."""

    def __init__(
        self,
        store: PaceStore,
        clock: Clock,
        *,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
        process: str | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._sleep = sleep
        self._process = process or new_process_name()
        self._callers = Callers(clock, sleep)
        self._numbers = itertools.count()
        self._changed: dict[str, anyio.Event] = {}

    async def cooling_s(self, pace: Pace) -> float:
        """Seconds for which the group of a pace is still left alone; 0 where it is not. Nothing is begun by asking."""
        return await self._store.change(pace.group, lambda state, moment: max(state.cool_until_s - moment.now_s, 0.0))

    @asynccontextmanager
    async def turn(
        self, pace: Pace, caller: str, *, whole_s: float, most_s: float | None = None
    ) -> AsyncIterator["Turn"]:
        """Waits for caller slot, caller window, group slot and group gap, in this order; raises `TurnedAway`.

        `whole_s` is how long the request may take, `most_s` the longest wait that is of use.
        """
        # The store learns to tell callers apart, not who they are.
        token = hashlib.blake2b(caller.encode(errors="replace"), digest_size=8).hexdigest()
        ticket = Ticket(self._new_id(), token, pace, whole_s + LEASE_MARGIN_S, most_s=most_s)
        async with self._callers.turn(caller):
            turn = Turn(self, ticket)
            try:
                await turn.begin()
                yield turn
            finally:
                await turn.leave(Verdict())

    def monotonic_s(self) -> float:
        """A reading of the clock; only differences mean anything."""
        return self._clock.monotonic_s()

    def renewed(self, ticket: Ticket, pace: Pace) -> Ticket:
        """A ticket for one more request of the same caller, in another group."""
        return replace(ticket, id=self._new_id(), pace=pace, is_admitted=False)

    async def change(self, group: str, step: Step[T]) -> T:
        """Applies a step to a group."""
        return await self._store.change(group, step)

    async def pause(self, group: str, seconds: float) -> None:
        """Waits so long, or until something changes in the group on this side."""
        changed = self._changed.setdefault(group, anyio.Event())
        async with anyio.create_task_group() as tasks:

            async def wake() -> None:
                await changed.wait()
                tasks.cancel_scope.cancel()

            tasks.start_soon(wake)
            await self._sleep(seconds)
            tasks.cancel_scope.cancel()

    def tell(self, group: str) -> None:
        """Wakes everybody here who waits in a group."""
        changed = self._changed.pop(group, None)
        if changed is not None:
            changed.set()

    def _new_id(self) -> str:
        return f"{self._process}-{next(self._numbers)}"


class Turn:
    """One request's place in its group: waiting, then let go, then over."""

    def __init__(self, pacing: Pacing, ticket: Ticket) -> None:
        self._pacing = pacing
        self._ticket = ticket
        self._asked_s = 0.0
        self._let_go_s = 0.0
        self._late_s = 0.0
        self._is_over = False

    async def begin(self) -> None:
        """Waits in the group's queue; raises `TurnedAway`."""
        try:
            await self._wait_for(GroupState.ask)
        except TurnedAway:
            self._is_over = True
            raise

    async def again(self, pace: Pace) -> None:
        """Waits for one more start, that of a redirect; where it leads to another group it queues there."""
        if pace.group == self._ticket.pace.group:
            await self._wait_for(GroupState.again)
            return
        await self.leave(Verdict())
        self._ticket = self._pacing.renewed(self._ticket, pace)
        self._is_over = False
        await self.begin()

    def sent(self) -> None:
        """The request has left just now: the gap to the next one counts from here, not from when it was let go."""
        self._late_s = self._pacing.monotonic_s() - self._asked_s

    async def leave(self, verdict: Verdict) -> float:
        """Ends the request, or the waiting for it; seconds of the cool-down that holds by then."""
        if self._is_over:
            return 0.0
        self._is_over = True
        ticket, group = self._ticket, self._ticket.pace.group
        told = replace(verdict, started_s=self._let_go_s + self._late_s)

        def end(state: GroupState, moment: Moment) -> float:
            state.drop(ticket.id)
            return state.leave(ticket, told, moment)

        cooling_s = 0.0
        # A caller that was cancelled must not leave its place behind.
        with anyio.move_on_after(GOODBYE_S, shield=True):
            cooling_s = await self._pacing.change(group, end)
        self._pacing.tell(group)
        return cooling_s

    async def _wait_for(self, ask: _Ask) -> None:
        group = self._ticket.pace.group
        while True:
            ticket = self._ticket
            self._asked_s = self._pacing.monotonic_s()
            reply = await self._pacing.change(group, _step(ask, ticket))
            if reply.kind == "go":
                self._let_go_s, self._late_s = reply.at_s, 0.0
                return
            if reply.kind != "wait":
                raise TurnedAway(reply)
            self._ticket = replace(ticket, is_admitted=True)
            await self._pacing.pause(group, reply.after_s)


def new_process_name() -> str:
    """A name that no other process has."""
    return secrets.token_hex(6)


def _step(ask: _Ask, ticket: Ticket) -> Step[Reply]:
    return lambda state, moment: ask(state, ticket, moment)
