"""A scan as the files of a run directory (scan contract 8.1)."""

from collections.abc import Mapping

from core.errors import NotFound
from core.scan.engine.views import placed_bytes
from core.scan.stores.port import ScanStore, scan_key


async def exported(store: ScanStore, scope: str, scan_id: str) -> Mapping[str, bytes]:
    """Every document of a scan by its name, logs included. Raises `NotFound`, `ArtifactCorrupt`, `StoreUnavailable`."""
    key = scan_key(scope, scan_id)
    snapshot = await store.load(key)
    if snapshot is None:
        raise NotFound("No such scan is kept here.")
    artifacts = snapshot.stored.artifacts
    return {name: placed_bytes(await store.read(key, name, ref.version), scan_id) for name, ref in artifacts.items()}
