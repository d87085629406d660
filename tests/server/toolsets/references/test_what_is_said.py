"""That an answer says truly who was asked and what came of it, what it was about, and what it tells a person."""

from pathlib import Path
from typing import Any

import pytest

from server.toolsets.references.dialect import WITH_REF
from server.toolsets.references.local import LOCAL_TOOLSET
from tests.core.references.store.papers import entry
from tests.references_desk import Tools, outcomes
from tests.scripted_upstream import answer
from tests.server.toolsets.references.test_citing import WORKS_AT, found
from tests.server.toolsets.references.test_local_store import store_of
from tests.server.toolsets.references.test_resolving import ARXIV_AT, CROSSREF_AT, DOI

NOTING = ("doiget_tag", "doiget_annotate")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("batch_fetch", {"refs": [DOI]}),
        ("batch_from_bibliography", {"content": DOI}),
        ("bibtex_export", {"refs": [DOI], "resolve": True}),
        ("csl_export", {"refs": [DOI], "resolve": True}),
        ("batch_resolve_citations", {"queries": ["Nobody 1888 zebrafish"]}),
    ],
)
async def test_a_row_that_sources_failed_names_them(tools: Tools, tool: str, arguments: dict[str, Any]) -> None:
    tools.world.otherwise = answer({}, 500)
    answered = await tools.good(tool, **arguments)
    (row,) = answered.get("results") or answered["entries"]
    assert row["error"]["code"] == "NETWORK_ERROR"
    assert outcomes(row["error"])["crossref"] == "consulted_failed"


async def test_a_catalog_that_holds_another_version_at_most_is_not_said_to_have_resolved_one(tools: Tools) -> None:
    tools.world.otherwise = answer({}, 500)
    error = await tools.bad("resolve_paper", ref="1706.03762v7")
    assert error["attempts"][0] == {
        "source": "catalog",
        "outcome": "consulted_no_record",
        "consulted": True,
        "detail": "it does not say which version it holds",
    }
    assert outcomes(error)["arxiv"] == "consulted_failed"
    assert tools.world.calls()[ARXIV_AT] == 1


async def test_a_catalog_resolves_a_citation_only_where_it_has_a_candidate(tools: Tools) -> None:
    # The catalog has papers with some of these words, and none with half of them.
    query = "LeCun Bengio Hinton Deep learning Nature 2015"
    tools.world.scripts = {WORKS_AT: found()}
    unknown = await tools.good("resolve_citation", query=query)
    assert unknown["candidates"] == []
    assert outcomes(unknown) == {"catalog": "consulted_no_record", "crossref": "consulted_resolved"}
    known = await tools.good("resolve_citation", query="Vaswani Attention is all you need 2017")
    assert outcomes(known) == {"catalog": "consulted_resolved", "crossref": "not_consulted_not_needed"}


async def test_a_retraction_check_says_of_each_source_what_the_trace_says(tools: Tools) -> None:
    tools.world.otherwise = answer({}, 429)
    for _ in range(2):
        checked = await tools.good("resolve_paper", ref="1706.03762", check_retraction=True)
        told = {each["source"]: each.get("detail") for each in checked["attempts"]}
        unchecked = checked["retraction"]["unchecked"]
        assert {each["source"]: each["why"] for each in unchecked} == {
            source: told[source] for source in ("openalex", "arxiv")
        }
    assert {each["why"] for each in unchecked} == {"left alone for a while; nothing was asked"}


@pytest.mark.parametrize(
    ("tool", "ref", "canonical"),
    [
        ("info", "PMID: 9659853", "pmid:9659853"),
        ("paper_pdf_path", "W2741809807", "openalex:W2741809807"),
        ("paper_text", "pmid:9659853", "pmid:9659853"),
        ("paper_tex_source", "PMC3531190", "pmcid:PMC3531190"),
        ("link", "https://arxiv.org/abs/1706.03762v7", "arxiv:1706.03762"),
        ("expand_citation_graph", "1706.03762", "arxiv:1706.03762"),
        ("tag", "pmid:9659853", "pmid:9659853"),
        ("annotate", "pmid:9659853", "pmid:9659853"),
    ],
)
async def test_a_reference_that_is_understood_and_not_taken_is_named(
    local: Tools, tool: str, ref: str, canonical: str
) -> None:
    outcome = await local.call(tool, {"ref": ref, **({"text": "x"} if tool == "annotate" else {})})
    assert outcome.structured is not None
    assert (outcome.structured["ref"], outcome.structured.get("canonical")) == (ref, canonical)
    error = outcome.structured["error"]
    assert (error["code"], error["field"], "attempts" in error) == ("INVALID_REF", "ref", False)


# references A13
async def test_what_is_noted_at_an_entry_is_told_in_one_line(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI))
    told = [
        await local.call("tag", {"ref": DOI}),
        await local.call("tag", {"ref": DOI, "add": ["b", "a"], "collection_add": ["thesis"]}),
        await local.call("annotate", {"ref": DOI, "text": "read\nagain"}),
        await local.call("annotate", {"ref": DOI, "clear": True}),
    ]
    assert [outcome.texts for outcome in told] == [
        ("doi:10.1234/x: tags none; collections none.",),
        ("doi:10.1234/x: tags b, a; collections thesis.",),
        ("doi:10.1234/x: read again",),
        ("doi:10.1234/x: no note.",),
    ]


# references A13
@pytest.mark.parametrize("tool", LOCAL_TOOLSET.tools, ids=lambda tool: tool.name)
async def test_no_text_speaks_of_a_title_that_the_answer_does_not_have(local: Tools, papers: Path, tool: Any) -> None:
    local.world.scripts = {CROSSREF_AT: answer({}, 404)}
    arguments = dict(tool.example)
    if tool.name in NOTING:
        await store_of(local, papers).save(entry(arguments["ref"]))
    outcome = await local.bound.call(tool.name, arguments)
    assert outcome.structured is not None
    assert outcome.structured["ok"] or tool.name not in NOTING
    first = "\n".join(outcome.texts).splitlines()[0]
    assert "Untitled" not in first and "None" not in first
    assert tool.name not in WITH_REF or first


async def test_a_row_of_a_bibliography_without_an_identifier_is_told_by_its_key(alone: Tools) -> None:
    content = "@misc{code, url = {https://github.com/someone/something}}"
    outcome = await alone.call("batch_from_bibliography", {"content": content})
    assert outcome.texts[0].startswith("- code: NOT_IMPLEMENTED: ")
    outcome = await alone.call("batch_from_bibliography", {"content": '[{"title": "A"}]'})
    assert outcome.texts[0].startswith("- an entry without a key: INVALID_REF: ")


async def test_a_search_that_the_catalog_alone_answered_says_so_to_a_reader_too(tools: Tools) -> None:
    tools.world.otherwise = answer({}, 500)
    degraded = await tools.call("paper_search", {"query": "graph attention", "limit": 4})
    tools.world.otherwise = answer({"meta": {"count": 0}, "results": []})
    tools.desk.time.clock.advance(3_600)
    whole = await tools.call("paper_search", {"query": "graph attention", "limit": 4})
    first = "- **Graph Attention Networks** (2017) · arXiv:1710.10903 · catalog"
    assert degraded.texts == (f"{first}\nOnly the catalog answered; attempts says why.",)
    assert whole.texts == (first,)
