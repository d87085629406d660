"""The composition root: settings in, services out. The only place that picks adapters."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from core.catalog.embedded.embedding import Embedder, folder_embedder, packaged_embedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.service import Catalog
from core.clock import Clock
from core.errors import CatalogUnusable, SettingsError, Unavailable
from core.ingest.build import Progress
from server.app import Service
from server.documents import CatalogFacts
from server.readiness import Readiness
from server.registry import BoundToolset
from server.sample import ensure_sample, shipped_sources
from server.settings import Settings
from server.toolsets.catalog import TOOLSET as CATALOG_TOOLSET


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """A backend that can answer, what may be said of it, and how it is given back."""

    backend: EmbeddedCatalog
    facts: CatalogFacts
    close: Callable[[], None]


def open_catalog(settings: Settings, progress: Progress | None = None) -> OpenedCatalog:
    """Opens the catalog that the settings name; blocking. Raises `OperatorError`."""
    url = settings.catalog_url
    if url.startswith(("https://", "http://")):
        raise SettingsError(
            [
                "PAPERDESK_CATALOG_URL: a catalog behind a web address is not part of this release; use sample: or"
                " file:DIRECTORY."
            ]
        )
    embedder = open_embedder(settings.embedder)
    if url == "sample:":
        with shipped_sources() as root:
            sample = ensure_sample(root, embedder=embedder, progress=progress)
        return _opened(sample.directory, "sample", embedder, sample.discard)
    return _opened(catalog_directory(url), "file", embedder, lambda: None)


def open_embedder(choice: str, *, named: str = "PAPERDESK_EMBEDDER") -> Embedder | None:
    """The model that turns a query into a vector; `auto` takes the packaged one where it is installed.

    `named` is where the choice was written, for the message of a `SettingsError`.
    """
    if choice == "none":
        return None
    if choice == "auto":
        return packaged_embedder()
    try:
        return folder_embedder(Path(choice).expanduser())
    except Unavailable as error:
        raise SettingsError([f"{named}: {error.message}"]) from error


def catalog_directory(url: str) -> Path:
    """The directory of `file:DIR`, `file:/DIR` or `file:///DIR`."""
    path = url.removeprefix("file:")
    return Path("/" + path.lstrip("/") if path.startswith("//") else path).expanduser()


@contextmanager
def built_directory(name: str, progress: Progress | None = None) -> Iterator[Path]:
    """The directory of a built catalog: `sample:` (built when it must be), `file:DIRECTORY` or a path; blocking."""
    if name == "sample" and not Path(name).exists():
        raise CatalogUnusable("There is no catalog directory `sample` here. The sample catalog is written `sample:`.")
    if name != "sample:":
        yield catalog_directory(name)
        return
    with shipped_sources() as root:
        sample = ensure_sample(root, embedder=open_embedder("auto"), progress=progress)
    try:
        yield sample.directory
    finally:
        sample.discard()


def compose(settings: Settings, opened: OpenedCatalog, clock: Clock) -> Service:
    """All services over one opened catalog; without cursor keys, cursors end with the process."""
    catalog = Catalog(
        opened.backend,
        cursor_keys=settings.cursor_keys or (secrets.token_urlsafe(32),),
        clock=clock,
        chunk_bytes=settings.read_chunk_bytes,
        site_url=settings.site_url,
    )
    toolset = replace(CATALOG_TOOLSET, deadline_s=min(CATALOG_TOOLSET.deadline_s, settings.catalog_timeout_s))
    rooms = {toolset.id: BoundToolset(toolset, catalog, clock=clock)}

    async def close() -> None:
        await anyio.to_thread.run_sync(opened.close)

    return Service(
        toolsets=tuple(rooms[name] for name in settings.toolsets),
        readiness=Readiness(opened.backend.ping, clock, since_start=True),
        facts=opened.facts,
        closers=(close,),
    )


def _opened(directory: Path, kind: str, embedder: Embedder | None, discard: Callable[[], None]) -> OpenedCatalog:
    try:
        backend = EmbeddedCatalog.open(directory, kind=kind, embedder=embedder)
    except BaseException:
        discard()
        raise

    def close() -> None:
        backend.close()
        discard()

    return OpenedCatalog(backend, CatalogFacts(kind, backend.manifest.content_id), close)
