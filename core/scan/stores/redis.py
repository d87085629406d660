"""A shelf of scans in one Redis or Valkey server that several machines share (scan contract 10.1).

A scan is one hash: its facts, its lease and its slots, so that each step is one script and deletion is one key. Beside
it lie sorted sets of expiry (members are key and owner), of waiting scans, and of each owner's open ones. The server's
own time holds for all. The scripts name keys that they compute, so the server may be no cluster.
What its append-only file holds of a deleted scan goes when the server next rewrites that file.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import anyio

from core.clock import Clock
from core.http.pacing.shared import StoreClient
from core.scan.stores.shelf import RECORD_SLOT, Facts, Row, unavailable

KEY_PREFIX = "paperdesk:scan:1"
QUESTION_LIMIT_S = 5.0
PURGED_AT_A_TIME = 200

_HEAD = """
local prefix, now = KEYS[1], tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = tonumber(time[1]) + tonumber(time[2]) / 1e6
end
local function hash(key) return prefix .. ':scan:' .. key end
local function opened(owner) return prefix .. ':open:' .. owner end
local EXPIRY, WAITING, COUNTERS = prefix .. ':expiry', prefix .. ':waiting', prefix .. ':counters'
local function is_live(key)
  local expires = redis.call('HGET', hash(key), 'expires')
  return expires and tonumber(expires) > now
end
local function is_leased(key) return tonumber(redis.call('HGET', hash(key), 'leased') or 0) > now end
local function is_held(key, token)
  return is_live(key) and is_leased(key) and redis.call('HGET', hash(key), 'token') == token
end
local function lease(key, ttl) redis.call('HSET', hash(key), 'leased', string.format('%.6f', now + tonumber(ttl))) end
local function unlist(key, owner)
  redis.call('ZREM', EXPIRY, key .. ' ' .. owner)
  redis.call('ZREM', WAITING, key)
  redis.call('ZREM', opened(owner), key)
end
local function remove(key)
  local owner = redis.call('HGET', hash(key), 'owner')
  if owner then unlist(key, owner) end
  redis.call('DEL', hash(key))
end
-- The facts and slots from ARGV[first] on: owner, open, waiting, expires, then slot and bytes by turns.
local function write(key, first)
  local owner, expires = ARGV[first], ARGV[first + 3]
  redis.call('HSET', hash(key), 'owner', owner, 'expires', expires)
  redis.call('ZADD', EXPIRY, expires, key .. ' ' .. owner)
  if ARGV[first + 1] == '1' then redis.call('ZADD', opened(owner), expires, key) end
  if ARGV[first + 2] == '1' then redis.call('ZADD', WAITING, redis.call('HINCRBY', COUNTERS, 'change', 1), key) end
  for place = first + 4, #ARGV, 2 do redis.call('HSET', hash(key), 'slot:' .. ARGV[place], ARGV[place + 1]) end
  -- Nobody may be there to purge it.
  redis.call('PEXPIRE', hash(key), math.max(1, math.ceil((tonumber(expires) - now) * 1000)))
end
"""
_SCRIPTS = {
    "put": """
if is_live(ARGV[2]) then return 0 end
remove(ARGV[2])
redis.call('HSET', hash(ARGV[2]), 'version', 1)
write(ARGV[2], 3)
return 1
""",
    "row": """
if not is_live(ARGV[2]) then return false end
local found = redis.call('HMGET', hash(ARGV[2]), 'version', 'slot:' .. ARGV[3], 'slot:' .. ARGV[4])
return {found[1], is_leased(ARGV[2]) and 1 or 0, found[2], found[3]}
""",
    "acquire": """
if not is_live(ARGV[2]) or is_leased(ARGV[2]) then return false end
local token = redis.call('HINCRBY', COUNTERS, 'token', 1)
redis.call('HSET', hash(ARGV[2]), 'token', token, 'holder', ARGV[3])
lease(ARGV[2], ARGV[4])
return token
""",
    "renew": """
if not is_held(ARGV[2], ARGV[3]) then return 0 end
lease(ARGV[2], ARGV[4])
return 1
""",
    "swap": """
local key = ARGV[2]
if not is_held(key, ARGV[4]) or redis.call('HGET', hash(key), 'version') ~= ARGV[3] then return 0 end
unlist(key, redis.call('HGET', hash(key), 'owner'))
redis.call('HINCRBY', hash(key), 'version', 1)
local emptied = tonumber(ARGV[5])
write(key, 6 + emptied)
for place = 6, 5 + emptied do redis.call('HDEL', hash(key), 'slot:' .. ARGV[place]) end
return 1
""",
    "owed": """
