"""Admission of one request: a slot while it is in progress, a look at its window, then its tokens, all or none.

A call costs one token of its window, a batch as many as it has items; one larger than the window costs all of it.

Over windows in memory nothing here waits: between a look and a taking no other request can come.
"""

from collections.abc import Mapping, Sequence

import anyio

from server.limits.budgets import CONCURRENT, GLOBAL, MINUTE_S, PER_MINUTE, WINDOWS, Budgets
from server.limits.identity import Caller
from server.limits.refusal import LimitRefused, RateState, rate_of, slots_used_up, window_used_up
from server.limits.reservations import Reservations
from server.limits.slots import Slots
from server.limits.windows import Draw, Windows, WindowState, draw_of, whole_seconds


class Limiter:
    """The one thing that the rest uses: who may begin, and what it costs."""

    def __init__(self, budgets: Budgets, windows: Windows) -> None:
        self.budgets = budgets
        self.windows = windows
        self.slots = Slots(budgets.ceiling)
        self.reservations = Reservations()

    async def admit(self, caller: Caller, *, window: str = PER_MINUTE) -> "Ticket":
        """A ticket that holds a slot until it is closed. Raises `LimitRefused`; a refused request takes nothing."""
        numbers = self.budgets.of(caller)
        slots = self.slots
        if slots.in_progress >= slots.ceiling:
            raise self._without_slot(GLOBAL, slots.ceiling)
        if slots.held_by(caller.digest) >= numbers[CONCURRENT]:
            raise self._without_slot(CONCURRENT, numbers[CONCURRENT])
        slots.enter(caller.digest)
        draw = draw_of(window, numbers[window])
        try:
            state = await self.windows.look(caller.digest, draw)
            if state is not None and state.frees_s > 0:
                raise window_used_up(window, draw.limit, state)
        except BaseException:
            slots.leave(caller.digest)
            raise
        return Ticket(self, caller.digest, numbers, draw, state)

    async def charge(self, caller: Caller) -> RateState | None:
        """One `per_minute` token of a request that goes no further. Raises `LimitRefused` when none is left."""
        draw = draw_of(PER_MINUTE, self.budgets.of(caller)[PER_MINUTE])
        taken = await self.windows.take(caller.digest, (draw,))
        if taken is None:
            return None
        is_taken, (state,) = taken
        if not is_taken:
            raise window_used_up(PER_MINUTE, draw.limit, state)
        return rate_of(draw.limit, state)

    def _without_slot(self, budget: str, limit: int) -> LimitRefused:
        refused = slots_used_up(budget, limit)
        if self.windows.is_down:
            refused.rate = None
        return refused


