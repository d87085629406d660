"""The documents of a scan as resources (scan contract 8.3, 10.2)."""

from dataclasses import dataclass

import orjson

from core.errors import ArtifactCorrupt, NotFound
from core.scan.engine.keeping import Held
from core.scan.engine.scan import RENDERINGS, Scan, batch_bytes
from core.scan.engine.stages.emitting import renderings, selected
from core.scan.engine.stages.weighing import covered_again
from core.scan.engine.views import placed_bytes
from core.scan.stores.port import ScanStore

MIME_TYPES = {"json": "application/json", "md": "text/markdown", "bib": "text/plain"}
UNKNOWN = "There is no such document of a scan."


@dataclass(frozen=True, slots=True)
class Artifact:
    """A document's text and what it is."""

    text: str
    mime_type: str


async def artifact_of(store: ScanStore, key: str, scan_id: str, held: Held, name: str) -> Artifact:
    """A document of a scan. One that was damaged is computed again where it can be.

    Raises `NotFound`, `ArtifactCorrupt` and `StoreUnavailable`.
    """
    ref = held.snapshot.stored.artifacts.get(name)
    mime_type = MIME_TYPES.get(name.rpartition(".")[2])
    if ref is None or mime_type is None:
        raise NotFound(UNKNOWN)
    try:
        data = await store.read(key, name, ref.version)
    except ArtifactCorrupt:
        data = computed_again(held.scan, name)
    return Artifact(placed_bytes(data, scan_id).decode(), mime_type)


def computed_again(scan: Scan, name: str) -> bytes:
    """A damaged document from those that it follows from; raises `ArtifactCorrupt` where it is a judgement's own."""
    if name.startswith("screen-batches/"):
        batch = scan.batch(name.removeprefix("screen-batches/").removesuffix(".json"))
        if batch is not None:
            return batch_bytes(scan, batch)
    if name in RENDERINGS:
        return renderings(scan, selected(scan))[name]
    if name == "coverage.json":
        return orjson.dumps(covered_again(scan), option=orjson.OPT_APPEND_NEWLINE)
    raise ArtifactCorrupt("A stored part of this scan is damaged; start a new scan.", name=name)
