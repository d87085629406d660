"""The backends that the catalog contract suite runs over, each holding the test catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.embedded.store import EmbeddedCatalog
from tests.hashing_embedder import HashingEmbedder
from tests.odd_build import build_odd_catalog


@pytest.fixture(scope="session", params=["file"])
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CatalogBackend]:
    """A backend over the test catalog with vectors; each technology is one parameter."""
    embedder = HashingEmbedder()
    directory = build_odd_catalog(tmp_path_factory.mktemp("odd"), embedder)
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=embedder)
    yield catalog
    catalog.close()


@pytest.fixture(scope="session")
def backend_without_vectors(odd_directory: Path) -> Iterator[CatalogBackend]:
    """The test catalog without vectors, beside an embedder that has nothing to compare with."""
    catalog = EmbeddedCatalog.open(odd_directory, kind="file", embedder=HashingEmbedder())
    yield catalog
    catalog.close()


@pytest.fixture(scope="session")
def sample_backend(sample_directory: Path) -> Iterator[CatalogBackend]:
    """The sample catalog: real records without vectors and without measured attention."""
    catalog = EmbeddedCatalog.open(sample_directory, kind="sample")
    yield catalog
    catalog.close()
