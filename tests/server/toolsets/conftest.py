"""Desks over the test catalogs, opened once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.catalog_desk import BagOfWords, CountingBackend, Desk, build
from tests.catalog_meaning import PAPERS, TEXTS


@pytest.fixture(scope="session")
def odd_backend(odd_directory: Path) -> Iterator[EmbeddedCatalog]:
    backend = EmbeddedCatalog.open(odd_directory, kind="file")
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def odd(odd_backend: EmbeddedCatalog) -> Desk:
    """The catalog of odd cases, without vectors."""
    return Desk(odd_backend)


@pytest.fixture
def counting(odd_backend: EmbeddedCatalog) -> CountingBackend:
    return CountingBackend(odd_backend)


@pytest.fixture
def counted(counting: CountingBackend) -> Desk:
    """The catalog of odd cases behind `counting`."""
    return Desk(counting)


@pytest.fixture(scope="session")
def sample(sample_directory: Path) -> Iterator[Desk]:
    backend = EmbeddedCatalog.open(sample_directory, kind="sample")
    yield Desk(backend)
    backend.close()


@pytest.fixture(scope="session")
def meaning_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small catalog with vectors and with texts that are hard to cut."""
    return build(tmp_path_factory.mktemp("meaning"), {"papers": PAPERS}, TEXTS, embedder=BagOfWords())


@pytest.fixture(scope="session")
def meaning_backend(meaning_directory: Path) -> Iterator[EmbeddedCatalog]:
    backend = EmbeddedCatalog.open(meaning_directory, kind="file", embedder=BagOfWords())
    yield backend
    backend.close()


@pytest.fixture(scope="session")
def meaning(meaning_backend: EmbeddedCatalog) -> Desk:
    """The small catalog, searched by meaning too."""
    return Desk(meaning_backend)
