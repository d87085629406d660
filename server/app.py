"""The ASGI application: the order of what surrounds a request, the routes, and the life of what they use."""

import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from server.allowlists import HostList, OriginList
from server.answers import Answer, send_answer
from server.api.application import PATH as API_PATH
from server.documents import CatalogFacts, Document, alive, health, not_found
from server.endpoint.asgi import Endpoint
from server.middleware.header_bound import HeaderBound
from server.middleware.host import HostGuard
from server.middleware.origin import OriginGuard
from server.middleware.request_id import RequestIds
from server.middleware.response_bound import ResponseBound
from server.middleware.telemetry import Telemetry
from server.pages import documents
from server.pages.facts import Facts
from server.readiness import Readiness
from server.registry import BoundToolset


@dataclass(frozen=True, slots=True)
class Service:
    """All that the application serves: `/api/v1` only where there is an `api`.

    `closers` are awaited last to first when it stops.
    """

    toolsets: tuple[BoundToolset, ...]
    readiness: Readiness
    facts: CatalogFacts
    api: ASGIApp | None = None
    closers: tuple[Callable[[], Awaitable[None]], ...] = ()


def create_app(
    service: Service,
    *,
    public_url: str,
    hosts: HostList,
    origins: OriginList,
    prefix: str = "",
    facts: Facts | None = None,
) -> Starlette:
    """The application. `prefix` is the public URL's path: all routes live below it, health also without it.

    `facts` are what the documents say of this deployment, by default no more than its public URL.
    """
    endpoints = endpoints_of(service.toolsets)
    paths = [f"{prefix}{endpoint.bound.toolset.path}" for endpoint in endpoints]
    unknown = _Unknown(not_found(paths))
    routes = _health_routes(service)
    inner = [
        *_mcp_routes(endpoints, hosts, origins, unknown),
        *_document_routes(service, facts or Facts(public_url), hosts, unknown),
        *([] if service.api is None else [Mount(API_PATH, app=service.api)]),
    ]
    if prefix:
        below = Router([*inner, *routes], redirect_slashes=False, default=unknown)
        # A mount begins after its slash; the path before it is the same one.
        top = next(route for route in inner if isinstance(route, Route) and route.path == "/")
        routes = [Route(prefix, top.endpoint), Mount(prefix, app=below), *routes]
    else:
        routes = [*inner, *routes]
    toolsets = {path: endpoint.bound.toolset.id for path, endpoint in zip(paths, endpoints, strict=True)}
    app = Starlette(routes=routes, middleware=_middleware(toolsets), lifespan=_lifespan(service, endpoints))
    app.router.redirect_slashes = False
    app.router.default = unknown
    return app


def endpoints_of(toolsets: Sequence[BoundToolset]) -> list[Endpoint]:
    """One endpoint for each toolset; each knows which tools the others have."""
    paths = {name: bound.toolset.path for bound in toolsets for name in bound.names}
    return [
        Endpoint(bound, elsewhere={name: path for name, path in paths.items() if path != bound.toolset.path})
        for bound in toolsets
    ]


def _middleware(toolsets: Mapping[str, str]) -> list[Middleware]:
    """Outermost first. What needs the path known (host, origin, endpoint) surrounds the routes instead."""
    return [
        Middleware(RequestIds),
        Middleware(Telemetry, toolsets=toolsets),
        Middleware(ResponseBound),
        Middleware(HeaderBound),
    ]


def _mcp_routes(
    endpoints: Sequence[Endpoint], hosts: HostList, origins: OriginList, unknown: ASGIApp
) -> list[BaseRoute]:
    return [
        route
        for endpoint in endpoints
        for route in _both_spellings(
            endpoint.bound.toolset.path, HostGuard(OriginGuard(endpoint, origins=origins), hosts=hosts), unknown
        )
    ]


def _document_routes(service: Service, facts: Facts, hosts: HostList, unknown: ASGIApp) -> list[BaseRoute]:
    return [
        route
        for path, document in documents(facts, service.toolsets).items()
        for route in _both_spellings(path, HostGuard(document, hosts=hosts), unknown)
    ]


def _health_routes(service: Service) -> list[BaseRoute]:
    return [
        Route("/health", Document(lambda: health(service.readiness, service.facts))),
        Route("/health/", Document(lambda: health(service.readiness, service.facts))),
        Route("/health/live", Document(alive)),
        Route("/health/live/", Document(alive)),
    ]


def _both_spellings(path: str, app: ASGIApp, unknown: ASGIApp) -> list[BaseRoute]:
    exact = _AsWritten(app, unknown)
    return [Route(spelling, exact) for spelling in dict.fromkeys((path, f"{path.rstrip('/')}/"))]


class _AsWritten:
    """An escaped path is another path: only the plain spelling is served."""

    def __init__(self, app: ASGIApp, unknown: ASGIApp) -> None:
        self._app = app
        self._unknown = unknown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """On, or 404."""
        app = self._unknown if b"%" in scope.get("raw_path", b"").split(b"?")[0] else self._app
        await app(scope, receive, send)


class _Unknown:
    """Any path that is not served."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """404, also to a HEAD; what is no HTTP request is let go."""
        if scope["type"] == "http":
            await send_answer(send, self._answer, without_body=scope["method"] == "HEAD")


def _lifespan(
    service: Service, endpoints: Sequence[Endpoint]
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for close in service.closers:
                stack.push_async_callback(close)
            for endpoint in endpoints:
                await stack.enter_async_context(endpoint.run())
            group = await stack.enter_async_context(anyio.create_task_group())
            group.start_soon(service.readiness.keep_probing)
            # What was built at start lives until the end; without this each full collection walks through it.
            gc.collect()
            gc.freeze()
            yield
            group.cancel_scope.cancel()

    return lifespan
