"""Inputs that somebody made to break a build: each is refused in a sentence, skipped and counted, or taken whole."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.clock import SystemClock
from core.errors import BuildFailed
from core.ingest.build import BuildOptions, build_catalog, parse_source
from tests.core.ingest.conftest import Build

Write = Callable[..., Path]

NOTHING_LEFT = "<b></b>"
"""A text that cleaning leaves nothing of."""


def nested(depth: int) -> Any:
    value: Any = "end"
    for _ in range(depth):
        value = {"in": value}
    return value


@pytest.mark.parametrize("kind", ["pwc", "arxiv", "openalex", "markdown", "paperdesk"])
@pytest.mark.parametrize("is_in_folder", [False, True])
def test_a_pipe_is_no_source(build: Build, tmp_path: Path, kind: str, is_in_folder: bool) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    pipe = folder / {"markdown": "2401.00001.md", "paperdesk": "papers.jsonl"}.get(kind, "rows.json")
    os.mkfifo(pipe)
    with pytest.raises(BuildFailed, match="is no regular file"):
        build(f"{kind}:{folder if is_in_folder else pipe}")


def test_a_device_is_no_source(build: Build) -> None:
    with pytest.raises(BuildFailed, match="/dev/zero is no regular file"):
        build("openalex:/dev/zero")


def test_a_link_to_nothing_is_not_dropped_in_silence(build: Build, tmp_path: Path) -> None:
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "a.jsonl").symlink_to(tmp_path / "gone")
    with pytest.raises(BuildFailed, match=r"a\.jsonl cannot be read: No such file"):
        build(f"openalex:{tmp_path / 'works'}")


def test_folders_named_like_files_are_looked_into(build: Build, write: Write, tmp_path: Path) -> None:
    write("works/a.jsonl/b.json", [{"id": "https://openalex.org/W1", "title": "One"}])
    (tmp_path / "works" / "again").symlink_to(tmp_path / "works")
    assert build(f"openalex:{tmp_path / 'works'}").rows("SELECT title FROM paper") == [("One",)]


def test_lone_surrogates_in_keys_names_and_links_do_not_stop_the_own_format(build: Build, write: Write) -> None:
    write("own/authors.jsonl", [{"key": "\ud800", "name": "Ada \udfff"}])
    paper = {
        "key": "\udc00",
        "title": "T",
        "slug": "s\ud800",
        "authors": ["\ud800"],
        "project_pages": ["https://\ud800"],
    }
    path = write("own/papers.jsonl", [paper])
    built = build(f"paperdesk:{path.parent}")
    assert built.rows("SELECT title, slug FROM paper") == [("T", "s\ufffd")]
    assert built.rows("SELECT name FROM author") == [("Ada \ufffd",)]


def test_names_of_nothing_but_markup_stay_as_they_stand(build: Build, write: Write) -> None:
    named = {"key": "k", "name": NOTHING_LEFT}
    path = write("own/tasks.jsonl", [named])
    write("own/methods.jsonl", [named])
    write("own/frameworks.jsonl", [{**named, "domain": {"slug": "d", "name": NOTHING_LEFT}}])
    write(
        "own/benchmarks.jsonl", [{**named, "metrics": [{"name": NOTHING_LEFT, "direction": "lower"}], "tasks": ["k"]}]
    )
    result = {"benchmark": "k", "task": "k", "model_name": NOTHING_LEFT, "metrics": {NOTHING_LEFT: NOTHING_LEFT}}
    write("own/evaluations.jsonl", [result])
    built = build(f"paperdesk:{path.parent}")
    assert built.rows("SELECT DISTINCT name FROM entity") == [(NOTHING_LEFT,)]
    ((model, metrics),) = built.rows("SELECT model_name, metrics FROM evaluation")
    assert (model, json.loads(metrics)) == (NOTHING_LEFT, {NOTHING_LEFT: NOTHING_LEFT})


@pytest.mark.parametrize(
    ("name", "row", "fault"),
    [
        ("papers", {"key": "p", "title": "T", "id": "9" * 5000}, "`id` is not a whole number"),
        ("papers", {"key": "p", "title": "T", "id": "0" * 5000 + "1"}, "`id` is not a whole number"),
        ("papers", {"key": "p", "title": "T", "citation_count": 1 << 70}, "`citation_count` is not a whole number"),
        ("papers", {"key": "p", "title": "T", "velocity": 10**400}, "`velocity` is not a number"),
        ("tasks", {"key": "t", "name": "T", "research_trends": [nested(40)]}, "nested at most 32 deep"),
        ("tasks", {"key": "t", "name": "T", "research_trends": [nested(800)]}, "nested at most 32 deep"),
    ],
)
@pytest.mark.parametrize("as_list", [False, True])
def test_values_past_what_can_be_stored_are_named(
    build: Build, write: Write, name: str, row: dict[str, Any], fault: str, as_list: bool
) -> None:
    path = write(f"own/{name}.jsonl", [row], as_list=as_list)
    with pytest.raises(BuildFailed, match=fault):
        build(f"paperdesk:{path.parent}")


@pytest.mark.parametrize("value", ["1e999", "-1e999", "1" + "0" * 400, "9" * 5000])
def test_a_metric_without_a_finite_value_is_a_bad_row(build: Build, tmp_path: Path, value: str) -> None:
    rows = f'[{{"model_name": "bad", "metrics": {{"A": {value}}}}}, {{"model_name": "good", "metrics": {{"A": 1}}}}]'
    table = f'{{"dataset": "D", "sota": {{"metrics": ["A"], "rows": {rows}}}}}'
    path = tmp_path / "tables.json"
    path.write_text(f'[{{"task": "T", "subtasks": [], "datasets": [{table}]}}]')
    built = build(f"pwc:{path}", allow_bad_rows=True)
    assert built.rows("SELECT model_name FROM evaluation") == [("good",)]
    assert dict(built.report.files[0].skipped) == {"a metric value is neither number nor text": 1}


def test_a_year_of_thousands_of_digits_is_no_year(build: Build, write: Write) -> None:
    path = write("methods.json", [{"name": "M", "introduced_year": "9" * 5000, "collections": []}], as_list=True)
    assert build(f"pwc:{path}").rows("SELECT name, introduced_year FROM method") == [("M", None)]


@pytest.mark.parametrize("name", [b"w\xff.jsonl", "wérk 漢?#%.jsonl".encode()])
def test_a_file_of_any_name_is_read_and_named_as_far_as_it_can_be(build: Build, tmp_path: Path, name: bytes) -> None:
    folder = tmp_path / os.fsdecode(b"fol\xfeder")
    folder.mkdir()
    (folder / os.fsdecode(name)).write_text('{"id": "https://openalex.org/W1", "title": "One"}\n')
    (folder / os.fsdecode(b"doi_10.1000%2F\xe9.md")).write_text("# A text\n")
    built = build(f"openalex:{folder}", f"markdown:{folder}")
    assert [file.name for file in built.report.files] == ["fol\ufffdder", name.decode("utf-8", "replace")]
    assert json.loads((built.path / "build-report.json").read_text())["content_id"] == built.report.content_id


@pytest.mark.parametrize("name", ["x" * 300, os.fsdecode(b"out\xff"), "a\0b"])
def test_a_target_that_no_catalog_can_have_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    source = tmp_path / "w.jsonl"
    source.write_text('{"id": "https://openalex.org/W1", "title": "One"}\n')
    with pytest.raises(BuildFailed, match=r"cannot be written|no catalog can be written"):
        build_catalog([parse_source(f"openalex:{source}")], tmp_path / name, options=BuildOptions(clock=SystemClock()))
    assert [path.name for path in tmp_path.iterdir()] == ["w.jsonl"]


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_source_that_no_file_can_be_does_not_exist(build: Build, name: str) -> None:
    with pytest.raises(BuildFailed, match="does not exist"):
        build(f"openalex:{name}")
