"""The API of the test catalogs on real loopback ports, started once."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.catalog_desk import BagOfWords, FailingEmbedder, build
from tests.catalog_meaning import PAPERS, TEXTS
from tests.live_api import api_app, serve_api


@pytest.fixture(scope="session")
def odd_url(odd_directory: Path) -> Iterator[str]:
    with serve_api(odd_directory) as url:
        yield url


@pytest.fixture(scope="session")
def odd(odd_url: str) -> Iterator[httpx.Client]:
    """The catalog of odd cases, without vectors."""
    with httpx.Client(base_url=odd_url) as client:
        yield client


@pytest.fixture(scope="session")
def sample_url(sample_directory: Path) -> Iterator[str]:
    with serve_api(sample_directory) as url:
        yield url


@pytest.fixture(scope="session")
def meaning_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("meaning"), {"papers": PAPERS}, TEXTS, embedder=BagOfWords())


@pytest.fixture
async def meaning(meaning_directory: Path) -> Iterator[httpx.AsyncClient]:  # type: ignore[misc]
    """A small catalog with vectors, called in the process."""
    async with _in_process(meaning_directory, BagOfWords()) as client:
        yield client


@pytest.fixture
async def without_embedder(meaning_directory: Path) -> Iterator[httpx.AsyncClient]:  # type: ignore[misc]
    """The same with an embedder out of order."""
    async with _in_process(meaning_directory, FailingEmbedder()) as client:
        yield client


def _in_process(directory: Path, embedder: BagOfWords) -> httpx.AsyncClient:
    catalog = EmbeddedCatalog.open(directory, kind="file", embedder=embedder)
    transport = httpx.ASGITransport(app=api_app(catalog))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1")
