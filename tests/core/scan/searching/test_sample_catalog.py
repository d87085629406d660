"""The built-in sample catalog alone answers searches, anchors and the graph of a scan, without any network."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import ManualClock
from core.scan.days import ScanWindow
from core.scan.models import Anchor, Candidate
from core.scan.searching.literature import ScanLiterature
from core.scan.searching.port import Neighbourhood, Retrieval
from core.scan.searching.reach import scan_rulebook
from core.sources.bundle import open_sources
from core.sources.configuration import SourceChoices
from tests.core.scan.searching.desk import query
from tests.polite_desk import desk_in

WINDOW = ScanWindow(None, date(2030, 1, 1))


@pytest.fixture(scope="module")
def catalog(sample_directory: Path) -> Iterator[EmbeddedCatalog]:
    opened = EmbeddedCatalog.open(sample_directory, kind="sample")
    yield opened
    opened.close()


# scan A65
async def test_the_sample_answers_alone(catalog: EmbeddedCatalog) -> None:
    choices = SourceChoices()
    async with desk_in(choices) as desk:
        sources = open_sources(desk.client, scan_rulebook(choices, ("catalog",)))
        literature = ScanLiterature(catalog, sources, ("catalog",), clock=ManualClock())
        queries = [query("Q1", "image classification"), query("Q2", "attention OR transformer", "keyword")]
        found = await literature.retrieve(Retrieval(queries, "cs", WINDOW, 20, (), 8, "scan"))
        assert {work.origins[0].query_id for work in found.works} == {"Q1", "Q2"}
        assert any(work.abstract for work in found.works)
        assert all(work.ids.catalog for work in found.works)
        first = found.works[0]
        anchored = await literature.anchors([Anchor(title=first.title)], WINDOW, "scan")
        assert anchored.works[0].ids == first.ids
        seed = Candidate("a" * 12, first)
        around = await literature.neighbours(Neighbourhood([seed], WINDOW, "scan"))
        assert {each.source for each in around.lists} == {"catalog"}
        assert (await literature.lookups([seed], "scan")).is_offline
        assert desk.world.asked == []
