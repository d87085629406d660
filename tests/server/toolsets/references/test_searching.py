"""The literature search, links, the citation graph, and reads of what is held."""

import re
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from tests.core.sources.answered import OPENALEX
from tests.references_desk import ALL_OFF, Tools, outcomes, tools_over
from tests.scripted_upstream import answer
from tests.source_world import Asked
from tests.told_backend import ToldBackend

WORKS_AT = "api.openalex.org/works"


def results(*works: Any, total: int | None = None) -> Any:
    return {"meta": {"count": len(works) if total is None else total}, "results": list(works)}


def work(number: int, *references: int, **more: Any) -> Any:
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.1234/w{number}",
        "title": f"Work {number}",
        "referenced_works": [f"https://openalex.org/W{each}" for each in references],
        "is_retracted": False,
        **more,
    }


# references A50
@pytest.mark.parametrize(
    "arguments",
    [
        {"limit": 0},
        {"limit": 201},
        {"from_year": 2020, "to_year": 2010},
        {"min_fwci": -1},
        {"min_percentile": 101},
        {"query": "  ?! "},
        {"sort": "date"},
    ],
)
async def test_a_search_out_of_bounds_is_refused(tools: Tools, arguments: dict[str, Any]) -> None:
    error = await tools.bad("paper_search", **{"query": "zebrafish", **arguments})
    assert error["code"] == "INVALID_REF"
    assert tools.world.asked == []


async def test_two_hundred_results_are_two_pages(tools: Tools) -> None:
    def page(asked: Asked) -> Any:
        first = (int(asked.params["page"]) - 1) * 100 + 1_000_000
        return results(*(work(first + number) for number in range(100)), total=5000)

    tools.world.scripts = {WORKS_AT: page}
    found = await tools.good("paper_search", query="zebrafish histology", limit=200)
    assert (found["count"], found["total_results"]) == (200, 5000)
    assert [each.params["per-page"] for each in tools.world.asked] == ["100", "100"]


# references A51
async def test_a_query_is_one_value_and_each_filter_comes_once(tools: Tools) -> None:
    tools.world.scripts = {WORKS_AT: answer(results())}
    await tools.good("paper_search", query='a, b | c : "d" (e)!', from_year=2010, oa_only=True, min_citations=5)
    assert tools.world.asked[0].params["filter"] == (
        "title_and_abstract.search:a b c d e,from_publication_date:2010-01-01,is_oa:true,cited_by_count:>5"
    )


# references A52
@pytest.mark.parametrize(
    ("candidates", "code"),
    [
        ([("A1", "Ann Other", 2.0), ("A2", "Ann B. Other", 1.0)], None),
        ([("A1", "Anna Other", 1.9), ("A2", "Ann B. Other", 1.0)], "AMBIGUOUS"),
        ([("A1", "Anna Other", 1.9), ("A2", "Ann B. Other", 0.0)], "AMBIGUOUS"),
        ([("A1", "Ann Other", 9.0), ("A2", "Ann Other", 1.0)], "AMBIGUOUS"),
        ([], "NOT_FOUND"),
    ],
)
async def test_a_name_is_one_thing_or_the_call_fails(
    tools: Tools, candidates: list[tuple[str, str, float]], code: str | None
) -> None:
    rows = [
        {"id": f"https://openalex.org/{id}", "display_name": name, "relevance_score": score}
        for id, name, score in candidates
    ]
    tools.world.scripts = {"api.openalex.org/authors": answer(results(*rows)), WORKS_AT: answer(results())}
    if code is None:
        found = await tools.good("paper_search", query="attention", author="Ann Other")
        assert found["filters"] == {"author": {"id": "A1", "name": "Ann Other"}}
        return
    error = await tools.bad("paper_search", query="attention", author="Ann Other")
    assert error["code"] == code
    assert bool(error.get("candidates")) is (code == "AMBIGUOUS")


# references A53
async def test_an_answer_without_results_is_drift_and_no_empty_success(tools: Tools) -> None:
    tools.world.scripts = {WORKS_AT: answer({"meta": {}})}
    error = await tools.bad("paper_search", query="zebrafish histology")
    assert (error["code"], error["denial_context"]["reason"]) == ("INTERNAL_ERROR", "schema_drift")


async def test_the_catalog_alone_is_a_degraded_answer(tools: Tools) -> None:
    tools.world.otherwise = answer({}, 503)
    found = await tools.good("paper_search", query="attention transformer")
    assert found["degraded"] is True and found["count"] == found["catalog_results"] > 0
    assert outcomes(found)["openalex"] == "consulted_failed"
    assert (await tools.bad("paper_search", query="zebrafish histology"))["code"] in ("NETWORK_ERROR", "RATE_LIMITED")


