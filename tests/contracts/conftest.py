"""The backends that the catalog contract suite runs over, each holding the test catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.embedded.store import EmbeddedCatalog
from core.ingest.build import BuildOptions, build_catalog, parse_source
from tests.hashing_embedder import HashingEmbedder
from tests.odd_catalog import write_odd_catalog
from tests.odd_papers import AS_OF


@pytest.fixture(scope="session")
def odd_input(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd-input")
    write_odd_catalog(folder)
    return folder


def built(odd_input: Path, out: Path, embedder: HashingEmbedder | None) -> Path:
    sources = [parse_source(f"paperdesk:{odd_input}"), parse_source(f"markdown:{odd_input / 'fulltext'}")]
    build_catalog(sources, out, options=BuildOptions(as_of=AS_OF, embedder=embedder))
    return out


@pytest.fixture(scope="session")
def odd_directory(odd_input: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built test catalog, with vectors."""
    return built(odd_input, tmp_path_factory.mktemp("odd") / "catalog", HashingEmbedder())


@pytest.fixture(scope="session", params=["file"])
def backend(odd_directory: Path) -> Iterator[CatalogBackend]:
    """A backend over the test catalog; each technology is one parameter."""
    catalog = EmbeddedCatalog.open(odd_directory, kind="file", embedder=HashingEmbedder())
    yield catalog
    catalog.close()


@pytest.fixture(scope="session")
def backend_without_vectors(odd_input: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CatalogBackend]:
    """The test catalog without vectors, beside an embedder that has nothing to compare with."""
    directory = built(odd_input, tmp_path_factory.mktemp("plain") / "catalog", None)
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=HashingEmbedder())
    yield catalog
    catalog.close()
