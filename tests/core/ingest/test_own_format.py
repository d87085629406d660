import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BuildFailed
from core.ingest.export import export_catalog
from core.ingest.ids import derived_id

Build = Callable[..., Any]
Write = Callable[..., Path]

FOLDER: dict[str, list[dict[str, Any]]] = {
    "areas": [{"key": "nlp", "name": "NLP", "id": "7"}],
    "tasks": [
        {"key": "sub", "name": "Few-Shot QA", "parents": ["qa"], "visible": False},
        {
            "key": "qa",
            "name": "Question Answering",
            "area": "nlp",
            "aliases": ["QA"],
            "research_trends": ["Longer contexts"],
            "recommended_frameworks": [{"name": "torch", "num_stars": 3}],
        },
    ],
    "methods": [{"key": "m", "name": "Attention", "area": "nlp", "source_paper": "p1", "introduced_year": 2017}],
    "conferences": [
        {"key": "n17", "name": "NeurIPS", "year": 2017, "start_date": "2017-12-04"},
        {"key": "n18", "name": "NeurIPS", "year": 2018},
    ],
    "organizations": [{"key": "g", "name": "Google", "is_featured": True, "trending_rank": 1}],
    "frameworks": [
        {
            "key": "pt",
            "name": "PyTorch",
            "platforms": ["linux"],
            "domain": {"slug": "ml", "name": "Machine learning"},
            "category": {"slug": "dl", "name": "Deep learning"},
            "organization": "g",
            "introducing_paper": "p2",
        }
    ],
    "authors": [
        {"key": "ann", "name": "Ann Lee", "id": 11, "hf_username": "annl"},
        {"key": "ann2", "name": "Ann Lee", "id": 12},
    ],
    "papers": [
        {
            "key": "p1",
            "title": "Attention Is All You Need",
            "id": 4711,
            "arxiv_id": "1706.03762",
            "doi": "10.1000/ABC",
            "identifiers": {"s2": "204e3073870fae3d05bcbc2f6a8e263d9b72e776", "nips": ["7181", "7182"]},
            "abstract": "One.\nTwo.",
            "authors": ["ann", {"name": "Bo Ek"}, "ann2"],
            "published": "2017-06",
            "venue": "NIPS",
            "conference": "n17",
            "url": "https://arxiv.org/abs/1706.03762",
            "citation_count": 10,
            "velocity": 1.5,
            "is_retracted": False,
            "version": "v7",
            "tasks": ["qa"],
            "methods": ["m"],
            "organizations": ["g"],
            "repositories": [{"url": "https://github.com/a/a", "is_official": True, "framework": "pt", "stars": 5}],
            "project_pages": ["https://a.example.org"],
            "hf_models": ["a/b"],
        },
        {"key": "p2", "title": "A Paper: Of No Fame", "repositories": [], "is_latest": False},
    ],
    "benchmarks": [
        {
            "key": "squad",
            "name": "SQuAD",
            "aliases": ["Stanford QA"],
            "tasks": ["qa"],
            "metrics": [{"name": "Frob", "direction": "lower"}, {"name": "EM"}],
        }
    ],
    "evaluations": [
        {
            "benchmark": "squad",
            "task": "qa",
            "model_name": "A",
            "metrics": {"Frob": 2, "EM": "80.0"},
            "paper": "p1",
            "is_open": False,
        },
        {
            "benchmark": "squad",
            "task": "qa",
            "model_name": "B",
            "metrics": {"Frob": 1.5},
            "protocol": "5-shot",
            "split": "test",
        },
        {
            "benchmark": "squad",
            "task": "sub",
            "model_name": "B",
            "metrics": {"Frob": 3},
            "rank": 9,
            "paper_title": "A paper of no fame",
        },
    ],
    "lineage": [{"predecessor": "p1", "successor": "p2"}],
}


def folder(write: Write, name: str = "own", **changed: list[dict[str, Any]]) -> Path:
    for entity, rows in (FOLDER | changed).items():
        write(f"{name}/{entity}.jsonl", rows)
    return write(f"{name}/areas.jsonl", (FOLDER | changed)["areas"]).parent