class Ticket:
    """What one request holds from its admission to its end."""

    __slots__ = (
        "_digest",
        "_draw",
        "_drawn",
        "_is_closed",
        "_is_settled",
        "_limiter",
        "_numbers",
        "_owed",
        "_refused",
        "_reserved",
    )

    def __init__(
        self, limiter: Limiter, digest: bytes, numbers: Mapping[str, int], draw: Draw, state: WindowState | None
    ) -> None:
        self._limiter = limiter
        self._digest = digest
        self._numbers = numbers
        self._draw = draw
        # The windows that this request draws on, as they are after it; their numbers are made when they are asked for.
        self._drawn: Sequence[_Drawn] = () if state is None else ((draw, state),)
        self._reserved: dict[str, RateState | None] = {}
        self._owed: set[str] = set()
        self._refused: LimitRefused | None = None
        self._is_settled = False
        self._is_closed = False

    @property
    def rate(self) -> RateState | None:
        """What the answer says: of the budget that refused, or of those drawn on the one with the least left.

        None while the store is down.
        """
        if self._refused is not None:
            return self._refused.rate
        if not self._reserved and len(self._drawn) == 1:
            ((draw, state),) = self._drawn
            return rate_of(draw.limit, state)
        rates = [rate_of(draw.limit, state) for draw, state in self._drawn]
        rates += [self._reserved_rate(name, rate) for name, rate in self._reserved.items() if rate is not None]
        return min(rates, key=_remaining, default=None)

    def _reserved_rate(self, name: str, rate: RateState) -> RateState:
        # What was reserved and is not owed is given back, so the caller still has it.
        if name not in self._owed:
            return rate._replace(remaining=rate.remaining + 1)
        # The first that is owed of a minute is back after all of it.
        is_first = not rate.reset_s and not WINDOWS[name].is_daily
        return rate._replace(reset_s=whole_seconds(MINUTE_S)) if is_first else rate

    @property
    def is_settled(self) -> bool:
        """Whether the tokens were taken, or refused."""
        return self._is_settled

    async def take(self, budgets: Sequence[str] = (), *, cost: int = 1) -> None:
        """`cost` tokens of the window and one of each budget, all or none; metered ones are only reserved.

        Raises `LimitRefused` for the budget that is full the longest.
        """
        if self._is_settled:
            raise RuntimeError("the tokens of a ticket are taken once")
        self._is_settled = True
        draws = [self._draw if cost == 1 else self._draw.of(cost)]
        metered: list[Draw] = []
        for name in budgets:
            draw = draw_of(name, self._numbers[name])
            (metered if draw.window.is_metered else draws).append(draw)
        try:
            for draw in metered:
                await self._reserve(draw)
            self._note(draws, await self._limiter.windows.take(self._digest, draws))
        except BaseException as error:
            self._release()
            if isinstance(error, LimitRefused):
                self._refused = error
            raise

    async def settle(self) -> None:
        """Takes the window's token of a request that ended before it drew on anything; a full window is left as is."""
        if self._is_settled:
            return
        try:
            await self.take()
        except LimitRefused:
            # Others took the last token since this one was admitted; what it did is done.
            return

    def owe(self, budget: str) -> None:
        """What was reserved of a metered budget is owed: the work that it stands for has begun."""
        if budget not in self._reserved:
            raise RuntimeError(f"nothing of {budget} was reserved")
        self._owed.add(budget)

    def owe_reserved(self) -> None:
        """All that is reserved is owed; nothing where nothing is, as after the request has ended."""
        if not self._is_closed:
            self._owed.update(self._reserved)

    def leave(self) -> bool:
        """Frees the slot, once; whether `close` has something left to do."""
        if self._is_closed:
            return False
        self._is_closed = True
        self._limiter.slots.leave(self._digest)
        return not self._is_settled or bool(self._reserved)

    async def close(self) -> None:
        """Frees the slot, then settles; what is owed goes to the store, what is not is given back."""
        if self.leave():
            await self.settle_up()

    async def settle_up(self) -> None:
        """What `close` has to do where `leave` left something."""
        try:
            # A request that was cancelled owes no less; the store answers within its time limit or is given up.
            with anyio.CancelScope(shield=True):
                await self.settle()
                for name in tuple(self._owed):
                    await self._limiter.windows.record(self._digest, WINDOWS[name])
        finally:
            self._release()

    async def _reserve(self, draw: Draw) -> None:
        name = draw.window.name
        reservations = self._limiter.reservations
        reserved = reservations.count(self._digest, name)
        state = await self._limiter.windows.look(self._digest, draw._replace(limit=draw.limit - reserved))
        # Others may have reserved while a store was asked.
        if state is not None and state.counted + reservations.count(self._digest, name) >= draw.limit:
            raise window_used_up(name, draw.limit, state)
        reservations.add(self._digest, name)
        reserved = reservations.count(self._digest, name)
        self._reserved[name] = None if state is None else rate_of(draw.limit, state, reserved=reserved)

    def _note(self, draws: Sequence[Draw], taken: tuple[bool, Sequence[WindowState]] | None) -> None:
        if taken is None:
            self._drawn = ()
            return
        is_taken, states = taken
        self._drawn = tuple(zip(draws, states, strict=True))
        if not is_taken:
            draw, state = max(self._drawn, key=_wait)
            raise window_used_up(draw.window.name, draw.limit, state, cost=draw.amount)

    def _release(self) -> None:
        for name in self._reserved:
            self._limiter.reservations.remove(self._digest, name)
        self._reserved = {}
        self._owed = set()


_Drawn = tuple[Draw, WindowState]


def _remaining(rate: RateState) -> int:
    return rate.remaining


def _wait(drawn: _Drawn) -> float:
    return drawn[1].frees_s
