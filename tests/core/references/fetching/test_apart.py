"""Who resolves a reference cannot download: neither by what it imports nor by what it asks."""

from collections.abc import Callable
from typing import Any

import pytest

from core.http.polite import PoliteClient
from core.http.remembering import Fetched
from core.references.records import Records
from core.references.room import Room
from core.sources.bundle import open_sources
from tests.core.references.fetching.desk import (
    ARXIV_AT,
    CROSSREF_AT,
    DATACITE_AT,
    DOI,
    OPENALEX_AT,
    PDF,
    UNPAYWALL_AT,
    Local,
    crossref,
    unpaywall,
)
from tests.core.sources.answered import OPENALEX
from tests.core.sources.test_arxiv import entry, feed
from tests.scripted_upstream import answer
from tests.test_architecture import IMPORTS, MODULES

PDF_CLIENT = "core.sources.pdfs"
URL = "https://www.nature.com/1.pdf"


def reached(*starts: str) -> set[str]:
    """The modules of ours that these import, and those that they import in turn."""
    found, waiting = set(starts), list(starts)
    assert found <= set(MODULES)
    while waiting:
        module = waiting.pop()
        targets = {each.target for each in IMPORTS if each.module == module and each.target in MODULES}
        waiting += targets - found
        found |= targets
    return found


# references A38
def test_no_module_that_resolves_imports_the_pdf_client() -> None:
    resolving = reached(
        *(f"core.references.{name}" for name in ("records", "resolution", "retraction_check", "room")),
        "core.sources.bundle",
    )
    assert PDF_CLIENT not in resolving
    # The search itself does find it where it is.
    assert PDF_CLIENT in reached("core.references.local_copies")


class NoPdfs(PoliteClient):
    """Fails on any request for a PDF, before anything is sent."""

    async def get(self, rules: Any, *args: Any, **more: Any) -> Fetched:
        assert more.get("want") != "pdf" and "pdf" not in rules.accept
        return await super().get(rules, *args, **more)


# references A38
@pytest.mark.parametrize("ref", [DOI, "2401.00007", "10.48550/arXiv.2401.00007"])
async def test_metadata_are_had_without_any_call_for_a_pdf(local: Local, ref: str) -> None:
    desk = local.desk
    client = NoPdfs(desk.wires, desk.client._pacing, desk.time.clock, sleep=desk.time.sleep)
    with pytest.raises(AssertionError):
        await client.get(desk.sources["oa-publisher"], URL, want="pdf")
    room = local.room
    alone = Room(
        room.shelf,
        open_sources(client, desk.sources),
        room.rulebook,
        room.clock,
        room.caller,
        room.repeats,
        room.fingerprint,
    )
    local.world.scripts = {
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: unpaywall(URL),
        DATACITE_AT: answer({}, 404),
        OPENALEX_AT: answer(OPENALEX),
        ARXIV_AT: answer(feed(entry("2401.00007v1"))),
        "www.nature.com/1.pdf": answer(PDF),
    }
    records = Records(alone)
    more: dict[str, Any] = {"include_oa": True, "check_retraction": True}
    asks: list[Callable[[], Any]] = [
        lambda: records.resolve(ref, **more),
        lambda: records.metadata_only(ref, dry_run=False, **more),
    ]
    for ask in asks:
        found = await ask()
        assert found.ok and found.oa_url
    assert {each.headers["accept"] for each in local.world.asked} <= {
        "application/json",
        "application/atom+xml, application/xml;q=0.9",
    }
    assert "www.nature.com" not in local.world.resolved
    assert not local.store.layout.root.exists()
