"""Copies that are downloaded: which place is asked, what is taken, and what is said where nothing comes."""

from pathlib import Path

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.deadline import deadline
from core.sources.configuration import SourceChoices
from tests.core.references.fetching.desk import (
    CROSSREF_AT,
    LOCAL,
    PDF,
    UNPAYWALL_AT,
    Local,
    crossref,
    local_desk,
    unpaywall,
)
from tests.polite_desk import CONTACT
from tests.scripted_upstream import Behaviour, answer

ONE, TWO = "https://www.nature.com/1.pdf", "https://www.nature.com/2.pdf"
ONE_AT, TWO_AT = "www.nature.com/1.pdf", "www.nature.com/2.pdf"


def outcomes(found: dict) -> dict[str, tuple[str, str | None]]:  # type: ignore[type-arg]
    return {each["source"]: (each["outcome"], each.get("detail")) for each in found["attempts"]}


# references A41
async def test_where_the_first_copy_is_refused_the_second_is_stored(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: unpaywall(ONE, ONE, TWO),
        ONE_AT: answer({}, 403),
        TWO_AT: answer(PDF),
    }
    found = await local.good()
    assert found["pdf"] == {"status": "fetched"}
    assert (found["source"], found["resolver_profile"], found["license"], found["oa_status"]) == (
        "oa-publisher",
        "oa-publisher",
        "cc-by",
        "gold",
    )
    assert (found["size_bytes"], local.stored(found["path"])) == (len(PDF), PDF)
    assert Path(found["path"]) == local.store.layout.root / "doi_10.1234_X.pdf"
    assert local.files() == [".metadata/doi_10.1234_X.toml", "doi_10.1234_X.pdf"]
    assert (local.world.calls()[ONE_AT], local.world.calls()[TWO_AT]) == (1, 1)
    assert outcomes(found)["oa-publisher"] == ("consulted_resolved", "failed in this order: CAPABILITY_DENIED")


# references A41
async def test_a_copy_over_http_is_asked_for_over_https(local: Local) -> None:
    urls = ("http://www.nature.com/1.pdf", "https://www.nature.com/1.pdf", "http://www.nature.com:80/2.pdf")
    local.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall(*urls), TWO_AT: answer(PDF)}
    assert (await local.good())["pdf"] == {"status": "fetched"}
    assert {port for _, port in local.world.dialled} == {443}
    assert (local.world.calls()[ONE_AT], local.world.calls()[TWO_AT]) == (1, 1)


# references A42
async def test_a_host_off_the_list_is_never_contacted(local: Local) -> None:
    off_list = unpaywall("https://elsewhere.test/1.pdf")
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: off_list}
    found = await local.good()
    pdf = found["pdf"]
    assert (pdf["status"], pdf["code"], pdf["disposition"]) == ("blocked", "CAPABILITY_DENIED", "needs_config")
    denial = pdf["denial_context"]
    assert {name: denial[name] for name in ("reason", "source", "attempted", "hop_index")} == {
        "reason": "redirect_not_in_allowlist",
        "source": "oa-publisher",
        "attempted": "elsewhere.test",
        "hop_index": 0,
    }
    assert "*.nature.com" in denial["expected"]
    assert [(each["kind"], each["value"]) for each in pdf["remediation"]] == [("additional_host", "elsewhere.test")]
    assert "elsewhere.test" not in local.world.resolved
    # The record is stored without a file; its licence was Unpaywall's.
    assert (found["source"], found["size_bytes"]) == ("unpaywall", 0)
    assert Path(found["path"]) == local.store.layout.toml("doi_10.1234_X")


async def test_a_redirect_off_the_list_is_not_followed_and_its_host_is_named(local: Local) -> None:
    away = answer({}, 302, {"location": "https://repo.lib.example.ac.uk/1.pdf"})
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: away}
    pdf = (await local.good())["pdf"]
    assert (pdf["denial_context"]["hop_index"], pdf["denial_context"]["attempted"]) == (1, "repo.lib.example.ac.uk")
    assert [(each["kind"], each["value"]) for each in pdf["remediation"]] == [
        ("additional_host", "repo.lib.example.ac.uk"),
        ("additional_host", "*.lib.example.ac.uk"),
        ("trust_flag", "PAPERDESK_OA_HOST_CLASSES"),
    ]
    assert "repo.lib.example.ac.uk" not in local.world.resolved


async def test_the_first_block_is_reported_and_all_are_in_the_trace(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(title=["Short"]),
        UNPAYWALL_AT: unpaywall(ONE, "https://elsewhere.test/1.pdf", "ftp://www.nature.com/1.pdf", TWO),
    }
    found = await local.good()
    assert (found["pdf"]["status"], found["pdf"]["code"]) == ("blocked", "NOT_FOUND")
    assert outcomes(found)["oa-publisher"] == (
        "consulted_failed",
        "failed in this order: NOT_FOUND, redirect_not_in_allowlist, insecure_scheme, NOT_FOUND",
    )


