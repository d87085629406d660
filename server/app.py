"""The ASGI application: the order of what surrounds a request, the routes, and the life of what they use."""

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

import anyio
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from core.scan.engine.desk import ScanDesk
from server.allowlists import HostList, OriginList
from server.answers import Answer, refuse
from server.api.application import PATH as API_PATH
from server.api.application import CatalogApi
from server.body import BodyBounds
from server.documents import CatalogFacts, Document, alive, health, not_found
from server.drain import Drain
from server.endpoint.asgi import Endpoint
from server.endpoint.dispatch import DispatcherOf
from server.endpoint.sdk import SdkDispatcher
from server.limits.budgets import API_PER_MINUTE, PER_MINUTE
from server.limits.counting import Counting
from server.metrics import MetricsPage, State, Traffic
from server.middleware.body_headers import BodyHeaders
from server.middleware.draining import Draining
from server.middleware.gates import Gates
from server.middleware.header_bound import HeaderBound
from server.middleware.host import HostGuard
from server.middleware.identity import Identity
from server.middleware.limits import Limits
from server.middleware.method import OneMethod
from server.middleware.origin import OriginGuard
from server.middleware.outgoing import Outgoing
from server.middleware.request_id import RequestIds
from server.middleware.telemetry import Telemetry
from server.pages import documents
from server.pages.facts import Facts
from server.paths import Paths
from server.readiness import Readiness
from server.registry import BoundToolset
from server.scan_deletion import PATH as SCANS_PATH
from server.scan_deletion import OnePartBelow, ScanDeletion

_Life = AbstractAsyncContextManager[None]


@dataclass(frozen=True, slots=True)
class Service:
    """All that the application serves: `/api/v1` only where there is an `api`, scans only where there is a desk.

    Requests are counted where there are `limits`. `closers` are awaited last to first when it stops.
    """

    toolsets: tuple[BoundToolset, ...]
    readiness: Readiness
    facts: CatalogFacts
    drain: Drain
    traffic: Traffic
    state: State
    limits: Counting
    api: CatalogApi | None = None
    scans: ScanDesk | None = None
    dispatcher: DispatcherOf = SdkDispatcher
    closers: tuple[Callable[[], Awaitable[None]], ...] = ()


@dataclass(frozen=True, slots=True)
class Front:
    """How the application is reached: `prefix` is the public URL's path, below which all routes live.

    `facts` are what the documents say of the deployment, by default no more than its public URL.
    `worker` tells the processes of one service apart, where there are several.
    """

    public_url: str
    hosts: HostList
    origins: OriginList
    prefix: str = ""
    body_bounds: BodyBounds = field(default_factory=BodyBounds)
    facts: Facts | None = None
    worker: str | None = None


def create_app(service: Service, front: Front) -> Starlette:
    """The application: what surrounds every request, then the path, then what surrounds an endpoint."""
    endpoints = endpoints_of(service, front.body_bounds)
    served = [(f"{front.prefix}{endpoint.bound.toolset.path}", endpoint) for endpoint in endpoints]
    guards = _Guards(service, front)
    unknown = _Unknown(not_found([path for path, _ in served]))
    metrics = MetricsPage(
        service.traffic, service.state, unknown=unknown, peers=service.limits.peers, worker=front.worker
    )
    paths = Paths(
        {
            **{path: guards.endpoint(endpoint) for path, endpoint in served},
            **{path: guards.document(app) for path, app in _documents(service, front).items()},
            f"{front.prefix}/metrics": metrics,
            # A probe by address knows nothing of a prefix.
            **{f"{prefix}{path}": app for path, app in _health(service).items() for prefix in {front.prefix, ""}},
        },
        _trees(service, front, guards, unknown),
        unknown,
    )
    toolsets = {path: endpoint.bound.toolset.id for path, endpoint in served}
    return _Application(paths, toolsets, service, lifespan=_lifespan(service, endpoints))


def _trees(service: Service, front: Front, guards: "_Guards", unknown: ASGIApp) -> dict[str, ASGIApp]:
    """What has paths of its own below it."""
    trees: dict[str, ASGIApp] = {}
    if service.api is not None:
        trees[f"{front.prefix}{API_PATH}"] = guards.api(service.api)
    if service.scans is not None:
        deletion = guards.deletion(ScanDeletion(service.scans))
        trees[f"{front.prefix}{SCANS_PATH}"] = OnePartBelow(deletion, unknown)
    return trees


