"""One of several processes that count up in one scan: run with a file and a number, it prints what it saw as JSON."""

import json
import sys
from dataclasses import replace

import anyio

from core.clock import SystemClock
from core.scan.stores.opening import open_scan_store
from core.scan.stores.port import Stored, scan_key

KEY = scan_key("", "one")
STORED = Stored(b"0", "retrieve", is_owed=True, is_open=True, owner="ann", expires_at_s=1e11)
COUNTED = 15


async def count(path: str, name: str) -> dict[str, object]:
    """Adds one so many times; every commit is tried by two tasks, of which one may win."""
    store = open_scan_store(f"sqlite:{path}", SystemClock())
    created = await store.create(KEY, STORED, {"count.json": b"0"})
    tokens: list[int] = []
    wins = 0

    async def add(token: int, won: list[bool]) -> None:
        snapshot = await store.load(KEY)
        assert snapshot is not None
        state = b"%d" % (int(snapshot.stored.state) + 1)
        changed = replace(snapshot.stored, state=state)
        won.append(await store.commit(KEY, snapshot.version, token, changed, {"count.json": state * 900}))

    while wins < COUNTED:
        token = await store.acquire(KEY, name, 60)
        if token is None:
            await anyio.sleep(0.001)
            continue
        tokens.append(token)
        won: list[bool] = []
        async with anyio.create_task_group() as group:
            group.start_soon(add, token, won)
            group.start_soon(add, token, won)
        wins += sum(won)
        await store.release(KEY, token)
    secret = await store.secret()
    await store.aclose()
    return {"created": created, "tokens": tokens, "wins": wins, "secret": secret.hex()}


if __name__ == "__main__":
    print(json.dumps(anyio.run(count, sys.argv[1], sys.argv[2])))
