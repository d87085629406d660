import itertools
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.catalog.embedded.manifest import open_manifest
from core.clock import ManualClock, SystemClock
from core.errors import BuildFailed, InvalidInput
from core.ingest.build import BuildOptions, Source, SourceKind, build_catalog, parse_source

Build = Callable[..., Any]
Write = Callable[..., Path]
ROOT = Path(__file__).resolve().parents[3]


def pwc_paper(slug: str, title: str, **more: Any) -> dict[str, Any]:
    return {"paper_url": f"https://paperswithcode.com/paper/{slug}", "title": title, "abstract": None, **more}


def work(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"https://openalex.org/W{1000000 + number}", **more}


def test_a_source_is_a_kind_and_a_path() -> None:
    assert parse_source("pwc:a:b/c") == Source(SourceKind.PWC, Path("a:b/c"))


@pytest.mark.parametrize("text", ["pwc", "pwc:", "PWC:x", "csv:x", ":x", ""])
def test_a_malformed_source_names_the_kinds(text: str) -> None:
    with pytest.raises(InvalidInput, match="pwc, arxiv, openalex, paperdesk, markdown, evidence"):
        parse_source(text)


def test_the_manifest_says_what_was_built(build: Build, write: Write) -> None:
    built = build(f"pwc:{write('papers.json', [pwc_paper('a', 'A', date='2020-05-17'), {'title': 'no address'}])}")
    manifest = open_manifest(built.path)
    assert (manifest.as_of, manifest.built_at, manifest.embedding) == ("2020-05-17", "2026-09-21T14:13:20Z", None)
    assert manifest.content_id == built.report.content_id
    assert manifest.counts == built.report.counts
    (source,) = manifest.sources
    assert (source.kind, source.name, source.read, source.kept) == ("pwc", "papers.json", 2, 1)
    assert source.skipped == {"no identifier": 1}
    assert sorted(manifest.files)[:2] == ["build-report.json", "catalog.sqlite"]
    report = json.loads((built.path / "build-report.json").read_bytes())
    assert report == json.loads(json.dumps(built.report.as_json()))


def test_as_of_is_the_latest_date_that_is_not_in_the_future(build: Build, write: Write) -> None:
    papers = [pwc_paper("a", "A", date="2020-05-17"), pwc_paper("b", "B", date="2031-01-01"), pwc_paper("c", "C")]
    path = write("papers.json", papers)
    assert build(f"pwc:{path}").report.as_of == "2020-05-17"
    assert build(f"pwc:{path}", as_of="2021-01-01").report.as_of == "2021-01-01"
    with pytest.raises(BuildFailed, match="no day"):
        build(f"pwc:{path}", as_of="2021-02-30")


SOURCES: dict[str, list[dict[str, Any]]] = {
    "pwc:papers.json": [
        pwc_paper("a", "One", arxiv_id="1706.03762", authors=["X Y"], tasks=["T"], proceeding="ICML 2019 6"),
        pwc_paper("b", "One", authors=["x y", "Z"], tasks=["PARSING", "Tagging"]),
        pwc_paper("c", "Näive—Title: Sub", arxiv_id="1806.00001"),
    ],
    "pwc:more.json": [
        pwc_paper("a", "One, spelt otherwise", abstract="An abstract.", tasks=["Parsing", "tagging", "parsing"]),
        pwc_paper("d", "One", date="2020-13-01", methods=[{"name": "Adam", "description": "Other."}]),
    ],
    "pwc:third.json": [
        pwc_paper("e", "Five", tasks=["PARSING", "TagGing"], methods=[{"name": "ADAM", "description": "A."}])
    ],
    "pwc:tables.json": [
        {
            "task": "T",
            "datasets": [
                {
                    "dataset": "D",
                    "sota": {
                        "metrics": ["Acc"],
                        "rows": [
                            {
                                "model_name": "M",
                                "metrics": {"Acc": 1},
                                "paper_url": "https://arxiv.org/abs/1806.00001",
                                "paper_title": "N",
                            },
                            {"model_name": "M", "metrics": {"Acc": 2}},
                            {"model_name": "M", "metrics": {"Acc": 2}},
                        ],
                    },
                }
            ],
        }
    ],
    "pwc:tables2.json": [
        {
            "task": "T",
            "datasets": [
                {
                    "dataset": "d",
                    "sota": {"metrics": ["F1"], "rows": [{"model_name": "m", "metrics": {"Acc": 2, "F1": 1}}]},
                }
            ],
        }
    ],
    "arxiv:arxiv.jsonl": [
        {"id": "1706.03762", "title": "One by arXiv", "authors": "X Y, W", "abstract": "Other.", "doi": "10.1000/1"},
        {"id": "hep-th/9711200", "title": "One", "authors": "x y"},
    ],
    "openalex:works.jsonl": [
        work(1, title="One by OpenAlex", doi="https://doi.org/10.1000/1", cited_by_count=3),
        work(2, title="One", authorships=[{"author": {"id": "https://openalex.org/A1", "display_name": "X Y"}}]),
    ],
}


