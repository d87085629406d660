"""A shelf of scans in a SQLite file, for one machine and any number of its processes (scan contract 10.1)."""

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from core.clock import Clock
from core.scan.stores.lane import BUSY_LIMIT_S, Connection, Lane, writing
from core.scan.stores.pages import content_of, padded
from core.scan.stores.shelf import RECORD_SLOT, Facts, Row

Now = Callable[[], float]
"""The time is read once the write lock is held: a change may have waited for it."""
_SLOTS_MAX = 1 << 20
"""Each scan has a number, and its contents the places from `number * _SLOTS_MAX` on."""
_NUMBER_COLUMN = 1


class SqliteShelf:
    """Changes go through one thread and readings through another, so that no reading waits for a change."""

    def __init__(self, path: Path, clock: Clock, *, busy_limit_s: float = BUSY_LIMIT_S) -> None:
        self._now = clock.now_s
        self._changes = Lane(path, busy_limit_s=busy_limit_s)
        self._readings = Lane(path, busy_limit_s=busy_limit_s)

    async def put(self, key: str, facts: Facts, slots: Mapping[int, bytes]) -> bool:
        """Keeps version 1; False when the key is taken."""
        return await self._changes.run(functools.partial(_put, key, facts, slots, self._now))

    async def row(self, key: str, slot: int | None = None) -> Row | None:
        """A scan's row, and what one more slot holds."""
        return await self._readings.run(functools.partial(_row, key, slot, self._now))

    async def acquire(self, key: str, holder: str, ttl_s: float) -> int | None:
        """The token of a new lease."""
        return await self._changes.run(functools.partial(_acquire, key, holder, ttl_s, self._now))

    async def renew(self, key: str, token: int, ttl_s: float) -> bool:
        """Whether the lease lives on."""
        return await self._changes.run(functools.partial(_set_lease, key, token, ttl_s, self._now))

    async def release(self, key: str, token: int) -> None:
        """Ends a lease."""
        await self._changes.run(functools.partial(_set_lease, key, token, 0.0, self._now))

    async def swap(
        self, key: str, version: int, token: int, facts: Facts, slots: Mapping[int, bytes], emptied: Sequence[int]
    ) -> bool:
        """Replaces a version by the next one, under a live lease."""

        def work(connection: Connection) -> bool:
            return _swap(key, version, token, facts, slots, emptied, self._now, connection)

        return await self._changes.run(work)

    async def owed(self, limit: int) -> tuple[str, ...]:
        """Keys of waiting scans without a lease, longest unchanged first."""
        return await self._readings.run(functools.partial(_owed, limit, self._now))

    async def open_count(self, owner: str) -> int:
        """How many open scans an owner has."""
        return await self._readings.run(functools.partial(_open_count, owner, self._now))

    async def delete(self, key: str) -> None:
        """Removes a scan."""
        await self._changes.run(functools.partial(_delete, key))

    async def purge(self, now_s: float) -> int:
        """Removes what has expired."""
        return await self._changes.run(functools.partial(_purge, now_s))

    async def secret(self, proposed: bytes) -> bytes:
        """The store's secret; `proposed` becomes it where there is none."""
        known = await self._readings.run(_known_secret)
        return await self._changes.run(functools.partial(_secret, proposed)) if known is None else known

    async def aclose(self) -> None:
        """Lets go of the file."""
        await self._readings.aclose()
        await self._changes.aclose()


def _put(key: str, facts: Facts, slots: Mapping[int, bytes], now: Now, connection: Connection) -> bool:
    with writing(connection):
        if connection.execute("SELECT 1 FROM scans WHERE key = ? AND expires_at_s > ?", (key, now())).fetchone():
            return False
        _remove(connection, _numbers(connection, key))
        number = _next(connection, "scan")
        connection.execute(
            "INSERT INTO scans VALUES (?, ?, 1, ?, ?, ?, ?, ?, 0, '', 0)",
            (
                key,
                number,
                facts.owner,
                facts.is_open,
                facts.is_waiting,
                facts.expires_at_s,
                _next(connection, "change"),
            ),
        )
        _write(connection, number, slots)
    return True


def _row(key: str, slot: int | None, now: Now, connection: Connection) -> Row | None:
    # One statement is one consistent reading.
    found = connection.execute(
        "SELECT version, leased_until_s > :now,"
        " (SELECT padded FROM contents WHERE place = number * :slots + :record),"
        " (SELECT padded FROM contents WHERE place = number * :slots + :slot)"
        " FROM scans WHERE key = :key AND expires_at_s > :now",
        {"key": key, "now": now(), "slots": _SLOTS_MAX, "record": RECORD_SLOT, "slot": slot},
    ).fetchone()
    if found is None:
        return None
    version, is_leased, record, content = found
    return Row(version, bool(is_leased), record and content_of(record), content and content_of(content))


