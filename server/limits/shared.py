"""Windows in a Redis or Valkey store that several processes share; while it does not answer, windows stand open.

Tokens lie as the `limits` library's moving windows do: a list of times, newest first. One script looks at any number of
windows and takes what is drawn of each or nothing, so that all of it is one round trip and nothing need be given back.
"""

import importlib.util
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol, TypeVar, cast

import anyio
from limits.aio.storage import RedisStorage
from limits.errors import ConfigurationError, StorageError
from limits.storage import storage_from_string

from core.clock import Clock
from core.errors import OperatorError
from server.limits.budgets import DAY_S, MINUTE_S, Window
from server.limits.windows import ROUNDING_S, Draw, WindowState

KEY_PREFIX = "paperdesk"
STORE_LIMIT_S = 0.1
HOLD_OFF_S = 5.0
CONNECTIONS_MAX = 8
"""A question takes a fraction of a millisecond, a connection many; a burst must not open one for each request."""

_LOOK, _TAKE, _RECORD = 0, 1, 2

_SCRIPT = b"""
local now, span, rounding, mode = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local times, free = {}, true
for i, key in ipairs(KEYS) do
  -- Clocks of several machines differ a little: no token is older than one taken before it.
  times[i] = math.max(now, tonumber(redis.call('LINDEX', key, 0) or now))
  local oldest = redis.call('LINDEX', key, -1)
  while oldest and tonumber(oldest) <= times[i] - span + rounding do
    redis.call('RPOP', key)
    oldest = redis.call('LINDEX', key, -1)
  end
  free = free and redis.call('LLEN', key) + tonumber(ARGV[4 + #KEYS + i]) <= tonumber(ARGV[4 + i])
end
local takes = mode == 2 or (mode == 1 and free)
local answer = {takes and 1 or 0}
for i, key in ipairs(KEYS) do
  local amount = tonumber(ARGV[4 + #KEYS + i])
  if takes then
    for _ = 1, amount do redis.call('LPUSH', key, times[i]) end
    redis.call('PEXPIRE', key, math.ceil(span * 1000))
    amount = 1
  end
  local counted, limit, reset, frees = redis.call('LLEN', key), tonumber(ARGV[4 + i]), 0, 0
  if counted > 0 then reset = tonumber(redis.call('LINDEX', key, -1)) + span - times[i] end
  if limit < amount then frees = span
  elseif counted + amount > limit then
    frees = tonumber(redis.call('LINDEX', key, limit - amount)) + span - times[i]
  end
  answer[3 * i - 1], answer[3 * i], answer[3 * i + 1] = counted, tostring(reset), tostring(frees)
end
return answer
"""

_CLIENTS = {"redis": "redis", "rediss": "redis", "valkey": "valkey", "valkeys": "valkey"}
_IMPLEMENTATIONS = {"redis": "redispy", "valkey": "valkey"}

_T = TypeVar("_T")
_log = logging.getLogger("paperdesk.limits")


class _Client(Protocol):
    """What both clients have in common here."""

    def register_script(self, script: bytes) -> Callable[..., Awaitable[list[Any]]]: ...

    async def aclose(self) -> None: ...


class _Bridge(Protocol):
    """What the library's bridges to both clients have in common."""

    def get_connection(self) -> _Client: ...


def open_store(url: str, *, limit_s: float = STORE_LIMIT_S) -> RedisStorage:
    """The store at an address; nothing is asked of it yet. Raises `OperatorError` where its client is not installed.

    `limit_s` holds for connecting and for each reading.
    """
    client = _CLIENTS[url.partition(":")[0]]
    if importlib.util.find_spec(client) is None:
        raise OperatorError(
            f"The store that PAPERDESK_LIMITS_URL names needs the Python package {client}, which is not installed;"
            " install paperdesk with its extra `shared`."
        )
    try:
        storage = storage_from_string(
            f"async+{url}",
            implementation=_IMPLEMENTATIONS[client],
            wrap_exceptions=True,
            key_prefix=KEY_PREFIX,
            socket_timeout=limit_s,
            socket_connect_timeout=limit_s,
            # The older form of the wire needs no greeting.
            protocol=2,
        )
    except (ConfigurationError, ValueError, TypeError) as error:
        raise OperatorError(
            f"The store that PAPERDESK_LIMITS_URL names cannot be opened; check its form, such as {client}://host:6379/0,"
            f" and that the Python package {client} is a recent one."
        ) from error
    return cast(RedisStorage, storage)