# references A54
async def test_missing_figures_are_null_and_a_missing_title_keeps_the_hit(tools: Tools) -> None:
    old = {"landing_page_url": "https://arxiv.org/abs/math.GT/0309136", "pdf_url": None}
    untitled = work(7, title=None, display_name=None, locations=[old])
    tools.world.scripts = {WORKS_AT: answer(results(untitled))}
    (hit,) = (await tools.good("paper_search", query="zebrafish histology"))["results"]
    assert (hit["title"], hit["cited_by_count"], hit["fwci"]) == (None, None, None)
    assert hit["arxiv"] in ("math/0309136", "math.GT/0309136")
    assert hit["openalex_id"] == "W7"


# references A55
async def test_nothing_found_has_a_hint(tools: Tools) -> None:
    tools.world.scripts = {WORKS_AT: answer(results())}
    none = await tools.good("paper_search", query="zebrafish histology")
    assert (none["count"], bool(none["hint"])) == (0, True)
    many = await tools.good("paper_search", query="one two three four five six seven eight nine zebrafish")
    assert "fewer" in many["hint"]
    filtered = await tools.good("paper_search", query="zebrafish", from_year=2010)
    assert "from_year" in filtered["hint"]


# references A56
async def test_a_link_is_from_a_doi(tools: Tools) -> None:
    assert (await tools.bad("link", ref="1706.03762"))["code"] == "INVALID_REF"
    own = await tools.good("link", ref="10.48550/arXiv.1706.03762")
    assert (own["arxiv"], own["source"]) == ("1706.03762", "catalog")
    assert (await tools.bad("link", ref="10.1234/none"))["code"] == "NOT_FOUND"
    tools.world.scripts = {"api.openalex.org/works/doi:10.7717%2Fpeerj.4375": answer({**OPENALEX, "locations": []})}
    found = await tools.good("link", ref="10.7717/peerj.4375")
    assert (found["openalex_id"], found["source"]) == ("W2741809807", "openalex")


# references A57
async def test_a_local_search_holds_the_query_as_it_is_written(alone: Tools) -> None:
    for limit, most in ((0, 50), (500, 200)):
        found = await alone.good("search_local", query="", limit=limit)
        assert 0 < found["count"] == len(found["results"]) <= most
    found = await alone.good("search_local", query="ATTENTION is ALL")
    assert [row["title"] for row in found["results"]] == ["Attention Is All You Need"]
    assert (found["scope"], found["store"]) == ("local", "catalog")
    assert (await alone.good("search_local", query="zebrafish"))["results"] == []


async def test_lists_say_when_their_papers_were_taken_in_and_break_ties_by_identity(
    alone: Tools, sample_backend: EmbeddedCatalog
) -> None:
    built_at = sample_backend.capabilities().built_at
    assert built_at is not None and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", built_at)
    for tool, arguments, name in (("search_local", {"query": ""}, "results"), ("list_recent", {}, "entries")):
        rows = (await alone.good(tool, limit=20, **arguments))[name]
        assert {row["fetched_at"] for row in rows} == {built_at}
        assert [row["safekey"] for row in rows] == sorted(row["safekey"] for row in rows)
        assert len(rows) == 20
    newest = (await alone.good("list_recent", limit=3))["entries"]
    years = [row["year"] for row in (await alone.good("list_recent", limit=200))["entries"]]
    assert sorted((row["year"] for row in newest), reverse=True) == sorted(years, reverse=True)[:3]
    held = await alone.good("info", ref="1706.03762")
    assert held["metadata"]["doiget"]["fetched_at"] == built_at


async def test_a_catalog_that_does_not_say_when_it_was_built_has_no_time(sample_backend: EmbeddedCatalog) -> None:
    far = ToldBackend(sample_backend, kind="sample")
    far.built_at = None
    async with tools_over(far, ALL_OFF) as tools:
        assert {row["fetched_at"] for row in (await tools.good("list_recent"))["entries"]} == {None}
        held = await tools.good("info", ref="1706.03762")
        assert "fetched_at" not in held["metadata"]["doiget"]


# references A58
async def test_an_absent_record_is_a_success_and_a_pubmed_id_is_refused(alone: Tools) -> None:
    absent = await alone.good("info", ref="10.1038/nature99999")
    assert (absent["metadata"], absent["safekey"]) == (None, "doi_10.1038_nature99999")
    held = await alone.good("info", ref="1706.03762")
    assert (held["metadata"]["title"], held["metadata"]["year"]) == ("Attention Is All You Need", 2017)
    assert held["metadata"]["doiget"]["source"] == "catalog"
    error = await alone.bad("info", ref="pmid:9659853")
    assert (error["code"], "doiget_resolve_paper" in error["message"]) == ("INVALID_REF", True)


# references A59 (part)
async def test_hosted_there_is_no_pdf(alone: Tools) -> None:
    for ref in ("1706.03762", "10.1038/nature99999"):
        found = await alone.good("paper_pdf_path", ref=ref)
        assert (found["path"], found["pdf_exists"]) == (None, False)
    assert (await alone.good("paper_pdf_path", ref="1706.03762"))["oa_status"] == "green"


SEED_AT = "api.openalex.org/works/doi:10.1234%2Fw1"


