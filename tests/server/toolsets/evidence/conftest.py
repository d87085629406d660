"""The two toolsets over the sample as it ships, with its evidence set and a small embedder, and over one without."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import ManualClock
from core.evidence.connector.desk import ConnectorDesk
from core.evidence.desk import no_evidence
from core.evidence.semantic import LocalEmbedder
from core.ingest.build import BuildOptions, build_catalog
from server.registry import BoundToolset
from server.sample import sample_sources
from server.toolsets.connector import TOOLSET as CONNECTOR
from server.toolsets.evidence import TOOLSET as EVIDENCE
from tests.catalog_desk import BagOfWords
from tests.conftest import SAMPLE
from tests.evidence_room import open_room
from tests.evidence_tools import Tools


@pytest.fixture(scope="session")
def evidence_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as it ships, with vectors of a small embedder."""
    out = tmp_path_factory.mktemp("evidence-sample") / "catalog"
    options = BuildOptions(clock=ManualClock(1_790_000_000.0), embedder=BagOfWords())
    build_catalog(sample_sources(SAMPLE), out, options=options, progress=None)
    return out


@pytest.fixture(scope="session")
def tools(evidence_directory: Path) -> Iterator[Tools]:
    room = open_room(evidence_directory, LocalEmbedder(BagOfWords()))
    clock = ManualClock()
    yield Tools(BoundToolset(EVIDENCE, room.desk, clock=clock), BoundToolset(CONNECTOR, room.connector, clock=clock))
    room.close()


@pytest.fixture(scope="session")
def alone(sample_directory: Path) -> Iterator[Tools]:
    """A catalog without an evidence set."""
    backend = EmbeddedCatalog.open(sample_directory, kind="sample")
    clock = ManualClock()
    connector = ConnectorDesk(backend, None)
    yield Tools(BoundToolset(EVIDENCE, no_evidence(), clock=clock), BoundToolset(CONNECTOR, connector, clock=clock))
    backend.close()


@pytest.fixture(scope="session")
def sample_with_evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as it ships, without vectors."""
    out = tmp_path_factory.mktemp("evidence-plain") / "catalog"
    build_catalog(sample_sources(SAMPLE), out, options=BuildOptions(clock=ManualClock(1_790_000_000.0)), progress=None)
    return out