def _acquire(key: str, holder: str, ttl_s: float, now: Now, connection: Connection) -> int | None:
    with writing(connection):
        now_s = now()
        query = "SELECT 1 FROM scans WHERE key = ? AND leased_until_s <= ? AND expires_at_s > ?"
        if connection.execute(query, (key, now_s, now_s)).fetchone() is None:
            return None
        token = _next(connection, "token")
        connection.execute(
            "UPDATE scans SET token = ?, holder = ?, leased_until_s = ? WHERE key = ?",
            (token, holder, now_s + ttl_s, key),
        )
        return token


def _set_lease(key: str, token: int, ttl_s: float, now: Now, connection: Connection) -> bool:
    change = (
        "UPDATE scans SET leased_until_s = ? WHERE key = ? AND token = ? AND leased_until_s > ? AND expires_at_s > ?"
    )
    with writing(connection):
        now_s = now()
        return connection.execute(change, (now_s + ttl_s, key, token, now_s, now_s)).rowcount == 1


def _swap(
    key: str,
    version: int,
    token: int,
    facts: Facts,
    slots: Mapping[int, bytes],
    emptied: Sequence[int],
    now: Now,
    connection: Connection,
) -> bool:
    with writing(connection):
        now_s = now()
        found = connection.execute(
            "SELECT number FROM scans"
            " WHERE key = ? AND version = ? AND token = ? AND leased_until_s > ? AND expires_at_s > ?",
            (key, version, token, now_s, now_s),
        ).fetchone()
        if found is None:
            return False
        connection.execute(
            "UPDATE scans SET version = version + 1, owner = ?, is_open = ?, is_waiting = ?, expires_at_s = ?,"
            " change = ? WHERE key = ?",
            (facts.owner, facts.is_open, facts.is_waiting, facts.expires_at_s, _next(connection, "change"), key),
        )
        _write(connection, found[0], slots)
        places = [(found[0] * _SLOTS_MAX + slot,) for slot in emptied]
        connection.executemany("DELETE FROM contents WHERE place = ?", places)
    return True


def _owed(limit: int, now: Now, connection: Connection) -> tuple[str, ...]:
    now_s = now()
    rows = connection.execute(
        "SELECT key FROM scans WHERE is_waiting AND leased_until_s <= ? AND expires_at_s > ? ORDER BY change LIMIT ?",
        (now_s, now_s, limit),
    )
    return tuple(key for (key,) in rows)


def _open_count(owner: str, now: Now, connection: Connection) -> int:
    query = "SELECT count(*) FROM scans WHERE owner = ? AND is_open AND expires_at_s > ?"
    return int(connection.execute(query, (owner, now())).fetchone()[0])


def _delete(key: str, connection: Connection) -> None:
    with writing(connection):
        _remove(connection, _numbers(connection, key))
    _forget(connection)


def _purge(now_s: float, connection: Connection) -> int:
    with writing(connection):
        expired = connection.execute("SELECT number FROM scans WHERE expires_at_s <= ?", (now_s,)).fetchall()
        _remove(connection, {number for (number,) in expired})
    # Also what another process deleted while a reading kept it from forgetting it.
    _forget(connection)
    return len(expired)


def _known_secret(connection: Connection) -> bytes | None:
    found = connection.execute("SELECT value FROM counters WHERE name = 'secret'").fetchone()
    return None if found is None else bytes(found[0])


def _secret(proposed: bytes, connection: Connection) -> bytes:
    with writing(connection):
        connection.execute("INSERT INTO counters VALUES ('secret', ?) ON CONFLICT DO NOTHING", (proposed,))
        return _known_secret(connection) or proposed


def _next(connection: Connection, counter: str) -> int:
    """The next number of a counter; none is ever given twice."""
    return int(
        connection.execute(
            "INSERT INTO counters VALUES (?, 1) ON CONFLICT DO UPDATE SET value = value + 1 RETURNING value", (counter,)
        ).fetchone()[0]
    )


def _write(connection: Connection, number: int, slots: Mapping[int, bytes]) -> None:
    rows = [(number * _SLOTS_MAX + slot, padded(blob)) for slot, blob in slots.items()]
    connection.executemany("REPLACE INTO contents VALUES (?, ?)", rows)


def _numbers(connection: Connection, key: str) -> set[int]:
    return {number for (number,) in connection.execute("SELECT number FROM scans WHERE key = ?", (key,))}


def _remove(connection: Connection, numbers: Collection[int]) -> None:
    """Removes the scans of these numbers."""
    if not numbers:
        return
    places = [(number * _SLOTS_MAX, (number + 1) * _SLOTS_MAX) for number in numbers]
    connection.executemany("DELETE FROM contents WHERE place >= ? AND place < ?", places)
    # Emptied as a whole, a table leaves no copy of a row in a gap of its pages; its rows are few and short.
    rows = connection.execute("SELECT * FROM scans ORDER BY key").fetchall()
    connection.execute("DELETE FROM scans")
    kept = [row for row in rows if row[_NUMBER_COLUMN] not in numbers]
    connection.executemany("INSERT INTO scans VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", kept)


def _forget(connection: Connection) -> None:
    """Moves all changes into the file itself and empties the log of them, which holds what was there before.

    A reading that goes on for longer than a lock is waited for keeps the log as it is, until the next purge.
    """
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
