"""The state of pacing groups in a Redis or Valkey store: read, changed here, written if nobody else did."""

import importlib
import importlib.util
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

import anyio
import orjson

from core.clock import Clock
from core.errors import OperatorError
from core.http.pacing.group import DAY_S, GroupState
from core.http.pacing.stores import GROUPS_MAX, Step, StoreDown, T
from core.http.pacing.terms import Moment

KEY_PREFIX = "paperdesk:pace:1"
QUESTION_LIMIT_S = 0.4
"""A step ends here whatever its connection has to go through; it is begun once more, since a pause of this process
looks like one of the store, and pacing alone is the worse of two evils."""
STEPS_MAX = 2
DOORS = 8
"""Questions to the store at a time. All of one group go through one door, so that no two of this process come between
each other; and no more go at once than the store answers at once, since waiting there looks like a slow store."""
FORGOTTEN_AFTER_S = 3.0
KEPT_S = 2 * DAY_S

_SCRIPT = b"""
local held = redis.call('GET', KEYS[1]) or ''
local time = redis.call('TIME')
if ARGV[2] ~= '' and held == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
end
return {held, time[1], time[2]}
"""
_CLIENTS = {"redis": "redis", "rediss": "redis", "valkey": "valkey", "valkeys": "valkey"}


class _Client(Protocol):
    """What both clients have in common here."""

    def register_script(self, script: bytes) -> Callable[..., Awaitable[list[Any]]]: ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class StoreClient:
    """An opened client and what it raises when the store does not answer."""

    client: _Client
    failures: tuple[type[Exception], ...]


def open_client(
    url: str, *, limit_s: float = QUESTION_LIMIT_S, named: str = "The shared limiter's store"
) -> StoreClient:
    """The client of a store by its address; nothing is asked of it yet. Raises `OperatorError`, which says `named`.

    `limit_s` is that of a step; a connection gives up a little later by itself.
    """
    package = _CLIENTS.get(url.partition(":")[0])
    if package is None:
        raise OperatorError(f"{named} is named by an address such as redis://host:6379/0.")
    if importlib.util.find_spec(package) is None:
        raise OperatorError(
            f"{named} needs the Python package {package}, which is not installed; install paperdesk with its extra"
            " `shared`."
        )
    # Which of the two is installed is the operator's choice, so neither is imported before it is known.
    kind = "Redis" if package == "redis" else "Valkey"
    client = getattr(importlib.import_module(f"{package}.asyncio"), kind)
    failure = getattr(importlib.import_module(f"{package}.exceptions"), f"{kind}Error")
    once = importlib.import_module(f"{package}.asyncio.retry").Retry(
        importlib.import_module(f"{package}.backoff").NoBackoff(), 0
    )
    try:
        # The older form of the wire needs no greeting; what is worth trying again is known here and not in the library.
        opened = client.from_url(
            url,
            socket_timeout=2 * limit_s,
            socket_connect_timeout=2 * limit_s,
            retry=once,
            protocol=2,
            decode_responses=False,
        )
    except ValueError as error:
        raise OperatorError(
            f"{named} has an address that cannot be read; write it like {package}://host:6379/0."
        ) from error
    return StoreClient(opened, (failure, OSError, TimeoutError))


class SharedPace:
    """States in a store. Time is the store's own, one for all machines; `use_own_time` takes the clock's instead."""

    def __init__(
        self, store: StoreClient, clock: Clock, *, use_own_time: bool = False, limit_s: float = QUESTION_LIMIT_S
    ) -> None:
        self._store = store
        self._limit_s = limit_s
        self._doors = [anyio.Lock(fast_acquire=True) for _ in range(DOORS)]
        self._clock = clock
        self._use_own_time = use_own_time
        self._script = store.client.register_script(_SCRIPT)
        self._seen: OrderedDict[str, GroupState] = OrderedDict()
        self._offset_s = clock.now_s() - clock.monotonic_s()
        self._later_s = 0.0

    async def aclose(self) -> None:
        """Lets go of the connections."""
        await self._store.client.aclose()

    async def change(self, group: str, step: Step[T]) -> T:
        """Applies a step until nobody else came between; raises `StoreDown`."""
        async with self._doors[hash(group) % DOORS]:
            for number in range(STEPS_MAX):
                try:
                    with anyio.fail_after(self._limit_s):
                        return await self._change(f"{KEY_PREFIX}:{group}", group, step)
                except TimeoutError as error:
                    if number == STEPS_MAX - 1:
                        raise StoreDown from error
                except self._store.failures as error:
                    raise StoreDown from error
        raise StoreDown

    async def _change(self, key: str, group: str, step: Step[T]) -> T:
        text, now_s = await self._ask(key, b"", b"")
        while True:
            state = _state(text)
            found = step(state, Moment(now_s, forgotten_after_s=FORGOTTEN_AFTER_S))
            written = orjson.dumps(state.to_json())
            self._remember(group, state)
            if written == text:
                return found
            held, now_s = await self._ask(key, text, written)
            if held == text:
                return found
            text = held

    def seen(self, group: str) -> tuple[GroupState, float] | None:
        """The last state read, and by how much this process's clock reads more than the store's."""
        state = self._seen.get(group)
        return None if state is None else (state, self._later_s)

    async def _ask(self, key: str, expected: bytes, wanted: bytes) -> tuple[bytes, float]:
        """What the store held, and its time; it holds `wanted` now if it held `expected`."""
        held, seconds, micros = await self._script(keys=[key], args=[expected, wanted, KEPT_S])
        own_s = self._offset_s + self._clock.monotonic_s()
        now_s = own_s if self._use_own_time else int(seconds) + int(micros) / 1e6
        self._later_s = own_s - now_s
        return bytes(held), now_s

    def _remember(self, group: str, state: GroupState) -> None:
        self._seen[group] = state
        self._seen.move_to_end(group)
        if len(self._seen) > GROUPS_MAX:
            self._seen.popitem(last=False)


def _state(text: bytes) -> GroupState:
    """The state in a text; a fresh one where it is none, or another release's."""
    try:
        return GroupState.from_json(orjson.loads(text)) if text else GroupState()
    except (ValueError, TypeError, KeyError, AttributeError):
        return GroupState()
