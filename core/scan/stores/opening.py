"""Opens the store of scans that a setting names (scan contract 10.1)."""

from collections.abc import Sequence
from pathlib import Path

from core.clock import Clock
from core.errors import OperatorError
from core.http.pacing.shared import open_client
from core.scan.stores.blobs import Blobs
from core.scan.stores.memory import MemoryShelf
from core.scan.stores.port import ScanStore
from core.scan.stores.redis import QUESTION_LIMIT_S, RedisShelf
from core.scan.stores.sealed import SealedStore
from core.scan.stores.shelf import Shelf
from core.scan.stores.sqlite import SqliteShelf

_SHARED = ("redis", "rediss", "valkey", "valkeys")


def open_scan_store(address: str, clock: Clock, encryption_keys: Sequence[bytes] = ()) -> ScanStore:
    """The store at `sqlite:PATH`, `redis://`, `valkey://` or `memory:`; nothing is asked of it yet.

    The first of the keys (32 bytes each) writes, all read. Raises `OperatorError`.
    """
    return SealedStore(_shelf(address, clock), Blobs(encryption_keys))


def _shelf(address: str, clock: Clock) -> Shelf:
    scheme, _, rest = address.partition(":")
    if address == "memory:":
        return MemoryShelf(clock)
    if scheme == "sqlite" and rest:
        return SqliteShelf(Path(rest).expanduser(), clock)
    if scheme in _SHARED:
        opened = open_client(address, limit_s=QUESTION_LIMIT_S, named="The store of scans")
        return RedisShelf(opened, clock)
    raise OperatorError("The store of scans is named like sqlite:PATH, redis://host:6379/0 or memory:.")
