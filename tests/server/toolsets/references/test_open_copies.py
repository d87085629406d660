"""Open copies beyond Unpaywall's: further indexes where they are on, works that are closed, and blocks said again."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.core.sources.answered import DOAJ, EUROPE_PMC, OPENALEX
from tests.references_desk import ALL_ON, Tools, outcomes, tools_over
from tests.scripted_upstream import answer
from tests.server.toolsets.references.test_copies import located
from tests.server.toolsets.references.test_resolving import (
    CROSSREF_AT,
    DATACITE_AT,
    DOI,
    UNPAYWALL_AT,
    crossref,
    unpaywall,
)

EUROPE_PMC_AT = "www.ebi.ac.uk/europepmc/webservices/rest/search"
DOAJ_AT = "doaj.org/api/search/articles/doi:10.1234%2Fx"
OPENALEX_AT = "api.openalex.org/works/doi:10.1234%2Fx"
CLOSED = unpaywall(oa_status="closed", is_oa=False, best_oa_location=None, oa_locations=[])


@pytest.fixture
async def wide(sample_backend: EmbeddedCatalog) -> AsyncIterator[Tools]:
    """With the sources that are only on by choice."""
    async with tools_over(sample_backend, replace(ALL_ON, on=("europe-pmc", "doaj"))) as found:
        yield found


def europe_pmc(*urls: str) -> object:
    rows = [{"documentStyle": "pdf", "availabilityCode": "F", "url": url} for url in urls]
    return answer({"resultList": {"result": [{**EUROPE_PMC, "fullTextUrlList": {"fullTextUrl": rows}}]}})


async def test_a_copy_that_unpaywall_has_is_enough(wide: Tools) -> None:
    wide.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall()}
    found = await wide.good("fetch_paper", ref=DOI)
    assert found["pdf"]["url"] == "https://repo.test/1.pdf"
    assert {EUROPE_PMC_AT, DOAJ_AT} & set(wide.world.calls()) == set()


async def test_europe_pmc_is_asked_where_unpaywall_has_no_copy_and_doaj_where_it_has_none_either(wide: Tools) -> None:
    wide.world.scripts = {
        CROSSREF_AT: crossref(relation={}, abstract=None),
        UNPAYWALL_AT: CLOSED,
        EUROPE_PMC_AT: europe_pmc("http://free.test/a.pdf"),
    }
    found = await wide.good("fetch_paper", ref=DOI)
    assert found["pdf"] == {
        "status": "located",
        "url": "https://free.test/a.pdf",
        "host": "free.test",
        "host_allowed": False,
        "license": "cc-by",
    }
    # What it says of the work joins the record, after what Crossref says.
    work = found["work"]
    assert (work["title"], work["pmid"], work["sources"]) == (
        "Quality of Life & Work",
        "29456894",
        ["crossref", "unpaywall", "europe-pmc"],
    )
    assert found["source"] == "crossref" and DOAJ_AT not in wide.world.calls()
    assert outcomes(found)["europe-pmc"] == "consulted_resolved"


async def test_doaj_is_asked_last_and_before_a_preprint(wide: Tools) -> None:
    wide.world.scripts = {
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: answer({}, 500),
        EUROPE_PMC_AT: answer({}, 500),
        DOAJ_AT: answer({"results": [{"bibjson": DOAJ}]}),
    }
    found = await wide.good("fetch_paper", ref=DOI)
    assert found["pdf"] == {
        "status": "located",
        "url": "https://peerj.test/1",
        "host": "peerj.test",
        "host_allowed": False,
        "license": "cc-by-nc",
    }
    assert {name: outcome for name, outcome in outcomes(found).items() if name not in ("catalog", "crossref")} == {
        "unpaywall": "consulted_failed",
        "europe-pmc": "consulted_failed",
        "doaj": "consulted_resolved",
    }
    assert found["oa_status"] is None


async def test_a_copy_that_nobody_should_be_sent_to_does_not_end_the_search(wide: Tools) -> None:
    wide.world.scripts = {
        CROSSREF_AT: crossref(relation={}),
        UNPAYWALL_AT: located("https://user@press.test/1.pdf"),
        EUROPE_PMC_AT: europe_pmc("https://10.0.0.1/a.pdf", "https://free.test/a.pdf"),
    }
    assert (await wide.good("fetch_paper", ref=DOI))["pdf"]["url"] == "https://free.test/a.pdf"


async def test_a_batch_asks_further_indexes_too(wide: Tools) -> None:
    wide.world.scripts = {
        CROSSREF_AT: crossref(relation={}),
        UNPAYWALL_AT: CLOSED,
        EUROPE_PMC_AT: europe_pmc("https://free.test/a.pdf"),
    }
    (row,) = (await wide.good("batch_fetch", refs=[DOI]))["results"]
    assert (row["ok"], row["pdf"]["url"]) == (True, "https://free.test/a.pdf")


@pytest.mark.parametrize("status", [404, 503])
async def test_a_closed_work_that_nothing_else_knows_has_no_open_copy(tools: Tools, status: int) -> None:
    tools.world.scripts = {UNPAYWALL_AT: CLOSED, CROSSREF_AT: answer({}, status), DATACITE_AT: answer({}, status)}
    error = await tools.bad("fetch_paper", ref=DOI)
    assert (error["code"], error["disposition"]) == ("NO_OA_AVAILABLE", "needs_config")
    assert outcomes(error)["unpaywall"] == "consulted_not_open_access"
    again = await tools.bad("fetch_paper", ref=DOI)
    assert (again["code"], again["replayed"], again["message"]) == ("NO_OA_AVAILABLE", True, error["message"])
    # Its metadata can still be had.
    assert (await tools.good("resolve_paper", ref=DOI))["oa_status"] == "closed"


async def test_one_row_without_an_open_copy_leaves_its_siblings_alone(tools: Tools) -> None:
    tools.world.scripts = {UNPAYWALL_AT: CLOSED}
    rows = (await tools.good("batch_fetch", refs=[DOI, "1706.03762"]))["results"]
    assert [row["ok"] for row in rows] == [False, True]
    assert (rows[0]["error"]["code"], rows[0]["error"]["denial_context"]) == ("NO_OA_AVAILABLE", None)


async def test_a_closed_work_with_a_preprint_is_located(tools: Tools) -> None:
    tools.world.scripts = {UNPAYWALL_AT: CLOSED, OPENALEX_AT: answer(OPENALEX)}
    pdf = (await tools.good("fetch_paper", ref=DOI))["pdf"]
    assert (pdf["url"], pdf["found_by"]) == ("https://arxiv.org/pdf/cond-mat/9501001v2", "openalex_location")


@pytest.mark.parametrize(
    ("url", "denial"),
    [
        (
            "https://user@press.test/1.pdf",
            {"reason": "host_in_block_list", "source": "oa-publisher", "attempted": "press.test", "hop_index": 0},
        ),
        (
            "ftp://press.test/1.pdf",
            {
                "reason": "insecure_scheme",
                "source": "oa-publisher",
                "attempted": "ftp:",
                "expected": ["https"],
                "hop_index": 0,
            },
        ),
    ],
)
async def test_a_block_is_said_again_with_its_reason(tools: Tools, url: str, denial: dict[str, object]) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(relation={}), UNPAYWALL_AT: located(url)}
    pdf = (await tools.good("fetch_paper", ref=DOI))["pdf"]
    assert (pdf["status"], pdf["denial_context"]) == ("blocked", denial)
    asked = len(tools.world.asked)
    again = await tools.bad("fetch_paper", ref=DOI)
    assert (again["code"], again["replayed"], again["denial_context"]) == ("CAPABILITY_DENIED", True, denial)
    assert again["message"] == pdf["message"]
    (row,) = (await tools.good("batch_fetch", refs=[DOI]))["results"]
    assert (row["error"]["replayed"], row["error"]["denial_context"]) == (True, denial)
    assert len(tools.world.asked) == asked
