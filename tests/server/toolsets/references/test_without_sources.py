"""With no source at all every tool answers at once: from the catalog where it can, else by saying who was not asked."""

from typing import Any

import pytest

from tests.references_desk import Tools, outcomes

UNKNOWN = "10.1038/nature99999"


# references A76, A31
@pytest.mark.parametrize("tool", ["resolve_paper", "metadata_only", "fetch_paper"])
async def test_a_paper_outside_the_catalog_is_denied_and_not_missing(alone: Tools, tool: str) -> None:
    error = await alone.bad(tool, ref=UNKNOWN)
    assert error["code"] == "CAPABILITY_DENIED"
    assert error["denial_context"] == {"reason": "capability_not_granted", "source": "crossref"}
    assert outcomes(error) == {
        "catalog": "consulted_no_record",
        "crossref": "not_consulted_disabled",
        "unpaywall": "not_consulted_disabled",
        "datacite": "not_consulted_disabled",
    }
    assert {each["required_env"] for each in error["attempts"][1:]} == {"PAPERDESK_CONTACT_EMAIL"}
    assert alone.world.asked == []


async def test_a_catalog_paper_is_resolved(alone: Tools) -> None:
    answer = await alone.good("resolve_paper", ref="arXiv:1706.03762")
    assert answer["source"] == answer["resolver_profile"] == "catalog"
    assert answer["work"]["title"] == "Attention Is All You Need"
    assert (answer["oa_status"], answer["oa_url"]) == ("green", "https://arxiv.org/pdf/1706.03762")
    assert answer["canonical"] == "arxiv:1706.03762"


ANSWERED: list[tuple[str, dict[str, Any]]] = [
    ("fetch_paper", {"ref": "1706.03762"}),
    ("batch_fetch", {"refs": ["1706.03762", UNKNOWN]}),
    ("batch_from_bibliography", {"content": "1706.03762\n10.1038/nature99999\n"}),
    ("info", {"ref": UNKNOWN}),
    ("info", {"ref": "1706.03762"}),
    ("search_local", {"query": "attention"}),
    ("search_local", {"query": ""}),
    ("paper_search", {"query": "attention"}),
    ("paper_text", {"ref": "1706.03762"}),
    ("link", {"ref": "10.48550/arXiv.1706.03762"}),
    ("list_recent", {}),
    ("paper_pdf_path", {"ref": "1706.03762"}),
    ("capability_profile", {}),
    ("health", {}),
    ("bibtex_export", {"refs": ["1706.03762", UNKNOWN]}),
    ("csl_export", {"refs": ["1706.03762", UNKNOWN]}),
    ("resolve_citation", {"query": "Vaswani et al. Attention is all you need. NeurIPS 2017"}),
    ("batch_resolve_citations", {"queries": ["Vaswani Attention is all you need 2017", "Nobody at all 1888"]}),
]


@pytest.mark.parametrize(("tool", "arguments"), ANSWERED, ids=lambda value: value if isinstance(value, str) else "")
async def test_what_the_catalog_can_answer_is_answered(alone: Tools, tool: str, arguments: dict[str, Any]) -> None:
    await alone.good(tool, **arguments)
    assert alone.world.asked == []


DENIED: list[tuple[str, dict[str, Any], str]] = [
    ("paper_search", {"query": "zebrafish histology"}, "openalex"),
    ("paper_search", {"query": "attention", "oa_only": True}, "openalex"),
    ("paper_text", {"ref": "2401.12345"}, "ar5iv"),
    ("paper_tex_source", {"ref": "1706.03762"}, "arxiv-src"),
    ("link", {"ref": UNKNOWN}, "openalex"),
    ("expand_citation_graph", {"ref": UNKNOWN}, "openalex"),
    ("resolve_citation", {"query": "Nobody at all 1888"}, "crossref"),
    ("resolve_paper", {"ref": "pmid:9659853"}, "ncbi"),
    ("resolve_paper", {"ref": "W2741809807"}, "openalex"),
    ("resolve_paper", {"ref": "CorpusId:13756489"}, "semantic_scholar"),
    ("resolve_paper", {"ref": "2401.12345v2"}, "arxiv"),
]


@pytest.mark.parametrize(("tool", "arguments", "source"), DENIED)
async def test_what_needs_a_source_says_which(alone: Tools, tool: str, arguments: dict[str, Any], source: str) -> None:
    error = await alone.bad(tool, **arguments)
    assert (error["code"], error["denial_context"]["source"]) == ("CAPABILITY_DENIED", source)
    assert outcomes(error)[source] == "not_consulted_disabled"
    assert alone.world.asked == []
