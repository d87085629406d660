"""Preprints that stand in for a published copy: who tells of them, and how sure one must be."""

from pathlib import Path
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.records import Author, Work
from core.references.preprints import is_preprint_of
from core.sources.configuration import SourceChoices
from tests.core.references.fetching.desk import (
    ARXIV_AT,
    CROSSREF_AT,
    DATACITE_AT,
    OPENALEX_AT,
    PDF,
    PREPRINT,
    UNPAYWALL_AT,
    Local,
    crossref,
    local_desk,
    unpaywall,
)
from tests.core.references.store.papers import ref
from tests.core.sources.answered import OPENALEX
from tests.core.sources.test_arxiv import entry, feed
from tests.scripted_upstream import Behaviour, answer

ONE = "https://www.nature.com/1.pdf"
ONE_AT = "www.nature.com/1.pdf"
PAPER_AT = "arxiv.org/pdf/2401.00007"
RELATION = {"has-preprint": [{"id-type": "arxiv", "id": "2401.00007"}]}
TITLE = "Attention Is All You Need, Twice"
AUTHORS = [{"given": "Ashish", "family": "Vaswani"}]


def openalex(**changes: Any) -> Behaviour:
    return answer({**OPENALEX, "doi": "https://doi.org/10.1234/X", **changes})


# references A44
async def test_a_preprint_that_the_record_names_stands_in_for_copies_that_fail(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(relation=RELATION),
        UNPAYWALL_AT: unpaywall("https://elsewhere.test/1.pdf", ONE),
        ONE_AT: answer({}, 403),
        PAPER_AT: answer(PREPRINT),
    }
    found = await local.good()
    pdf = dict(found["pdf"])
    block = pdf.pop("original_block")
    assert pdf == {"status": "preprint_fallback", "arxiv_id": "2401.00007", "found_by": "crossref_relation"}
    assert (block["code"], block["disposition"]) == ("CAPABILITY_DENIED", "needs_config")
    assert block["denial_context"]["attempted"] == "elsewhere.test"
    assert block["remediation"][0]["value"] == "elsewhere.test"
    # The file is arXiv's, kept under the DOI.
    assert (found["source"], found["license"], found["oa_status"]) == ("arxiv", "arxiv-default", "gold")
    assert Path(found["path"]) == local.store.layout.root / "doi_10.1234_X.pdf"
    assert local.stored(found["path"]) == PREPRINT
    kept = await local.store.read(ref("10.1234/x"))
    assert kept is not None
    assert (kept.metadata["doi"], kept.metadata["arxiv_id"]) == ("10.1234/X", "2401.00007")
    own = kept.metadata["doiget"]
    assert (own["source"], own["license"], own["preprint_doi"]) == (
        "arxiv",
        "arxiv-default",
        "10.48550/arXiv.2401.00007",
    )


async def test_a_preprint_that_fails_too_is_suggested(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(relation=RELATION),
        UNPAYWALL_AT: unpaywall(ONE),
        ONE_AT: answer({}, 403),
    }
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["code"], pdf["suggested_arxiv_id"]) == ("blocked", "CAPABILITY_DENIED", "2401.00007")


async def test_without_any_copy_the_preprint_says_that_none_is_known(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(relation=RELATION),
        UNPAYWALL_AT: unpaywall(),
        PAPER_AT: answer(PREPRINT),
    }
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["original_block"]["code"]) == ("preprint_fallback", "NO_OA_AVAILABLE")


async def test_a_copy_at_arxiv_is_a_copy_like_others_until_one_failed(local: Local) -> None:
    at_arxiv = "http://arxiv.org/abs/2401.00007v3"
    local.world.scripts = {
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: unpaywall(at_arxiv, license=None),
        "arxiv.org/pdf/2401.00007v3": answer(PREPRINT),
    }
    first = await local.good()
    assert (first["pdf"], first["source"], first["license"]) == ({"status": "fetched"}, "arxiv", "arxiv-default")
    local.desk.time.clock.advance(8 * 86_400)
    local.world.scripts[UNPAYWALL_AT] = unpaywall(ONE, at_arxiv)
    second = await local.good()
    assert {name: second["pdf"][name] for name in ("status", "arxiv_id", "found_by")} == {
        "status": "preprint_fallback",
        "arxiv_id": "2401.00007v3",
        "found_by": "unpaywall",
    }
    assert second["pdf"]["original_block"]["code"] == "NOT_FOUND"