def test_a_folder_becomes_a_catalog(build: Build, write: Write) -> None:
    built = build(f"paperdesk:{folder(write)}")
    assert built.rows(
        "SELECT id, slug, published, is_latest, repository_count, has_official FROM paper ORDER BY title DESC"
    ) == [
        (4711, "attention-is-all-you-need", "2017-06", 1, 1, 1),
        (derived_id("paper", "key:p2"), "a-paper-of-no-fame", None, 0, 0, 0),
    ]
    assert built.rows("SELECT scheme, value FROM identifier WHERE scheme <> 'slug' ORDER BY 1, 2") == [
        ("arxiv", "1706.03762"),
        ("doi", "10.1000/abc"),
        ("nips", "7181"),
        ("nips", "7182"),
        ("s2", "204e3073870fae3d05bcbc2f6a8e263d9b72e776"),
    ]
    assert built.rows(
        "SELECT a.id, a.name, hf_username FROM paper_author JOIN author a ON a.id = author_id ORDER BY position"
    ) == [
        (11, "Ann Lee", "annl"),
        (derived_id("author", "bo ek"), "Bo Ek", None),
        (12, "Ann Lee", None),
    ]
    assert built.rows("SELECT name, level, area_id, visible, research_trends FROM task ORDER BY level") == [
        ("Question Answering", 0, 7, 1, '["Longer contexts"]'),
        ("Few-Shot QA", 1, 7, 0, "[]"),
    ]
    assert built.rows("SELECT name, slug, year, start_date, paper_count FROM conference ORDER BY year") == [
        ("NeurIPS", "neurips-2017", 2017, "2017-12-04", 1),
        ("NeurIPS", "neurips-2018", 2018, None, 0),
    ]
    assert built.one(
        "SELECT name, organization_name, domain_slug, category_name, platforms, paper_count FROM framework"
    ) == (
        "PyTorch",
        "Google",
        "ml",
        "Deep learning",
        '["linux"]',
        1,
    )
    assert built.rows(
        "SELECT model_name, best_rank, best_metric, is_open, methodology, split FROM evaluation ORDER BY best_rank"
    ) == [
        ("B", 1, "Frob", None, "5-shot", "test"),
        ("A", 2, "Frob", 0, None, None),
        ("B", 9, None, None, None, None),
    ]
    assert built.one("SELECT p.title FROM evaluation JOIN paper p USING (pid) WHERE best_rank = 9") == (
        "A Paper: Of No Fame",
    )
    assert built.one("SELECT metrics, metric_directions, paper_count, open_count, closed_count FROM benchmark") == (
        '["Frob","EM"]',
        '{"Frob": "lower"}',
        2,
        0,
        1,
    )
    assert built.rows("SELECT kind, value FROM resource ORDER BY 1") == [
        ("hf_model", "a/b"),
        ("project_page", "https://a.example.org"),
    ]
    assert built.report.counts["lineage"] == 1


def test_an_export_builds_to_the_same_content(build: Build, write: Write, tmp_path: Path) -> None:
    texts = write("texts/x.md", []).parent
    (texts / "x.md").unlink()
    (texts / "1706.03762.md").write_bytes(
        "---\ntitle: a front matter\n---\n---\nstays: x\n---\nText — ünder.\n".encode()
    )
    papers = [
        {
            "paper_url": "https://paperswithcode.com/paper/bo",
            "title": "Bo",
            "authors": ["BO EK", "bo ek"],
            "proceeding": "ICML 2019 6",
        },
        {
            "paper_url": "https://paperswithcode.com/paper/two",
            "title": "Bo",
            "url_abs": "https://arxiv.org/abs/1806.00001v2",
        },
    ]
    links = [
        {
            "paper_url": "https://paperswithcode.com/paper/bo",
            "repo_url": "https://github.com/b/b",
            "framework": "tf",
            "is_official": False,
            "mentioned_in_paper": True,
            "mentioned_in_github": False,
        }
    ]
    works = [
        {"id": "https://openalex.org/W1111111", "title": None},
        {
            "id": "https://openalex.org/W2222222",
            "title": "Two",
            "doi": "https://doi.org/10.1000/TWO",
            "authorships": [{"author": {"id": "https://openalex.org/A5001", "display_name": "Ann Lee"}}],
        },
    ]
    built = build(
        f"paperdesk:{folder(write)}",
        f"pwc:{write('papers.json', papers)}",
        f"pwc:{write('links.json', links)}",
        f"openalex:{write('works.jsonl', works)}",
        f"markdown:{texts}",
    )
    assert built.report.counts["fulltexts"] == 1
    counts = export_catalog(built.path, tmp_path / "export")
    assert counts["papers"] == built.report.counts["papers"] == 6
    again = build(f"paperdesk:{tmp_path / 'export'}")
    assert again.report.content_id == built.report.content_id
    assert again.report.counts == built.report.counts
    for table in (
        "paper",
        "identifier",
        "author",
        "paper_author",
        "repository",
        "entity",
        "entity_name",
        "task",
        "evaluation",
        "benchmark",
        "fulltext",
    ):
        assert sorted(map(repr, again.rows(f"SELECT * FROM {table}"))) == sorted(
            map(repr, built.rows(f"SELECT * FROM {table}"))
        ), table


def test_an_export_never_overwrites(build: Build, write: Write, tmp_path: Path) -> None:
    built = build(f"paperdesk:{folder(write)}")
    with pytest.raises(BuildFailed, match="exists"):
        export_catalog(built.path, tmp_path)


