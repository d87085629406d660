"""Desks over the sample catalog, with all sources and with none."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.references_desk import ALL_OFF, ALL_ON, LOCAL, Tools, tools_over


@pytest.fixture(scope="session")
def sample_backend(sample_directory: Path) -> Iterator[EmbeddedCatalog]:
    backend = EmbeddedCatalog.open(sample_directory, kind="sample")
    yield backend
    backend.close()


@pytest.fixture
async def tools(sample_backend: EmbeddedCatalog) -> AsyncIterator[Tools]:
    """All sources that a hosted service with a contact has."""
    async with tools_over(sample_backend, ALL_ON) as found:
        yield found


@pytest.fixture
async def alone(sample_backend: EmbeddedCatalog) -> AsyncIterator[Tools]:
    """No source at all: no contact address."""
    async with tools_over(sample_backend, ALL_OFF) as found:
        yield found


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Where the store of local mode would be; it is not made."""
    return tmp_path / "papers"


@pytest.fixture
async def local(sample_backend: EmbeddedCatalog, papers: Path) -> AsyncIterator[Tools]:
    """Local mode with all sources that a contact brings, and a store that is not there yet."""
    async with tools_over(sample_backend, LOCAL, store=papers) as found:
        yield found
