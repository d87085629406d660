"""The documents of the fixture toolsets on a loopback port, read once."""

from collections.abc import Iterator

import httpx
import pytest
from desk_toolset import OTHER, TOOLSET
from live import Live, serve_desk

from core.clock import ManualClock
from server.registry import BoundToolset


@pytest.fixture(scope="package")
def live() -> Iterator[Live]:
    with serve_desk() as server:
        yield server


@pytest.fixture(scope="package")
def client(live: Live) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=live.url) as made:
        yield made


@pytest.fixture(scope="package")
def toolsets() -> list[BoundToolset]:
    """The fixture toolsets, bound to nothing: documents call no tool."""
    return [BoundToolset(toolset, None, clock=ManualClock()) for toolset in (TOOLSET, OTHER)]
