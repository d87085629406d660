"""Where open copies are said to be, batches row by row, dry runs, and repeats of what just failed."""

import time
from dataclasses import replace
from typing import Any

import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.clock import ManualClock
from core.deadline import deadline
from core.references.repeat import MemoryRepeats
from tests.core.sources.answered import BEST, UNPAYWALL
from tests.core.sources.test_arxiv import entry, feed
from tests.references_desk import ALL_ON, Tools, outcomes, tools_over
from tests.scripted_upstream import answer, silence
from tests.server.toolsets.references.test_resolving import (
    ARXIV_AT,
    CROSSREF_AT,
    DOI,
    NCBI_AT,
    UNPAYWALL_AT,
    crossref,
    summary,
    unpaywall,
)


def located(url: str) -> Any:
    best = {**BEST, "url": None, "url_for_pdf": url}
    return unpaywall(best_oa_location=best, oa_locations=[best])


# references A39
@pytest.mark.parametrize(
    ("url", "shown", "host", "is_allowed"),
    [
        ("https://www.nature.com/1.pdf", "https://www.nature.com/1.pdf", "www.nature.com", True),
        ("http://elsewhere.test/1.pdf", "https://elsewhere.test/1.pdf", "elsewhere.test", False),
    ],
)
async def test_an_open_copy_is_located_and_its_host_is_not_asked(
    tools: Tools, url: str, shown: str, host: str, is_allowed: bool
) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: located(url)}
    found = await tools.good("fetch_paper", ref=DOI)
    assert (found["path"], found["size_bytes"], found["source"]) == (None, 0, "crossref")
    assert found["pdf"] == {
        "status": "located",
        "url": shown,
        "host": host,
        "host_allowed": is_allowed,
        "version": "acceptedVersion",
        "license": "cc-by",
        "found_by": "unpaywall",
    }
    assert (found["title"], found["authors"][0]) == ("Quality of Life & Work", "Other, Ann B. Jr.")
    assert host not in {each.host for each in tools.world.asked}


# references A40
async def test_a_copy_that_nobody_should_be_sent_to_is_blocked(tools: Tools) -> None:
    plain = crossref(relation={})
    tools.world.scripts = {CROSSREF_AT: plain, UNPAYWALL_AT: located("http://user@10.0.0.1/x.pdf")}
    found = await tools.good("fetch_paper", ref=DOI)
    assert (found["pdf"]["status"], found["pdf"]["code"]) == ("blocked", "CAPABILITY_DENIED")
    assert found["pdf"]["disposition"] == "needs_config"
    assert found["pdf"]["denial_context"]["reason"] == "host_in_block_list"


# references A40
async def test_a_closed_work_has_no_copy(tools: Tools) -> None:
    closed = unpaywall(oa_status="closed", is_oa=False, best_oa_location=None, oa_locations=[])
    tools.world.scripts = {CROSSREF_AT: crossref(relation={}), UNPAYWALL_AT: closed}
    found = await tools.good("fetch_paper", ref=DOI)
    assert (found["pdf"], found["oa_status"]) == ({"status": "no_oa_url"}, "closed")
    assert outcomes(found)["unpaywall"] == "consulted_not_open_access"


async def test_a_preprint_is_found_by_the_relation_of_the_record(tools: Tools) -> None:
    closed = unpaywall(oa_status="closed", is_oa=False, best_oa_location=None, oa_locations=[])
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: closed}
    pdf = (await tools.good("fetch_paper", ref=DOI))["pdf"]
    assert (pdf["url"], pdf["found_by"]) == ("https://arxiv.org/pdf/1706.03762", "crossref_relation")


# references A46
async def test_a_batch_keeps_its_order_and_asks_for_duplicates_once(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall()}
    answered = await tools.good("batch_fetch", refs=["10.1234/X", "10.1038/none", "doi:10.1234/x", "1706.03762"])
    rows = answered["results"]
    assert [row["ref"] for row in rows] == ["10.1234/X", "10.1038/none", "doi:10.1234/x", "1706.03762"]
    assert [row["ok"] for row in rows] == [True, False, True, True]
    assert rows[1]["error"]["code"] == "NOT_FOUND"
    assert rows[1]["error"]["denial_context"] is None
    assert tools.world.calls()[CROSSREF_AT] == 1


# references A46
async def test_a_batch_has_at_most_a_hundred_references_and_may_have_none(alone: Tools) -> None:
    assert (await alone.good("batch_fetch", refs=[]))["results"] == []
    hundred = await alone.good("batch_fetch", refs=["1706.03762"] * 100)
    assert len(hundred["results"]) == 100
    error = await alone.bad("batch_fetch", refs=["1706.03762"] * 101)
    assert (error["code"], "TOO_MANY_REFS" in error["message"]) == ("INVALID_REF", True)


