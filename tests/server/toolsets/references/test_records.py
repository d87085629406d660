"""What a record says after it was read: its fields, its damage, and what was cut to keep it small."""

from typing import Any

import orjson
import pytest

from tests.core.sources.answered import CROSSREF
from tests.references_desk import Tools
from tests.scripted_upstream import answer
from tests.server.toolsets.references.test_identities import big_record
from tests.server.toolsets.references.test_resolving import CROSSREF_AT, DOI, UNPAYWALL_AT, crossref, unpaywall

KIB = 1024


# references A32
async def test_metadata_is_the_record_of_crossref_without_references_and_assertions(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref()}
    found = await tools.good("resolve_paper", ref=DOI)
    kept = {name: value for name, value in CROSSREF.items() if name not in ("reference", "assertion")}
    assert found["metadata"] == {**kept, "DOI": "10.1234/X"}
    assert "metadata_trimmed" not in found


# references A32
@pytest.mark.parametrize("tool", ["resolve_paper", "metadata_only"])
async def test_a_record_of_three_thousand_authors_is_cut_and_says_what_was_cut(tools: Tools, tool: str) -> None:
    tools.world.scripts = {CROSSREF_AT: answer({"status": "ok", "message": big_record()})}
    found = await tools.good(tool, ref=DOI)
    assert len(orjson.dumps(found["metadata"])) <= 32 * KIB
    assert len(found["metadata"]["author"]) == 100
    assert "affiliation" not in found["metadata"]["author"][0]
    assert [each.partition(":")[0] for each in found["metadata_trimmed"]] == ["author.affiliation", "author"]
    assert (len(found["work"]["authors"]), found["work"]["author_count"]) == (100, 3_000)


# references A36
async def test_dates_groups_and_pages_are_read_as_they_are_meant(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref()}
    work = (await tools.good("resolve_paper", ref=DOI))["work"]
    # `issued` is null there, and the year of `published-print` is a text.
    assert (work["published"], work["year"], work["pages"]) == ("1998-07", 1998, "895-897")
    assert [(author["name"], author["group"]) for author in work["authors"]][1] == ("The Trial Group", True)
    assert work["author_count"] == len(work["authors"])


# references A37
@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("P\n  <scp>y</scp>\n  SCF: the Python framework", "PySCF: the Python framework"),
        ("T<Tc and H>Hc2 in thin films", "T<Tc and H>Hc2 in thin films"),
        ("Effects at P<0.001", "Effects at P<0.001"),
        ("CSR&amp;amp;D in firms", "CSR&D in firms"),
        ("Gut &#38 Hepatology", "Gut & Hepatology"),
    ],
)
async def test_titles_lose_their_markup_and_nothing_else(tools: Tools, raw: str, title: str) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(title=[raw])}
    found = await tools.good("resolve_paper", ref=DOI)
    assert (found["work"]["title"], found["metadata_quality"], found["repaired_fields"]) == (title, [], {})


# references A37
@pytest.mark.parametrize(
    ("other", "title", "repaired"),
    [
        ("Caf\u00e9 culture", "Caf\u00e9 culture", {"title": "unpaywall"}),
        ("Cafe cultures", "Caf\ufffd culture", {}),
        ("Caf\u00e9 Culture", "Caf\ufffd culture", {}),
    ],
)
async def test_a_damaged_title_is_reported_and_mended_only_from_one_that_is_equal_elsewhere(
    tools: Tools, other: str, title: str, repaired: dict[str, Any]
) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(title=["Caf\ufffd culture"]), UNPAYWALL_AT: unpaywall(title=other)}
    found = await tools.good("resolve_paper", ref=DOI, include_oa_location=True)
    assert (found["work"]["title"], found["repaired_fields"]) == (title, repaired)
    assert found["metadata_quality"] == ["replacement_char:title"]
