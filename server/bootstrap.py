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
from core.catalog.upstream.embeddings import RemoteEmbedder, RemoteQueries
from core.clock import Clock, SystemClock
from core.errors import CatalogUnusable, SettingsError, Unavailable
from core.evidence.semantic import LocalEmbedder, QueryEmbedder
from core.http.client import HttpClient
from core.http.upstream import Manners, Upstream
from core.ingest.build import Progress
from core.references.keeping import Keeping
from core.references.store.layout import store_directory
from core.references.store.log import ProvenanceLog
from core.references.store.store import Store
from core.scan.engine.desk import ScanDesk
from server import __version__
from server.api.application import CatalogApi
from server.app import Front, Service
from server.documents import CatalogFacts
from server.drain import Drain
from server.endpoint.dispatch import DispatcherOf
from server.endpoint.lean import LeanDispatcher
from server.endpoint.sdk import SdkDispatcher
from server.evidence_desk import OpenedEvidence, open_evidence
from server.limits.admission import Limiter
from server.limits.budgets import API_PER_MINUTE, GLOBAL, Budgets, share_of
from server.limits.callers import Callers
from server.limits.counting import Counting, counting_here
from server.limits.identity import Identities
from server.limits.key_file import FollowedKeys
from server.limits.memory import MemoryWindows
from server.limits.shared import SharedWindows, open_store
from server.metrics import State, Traffic
from server.pages.facts import Facts
from server.peers import PeerTrust
from server.readiness import Readiness
from server.registry import MAX_DEADLINE_S, BoundToolset, Toolset
from server.sample import ensure_sample, shipped_sources
from server.scan_desk import open_scans
from server.served import TOOLSETS
from server.setting_values import MEMORY, BadValue, remote_embedder
from server.settings import Settings, limits_of
from server.source_desk import SourceDesk, open_source_desk
from server.toolsets.catalog import TOOLSET as CATALOG_TOOLSET
from server.toolsets.connector import TOOLSET as CONNECTOR_TOOLSET
from server.toolsets.evidence import TOOLSET as EVIDENCE_TOOLSET
from server.toolsets.references import TOOLSET as REFERENCES_TOOLSET
from server.toolsets.references.local import LOCAL_TOOLSET
from server.toolsets.scan import TOOLSET as SCAN_TOOLSET

DISPATCHERS: Mapping[str, DispatcherOf] = {"sdk": SdkDispatcher, "lean": LeanDispatcher}


@dataclass(frozen=True, slots=True)
class OpenedCatalog:
    """A backend, what may be said of it, and how it is given back: `close` blocks, `aclose` needs the event loop."""

    backend: CatalogBackend
    facts: CatalogFacts
    close: Callable[[], None] = lambda: None
    aclose: Callable[[], Awaitable[None]] | None = None
    traffic: Traffic = field(default_factory=Traffic)
    evidence: OpenedEvidence = field(default_factory=OpenedEvidence)


def open_catalog(settings: Settings, progress: Progress | None = None) -> OpenedCatalog:
    """Opens the catalog that the settings name; blocking. Raises `OperatorError`."""
    url = settings.catalog_url
    if url.startswith(("https://", "http://")):
        evidence = open_evidence(settings, None, lambda: _queries(_embedder_of(settings)))
        far = open_upstream(url, SystemClock(), timeout_s=settings.catalog_timeout_s)
        return replace(far, evidence=evidence, close=evidence.close)
    embedder = _embedder_of(settings)
    if url == "sample:":
        with shipped_sources() as root:
            sample = ensure_sample(root, embedder=embedder, progress=progress)
        return _opened(settings, sample.directory, "sample", embedder, sample.discard)
    return _opened(settings, catalog_directory(url), "file", embedder, lambda: None)


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


def _embedder_of(settings: Settings) -> Embedder | None:
    return open_embedder(settings.embedder, key=settings.embedder_key)


def open_embedder(choice: str, *, key: str = "", named: str = "PAPERDESK_EMBEDDER") -> Embedder | None:
    """The model that turns a query into a vector; `auto` takes the packaged one where it is installed.

    `named` is where the choice was written, for the message of a `SettingsError`.
    """
    if choice == "none":
        return None
    if choice == "auto":
        return packaged_embedder()
    if choice.startswith(("https://", "http://")):
        return _remote_embedder(choice, key, named)
    try:
        return folder_embedder(Path(choice).expanduser())
    except Unavailable as error:
        raise SettingsError([f"{named}: {error.message}"]) from error


