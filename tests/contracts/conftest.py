"""The backends that the catalog contract suite runs over, each holding the test catalog."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.catalog.backend import CatalogBackend
from core.catalog.cached import CachedCatalog
from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import ManualClock, SystemClock
from core.http.client import HttpClient
from core.http.upstream import Upstream
from tests.hashing_embedder import HashingEmbedder
from tests.live_api import serve_api
from tests.odd_build import build_odd_catalog


@pytest.fixture(scope="session")
def odd_vectors_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test catalog with vectors, built once."""
    return build_odd_catalog(tmp_path_factory.mktemp("odd"), HashingEmbedder())


@pytest.fixture(scope="session")
def file_backend(odd_vectors_directory: Path) -> Iterator[EmbeddedCatalog]:
    """The test catalog with vectors as a directory."""
    catalog = EmbeddedCatalog.open(odd_vectors_directory, kind="file", embedder=HashingEmbedder())
    yield catalog
    catalog.close()


@pytest.fixture(scope="session")
def api_url(odd_vectors_directory: Path) -> Iterator[str]:
    """The test catalog with vectors served as `/api/v1` on a loopback port."""
    with serve_api(odd_vectors_directory, embedder=HashingEmbedder()) as url:
        yield url


@pytest.fixture(scope="session")
async def http_backend(api_url: str) -> AsyncIterator[UpstreamCatalog]:
    """The test catalog with vectors behind our own API."""
    clock = SystemClock()
    client = HttpClient(user_agent="paperdesk/test")
    backend = UpstreamCatalog(Upstream(client, api_url, source="catalog", clock=clock), clock)
    await backend.ping()
    yield backend
    await client.aclose()


# catalog A97: the sample is opened by the class of `file:` and asked in tests/contracts/test_discovery_backend.py
@pytest.fixture(params=["file", "cached", "http"])
def backend(request: pytest.FixtureRequest, file_backend: EmbeddedCatalog) -> CatalogBackend:
    """A backend over the test catalog with vectors; each technology is one parameter.

    Tests marked `held_here` ask for what only a catalog in this process promises; the mark says why.
    """
    held_here = request.node.get_closest_marker("held_here")
    if request.param == "http" and held_here is not None:
        pytest.skip(held_here.args[0])
    match request.param:
        case "file":
            return file_backend
        case "cached":
            return request.getfixturevalue("cached_backend")
        case _:
            return request.getfixturevalue("http_backend")


@pytest.fixture(scope="session")
def cached_backend(file_backend: EmbeddedCatalog) -> CachedCatalog:
    """Its memory stands still in time, so that what one test was told another is answered with."""
    return CachedCatalog(file_backend, ManualClock())


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
