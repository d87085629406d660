"""Identifiers through the tools: what is one paper, what reaches a source whole, and how PubMed ids go on."""

import re
from typing import Any

import pytest

from tests.core.sources.answered import CROSSREF, NCBI
from tests.core.sources.test_arxiv import entry, error, feed
from tests.references_desk import Tools, outcomes
from tests.scripted_upstream import Behaviour, answer
from tests.server.toolsets.references.test_resolving import ARXIV_AT, CROSSREF_AT, NCBI_AT, crossref, summary, unpaywall
from tests.server.toolsets.references.test_spellings import SPELLINGS
from tests.source_world import Asked

SICI = "10.1002/(SICI)1096-9861(19960129)365:1<113::AID-CNE9>3.0.CO;2-6"
ENCODED = "10.1002%2F%28sici%291096-9861%2819960129%29365%3A1%3C113%3A%3Aaid-cne9%3E3.0.co%3B2-6"
"""One identity whatever its case, so that a source is asked by the folded one."""


def unversioned(text: str) -> str:
    return re.sub(r"v\d+$", "", text)


# references A18
async def test_exports_and_bibliographies_read_every_spelling_of_an_id_alike(alone: Tools) -> None:
    refs = list(SPELLINGS)
    keys = {}
    for tool in ("bibtex_export", "csl_export"):
        entries = (await alone.good(tool, refs=refs))["entries"]
        keys[tool] = {row["ref"]: row["safekey"] for row in entries}
        for ref, id in SPELLINGS.items():
            assert unversioned(keys[tool][ref]) == f"arxiv_{id.replace('/', '_')}"
    assert keys["bibtex_export"] == keys["csl_export"]
    found = await alone.good("batch_from_bibliography", content="\n".join(refs), format="refs")
    assert [unversioned(row["ref"]) for row in found["results"]] == list(SPELLINGS.values())
    batch = (await alone.good("batch_fetch", refs=refs))["results"]
    held = {"1706.03762", "1810.04805"}
    assert {row["canonical"] for row in batch if row["ok"]} == {f"arxiv:{id}" for id in held}
    assert {row["error"]["code"] for row in batch if not row["ok"]} == {"CAPABILITY_DENIED"}
    linked = await alone.good("link", ref="https://doi.org/10.48550/arXiv.2401.12345v2")
    assert (linked["arxiv"], linked["canonical"]) == ("2401.12345v2", "arxiv:2401.12345")


# references A21
async def test_a_sici_reaches_every_source_whole(tools: Tools) -> None:
    await tools.bad("fetch_paper", ref=SICI)
    await tools.bad("link", ref=SICI)
    targets = {(asked.host, asked.path) for asked in tools.world.asked}
    assert targets == {
        ("api.crossref.org", f"/works/{ENCODED}"),
        ("api.datacite.org", f"/dois/10.1002/{ENCODED.partition('%2F')[2]}"),
        ("api.unpaywall.org", f"/v2/{ENCODED}"),
        ("api.openalex.org", f"/works/doi:{ENCODED}"),
    }


# references A25
async def test_two_spellings_of_a_pmc_id_are_one_record_and_a_bare_number_is_none(tools: Tools) -> None:
    ids = [{"idtype": "doi", "value": "10.1234/x"}]
    tools.world.scripts = {
        NCBI_AT: summary("3531190", articleids=ids),
        CROSSREF_AT: crossref(),
        "api.unpaywall.org/v2/10.1234%2Fx": unpaywall(),
    }
    first, second = (await tools.good("batch_fetch", refs=["PMC3531190", "pmcid:3531190"]))["results"]
    assert (first["ref"], second["ref"]) == ("PMC3531190", "pmcid:3531190")
    assert {**first, "ref": None} == {**second, "ref": None}
    assert (first["ok"], first["canonical"], first["title"]) == (True, "pmcid:PMC3531190", "Quality of Life & Work")
    assert tools.world.calls()[NCBI_AT] == 1
    bare = await tools.bad("resolve_paper", ref="3531190")
    assert (bare["code"], bare["reason"]) == ("INVALID_REF", "bare_digits")
    assert "pmid:N" in bare["hint"]
    assert (await tools.bad("batch_fetch", refs=["3531190"]))["field"] == "refs[0]"


# references A35
async def test_a_pubmed_id_leads_to_the_doi_that_its_summary_has(tools: Tools) -> None:
    at = "api.crossref.org/works/10.1176%2Fajp.155.7.895"
    tools.world.scripts = {
        NCBI_AT: answer({"result": {"uids": ["9659853"], "9659853": NCBI}}),
        at: answer({"status": "ok", "message": CROSSREF}),
    }
    found = await tools.good("resolve_paper", ref="pmid:9659853")
    assert (found["work"]["doi"], found["work"]["doi_registered"]) == ("10.1176/ajp.155.7.895", "10.1176/AJP.155.7.895")
    assert (found["source"], found["canonical"]) == ("crossref", "pmid:9659853")
    assert outcomes(found)["ncbi"] == "consulted_resolved"


# references A35
@pytest.mark.parametrize("tool", ["metadata_only", "fetch_paper"])
async def test_a_dry_run_of_what_needs_a_look_up_is_refused_and_asks_nobody(tools: Tools, tool: str) -> None:
    for ref in ("pmid:9659853", "PMC3531190", "W2741809807", "CorpusId:13756489"):
        assert (await tools.bad(tool, ref=ref, dry_run=True))["code"] == "INVALID_REF"
    assert (await tools.bad("batch_fetch", refs=["1706.03762", "pmid:9659853"], dry_run=True))["code"] == "INVALID_REF"
    assert tools.world.asked == []


# references A34
@pytest.mark.parametrize("body", [feed(), feed(error())])
async def test_an_empty_feed_and_an_entry_of_an_error_are_not_found(tools: Tools, body: bytes) -> None:
    tools.world.scripts = {ARXIV_AT: answer(body)}
    assert (await tools.bad("resolve_paper", ref="2401.12345"))["code"] == "NOT_FOUND"
    rows = (await tools.good("batch_fetch", refs=["2402.00001", "1706.03762"]))["results"]
    assert [row["ok"] for row in rows] == [False, True]
    assert rows[0]["error"]["code"] == "NOT_FOUND"


# references A34
async def test_a_batch_that_arxiv_refuses_is_halved_and_its_good_ids_succeed(tools: Tools) -> None:
    def script(asked: Asked) -> Behaviour:
        ids = asked.params["id_list"].split(",")
        refused = "2401.00003" in ids
        return answer(feed(error()), 400) if refused else answer(feed(*(entry(f"{id}v1", title=id) for id in ids)))

    tools.world.scripts = {ARXIV_AT: script}
    refs = [f"2401.0000{number}" for number in range(1, 5)]
    rows = (await tools.good("batch_fetch", refs=refs))["results"]
    assert [row.get("title") for row in rows] == ["2401.00001", "2401.00002", None, "2401.00004"]
    asked = [each.params["id_list"].count(",") + 1 for each in tools.world.asked if each.host == "export.arxiv.org"]
    assert asked == [4, 2, 2, 1, 1]


def big_record(people_count: int = 3_000, **more: Any) -> dict[str, Any]:
    people = [
        {"given": f"Bartholomew {number}", "family": "Longname", "affiliation": [{"name": "Institute " * 9}]}
        for number in range(people_count)
    ]
    return {**CROSSREF, "DOI": "10.1234/X", "author": people, **more}