async def test_openalex_tells_of_a_preprint(local: Local) -> None:
    place = {"landing_page_url": "https://arxiv.org/abs/2401.00007", "pdf_url": None}
    local.world.scripts = {
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: unpaywall(),
        OPENALEX_AT: openalex(locations=[place]),
        PAPER_AT: answer(PREPRINT),
    }
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["arxiv_id"], pdf["found_by"]) == ("preprint_fallback", "2401.00007", "openalex_location")


async def test_what_no_agency_answers_for_is_fetched_by_what_openalex_knows(local: Local) -> None:
    place = {"landing_page_url": "https://arxiv.org/abs/2401.00007", "pdf_url": None}
    down = answer({}, 503)
    local.world.scripts = {
        **dict.fromkeys((CROSSREF_AT, UNPAYWALL_AT, DATACITE_AT), down),
        OPENALEX_AT: openalex(locations=[place], title="Known To OpenAlex"),
        PAPER_AT: answer(PREPRINT),
    }
    found = await local.good()
    assert (found["title"], found["source"], found["pdf"]["status"]) == (
        "Known To OpenAlex",
        "arxiv",
        "preprint_fallback",
    )
    local.desk.time.clock.advance(31)
    local.world.scripts[PAPER_AT] = down
    # Without its entry the paper is as unknown as before.
    local.store.layout.toml("doi_10.1234_x").unlink()
    error = await local.bad()
    assert error["code"] == "NETWORK_ERROR"
    assert {each["source"] for each in error["attempts"]} >= {"crossref", "datacite", "unpaywall", "openalex", "arxiv"}


# references A45
async def test_a_title_finds_the_preprint(local: Local) -> None:
    listed = entry("2401.00007v2", title=TITLE.upper().replace(",", " -"))
    local.world.scripts = {
        CROSSREF_AT: crossref(title=[TITLE], author=AUTHORS),
        UNPAYWALL_AT: unpaywall(ONE),
        ARXIV_AT: answer(feed(entry("2401.00001v1", title="Attention Is All You Need"), listed)),
        PAPER_AT: answer(PREPRINT),
    }
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["arxiv_id"], pdf["found_by"]) == (
        "preprint_fallback",
        "2401.00007",
        "arxiv_title_search",
    )
    assert pdf["original_block"]["code"] == "NOT_FOUND"


# references A45
@pytest.mark.parametrize(
    ("title", "family", "more"),
    [
        ("Attention Is All You Need, Twicf", "Vaswani", ""),
        (TITLE, "Vaswami", ""),
        (TITLE, "Vaswani", "<arxiv:doi>10.9999/another</arxiv:doi>"),
    ],
)
async def test_a_near_miss_finds_nothing(local: Local, title: str, family: str, more: str) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(title=[title], author=[{"given": "Ashish", "family": family}]),
        UNPAYWALL_AT: unpaywall(),
        ARXIV_AT: answer(feed(entry("2401.00007v2", title=TITLE, more=more))),
        PAPER_AT: answer(PREPRINT),
    }
    found = await local.good()
    assert found["pdf"] == {"status": "no_oa_url"}
    assert local.world.calls()[ARXIV_AT] == 1
    assert PAPER_AT not in local.world.calls()


# references A45
async def test_a_short_title_is_not_searched_for(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(title=["Eleven Letr 2019"], author=AUTHORS),
        UNPAYWALL_AT: unpaywall(),
        ARXIV_AT: answer(feed(entry("2401.00007v2", title="Eleven Letr 2019"))),
    }
    assert (await local.good())["pdf"] == {"status": "no_oa_url"}
    assert ARXIV_AT not in local.world.calls()


