"""Which source answers for a reference, and what is said of open access."""

from typing import Any

import pytest

from tests.core.sources.answered import CROSSREF, DATACITE, OPENALEX, UNPAYWALL
from tests.core.sources.test_arxiv import entry, feed
from tests.references_desk import Tools, outcomes
from tests.scripted_upstream import answer

DOI = "10.1234/x"
CROSSREF_AT = "api.crossref.org/works/10.1234%2Fx"
UNPAYWALL_AT = "api.unpaywall.org/v2/10.1234%2Fx"
DATACITE_AT = "api.datacite.org/dois/10.1234/x"
ARXIV_AT = "export.arxiv.org/api/query"


def crossref(**changes: Any) -> Any:
    return answer({"status": "ok", "message": {**CROSSREF, "DOI": "10.1234/X", **changes}})


def unpaywall(**changes: Any) -> Any:
    return answer({**UNPAYWALL, **changes})


# references A26, A33
async def test_crossref_answers_and_unpaywall_only_where_it_is_asked_for(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall()}
    plain = await tools.good("resolve_paper", ref=DOI)
    assert (plain["source"], plain["license"], plain["oa_url"], plain["oa_status"]) == ("crossref", None, None, None)
    assert UNPAYWALL_AT not in tools.world.calls()
    full = await tools.good("resolve_paper", ref=DOI, include_oa_location=True)
    assert (full["source"], full["license"], full["oa_url"], full["oa_status"]) == (
        "crossref",
        "cc-by",
        "https://repo.test/1.pdf",
        "green",
    )
    assert full["work"]["title"] == "Quality of Life & Work"
    assert {"reference", "assertion"} & set(full["metadata"]) == set()


# references A27
async def test_unpaywall_stands_in_for_a_crossref_that_is_down(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: answer({}, 503), UNPAYWALL_AT: unpaywall()}
    found = await tools.good("resolve_paper", ref=DOI)
    assert (found["source"], found["oa_status"]) == ("unpaywall", "green")
    assert outcomes(found) == {
        "catalog": "consulted_no_record",
        "crossref": "consulted_failed",
        "unpaywall": "consulted_resolved",
    }


async def test_where_all_are_down_the_error_is_crossrefs(tools: Tools) -> None:
    down = answer({}, 503)
    tools.world.scripts = {CROSSREF_AT: down, UNPAYWALL_AT: down, DATACITE_AT: down}
    error = await tools.bad("resolve_paper", ref=DOI)
    assert error["code"] == "NETWORK_ERROR"
    assert outcomes(error) == {
        "catalog": "consulted_no_record",
        "crossref": "consulted_failed",
        "unpaywall": "consulted_failed",
        "datacite": "consulted_failed",
    }


# references A28
async def test_an_unpaywall_that_fails_leaves_open_access_undetermined(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: answer({}, 500)}
    found = await tools.good("resolve_paper", ref=DOI, include_oa_location=True)
    assert (found["oa_url"], found["oa_status"]) == (None, None)
    assert outcomes(found)["unpaywall"] == "consulted_failed"


# references A29
async def test_datacite_answers_for_what_crossref_does_not_know(tools: Tools) -> None:
    tools.world.scripts = {DATACITE_AT: answer({"data": {"attributes": {**DATACITE, "doi": "10.1234/X"}}})}
    found = await tools.good("resolve_paper", ref=DOI)
    assert (found["source"], found["license"]) == ("datacite", "cc-by")
    assert found["metadata"]["titles"] == DATACITE["titles"]


async def test_what_nobody_knows_is_not_found(tools: Tools) -> None:
    error = await tools.bad("resolve_paper", ref=DOI)
    assert (error["code"], error["disposition"]) == ("NOT_FOUND", "terminal")
    assert set(tools.world.calls()) == {CROSSREF_AT, DATACITE_AT, UNPAYWALL_AT}


# references A30, A31
@pytest.mark.parametrize("ref", ["10.48550/arXiv.1706.03762", "1706.03762"])
async def test_an_arxiv_doi_is_never_crossrefs(tools: Tools, ref: str) -> None:
    found = await tools.good("resolve_paper", ref=ref)
    assert found["source"] == "catalog"
    assert tools.world.asked == []


# references A18, A34
async def test_arxiv_answers_for_a_paper_outside_the_catalog(tools: Tools) -> None:
    doi = "<arxiv:doi>10.1234/Published</arxiv:doi>"
    tools.world.scripts = {ARXIV_AT: answer(feed(entry("2401.12345v2", more=doi)))}
    found = await tools.good("resolve_paper", ref="https://arxiv.org/abs/2401.12345v2")
    assert (found["source"], found["canonical"], found["work"]["key"]) == (
        "arxiv",
        "arxiv:2401.12345",
        "arxiv:2401.12345",
    )
    assert found["metadata"]["doi"] == "10.1234/Published"
    assert (found["oa_url"], found["oa_status"], found["license"]) == (
        "https://arxiv.org/pdf/2401.12345v2",
        "green",
        "arxiv-default",
    )