class SharedWindows:
    """`Windows` in a store; `errors` counts the questions that it failed to answer."""

    identities = 0
    """They are remembered over there."""

    def __init__(self, storage: RedisStorage, clock: Clock, *, limit_s: float = STORE_LIMIT_S) -> None:
        self.errors = 0
        # Connecting and reading have their limits; a question has this one, whatever a connection has to go through.
        self._question_limit_s = 2 * limit_s
        self._storage = storage
        self._clock = clock
        self._client = cast(_Bridge, storage.bridge).get_connection()
        self._script = self._client.register_script(_SCRIPT)
        self._failures = _failures_of(storage)
        self._turns = anyio.Semaphore(CONNECTIONS_MAX, fast_acquire=True)
        self._is_down = False
        self._held_until_s = float("-inf")

    @property
    def is_down(self) -> bool:
        """Whether the last question found no answer."""
        return self._is_down

    async def aclose(self) -> None:
        """Lets go of the connections."""
        await self._client.aclose()

    async def look(self, digest: bytes, draw: Draw) -> WindowState | None:
        """A window of an identity, untouched."""
        if draw.window.is_daily:
            return await self._look_at_day(digest, draw)
        answer = await self._run(_LOOK, digest, (draw,))
        return None if answer is None else answer[1][0]

    async def take(self, digest: bytes, draws: Sequence[Draw]) -> tuple[bool, list[WindowState]] | None:
        """What is drawn of each sliding window, all or none."""
        return await self._run(_TAKE, digest, draws)

    async def record(self, digest: bytes, window: Window) -> None:
        """A token that is owed whatever the limit."""
        if window.is_daily:
            key, left_s = self._key_of_day(digest, window)
            await self._ask(lambda: self._storage.incr(key, int(left_s) + 1))
        else:
            await self._run(_RECORD, digest, (Draw(window, 0),))

    async def _run(self, mode: int, digest: bytes, draws: Sequence[Draw]) -> tuple[bool, list[WindowState]] | None:
        keys = [f"{KEY_PREFIX}:{digest.hex()}:{draw.window.name}" for draw in draws]
        limits, amounts = [draw.limit for draw in draws], [draw.amount for draw in draws]
        given = [repr(self._clock.now_s()), MINUTE_S, ROUNDING_S, mode, *limits, *amounts]
        answer = await self._ask(lambda: self._script(keys=keys, args=given))
        if answer is None:
            return None
        numbers = answer[1:]
        states = [
            WindowState(int(numbers[place]), float(numbers[place + 1]), float(numbers[place + 2]))
            for place in range(0, len(numbers), 3)
        ]
        return bool(answer[0]), states

    async def _look_at_day(self, digest: bytes, draw: Draw) -> WindowState | None:
        key, left_s = self._key_of_day(digest, draw.window)
        counted = await self._ask(lambda: self._storage.get(key))
        if counted is None:
            return None
        return WindowState(counted, left_s if counted else 0.0, left_s if counted >= draw.limit else 0.0)

    def _key_of_day(self, digest: bytes, window: Window) -> tuple[str, float]:
        """The counter of the present UTC day, without the prefix that the library adds, and what is left of the day."""
        day, into_s = divmod(self._clock.now_s(), DAY_S)
        return f"{digest.hex()}:{window.name}:{int(day)}", DAY_S - into_s

    async def _ask(self, question: Callable[[], Awaitable[_T]]) -> _T | None:
        if self._is_held():
            return None
        async with self._turns:
            # The store may have been given up while this one waited for its turn.
            return None if self._is_held() else await self._answer(question)

    def _is_held(self) -> bool:
        return self._clock.monotonic_s() < self._held_until_s

    async def _answer(self, question: Callable[[], Awaitable[_T]]) -> _T | None:
        now_s = self._clock.monotonic_s()
        # During an outage one request finds out for all whether it is over.
        is_probe = self._is_down
        if is_probe:
            self._held_until_s = now_s + HOLD_OFF_S
        try:
            with anyio.fail_after(self._question_limit_s):
                answer = await question()
        except self._failures as error:
            self._failed(error)
            return None
        except BaseException:
            if is_probe:
                self._held_until_s = now_s
            raise
        if is_probe:
            self._is_down = False
            self._held_until_s = now_s
            _log.info("limit_store=up windows=closed")
        return answer

    def _failed(self, error: Exception) -> None:
        self.errors += 1
        self._held_until_s = self._clock.monotonic_s() + HOLD_OFF_S
        if not self._is_down:
            self._is_down = True
            # The class alone, the client's own where the library has wrapped it: the text holds host and port.
            named = error.__cause__ if isinstance(error, StorageError) else error
            _log.warning("limit_store=down error=%s windows=open", type(named).__name__)


def _failures_of(storage: RedisStorage) -> tuple[type[Exception], ...]:
    known = storage.base_exceptions
    return (*(known if isinstance(known, tuple) else (known,)), StorageError, TimeoutError, OSError)
