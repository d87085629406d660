"""What all tests share: the event loop, the shared inputs, and snapshots."""

from pathlib import Path

import pytest

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
