"""What a fetch leaves behind: files, entries that outlive a re-fetch, and the rows of the log."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.clock import ManualClock
from core.references.safekeys import canonical_digest
from core.references.store.log import verify
from core.references.store.store import Store
from tests.core.references.fetching.desk import (
    CROSSREF_AT,
    DOI,
    PDF,
    UNPAYWALL_AT,
    Local,
    crossref,
    unpaywall,
)
from tests.core.references.fetching.stopped import FIRST, SECOND
from tests.core.references.store.papers import ref
from tests.scripted_upstream import answer

ROOT = Path(__file__).resolve().parents[4]
ONE, TWO = "https://www.nature.com/1.pdf", "https://www.nature.com/2.pdf"
ONE_AT, TWO_AT = "www.nature.com/1.pdf", "www.nature.com/2.pdf"
OPEN = {CROSSREF_AT: crossref(), UNPAYWALL_AT: unpaywall(ONE), ONE_AT: answer(PDF)}


def stop_at_each_step(catalog: Path, folder: Path) -> list[str]:
    program = [sys.executable, "-m", "tests.core.references.fetching.stopped", str(catalog), str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    steps: list[str] = json.loads(done.stdout)
    return steps


# references A111
async def test_a_fetch_is_written_down_step_by_step(local: Local) -> None:
    local.world.scripts = {
        CROSSREF_AT: crossref(),
        UNPAYWALL_AT: unpaywall("https://elsewhere.test/1.pdf", ONE, TWO),
        TWO_AT: answer(PDF),
    }
    found = await local.good()
    assert local.events() == [
        ("session_start", "ok", None),
        ("resolve", "ok", "crossref"),
        ("fetch", "denied", "oa-publisher"),
        ("fetch", "err", "oa-publisher"),
        ("fetch", "ok", "oa-publisher"),
        ("store_write", "ok", "oa-publisher"),
        ("session_end", "ok", None),
    ]
    _, resolved, denied, missing, fetched, stored, _ = local.rows()
    assert (resolved["ref"], resolved["capability"], resolved["license"]) == (DOI, "metadata", "cc-by")
    assert resolved["canonical_digest"] == canonical_digest(ref(DOI), "crossref")
    assert (denied["error_code"], missing["error_code"]) == ("CAPABILITY_DENIED", "NOT_FOUND")
    assert (fetched["size_bytes"], fetched["license"], fetched["capability"]) == (len(PDF), "cc-by", "oa")
    assert fetched["canonical_digest"] == canonical_digest(ref(DOI), "oa-publisher")
    assert (stored["store_path"], stored["size_bytes"]) == (found["path"], len(PDF))
    assert [(rows, broken) for _, rows, broken in verify(local.store.layout)] == [(7, None)]


# references A111
async def test_a_log_that_cannot_be_written_stops_a_fetch_before_any_request(local: Local) -> None:
    local.world.scripts = OPEN
    local.store.layout.prepare()
    local.store.layout.log.mkdir()
    assert (await local.bad())["code"] == "LOG_ERROR"
    assert (await local.bad("1706.03762", force=True))["code"] == "LOG_ERROR"
    for batch in (
        local.copies.batch([DOI], dry_run=False, force=False),
        local.copies.bibliography(DOI, format="auto", strict=False, force=False),
    ):
        with pytest.raises(Exception, match="log could not be written"):
            await batch
    assert (local.world.asked, local.files()) == ([], [])
    local.store.layout.log.rmdir()
    assert (await local.good())["pdf"] == {"status": "fetched"}


# references A111
@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("asked", [DOI, "1706.03762"])
async def test_a_log_that_breaks_on_the_way_stops_the_call_before_anything_is_stored(
    local: Local, asked: str, is_batch: bool
) -> None:
    def broken(_: object) -> Any:
        local.store.layout.log.unlink()
        local.store.layout.log.mkdir()
        return answer(PDF)

    local.world.scripts = {**OPEN, ONE_AT: broken, "arxiv.org/pdf/1706.03762": broken}
    if is_batch:
        with pytest.raises(Exception, match="log could not be written"):
            await local.copies.batch([asked], dry_run=False, force=False)
    else:
        assert (await local.bad(asked))["code"] == "LOG_ERROR"
    assert local.files() == []
    # That says nothing about the paper: once the log is put right, it is not answered from memory.
    local.store.layout.log.rmdir()
    local.world.scripts |= dict.fromkeys((ONE_AT, "arxiv.org/pdf/1706.03762"), answer(PDF))
    assert (await local.good(asked))["pdf"] == {"status": "fetched"}


# references A48
async def test_a_dry_run_names_the_files_and_touches_none(local: Local) -> None:
    root = local.store.layout.root
    doi = (await local.copies.fetch("10.1038/NATURE14539", dry_run=True, force=False)).model_dump(exclude_unset=True)
    assert doi["ref"] == {"doi": "10.1038/NATURE14539"}
    assert (doi["plan"]["target_pdf_path"], doi["plan"]["target_metadata_path"]) == (
        str(root / "doi_10.1038_NATURE14539.pdf"),
        str(root / ".metadata" / "doi_10.1038_NATURE14539.toml"),
    )
    assert doi["plan"]["would_append_provenance"] is True
    batch = await local.copies.batch(["1706.03762v7"], dry_run=True, force=False)
    assert batch.plans[0]["plan"]["target_pdf_path"] == str(root / "arxiv_1706.03762v7.pdf")
    assert (await local.bad("pmid:9659853"))["code"] == "NOT_FOUND"
    assert local.events()[1] == ("resolve", "err", "catalog")


async def test_a_dry_run_makes_no_store(local: Local) -> None:
    await local.copies.batch([DOI], dry_run=True, force=True)
    assert not local.store.layout.root.exists()
    assert local.world.asked == []


# references A49
async def test_what_failed_is_replayed_and_a_forced_call_is_written_down(local: Local) -> None:
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: unpaywall("https://elsewhere.test/1")}
    blocked = (await local.good())["pdf"]
    asked = len(local.world.asked)
    again = await local.bad()
    assert (again["code"], again["replayed"]) == ("CAPABILITY_DENIED", True)
    assert (again["denial_context"], again["remediation"]) == (blocked["denial_context"], blocked["remediation"])
    assert len(local.world.asked) == asked
    assert "repeat_forced" not in {row["event"] for row in local.rows()}
    for _ in range(12):
        assert (await local.good(force=True))["pdf"]["status"] == "blocked"
    forced = [row for row in local.rows() if row["event"] == "repeat_forced"]
    assert (len(forced), {row["ref"] for row in forced}) == (12, {DOI})
    local.desk.time.clock.advance(601)
    assert (await local.good())["pdf"]["status"] == "blocked"


# references A49
async def test_a_success_lifts_what_is_remembered(local: Local) -> None:
    local.world.scripts = {**OPEN, ONE_AT: [answer({}, 500)] * 4 + [answer(PDF)]}  # type: ignore[dict-item]
    assert (await local.good())["pdf"]["status"] == "blocked"
    again = await local.bad()
    assert (again["code"], again["replayed"]) == ("RATE_LIMITED", True)
    local.desk.time.clock.advance(120)
    assert (await local.good(force=True))["pdf"] == {"status": "fetched"}
    assert (await local.good())["pdf"] == {"status": "fetched"}


# references A106
async def test_an_unchanged_refetch_changes_the_time_alone(local: Local) -> None:
    local.world.scripts = OPEN
    await local.good()
    toml = local.store.layout.toml("doi_10.1234_X")
    first = toml.read_text().splitlines()
    local.desk.time.clock.advance(60)
    await local.good()
    second = toml.read_text().splitlines()
    changed = [(one, other) for one, other in zip(first, second, strict=True) if one != other]
    assert [one.split(" ")[0] for one, _ in changed] == ["fetched_at"]
    # The metadata were remembered, the file was not: it may be a large one.
    assert (local.world.calls()[CROSSREF_AT], local.world.calls()[ONE_AT]) == (1, 2)
    assert local.files() == [".metadata/doi_10.1234_X.toml", "doi_10.1234_X.pdf"]


# references A106
async def test_a_stop_at_each_step_of_a_fetch_leaves_the_old_paper_readable(
    sample_directory: Path, tmp_path: Path
) -> None:
    names = ("opened", "written", "sealed", "published", "settled")
    assert stop_at_each_step(sample_directory, tmp_path) == [
        f"{what} {name}" for what in ("pdf", "toml") for name in names
    ]
    for number in range(10):
        store = Store(tmp_path / str(number), ManualClock())
        kept, place = await store.read(ref(DOI)), await store.pdf(ref(DOI))
        assert kept is not None and place.path is not None
        assert place.path.read_bytes() == (SECOND if number >= 3 else FIRST), number
        assert kept.metadata.get("issue") == ("9" if number >= 8 else None), number


# references A107
async def test_two_dois_with_one_safekey_keep_their_own_files(local: Local) -> None:
    for number, (doi, path) in enumerate((("10.1234/a(b)", "10.1234%2Fa%28b%29"), ("10.1234/a/b", "10.1234%2Fa%2Fb"))):
        url = f"www.nature.com/{number}.pdf"
        local.world.scripts |= {
            f"api.crossref.org/works/{path}": crossref(doi),
            f"api.unpaywall.org/v2/{path}": unpaywall(f"https://{url}", doi=doi),
            url: answer(PDF + doi.encode()),
        }
    paths = []
    for doi in ("10.1234/a(b)", "10.1234/a/b"):
        found = await local.good(doi)
        paths.append(found["path"])
        assert local.stored(found["path"]) == PDF + doi.encode()
    assert len(set(paths)) == 2
    for doi, path in zip(("10.1234/a(b)", "10.1234/a/b"), paths, strict=True):
        kept, place = await local.store.read(ref(doi)), await local.store.pdf(ref(doi))
        assert kept is not None and (kept.metadata["doi"], str(place.path)) == (doi, path)


# references A22
async def test_two_cases_of_a_doi_are_one_entry(local: Local) -> None:
    local.world.scripts = OPEN
    paths = {(await local.good(text))["path"] for text in ("10.1234/X", "10.1234/x", "https://doi.org/10.1234/X")}
    assert paths == {str(local.store.layout.root / "doi_10.1234_X.pdf")}
    assert len(await local.store.search("")) == 1


# references A108
async def test_a_refetch_keeps_what_a_user_and_an_earlier_fetch_said(local: Local) -> None:
    local.world.scripts = OPEN
    await local.good()
    await local.store.tag(ref(DOI), add=["read"], collection_add=["thesis"])
    await local.store.annotate(ref(DOI), "a note")
    toml = local.store.layout.toml("doi_10.1234_X")
    # An entry that lacks its year is not enough: the sources are asked again.
    written = re.sub(r"^year = .*\n", "", toml.read_text(), flags=re.MULTILINE)
    toml.write_text(f"# mine\n{written}\n[own]\nshelf = 3\n")
    local.desk.time.clock.advance(8 * 86_400)
    local.world.scripts = {CROSSREF_AT: crossref(title=["Short"]), UNPAYWALL_AT: answer({}, 500)}
    found = await local.good()
    # No file came this time; the stored one stays and is what the path leads to.
    assert (found["pdf"], found["oa_status"], found["license"]) == ({"status": "no_oa_url"}, None, None)
    assert (local.stored(found["path"]), found["size_bytes"]) == (PDF, len(PDF))
    kept = await local.store.read(ref(DOI))
    assert kept is not None
    own = kept.metadata["doiget"]
    assert {name: own[name] for name in ("tags", "collections", "annotation", "oa_status", "license")} == {
        "tags": ["read"],
        "collections": ["thesis"],
        "annotation": "a note",
        "oa_status": "gold",
        "license": "cc-by",
    }
    assert (kept.metadata["own"], kept.metadata["title"]) == ({"shelf": 3}, "Quality of Life & Work")
    assert toml.read_text().startswith("# mine\n")


# references A108
async def test_an_entry_of_a_newer_release_is_not_written(local: Local) -> None:
    local.world.scripts = OPEN
    await local.good()
    toml = local.store.layout.toml("doi_10.1234_X")
    toml.write_text(toml.read_text().replace('schema_version = "1.0"', 'schema_version = "2.0"'))
    before = toml.read_bytes()
    error = await local.bad()
    assert (error["code"], error["disposition"]) == ("SCHEMA_TOO_NEW", "needs_config")
    assert toml.read_bytes() == before
    assert (await local.store.read(ref(DOI))) is not None


async def test_what_has_neither_doi_nor_arxiv_id_is_not_stored(local: Local) -> None:
    local.world.scripts = {"api.openalex.org/works/W1": answer({"id": "https://openalex.org/W1", "title": "A"})}
    assert (await local.bad("openalex:W1"))["code"] == "NOT_IMPLEMENTED"
    assert local.files() == []


async def test_a_batch_stores_each_paper_once_and_a_failure_is_its_rows_own(local: Local) -> None:
    local.world.scripts = {**OPEN, "arxiv.org/pdf/1706.03762": answer(PDF)}
    refs = ["10.1234/X", "10.1038/none", "1706.03762", "doi:10.1234/x"]
    rows = (await local.copies.batch(refs, dry_run=False, force=False)).results
    assert [(row["ref"], row["ok"]) for row in rows] == list(zip(refs, (True, False, True, True), strict=True))
    assert rows[0] == {
        "ref": "10.1234/X",
        "ok": True,
        "source": "oa-publisher",
        "resolver_profile": "oa-publisher",
        "license": "cc-by",
        "path": str(local.store.layout.root / "doi_10.1234_X.pdf"),
        "size_bytes": len(PDF),
        "schema_version": "1.0",
        "pdf": {"status": "fetched"},
        "canonical": "doi:10.1234/x",
        "oa_status": "gold",
        "title": "Quality of Life & Work",
        "year": 1998,
    }
    assert (rows[1]["error"]["code"], rows[1]["error"]["denial_context"]) == ("NOT_FOUND", None)
    assert local.world.calls()[ONE_AT] == 1
    events = [row["event"] for row in local.rows()]
    assert (events[0], events[-1], events.count("store_write")) == ("session_start", "session_end", 2)


BIB = "@article{one, doi = {10.1234/x}}\n@misc{code, url = {https://github.com/someone/something}}\n"


async def test_a_bibliography_is_read_from_its_file(local: Local, tmp_path: Path) -> None:
    local.world.scripts = OPEN
    (tmp_path / "mine.bib").write_text(BIB)
    found = await local.copies.bibliography(path=str(tmp_path / "mine.bib"), format="auto", strict=False, force=False)
    assert found.summary == {"total": 2, "ok": 1, "failed": 1, "parse_errors": 1}
    assert [(row["entry_key"], row["ok"]) for row in found.results] == [("code", False), ("one", True)]
    assert local.files() == [".metadata/doi_10.1234_X.toml", "doi_10.1234_X.pdf"]
    same = await local.copies.bibliography(BIB, format="auto", strict=False, force=False)
    assert same.results == found.results


# references A93
@pytest.mark.parametrize("name", ["", "link.bib", "notes.md", "absent.bib"])
async def test_a_path_that_is_no_bibliography_is_refused(local: Local, tmp_path: Path, name: str) -> None:
    (tmp_path / "link.bib").symlink_to("/etc/passwd")
    (tmp_path / "notes.md").write_text(BIB)
    with pytest.raises(Exception) as refused:
        await local.copies.bibliography(path=str(tmp_path / name), format="auto", strict=False, force=False)
    assert "root:" not in str(refused.value) and str(tmp_path) not in str(refused.value)
    assert not local.store.layout.root.exists()


async def test_a_bibliography_comes_in_one_way(local: Local) -> None:
    for given in ({}, {"content": BIB, "path": "/a.bib"}):
        with pytest.raises(Exception, match="either the bibliography"):
            await local.copies.bibliography(**given, format="auto", strict=False, force=False)  # type: ignore[arg-type]
