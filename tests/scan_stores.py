"""What every store of scans promises, as tests that run over a desk with one store of each kind."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import anyio
import pytest

from core.clock import ManualClock
from core.errors import ArtifactCorrupt, NotFound, ScanTooLarge
from core.scan.stores.blobs import Blobs
from core.scan.stores.port import CLEAR_BYTES_MAX, ArtifactRef, ScanStore, Snapshot, Stored, scan_key
from core.scan.stores.sealed import SealedStore
from core.scan.stores.shelf import Shelf

KEYS = (b"k" * 32, b"o" * 32)
KEY, OTHER_KEY = scan_key("anonymous", "one"), scan_key("anonymous", "other")
BRIEF = b"planted brief of nobody"
BATCH = b'{"batch":"01"}'
POOL = b'{"candidates":[' + b"1," * 9000 + b"2]}"
FILES = {"screen-batches/01.json": BATCH, "candidates.json": POOL}
LIFE_S = 1000.0


@dataclass
class Desk:
    """Two workers on one store, and a hand that changes bytes behind their backs."""

    clock: ManualClock
    shelf: Shelf
    other_shelf: Shelf
    damage: Callable[[str, int, Callable[[bytes], bytes | None]], Awaitable[None]]
    """Changes what a slot of a scan holds; None empties it."""
    everything: Callable[[], Awaitable[bytes]]
    """All bytes of the store."""
    store: ScanStore = field(init=False)
    other: ScanStore = field(init=False)

    def __post_init__(self) -> None:
        self.store, self.other = (SealedStore(each, Blobs(KEYS)) for each in (self.shelf, self.other_shelf))

    def stored(self, state: bytes = b"{}", **changed: object) -> Stored:
        """A scan whose stage is owed."""
        expires_at_s = self.clock.now_s() + LIFE_S
        kept = Stored(state, "retrieve", is_owed=True, is_open=True, owner="ann", expires_at_s=expires_at_s)
        return replace(kept, **changed)  # type: ignore[arg-type]

    async def begin(self, key: str = KEY, **changed: object) -> Stored:
        """A scan with two artifacts in the store."""
        stored = self.stored(**changed)  # type: ignore[arg-type]
        assert await self.store.create(key, stored, FILES)
        return (await self.found(key)).stored

    async def found(self, key: str = KEY) -> Snapshot:
        """A scan that is there."""
        snapshot = await self.store.load(key)
        assert snapshot is not None
        return snapshot

    async def lease(self, key: str = KEY, ttl_s: float = 60) -> int:
        """A lease that is free."""
        token = await self.store.acquire(key, "worker", ttl_s)
        assert token is not None
        return token


def flipped(place: int = -1) -> Callable[[bytes], bytes]:
    """Another bit at one place."""

    def change(blob: bytes) -> bytes:
        changed = bytearray(blob)
        changed[place] ^= 1
        return bytes(changed)

    return change


class ScanStorePromises:
    """The suite: `desk` is a fixture with an empty store. Names of tests say what is promised."""

    async def test_a_new_scan_is_read_back_whole(self, desk: Desk) -> None:
        # scan A70
        stored = await desk.begin(state=b'{"a": [1, 2]}\n\x00\xff', is_parked=True)
        assert {name: ref.version for name, ref in stored.artifacts.items()} == dict.fromkeys(FILES, 1)
        assert await desk.other.load(KEY) == Snapshot(1, stored, is_leased=False)
        assert replace(stored, artifacts={}) == desk.stored(b'{"a": [1, 2]}\n\x00\xff', is_parked=True)
        assert {name: await desk.other.read(KEY, name, 1) for name in FILES} == FILES

    async def test_a_key_is_taken_once(self, desk: Desk) -> None:
        stored = await desk.begin()
        assert not await desk.other.create(KEY, desk.stored(b"second", step="gap"), {"x.json": b"x"})
        assert await desk.found() == Snapshot(1, stored, is_leased=False)
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "x.json", 1)

    async def test_one_of_many_creates_wins(self, desk: Desk) -> None:
        # scan A15
        won: list[bytes] = []

        async def create(store: ScanStore, state: bytes) -> None:
            if await store.create(KEY, desk.stored(state), {"x.json": state * 100}):
                won.append(state)

        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(create, (desk.store, desk.other)[number % 2], b"%d" % number)
        snapshot = await desk.found()
        assert [snapshot.stored.state] == won
        assert await desk.store.read(KEY, "x.json", 1) == won[0] * 100

    async def test_what_is_unknown_is_none(self, desk: Desk) -> None:
        # scan A72
        await desk.begin(scan_key("key-a", "one"))
        assert await desk.store.load(KEY) is None
        assert await desk.store.acquire(KEY, "worker", 60) is None
        assert not await desk.store.renew(KEY, 1, 60)
        assert not await desk.store.commit(KEY, 1, 1, desk.stored(), {})
        await desk.store.release(KEY, 1)
        await desk.store.delete(KEY)
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "candidates.json", 1)
        assert await desk.store.load(scan_key("key-a", "one")) is not None

    async def test_a_commit_changes_state_and_artifacts_together(self, desk: Desk) -> None:
        before = await desk.begin()
        token = await desk.lease()
        kept = {"candidates.json": before.artifacts["candidates.json"]}
        changed = replace(before, state=b"next", step="screen-q", is_owed=False, artifacts=kept)
        assert await desk.store.commit(KEY, 1, token, changed, {"screen.json": b"[]"})
        snapshot = await desk.found()
        ref = snapshot.stored.artifacts["screen.json"]
        assert (snapshot.version, snapshot.is_leased, ref.version) == (2, True, 2)
        assert snapshot.stored == replace(changed, artifacts=kept | {"screen.json": ref})
        assert await desk.store.read(KEY, "screen.json", 2) == b"[]"
        assert await desk.store.read(KEY, "screen-batches/01.json", 1) == BATCH
        assert await desk.store.commit(KEY, 2, token, snapshot.stored, {"screen.json": b"[1]"})
        assert [await desk.store.read(KEY, "screen.json", version) for version in (2, 3)] == [b"[]", b"[1]"]
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "screen.json", 1)

    async def test_superseded_bytes_go_when_that_is_asked_for(self, desk: Desk) -> None:
        before = await desk.begin()
        token = await desk.lease()
        for version in (1, 2):
            assert await desk.store.commit(KEY, version, token, before, {"screen.json": b"%d" % version})
        snapshot = await desk.found()
        assert await desk.store.commit(KEY, 3, token, snapshot.stored, {}, drop_superseded=True)
        assert (await desk.found()).stored == snapshot.stored
        assert await desk.store.read(KEY, "screen.json", 3) == b"2"
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "screen.json", 2)

    async def test_a_commit_on_another_version_changes_nothing(self, desk: Desk) -> None:
        stored = await desk.begin()
        token = await desk.lease()
        for version in (0, 2):
            assert not await desk.store.commit(KEY, version, token, replace(stored, state=b"x"), {"a.json": b"a"})
        assert await desk.found() == Snapshot(1, stored, is_leased=True)
        with pytest.raises(ValueError, match="never stored"):
            await desk.store.commit(KEY, 1, token, replace(stored, artifacts={"b.json": ArtifactRef(1, "0")}), {})

    async def test_exactly_one_of_concurrent_commits_wins(self, desk: Desk) -> None:
        # scan A70
        stored = await desk.begin()
        token = await desk.lease()
        won: list[bytes] = []

        async def commit(store: ScanStore, state: bytes) -> None:
            if await store.commit(KEY, 1, token, replace(stored, state=state), {"a.json": state * 1000}):
                won.append(state)

        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(commit, (desk.store, desk.other)[number % 2], b"%d" % number)
        snapshot = await desk.found()
        assert (snapshot.version, [snapshot.stored.state]) == (2, won)
        assert await desk.store.read(KEY, "a.json", 2) == won[0] * 1000

    async def test_a_lease_is_one_at_a_time_and_tokens_only_grow(self, desk: Desk) -> None:
        await desk.begin()
        await desk.begin(OTHER_KEY)
        first = await desk.lease()
        assert await desk.other.acquire(KEY, "other", 60) is None
        assert await desk.store.acquire(KEY, "worker", 60) is None
        elsewhere = await desk.lease(OTHER_KEY)
        await desk.store.release(KEY, elsewhere)
        assert (await desk.found()).is_leased
        await desk.store.release(KEY, first)
        assert not (await desk.found()).is_leased
        second = await desk.lease()
        await desk.store.delete(KEY)
        await desk.begin()
        third = await desk.lease()
        assert first < second < third

    async def test_one_of_many_gets_a_lease(self, desk: Desk) -> None:
        await desk.begin()
        tokens: list[int | None] = []

        async def acquire(store: ScanStore) -> None:
            tokens.append(await store.acquire(KEY, "worker", 60))

        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(acquire, (desk.store, desk.other)[number % 2])
        assert sum(token is not None for token in tokens) == 1

    async def test_who_slept_past_the_lease_cannot_commit(self, desk: Desk) -> None:
        # scan A67
        stored = await desk.begin()
        token = await desk.lease(ttl_s=60)
        desk.clock.advance(59)
        assert await desk.store.renew(KEY, token, 60)
        desk.clock.advance(59)
        assert (await desk.found()).is_leased
        desk.clock.advance(1)
        assert not (await desk.found()).is_leased
        # Nobody has taken over yet, and still it is over.
        assert not await desk.store.commit(KEY, 1, token, stored, {})
        assert not await desk.store.renew(KEY, token, 60)
        taken_over = await desk.other.acquire(KEY, "other", 60)
        assert taken_over is not None
        assert not await desk.store.commit(KEY, 1, token, stored, {})
        assert not await desk.store.renew(KEY, token, 60)
        await desk.store.release(KEY, token)
        assert await desk.other.commit(KEY, 1, taken_over, stored, {})

    async def test_a_released_lease_commits_nothing(self, desk: Desk) -> None:
        stored = await desk.begin()
        token = await desk.lease()
        await desk.store.release(KEY, token)
        assert not await desk.store.commit(KEY, 1, token, stored, {})
        following = await desk.lease()
        assert not await desk.store.commit(KEY, 1, token, stored, {})
        assert await desk.store.commit(KEY, 1, following, stored, {})

    async def test_owed_are_those_that_wait_for_a_worker(self, desk: Desk) -> None:
        kinds = {
            "first": {},
            "second": {},
            "third": {},
            "client": {"is_owed": False},
            "parked": {"is_parked": True},
            "expired": {"expires_at_s": desk.clock.now_s() + 50},
            "leased": {},
        }
        for name, changed in kinds.items():
            await desk.begin(scan_key("", name), **changed)
        token = await desk.lease(scan_key("", "leased"), ttl_s=60)
        desk.clock.advance(50)
        expected = [scan_key("", name) for name in ("first", "second", "third")]
        assert list(await desk.store.owed(9)) == expected
        assert list(await desk.other.owed(2)) == expected[:2]
        own = await desk.lease(expected[0])
        assert await desk.store.commit(expected[0], 1, own, desk.stored(), {})
        await desk.store.release(expected[0], own)
        assert list(await desk.store.owed(9)) == [expected[1], expected[2], expected[0]]
        assert await desk.store.renew(scan_key("", "leased"), token, 60)
        desk.clock.advance(60)
        assert scan_key("", "leased") in await desk.store.owed(9)
        own = await desk.lease(expected[1])
        assert await desk.store.commit(expected[1], 1, own, desk.stored(is_owed=False), {})
        await desk.store.release(expected[1], own)
        assert expected[1] not in await desk.store.owed(9)

    async def test_open_scans_are_counted_by_owner(self, desk: Desk) -> None:
        # scan A74
        await desk.begin()
        await desk.begin(OTHER_KEY, expires_at_s=desk.clock.now_s() + 50)
        await desk.begin(scan_key("", "closed"), is_open=False)
        await desk.begin(scan_key("", "bob"), owner="bob")
        assert [await desk.other.open_count(owner) for owner in ("ann", "bob", "eve")] == [2, 1, 0]
        desk.clock.advance(50)
        assert await desk.store.open_count("ann") == 1
        token = await desk.lease()
        assert await desk.store.commit(KEY, 1, token, desk.stored(is_open=False), {})
        assert await desk.store.open_count("ann") == 0
        await desk.store.delete(scan_key("", "bob"))
        assert await desk.store.open_count("bob") == 0

    async def test_an_expired_scan_is_none_and_its_key_is_free(self, desk: Desk) -> None:
        # scan A73
        stored = await desk.begin(expires_at_s=desk.clock.now_s() + 30)
        token = await desk.lease(ttl_s=60)
        desk.clock.advance(30)
        assert await desk.store.load(KEY) is None
        assert await desk.store.acquire(KEY, "worker", 60) is None
        assert not await desk.store.renew(KEY, token, 60)
        assert not await desk.store.commit(KEY, 1, token, stored, {})
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "candidates.json", 1)
        assert await desk.store.create(KEY, desk.stored(b"afresh"), {})
        assert await desk.found() == Snapshot(1, desk.stored(b"afresh"), is_leased=False)
        assert not await desk.store.commit(KEY, 1, token, stored, {})
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "candidates.json", 1)

    async def test_purge_removes_what_has_expired(self, desk: Desk) -> None:
        # scan A73
        now_s = desk.clock.now_s()
        for number in range(5):
            await desk.begin(scan_key("", f"{number}"), expires_at_s=now_s + 100 + number, owner=f"{number}")
        assert await desk.store.purge(now_s + 102) == 3
        assert await desk.store.purge(now_s + 102) == 0
        assert [await desk.store.load(scan_key("", f"{number}")) is None for number in (1, 2, 3, 4)] == [
            True,
            True,
            False,
            False,
        ]
        assert await desk.other.purge(now_s + 109) == 2

    async def test_nothing_clear_lies_in_the_store_and_a_deleted_scan_leaves_nothing(self, desk: Desk) -> None:
        # scan A73, A75
        await desk.begin(OTHER_KEY, owner="zoe")
        await desk.begin(state=b'{"text": "' + BRIEF * 9 + b'"}', owner="ann-digest")
        token = await desk.store.acquire(KEY, "holder-of-it", 60)
        assert token is not None
        assert await desk.store.commit(KEY, 1, token, (await desk.found()).stored, {"queries.json": BRIEF * 400})
        whole = await desk.everything()
        for clear in (BRIEF, b"queries.json", b"candidates", b"retrieve", BATCH):
            assert clear not in whole
        rows = [await desk.shelf.row(KEY, slot) for slot in range(4)]
        blobs = [row.content for row in rows if row is not None and row.content is not None]
        assert len(blobs) == 4
        parts = [blob[at : at + 16] for blob in blobs for at in range(0, len(blob) - 16, 64)]
        assert all(part in whole for part in parts)
        await desk.store.delete(KEY)
        left = await desk.everything()
        assert [part for part in (*parts, KEY.encode(), b"ann-digest", b"holder-of-it") if part in left] == []
        assert desk.store.is_encrypted
        assert OTHER_KEY.encode() in left
        assert await desk.store.load(KEY) is None
        assert await desk.store.owed(9) == (OTHER_KEY,)
        assert await desk.store.open_count("ann-digest") == 0
        await desk.store.delete(KEY)
        assert await desk.other.create(KEY, desk.stored(b"afresh"), {})

    @pytest.mark.parametrize("place", [0, 1, 2, 6, 18, -1])
    async def test_a_flipped_bit_is_told_of_by_the_artifacts_name(self, desk: Desk, place: int) -> None:
        # scan A71
        await desk.begin()
        await desk.damage(KEY, 2, flipped(place))
        with pytest.raises(ArtifactCorrupt) as caught:
            await desk.store.read(KEY, "candidates.json", 1)
        assert caught.value.name == "candidates.json"
        assert await desk.store.read(KEY, "screen-batches/01.json", 1) == BATCH
        snapshot, token = await desk.found(), await desk.lease()
        assert await desk.store.commit(KEY, 1, token, snapshot.stored, {"candidates.json": POOL})
        assert await desk.store.read(KEY, "candidates.json", 2) == POOL

    async def test_a_lost_or_swapped_blob_is_damage(self, desk: Desk) -> None:
        # scan A71
        await desk.begin()
        await desk.damage(KEY, 1, lambda _: None)
        with pytest.raises(ArtifactCorrupt, match="damaged"):
            await desk.store.read(KEY, "screen-batches/01.json", 1)
        await desk.begin(OTHER_KEY)
        row = await desk.shelf.row(OTHER_KEY, 2)
        assert row is not None
        await desk.damage(KEY, 2, lambda _: row.content)
        with pytest.raises(ArtifactCorrupt):
            await desk.store.read(KEY, "candidates.json", 1)

    async def test_a_damaged_state_is_told_of_and_never_an_earlier_one(self, desk: Desk) -> None:
        # scan A71
        stored = await desk.begin()
        row = await desk.shelf.row(KEY)
        token = await desk.lease()
        assert row is not None
        assert await desk.store.commit(KEY, 1, token, stored, {})
        for change in (lambda _: row.record, flipped(), flipped(40), lambda _: None):
            await desk.damage(KEY, 0, change)
            with pytest.raises(ArtifactCorrupt) as caught:
                await desk.store.load(KEY)
            assert caught.value.name == "state"
            with pytest.raises(ArtifactCorrupt):
                await desk.store.commit(KEY, 2, token, stored, {})
        await desk.store.delete(KEY)
        await desk.begin()

    async def test_a_scan_has_a_bound_and_superseded_bytes_give_way(self, desk: Desk) -> None:
        stored = await desk.begin()
        token = await desk.lease()
        large = bytes(CLEAR_BYTES_MAX // 2)
        assert await desk.store.commit(KEY, 1, token, stored, {"a.json": large})
        version_2 = (await desk.found()).stored
        with pytest.raises(ScanTooLarge):
            await desk.store.commit(KEY, 2, token, version_2, {"b.json": large})
        with pytest.raises(ScanTooLarge):
            await desk.store.create(OTHER_KEY, desk.stored(bytes(CLEAR_BYTES_MAX + 1)), {})
        assert (await desk.found()).stored == version_2
        assert await desk.store.commit(KEY, 2, token, version_2, {"a.json": large[1:]})
        with pytest.raises(NotFound):
            await desk.store.read(KEY, "a.json", 2)
        assert await desk.store.read(KEY, "a.json", 3) == large[1:]

    async def test_the_secret_is_made_once(self, desk: Desk) -> None:
        found: set[bytes] = set()

        async def ask(store: ScanStore) -> None:
            found.add(await store.secret())

        async with anyio.create_task_group() as group:
            for number in range(6):
                group.start_soon(ask, (desk.store, desk.other)[number % 2])
        assert [len(secret) for secret in found] == [32]
        assert {await desk.other.secret()} == found
