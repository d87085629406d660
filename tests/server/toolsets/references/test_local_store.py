"""What the tools of local mode read from the user's store, and what they write there."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from core.references.store.layout import Layout
from core.references.store.locks import locked
from core.references.store.store import Store
from tests.core.references.store.papers import PDF, entry
from tests.core.sources.answered import CROSSREF, UNPAYWALL
from tests.core.sources.test_arxiv import entry as arxiv_entry
from tests.core.sources.test_arxiv import feed
from tests.references_desk import Tools, files_of, outcomes
from tests.scripted_upstream import answer

DOI = "10.1234/x"
CROSSREF_AT = "api.crossref.org/works/10.1234%2Fx"
ARXIV_AT = "export.arxiv.org/api/query"


def crossref(**changes: Any) -> Any:
    return answer({"status": "ok", "message": {**CROSSREF, "DOI": "10.1234/X", **changes}})


def store_of(tools: Tools, papers: Path) -> Store:
    return Store(papers, tools.desk.time.clock)


def toml(papers: Path, stem: str) -> dict[str, Any]:
    return tomllib.loads((papers / ".metadata" / f"{stem}.toml").read_text())


async def test_metadata_only_keeps_the_record_and_resolve_paper_does_not(local: Tools, papers: Path) -> None:
    local.world.scripts = {CROSSREF_AT: crossref()}
    await local.good("resolve_paper", ref=DOI)
    assert files_of(papers) == [".metadata/access.jsonl"]
    kept = await local.good("metadata_only", ref=DOI)
    assert kept["source"] == "crossref"
    # The name is the spelling of the registration agency.
    found = toml(papers, "doi_10.1234_X")
    assert (found["title"], found["doi"]) == ("Quality of Life & Work", "10.1234/X")
    assert found["doiget"]["source"] == "crossref" and found["doiget"]["license"] == "unknown"
    assert files_of(papers) == [".metadata/access.jsonl", ".metadata/doi_10.1234_X.toml"]


async def test_what_is_stored_is_answered_from_the_store_before_anything_else(local: Tools, papers: Path) -> None:
    local.world.scripts = {CROSSREF_AT: crossref()}
    await local.good("metadata_only", ref=DOI)
    asked = len(local.world.asked)
    again = await local.good("resolve_paper", ref="https://doi.org/10.1234/X")
    assert len(local.world.asked) == asked
    assert (again["source"], again["work"]["title"]) == ("catalog", "Quality of Life & Work")
    assert outcomes(again) == {"store": "consulted_resolved", "crossref": "not_consulted_not_needed"}
    # A paper that both hold is the store's.
    await store_of(local, papers).save(entry("1706.03762", source="arxiv", title="As I have it"))
    assert (await local.good("resolve_paper", ref="1706.03762"))["work"]["title"] == "As I have it"


async def test_an_entry_that_says_too_little_is_looked_up_further(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI, title="A Title", year=None))
    local.world.scripts = {CROSSREF_AT: crossref()}
    found = await local.good("resolve_paper", ref=DOI)
    assert outcomes(found) == {
        "store": "consulted_no_record",
        "catalog": "consulted_no_record",
        "crossref": "consulted_resolved",
    }


async def test_a_stored_record_is_asked_about_open_access_and_keeps_what_is_said(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI, repaired_fields={"venue": "openalex"}))
    local.world.scripts = {"api.unpaywall.org/v2/10.1234%2Fx": answer(UNPAYWALL)}
    found = await local.good("metadata_only", ref=DOI, include_oa_location=True)
    assert (found["source"], found["oa_status"]) == ("catalog", "green")
    own = toml(papers, "doi_10.1234_x")["doiget"]
    assert (own["source"], own["oa_status"], own["license"]) == ("crossref", "green", "cc-by")
    assert own["repaired_fields"] == {"venue": "openalex"}
    # Said of it or not: what is stored stays.
    again = await local.good("metadata_only", ref=DOI)
    assert (again["oa_status"], again["oa_url"], again["license"]) == (None, None, "cc-by")
    assert toml(papers, "doi_10.1234_x")["doiget"]["oa_status"] == "green"


# references A106, A108
async def test_a_second_metadata_only_changes_the_time_alone(local: Tools, papers: Path) -> None:
    local.world.scripts = {CROSSREF_AT: crossref()}
    await local.good("metadata_only", ref=DOI)
    await local.good("tag", ref=DOI, add=["b", "a"], collection_add=["thesis"])
    await local.good("annotate", ref=DOI, text="Read this.")
    path = papers / ".metadata" / "doi_10.1234_X.toml"
    path.write_text(path.read_text().replace("[doiget]", '# mine\nmy_key = "kept"\n\n[doiget]'))
    before = path.read_text().splitlines()
    local.desk.time.clock.advance(60)
    await local.good("metadata_only", ref=DOI)
    after = path.read_text().splitlines()
    changed = [new for old, new in zip(sorted(before), sorted(after), strict=True) if old != new]
    assert [line.partition(" = ")[0] for line in changed] == ["fetched_at"]
    assert toml(papers, "doi_10.1234_X")["doiget"]["source"] == "crossref"


# references A108
async def test_an_entry_of_a_newer_release_is_read_and_not_changed(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI))
    path = papers / ".metadata" / "doi_10.1234_x.toml"
    path.write_text(path.read_text().replace('schema_version = "1.0"', 'schema_version = "2.0"'))
    before = path.read_bytes()
    assert (await local.good("info", ref=DOI))["metadata"]["schema_version"] == "2.0"
    for name, more in (("metadata_only", {}), ("tag", {"add": ["x"]}), ("annotate", {"text": "x"})):
        error = await local.bad(name, ref=DOI, **more)
        assert (error["code"], error["disposition"]) == ("SCHEMA_TOO_NEW", "needs_config")
    assert path.read_bytes() == before


async def test_a_damaged_entry_is_left_alone_and_the_others_still_answer(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry("10.1234/X"))
    path = papers / ".metadata" / "doi_10.1234_X.toml"
    path.write_text("title = ")
    local.world.scripts = {CROSSREF_AT: crossref()}
    local.world.scripts["api.crossref.org/works/10.1234%2FX"] = crossref()
    found = await local.good("resolve_paper", ref="10.1234/X")
    assert outcomes(found)["store"] == "consulted_failed"
    for name in ("metadata_only", "info"):
        assert (await local.bad(name, ref="10.1234/X"))["code"] == "STORE_ERROR"
    assert path.read_text() == "title = "


# references A107
async def test_two_papers_with_one_safekey_keep_separate_entries(local: Tools, papers: Path) -> None:
    store = store_of(local, papers)
    await store.save(entry("10.1234/a(b)", title="First"), PDF)
    await store.save(entry("10.1234/a/b", title="Second"))
    first = await local.good("info", ref="10.1234/a(b)")
    second = await local.good("info", ref="10.1234/a/b")
    assert (first["metadata"]["title"], second["metadata"]["title"]) == ("First", "Second")
    assert first["safekey"] != second["safekey"]
    assert (await local.good("paper_pdf_path", ref="10.1234/a(b)"))["path"] == f"{papers / first['safekey']}.pdf"
    assert (await local.good("paper_pdf_path", ref="10.1234/a/b"))["pdf_exists"] is False
    exported = (await local.good("csl_export", refs=["10.1234/a(b)", "10.1234/a/b"]))["entries"]
    assert [each["safekey"] for each in exported] == [first["safekey"], second["safekey"]]


# references A57
async def test_the_store_is_searched_as_it_is_written(local: Tools, papers: Path) -> None:
    store = store_of(local, papers)
    for number in range(60):
        await store.save(entry(f"10.1234/{number:03}", title=f"Paper {number}", venue="Journal of Lanterns"))
    (papers / ".metadata" / "doi_10.1234_broken.toml").write_text("title = ")
    everything = await local.good("search_local", query="", limit=0)
    assert (everything["scope"], everything["store"], everything["count"]) == ("local", "directory", 50)
    assert (await local.good("search_local", query="", limit=500))["count"] == 60
    found = await local.good("search_local", query="LANTERNS", limit=2)
    assert found["results"] == [
        {"safekey": "doi_10.1234_000", "title": "Paper 0", "year": 1843, "fetched_at": "2023-11-14T22:13:20Z"},
        {"safekey": "doi_10.1234_001", "title": "Paper 1", "year": 1843, "fetched_at": "2023-11-14T22:13:20Z"},
    ]
    assert (await local.good("search_local", query="attention is all you need"))["results"] == []


async def test_the_newest_entries_come_first(local: Tools, papers: Path) -> None:
    store = store_of(local, papers)
    await store.save(entry("10.1234/old"))
    local.desk.time.clock.advance(3600)
    await store.save(entry("10.1234/new"))
    rows = (await local.good("list_recent"))["entries"]
    assert [row["safekey"] for row in rows] == ["doi_10.1234_new", "doi_10.1234_old"]


# references A58
async def test_what_is_not_stored_is_no_failure_and_a_pubmed_id_is_refused(local: Tools, papers: Path) -> None:
    # The catalog holds this paper; the store does not.
    absent = await local.good("info", ref="1706.03762")
    assert (absent["safekey"], absent["metadata"]) == ("arxiv_1706.03762", None)
    error = await local.bad("info", ref="pmid:9659853")
    assert error["code"] == "INVALID_REF" and "doiget_resolve_paper" in error["message"]
    assert local.world.asked == [] and files_of(papers) is None


# references A59
async def test_no_entry_and_no_pdf_look_the_same_but_for_origin_and_license(local: Tools, papers: Path) -> None:
    nothing = await local.good("paper_pdf_path", ref=DOI)
    await store_of(local, papers).save(entry(DOI, license="cc-by"))
    bare = await local.good("paper_pdf_path", ref=DOI)
    assert nothing == {
        "ok": True,
        "ref": DOI,
        "canonical": "doi:10.1234/x",
        "safekey": "doi_10.1234_x",
        "path": None,
        "pdf_exists": False,
    }
    assert bare == {**nothing, "origin": None, "license": "cc-by"}
    await store_of(local, papers).save(entry(DOI), PDF)
    held = await local.good("paper_pdf_path", ref=DOI)
    assert (held["path"], held["pdf_exists"]) == (f"{papers / 'doi_10.1234_x.pdf'}", True)


# references A110
async def test_tags_are_added_before_they_are_removed(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI))
    tagged = await local.good("tag", ref=DOI, add=["b", "a", "B", "b"], remove=["a"], collection_add=["thesis"])
    assert (tagged["tags"], tagged["collections"]) == (["b", "B"], ["thesis"])
    again = await local.good("tag", ref=DOI, add=["b"], remove=["gone"], collection_remove=["thesis"])
    assert (again["tags"], again["collections"]) == (["b", "B"], [])
    assert (await local.good("tag", ref=DOI))["tags"] == ["b", "B"]
    assert local.world.asked == []


# references A110
async def test_a_note_is_replaced_and_clear_wins_over_text(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI))
    await local.good("annotate", ref=DOI, text="first")
    assert (await local.good("annotate", ref=DOI, text="second"))["annotation"] == "second"
    for arguments in ({}, {"text": "  "}, {"text": "", "clear": False}):
        error = await local.bad("annotate", ref=DOI, **arguments)
        assert (error["code"], error["field"]) == ("INVALID_REF", "text")
    assert (await local.good("info", ref=DOI))["metadata"]["doiget"]["annotation"] == "second"
    assert (await local.good("annotate", ref=DOI, text="third", clear=True))["annotation"] is None
    assert "annotation" not in (await local.good("info", ref=DOI))["metadata"]["doiget"]


# references A110
@pytest.mark.parametrize(("name", "more"), [("tag", {"add": ["x"]}), ("annotate", {"text": "x"})])
async def test_nothing_is_noted_at_what_is_not_stored(
    local: Tools, papers: Path, name: str, more: dict[str, Any]
) -> None:
    # The catalog holds this paper.
    error = await local.bad(name, ref="1706.03762", **more)
    assert (error["code"], error["disposition"]) == ("STORE_ERROR", "needs_config")
    assert files_of(papers) is None


# references A109
async def test_a_lock_that_is_held_is_waited_for_and_then_reported(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI))
    with locked(Layout(papers).lock("doi_10.1234_x")):
        error = await local.bad("tag", ref=DOI, add=["x"])
    assert (error["code"], error["disposition"]) == ("LOCK_TIMEOUT", "retry_after")
    assert sum(local.desk.time.slept) == pytest.approx(5.0)
    assert (await local.good("tag", ref=DOI, add=["x"]))["tags"] == ["x"]


async def test_exports_read_the_store_and_look_further_only_where_told(local: Tools, papers: Path) -> None:
    await store_of(local, papers).save(entry(DOI, title="A Title"))
    refs = [DOI, "1706.03762", "not-a-paper"]
    entries = (await local.good("bibtex_export", refs=refs))["entries"]
    assert "A Title" in entries[0]["bibtex"] and entries[0]["safekey"] == "doi_10.1234_x"
    assert (entries[1]["bibtex"], entries[2]["error"]["code"]) == (None, "INVALID_REF")
    resolved = (await local.good("bibtex_export", refs=refs[:2], resolve=True))["entries"]
    assert "Attention" in resolved[1]["bibtex"]
    assert local.world.asked == []


async def test_a_version_of_an_arxiv_paper_is_an_entry_of_its_own(local: Tools, papers: Path) -> None:
    local.world.scripts = {ARXIV_AT: answer(feed(arxiv_entry("2401.12345v2")))}
    await local.good("metadata_only", ref="2401.12345v2")
    assert (await local.good("info", ref="2401.12345v2"))["metadata"]["arxiv_id"] == "2401.12345v2"
    assert (await local.good("info", ref="2401.12345"))["metadata"] is None


# references A22
async def test_another_case_of_a_doi_meets_the_same_entry(local: Tools, papers: Path) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(), "api.crossref.org/works/10.1234%2FX": crossref()}
    await local.good("metadata_only", ref="10.1234/X")
    await local.good("metadata_only", ref="10.1234/x")
    assert files_of(papers) == [".metadata/access.jsonl", ".metadata/doi_10.1234_X.toml"]
    assert len(local.world.asked) == 1


async def test_a_long_text_is_given_whole(local: Tools) -> None:
    whole = await local.good("paper_text", ref="1706.03762", max_chars=2_000_000)
    assert whole["truncated"] is False and whole["char_count"] == whole["total_chars"]


# references A93
@pytest.mark.parametrize("kind", ["directory", "link", "ending", "relative"])
async def test_a_path_that_is_no_bibliography_is_refused_and_not_shown(local: Tools, tmp_path: Path, kind: str) -> None:
    secret = tmp_path / "secret.conf"
    secret.write_text("root:planted")
    (tmp_path / "folder.bib").mkdir()
    (tmp_path / "link.bib").symlink_to(secret)
    path = {
        "directory": f"{tmp_path / 'folder.bib'}",
        "link": f"{tmp_path / 'link.bib'}",
        "ending": f"{secret}",
        "relative": "library.bib",
    }[kind]
    outcome = await local.call("batch_from_bibliography", {"path": path})
    assert outcome.structured is not None
    error = outcome.structured["error"]
    assert (error["code"], error["field"]) == ("INVALID_REF", "path")
    assert "planted" not in str(outcome) and str(tmp_path) not in str(outcome)


async def test_a_bibliography_is_read_by_its_path_or_sent_and_not_both(local: Tools, tmp_path: Path) -> None:
    library = tmp_path / "library.json"
    library.write_text('[{"id": "vaswani", "note": "arXiv:9999.99999"}, {"id": "none"}]')
    found = await local.good("batch_from_bibliography", path=f"{library}")
    assert found["summary"] == {"total": 2, "ok": 0, "failed": 2, "parse_errors": 1}
    assert [row["entry_key"] for row in found["results"]] == ["none", "vaswani"]
    for arguments in ({}, {"path": f"{library}", "content": "1706.03762"}):
        assert (await local.bad("batch_from_bibliography", **arguments))["field"] == "path"
