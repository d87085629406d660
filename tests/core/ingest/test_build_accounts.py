"""What a build says of its rows: which were lost and why, and that a build of nothing is no build."""

import itertools
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.catalog.embedded.manifest import SourceRecord, open_manifest
from core.clock import SystemClock
from core.errors import BuildFailed, CatalogUnusable
from core.ingest import workspace as workspace_module
from core.ingest.build import BuildOptions, build_catalog, parse_source
from core.ingest.report import Sample

Build = Callable[..., Any]
Write = Callable[..., Path]

PAPERS = [
    {"key": "a", "title": "First", "id": 1, "arxiv_id": "1706.03762"},
    {"key": "b", "title": "Second", "id": 2, "arxiv_id": "1706.03763"},
]
TEXTS = {"short.md": b"a short text", "longer.md": b"the longer text", "equal.md": b"A SHORT TEXT"}


def text_folder(folder: Path, names: tuple[str, ...]) -> str:
    """One folder for each text, so that the order of sources is the order of reading."""
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_bytes(b"---\npaper: 1706.03762\n---\n" + TEXTS[name])
    return f"markdown:{folder}"


@pytest.mark.parametrize("order", list(itertools.permutations(TEXTS)))
def test_of_several_texts_the_longest_is_kept_and_the_others_are_named(
    build: Build, write: Write, tmp_path: Path, order: tuple[str, ...]
) -> None:
    own = f"paperdesk:{write('own/papers.jsonl', PAPERS).parent}"
    built = build(own, *(text_folder(tmp_path / name.removesuffix(".md"), (name,)) for name in order))
    assert built.one("SELECT body FROM fulltext") == (TEXTS["longer.md"],)
    losses = {
        file.name: (file.kept, dict(file.skipped), file.samples)
        for file in built.report.files
        if file.kind == "markdown"
    }
    reason = "a second text for its paper"
    assert losses == {
        "longer": (1, {}, []),
        "short": (0, {reason: 1}, [Sample("short.md", reason)]),
        "equal": (0, {reason: 1}, [Sample("equal.md", reason)]),
    }


@pytest.mark.parametrize("order", [("short.md", "equal.md"), ("equal.md", "short.md")])
def test_of_texts_of_one_length_the_same_one_is_kept_in_any_order(
    build: Build, write: Write, tmp_path: Path, order: tuple[str, ...]
) -> None:
    own = f"paperdesk:{write('own/papers.jsonl', PAPERS).parent}"
    built = build(own, *(text_folder(tmp_path / name.removesuffix(".md"), (name,)) for name in order))
    (lost,) = [file for file in built.report.files if file.kind == "markdown" and not file.kept]
    (body,) = built.one("SELECT body FROM fulltext")
    kept = next(name for name, text in TEXTS.items() if text == body)
    assert {kept, lost.samples[0].position} == set(order)
    assert kept == "equal.md"


def test_two_texts_in_one_folder_are_told_apart(build: Build, write: Write, tmp_path: Path) -> None:
    own = f"paperdesk:{write('own/papers.jsonl', PAPERS).parent}"
    built = build(own, text_folder(tmp_path / "texts", ("longer.md", "short.md")))
    (file,) = [file for file in built.report.files if file.kind == "markdown"]
    assert (file.kept, file.samples) == (1, [Sample("short.md", "a second text for its paper")])