def graph_world(tools: Tools, works: dict[int, Any]) -> None:
    def batch(asked: Asked) -> Any:
        ids = asked.params["filter"].removeprefix("openalex:").split("|")
        return results(*(works[int(id[1:])] for id in ids if int(id[1:]) in works))

    tools.world.scripts = {SEED_AT: answer(works[1]), WORKS_AT: batch}


# references A83
async def test_a_graph_stops_at_its_ceilings(tools: Tools) -> None:
    graph_world(tools, {1: work(1, 2), 2: work(2, 3), 3: work(3, 4), 4: work(4)})
    whole = await tools.good("expand_citation_graph", ref="10.1234/w1", depth=4, total=500, per_paper=50)
    assert [(node["id"], node["depth"]) for node in whole["nodes"]] == [("W1", 0), ("W2", 1), ("W3", 2), ("W4", 3)]
    assert whole["truncated"] is False
    alone = await tools.good("expand_citation_graph", ref="10.1234/w1", depth=0)
    assert ([node["id"] for node in alone["nodes"]], alone["edges"], alone["truncated"]) == (["W1"], [], True)
    near = await tools.good("expand_citation_graph", ref="10.1234/w1", depth=1)
    assert near["truncated"] is True


# references A84
async def test_cycles_missing_works_and_failed_batches(tools: Tools) -> None:
    graph_world(tools, {1: work(1, 2, 2, 99), 2: work(2, 1)})
    found = await tools.good("expand_citation_graph", ref="10.1234/w1")
    assert found["edges"] == [{"from": "W1", "to": "W2"}, {"from": "W1", "to": "W99"}, {"from": "W2", "to": "W1"}]
    assert found["nodes"][2] == {
        "id": "W99",
        "depth": 1,
        "title": None,
        "doi": None,
        "arxiv": None,
        "year": None,
        "cited_by_count": None,
        "retracted": None,
    }
    tools.desk.time.clock.advance(8 * 86_400)
    tools.world.scripts[WORKS_AT] = answer({}, 500)
    failed = await tools.good("expand_citation_graph", ref="10.1234/w1")
    assert (failed["truncated"], outcomes(failed)["openalex"]) == (True, "consulted_failed")


# references A84
async def test_a_hundred_works_cost_six_requests_and_the_801st_edge_is_left_out(tools: Tools) -> None:
    references = {1: range(2, 22), **{number: range(22, 101) for number in range(2, 22)}}
    works = {number: work(number, *references.get(number, range(2, 22))) for number in range(1, 101)}
    graph_world(tools, works)
    found = await tools.good("expand_citation_graph", ref="10.1234/w1")
    assert (found["total_visited"], len(found["edges"]), found["truncated"]) == (41, 800, True)
    assert len(tools.world.asked) <= 6
    tools.desk.time.clock.advance(8 * 86_400)
    tools.world.asked.clear()
    chain = {1: range(2, 22), **{number: range(number * 4 + 14, number * 4 + 18) for number in range(2, 22)}}
    graph_world(tools, {number: work(number, *chain.get(number, ())) for number in range(1, 101)})
    whole = await tools.good("expand_citation_graph", ref="10.1234/w1")
    assert (whole["total_visited"], len(whole["edges"]), whole["truncated"]) == (100, 99, True)
    assert len(tools.world.asked) <= 6


# references A85
async def test_a_graph_starts_at_a_doi_that_openalex_knows(tools: Tools) -> None:
    assert (await tools.bad("expand_citation_graph", ref="1706.03762"))["code"] == "INVALID_REF"
    assert (await tools.bad("expand_citation_graph", ref="10.1234/none"))["code"] == "NOT_FOUND"
    graph_world(tools, {1: work(1)})
    leaf = await tools.good("expand_citation_graph", ref="10.1234/w1")
    assert (leaf["total_visited"], leaf["truncated"]) == (1, False)


# references A12
async def test_two_hundred_large_hits_stay_under_the_ceiling(tools: Tools) -> None:
    people = [{"author": {"display_name": f"Bartholomew Longfamilyname {number}"}} for number in range(60)]
    place = {"source": {"display_name": "Proceedings of the Conference on Long Names " * 4}}
    words = {f"word{number}": [number] for number in range(600)}

    def page(asked: Asked) -> Any:
        first = int(asked.params["page"]) * 1_000_000
        large = {"title": "A long title of a work " * 20, "authorships": people, "primary_location": place}
        return results(*(work(first + n, **large, abstract_inverted_index=words) for n in range(100)))

    tools.world.scripts = {WORKS_AT: page}
    outcome = await tools.call("paper_search", {"query": "zebrafish histology", "limit": 200})
    assert outcome.structured is not None and outcome.structured["count"] == 200
    assert len(outcome.encoded.decode()) + len(outcome.texts[0]) < 150_000
    hit = outcome.structured["results"][0]
    assert (hit["author_count"], hit["title"][-1], hit["abstract_truncated"]) == (60, "…", True)