local found = {}
for _, key in ipairs(redis.call('ZRANGE', WAITING, 0, -1)) do
  if #found == tonumber(ARGV[2]) then break end
  if is_live(key) and not is_leased(key) then found[#found + 1] = key end
end
return found
""",
    "open_count": """
return redis.call('ZCOUNT', opened(ARGV[2]), '(' .. string.format('%.6f', now), '+inf')
""",
    "delete": """
remove(ARGV[2])
return 1
""",
    "purge": """
local members = redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', ARGV[2], 'LIMIT', 0, ARGV[3])
local removed = 0
for _, member in ipairs(members) do
  local key, owner = string.match(member, '^(%S*) (.*)$')
  local expires = redis.call('HGET', hash(key), 'expires')
  if expires and tonumber(expires) > tonumber(ARGV[2]) then
    -- The server let go of the old scan by itself, and another owner began a new one.
    redis.call('ZREM', EXPIRY, member)
    redis.call('ZREM', opened(owner), key)
  else
    redis.call('DEL', hash(key))
    unlist(key, owner)
    removed = removed + 1
  end
end
return {#members, removed}
""",
    "secret": """
redis.call('HSETNX', COUNTERS, 'secret', ARGV[2])
return redis.call('HGET', COUNTERS, 'secret')
""",
}


class RedisShelf:
    """Steps as scripts of the server. Time is the server's own; `use_own_time` takes the clock's instead."""

    def __init__(
        self, store: StoreClient, clock: Clock, *, use_own_time: bool = False, limit_s: float = QUESTION_LIMIT_S
    ) -> None:
        self._store = store
        self._clock = clock
        self._use_own_time = use_own_time
        self._limit_s = limit_s
        self._scripts: dict[str, Callable[..., Awaitable[Any]]] = {
            name: store.client.register_script((_HEAD + body).encode()) for name, body in _SCRIPTS.items()
        }

    async def put(self, key: str, facts: Facts, slots: Mapping[int, bytes]) -> bool:
        """Keeps version 1; False when the key is taken."""
        return bool(await self._ask("put", key, *_written(facts, slots)))

    async def row(self, key: str, slot: int | None = None) -> Row | None:
        """A scan's row, and what one more slot holds."""
        found = await self._ask("row", key, RECORD_SLOT, "none" if slot is None else slot)
        if found is None:
            return None
        version, is_leased, record, content = found
        return Row(int(version), bool(is_leased), record, content)

    async def acquire(self, key: str, holder: str, ttl_s: float) -> int | None:
        """The token of a new lease."""
        token = await self._ask("acquire", key, holder, repr(ttl_s))
        return None if token is None else int(token)

    async def renew(self, key: str, token: int, ttl_s: float) -> bool:
        """Whether the lease lives on."""
        return bool(await self._ask("renew", key, token, repr(ttl_s)))

    async def release(self, key: str, token: int) -> None:
        """Ends a lease."""
        await self._ask("renew", key, token, 0)

    async def swap(
        self, key: str, version: int, token: int, facts: Facts, slots: Mapping[int, bytes], emptied: Sequence[int]
    ) -> bool:
        """Replaces a version by the next one, under a live lease."""
        written = _written(facts, slots)
        return bool(await self._ask("swap", key, version, token, len(emptied), *emptied, *written))

    async def owed(self, limit: int) -> tuple[str, ...]:
        """Keys of waiting scans without a lease, longest unchanged first."""
        return tuple(key.decode() for key in await self._ask("owed", limit))

    async def open_count(self, owner: str) -> int:
        """How many open scans an owner has."""
        return int(await self._ask("open_count", owner))

    async def delete(self, key: str) -> None:
        """Removes a scan."""
        await self._ask("delete", key)

    async def purge(self, now_s: float) -> int:
        """Removes what has expired, a part at a time: the server does nothing else meanwhile."""
        total = 0
        while True:
            looked_at, removed = await self._ask("purge", repr(now_s), PURGED_AT_A_TIME)
            total += int(removed)
            if int(looked_at) < PURGED_AT_A_TIME:
                return total

    async def secret(self, proposed: bytes) -> bytes:
        """The store's secret; `proposed` becomes it where there is none."""
        return bytes(await self._ask("secret", proposed))

    async def aclose(self) -> None:
        """Lets go of the connections."""
        await self._store.client.aclose()

    async def _ask(self, script: str, *arguments: str | int | bytes) -> Any:
        """What a script answers. Asked too late, it may have been done: each leaves the whole of its effect or none."""
        now = repr(self._clock.now_s()) if self._use_own_time else ""
        try:
            with anyio.fail_after(self._limit_s):
                return await self._scripts[script](keys=[KEY_PREFIX], args=[now, *arguments])
        except self._store.failures as error:
            raise unavailable() from error


def _written(facts: Facts, slots: Mapping[int, bytes]) -> list[str | int | bytes]:
    """Facts and slots as the scripts take them."""
    pairs = [part for slot, blob in slots.items() for part in (slot, blob)]
    return [facts.owner, int(facts.is_open), int(facts.is_waiting), repr(facts.expires_at_s), *pairs]
