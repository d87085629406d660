"""No failure, of no tool and of no source, tells a secret, an address of a source or what a source wrote."""

import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.sources.configuration import SourceChoices
from tests.polite_desk import CONTACT
from tests.references_desk import Tools, check_error, tools_over
from tests.scripted_upstream import Behaviour, answer, hang_up

KEYS = {"openalex": "oa-key-SEEDED", "ncbi": "ncbi-key-SEEDED", "semantic_scholar": "s2-key-SEEDED"}
UPSTREAM = "UPSTREAM-SEEDED <b>SELECT * FROM papers</b> Traceback /srv/app/secret.py"
SEEDED = (*KEYS.values(), CONTACT, "UPSTREAM-SEEDED", "SELECT *", "Traceback", "/srv/app", "api_key", "https://", ".py")
DOI = "10.1234/seeded"

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("resolve_paper", {"ref": DOI, "check_retraction": True, "include_oa_location": True}),
    ("resolve_paper", {"ref": "pmid:9659853"}),
    ("resolve_paper", {"ref": "W2741809807"}),
    ("resolve_paper", {"ref": "CorpusId:13756489"}),
    ("metadata_only", {"ref": "2401.12345"}),
    ("fetch_paper", {"ref": DOI}),
    ("fetch_paper", {"ref": "2401.12345v2"}),
    ("batch_fetch", {"refs": [DOI, "2401.12345", "2402.00001", "pmid:9659853"]}),
    ("batch_from_bibliography", {"content": f"{DOI}\n2401.12345\n10.123/abc\n"}),
    ("paper_search", {"query": "zebrafish histology"}),
    ("paper_search", {"query": "zebrafish", "author": "Ann Other"}),
    ("paper_text", {"ref": "2401.12345"}),
    ("paper_text", {"ref": DOI, "follow_link": True}),
    ("paper_tex_source", {"ref": "2401.12345"}),
    ("link", {"ref": DOI}),
    ("expand_citation_graph", {"ref": DOI}),
    ("bibtex_export", {"refs": [DOI, "10.123/abc"], "resolve": True}),
    ("csl_export", {"refs": ["2401.12345"], "resolve": True}),
    ("resolve_citation", {"query": "Nobody zebrafish histology 1888"}),
    ("batch_resolve_citations", {"queries": ["Nobody zebrafish histology 1888", "Other frogs in ponds 1999"]}),
]


@pytest.fixture
async def seeded(sample_backend: EmbeddedCatalog) -> AsyncIterator[Tools]:
    """Every source on, with a key wherever one can be had."""
    choices = SourceChoices(contact=CONTACT, keys=KEYS, on=("semantic_scholar", "europe-pmc", "doaj"))
    async with tools_over(sample_backend, choices) as found:
        yield found


def failing(kind: str) -> Behaviour:
    if kind == "hangs up":
        return hang_up
    if kind == "redirects":
        return answer(b"", 302, {"location": f"https://elsewhere.test/?api_key={KEYS['openalex']}"})
    if kind == "odd JSON":
        return answer({"message": UPSTREAM, "results": UPSTREAM, "error": UPSTREAM})
    return answer(UPSTREAM.encode(), int(kind))


def told(value: Any) -> list[str]:
    """Every text of an answer but the reference, which is the caller's own."""
    if isinstance(value, dict):
        return [text for name, each in value.items() if name not in ("ref", "query") for text in told(each)]
    if isinstance(value, list):
        return [text for each in value for text in told(each)]
    return [value] if isinstance(value, str) else []


# references A9
@pytest.mark.parametrize(
    "kind", ["200", "400", "401", "403", "404", "422", "429", "500", "hangs up", "redirects", "odd JSON"]
)
async def test_every_failure_has_its_form_and_tells_no_secret(
    seeded: Tools, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "paperdesk")
    seeded.world.otherwise = failing(kind)
    failures = 0
    for name, arguments in CALLS:
        seeded.desk.time.clock.advance(8 * 86_400)
        outcome = await seeded.call(name, arguments)
        assert outcome.structured is not None
        rows = [*outcome.structured.get("results", ()), *outcome.structured.get("entries", ())]
        failed = [row["error"] for row in rows if "error" in row]
        for error in failed:
            check_error(error, in_batch=True)
        if "error" in outcome.structured:
            check_error(outcome.structured["error"])
            failed.append(outcome.structured["error"])
        failures += len(failed)
        # A TeX source is what the source wrote; all else is ours.
        shown = failed if name == "paper_tex_source" and not failed else [outcome.structured, *outcome.texts]
        for text in told(shown):
            assert not any(secret in text for secret in SEEDED), (name, text)
    assert failures >= len(CALLS) // 2
    assert not any(secret in caplog.text for secret in (*SEEDED[:6], DOI, "2401.12345", "zebrafish"))
