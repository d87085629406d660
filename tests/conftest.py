"""What all tests share: the event loop, the shared inputs, snapshots, and a state directory of their own."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import hypothesis
import pytest

from core.clock import SystemClock
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.sources import parse_source
from tests.odd_catalog import write_odd_catalog

# How long an example takes says nothing on a machine that does other things too.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

# Servers of the tests keep their scans away from those of whoever runs the tests.
_STATE = tempfile.mkdtemp(prefix="paperdesk-state-")
atexit.register(shutil.rmtree, _STATE, ignore_errors=True)
os.environ["XDG_STATE_HOME"] = _STATE

SAMPLE = Path(__file__).resolve().parents[1] / "core" / "catalog" / "embedded" / "sample"
SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-snapshots", action="store_true", help="accept the present public definitions")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not SHARED_DATA.is_dir():
        absent = pytest.mark.skip(reason="the shared inputs are not beside the project (../shared/data)")
        for item in items:
            if item.get_closest_marker("shared_data"):
                item.add_marker(absent)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real inputs; only for tests marked `shared_data`."""
    return SHARED_DATA


@pytest.fixture
def update_snapshots(request: pytest.FixtureRequest) -> bool:
    """Whether the present public definitions are to be accepted."""
    return bool(request.config.getoption("--update-snapshots"))


@pytest.fixture(scope="session")
def odd_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The test catalog of the odd cases, built once, without vectors."""
    home = tmp_path_factory.mktemp("odd")
    write_odd_catalog(home / "input")
    sources = [parse_source(f"paperdesk:{home / 'input'}"), parse_source(f"markdown:{home / 'input' / 'fulltext'}")]
    build_catalog(sources, home / "catalog", options=BuildOptions(clock=SystemClock()), progress=None)
    return home / "catalog"


@pytest.fixture(scope="session")
def sample_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample catalog, built once, without vectors."""
    out = tmp_path_factory.mktemp("sample") / "catalog"
    sources = [parse_source(f"{kind}:{SAMPLE / kind}") for kind in ("paperdesk", "markdown", "evidence")]
    build_catalog(sources, out, options=BuildOptions(clock=SystemClock()), progress=None)
    return out
