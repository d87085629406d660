"""Scans in real servers, Redis and Valkey: the promises of every store, and what only a server can do."""

import signal
import time
from collections.abc import AsyncIterator, Callable, Iterator

import anyio
import pytest

from core.clock import ManualClock, SystemClock
from core.errors import StoreUnavailable
from core.http.pacing.shared import open_client
from core.scan.stores.blobs import Blobs
from core.scan.stores.opening import open_scan_store
from core.scan.stores.redis import KEY_PREFIX, PURGED_AT_A_TIME, RedisShelf
from core.scan.stores.sealed import SealedStore
from core.scan.stores.shelf import Facts
from tests.scan_stores import KEY, Desk, ScanStorePromises
from tests.stores import PASSWORD, Store

pytestmark = [pytest.mark.gate, pytest.mark.anyio, pytest.mark.timeout(300)]


@pytest.fixture(scope="module", params=["redis", "valkey"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(request.param, tmp_path_factory.mktemp(request.param))
    store.start()
    try:
        yield store
    finally:
        store.stop()


@pytest.fixture
async def desk(running: Store) -> AsyncIterator[Desk]:
    """Two workers on an emptied server."""
    if running.process is None:
        running.start()
    clock, hand = ManualClock(), open_client(running.url, limit_s=10)
    empty = hand.client.register_script(b"return {redis.call('FLUSHALL')}")
    await empty()
    get = hand.client.register_script(b"return {redis.call('HGET', KEYS[1], ARGV[1])}")
    put = hand.client.register_script(b"return {redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])}")
    drop = hand.client.register_script(b"return {redis.call('HDEL', KEYS[1], ARGV[1])}")
    dump = hand.client.register_script(
        b"local all = {} for _, key in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = key"
        b" local kind = redis.call('TYPE', key).ok"
        b" local parts = kind == 'hash' and redis.call('HGETALL', key) or redis.call('ZRANGE', key, 0, -1)"
        b" for _, part in ipairs(parts) do all[#all + 1] = part end end return all"
    )

    async def damage(key: str, slot: int, change: Callable[[bytes], bytes | None]) -> None:
        keys, field = [f"{KEY_PREFIX}:scan:{key}"], f"slot:{slot}"
        (held,) = await get(keys=keys, args=[field]) or [b""]
        changed = change(held or b"")
        if changed is None:
            await drop(keys=keys, args=[field])
        else:
            await put(keys=keys, args=[field, changed])

    async def everything() -> bytes:
        return b"\n".join(await dump())

    shelves = [RedisShelf(open_client(running.url, limit_s=10), clock, use_own_time=True) for _ in range(2)]
    made = Desk(clock, shelves[0], shelves[1], damage, everything)
    yield made
    for each in (made.store, made.other, hand.client):
        await each.aclose()


class TestSharedScanStore(ScanStorePromises):
    """All of them."""


async def test_leases_and_expiry_go_by_the_servers_own_time(desk: Desk, running: Store) -> None:
    # scan A67
    wrong = ManualClock(now_s=5.0)
    store = SealedStore(RedisShelf(open_client(running.url, limit_s=10), wrong), Blobs())
    stored = desk.stored(expires_at_s=time.time() + 60)
    assert await store.create(KEY, stored, {"a.json": b"a"})
    token = await store.acquire(KEY, "worker", 30)
    assert token is not None
    wrong.advance(1e9)
    assert await store.renew(KEY, token, 30)
    assert await store.commit(KEY, 1, token, stored, {})
    assert await store.renew(KEY, token, 0.05)
    await anyio.sleep(0.06)
    assert not await store.commit(KEY, 2, token, stored, {})
    following = await store.acquire(KEY, "other", 30)
    assert following is not None
    assert following > token
    await store.aclose()


async def test_a_scan_that_nobody_purges_leaves_the_server_by_itself(desk: Desk) -> None:
    # scan A73
    await desk.begin(expires_at_s=desk.clock.now_s() + 0.2, owner="ann")
    blob = await desk.shelf.row(KEY, 2)
    assert blob is not None
    assert blob.content is not None
    await anyio.sleep(0.3)
    assert blob.content not in await desk.everything()
    # Another owner begins anew with the key before anybody has purged.
    await desk.begin(owner="bob")
    assert await desk.store.purge(desk.clock.now_s() + 1) == 0
    assert (await desk.found()).stored.owner == "bob"
    assert await desk.store.owed(9) == (KEY,)
    assert [await desk.store.open_count(owner) for owner in ("ann", "bob")] == [0, 1]
    assert await desk.store.purge(desk.clock.now_s() + 1e6) == 1
    assert await desk.store.owed(9) == ()


async def test_many_scans_are_purged_a_part_at_a_time(desk: Desk) -> None:
    count = 2 * PURGED_AT_A_TIME + 1
    facts = Facts("ann", is_open=True, is_waiting=True, expires_at_s=desk.clock.now_s() + 100)
    for number in range(count):
        assert await desk.shelf.put(f"{number}", facts, {0: b"x"})
    assert await desk.store.purge(desk.clock.now_s() + 100) == count
    assert await desk.everything() in (b"", f"{KEY_PREFIX}:counters\nchange\n{count}".encode())


async def test_a_store_that_is_away_is_unavailable_and_holds_again(desk: Desk, running: Store) -> None:
    store = open_scan_store(running.url, SystemClock())
    assert await store.create(KEY, desk.stored(expires_at_s=time.time() + 60), {})
    running.stop()
    for question in (store.load(KEY), store.acquire(KEY, "a", 1), store.delete(KEY), store.purge(0), store.secret()):
        with pytest.raises(StoreUnavailable) as caught:
            await question
        for secret in (PASSWORD, str(running.port), "127.0.0.1"):
            assert secret not in caught.value.message
    running.start()
    assert await store.load(KEY) is None
    assert await store.create(KEY, desk.stored(expires_at_s=time.time() + 60), {})
    await store.aclose()


async def test_a_store_that_stands_still_is_given_up_in_time(desk: Desk, running: Store) -> None:
    shelf = RedisShelf(open_client(running.url, limit_s=10), SystemClock(), limit_s=0.2)
    assert await shelf.row(KEY) is None
    assert running.process is not None
    running.process.send_signal(signal.SIGSTOP)
    try:
        started_s = time.monotonic()
        with pytest.raises(StoreUnavailable):
            await shelf.row(KEY)
        assert time.monotonic() - started_s < 2
    finally:
        running.process.send_signal(signal.SIGCONT)
    assert await shelf.row(KEY) is None
    await shelf.aclose()


async def test_a_wrong_password_is_unavailable(desk: Desk, running: Store) -> None:
    store = open_scan_store(running.url.replace(PASSWORD, "planted-wrong-one"), SystemClock())
    with pytest.raises(StoreUnavailable) as caught:
        await store.owed(1)
    assert "planted" not in caught.value.message
    await store.aclose()
