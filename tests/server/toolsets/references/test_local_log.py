"""What local mode writes to the log: rows around each networked call, none for reads, and nothing is done without."""

import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from core.references.safekeys import canonical_digest
from core.references.store.layout import Layout
from core.references.store.log import verify
from core.references.store.store import Store
from tests.core.references.store.papers import PDF, entry, ref
from tests.core.sources.answered import OPENALEX
from tests.references_desk import Tools, files_of
from tests.scripted_upstream import answer
from tests.server.toolsets.references.test_local_store import CROSSREF_AT, DOI, crossref

NETWORKED = [
    ("resolve_paper", {"ref": DOI}),
    ("metadata_only", {"ref": DOI}),
    ("paper_search", {"query": "lanterns"}),
    ("paper_text", {"ref": "2401.12345"}),
    ("paper_tex_source", {"ref": "2401.12345"}),
    ("link", {"ref": DOI}),
    ("expand_citation_graph", {"ref": DOI}),
]


def rows(papers: Path) -> list[dict[str, Any]]:
    log = Layout(papers).log
    return [orjson.loads(line) for line in log.read_bytes().splitlines()] if log.exists() else []


def told(papers: Path) -> list[tuple[str, str, str]]:
    return [(row["event"], row["result"], row["capability"]) for row in rows(papers)]


async def test_a_look_up_and_a_write_have_a_row_each_inside_their_session(local: Tools, papers: Path) -> None:
    local.world.scripts = {CROSSREF_AT: crossref()}
    await local.good("metadata_only", ref=DOI)
    assert told(papers) == [
        ("session_start", "ok", "metadata"),
        ("resolve", "ok", "metadata"),
        ("store_write", "ok", "metadata"),
        ("session_end", "ok", "metadata"),
    ]
    _, resolved, written, _ = rows(papers)
    assert (resolved["ref"], resolved["source"], resolved["error_code"]) == (DOI, "crossref", None)
    assert resolved["canonical_digest"] == canonical_digest(ref(DOI), "crossref")
    assert written["store_path"] == f"{papers / '.metadata' / 'doi_10.1234_X.toml'}"
    assert written["canonical_digest"] == resolved["canonical_digest"]
    assert [(count, broken) for _, count, broken in verify(Layout(papers))] == [(4, None)]


async def test_a_look_up_that_fails_says_so_in_the_log(local: Tools, papers: Path) -> None:
    await local.bad("metadata_only", ref=DOI)
    assert told(papers) == [
        ("session_start", "ok", "metadata"),
        ("resolve", "err", "metadata"),
        ("session_end", "err", "metadata"),
    ]
    assert (rows(papers)[1]["error_code"], rows(papers)[1]["source"]) == ("NOT_FOUND", "crossref")


async def test_a_write_that_fails_says_so_in_the_log(local: Tools, papers: Path) -> None:
    await Store(papers, local.desk.time.clock).save(entry("10.1234/X"))
    (papers / ".metadata" / "doi_10.1234_X.toml").write_text("title = ")
    local.world.scripts = {CROSSREF_AT: crossref()}
    assert (await local.bad("metadata_only", ref=DOI))["code"] == "STORE_ERROR"
    written = rows(papers)[2]
    assert (written["event"], written["result"], written["error_code"], written["store_path"]) == (
        "store_write",
        "err",
        "STORE_ERROR",
        None,
    )


@pytest.mark.parametrize(("name", "arguments"), NETWORKED)
async def test_each_networked_call_has_its_session(
    local: Tools, papers: Path, name: str, arguments: dict[str, Any]
) -> None:
    await local.call(name, arguments)
    events = [row["event"] for row in rows(papers)]
    assert (events[0], events[-1]) == ("session_start", "session_end")
    assert events.count("session_start") == events.count("session_end") == 1
    assert {row["capability"] for row in rows(papers)} == {"oa" if name.startswith("paper_te") else "metadata"}
    assert local.world.asked != []


# references A111
@pytest.mark.parametrize(("name", "arguments"), NETWORKED)
async def test_where_the_log_cannot_be_written_nobody_is_asked(
    local: Tools, papers: Path, name: str, arguments: dict[str, Any]
) -> None:
    layout = Layout(papers)
    layout.prepare()
    layout.log.touch(mode=0o400)
    os.chmod(layout.log, 0o400)
    error = await local.bad(name, **arguments)
    assert (error["code"], error["disposition"]) == ("LOG_ERROR", "needs_config")
    assert local.world.asked == []
    assert files_of(papers) == [".metadata/access.jsonl"]


# references A111
async def test_reads_exports_and_citations_add_no_row(local: Tools, papers: Path) -> None:
    await Store(papers, local.desk.time.clock).save(entry(DOI), PDF)
    local.world.scripts = {"api.crossref.org/works": answer({"status": "ok", "message": {"items": []}})}
    for name, arguments in (
        ("info", {"ref": DOI}),
        ("search_local", {"query": ""}),
        ("list_recent", {}),
        ("paper_pdf_path", {"ref": DOI}),
        ("capability_profile", {}),
        ("health", {}),
        ("bibtex_export", {"refs": [DOI]}),
        ("csl_export", {"refs": [DOI, "10.1234/none"], "resolve": True}),
        ("resolve_citation", {"query": "Lanterns of nowhere at all 1999"}),
        ("batch_resolve_citations", {"queries": ["Lanterns of nowhere at all 1999"]}),
        ("tag", {"ref": DOI, "add": ["x"]}),
        ("annotate", {"ref": DOI, "text": "x"}),
    ):
        await local.good(name, **arguments)
    assert local.world.asked != []
    assert rows(papers) == []


async def test_a_reference_that_is_none_is_refused_before_anything_is_logged(local: Tools, papers: Path) -> None:
    for name in ("resolve_paper", "metadata_only", "paper_text", "paper_tex_source", "link", "expand_citation_graph"):
        assert (await local.bad(name, ref="10.123/abc"))["code"] == "INVALID_REF"
    assert files_of(papers) is None


async def test_a_record_without_a_name_of_ours_cannot_be_kept(local: Tools, papers: Path) -> None:
    bare = {**OPENALEX, "doi": None, "ids": {}, "locations": [], "primary_location": None, "best_oa_location": None}
    local.world.scripts = {
        "api.openalex.org/works/W2741809807": answer({**bare, "id": "https://openalex.org/W2741809807"})
    }
    await local.good("resolve_paper", ref="W2741809807")
    error = await local.bad("metadata_only", ref="W2741809807")
    assert error["code"] == "NOT_IMPLEMENTED"
    assert files_of(papers) == [".metadata/access.jsonl"]