def write_sources(folder: Path, names: list[str]) -> list[Source]:
    sources = []
    for text in names:
        kind, name = text.split(":")
        path = folder / name
        path.write_text("".join(json.dumps(row) + "\n" for row in SOURCES[text]), encoding="utf-8")
        sources.append(Source(SourceKind(kind), path))
    return sources


def content(folder: Path, names: list[str]) -> tuple[Any, ...]:
    folder.mkdir()
    report = build_catalog(write_sources(folder, names), folder / "out", options=BuildOptions(clock=ManualClock()))
    connection = sqlite3.connect(folder / "out" / "catalog.sqlite")
    tables = ("paper", "author", "task", "benchmark", "evaluation", "identifier", "entity")
    rows = [connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in tables]
    connection.close()
    return report.content_id, dict(report.counts), dict(report.conflicts), rows


# catalog A91
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names=st.permutations(list(SOURCES)))
def test_the_order_of_sources_changes_nothing(tmp_path: Path, names: list[str]) -> None:
    place = tmp_path / str(len(list(tmp_path.iterdir())))
    place.mkdir()
    assert content(place / "one", sorted(SOURCES)) == content(place / "two", names)


def test_other_content_has_another_id(tmp_path: Path) -> None:
    names = sorted(SOURCES)
    ids = {
        content(tmp_path / str(i), [n for n in names if n != left_out])[0] for i, left_out in enumerate(["", *names])
    }
    assert len(ids) == len(names) + 1


def test_sources_are_heard_by_precedence(build: Build, write: Write) -> None:
    own = write("own/papers.jsonl", [{"key": "k", "title": "Own Title", "arxiv_id": "1706.03762", "citation_count": 1}])
    archive = pwc_paper("a", "Archive Title", arxiv_id="1706.03762", abstract="Archive.", tasks=["T"])
    sources = [
        f"paperdesk:{own.parent}",
        f"pwc:{write('papers.json', [archive])}",
        "arxiv:"
        + str(
            write(
                "arxiv.jsonl",
                [
                    {
                        "id": "1706.03762v1",
                        "title": "arXiv Title",
                        "abstract": "arXiv.",
                        "authors": "A B",
                        "journal-ref": "J",
                    }
                ],
            )
        ),
        "openalex:"
        + str(
            write(
                "works.jsonl",
                [
                    work(
                        1,
                        title="OA Title",
                        doi="https://doi.org/10.48550/arXiv.1706.03762",
                        cited_by_count=9,
                        publication_date="2017-06-12",
                        topics=[],
                    )
                ],
            )
        ),
    ]
    built = build(*sources)
    columns = "title, abstract, authors, venue, published, citation_count, slug"
    assert built.one(f"SELECT {columns} FROM paper") == ("Own Title", "Archive.", '["A B"]', "J", "2017-06-12", 9, "a")
    assert dict(built.report.conflicts) == {"citation_count": 1, "title": 1}
    assert open_manifest(built.path).conflicts == built.report.conflicts


def test_rows_unite_by_way_of_a_third(build: Build, write: Write) -> None:
    works = [
        work(1, title="A", doi="https://doi.org/10.1000/a"),
        work(2, title="B", ids={"pmid": "https://pubmed.ncbi.nlm.nih.gov/77"}),
    ]
    bridge = write("own/papers.jsonl", [{"key": "k", "title": "C", "doi": "10.1000/A", "identifiers": {"pmid": "77"}}])
    built = build(f"openalex:{write('works.jsonl', works)}", f"paperdesk:{bridge.parent}")
    assert built.rows("SELECT title, doi FROM paper") == [("C", "10.1000/A")]


