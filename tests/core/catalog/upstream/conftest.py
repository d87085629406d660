"""A scripted upstream and the catalog over it."""

from collections.abc import AsyncIterator

import pytest

from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import SystemClock
from core.http.client import HttpClient
from core.http.upstream import Manners, Upstream
from tests.scripted_upstream import ScriptedUpstream, scripted


@pytest.fixture
async def upstream() -> AsyncIterator[ScriptedUpstream]:
    async with scripted() as served:
        yield served


async def opened(upstream: ScriptedUpstream, timeout_s: float) -> AsyncIterator[UpstreamCatalog]:
    clock = SystemClock()
    client = HttpClient(user_agent="paperdesk/9.9")
    manners = Manners(timeout_s=timeout_s)
    yield UpstreamCatalog(Upstream(client, upstream.url, source="catalog", clock=clock, manners=manners), clock)
    await client.aclose()


@pytest.fixture
async def catalog(upstream: ScriptedUpstream) -> AsyncIterator[UpstreamCatalog]:
    """The catalog over the scripted upstream."""
    async for backend in opened(upstream, 25):
        yield backend


@pytest.fixture
async def hasty_catalog(upstream: ScriptedUpstream) -> AsyncIterator[UpstreamCatalog]:
    """The same for upstreams that never finish: a request may take half a second."""
    async for backend in opened(upstream, 0.5):
        yield backend
