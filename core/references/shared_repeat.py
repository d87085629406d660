"""Repeat suppression for all workers, in a Redis or Valkey store that keeps the time too (references contract, 1.8)."""

import hashlib
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

import anyio
import orjson

from core.clock import Clock
from core.http.pacing.shared import QUESTION_LIMIT_S, StoreClient
from core.http.pacing.stores import HOLD_OFF_S
from core.references.repeat import FORCED_MAX, FORCED_WINDOW_S, Failure, MemoryRepeats, Question, Replay

KEY_PREFIX = "paperdesk:repeat:1"

# The code stands before the rest, so that the store can tell whether it is the one that it holds.
_FIND = b"return {redis.call('GET', KEYS[1]) or '', redis.call('PTTL', KEYS[1])}"
_KEEP = b"""
local held = redis.call('GET', KEYS[1]) or ''
if string.sub(held, 1, string.len(ARGV[1])) ~= ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
end
return {}
"""
_FORGET = b"redis.call('DEL', KEYS[1]) return {}"
_FORCE = b"""
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local first = tonumber(redis.call('LINDEX', KEYS[1], 0) or now)
while redis.call('LLEN', KEYS[1]) > 0 and first + window <= now do
  redis.call('LPOP', KEYS[1])
  first = tonumber(redis.call('LINDEX', KEYS[1], 0) or now)
end
if redis.call('LLEN', KEYS[1]) >= most then return {first + window - now} end
redis.call('RPUSH', KEYS[1], now)
redis.call('PEXPIRE', KEYS[1], window)
return {0}
"""

_log = logging.getLogger("paperdesk.repeat")


class SharedRepeats:
    """What all workers remember; while the store does not answer, this process remembers for itself."""

    def __init__(self, store: StoreClient, clock: Clock, *, limit_s: float = QUESTION_LIMIT_S) -> None:
        self.errors = 0
        self._store = store
        self._clock = clock
        self._limit_s = limit_s
        self._failures: tuple[type[Exception], ...] = (TimeoutError, *store.failures)
        self._own = MemoryRepeats(clock)
        self._held_until_s = float("-inf")
        self._find, self._keep, self._forget, self._force = (
            store.client.register_script(script) for script in (_FIND, _KEEP, _FORGET, _FORCE)
        )

    async def aclose(self) -> None:
        """Lets go of the connections."""
        await self._store.client.aclose()

    async def find(self, question: Question) -> Replay | None:
        """The failure that still stands."""
        answer = await self._ask(self._find, _key(question), [])
        if answer is None:
            return await self._own.find(question)
        failure = _failure(bytes(answer[0]))
        return None if failure is None or answer[1] <= 0 else Replay(failure, answer[1] / 1000)

    async def failed(self, question: Question, failure: Failure) -> None:
        """Remembers a failure of another code than the one remembered."""
        life_ms = round(failure.window_s() * 1000)
        if life_ms <= 0:
            return
        given = [f"{failure.code}\n", orjson.dumps(asdict(failure)), life_ms]
        if await self._ask(self._keep, _key(question), given) is None:
            await self._own.failed(question, failure)

    async def succeeded(self, question: Question) -> None:
        """Forgets what failed."""
        await self._own.succeeded(question)
        await self._ask(self._forget, _key(question), [])

    async def force(self, client: str) -> float:
        """Counts a forced call, at most 10 of a client within an hour."""
        digest = hashlib.blake2b(client.encode(), digest_size=16).hexdigest()
        given = [FORCED_MAX, round(FORCED_WINDOW_S * 1000)]
        answer = await self._ask(self._force, f"{KEY_PREFIX}:forced:{digest}", given)
        return await self._own.force(client) if answer is None else answer[0] / 1000

    async def _ask(self, script: Callable[..., Awaitable[list[Any]]], key: str, given: list[Any]) -> list[Any] | None:
        """The store's answer; None while it gives none."""
        if self._clock.monotonic_s() < self._held_until_s:
            return None
        try:
            with anyio.fail_after(self._limit_s):
                return await script(keys=[key], args=given)
        except self._failures as error:
            self.errors += 1
            self._held_until_s = self._clock.monotonic_s() + HOLD_OFF_S
            # The class alone: the text may hold host and port.
            _log.warning("repeat_store=down error=%s", type(error).__name__)
            return None


def _key(question: Question) -> str:
    return f"{KEY_PREFIX}:{question.digest()}"


def _failure(text: bytes) -> Failure | None:
    """The failure in a text; None where it is none, or another release's."""
    try:
        return Failure(**orjson.loads(text.partition(b"\n")[2])) if text else None
    except (ValueError, TypeError):
        return None
