"""A scan that moves on while it is read is read again, whatever was being read (scan contract 10.1, 10.2)."""

from typing import Any

import pytest

from core.errors import NotFound, StoreUnavailable
from core.scan.engine.keeping import READINGS_MAX, Keeping
from core.scan.stores.port import scan_key
from tests.core.scan.sent import SCAN_ID
from tests.scan_bench import ANN, Bench, Player


class Overtaken:
    """A store in which documents go, `times` times, between the reading of a scan and that of a document."""

    def __init__(self, store: Any, times: int) -> None:
        self._store = store
        self.left = times

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, key: str, name: str, version: int) -> bytes:
        if self.left:
            self.left -= 1
            raise NotFound("There is no such artifact.")
        data: bytes = await self._store.read(key, name, version)
        return data


async def finished() -> Bench:
    bench = Bench()
    await Player(bench).play()
    return bench


@pytest.mark.parametrize("times", [0, 1, READINGS_MAX - 1])
async def test_a_scan_that_is_overtaken_is_read_again(times: int) -> None:
    # scan A70
    bench = await finished()
    held = await Keeping(Overtaken(bench.store, times), seals=False).load(scan_key(ANN.scope, SCAN_ID))
    assert held is not None
    assert held.scan.state.step == "complete"


async def test_one_that_never_stands_still_is_told_as_trouble_that_may_pass() -> None:
    bench = await finished()
    with pytest.raises(StoreUnavailable):
        await Keeping(Overtaken(bench.store, READINGS_MAX), seals=False).load(scan_key(ANN.scope, SCAN_ID))
