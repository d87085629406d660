"""What a store writes of one scan's state, and which bytes of artifacts it holds: pure, the same for every store."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from core.errors import ScanTooLarge
from core.scan.stores.blobs import corrupt
from core.scan.stores.port import CLEAR_BYTES_MAX, ArtifactRef, Stored

STATE_NAME = "state"
"""The name that a state's bytes go by; artifacts have names with a dot."""
_SUM_BYTES = 32


@dataclass(frozen=True, slots=True)
class Held:
    """Stored bytes of one version of an artifact: `slot` is their place within the scan, never given twice."""

    name: str
    version: int
    sha256: str
    size: int
    slot: int

    def matches(self, clear: bytes) -> bool:
        """Whether these are the bytes that were stored."""
        return len(clear) == self.size and hashlib.sha256(clear).hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class Record:
    """One version of a scan, with all that is held of it; slot 0 is the record's own."""

    version: int
    stored: Stored
    held: tuple[Held, ...] = ()
    next_slot: int = 1

    def find(self, name: str, version: int) -> Held | None:
        """What is held under a name and version."""
        return next((each for each in self.held if (each.name, each.version) == (name, version)), None)

    def packed(self) -> bytes:
        """The record as bytes, with a sum over them."""
        stored = self.stored
        head = {
            "version": self.version,
            "step": stored.step,
            "is_owed": stored.is_owed,
            "is_parked": stored.is_parked,
            "is_open": stored.is_open,
            "owner": stored.owner,
            "expires_at_s": stored.expires_at_s,
            "current": {name: ref.version for name, ref in stored.artifacts.items()},
            "held": [[each.name, each.version, each.sha256, each.size, each.slot] for each in self.held],
            "next_slot": self.next_slot,
        }
        body = orjson.dumps(head) + b"\n" + stored.state
        return hashlib.sha256(body).digest() + body


@dataclass(frozen=True, slots=True)
class Change:
    """The next record, the artifacts to be written by slot, and the slots to be emptied."""

    record: Record
    added: Mapping[int, tuple[Held, bytes]]
    removed: tuple[int, ...] = ()


def record_of(packed: bytes, version: int) -> Record:
    """The record in packed bytes; raises `ArtifactCorrupt` unless they are those of that version."""
    body = packed[_SUM_BYTES:]
    if hashlib.sha256(body).digest() != packed[:_SUM_BYTES]:
        raise corrupt(STATE_NAME)
    head, _, state = body.partition(b"\n")
    row: dict[str, Any] = orjson.loads(head)
    if row["version"] != version:
        raise corrupt(STATE_NAME)
    held = tuple(Held(*each) for each in row["held"])
    sums = {(each.name, each.version): each.sha256 for each in held}
    stored = Stored(
        state=state,
        step=row["step"],
        is_owed=row["is_owed"],
        is_open=row["is_open"],
        owner=row["owner"],
        expires_at_s=row["expires_at_s"],
        artifacts={name: ArtifactRef(number, sums[name, number]) for name, number in row["current"].items()},
        is_parked=row["is_parked"],
    )
    return Record(version, stored, held, row["next_slot"])


def first(stored: Stored, artifacts: Mapping[str, bytes]) -> Change:
    """A new scan; raises `ScanTooLarge`."""
    return changed(Record(0, stored), stored, artifacts, drop_superseded=False)


def changed(record: Record, stored: Stored, artifacts: Mapping[str, bytes], *, drop_superseded: bool) -> Change:
    """The version after `record`; raises `ScanTooLarge`, and `ValueError` for a reference to what was never stored."""
    version = record.version + 1
    added: dict[int, tuple[Held, bytes]] = {}
    for slot, (name, clear) in enumerate(artifacts.items(), record.next_slot):
        added[slot] = Held(name, version, hashlib.sha256(clear).hexdigest(), len(clear), slot), clear
    kept = {name: ref for name, ref in stored.artifacts.items() if name not in artifacts}
    if any(record.find(name, ref.version) is None for name, ref in kept.items()):
        raise ValueError("a state names an artifact that was never stored")
    current = kept | {new.name: ArtifactRef(version, new.sha256) for new, _ in added.values()}
    everything = (*record.held, *(new for new, _ in added.values()))
    removed = _removed(everything, current, len(stored.state), drop_superseded=drop_superseded)
    held = tuple(each for each in everything if each.slot not in removed)
    following = Record(version, replace(stored, artifacts=current), held, record.next_slot + len(added))
    return Change(following, added, tuple(removed))


def _removed(
    held: Collection[Held], current: Mapping[str, ArtifactRef], size: int, *, drop_superseded: bool
) -> list[int]:
    """Slots of superseded bytes: all, or the oldest that leave room below the bound."""
    size += sum(each.size for each in held)
    superseded = [each for each in held if each.name not in current or current[each.name].version != each.version]
    removed = []
    for each in sorted(superseded, key=lambda each: each.slot):
        if drop_superseded or size > CLEAR_BYTES_MAX:
            removed.append(each.slot)
            size -= each.size
    if size > CLEAR_BYTES_MAX:
        raise ScanTooLarge("The scan has grown over what is kept of one. Start a new scan with fewer candidates.")
    return removed