def test_only_letters_digits_and_the_first_author_count() -> None:
    def work(title: str, *names: str, **more: Any) -> Work:
        return Work(key="doi:10.1234/x", title=title, authors=tuple(map(Author, names)), **more)

    published = work("Über $x$-Rays: A Study", "Jörg Müller", "Ann Other", doi="10.1234/x")
    assert is_preprint_of(work("ÜBER X RAYS a study", "Ann Other", "J. Müller"), published)
    assert is_preprint_of(work("Über x-rays a study", "J. Müller", preprint_of="10.1234/x"), published)
    assert not is_preprint_of(work("Über x-rays a study", "J. Müller", preprint_of="10.1234/y"), published)
    assert not is_preprint_of(work("Über y-rays a study", "J. Müller"), published)
    assert not is_preprint_of(work("Über x-rays a study", "Ann Other"), published)


@pytest.mark.parametrize(
    ("prefix", "host", "platform"),
    [("10.1101", "www.nature.com", "bioRxiv"), ("10.5555", "www.nature.com", "www.nature.com")],
)
async def test_a_preprint_elsewhere_is_found_by_its_own_doi(
    local: Local, prefix: str, host: str, platform: str
) -> None:
    preprint = f"{prefix}/2020.01.01.1"
    local.world.scripts = {
        CROSSREF_AT: crossref(title=["Short"], relation={"has-preprint": [{"id-type": "doi", "id": preprint}]}),
        UNPAYWALL_AT: unpaywall("https://elsewhere.test/1.pdf"),
        f"api.unpaywall.org/v2/{prefix}%2F2020.01.01.1": unpaywall(
            f"https://{host}/p.pdf", doi=preprint, license="cc-by-nc"
        ),
        f"{host}/p.pdf": answer(PDF),
    }
    found = await local.good()
    pdf = dict(found["pdf"])
    assert pdf.pop("original_block")["denial_context"]["reason"] == "redirect_not_in_allowlist"
    assert pdf == {
        "status": "preprint_doi_fallback",
        "preprint_doi": preprint,
        "platform": platform,
        "found_by": "crossref_relation",
    }
    assert (found["source"], found["license"], found["canonical"]) == ("oa-publisher", "cc-by-nc", "doi:10.1234/x")
    kept = await local.store.read(ref("10.1234/x"))
    assert kept is not None and kept.metadata["doiget"]["preprint_doi"] == preprint


async def test_a_preprint_elsewhere_that_cannot_be_had_leaves_the_block(local: Local) -> None:
    relation = {"has-preprint": [{"id-type": "doi", "id": f"10.1101/{number}"} for number in range(3)]}
    local.world.scripts = {
        CROSSREF_AT: crossref(title=["Short"], relation=relation),
        UNPAYWALL_AT: unpaywall("https://elsewhere.test/1.pdf"),
        "api.unpaywall.org/v2/10.1101%2F1": unpaywall("https://elsewhere.test/1.pdf", ONE, doi="10.1101/1"),
    }
    found = await local.good()
    assert (found["pdf"]["status"], found["pdf"]["denial_context"]["attempted"]) == ("blocked", "elsewhere.test")
    # The same address is asked once, and of preprints only the first two.
    trace = {each["source"]: each for each in found["attempts"]}
    assert trace["oa-publisher"]["detail"] == "failed in this order: redirect_not_in_allowlist, NOT_FOUND"
    assert trace["unpaywall"]["outcome"] == "consulted_resolved"
    assert "api.unpaywall.org/v2/10.1101%2F2" not in local.world.calls()


async def test_without_unpaywall_the_relation_still_leads_to_arxiv(
    sample_backend: EmbeddedCatalog, tmp_path: Path
) -> None:
    async with local_desk(sample_backend, tmp_path, SourceChoices(is_hosted=False)) as local:
        both = {"has-preprint": [{"id-type": "doi", "id": "10.1101/1"}, *RELATION["has-preprint"]]}
        local.world.scripts = {CROSSREF_AT: crossref(relation=both), PAPER_AT: answer(PREPRINT)}
        found = await local.good()
        assert (found["pdf"]["status"], found["pdf"]["found_by"]) == ("preprint_fallback", "crossref_relation")
        trace = {each["source"]: each for each in found["attempts"]}
        assert trace["unpaywall"]["required_env"] == "PAPERDESK_CONTACT_EMAIL"