# references A43
@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        (answer(b"<!doctype html><html>Sign in</html>"), "NETWORK_ERROR", "content_type_mismatch"),
        (answer(b"", 202), "NETWORK_ERROR", "content_type_mismatch"),
        (answer(PDF, 202), "NETWORK_ERROR", "content_type_mismatch"),
        (answer(b""), "NETWORK_ERROR", "content_type_mismatch"),
        (answer(b" " * 1025 + PDF), "NETWORK_ERROR", "content_type_mismatch"),
        (answer(PDF, length=len(PDF) + 1), "NETWORK_ERROR", None),
        (answer(PDF, length=100_000_001), "NETWORK_ERROR", "size_cap_exceeded"),
    ],
)
async def test_what_is_no_whole_pdf_is_refused(local: Local, script: Behaviour, code: str, reason: str | None) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: script}
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["code"]) == ("blocked", code)
    assert pdf.get("denial_context", {}).get("reason") == reason
    assert "remediation" not in pdf
    assert local.files() == [".metadata/doi_10.1234_X.toml"]


# references A43
@pytest.mark.parametrize("lead", [b"\xef\xbb\xbf", b"\xef\xbb\xbf \r\n", b"\n" * 1000])
async def test_a_pdf_after_a_byte_order_mark_is_stored(local: Local, lead: bytes) -> None:
    page = answer(lead + PDF, headers={"content-type": "text/html"})
    local.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: page}
    found = await local.good()
    assert found["pdf"] == {"status": "fetched"}
    assert local.stored(found["path"]) == lead + PDF


async def test_a_copy_at_an_address_that_is_not_public_is_refused(local: Local) -> None:
    local.world.names = {"www.nature.com": [["10.0.0.1"]]}
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: answer(PDF)}
    pdf = (await local.good())["pdf"]
    assert (pdf["code"], pdf["denial_context"]["reason"]) == ("CAPABILITY_DENIED", "ssrf_private_address")
    assert "10.0.0.1" not in str(pdf)


async def test_a_closed_work_is_stored_without_a_file(local: Local) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: unpaywall()}
    found = await local.good()
    assert (found["pdf"], found["oa_status"], found["source"]) == ({"status": "no_oa_url"}, "closed", "crossref")
    assert local.files() == [".metadata/doi_10.1234_X.toml"]


async def test_a_lookup_that_failed_leaves_open_access_undetermined(local: Local) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: answer({}, 500)}
    found = await local.good()
    assert (found["pdf"], found["oa_status"]) == ({"status": "no_oa_url"}, None)
    assert outcomes(found)["unpaywall"] == ("consulted_failed", "it failed")


async def test_an_arxiv_paper_is_downloaded_from_arxiv(local: Local) -> None:
    local.world.scripts = {"arxiv.org/pdf/1706.03762": answer(PDF)}
    found = await local.good("1706.03762")
    assert (found["pdf"], found["source"], found["license"]) == ({"status": "fetched"}, "arxiv", "arxiv-default")
    assert Path(found["path"]) == local.store.layout.root / "arxiv_1706.03762.pdf"
    assert local.stored(found["path"]) == PDF


async def test_an_arxiv_pdf_that_fails_fails_the_call(local: Local) -> None:
    error = await local.bad("1706.03762")
    assert (error["code"], error["disposition"]) == ("NOT_FOUND", "terminal")
    assert {each["source"]: each["outcome"] for each in error["attempts"]}["arxiv"] == "consulted_no_record"
    assert local.files() == []


async def test_an_arxiv_paper_is_stored_although_nobody_tells_of_it(local: Local) -> None:
    local.world.scripts = {"export.arxiv.org/api/query": answer({}, 500), "arxiv.org/pdf/2401.00001v2": answer(PDF)}
    found = await local.good("arXiv:2401.00001v2")
    assert (found["pdf"], found["title"], found["size_bytes"]) == ({"status": "fetched"}, None, len(PDF))
    assert local.files() == [".metadata/arxiv_2401.00001v2.toml", "arxiv_2401.00001v2.pdf"]


async def test_a_version_that_arxiv_does_not_have_is_not_looked_for(local: Local) -> None:
    local.world.scripts = {"export.arxiv.org/api/query": answer(b"<feed xmlns='http://www.w3.org/2005/Atom'/>")}
    error = await local.bad("2307.09288v999")
    assert error["code"] == "NOT_FOUND"
    assert {each.host for each in local.world.asked} == {"export.arxiv.org"}


async def test_copies_may_lie_on_the_operators_own_machine(sample_backend: EmbeddedCatalog, tmp_path: Path) -> None:
    async with local_desk(sample_backend, tmp_path) as plain:
        origin = plain.world.plain_url
        near = SourceChoices(is_hosted=False, contact=CONTACT, oa_loopback_origins=(origin,))
        async with local_desk(sample_backend, tmp_path, near) as local:
            plain.world.scripts = {"/1.pdf": answer(PDF)}
            local.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall(f"{origin}/1.pdf")}
            assert (await local.good())["pdf"] == {"status": "fetched"}
    assert LOCAL.oa_loopback_origins == ()


