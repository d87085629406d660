"""Opens the store of scans that a setting names (scan contract 10.1)."""

from collections.abc import Sequence

from core.clock import Clock
from core.errors import OperatorError
from core.scan.stores.blobs import Blobs
from core.scan.stores.memory import MemoryShelf
from core.scan.stores.port import ScanStore
from core.scan.stores.sealed import SealedStore


def open_scan_store(address: str, clock: Clock, encryption_keys: Sequence[bytes] = ()) -> ScanStore:
    """The store at `memory:`; raises `OperatorError`."""
    if address != "memory:":
        raise OperatorError("The store of scans is named like sqlite:PATH, redis://host:6379/0 or memory:.")
    return SealedStore(MemoryShelf(clock), Blobs(encryption_keys))