@pytest.mark.parametrize(
    ("entity", "rows", "fault"),
    [
        ("areas", [{"key": "nlp", "name": "NLP", "colour": 1}], r"areas.jsonl, line 1: unknown field `colour`"),
        ("areas", [{"key": "nlp", "name": "NLP"}, {"key": "x"}], r"areas.jsonl, line 2: `name` is missing"),
        (
            "areas",
            [{"key": "nlp", "name": "NLP"}, {"key": "nlp", "name": "Vision"}],
            r"areas.jsonl, line 2: the key `nlp` is used twice",
        ),
        (
            "areas",
            [{"key": "nlp", "name": "NLP"}, {"key": "x", "name": "nlp"}],
            r"areas.jsonl, line 2: .* described twice; give both rows an `id`",
        ),
        (
            "tasks",
            [{"key": "qa", "name": "QA", "area": "none"}],
            r"tasks.jsonl, line 1: there is no area with the key `none`",
        ),
        ("tasks", [{"key": "qa", "name": "QA", "parents": ["none"]}], r"there is no task with the key `none`"),
        (
            "methods",
            [{"key": "m", "name": "M", "source_paper": "none"}],
            r"methods.jsonl, line 1: there is no paper with the key `none`",
        ),
        (
            "papers",
            [*FOLDER["papers"], {"key": "p3", "title": "T", "authors": ["nobody"]}],
            r"papers.jsonl, line 3: there is no author with the key `nobody`",
        ),
        (
            "papers",
            [*FOLDER["papers"], {"key": "p3", "title": "T", "published": "2017-13"}],
            r"papers.jsonl, line 3: `published` is not a date",
        ),
        (
            "papers",
            [*FOLDER["papers"], {"key": "p3", "title": "T", "arxiv_id": "abc"}],
            r"papers.jsonl, line 3: `arxiv_id` is no arXiv id",
        ),
        (
            "papers",
            [*FOLDER["papers"], {"key": "p2", "title": "T"}],
            r"papers.jsonl, line 3: the key `p2` is used twice",
        ),
        (
            "papers",
            [*FOLDER["papers"], {"key": "p3", "title": "T", "repositories": [{"is_official": True}]}],
            r"papers.jsonl, line 3: `repositories` is not a list of",
        ),
        (
            "evaluations",
            [{"benchmark": "none", "task": "qa", "model_name": "A", "metrics": {}}],
            r"evaluations.jsonl, line 1: there is no benchmark",
        ),
        (
            "evaluations",
            [{"benchmark": "squad", "task": "qa", "model_name": "A", "metrics": {}, "paper": "none"}],
            r"evaluations.jsonl, line 1: there is no paper",
        ),
        (
            "evaluations",
            [{"benchmark": "squad", "task": "qa", "model_name": "A", "metrics": {"x": True}}],
            r"evaluations.jsonl, line 1: `metrics`",
        ),
        (
            "lineage",
            [{"predecessor": "p1", "successor": "none"}],
            r"lineage.jsonl, line 1: there is no paper with the key `none`",
        ),
    ],
)
def test_a_fault_names_file_and_line(build: Build, write: Write, entity: str, rows: list[Any], fault: str) -> None:
    with pytest.raises(BuildFailed, match=fault):
        build(f"paperdesk:{folder(write, **{entity: rows})}")


def test_a_line_that_is_not_json_stops_the_build(build: Build, write: Write) -> None:
    path = folder(write)
    (path / "areas.jsonl").write_text('{"key": "nlp", "name": "NLP"}\n{broken\n')
    with pytest.raises(BuildFailed, match=r"areas.jsonl, line 2: not JSON"):
        build(f"paperdesk:{path}")


def test_a_strange_file_stops_the_build(build: Build, write: Write) -> None:
    path = folder(write)
    (path / "people.jsonl").write_text(json.dumps({"key": "x"}))
    with pytest.raises(BuildFailed, match=r"people.jsonl is none of the own format's files"):
        build(f"paperdesk:{path}")


def test_two_things_of_one_name_live_by_their_ids(build: Build, write: Write) -> None:
    methods = [{"key": "b", "name": "BERT", "id": 2}, {"key": "a", "name": "BERT", "id": 1}]
    built = build(
        f"paperdesk:{folder(write, methods=methods, papers=FOLDER['papers'][1:], evaluations=[], lineage=[])}"
    )
    assert built.rows("SELECT id, slug FROM method ORDER BY id") == [(1, "bert"), (2, "bert-1")]


@pytest.mark.shared_data
def test_real_leaderboards_survive_an_export(build: Build, shared_data: Path, tmp_path: Path) -> None:
    built = build(f"pwc:{shared_data / 'leaderboards'}")
    export_catalog(built.path, tmp_path / "export")
    again = build(f"paperdesk:{tmp_path / 'export'}")
    assert (again.report.content_id, again.report.counts) == (built.report.content_id, built.report.counts)