# references A46
async def test_one_bad_reference_fails_the_batch_and_is_named(alone: Tools) -> None:
    error = await alone.bad("batch_fetch", refs=["1706.03762", "10.123/abc"])
    assert (error["code"], error["field"]) == ("INVALID_REF", "refs[1]")
    assert error["message"].startswith("refs[1] is no reference.")


# references A34
async def test_thirty_arxiv_ids_are_one_request(tools: Tools) -> None:
    ids = [f"2401.{number:05d}" for number in range(30)]
    tools.world.scripts = {ARXIV_AT: answer(feed(*(entry(f"{id}v1", title=f"T {id}") for id in reversed(ids))))}
    rows = (await tools.good("batch_fetch", refs=ids))["results"]
    assert [row["title"] for row in rows] == [f"T {id}" for id in ids]
    assert [each.params["max_results"] for each in tools.world.asked] == ["30"]


# references A47
async def test_rows_that_are_not_reached_in_time_say_so(tools: Tools) -> None:
    clock = ManualClock()
    with deadline(0.5, clock):
        answered = await tools.good("batch_fetch", refs=["10.1234/a", "10.1234/b"])
    assert [row["error"]["code"] for row in answered["results"]] == ["FETCH_TIMEOUT"] * 2
    assert all(row["error"]["retry_after_ms"] > 0 for row in answered["results"])


# references A47
async def test_what_was_reached_before_the_deadline_is_answered_within_it(tools: Tools) -> None:
    tools.world.otherwise = silence
    clock, began_s = ManualClock(), time.monotonic()
    with deadline(1.7, clock):
        rows = (await tools.good("batch_fetch", refs=["1706.03762", "10.1234/a", "1512.03385", "10.1234/b"]))["results"]
    assert time.monotonic() - began_s < 1.7
    assert [row["ok"] for row in rows] == [True, False, True, False]
    late = [row["error"] for row in rows if not row["ok"]]
    assert [(each["code"], each["disposition"], each["retry_after_ms"]) for each in late] == [
        ("FETCH_TIMEOUT", "retry_after", 1000)
    ] * 2


# references A48
async def test_dry_runs_ask_nobody(tools: Tools) -> None:
    for tool, more in (("fetch_paper", {"ref": "10.1038/NATURE14539"}), ("metadata_only", {"ref": "1706.03762v7"})):
        found = await tools.good(tool, dry_run=True, **more)
        plan = found["plan"]
        assert (plan["target_pdf_path"], plan["target_metadata_path"], plan["would_append_provenance"]) == (
            None,
            None,
            False,
        )
        assert found["rate_limit_budget"] == {"global_per_sec": 5.0, "per_source_min_gap_ms": 200}
    batch = await tools.good("batch_fetch", refs=["10.1038/NATURE14539", "1706.03762v7"], dry_run=True)
    assert [each["ref"] for each in batch["plans"]] == [{"doi": "10.1038/NATURE14539"}, {"arxiv": "1706.03762v7"}]
    assert batch["plans"][0]["plan"]["metadata_sources"] == ["crossref", "unpaywall"]
    assert "*.nature.com" in batch["plans"][0]["plan"]["pdf_sources"][0]["candidate_hosts"]
    assert batch["plans"][1]["plan"]["would_consult"] == ["catalog", "arxiv"]
    assert tools.world.asked == []


# references A49
async def test_what_is_not_found_is_replayed_until_it_is_forced(tools: Tools) -> None:
    await tools.bad("fetch_paper", ref=DOI)
    asked = len(tools.world.asked)
    again = await tools.bad("fetch_paper", ref=DOI)
    assert (again["code"], again["replayed"]) == ("NOT_FOUND", True)
    assert len(tools.world.asked) == asked
    tools.desk.time.clock.advance(601)
    assert "replayed" not in await tools.bad("fetch_paper", ref=DOI)


# references A49
async def test_a_forced_call_asks_again_and_a_success_lifts_what_is_remembered(tools: Tools) -> None:
    await tools.bad("fetch_paper", ref=DOI)
    tools.desk.time.clock.advance(599)
    assert (await tools.bad("fetch_paper", ref=DOI))["replayed"] is True
    # What is not found is remembered by the sources too, and no longer than by the tool.
    tools.desk.time.clock.advance(2)
    await tools.bad("fetch_paper", ref=DOI)
    tools.desk.time.clock.advance(300)
    asked = len(tools.world.asked)
    assert "replayed" not in await tools.bad("fetch_paper", ref=DOI, force=True)
    assert len(tools.world.asked) == asked, "the sources' own memory still holds"
    tools.desk.time.clock.advance(301)
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall()}
    assert (await tools.good("fetch_paper", ref=DOI, force=True))["pdf"]["status"] == "located"
    assert (await tools.good("fetch_paper", ref=DOI))["pdf"]["status"] == "located"