PMIDS = st.lists(st.lists(st.integers(1, 12), min_size=1, max_size=3, unique=True), min_size=1, max_size=8)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(described=PMIDS)
def test_papers_are_what_shared_identifiers_connect(tmp_path: Path, described: list[list[int]]) -> None:
    place = tmp_path / str(len(list(tmp_path.iterdir())))
    place.mkdir()
    rows = [
        {"key": str(n), "title": "Same", "identifiers": {"pmid": [str(i) for i in ids]}}
        for n, ids in enumerate(described)
    ]
    (place / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = build_catalog(
        [parse_source(f"paperdesk:{place}")], place / "out", options=BuildOptions(clock=SystemClock())
    )
    connected: list[set[int]] = []
    for ids in described:
        touched = [group for group in connected if group & set(ids)]
        connected = [group for group in connected if group not in touched] + [set(ids).union(*touched)]
    assert report.counts["papers"] == len(connected)


def test_slug_clashes_are_numbered_in_natural_key_order(build: Build, write: Write) -> None:
    arxiv = [{"id": f"1706.0000{n}", "title": "Same Title"} for n in (3, 1, 2)]
    given = [pwc_paper("same-title", "Other"), pwc_paper("same-title-2", "Another")]
    built = build(f"arxiv:{write('arxiv.jsonl', arxiv)}", f"pwc:{write('papers.json', given)}")
    assert built.rows("SELECT arxiv_id, slug FROM paper ORDER BY arxiv_id, slug") == [
        (None, "same-title"),
        (None, "same-title-2"),
        ("1706.00001", "same-title-1"),
        ("1706.00002", "same-title-3"),
        ("1706.00003", "same-title-4"),
    ]


def test_ids_survive_a_rebuild_with_more_sources(build: Build, write: Write) -> None:
    arxiv = f"arxiv:{write('arxiv.jsonl', [{'id': '1706.03762', 'title': 'A'}])}"
    rows = [work(1, title="A", doi="https://doi.org/10.48550/arXiv.1706.03762"), work(2, title="B")]
    works = f"openalex:{write('works.jsonl', rows)}"
    statement = "SELECT id FROM paper WHERE arxiv_id = '1706.03762'"
    assert build(arxiv).one(statement) == build(works, arxiv).one(statement)


def test_papers_are_numbered_by_id_and_ranked(build: Build, write: Write) -> None:
    def own(key: str, number: int, **more: Any) -> dict[str, Any]:
        return {"key": key, "title": key, "id": number, **more}

    rows = [
        own("undated", 50, citation_count=7),
        own("old", 40, published="2001", citation_count=7000),
        own("new", 30, published="2020-06-01", citation_count=7),
        own("fast", 20, published="2019-01-01", velocity=99.5),
        own("plain", 10, published="2020-06-01"),
    ]
    built = build(f"paperdesk:{write('own/papers.jsonl', rows).parent}")

    def order(column: str) -> list[str]:
        return [row[0] for row in built.rows(f"SELECT title FROM paper ORDER BY {column}")]

    assert built.rows("SELECT pid, id FROM paper ORDER BY pid") == [(0, 10), (1, 20), (2, 30), (3, 40), (4, 50)]
    assert order("published_rank") == ["new", "plain", "fast", "old", "undated"]
    assert order("published_rank_asc") == ["old", "fast", "new", "plain", "undated"]
    assert order("citation_rank") == ["old", "new", "undated", "plain", "fast"]
    assert order("citation_rank_asc") == ["new", "undated", "old", "plain", "fast"]
    assert order("trending_rank") == ["fast", "old", "new", "plain", "undated"]
    assert order("trending_rank_asc") == ["plain", "undated", "new", "old", "fast"]


def test_trending_benchmarks_count_back_from_the_as_of_date(build: Build, write: Write) -> None:
    def result(benchmark: str, paper: str) -> dict[str, Any]:
        return {"benchmark": benchmark, "task": "t", "model_name": paper, "metrics": {"Acc": 1}, "paper": paper}

    papers = [
        {"key": f"p{n}", "title": f"P{n}", "published": date}
        for n, date in enumerate(["2020-06-01", "2020-03-03", "2020-03-02", "2010"])
    ]
    write("own/papers.jsonl", papers)
    write("own/tasks.jsonl", [{"key": "t", "name": "T"}])
    write("own/benchmarks.jsonl", [{"key": key, "name": key} for key in ("a", "b", "c", "d")])
    results = [
        result("a", "p0"),
        result("a", "p1"),
        result("a", "p2"),
        result("b", "p0"),
        result("b", "p1"),
        result("c", "p2"),
        result("c", "p3"),
    ]
    folder = write("own/evaluations.jsonl", results).parent
    built = build(f"paperdesk:{folder}")
    assert built.rows(
        "SELECT name, recent_paper_count, paper_count, evaluation_count FROM benchmark ORDER BY trending_rank"
    ) == [
        ("b", 2, 2, 2),
        ("a", 2, 3, 3),
        ("c", 0, 2, 2),
        ("d", 0, 0, 0),
    ]


# catalog A96
def test_too_many_bad_rows_fail_the_build_and_leave_the_target(build: Build, write: Write, tmp_path: Path) -> None:
    good = [pwc_paper(f"p{n}", f"T{n}") for n in range(980)]
    bad = [{"paper_url": f"https://paperswithcode.com/paper/b{n}", "title": None} for n in range(20)]
    path = write("papers.json", good + bad)
    target = tmp_path / "target"
    fine = write("fine.json", good[:1])
    build_catalog([parse_source(f"pwc:{fine}")], target, options=BuildOptions(clock=SystemClock()))
    before = open_manifest(target)
    with pytest.raises(BuildFailed, match=r"20 bad rows of 1000 \(first: line 981: no title; line 982: no title"):
        build_catalog([parse_source(f"pwc:{path}")], target, options=BuildOptions(clock=SystemClock(), replace=True))
    assert open_manifest(target) == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fine.json", "papers.json", "target"]
    assert build(f"pwc:{path}", allow_bad_rows=True).report.counts["papers"] == 980


def test_ten_bad_rows_are_always_forgiven(build: Build, write: Write) -> None:
    bad = [{"paper_url": f"https://paperswithcode.com/paper/b{n}", "title": None} for n in range(10)]
    assert build(f"pwc:{write('papers.json', [pwc_paper('a', 'A'), *bad])}").report.counts["papers"] == 1


def test_an_existing_target_is_replaced_only_when_asked(write: Write, tmp_path: Path) -> None:
    sources = [parse_source(f"pwc:{write('papers.json', [pwc_paper('a', 'A')])}")]
    target = tmp_path / "deep" / "target"
    first = build_catalog(sources, target, options=BuildOptions(clock=SystemClock()))
    with pytest.raises(BuildFailed, match="--replace"):
        build_catalog(sources, target, options=BuildOptions(clock=SystemClock()))
    write("papers.json", [pwc_paper("a", "B")])
    second = build_catalog(sources, target, options=BuildOptions(clock=SystemClock(), replace=True))
    assert first.content_id != second.content_id == open_manifest(target).content_id
    assert [each.name for each in target.parent.iterdir()] == ["target"]


def test_a_folder_that_is_no_catalog_is_never_replaced(write: Write, tmp_path: Path) -> None:
    sources = [parse_source(f"pwc:{write('papers.json', [pwc_paper('a', 'A')])}")]
    precious = write("precious/thesis.txt", []).parent
    with pytest.raises(BuildFailed, match="no catalog"):
        build_catalog(sources, precious, options=BuildOptions(clock=SystemClock(), replace=True))
    assert (precious / "thesis.txt").exists()


@pytest.mark.parametrize("source", ["pwc:missing.json", "paperdesk:missing", "markdown:missing"])
def test_a_missing_source_fails(tmp_path: Path, source: str) -> None:
    kind, name = source.split(":")
    with pytest.raises(BuildFailed, match="does not exist"):
        build_catalog(
            [parse_source(f"{kind}:{tmp_path / name}")], tmp_path / "out", options=BuildOptions(clock=SystemClock())
        )


@pytest.mark.parametrize("kind", list(SourceKind))
def test_an_empty_folder_fails(tmp_path: Path, kind: SourceKind) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BuildFailed, match="no file of its kind"):
        build_catalog([Source(kind, tmp_path / "empty")], tmp_path / "out", options=BuildOptions(clock=SystemClock()))


