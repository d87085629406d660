"""Local mode over the sample catalog."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.core.references.fetching.desk import Local, local_desk


@pytest.fixture(scope="session")
def sample_backend(sample_directory: Path) -> Iterator[EmbeddedCatalog]:
    backend = EmbeddedCatalog.open(sample_directory, kind="sample")
    yield backend
    backend.close()


@pytest.fixture
async def local(sample_backend: EmbeddedCatalog, tmp_path: Path) -> AsyncIterator[Local]:
    """All sources that local mode with a contact has."""
    async with local_desk(sample_backend, tmp_path / "papers") as found:
        yield found