def _remote_embedder(choice: str, key: str, named: str) -> Embedder:
    try:
        address, model, dimensions = remote_embedder(choice)
    except BadValue as bad:
        raise SettingsError([f"{named}: {bad}."]) from bad
    return RemoteEmbedder(address, model, dimensions, key=key)


def _queries(embedder: Embedder | None) -> QueryEmbedder | None:
    """An embedder as the evidence room asks it."""
    if embedder is None:
        return None
    return RemoteQueries(embedder) if isinstance(embedder, RemoteEmbedder) else LocalEmbedder(embedder)


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


def compose(
    settings: Settings, opened: OpenedCatalog, clock: Clock, *, own_key: str | None = None, counted: bool = True
) -> Service:
    """All services over one opened catalog; without cursor keys and `own_key`, cursors end with the process.

    `counted` opens what requests of others are counted by; a command that serves itself needs none of it.
    """
    catalog = Catalog(
        opened.backend,
        cursor_keys=settings.cursor_keys or (own_key or secrets.token_urlsafe(32),),
        clock=clock,
        chunk_bytes=settings.read_chunk_bytes,
        site_url=settings.site_url,
        asks_public_metadata=settings.public_metadata == "auto",
    )
    desk = _source_desk(settings, opened, clock)
    scans = _scans(settings, opened.backend, desk, clock)
    rooms = _rooms(settings, catalog, desk, opened.evidence, scans, clock)
    limits = open_limits(settings, clock) if counted else counting_here(clock)

    async def close() -> None:
        if scans is not None:
            await scans.scans.close()
        await limits.aclose()
        await desk.aclose()
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
        state=_state(readiness, limits, catalog, desk),
        api=_api(settings, opened),
        scans=scans,
        dispatcher=DISPATCHERS[settings.dispatcher],
        limits=limits,
        closers=(close,),
    )


def _state(readiness: Readiness, limits: Counting, catalog: Catalog, desk: SourceDesk) -> State:
    """What the metrics read anew each time."""
    return State(
        is_ready=lambda: readiness.reason() is None,
        in_flight=lambda: limits.limiter.slots.in_progress,
        identities=lambda: limits.limiter.windows.identities,
        store_errors=lambda: limits.limiter.windows.errors,
        caches=lambda: {**catalog.cache_counters(), **desk.cache_counters()},
    )


def open_limits(settings: Settings, clock: Clock) -> Counting:
    """Who is known how and what each may; the store of windows is asked nothing yet. Raises `OperatorError`."""
    peers = PeerTrust(settings.trusted_proxy_cidrs, settings.trust_loopback)
    secret = settings.identity_key.encode() or secrets.token_bytes(32)
    identities = Identities(peers=peers, tiers=settings.shared_egress, secret=secret)
    keys = FollowedKeys(Path(settings.keys_file).expanduser(), clock) if settings.keys_file else None
    callers = Callers(identities, clock, keys=keys, anonymous=settings.anonymous)
    if settings.has_shared_store:
        shared = SharedWindows(open_store(settings.limits_url), clock)
        return Counting(peers, callers, Limiter(budgets_of(settings), shared), shared.aclose)
    return Counting(peers, callers, Limiter(budgets_of(settings), MemoryWindows(clock)))


def budgets_of(settings: Settings) -> Budgets:
    """The numbers in force in one of the service's processes."""
    return Budgets(
        anonymous=limits_of(settings, "limit"),
        key=limits_of(settings, "key_limit"),
        shared=limits_of(settings, "shared_limit"),
        ceiling=share_of(settings.limit_global_concurrent, settings.workers),
    )


def front_of(settings: Settings, *, worker: int | None = None) -> Front:
    """How the application is reached, by the settings; `worker` is its number where there are several processes."""
    return Front(
        settings.public_url,
        settings.allowed_hosts,
        settings.allowed_origins,
        settings.prefix,
        worker=None if worker is None else str(worker),
        facts=facts_of(settings),
    )


