"""The API of a catalog, as an application for calls in the process and on a real loopback port."""

import contextlib
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import anyio
from starlette.types import ASGIApp, Receive, Scope, Send

from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.service import Catalog
from core.clock import SystemClock
from server.allowlists import parse_hosts, parse_origins
from server.api.application import CatalogApi
from server.app import Front, Service, create_app
from server.documents import CatalogFacts
from server.drain import Drain
from server.limits.budgets import DEFAULTS, LIMIT_MAX, Budgets
from server.limits.counting import counting_here
from server.metrics import State, Traffic
from server.readiness import Readiness
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET
from tests.loopback import serving

PUBLIC_URL = "https://desk.example.org"
WIDE = Budgets(anonymous=dict.fromkeys(DEFAULTS, LIMIT_MAX))
"""All calls of a test come from one address."""
KEYS = ("a-key-of-the-live-tests",)


def api_app(catalog: EmbeddedCatalog, *, timeout_s: float = 25, prefix: str = "") -> ASGIApp:
    """The whole application over a catalog, `/api/v1` included."""
    clock = SystemClock()
    desk = Catalog(catalog, cursor_keys=KEYS, clock=clock, chunk_bytes=32_768, site_url="https://paperswithcode.co")
    hosts, origins = parse_hosts("", PUBLIC_URL)[0], parse_origins("default", PUBLIC_URL)[0]
    service = Service(
        toolsets=(BoundToolset(TOOLSET, desk, clock=clock),),
        readiness=Readiness(catalog.ping, clock, since_start=True),
        facts=CatalogFacts("file", catalog.manifest.content_id),
        drain=Drain(clock),
        traffic=Traffic(),
        state=State(is_ready=lambda: True),
        limits=counting_here(clock, WIDE),
        api=CatalogApi(catalog, timeout_s=timeout_s),
    )
    return create_app(service, Front(PUBLIC_URL + prefix, hosts, origins, prefix))


class Delayed:
    """Waits before each request of the API is answered: a service that is far away."""

    def __init__(self, app: ASGIApp, delay_s: float) -> None:
        self._app = app
        self._delay_s = delay_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            await anyio.sleep(self._delay_s)
        await self._app(scope, receive, send)


@contextlib.contextmanager
def serve_api(
    directory: Path,
    *,
    embedder: Embedder | None = None,
    around: Callable[[ASGIApp], Callable[[Scope, Receive, Send], Awaitable[None]]] | None = None,
) -> Iterator[str]:
    """The address of the API of a built catalog, such as `http://127.0.0.1:41235/api/v1`.

    `around` puts something between the port and the application, such as `lambda app: Delayed(app, 0.05)`.
    """
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=embedder)
    try:
        app = api_app(catalog)
        with serving(app, around=around) as served:
            yield f"{served.url}/api/v1"
    finally:
        catalog.close()