def test_an_unreadable_file_fails_even_with_bad_rows_allowed(build: Build, write: Write) -> None:
    path = write("papers.json.gz", [pwc_paper(f"p{n}", "T") for n in range(500)])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BuildFailed, match="cannot be read: its compressed data is broken or cut off"):
        build(f"pwc:{path}", allow_bad_rows=True)


def test_a_folder_is_read_with_all_files_below_it(build: Build, write: Write) -> None:
    write("dumps/a.json", [pwc_paper("a", "A")], as_list=True)
    write("dumps/deeper/b.json.gz", [pwc_paper("b", "B")])
    write("dumps/c.jsonl", [pwc_paper("c", "C")])
    folder = write("dumps/readme.txt", []).parent
    built = build(f"pwc:{folder}")
    assert [file.name for file in built.report.files] == ["a.json", "b.json.gz", "c.jsonl"]
    assert built.report.counts["papers"] == 3


def test_nothing_is_built_from_nothing(tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match="No source"):
        build_catalog([], tmp_path / "out", options=BuildOptions(clock=SystemClock()))


def test_progress_tells_stages_with_totals_that_are_reached(write: Write, tmp_path: Path) -> None:
    told: list[list[Any]] = []

    class Recording:
        def started(self, name: str, total: int | None) -> None:
            told.append([name, total, 0, False])

        def advanced(self, n: int) -> None:
            told[-1][2] += n

        def finished(self) -> None:
            told[-1][3] = True

    path = write("in/papers.json.gz", [pwc_paper(f"p{n}", f"T{n}") for n in range(2500)])
    out, options = tmp_path / "out", BuildOptions(clock=SystemClock(), embedder=RandomEmbedder())
    build_catalog([parse_source(f"pwc:{path}")], out, options=options, progress=Recording())
    assert told == [
        ["Reading papers.json.gz", path.stat().st_size, path.stat().st_size, True],
        ["Uniting papers", None, 0, True],
        ["Writing papers", 2500, 2500, True],
        ["Writing everything else", None, 0, True],
        ["Computing vectors", 2500, 2500, True],
        ["Finishing the text index", None, 0, True],
        ["Sealing", None, 0, True],
    ]