# references A19
@pytest.mark.parametrize("tool", ["resolve_paper", "fetch_paper", "paper_text", "paper_tex_source"])
@pytest.mark.parametrize("ref", ["9999.99999", "2413.99999", "1412.12345"])
async def test_an_id_that_cannot_exist_is_asked_of_nobody(tools: Tools, tool: str, ref: str) -> None:
    assert (await tools.bad(tool, ref=ref))["code"] == "NOT_FOUND"
    assert tools.world.asked == []


async def test_a_version_that_arxiv_lacks_is_named(tools: Tools) -> None:
    tools.world.scripts = {ARXIV_AT: answer(feed())}
    error = await tools.bad("resolve_paper", ref="2307.09288v999")
    assert (error["code"], "v999" in error["message"]) == ("NOT_FOUND", True)


# references A20
async def test_another_spelling_is_asked_only_after_a_miss(tools: Tools) -> None:
    tools.world.scripts = {"api.crossref.org/works/10.24447%2Fslc": crossref(DOI="10.24447/slc")}
    found = await tools.good("resolve_paper", ref="10.24447/slc/")
    assert found["source"] == "crossref"
    assert [each.path for each in tools.world.asked] == ["/works/10.24447%2Fslc%2F", "/works/10.24447%2Fslc"]


# references A21
async def test_a_doi_with_slashes_and_dots_is_one_segment(tools: Tools) -> None:
    await tools.bad("resolve_paper", ref="10.1234/a/../b//c")
    assert "api.crossref.org/works/10.1234%2Fa%2F..%2Fb%2F%2Fc" in tools.world.calls()


# references A22
async def test_two_cases_of_one_doi_are_one_request(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref()}
    first = await tools.good("resolve_paper", ref="10.1234/X")
    second = await tools.good("resolve_paper", ref="10.1234/x")
    assert first["canonical"] == second["canonical"] == "doi:10.1234/x"
    assert tools.world.calls()[CROSSREF_AT] == 1


# references A23
@pytest.mark.parametrize(("ref", "reason"), [("10.123/abc", "doi_bad_registrant"), ("10.1234", "doi_missing_slash")])
async def test_a_mistyped_doi_is_a_problem_of_a_doi(tools: Tools, ref: str, reason: str) -> None:
    error = await tools.bad("resolve_paper", ref=ref)
    assert (error["code"], error["reason"], error["field"]) == ("INVALID_REF", reason, "ref")
    assert "arXiv" not in error["message"]
    assert tools.world.asked == []


def summary(id: str, **more: Any) -> Any:
    return answer({"result": {"uids": [id], id: {"uid": id, "title": "T.", "pubtype": [], "articleids": [], **more}}})


NCBI_AT = "eutils.ncbi.nlm.nih.gov/entrez/eutils/esummary.fcgi"


# references A25, A35
async def test_a_pubmed_id_goes_on_as_its_doi(tools: Tools) -> None:
    ids = [{"idtype": "doi", "value": "10.1234/x"}]
    tools.world.scripts = {NCBI_AT: summary("9659853", articleids=ids), CROSSREF_AT: crossref()}
    found = await tools.good("resolve_paper", ref="pmid:9659853")
    assert (found["source"], found["work"]["doi"]) == ("crossref", "10.1234/x")


async def test_a_pubmed_record_without_a_doi_is_not_implemented(tools: Tools) -> None:
    tools.world.scripts = {NCBI_AT: summary("9659853")}
    assert (await tools.bad("resolve_paper", ref="pmid:9659853"))["code"] == "NOT_IMPLEMENTED"


async def test_an_unknown_pubmed_id_is_not_found_and_a_dry_run_of_one_refused(tools: Tools) -> None:
    tools.world.scripts = {NCBI_AT: answer({"result": {"uids": []}})}
    assert (await tools.bad("resolve_paper", ref="pmid:9659853"))["code"] == "NOT_FOUND"
    before = len(tools.world.asked)
    assert (await tools.bad("metadata_only", ref="pmid:9659853", dry_run=True))["code"] == "INVALID_REF"
    assert len(tools.world.asked) == before


async def test_openalex_stands_in_for_an_arxiv_that_throttles(tools: Tools) -> None:
    tools.world.scripts = {
        ARXIV_AT: answer({}, 503),
        "api.openalex.org/works/doi:10.48550%2Farxiv.2401.12345": answer(OPENALEX),
    }
    found = await tools.good("resolve_paper", ref="2401.12345")
    assert (found["source"], found["work"]["key"]) == ("openalex", "arxiv:2401.12345")
    assert outcomes(found)["arxiv"] == "consulted_failed"


async def test_a_retraction_of_any_source_counts_and_who_was_not_heard_is_named(tools: Tools) -> None:
    tools.world.scripts = {
        CROSSREF_AT: crossref(**{"updated-by": []}),
        "api.crossref.org/works": answer({"status": "ok", "message": {"items": []}}),
        "api.openalex.org/works/doi:10.1234%2Fx": answer({**OPENALEX, "is_retracted": True}),
    }
    found = await tools.good("resolve_paper", ref=DOI, check_retraction=True)
    assert found["retraction"]["status"] == "retracted"
    assert set(found["retraction"]["checked"]) == {"crossref", "openalex"}
    assert [each["source"] for each in found["retraction"]["unchecked"]] == ["ncbi"]
    plain = await tools.good("resolve_paper", ref=DOI)
    assert plain["retraction"]["status"] == "no_marker_found"
