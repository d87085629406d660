"""A real server on a loopback port, in a thread of the test process."""

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from desk_toolset import OTHER, TOOLSET, Desk
from starlette.types import ASGIApp

from core.clock import ManualClock, SystemClock
from server.allowlists import parse_hosts, parse_origins
from server.app import Front, Service, create_app
from server.bootstrap import DISPATCHERS, compose, open_catalog
from server.documents import CatalogFacts
from server.drain import Drain
from server.limits.budgets import DEFAULTS, LIMIT_MAX, Budgets
from server.limits.counting import counting_here
from server.metrics import State, Traffic
from server.readiness import Readiness
from server.registry import BoundToolset
from server.settings import parse_settings
from tests.loopback import serving

PUBLIC_URL = "https://desk.example.org"
WIDENED = ("per_minute", "catalog_semantic_per_minute", "concurrent")
WIDE = Budgets(anonymous=dict.fromkeys(DEFAULTS, LIMIT_MAX))
"""All calls of a test come from one address."""


@dataclass(frozen=True, slots=True)
class Live:
    port: int
    desk: Desk
    server: uvicorn.Server
    loop: asyncio.AbstractEventLoop

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def tasks(self) -> int:
        """How many tasks live on the server's loop."""

        async def count() -> int:
            return len(asyncio.all_tasks())

        return asyncio.run_coroutine_threadsafe(count(), self.loop).result(5)


def desk_service(desk: Desk, dispatcher: str = "sdk") -> Service:
    clock = SystemClock()

    async def probe() -> None:
        return None

    return Service(
        toolsets=(BoundToolset(TOOLSET, desk, clock=clock), BoundToolset(OTHER, desk, clock=clock)),
        readiness=Readiness(probe, clock, since_start=True),
        facts=CatalogFacts("sample", "b1"),
        drain=Drain(clock),
        traffic=Traffic(),
        state=State(is_ready=lambda: True),
        dispatcher=DISPATCHERS[dispatcher],
        limits=counting_here(clock, WIDE),
    )


@contextlib.contextmanager
def serve_desk(dispatcher: str = "sdk") -> Iterator[Live]:
    desk = Desk()
    with serving(_app(desk_service(desk, dispatcher))) as served:
        yield Live(served.port, desk, served.server, served.loop)


@contextlib.contextmanager
def serve_catalog(directory: Path, dispatcher: str = "sdk", **limits: int) -> Iterator[str]:
    """The toolsets over a catalog directory, at a time that stands still; yields the service's base URL."""
    wide = {f"PAPERDESK_LIMIT_{name.upper()}": str(limits.get(name, LIMIT_MAX)) for name in WIDENED}
    overrides = {
        "catalog_url": f"file:{directory}",
        "embedder": "none",
        "dispatcher": dispatcher,
        "cursor_keys": "the same in all servers of a test",
    }
    settings = parse_settings(wide, overrides=overrides, serving=False)
    opened = open_catalog(settings)
    with serving(_app(compose(settings, opened, ManualClock()))) as served:
        yield served.url


def _app(service: Service) -> ASGIApp:
    return create_app(service, front())


def front(url: str = PUBLIC_URL, prefix: str = "", **more: Any) -> Front:
    """How the service of the tests is reached."""
    return Front(url + prefix, parse_hosts("", url)[0], parse_origins("default", url)[0], prefix, **more)
