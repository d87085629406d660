"""The composition root: settings in, services out. The only place that picks adapters."""

import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio

from core.catalog.backend import CatalogBackend
from core.catalog.cached import CachedCatalog
from core.catalog.embedded.embedding import Embedder, folder_embedder, packaged_embedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.service import Catalog
from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import Clock, SystemClock
from core.errors import CatalogUnusable, SettingsError, Unavailable
from core.http.client import HttpClient
from core.http.upstream import Manners, Upstream
from core.ingest.build import Progress
from server import __version__
from server.api.application import CatalogApi
from server.app import Front, Service
from server.documents import CatalogFacts
from server.drain import Drain
from server.endpoint.dispatch import DispatcherOf
from server.endpoint.lean import LeanDispatcher
from server.endpoint.sdk import SdkDispatcher
from server.metrics import State, Traffic
from server.readiness import Readiness
from server.registry import BoundToolset
from server.sample import ensure_sample, shipped_sources
from server.settings import Settings
from server.toolsets.catalog import TOOLSET as CATALOG_TOOLSET

DISPATCHERS: Mapping[str, DispatcherOf] = {"sdk": SdkDispatcher, "lean": LeanDispatcher}


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """A backend, what may be said of it, and how it is given back: `close` blocks, `aclose` needs the event loop."""

    backend: CatalogBackend
    facts: CatalogFacts
    close: Callable[[], None] = lambda: None
    aclose: Callable[[], Awaitable[None]] | None = None
    traffic: Traffic = field(default_factory=Traffic)


def open_catalog(settings: Settings, progress: Progress | None = None) -> OpenedCatalog:
    """Opens the catalog that the settings name; blocking. Raises `OperatorError`."""
    url = settings.catalog_url
    if url.startswith(("https://", "http://")):
        return open_upstream(url, SystemClock(), timeout_s=settings.catalog_timeout_s)
    embedder = open_embedder(settings.embedder)
    if url == "sample:":
        with shipped_sources() as root:
            sample = ensure_sample(root, embedder=embedder, progress=progress)
        return _opened(sample.directory, "sample", embedder, sample.discard)
    return _opened(catalog_directory(url), "file", embedder, lambda: None)


def open_upstream(url: str, clock: Clock, *, timeout_s: float) -> OpenedCatalog:
    """A catalog behind an `/api/v1` address; nothing is asked of it yet."""
    client = HttpClient(user_agent=f"paperdesk/{__version__}")
    traffic = Traffic()
    upstream = Upstream(
        client,
        url,
        source="catalog",
        clock=clock,
        manners=Manners(timeout_s=timeout_s),
        observe=traffic.count_upstream,
    )
    backend = CachedCatalog(UpstreamCatalog(upstream, clock), clock)
    return OpenedCatalog(backend, CatalogFacts("http", None), aclose=client.aclose, traffic=traffic)


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


def compose(settings: Settings, opened: OpenedCatalog, clock: Clock, *, own_key: str | None = None) -> Service:
    """All services over one opened catalog; without cursor keys and `own_key`, cursors end with the process."""
    catalog = Catalog(
        opened.backend,
        cursor_keys=settings.cursor_keys or (own_key or secrets.token_urlsafe(32),),
        clock=clock,
        chunk_bytes=settings.read_chunk_bytes,
        site_url=settings.site_url,
        asks_public_metadata=settings.public_metadata == "auto",
    )
    toolset = replace(CATALOG_TOOLSET, deadline_s=min(CATALOG_TOOLSET.deadline_s, settings.catalog_timeout_s))
    rooms = {toolset.id: BoundToolset(toolset, catalog, clock=clock)}

    async def close() -> None:
        if opened.aclose is not None:
            await opened.aclose()
        await anyio.to_thread.run_sync(opened.close)

    # An embedded catalog was found whole when it was opened; one behind the network still has to answer.
    readiness = Readiness(opened.backend.ping, clock, since_start=opened.facts.backend != "http")
    return Service(
        toolsets=tuple(rooms[name] for name in settings.toolsets),
        readiness=readiness,
        facts=opened.facts,
        drain=Drain(clock),
        traffic=opened.traffic,
        state=State(is_ready=lambda: readiness.reason() is None, caches=catalog.cache_counters),
        api=_api(settings, opened),
        dispatcher=DISPATCHERS[settings.dispatcher],
        closers=(close,),
    )


def front_of(settings: Settings) -> Front:
    """How the application is reached, by the settings."""
    return Front(settings.public_url, settings.allowed_hosts, settings.allowed_origins, settings.prefix)


def _api(settings: Settings, opened: OpenedCatalog) -> CatalogApi | None:
    """The `/api/v1` of a catalog that lies here; one that is read through HTTP is never served again."""
    here = opened.backend
    if not settings.serve_api or opened.facts.backend == "http" or not isinstance(here, EmbeddedCatalog):
        return None
    return CatalogApi(here, timeout_s=settings.catalog_timeout_s)


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