NOTHING = {
    "an empty list": ("pwc", "rows.json", "[]"),
    "an empty file": ("arxiv", "rows.jsonl", ""),
    "blank lines": ("openalex", "rows.jsonl", "\n\n"),
    "an empty own file": ("paperdesk", "papers.jsonl", ""),
    "empty tables": ("pwc", "rows.json", '[{"task": "", "datasets": []}]'),
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_build_that_keeps_nothing_fails(tmp_path: Path, name: str) -> None:
    kind, file, content = NOTHING[name]
    (tmp_path / file).write_text(content)
    with pytest.raises(BuildFailed, match=r"Nothing was built\.$"):
        build_catalog(
            [parse_source(f"{kind}:{tmp_path / file}")], tmp_path / "out", options=BuildOptions(clock=SystemClock())
        )
    assert [each.name for each in tmp_path.iterdir()] == [file]


def test_a_build_of_the_wrong_kind_fails_with_counts_and_first_reasons(build: Build, write: Write) -> None:
    path = write("works.jsonl", [{"title": "No id"}, {"title": "None either"}])
    with pytest.raises(BuildFailed) as caught:
        build(f"arxiv:{path}")
    assert caught.value.message == (
        "No paper, benchmark or other thing was found: of 2 rows read, 2 were skipped"
        f" (first in {path}: line 1: no arXiv id; line 2: no arXiv id). Is the kind of each source right?"
        " Nothing was built."
    )
    many = write("many.jsonl", [{"title": "No id"}] * 200)
    with pytest.raises(BuildFailed, match="of 200 rows read, 200 were skipped"):
        build(f"arxiv:{many}", allow_bad_rows=True)


def test_texts_without_their_papers_are_no_catalog(build: Build, tmp_path: Path) -> None:
    with pytest.raises(BuildFailed, match=r"short\.md: unknown paper\)\. Is the kind"):
        build(text_folder(tmp_path / "texts", ("short.md",)))


def test_one_thing_without_papers_is_a_catalog(build: Build, write: Write) -> None:
    built = build(f"paperdesk:{write('own/areas.jsonl', [{'key': 'nlp', 'name': 'NLP'}]).parent}")
    assert {name: count for name, count in built.report.counts.items() if count} == {"areas": 1}


def test_a_link_from_a_paper_to_itself_is_a_skipped_row(build: Build, write: Write) -> None:
    papers = [*PAPERS, {"key": "again", "title": "First", "arxiv_id": "1706.03762"}]
    links = [("a", "b"), ("a", "a"), ("a", "again"), ("b", "a")]
    rows = [{"predecessor": one, "successor": other} for one, other in links]
    write("own/papers.jsonl", papers)
    built = build(f"paperdesk:{write('own/lineage.jsonl', rows).parent}")
    file = next(file for file in built.report.files if file.name == "lineage.jsonl")
    reason = "lineage link from a paper to itself"
    assert (file.read, file.kept, dict(file.skipped)) == (4, 2, {reason: 2})
    assert file.samples == [Sample("line 2", reason), Sample("line 3", reason)]
    assert built.report.counts["lineage"] == 2


def test_every_reason_has_its_first_five_positions(build: Build, write: Write) -> None:
    kinds: list[tuple[dict[str, Any], str]] = [
        ({"title": "x"}, "no arXiv id"),
        ({"id": "1706.03762"}, "no title"),
        ({"id": "1706.03762", "title": 7}, "`title` is not text"),
        ({"id": "1706.03762", "title": "x", "authors_parsed": "A"}, "`authors_parsed` is not a list"),
        ({"id": "1706.03762", "title": "x", "abstract": 7}, "`abstract` is not text"),
        ({"id": "1706.03762", "title": "x", "versions": 7}, "`versions` is not a list"),
    ]
    rows = [row for row, _ in kinds for _ in range(7)]
    path = write("rows.jsonl", [*rows, {"id": "1806.00001", "title": "Good"}])
    (file,) = build(f"arxiv:{path}", allow_bad_rows=True).report.files
    assert file.samples == [
        Sample(f"line {7 * place + n}", reason) for place, (_, reason) in enumerate(kinds) for n in range(1, 6)
    ]


def test_the_manifest_keeps_merged_skipped_and_left_out_apart(build: Build, write: Write) -> None:
    result = {"model_name": "A", "metrics": {"EM": "1"}, "paper_title": "One", "paper_date": "soon"}
    table = {"metrics": ["EM"], "rows": [result, result, {**result, "metrics": {}}]}
    path = write("boards.jsonl", [{"task": "QA", "datasets": [{"dataset": "SQuAD", "sota": table}]}])
    built = build(f"pwc:{path}")
    (file,) = built.report.files
    assert (sum(file.merged.values()), sum(file.skipped.values()), sum(file.left_out.values())) == (1, 1, 3)
    assert open_manifest(built.path).sources == (
        SourceRecord(
            kind="pwc",
            name="boards.jsonl",
            sha256=file.sha256,
            licence=file.licence,
            read=3,
            kept=1,
            skipped=dict(file.skipped),
            merged=dict(file.merged),
            left_out=dict(file.left_out),
        ),
    )


def test_rows_that_describe_papers_are_counted(build: Build, write: Write) -> None:
    papers = [*PAPERS, {"key": "again", "title": "First", "arxiv_id": "1706.03762"}]
    report = build(f"paperdesk:{write('own/papers.jsonl', papers).parent}").report
    assert (report.paper_rows, report.counts["papers"]) == (3, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1}, {"b": 2', "is not a JSON list: element 2 cannot be parsed. Is it cut off?"),
        ('[{"a": 1}, {"b": 2}', "ends in the middle of its JSON list, at element 2. Is it cut off?"),
        ('[{"a": 1}, {"b": 2} {', "is not a JSON list: element 2 is not followed by a comma."),
        ('[{"a": 1}] 7', "goes on after its JSON list."),
        ('[{"a": 1}]', "has the fields of none of these archive files: {shapes}."),
    ],
)
def test_a_broken_list_says_where_and_that_nothing_was_built(
    build: Build, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "dump.json"
    path.write_text(text)
    shapes = "papers-with-abstracts, links-between-papers-and-code, methods, datasets, evaluation-tables"
    with pytest.raises(BuildFailed) as caught:
        build(f"pwc:{path}")
    assert caught.value.message == f"{path} {message.format(shapes=shapes)} Nothing was built."


FAULTS: dict[str, list[dict[str, Any]]] = {
    "lineage": [{"predecessor": "a", "successor": "none"}],
    "evaluations": [{"benchmark": "x", "task": "t", "model_name": "m", "metrics": {}, "paper": "none"}],
    "methods": [{"key": "m", "name": "M", "source_paper": "none"}],
    "papers": [*PAPERS, PAPERS[0]],
}


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_key_names_the_file_with_its_folder(build: Build, write: Write, name: str, ending: str) -> None:
    rows = FAULTS[name]
    entities = {"papers": PAPERS, "tasks": [{"key": "t", "name": "T"}], "benchmarks": [{"key": "x", "name": "X"}]}
    for entity, held in {**entities, name: rows}.items():
        path = write(f"own/{entity}.jsonl{ending}", held)
    faulty = path.with_name(f"{name}.jsonl{ending}")
    with pytest.raises(BuildFailed) as caught:
        build(f"paperdesk:{path.parent}")
    assert caught.value.message.startswith(f"{faulty}, line {len(rows)}: ")


def own_catalog(tmp_path: Path, title: str, out: str, *, replace: bool = False) -> Path:
    folder = tmp_path / "in" / title
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "papers.jsonl").write_text(json.dumps({"key": "a", "title": title}))
    options = BuildOptions(clock=SystemClock(), replace=replace)
    build_catalog([parse_source(f"paperdesk:{folder}")], tmp_path / out, options=options)
    return tmp_path / out


