"""Damage in a store without keys, and readings between which a scan goes on."""

import zlib

import pytest

from core.clock import ManualClock
from core.errors import ArtifactCorrupt, NotFound
from core.scan.stores.blobs import Blobs
from core.scan.stores.memory import MemoryShelf
from core.scan.stores.port import Stored, scan_key
from core.scan.stores.sealed import SealedStore
from core.scan.stores.shelf import Row

pytestmark = pytest.mark.anyio

KEY = scan_key("anonymous", "one")
STORED = Stored(b'{"step": 1}', "retrieve", is_owed=True, is_open=True, owner="ann", expires_at_s=2e9)


class Interrupted(MemoryShelf):
    """A shelf on which something happens once, after the first of two readings."""

    store: SealedStore
    happens: str | None = None

    async def row(self, key: str, slot: int | None = None) -> Row | None:
        if slot is not None and self.happens is not None:
            happens, self.happens = self.happens, None
            if happens == "commit":
                token = await self.acquire(KEY, "worker", 60)
                snapshot = await self.store.load(KEY)
                assert token is not None
                assert snapshot is not None
                assert await self.store.commit(KEY, 1, token, snapshot.stored, {"b.json": b"b"})
            else:
                await self.delete(KEY)
                if happens == "anew":
                    assert await self.store.create(KEY, STORED, {"b.json": b"b"})
        return await super().row(key, slot)


@pytest.mark.parametrize("happens", ["commit", "deletion", "anew"])
async def test_a_scan_that_goes_on_while_it_is_read_is_never_taken_for_damage(happens: str) -> None:
    shelf = Interrupted(ManualClock())
    shelf.store = store = SealedStore(shelf, Blobs())
    assert await store.create(KEY, STORED, {"a.json": b"a"})
    shelf.happens = happens
    if happens == "commit":
        assert await store.read(KEY, "a.json", 1) == b"a"
    else:
        with pytest.raises(NotFound):
            await store.read(KEY, "a.json", 1)


async def test_without_keys_the_sums_tell_of_damage() -> None:
    # scan A71
    shelf = MemoryShelf(ManualClock())
    store = SealedStore(shelf, Blobs())
    assert await store.create(KEY, STORED, {"a.json": b"abc"})
    slots = shelf._scans[KEY].slots
    slots[1] = slots[1][:2] + zlib.compress(b"abd")
    with pytest.raises(ArtifactCorrupt) as caught:
        await store.read(KEY, "a.json", 1)
    assert caught.value.name == "a.json"
    record = slots[0]
    changed = zlib.decompress(record[2:]).replace(b'{"step": 1}', b'{"step": 2}')
    slots[0] = record[:2] + zlib.compress(changed)
    with pytest.raises(ArtifactCorrupt) as caught:
        await store.load(KEY)
    assert caught.value.name == "state"
    # An earlier state in the place of a later one is damage too.
    slots[0] = record
    assert (await store.load(KEY)) is not None
    shelf._scans[KEY].version = 2
    with pytest.raises(ArtifactCorrupt):
        await store.load(KEY)
