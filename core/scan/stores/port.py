"""What the engine needs of a store of scans (scan contract 10.1): states, artifacts and leases."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

CLEAR_BYTES_MAX = 16 * 1024 * 1024
"""Of one scan: the state, the current artifacts and what is left of superseded ones."""


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """One version of an artifact: that of the state that brought it, and the SHA-256 of its clear bytes in hex."""

    version: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A scan's state, opaque to the store, and beside it the few facts that a store looks for.

    `is_owed`: a stage is to be done; `is_parked`: it failed and waits for a call; `is_open`: it counts against its
    owner's quota. `owner` is an opaque digest, never an address or a key. `artifacts` are the current ones by name.
    """

    state: bytes
    step: str
    is_owed: bool
    is_open: bool
    owner: str
    expires_at_s: float
    artifacts: Mapping[str, ArtifactRef] = field(default_factory=dict)
    is_parked: bool = False


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A scan as it stood at one moment; `version` grows by one with each commit, from 1."""

    version: int
    stored: Stored
    is_leased: bool


class ScanStore(Protocol):
    """Scans by key. Whatever fails below, a call either did all it promises or nothing, and raises `StoreUnavailable`.

    A scan whose `expires_at_s` has come counts as none everywhere. Time is the injected clock's, or the store's own
    where several machines share it. Every call may be repeated.
    """

    @property
    def is_encrypted(self) -> bool:
        """Whether what is written is encrypted; a plan's summary may be kept only then (10.9)."""
        ...

    async def create(self, key: str, stored: Stored, artifacts: Mapping[str, bytes]) -> bool:
        """Keeps a new scan as version 1; False, and nothing changed, when the key exists.

        `stored.artifacts` is empty: each of `artifacts` becomes a reference of version 1. Raises `ScanTooLarge`.
        """
        ...

    async def load(self, key: str) -> Snapshot | None:
        """The scan in one consistent reading; None when there is none. Raises `ArtifactCorrupt` (name `state`)."""
        ...

    async def acquire(self, key: str, holder: str, ttl_s: float) -> int | None:
        """A lease's token, greater than every earlier one; None while a lease lives (also the same holder's) or without
        such a scan."""
        ...

    async def renew(self, key: str, token: int, ttl_s: float) -> bool:
        """Lets the lease live for `ttl_s` from now; False when it is over or another's."""
        ...

    async def release(self, key: str, token: int) -> None:
        """Ends the lease, if the token is its own."""
        ...

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
        """Replaces version `version` by the next one, with these artifacts; the lease stays.

        False, and nothing changed, unless `version` is current and `token` that of the live lease. References in
        `stored.artifacts` are kept from the snapshot; one of `artifacts` takes the place of its name. A name in neither
        is no longer an artifact. Superseded bytes stay readable until `drop_superseded`, or until their room is
        needed below the scan's bound, oldest first. Raises `ScanTooLarge`, and `ArtifactCorrupt` (name `state`).
        """
        ...

    async def read(self, key: str, name: str, version: int) -> bytes:
        """The clear bytes of an artifact, checked. Raises `NotFound` and `ArtifactCorrupt` (its name)."""
        ...

    async def owed(self, limit: int) -> tuple[str, ...]:
        """Keys of scans that are owed, not parked and without a live lease; longest unchanged first."""
        ...

    async def open_count(self, owner: str) -> int:
        """How many open scans an owner has."""
        ...

    async def delete(self, key: str) -> None:
        """Removes every byte of a scan, and its lease; nothing when there is none."""
        ...

    async def purge(self, now_s: float) -> int:
        """Deletes the scans that have expired by `now_s`; how many."""
        ...

    async def secret(self) -> bytes:
        """32 random bytes, made once per store and the same for all who share it."""
        ...

    async def aclose(self) -> None:
        """Lets go of files and connections."""
        ...


def scan_key(scope: str, scan_id: str) -> str:
    """The key of a scan: 64 hex digits; the same id in two scopes is two scans (10.1, 10.6)."""
    return hashlib.sha256(f"{scope}\0{scan_id}".encode()).hexdigest()
