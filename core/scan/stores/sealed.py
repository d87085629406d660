"""Scans as blobs on a shelf: what all stores have in common (scan contract 10.1, 10.2)."""

import secrets
from collections.abc import Mapping

from anyio.to_thread import run_sync

from core.errors import NotFound
from core.scan.stores.blobs import Blobs, corrupt
from core.scan.stores.port import CLEAR_BYTES_MAX, Snapshot, Stored
from core.scan.stores.records import STATE_NAME, Change, Held, Record, changed, first, record_of
from core.scan.stores.shelf import RECORD_SLOT, SECRET_BYTES, Facts, Row, Shelf

_RECORD_BYTES_MAX = 2 * CLEAR_BYTES_MAX
"""A state within its bound, and the list of what is held."""


class SealedStore:
    """`ScanStore` over a shelf. Packing and sealing are done in threads, so that nobody else waits for them."""

    def __init__(self, shelf: Shelf, blobs: Blobs) -> None:
        self._shelf = shelf
        self._blobs = blobs
        self.renew = shelf.renew
        self.release = shelf.release
        self.acquire = shelf.acquire
        self.owed = shelf.owed
        self.open_count = shelf.open_count
        self.delete = shelf.delete
        self.purge = shelf.purge
        self.aclose = shelf.aclose

    @property
    def is_encrypted(self) -> bool:
        """Whether what is written is encrypted."""
        return self._blobs.is_sealing

    async def create(self, key: str, stored: Stored, artifacts: Mapping[str, bytes]) -> bool:
        """Keeps a new scan as version 1; False when the key exists."""
        change = await run_sync(first, stored, artifacts)
        return await self._shelf.put(key, _facts(stored), await run_sync(self._sealed, key, change))

    async def load(self, key: str) -> Snapshot | None:
        """The scan in one consistent reading; None when there is none."""
        row = await self._shelf.row(key)
        if row is None:
            return None
        record = await run_sync(self._record, key, row)
        return Snapshot(row.version, record.stored, row.is_leased)

    async def commit(
        self,
        key: str,
        version: int,
        token: int,
        stored: Stored,
        artifacts: Mapping[str, bytes],
        *,
        drop_superseded: bool = False,
    ) -> bool:
        """Replaces version `version` by the next one, with these artifacts."""
        row = await self._shelf.row(key)
        if row is None or row.version != version or not row.is_leased:
            return False
        record = await run_sync(self._record, key, row)
        change = await run_sync(lambda: changed(record, stored, artifacts, drop_superseded=drop_superseded))
        slots = await run_sync(self._sealed, key, change)
        return await self._shelf.swap(key, version, token, _facts(stored), slots, change.removed)

    async def read(self, key: str, name: str, version: int) -> bytes:
        """The clear bytes of an artifact, checked."""
        row = await self._shelf.row(key)
        while row is not None:
            held = (await run_sync(self._record, key, row)).find(name, version)
            if held is None:
                break
            found = await self._shelf.row(key, held.slot)
            if found is not None and found.record == row.record:
                return await run_sync(self._content, key, held, found.content)
            # The scan went on between both readings, or is another one.
            row = found
        raise NotFound("There is no such artifact.")

    async def secret(self) -> bytes:
        """32 random bytes, made once per store."""
        return await self._shelf.secret(secrets.token_bytes(SECRET_BYTES))

    def _sealed(self, key: str, change: Change) -> dict[int, bytes]:
        record = change.record
        slots = {RECORD_SLOT: self._blobs.sealed(record.packed(), key, STATE_NAME, record.version)}
        for slot, (held, clear) in change.added.items():
            slots[slot] = self._blobs.sealed(clear, key, held.name, held.version)
        return slots

    def _record(self, key: str, row: Row) -> Record:
        if row.record is None:
            raise corrupt(STATE_NAME)
        packed = self._blobs.opened(row.record, key, STATE_NAME, row.version, bytes_max=_RECORD_BYTES_MAX)
        return record_of(packed, row.version)

    def _content(self, key: str, held: Held, blob: bytes | None) -> bytes:
        if blob is None:
            raise corrupt(held.name)
        clear = self._blobs.opened(blob, key, held.name, held.version, bytes_max=held.size)
        if not held.matches(clear):
            raise corrupt(held.name)
        return clear


def _facts(stored: Stored) -> Facts:
    return Facts(
        stored.owner,
        stored.is_open,
        is_waiting=stored.is_owed and not stored.is_parked,
        expires_at_s=stored.expires_at_s,
    )