def test_names_that_look_like_patterns_clean_up_after_themselves_only(tmp_path: Path) -> None:
    for name in ("out[1]", "out1", "o*", "out?"):
        left = tmp_path / f".{name}.building-0000"
        left.mkdir()
        (left / ".build.lock").touch()
    own_catalog(tmp_path, "A", "out[1]")
    assert sorted(each.name for each in tmp_path.glob(".*")) == [
        ".o*.building-0000",
        ".out1.building-0000",
        ".out?.building-0000",
    ]
    own_catalog(tmp_path, "A", "o*")
    own_catalog(tmp_path, "A", "out?")
    assert [each.name for each in tmp_path.glob(".*")] == [".out1.building-0000"]


def test_a_replaced_catalog_is_there_at_every_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = own_catalog(tmp_path, "A", "out")
    before = open_manifest(out)
    seen: list[str] = []
    exchanged = workspace_module._exchanged

    def looking(one: Path, other: Path) -> bool:
        seen.append(open_manifest(other).content_id)
        done = exchanged(one, other)
        seen.append(open_manifest(other).content_id)
        return done or pytest.skip("this system or file system cannot exchange two names")

    monkeypatch.setattr(workspace_module, "_exchanged", looking)
    own_catalog(tmp_path, "B", "out", replace=True)
    assert seen == [before.content_id, open_manifest(out).content_id]
    assert seen[0] != seen[1]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "out"]


def test_where_names_cannot_be_exchanged_two_renames_replace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = own_catalog(tmp_path, "A", "out")
    before = open_manifest(out)
    monkeypatch.setattr(workspace_module, "_exchanged", lambda one, other: False)
    own_catalog(tmp_path, "B", "out", replace=True)
    assert open_manifest(out).content_id != before.content_id
    assert sorted(each.name for each in tmp_path.iterdir()) == ["in", "out"]


@pytest.mark.parametrize("name", ["out", "out[1]"])
def test_a_catalog_moved_away_by_a_dead_replacement_is_named(tmp_path: Path, name: str) -> None:
    out = own_catalog(tmp_path, "A", name)
    left = out.rename(tmp_path / f".{name}.replaced-0000")
    with pytest.raises(CatalogUnusable) as caught:
        open_manifest(out)
    assert caught.value.message == (
        f"There is no catalog directory at {out}. A replacement that was cut short moved it to {left}: rename that"
        " back, or build the catalog again."
    )
    shutil.rmtree(left)
    with pytest.raises(CatalogUnusable, match="Build one with"):
        open_manifest(out)
