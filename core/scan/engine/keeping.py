"""Between a scan in memory and the store: every change is one commit of state and documents (scan contract 10.5)."""

from collections import OrderedDict
from dataclasses import dataclass, replace

from core.errors import NotFound, StoreUnavailable
from core.scan.engine.scan import Known, Scan, changed_documents, read_scan
from core.scan.engine.stages.weighing import covered_again
from core.scan.engine.state import Failure, ScanState
from core.scan.engine.steps import is_stage
from core.scan.stores.port import ScanStore, Snapshot, Stored
from core.scan.vocabulary import Step

READINGS_MAX = 5
LATELY_MAX = 8
"""Scans that are kept in memory beside the store, since calls of one scan follow each other."""


@dataclass(frozen=True, slots=True)
class Held:
    """A scan as it was read, with the snapshot that it came from."""

    snapshot: Snapshot
    scan: Scan


class Keeping:
    """Reads and commits scans. Raises `StoreUnavailable`, `ArtifactCorrupt` and `ScanTooLarge`."""

    def __init__(self, store: ScanStore, *, seals: bool) -> None:
        self.store = store
        self._seals = seals
        self._lately: OrderedDict[str, Held] = OrderedDict()

    async def create(self, key: str, scan: Scan, *, expires_at_s: float) -> bool:
        """Keeps a new scan; False where the key is taken."""
        documents = changed_documents(None, scan, keeps_summary=self._seals)
        return await self.store.create(key, stored_of(scan.state, expires_at_s=expires_at_s), documents)

    async def load(self, key: str) -> Held | None:
        """A scan with all its documents, or None. One that was read lately and is the same is not read again."""
        for _ in range(READINGS_MAX):
            snapshot = await self.store.load(key)
            if snapshot is None:
                self._lately.pop(key, None)
                return None
            try:
                return await self._held(key, snapshot)
            except NotFound:
                # The scan went on between both readings, and what it has no more use for is gone.
                continue
        raise StoreUnavailable("A scan kept changing while it was read; try again.")

    async def _held(self, key: str, snapshot: Snapshot) -> Held:
        known = self._lately.get(key)
        if known is not None and known.snapshot.stored == snapshot.stored:
            scan = known.scan
        else:
            scan = await self._read(key, snapshot.stored, known)
        held = Held(snapshot, scan)
        self._lately[key] = held
        self._lately.move_to_end(key)
        while len(self._lately) > LATELY_MAX:
            self._lately.popitem(last=False)
        return held

    async def place(self, key: str) -> ScanState | None:
        """Where a scan stands, whatever became of its documents."""
        snapshot = await self.store.load(key)
        return None if snapshot is None else ScanState.of(snapshot.stored.state)

    async def _read(self, key: str, stored: Stored, held: Held | None) -> Scan:
        is_whole = held is not None and not held.scan.damaged
        known = Known(held.scan, held.snapshot.stored.artifacts) if held is not None and is_whole else None
        scan = await read_scan(self.store, key, stored, known)
        return replace(scan, coverage=covered_again(scan)) if "coverage.json" in scan.damaged else scan

    async def commit(
        self, key: str, before: Held, after: Scan, token: int, *, expires_at_s: float | None = None
    ) -> bool:
        """Puts a changed scan in the place of the one that was read; False where the lease or the version is not ours.

        The life of the scan is renewed where `expires_at_s` says so.
        """
        documents = changed_documents(before.scan, after, keeps_summary=self._seals)
        held = before.snapshot.stored
        stored = replace(
            stored_of(after.state, expires_at_s=expires_at_s or held.expires_at_s), artifacts=held.artifacts
        )
        return await self.store.commit(
            key,
            before.snapshot.version,
            token,
            stored,
            documents,
            drop_superseded=after.state.step is Step.COMPLETE,
        )

    async def park(self, key: str, snapshot: Snapshot, failure: Failure, token: int) -> bool:
        """Notes that the stage which is owed failed and waits for a call; no document is touched."""
        state = ScanState.of(snapshot.stored.state)
        parked = replace(state, failure=failure, attempts=state.attempts + 1)
        held = snapshot.stored
        stored = replace(stored_of(parked, expires_at_s=held.expires_at_s), artifacts=held.artifacts)
        return await self.store.commit(key, snapshot.version, token, stored, {})


def stored_of(state: ScanState, *, expires_at_s: float) -> Stored:
    """A state as the store wants it."""
    return Stored(
        state=state.to_bytes(),
        step=state.step.value,
        is_owed=is_stage(state.step),
        is_open=state.step is not Step.COMPLETE,
        owner=state.owner,
        expires_at_s=expires_at_s,
        is_parked=state.failure is not None,
    )