async def test_a_paper_that_the_catalog_knows_is_still_looked_up_for_its_published_copy(local: Local) -> None:
    bert = "10.18653/v1/n19-1423"
    local.world.scripts = {
        "api.unpaywall.org/v2/10.18653%2Fv1%2Fn19-1423": [unpaywall(ONE, doi=bert), unpaywall(TWO, doi=bert)],
        ONE_AT: answer(PDF),
        "arxiv.org/pdf/1810.04805": answer(PDF + b"preprint"),
    }
    found = await local.good(bert)
    assert (found["source"], found["license"], found["oa_status"]) == ("oa-publisher", "cc-by", "gold")
    assert {each.host for each in local.world.asked} == {"api.unpaywall.org", "www.nature.com"}
    local.desk.time.clock.advance(8 * 86_400)
    found = await local.good(bert)
    # The catalog is no finder of the closed list, so none is named.
    assert (found["pdf"]["status"], found["pdf"]["original_block"]["code"]) == ("preprint_fallback", "NOT_FOUND")
    assert "found_by" not in found["pdf"]


async def test_a_host_that_is_cooling_down_is_passed_by(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(title=["Short"]),
        UNPAYWALL_AT: unpaywall(ONE, TWO),
        ONE_AT: answer({}, 429, {"retry-after": "3600"}),
        TWO_AT: answer(PDF),
    }
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["code"], pdf["retry_after_ms"]) == ("blocked", "RATE_LIMITED", 3_600_000)
    assert TWO_AT not in local.world.calls()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://[bad/1.pdf", "redirect_not_in_allowlist"),
        ("/1.pdf", "insecure_scheme"),
        ("javascript:alert(1)", "insecure_scheme"),
        ("file:///etc/passwd", "insecure_scheme"),
        ("https://www.nature.com:8443/1.pdf", "host_in_block_list"),
        ("https://user:secret@www.nature.com/1.pdf", "host_in_block_list"),
        ("http://10.0.0.1/1.pdf", "redirect_not_in_allowlist"),
        ("https://www.nature.com.evil.org/1.pdf", "redirect_not_in_allowlist"),
    ],
)
async def test_an_address_that_no_copy_has_is_refused_unasked(local: Local, url: str, reason: str) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: unpaywall(url)}
    pdf = (await local.good())["pdf"]
    assert (pdf["status"], pdf["code"], pdf["denial_context"]["reason"]) == ("blocked", "CAPABILITY_DENIED", reason)
    assert "secret" not in str(pdf)
    assert set(local.world.resolved) <= {"api.crossref.org", "api.unpaywall.org", "api.openalex.org"}


async def test_a_source_that_is_off_downloads_nothing(sample_backend: EmbeddedCatalog, tmp_path: Path) -> None:
    off = SourceChoices(is_hosted=False, contact=CONTACT, off=("oa-publisher", "arxiv"))
    async with local_desk(sample_backend, tmp_path, off) as local:
        local.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: answer(PDF)}
        found = await local.good()
        pdf = found["pdf"]
        assert (pdf["status"], pdf["denial_context"]) == (
            "blocked",
            {"reason": "capability_not_granted", "source": "oa-publisher"},
        )
        assert outcomes(found)["oa-publisher"] == ("not_consulted_disabled", None)
        error = await local.bad("1706.03762")
        assert (error["code"], error["denial_context"]["source"]) == ("CAPABILITY_DENIED", "arxiv")
        assert {each.host for each in local.world.asked} <= {
            "api.crossref.org",
            "api.unpaywall.org",
            "api.openalex.org",
        }


async def test_offline_the_catalogs_record_is_stored_alone(sample_backend: EmbeddedCatalog, tmp_path: Path) -> None:
    async with local_desk(sample_backend, tmp_path, SourceChoices(is_hosted=False, is_offline=True)) as local:
        found = await local.good("10.18653/v1/n19-1423")
        assert (found["source"], found["pdf"]["status"], found["pdf"]["code"]) == (
            "catalog",
            "blocked",
            "CAPABILITY_DENIED",
        )
        assert (await local.bad())["code"] == "CAPABILITY_DENIED"
        assert (local.world.asked, local.files()) == ([], [".metadata/doi_10.18653_v1_n19-1423.toml"])


# references A47
async def test_rows_that_a_batch_does_not_reach_are_not_stored(local: Local) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: answer(PDF)}
    with deadline(0.5, local.desk.time.clock):
        rows = (await local.copies.batch(["10.1234/x", "10.1234/y"], dry_run=False, force=False)).results
    assert [row["error"]["code"] for row in rows] == ["FETCH_TIMEOUT"] * 2
    assert local.files() == []
