"""A desk with every source on, for each test of a reader."""

from collections.abc import AsyncIterator

import pytest

from core.sources.bundle import Sources, open_sources
from core.sources.configuration import SourceChoices
from tests.polite_desk import CONTACT, Desk, desk_in

EVERY = SourceChoices(contact=CONTACT, on=("semantic_scholar", "europe-pmc", "doaj"))


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with desk_in(EVERY) as opened:
        yield opened


@pytest.fixture
def sources(desk: Desk) -> Sources:
    return open_sources(desk.client, desk.sources)
