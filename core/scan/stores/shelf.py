"""What one technology has to do to keep scans: rows with a lease, and bytes in numbered slots, all of them opaque."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from core.errors import StoreUnavailable

SECRET_BYTES = 32
RECORD_SLOT = 0
"""The slot of the record itself; it is written with every version."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is looked for without opening a record; `is_waiting`: owed and not parked."""

    owner: str
    is_open: bool
    is_waiting: bool
    expires_at_s: float


@dataclass(frozen=True, slots=True)
class Row:
    """One consistent reading: the record's blob, None where it is gone, and the asked slot's."""

    version: int
    is_leased: bool
    record: bytes | None
    content: bytes | None = None


class Shelf(Protocol):
    """The atomic steps of a store. Each raises `StoreUnavailable`; promises are those of `ScanStore`."""

    async def put(self, key: str, facts: Facts, slots: Mapping[int, bytes]) -> bool:
        """Keeps version 1; False when the key is taken. What is left of an expired scan goes."""
        ...

    async def row(self, key: str, slot: int | None = None) -> Row | None:
        """A scan's row, and what one more slot holds."""
        ...

    async def acquire(self, key: str, holder: str, ttl_s: float) -> int | None:
        """The token of a new lease."""
        ...

    async def renew(self, key: str, token: int, ttl_s: float) -> bool:
        """Whether the lease lives on."""
        ...

    async def release(self, key: str, token: int) -> None:
        """Ends a lease."""
        ...

    async def swap(
        self, key: str, version: int, token: int, facts: Facts, slots: Mapping[int, bytes], emptied: Sequence[int]
    ) -> bool:
        """Replaces a version by the next one, under a live lease."""
        ...

    async def owed(self, limit: int) -> tuple[str, ...]:
        """Keys of waiting scans without a lease, longest unchanged first."""
        ...

    async def open_count(self, owner: str) -> int:
        """How many open scans an owner has."""
        ...

    async def delete(self, key: str) -> None:
        """Removes a scan."""
        ...

    async def purge(self, now_s: float) -> int:
        """Removes what has expired."""
        ...

    async def secret(self, proposed: bytes) -> bytes:
        """The store's secret; `proposed` becomes it where there is none."""
        ...

    async def aclose(self) -> None:
        """Lets go of files and connections."""
        ...


def unavailable() -> StoreUnavailable:
    """The failure of a store that does not answer."""
    return StoreUnavailable("The store of scans does not answer. Repeat the call later.")