def endpoints_of(service: Service, body_bounds: BodyBounds) -> list[Endpoint]:
    """One endpoint for each toolset; each knows which tools the others have."""
    # Where two toolsets have a tool of one name, the first is meant.
    paths = {name: bound.toolset.path for bound in reversed(service.toolsets) for name in bound.names}
    return [
        Endpoint(
            bound,
            elsewhere={name: path for name, path in paths.items() if path != bound.toolset.path},
            dispatcher=service.dispatcher,
            body_bounds=body_bounds,
            is_stopping=lambda: service.drain.has_begun,
        )
        for bound in service.toolsets
    ]


class _Application(Starlette):
    """Starlette's life of an application under a stack of our own.

    The framework's layers would word errors and redirect slashes, and cost more than all of ours together.
    """

    def __init__(
        self,
        paths: Paths,
        toolsets: Mapping[str, str],
        service: Service,
        *,
        lifespan: Callable[[Starlette], _Life],
    ) -> None:
        super().__init__(lifespan=lifespan)
        self._paths = paths
        self._toolsets = toolsets
        self._service = service

    def build_middleware_stack(self) -> ASGIApp:
        """Outermost first: steps 1 and 2 of hosting contract 3.1, then the path."""
        inner = Gates(self._paths, HeaderBound())
        counted = Telemetry(inner, toolsets=self._toolsets, traffic=self._service.traffic)
        return RequestIds(Outgoing(counted), peers=self._service.limits.peers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A request goes through the stack; the application's life is the framework's business."""
        if self.middleware_stack is None:
            self.middleware_stack = self.build_middleware_stack()
        scope["app"] = self
        await (self.middleware_stack if scope["type"] == "http" else self.router)(scope, receive, send)


class _Guards:
    """What a request for a known path passes before it is served, in the order of hosting contract 3.1."""

    def __init__(self, service: Service, front: Front) -> None:
        self._service = service
        self._front = front

    def endpoint(self, app: ASGIApp) -> ASGIApp:
        """Steps 4 to 10 of an MCP endpoint."""
        front = self._front
        return Gates(
            self._counted(app, PER_MINUTE, at_once=False),
            HostGuard(front.hosts),
            OriginGuard(front.origins),
            OneMethod(),
            Draining(self._service.drain),
            BodyHeaders(front.body_bounds),
        )

    def deletion(self, app: ASGIApp) -> ASGIApp:
        """The same for a scan's deletion, which has no body and pays at once."""
        front = self._front
        return Gates(
            self._counted(app, PER_MINUTE, at_once=True),
            HostGuard(front.hosts),
            OriginGuard(front.origins, method="DELETE"),
            OneMethod("DELETE"),
            Draining(self._service.drain),
        )

    def document(self, app: ASGIApp) -> ASGIApp:
        """Documents are public, on the hosts that are this service's."""
        return Gates(app, HostGuard(self._front.hosts))

    def api(self, api: CatalogApi) -> ASGIApp:
        """The API is public and read-only: no origin is asked for."""
        gates = HostGuard(self._front.hosts), Draining(self._service.drain)
        return api.behind(lambda app: Gates(self._counted(app, API_PER_MINUTE, at_once=True), *gates))

    def _counted(self, app: ASGIApp, window: str, *, at_once: bool) -> ASGIApp:
        """Steps 9 and 10: whoever has no body to wait for pays at once."""
        limits = self._service.limits
        admitted = Limits(app, limiter=limits.limiter, window=window, at_once=at_once)
        return Identity(admitted, callers=limits.callers, limiter=limits.limiter)


def _documents(service: Service, front: Front) -> dict[str, ASGIApp]:
    """The documents by their whole paths; with a prefix, that of `/` is the prefix itself."""
    made = documents(front.facts or Facts(front.public_url), service.toolsets)
    return {f"{front.prefix}{path}".rstrip("/") or "/": app for path, app in made.items()}


def _health(service: Service) -> dict[str, ASGIApp]:
    return {
        "/health": Document(lambda: health(service.readiness, service.facts, service.drain)),
        "/health/live": Document(alive),
    }


class _Unknown:
    """Any path that is not served."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """404."""
        await refuse(scope, send, self._answer)


def _lifespan(service: Service, endpoints: Sequence[Endpoint]) -> Callable[[Starlette], _Life]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for close in service.closers:
                stack.push_async_callback(close)
            for endpoint in endpoints:
                await stack.enter_async_context(endpoint.run())
            threads = anyio.to_thread.current_default_thread_limiter()
            threads.total_tokens = max(threads.total_tokens, service.limits.limiter.slots.ceiling)
            group = await stack.enter_async_context(anyio.create_task_group())
            group.start_soon(service.readiness.keep_probing)
            if service.scans is not None:
                group.start_soon(service.scans.scans.run)
            # What was built at start lives until the end; without this each full collection walks through it.
            gc.collect()
            gc.freeze()
            yield
            group.cancel_scope.cancel()

    return lifespan
