"""The pair that connectors call, through the tool surface."""

import itertools
from typing import Any

import orjson
import pytest

from server.toolsets.catalog import TOOLSET as CATALOG
from server.toolsets.connector import TOOLSET
from server.toolsets.evidence import TOOLSET as EVIDENCE
from tests.evidence_tools import Tools

pytestmark = pytest.mark.anyio


def test_the_connector_has_two_read_only_tools() -> None:
    # evidence A1
    assert [tool.name for tool in TOOLSET.tools] == ["search", "fetch"]
    assert all("readOnlyHint" not in tool.hints for tool in TOOLSET.tools)


async def test_a_row_a_document_and_their_text_have_exactly_their_keys(tools: Tools) -> None:
    # evidence A53
    found = await tools.call("search", {"query": "attention"})
    assert found.structured is not None and list(found.structured) == ["results"]
    rows = found.structured["results"]
    assert rows and all(list(row) == ["id", "title", "url"] for row in rows)
    whole = await tools.call("fetch", {"id": rows[0]["id"]})
    assert whole.structured is not None
    assert list(whole.structured) == ["id", "title", "text", "url", "metadata"]
    for outcome in (found, whole):
        assert outcome.texts[0].encode() == orjson.dumps(outcome.structured)


@pytest.mark.parametrize(
    ("sent", "id", "kind"),
    [
        ("paper:arxiv:1706.03762", "paper:arxiv:1706.03762", "paper"),
        ("1706.03762", "paper:arxiv:1706.03762", "paper"),
        ("https://arxiv.org/abs/1706.03762", "paper:arxiv:1706.03762", "paper"),
        ("claim:123", "claim:123", "claim"),
        ("benchmark:imagenet-1k", "benchmark:imagenet-1k", "benchmark"),
    ],
)
async def test_every_kind_of_document_has_an_address(tools: Tools, sent: str, id: str, kind: str) -> None:
    # evidence A55, A58
    document = await tools.good("fetch", id=sent)
    assert (document["id"], document["metadata"]["kind"]) == (id, kind)
    assert document["url"].startswith("https://") and document["text"]
    assert {type(value) for value in document["metadata"].values()} == {str}


@pytest.mark.parametrize(
    "id",
    [
        "claim:999999",
        "claim:-1",
        "claim:" + "9" * 30,
        "claim:",
        "foo:1",
        "entity:1",
        "PAPER:arxiv:1706.03762",
        "benchmark:none-such",
        "benchmark:%",
        "paper:arxiv:2999.99999",
        "paper:No such title",
        "10.9999/none-such",
        "2401.99999",
        "17",
        "openalex:W99999",
        "pmid:1234567",
        "No such title",
    ],
)
async def test_what_is_not_held_is_not_found_and_no_foreign_tool_is_named(tools: Tools, id: str) -> None:
    # evidence A55
    text = await tools.bad("fetch", id=id)
    assert text.startswith(f"not_found: There is no document '{id}' here. Find one with search")
    foreign = [tool.name for tool in (*CATALOG.tools, *EVIDENCE.tools)]
    assert [name for name in foreign if name in text] == []


async def test_what_search_lists_fetch_gives(tools: Tools) -> None:
    words = ["attention", "image", "productivity", "wages", "language", "learning", "code assistants", "trial"]
    ids: dict[str, Any] = {}
    for query in [*words, *map(" ".join, itertools.combinations(words, 2))]:
        ids |= {row["id"]: row["url"] for row in (await tools.good("search", query=query))["results"]}
    assert {id.partition(":")[0] for id in ids} == {"paper", "claim", "benchmark"}
    for id, url in ids.items():
        document = await tools.good("fetch", id=id)
        assert (document["id"], document["url"]) == (id, url)


async def test_nothing_found_is_an_empty_list_and_nothing_to_search_for_an_error(tools: Tools) -> None:
    assert await tools.good("search", query="zzyzx qwertyuiop") == {"results": []}
    assert (await tools.bad("search", query="?!")).startswith("invalid_argument: ")
    assert (await tools.bad("search", query="x", limit=5)).startswith("invalid_argument: search has no argument")


async def test_without_an_evidence_set_papers_and_benchmarks_still_work(alone: Tools) -> None:
    # evidence A58
    rows = (await alone.good("search", query="attention"))["results"]
    assert rows and not [row for row in rows if row["id"].startswith("claim:")]
    for id in ("paper:arxiv:1706.03762", "benchmark:imagenet-1k"):
        assert (await alone.good("fetch", id=id))["id"] == id
    assert (await alone.bad("fetch", id="claim:123")).startswith("not_found: ")


@pytest.mark.parametrize(
    ("name", "argument", "near"),
    [
        ("fetch", "id", "benchmark:imagene"),
        ("fetch", "id", "benchmark:squad 3"),
        ("fetch", "id", "Attention is all you"),
        ("fetch", "id", "paper:Attention is all"),
        ("get_paper", "paper_id", "Attention is all you"),
        ("get_author_papers", "author_id", "name:ashish-vaswan"),
        ("get_author_papers", "author_name", "Acemoglo"),
        ("get_digest", "date", "2026-10-05"),
        ("search_claims", "outcome_category", "dev_productivity"),
        ("search_papers", "source", "arxi"),
    ],
)
async def test_whatever_an_error_offers_instead_is_taken(tools: Tools, name: str, argument: str, near: str) -> None:
    failed = await tools.call(name, {argument: near})
    assert failed.meta is not None, failed.texts
    details = failed.meta["org.paperdesk/error"]
    offered = [each["id"] for each in (*details.get("candidates", ()), *details.get("suggestions", ()))]
    assert offered or near in ("arxi", "name:ashish-vaswan")
    # A model may see no more than the text.
    assert [id for id in offered if id not in failed.texts[0]] == []
    for id in offered:
        await tools.good(name, **{"author_id" if argument == "author_name" else argument: id})


async def test_words_after_the_name_of_a_kind_are_searched_and_an_unknown_id_is_not(tools: Tools) -> None:
    for kind in ("paper", "claim", "benchmark"):
        told = await tools.good("search", query=f"{kind}: image classification")
        assert told == await tools.good("search", query="image classification") and told["results"]
        assert await tools.good("search", query=f"{kind}:none-such") == {"results": []}
    exact = await tools.good("search", query="paper: Attention Is All You Need")
    assert [row["id"] for row in exact["results"]] == ["paper:arxiv:1706.03762"]
