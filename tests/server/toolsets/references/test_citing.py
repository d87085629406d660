"""Citations to works, and exports."""

from typing import Any

import pytest

from tests.core.sources.answered import CROSSREF
from tests.references_desk import Tools, outcomes
from tests.scripted_upstream import answer
from tests.server.toolsets.references.test_resolving import crossref

WORKS_AT = "api.crossref.org/works"
TRANSFORMER = "Vaswani et al. Attention is all you need. NeurIPS 2017"


def found(*items: Any) -> Any:
    return answer({"status": "ok", "message": {"items": list(items)}})


def item(doi: str, title: str, family: str, year: int) -> Any:
    author = [{"given": "A.", "family": family}]
    return {
        "DOI": doi,
        "title": [title],
        "author": author,
        "issued": {"date-parts": [[year]]},
        "type": "journal-article",
    }


# references A80
async def test_the_catalog_answers_alone_where_it_has_a_match(tools: Tools) -> None:
    tools.world.scripts = {WORKS_AT: found()}
    answered = await tools.good("resolve_citation", query=TRANSFORMER)
    assert answered["best"] == "10.48550/arXiv.1706.03762"
    (candidate,) = answered["candidates"]
    assert (candidate["arxiv"], candidate["source"], candidate["verdict"]) == ("1706.03762", "catalog", "match")
    assert outcomes(answered)["crossref"] == "not_consulted_not_needed"
    assert tools.world.asked == []


async def test_without_any_match_nothing_is_best(tools: Tools) -> None:
    tools.world.scripts = {WORKS_AT: found()}
    answered = await tools.good("resolve_citation", query="Nobody Zebrafish histology of nothing 1888")
    assert (answered["best"], answered["candidates"]) == (None, [])


# references A79
async def test_an_identifier_in_the_text_is_resolved_first(tools: Tools) -> None:
    tools.world.scripts = {
        "api.crossref.org/works/10.1000%2F182": crossref(DOI="10.1000/182", title=["Quality of Life"]),
        WORKS_AT: found(item("10.1000/281", "Something else", "Else", 2001)),
    }
    answered = await tools.good("resolve_citation", query="Other 1998 Quality of Life, doi:10.1000/182")
    assert answered["best"] == "10.1000/182"
    assert answered["candidates"][0]["evidence"]["identifier"] is True


async def test_a_wrong_identifier_leaves_the_text_to_win(tools: Tools) -> None:
    tools.world.scripts = {
        "api.crossref.org/works/10.1000%2F128": crossref(DOI="10.1000/128", title=["Frogs in ponds"], author=[]),
        WORKS_AT: found(item("10.1000/182", "Quality of Life in Work", "Other", 1998)),
    }
    answered = await tools.good("resolve_citation", query="Other. Quality of life in work. 1998. doi:10.1000/128")
    assert answered["best"] == "10.1000/182"


# references A81
@pytest.mark.parametrize("arguments", [{"query": TRANSFORMER, "limit": 0}, {"query": "?! ..."}, {"query": " "}])
async def test_nothing_to_look_for_is_no_candidate_and_no_request(tools: Tools, arguments: dict[str, Any]) -> None:
    answered = await tools.good("resolve_citation", **arguments)
    assert (answered["candidates"], answered["best"], answered["attempts"]) == ([], None, None)
    assert tools.world.asked == []


async def test_limits_of_citations(alone: Tools) -> None:
    assert (await alone.good("resolve_citation", query=TRANSFORMER, limit=255))["candidates"]
    assert (await alone.bad("resolve_citation", query=TRANSFORMER, limit=256))["code"] == "INVALID_REF"
    assert (await alone.bad("batch_resolve_citations", queries=["a b"] * 51))["code"] == "INVALID_REF"


async def test_a_batch_of_citations_keeps_its_order_and_its_failures_apart(tools: Tools) -> None:
    tools.world.scripts = {WORKS_AT: answer({}, 500)}
    rows = (await tools.good("batch_resolve_citations", queries=[TRANSFORMER, "Nobody 1888 zebrafish", "?"]))["results"]
    assert [row["query"] for row in rows] == [TRANSFORMER, "Nobody 1888 zebrafish", "?"]
    assert rows[0]["best"] == "10.48550/arXiv.1706.03762"
    assert rows[1]["error"]["code"] in ("NETWORK_ERROR", "RATE_LIMITED")
    assert rows[2]["candidates"] == []


# references A12, A81
async def test_fifty_citations_stay_under_the_ceiling(tools: Tools) -> None:
    items = [item(f"10.1000/{number}", "Attention " * 60, "Vaswani", 2017) for number in range(20)]
    tools.world.scripts = {WORKS_AT: found(*items)}
    queries = [f"Attention Vaswani 2017 {number} " + "attention " * 100 for number in range(50)]
    outcome = await tools.call("batch_resolve_citations", {"queries": queries, "limit": 255})
    assert outcome.structured is not None and outcome.structured["ok"] is True
    assert len(outcome.encoded.decode()) + len(outcome.texts[0]) < 150_000


# references A90
async def test_exports_keep_the_order_and_tell_unknown_from_bad(alone: Tools) -> None:
    refs = ["10.1038/nature99999", "1706.03762", "10.123/abc", "pmid:9659853"]
    bibtex = (await alone.good("bibtex_export", refs=refs))["entries"]
    assert bibtex[0] == {"ref": refs[0], "safekey": "doi_10.1038_nature99999", "bibtex": None}
    assert bibtex[1]["bibtex"].startswith("@") and "Attention" in bibtex[1]["bibtex"]
    assert [entry["error"]["code"] for entry in bibtex[2:]] == ["INVALID_REF", "INVALID_REF"]
    csl = (await alone.good("csl_export", refs=refs))["entries"]
    assert csl[0]["csl"] is None
    assert csl[1]["csl"][0]["title"] == "Attention Is All You Need"


async def test_bounds_of_exports(alone: Tools) -> None:
    many = await alone.call("bibtex_export", {"refs": ["1706.03762"] * 200})
    assert many.structured is not None and len(many.structured["entries"]) == 200
    assert len(many.encoded.decode()) + len(many.texts[0]) < 150_000
    assert (await alone.bad("bibtex_export", refs=["1706.03762"] * 201))["code"] == "INVALID_REF"
    assert (await alone.bad("csl_export", refs=["1706.03762"] * 21, resolve=True))["code"] == "INVALID_REF"


async def test_resolving_exports_look_up_what_is_not_held(tools: Tools) -> None:
    tools.world.scripts = {"api.crossref.org/works/10.1234%2Fx": crossref()}
    entries = (await tools.good("bibtex_export", refs=["10.1234/x", "10.1234/none"], resolve=True))["entries"]
    assert CROSSREF["volume"] in entries[0]["bibtex"]
    assert entries[0]["safekey"] == "doi_10.1234_X"
    assert entries[1]["bibtex"] is None
