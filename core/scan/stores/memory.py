"""A shelf of scans in this process, for tests and for trying things out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.clock import Clock
from core.scan.stores.shelf import RECORD_SLOT, Facts, Row


@dataclass(slots=True)
class _Scan:
    """A scan as it stands."""

    facts: Facts
    slots: dict[int, bytes]
    changed: int
    version: int = 1
    token: int = 0
    leased_until_s: float = field(default=float("-inf"))


class MemoryShelf:
    """Each step runs without a pause, so that none comes between another's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._scans: dict[str, _Scan] = {}
        self._last_token = 0
        self._changes = 0
        self._secret: bytes | None = None

    async def put(self, key: str, facts: Facts, slots: Mapping[int, bytes]) -> bool:
        """Keeps version 1; False when the key is taken."""
        if self._live(key) is not None:
            return False
        self._scans[key] = _Scan(facts, dict(slots), self._change())
        return True

    async def row(self, key: str, slot: int | None = None) -> Row | None:
        """A scan's row, and what one more slot holds."""
        scan = self._live(key)
        if scan is None:
            return None
        content = None if slot is None else scan.slots.get(slot)
        return Row(scan.version, self._is_leased(scan), scan.slots.get(RECORD_SLOT), content)

    async def acquire(self, key: str, holder: str, ttl_s: float) -> int | None:
        """The token of a new lease."""
        scan = self._live(key)
        if scan is None or self._is_leased(scan):
            return None
        self._last_token += 1
        scan.token = self._last_token
        scan.leased_until_s = self._clock.now_s() + ttl_s
        return scan.token

    async def renew(self, key: str, token: int, ttl_s: float) -> bool:
        """Whether the lease lives on."""
        scan = self._held(key, token)
        if scan is None:
            return False
        scan.leased_until_s = self._clock.now_s() + ttl_s
        return True

    async def release(self, key: str, token: int) -> None:
        """Ends a lease."""
        scan = self._held(key, token)
        if scan is not None:
            scan.leased_until_s = float("-inf")

    async def swap(
        self, key: str, version: int, token: int, facts: Facts, slots: Mapping[int, bytes], emptied: Sequence[int]
    ) -> bool:
        """Replaces a version by the next one, under a live lease."""
        scan = self._held(key, token)
        if scan is None or scan.version != version:
            return False
        scan.facts, scan.version, scan.changed = facts, version + 1, self._change()
        scan.slots = {slot: blob for slot, blob in {**scan.slots, **slots}.items() if slot not in emptied}
        return True

    async def owed(self, limit: int) -> tuple[str, ...]:
        """Keys of waiting scans without a lease, longest unchanged first."""
        waiting = [
            (scan.changed, key)
            for key, scan in self._scans.items()
            if scan.facts.is_waiting and not self._is_leased(scan) and self._live(key)
        ]
        return tuple(key for _, key in sorted(waiting)[:limit])

    async def open_count(self, owner: str) -> int:
        """How many open scans an owner has."""
        facts = [scan.facts for key, scan in self._scans.items() if self._live(key)]
        return sum(each.is_open and each.owner == owner for each in facts)

    async def delete(self, key: str) -> None:
        """Removes a scan."""
        self._scans.pop(key, None)

    async def purge(self, now_s: float) -> int:
        """Removes what has expired."""
        expired = [key for key, scan in self._scans.items() if scan.facts.expires_at_s <= now_s]
        for key in expired:
            del self._scans[key]
        return len(expired)

    async def secret(self, proposed: bytes) -> bytes:
        """The store's secret; `proposed` becomes it where there is none."""
        self._secret = self._secret or proposed
        return self._secret

    async def aclose(self) -> None:
        """Nothing is open."""

    def _change(self) -> int:
        self._changes += 1
        return self._changes

    def _live(self, key: str) -> _Scan | None:
        scan = self._scans.get(key)
        return None if scan is None or scan.facts.expires_at_s <= self._clock.now_s() else scan

    def _is_leased(self, scan: _Scan) -> bool:
        return self._clock.now_s() < scan.leased_until_s

    def _held(self, key: str, token: int) -> _Scan | None:
        """The scan, where the token is that of its live lease."""
        scan = self._live(key)
        return scan if scan is not None and scan.token == token and self._is_leased(scan) else None