def facts_of(settings: Settings) -> Facts:
    """What the documents say of the deployment; a budget that nothing draws on is left out."""
    limits = {**limits_of(settings, "limit"), GLOBAL: settings.limit_global_concurrent}
    return Facts(
        settings.public_url,
        namespace=settings.namespace,
        repository=settings.repository_url or None,
        anonymous=settings.anonymous,
        has_keys=bool(settings.keys_file),
        limits={name: limit for name, limit in limits.items() if name != API_PER_MINUTE or settings.serve_api},
    )


def served_toolsets(settings: Settings) -> tuple[Toolset, ...]:
    """The toolsets that are served, in the order of their paths' table (hosting contract 1.1)."""
    return tuple(toolset for toolset in TOOLSETS if toolset.id in settings.toolsets)


def _rooms(
    settings: Settings,
    catalog: Catalog,
    desk: SourceDesk,
    opened: OpenedEvidence,
    scans: ScanDesk | None,
    clock: Clock,
) -> dict[str, BoundToolset]:
    """Every toolset with its services, by id."""
    toolset = replace(CATALOG_TOOLSET, deadline_s=min(CATALOG_TOOLSET.deadline_s, settings.catalog_timeout_s))
    evidence, connector = opened.rooms(settings, catalog.backend, clock)
    bound = (
        BoundToolset(toolset, catalog, clock=clock),
        _references(settings, catalog, desk, clock),
        BoundToolset(EVIDENCE_TOOLSET, evidence, clock=clock),
        BoundToolset(SCAN_TOOLSET, scans, clock=clock),
        BoundToolset(CONNECTOR_TOOLSET, connector, clock=clock),
    )
    return {each.toolset.id: each for each in bound}


def _references(settings: Settings, catalog: Catalog, desk: SourceDesk, clock: Clock) -> BoundToolset:
    """The references toolset of the mode that is running."""
    keeping = open_keeping(settings, clock) if settings.local else None
    references = desk.references(catalog.backend, clock, keeping)
    if keeping is None:
        return BoundToolset(REFERENCES_TOOLSET, references, clock=clock)
    deadline_s = max(MAX_DEADLINE_S, LOCAL_TOOLSET.deadline_s)
    return BoundToolset(LOCAL_TOOLSET, references, clock=clock, deadline_max_s=deadline_s)


def open_keeping(settings: Settings, clock: Clock) -> Keeping:
    """The user's store and its log; nothing is made until something is written."""
    store = Store(store_directory(settings.store), clock)
    return Keeping(store, ProvenanceLog(store.layout, clock))


def _source_desk(settings: Settings, opened: OpenedCatalog, clock: Clock) -> SourceDesk:
    """What asks sources; where no toolset is served that does, none is asked and no shared store is opened."""
    if not {REFERENCES_TOOLSET.id, SCAN_TOOLSET.id} & set(settings.toolsets):
        settings = replace(settings, offline=True, limits_url=MEMORY)
    return open_source_desk(settings, clock, opened.traffic.count_upstream)


def _scans(settings: Settings, backend: CatalogBackend, desk: SourceDesk, clock: Clock) -> ScanDesk | None:
    """The scan room, where it is served."""
    if SCAN_TOOLSET.id not in settings.toolsets:
        return None
    return open_scans(settings, desk.literature(backend, settings.scan_sources, clock), clock)


def _api(settings: Settings, opened: OpenedCatalog) -> CatalogApi | None:
    """The `/api/v1` of a catalog that lies here; one that is read through HTTP is never served again."""
    here = opened.backend
    if not settings.serve_api or opened.facts.backend == "http" or not isinstance(here, EmbeddedCatalog):
        return None
    return CatalogApi(here, timeout_s=settings.catalog_timeout_s)


def _opened(
    settings: Settings, directory: Path, kind: str, embedder: Embedder | None, discard: Callable[[], None]
) -> OpenedCatalog:
    try:
        backend = EmbeddedCatalog.open(directory, kind=kind, embedder=embedder)
        try:
            evidence = open_evidence(settings, directory, lambda: _queries(embedder))
        except BaseException:
            backend.close()
            raise
    except BaseException:
        discard()
        raise

    def close() -> None:
        evidence.close()
        backend.close()
        discard()

    facts = CatalogFacts(kind, backend.manifest.content_id)
    return OpenedCatalog(backend, facts, close, evidence=evidence)