class Failing:
    """A progress that breaks off in the middle of a build."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def started(self, name: str, total: int | None) -> None:
        if name.startswith(self._stage):
            raise KeyboardInterrupt

    def advanced(self, n: int) -> None: ...

    def finished(self) -> None: ...


@pytest.mark.parametrize(
    "stage", ["Reading", "Uniting", "Writing papers", "Writing everything", "Finishing", "Sealing"]
)
def test_a_build_that_breaks_off_leaves_nothing(write: Write, tmp_path: Path, stage: str) -> None:
    sources = [parse_source(f"pwc:{write('in/papers.json', [pwc_paper('a', 'A')])}")]
    with pytest.raises(KeyboardInterrupt):
        build_catalog(sources, tmp_path / "out", options=BuildOptions(clock=SystemClock()), progress=Failing(stage))
    assert [each.name for each in tmp_path.iterdir()] == ["in"]


SLOW_BUILD = """
import sys, time
from pathlib import Path
from core.clock import SystemClock
from core.ingest.build import BuildOptions, build_catalog, parse_source

class Stuck:
    def started(self, name, total):
        print(name, flush=True)
        if name.startswith("Sealing"):
            time.sleep(60)
    def advanced(self, n): ...
    def finished(self): ...

options = BuildOptions(clock=SystemClock())
build_catalog([parse_source(sys.argv[1])], Path(sys.argv[2]), options=options, progress=Stuck())
"""


def test_a_killed_build_leaves_no_catalog_and_the_next_one_cleans_up(write: Write, tmp_path: Path) -> None:
    source = f"pwc:{write('in/papers.json', [pwc_paper('a', 'A')])}"
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_BUILD, source, str(out)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert any(line.startswith("Sealing") for line in process.stdout)
    (left,) = tmp_path.glob(".out.building-*")
    assert not out.exists()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert left.exists()
    assert not list(left.rglob("manifest.json"))
    build_catalog([parse_source(source)], out, options=BuildOptions(clock=SystemClock()))
    assert not left.exists()
    assert open_manifest(out).counts["papers"] == 1


def test_a_living_build_is_left_alone_by_another(write: Write, tmp_path: Path) -> None:
    sources = [parse_source(f"pwc:{write('in/papers.json', [pwc_paper('a', 'A')])}")]

    class Nested(Failing):
        def started(self, name: str, total: int | None) -> None:
            if name == "Sealing":
                build_catalog(sources, tmp_path / "out", options=BuildOptions(clock=SystemClock()))

    with pytest.raises(BuildFailed):
        build_catalog(sources, tmp_path / "out", options=BuildOptions(clock=SystemClock()), progress=Nested(""))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "out"]
    open_manifest(tmp_path / "out")


def test_a_replacement_that_died_half_way_is_undone(write: Write, tmp_path: Path) -> None:
    sources = [parse_source(f"pwc:{write('in/papers.json', [pwc_paper('a', 'A')])}")]
    out = tmp_path / "out"
    build_catalog(sources, out, options=BuildOptions(clock=SystemClock()))
    out.rename(tmp_path / ".out.replaced-12345678")
    build_catalog(sources, tmp_path / "out", options=BuildOptions(clock=SystemClock(), replace=True))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "out"]


class RandomEmbedder:
    """Unit vectors that depend on the text alone."""

    model = "random@1"
    dimensions = 8

    def embed(self, texts: Any) -> Any:
        rows = np.array([np.random.default_rng(len(text)).normal(size=8) for text in texts], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors_are_written_for_papers_with_text(build: Build, write: Write) -> None:
    works = [work(n, title=f"Title {n}" if n else None) for n in range(300)]
    built = build(f"openalex:{write('works.jsonl', works)}", embedder=RandomEmbedder())
    embedding = open_manifest(built.path).embedding
    assert embedding is not None
    assert (embedding.model, embedding.dimensions, embedding.fields) == ("random@1", 8, ("title", "abstract"))
    meta = json.loads((built.path / "vectors" / "vectors.json").read_bytes())
    assert meta == {"model": "random@1", "dimensions": 8, "count": 299, "coarse": False}


# catalog A93
@pytest.mark.shared_data
def test_real_leaderboards_are_accounted_for_row_by_row(build: Build, shared_data: Path) -> None:
    built = build(f"pwc:{shared_data / 'leaderboards'}")

    def results(node: Any) -> int:
        if isinstance(node, list):
            return sum(map(results, node))
        if not isinstance(node, dict):
            return 0
        own = len((node.get("sota") or {}).get("rows") or [])
        return own + sum(results(value) for key, value in node.items() if key != "sota")

    for file in built.report.files:
        assert file.read == results(json.loads(file.path.read_bytes())), file.name
        assert file.read == file.kept + file.skipped.total() + file.merged.total(), file.name
        assert file.bad == 0, file.name
    unlinked = (
        "SELECT count(*) FROM evaluation"
        " WHERE pid IS NULL AND paper_title IS NOT NULL AND source_url LIKE '%arxiv.org/abs/%'"
    )
    assert built.report.counts["evaluations"] == sum(file.kept for file in built.report.files)
    assert built.one(unlinked) == (0,)
    snli = (
        "SELECT num_parameters FROM evaluation JOIN benchmark b ON b.id = benchmark_id"
        " WHERE b.name = 'SNLI' AND num_parameters > 0"
    )
    assert len(built.rows(snli)) > 40
    counts = [
        sum(1 for _ in group)
        for _, group in itertools.groupby(built.rows("SELECT pid FROM identifier WHERE scheme = 'arxiv' ORDER BY pid"))
    ]
    assert max(counts) == 1


def test_a_target_that_cannot_be_written_fails(write: Write, tmp_path: Path) -> None:
    sources = [parse_source(f"pwc:{write('in/papers.json', [pwc_paper('a', 'A')])}")]
    with pytest.raises(BuildFailed, match="cannot be written"):
        build_catalog(sources, tmp_path / "in" / "papers.json" / "out", options=BuildOptions(clock=SystemClock()))


def test_a_link_to_a_catalog_is_replaced_and_its_old_target_kept(write: Write, tmp_path: Path) -> None:
    sources = [parse_source(f"pwc:{write('in/papers.json', [pwc_paper('a', 'A')])}")]
    build_catalog(sources, tmp_path / "first", options=BuildOptions(clock=SystemClock()))
    (tmp_path / "current").symlink_to(tmp_path / "first")
    build_catalog(sources, tmp_path / "current", options=BuildOptions(clock=SystemClock(), replace=True))
    assert not (tmp_path / "current").is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["current", "first", "in"]
