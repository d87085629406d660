"""A desk for each test of the polite client."""

from collections.abc import AsyncIterator

import pytest

from tests.polite_desk import Desk, desk_in
from tests.virtual_time import VirtualTime


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with desk_in() as opened:
        yield opened


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()