# references A49
async def test_two_workers_share_what_failed_and_another_fingerprint_lifts_it(sample_backend: EmbeddedCatalog) -> None:
    shared = MemoryRepeats(ManualClock())
    async with tools_over(sample_backend, ALL_ON, shared) as one, tools_over(sample_backend, ALL_ON, shared) as other:
        await one.bad("fetch_paper", ref=DOI)
        assert (await other.bad("fetch_paper", ref="https://doi.org/10.1234/X"))["replayed"] is True
        (row,) = (await other.good("batch_fetch", refs=[DOI]))["results"]
        assert (row["error"]["code"], row["error"]["replayed"]) == ("NOT_FOUND", True)
        assert other.world.asked == []
    async with tools_over(sample_backend, replace(ALL_ON, on=("doaj",)), shared) as changed:
        assert "replayed" not in await changed.bad("fetch_paper", ref=DOI)
        assert changed.world.asked


# references A49
async def test_what_may_pass_is_replayed_for_half_a_minute(tools: Tools) -> None:
    tools.world.otherwise = answer({}, 500)
    await tools.bad("fetch_paper", ref=DOI)
    again = await tools.bad("fetch_paper", ref=DOI)
    assert (again["code"], again["replayed"]) == ("RATE_LIMITED", True)
    assert 0 < again["retry_after_ms"] <= 30_000
    tools.desk.time.clock.advance(31)
    assert "replayed" not in await tools.bad("fetch_paper", ref=DOI)


# references A49
async def test_the_eleventh_forced_call_of_an_hour_is_too_many(alone: Tools) -> None:
    for _ in range(10):
        await alone.good("fetch_paper", ref="1706.03762", force=True)
    assert (await alone.bad("fetch_paper", ref="1706.03762", force=True))["code"] == "RATE_LIMITED"
    alone.caller = "another"
    await alone.good("fetch_paper", ref="1706.03762", force=True)


BIB = """
@article{one, doi = {https://doi.org/10.1234/x}}
@misc{two, eprint = {1706.03762}, archivePrefix = {arXiv}}
@misc{code, url = {https://github.com/someone/something}}
@misc{bad, doi = {10.123/abc}}
"""


# references A92
async def test_a_bibliography_has_bad_entries_first_and_keys(tools: Tools) -> None:
    tools.world.scripts = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall()}
    found = await tools.good("batch_from_bibliography", content=BIB, format="BibTeX")
    assert found["summary"] == {"total": 4, "ok": 2, "failed": 2, "parse_errors": 2}
    assert [(row["entry_key"], row["ok"]) for row in found["results"]] == [
        ("code", False),
        ("bad", False),
        ("one", True),
        ("two", True),
    ]
    assert [row["error"]["code"] for row in found["results"][:2]] == ["NOT_IMPLEMENTED", "INVALID_REF"]


# references A92
async def test_an_entry_of_pubmed_alone_is_resolved(tools: Tools) -> None:
    ids = [{"idtype": "doi", "value": "10.1234/x"}]
    tools.world.scripts = {
        NCBI_AT: summary("9659853", articleids=ids),
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: unpaywall(),
    }
    found = await tools.good("batch_from_bibliography", content="@article{one, pmid = {9659853}}")
    (row,) = found["results"]
    assert found["summary"] == {"total": 1, "ok": 1, "failed": 0, "parse_errors": 0}
    assert (row["entry_key"], row["ref"], row["canonical"], row["source"]) == (
        "one",
        "9659853",
        "pmid:9659853",
        "crossref",
    )


# references A92
async def test_a_mebibyte_is_taken_and_a_byte_more_is_not(alone: Tools) -> None:
    most = "1706.03762\n#".ljust(1024 * 1024, "x")
    assert (await alone.good("batch_from_bibliography", content=most))["summary"]["ok"] == 1
    error = await alone.bad("batch_from_bibliography", content=most + "x")
    assert (error["code"], "1024 KiB" in error["message"]) == ("INVALID_REF", True)


# references A92
async def test_a_strict_reading_stops_at_the_first_bad_entry(tools: Tools) -> None:
    error = await tools.bad("batch_from_bibliography", content=BIB, strict=True)
    assert error["code"] == "NOT_IMPLEMENTED"
    lines = "1706.03762\n10.123/abc\nnot a reference\n"
    assert (await tools.bad("batch_from_bibliography", content=lines, strict=True))["reason"] == "doi_bad_registrant"
    assert tools.world.asked == []


# references A92
async def test_a_path_is_no_argument_here_and_content_is_named(alone: Tools) -> None:
    error = await alone.bad("batch_from_bibliography", path="/etc/passwd")
    assert (error["code"], "content" in error["message"]) == ("INVALID_REF", True)
    assert UNPAYWALL["doi"] not in error["message"]
