from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import BuildFailed
from core.ingest.ids import derived_id

Build = Callable[..., Any]
Write = Callable[..., Path]

ATTENTION = {
    "paper_url": "https://paperswithcode.com/paper/attention-is-all-you-need",
    "arxiv_id": "1706.03762",
    "nips_id": 7181,
    "openreview_id": None,
    "title": "Attention Is All You Need",
    "abstract": "We propose the Transformer.",
    "short_abstract": None,
    "url_abs": "http://arxiv.org/abs/1706.03762v7",
    "url_pdf": "http://arxiv.org/pdf/1706.03762v7.pdf",
    "proceeding": "NeurIPS 2017 12",
    "authors": ["Ashish Vaswani", "Noam  Shazeer"],
    "tasks": ["Machine Translation", "Parsing"],
    "date": "2017-06-12",
    "conference_url_abs": None,
    "conference_url_pdf": None,
    "conference": None,
    "reproduces_paper": None,
    "methods": [
        {
            "name": "Transformer",
            "full_name": "Transformer",
            "description": "A model.",
            "introduced_year": 2000,
            "source_url": "http://arxiv.org/abs/1706.03762v7",
            "source_title": "Attention Is All You Need",
            "code_snippet_url": None,
            "main_collection": {"name": "Transformers", "description": "", "parent": None, "area": "NLP"},
        }
    ],
}


def paper(slug: str, title: str, **more: Any) -> dict[str, Any]:
    return {"paper_url": f"https://paperswithcode.com/paper/{slug}", "title": title, "abstract": None, **more}


def row(model: str, metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "model_name": model,
        "paper_title": "",
        "paper_url": "",
        "paper_date": None,
        "code_links": [],
        "model_links": [],
        "metrics": metrics,
        "uses_additional_data": False,
        **more,
    }


def table(name: str, metrics: list[str], rows: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"dataset": name, "description": "", "subdatasets": [], "sota": {"metrics": metrics, "rows": rows}, **more}


def task(name: str, datasets: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"task": name, "categories": [], "synonyms": [], "subtasks": [], "datasets": datasets, **more}


def test_a_paper_has_all_that_its_row_says(build: Build, write: Write) -> None:
    built = build(f"pwc:{write('papers.json.gz', [ATTENTION], as_list=True, bom=True)}")
    columns = "arxiv_id, slug, title, abstract, published, venue, url_abs, url_pdf, source, authors, repository_count"
    assert built.one(f"SELECT {columns} FROM paper") == (
        "1706.03762",
        "attention-is-all-you-need",
        "Attention Is All You Need",
        "We propose the Transformer.",
        "2017-06-12",
        "NeurIPS 2017",
        "http://arxiv.org/abs/1706.03762v7",
        "http://arxiv.org/pdf/1706.03762v7.pdf",
        "arxiv",
        '["Ashish Vaswani","Noam Shazeer"]',
        None,
    )
    assert built.rows("SELECT scheme, value FROM identifier ORDER BY 1") == [
        ("arxiv", "1706.03762"),
        ("nips", "7181"),
        ("slug", "attention-is-all-you-need"),
    ]
    assert built.one("SELECT id FROM paper") == (derived_id("paper", "arxiv:1706.03762"),)
    assert built.rows("SELECT name FROM paper_task JOIN task ON id = task_id ORDER BY position") == [
        ("Machine Translation",),
        ("Parsing",),
    ]
    assert built.one("SELECT name, slug, year, paper_count FROM conference") == ("NeurIPS", "neurips-2017", 2017, 1)
    assert built.rows("SELECT level, fold FROM entity_name WHERE kind = 'conference' ORDER BY 1, 2") == [
        ("folded", "neurips"),
        ("folded", "neurips 2017"),
        ("full_name", "neurips 2017"),
        ("name", "neurips"),
    ]
    method = built.one(
        "SELECT m.name, m.slug, a.name, introduced_year, paper_count FROM method m JOIN area a ON a.id = area_id"
    )
    assert method == ("Transformer", "transformer", "NLP", 2000, 1)
    assert built.report.files[0].licence == "CC BY-SA 4.0"


def test_links_give_repositories_and_frameworks(build: Build, write: Write) -> None:
    def link(repo: str, **more: Any) -> dict[str, Any]:
        return {
            "paper_url": ATTENTION["paper_url"],
            "paper_title": "Attention Is All You Need",
            "paper_arxiv_id": "1706.03762",
            "paper_url_abs": "http://arxiv.org/abs/1706.03762v7",
            "paper_url_pdf": None,
            "repo_url": f"https://github.com/{repo}",
            "is_official": False,
            "mentioned_in_paper": False,
            "mentioned_in_github": False,
            "framework": "none",
            **more,
        }

    links = write(
        "links.json",
        [
            link("a/other", framework="pytorch"),
            link("tensorflow/tensor2tensor", framework="tf", mentioned_in_paper=True),
            link("tensorflow/tensor2tensor", is_official=True, framework="none"),
        ],
        as_list=True,
    )
    silent = paper("no-code", "No Code")
    built = build(f"pwc:{links}", f"pwc:{write('papers.json', [ATTENTION, silent])}")
    assert built.rows(
        "SELECT url, is_official, mentioned_in_paper, framework FROM repository ORDER BY pid, position"
    ) == [
        ("https://github.com/tensorflow/tensor2tensor", 1, 1, "tf"),
        ("https://github.com/a/other", 0, 0, "pytorch"),
    ]
    assert built.rows("SELECT slug, has_official, repository_count FROM paper ORDER BY slug") == [
        ("attention-is-all-you-need", 1, 2),
        ("no-code", 0, 0),
    ]
    assert built.rows("SELECT name, slug, paper_count FROM framework ORDER BY name") == [
        ("PyTorch", "pytorch", 1),
        ("TensorFlow", "tensorflow", 1),
    ]


# catalog A93
def test_tables_give_tasks_scopes_ranks_and_sizes(build: Build, write: Write) -> None:
    rows = [
        row(
            "A",
            {"Accuracy": "90.1%", "Number of params": "340M"},
            code_links=[{"title": "x", "url": "https://github.com/a/a"}],
        ),
        row("B", {"Accuracy": 92.5, "Parameters (M)": 110}),
        row(
            "C",
            {"Accuracy": "90.1", "#Params": "1.5B"},
            model_links=[{"title": "", "url": "https://huggingface.co/c/c"}],
        ),
        row("D", {"Accuracy": "n/a"}),
        row("E", {"Accuracy": 80, "Params": 12_000_000}, code_links=[{"title": "x", "url": None}]),
    ]
    part = {
        "subdataset": "Hard",
        "subdatasets": [],
        "sota": {"metrics": ["WER"], "rows": [row("A", {"WER": 5}), row("B", {"WER": 3})]},
    }
    tables = task(
        "Image Classification",
        [table("ImageNet", ["Accuracy"], rows, subdatasets=[part])],
        categories=["Computer Vision", "Other"],
        synonyms=["Picture Classification"],
        subtasks=[
            task(
                "Few-Shot Image Classification",
                [table("ImageNet", ["Frobnication"], [row("Z", {"Frobnication": 1}), row("Y", {"Frobnication": 9})])],
            )
        ],
    )
    built = build(f"pwc:{write('tables.json', [tables], as_list=True)}")
    assert built.rows(
        "SELECT t.name, t.level, a.name, p.name, t.benchmark_count, t.evaluation_count"
        " FROM task t JOIN area a ON a.id = t.area_id"
        " LEFT JOIN task_parent ON task_id = t.id LEFT JOIN task p ON p.id = parent_id ORDER BY t.name"
    ) == [
        ("Few-Shot Image Classification", 1, "Computer Vision", "Image Classification", 1, 2),
        ("Image Classification", 0, "Computer Vision", None, 2, 7),
    ]
    assert ("alias", "picture classification") in built.rows("SELECT level, fold FROM entity_name WHERE kind = 'task'")
    assert built.rows(
        "SELECT model_name, best_rank, best_metric, is_open, num_parameters, code_url, hf_model_url FROM evaluation e"
        " JOIN benchmark b ON b.id = benchmark_id JOIN task t ON t.id = task_id"
        " WHERE b.name = 'ImageNet' AND t.name = 'Image Classification' ORDER BY model_name"
    ) == [
        ("A", 2, "Accuracy", 1, 340_000_000, "https://github.com/a/a", None),
        ("B", 1, "Accuracy", None, 110_000_000, None, None),
        ("C", 2, "Accuracy", None, 1_500_000_000, None, "https://huggingface.co/c/c"),
        ("D", None, None, None, None, None, None),
        ("E", 4, "Accuracy", None, 12_000_000, None, None),
    ]
    ranked = (
        "SELECT model_name, best_rank FROM evaluation JOIN {0} o ON o.id = {0}_id WHERE o.name = ? ORDER BY best_rank"
    )
    assert built.rows(ranked.format("benchmark"), "ImageNet Hard") == [("B", 1), ("A", 2)]
    assert built.rows(ranked.format("task"), "Few-Shot Image Classification") == [("Z", 1), ("Y", 2)]
    assert built.one(
        "SELECT metrics FROM evaluation WHERE model_name = 'A' AND best_rank = 2 AND num_parameters > 0"
    ) == ('{"Accuracy":"90.1%","Number of params":"340M"}',)
    assert built.one(
        "SELECT metrics, open_count, closed_count, evaluation_count FROM benchmark WHERE name = 'ImageNet'"
    ) == (
        '["Accuracy","Frobnication","Number of params","Parameters (M)","#Params","Params"]',
        1,
        0,
        7,
    )


@pytest.mark.parametrize(
    ("url", "ident"),
    [
        ("https://arxiv.org/pdf/1810.04805v2.pdf", ("arxiv", "1810.04805")),
        ("https://www.aclweb.org/anthology/P18-2058.pdf", ("acl", "P18-2058")),
        ("http://anthology.aclweb.org/P/P15/P15-1032.pdf", ("acl", "P15-1032")),
        ("https://aclanthology.org/2020.acl-main.703/", ("acl", "2020.acl-main.703")),
        ("https://openreview.net/pdf?id=HyeVtoRqtQ", ("openreview", "HyeVtoRqtQ")),
        ("https://doi.org/10.1162/tacl_a_00051", ("doi", "10.1162/tacl_a_00051")),
        ("https://paperswithcode.com/paper/a-paper", ("slug", "a-paper")),
    ],
)
def test_a_result_with_an_identifier_and_a_title_brings_its_paper(
    build: Build, write: Write, url: str, ident: tuple[str, str]
) -> None:
    results = [row("M", {"F1": 90}, paper_url=url, paper_title="A Paper", paper_date="2018-06-01")]
    built = build(f"pwc:{write('tables.json', [task('Parsing', [table('PTB', ['F1'], results)])], as_list=True)}")
    assert built.one("SELECT title, published FROM paper") == ("A Paper", "2018-06-01")
    assert ident in built.rows("SELECT scheme, value FROM identifier")
    assert built.one("SELECT p.title, e.paper_title FROM evaluation e JOIN paper p USING (pid)") == ("A Paper", None)
    assert built.one("SELECT paper_count FROM task") == (1,)


def test_a_result_with_a_title_only_keeps_it(build: Build, write: Write) -> None:
    results = [
        row(
            "M",
            {"F1": 90},
            paper_title="A Lost Paper",
            paper_url="https://lab.example.org/lost.pdf",
            paper_date="2018-06-01",
        ),
        row("N", {"F1": 91}, paper_title="https://www.example.org/", paper_url=") https://www.example.org/about"),
        row("", {"F1": 92}, paper_title="Named By Its Paper"),
    ]
    built = build(f"pwc:{write('tables.json', [task('Parsing', [table('PTB', ['F1'], results)])], as_list=True)}")
    assert built.rows(
        "SELECT model_name, pid, paper_title, paper_published, source_url FROM evaluation ORDER BY model_name"
    ) == [
        ("M", None, "A Lost Paper", "2018-06-01", "https://lab.example.org/lost.pdf"),
        ("N", None, None, None, "https://www.example.org/about"),
        ("Named By Its Paper", None, "Named By Its Paper", None, None),
    ]
    assert built.report.counts["papers"] == 0


def test_a_title_links_only_when_one_paper_of_the_archive_has_it(build: Build, write: Write) -> None:
    papers = [paper("one", "A Unique Title!"), paper("two", "Twice"), paper("three", "Twice")]
    results = [row("M", {"F1": 1}, paper_title="A unique title"), row("N", {"F1": 2}, paper_title="Twice")]
    tables = write("tables.json", [task("Parsing", [table("PTB", ["F1"], results)])], as_list=True)
    arxiv = write("arxiv.jsonl", [{"id": "1906.00001", "title": "Only In arXiv", "authors": "A B", "abstract": "x"}])
    others = write(
        "more.json",
        [task("Parsing", [table("PTB", ["F1"], [row("O", {"F1": 3}, paper_title="Only in arXiv")])])],
        as_list=True,
    )
    built = build(f"pwc:{write('papers.json', papers)}", f"pwc:{tables}", f"pwc:{others}", f"arxiv:{arxiv}")
    assert built.rows("SELECT model_name, slug FROM evaluation e LEFT JOIN paper USING (pid) ORDER BY model_name") == [
        ("M", "one"),
        ("N", None),
        ("O", None),
    ]


def test_a_result_finds_its_paper_by_an_address_that_one_paper_has(build: Build, write: Write) -> None:
    papers = [
        paper("one", "One", url_pdf="http://proceedings.example.org/one.pdf"),
        paper("two", "Two", url_pdf="http://proceedings.example.org/volume.pdf"),
        paper("three", "Three", url_pdf="http://proceedings.example.org/volume.pdf"),
    ]
    results = [
        row("M", {"F1": 1}, paper_url="https://www.proceedings.example.org/one.pdf"),
        row("N", {"F1": 2}, paper_url="http://proceedings.example.org/volume.pdf"),
    ]
    tables = write("tables.json", [task("Parsing", [table("PTB", ["F1"], results)])], as_list=True)
    built = build(f"pwc:{write('papers.json', papers)}", f"pwc:{tables}")
    assert built.rows("SELECT model_name, slug FROM evaluation LEFT JOIN paper USING (pid) ORDER BY 1") == [
        ("M", "one"),
        ("N", None),
    ]
    assert built.report.counts["papers"] == 3


def test_rows_of_no_use_are_accounted_for(build: Build, write: Write) -> None:
    results: list[Any] = [
        row("M", {"F1": "-", "EM": ""}),
        row("", {"F1": 1}),
        row("N", {"F1": 2}),
        row("N", {"F1": 2}),
        row("N", {"F1": 3}),
        "no row",
    ]
    built = build(f"pwc:{write('tables.json', [task('QA', [table('SQuAD', ['F1'], results)])], as_list=True)}")
    (file,) = built.report.files
    assert (file.read, file.kept, file.bad) == (6, 2, 1)
    assert dict(file.skipped) == {"no metric value": 1, "neither a model name nor a paper title": 1, "not an object": 1}
    assert dict(file.merged) == {"equal to another row": 1}
    assert next((s.position, s.reason) for s in file.samples) == ("element 1 > QA > SQuAD > row 1", "no metric value")
    assert built.one("SELECT count(*), count(DISTINCT id) FROM evaluation") == (2, 2)


def test_methods_file_beats_methods_in_papers(build: Build, write: Write) -> None:
    methods = [
        {
            "url": "https://paperswithcode.com/method/transformer-1",
            "name": "Transformer",
            "full_name": "The Transformer",
            "description": "Better.",
            "paper": {
                "title": "Attention Is All You Need",
                "url": "https://paperswithcode.com/paper/attention-is-all-you-need",
            },
            "introduced_year": 2017,
            "source_url": None,
            "source_title": None,
            "code_snippet_url": None,
            "num_papers": 1,
            "collections": [{"collection": "Transformers", "area_id": "nlp", "area": "Natural Language Processing"}],
        }
    ]
    built = build(f"pwc:{write('papers.json', [ATTENTION])}", f"pwc:{write('methods.json', methods, as_list=True)}")
    columns = "m.name, m.slug, full_name, m.description, introduced_year, a.name, p.arxiv_id, paper_count"
    assert built.one(
        f"SELECT {columns} FROM method m JOIN area a ON a.id = area_id JOIN paper p ON pid = source_pid"
    ) == (
        "Transformer",
        "transformer-1",
        "The Transformer",
        "Better.",
        2017,
        "Natural Language Processing",
        "1706.03762",
        1,
    )


def test_datasets_enrich_benchmarks(build: Build, write: Write) -> None:
    def dataset(name: str, **more: Any) -> dict[str, Any]:
        return {
            "name": name,
            "full_name": None,
            "description": "",
            "variants": [],
            "tasks": [],
            "data_loaders": [],
            **more,
        }

    datasets = [
        dataset(
            "CIFAR-10",
            full_name="Canadian Institute 10",
            description="Small pictures.",
            variants=["CIFAR-10", "CIFAR10"],
            introduced_date="2009-01-01",
            homepage="https://huggingface.co/datasets/cifar10",
        ),
        dataset("GLUE", description="A suite.", variants=["GLUE", "QNLI"]),
        dataset("Lonely", tasks=[{"task": "Parsing", "url": ""}]),
    ]
    tables = [
        task(
            "Classification",
            [
                table("cifar-10", ["Accuracy"], [row("A", {"Accuracy": 1})]),
                table("QNLI", ["Accuracy"], [row("A", {"Accuracy": 1})]),
            ],
        )
    ]
    built = build(
        f"pwc:{write('datasets.json', datasets, as_list=True)}", f"pwc:{write('tables.json', tables, as_list=True)}"
    )
    assert built.rows(
        "SELECT slug, full_name, description, hf_url, created_at, evaluation_count FROM benchmark ORDER BY slug"
    ) == [
        (
            "cifar-10",
            "Canadian Institute 10",
            "Small pictures.",
            "https://huggingface.co/datasets/cifar10",
            "2009-01-01",
            1,
        ),
        ("lonely", None, None, None, None, 0),
        ("qnli", None, "A suite.", None, None, 1),
    ]
    assert built.rows("SELECT fold FROM entity_name WHERE kind = 'benchmark' AND level = 'alias'") == [("cifar10",)]
    assert built.rows(
        "SELECT t.name FROM benchmark_task JOIN task t ON t.id = task_id"
        " JOIN benchmark b ON b.id = benchmark_id WHERE b.slug = 'lonely'"
    ) == [("Parsing",)]


def test_a_reproduction_descends_from_its_paper(build: Build, write: Write) -> None:
    again = paper("re-attention", "Re: Attention", reproduces_paper="attention-is-all-you-need")
    stray = paper("re-none", "Re: None", reproduces_paper="https://paperswithcode.com/paper/unknown")
    built = build(f"pwc:{write('papers.json', [again, ATTENTION, stray])}")
    assert built.rows(
        "SELECT a.slug, b.slug FROM lineage JOIN paper a ON a.pid = predecessor JOIN paper b ON b.pid = successor"
    ) == [("attention-is-all-you-need", "re-attention")]
    assert dict(built.report.files[0].left_out) == {"lineage link without two known papers": 1}


def test_a_file_of_no_known_shape_is_refused(build: Build, write: Write) -> None:
    with pytest.raises(BuildFailed, match="papers-with-abstracts, links-between-papers-and-code"):
        build(f"pwc:{write('x.json', [{'a': 1}])}")


LINK = {"paper_url": "https://paperswithcode.com/paper/a", "repo_url": "https://github.com/a/a", "is_official": 0}
METHOD = {"url": "https://paperswithcode.com/method/m", "name": "M", "collections": []}
DATASET: dict[str, Any] = {"name": "D", "variants": []}


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([paper("a", "A"), paper("b", "")], "no title"),
        ([paper("a", "A"), {"paper_url": None, "title": "B"}], "no identifier"),
        ([paper("a", "A"), paper("b", "B", authors="One, Two")], "`authors` is not a list"),
        ([paper("a", "A"), paper("b", "B", authors=[1])], "`authors` is not a list of texts"),
        ([paper("a", "A"), paper("b", "B", methods=["x"])], "`methods` is not a list of objects"),
        ([paper("a", "A"), paper("b", "B", methods=[{"name": None}])], "a method without a name"),
        ([paper("a", "A"), paper("b", ["B"])], "`title` is not text"),
        ([paper("a", "A"), paper("b", "B", abstract=5)], "`abstract` is not text"),
        ([paper("a", "A"), paper("b", "B", date=[])], "`date` is not text"),
        ([LINK, LINK | {"repo_url": "not an address"}], "no repository address"),
        ([LINK, LINK | {"paper_url": None}], "no identifier"),
        ([LINK, LINK | {"is_official": "yes"}], "`is_official` is not true or false"),
        ([METHOD, METHOD | {"name": None}], "a method without a name"),
        ([DATASET, DATASET | {"name": " "}], "no name"),
        ([DATASET, DATASET | {"tasks": {}}], "`tasks` is not a list"),
    ],
)
def test_rows_that_break_their_shape_are_counted(build: Build, write: Write, rows: list[Any], reason: str) -> None:
    (file,) = build(f"pwc:{write('rows.json', rows)}").report.files
    assert (file.read, file.kept, file.bad, dict(file.skipped)) == (2, 1, 1, {reason: 1})
    assert [(sample.position, sample.reason) for sample in file.samples] == [("line 2", reason)]


@pytest.mark.parametrize(
    ("broken", "position", "reason"),
    [
        (7, "element 2", "not an object"),
        (task("", []), "element 2", "a task without a name"),
        (task("T", [7]), "element 2 > T", "not an object"),
        (task("T", [{"dataset": None}]), "element 2 > T", "a dataset without a name"),
        (task("T", [{"dataset": "D", "sota": []}]), "element 2 > T", "`sota` is not an object"),
        (task("T", [], subtasks=[task("", [])]), "element 2 > T", "a task without a name"),
        (
            task("T", [table("D", ["F1"], [], subdatasets=[{}])]),
            "element 2 > T > D",
            "a dataset without a name",
        ),
        (
            task("T", [table("D", ["F1"], [row("M", {"F1": True})])]),
            "element 2 > T > D > row 1",
            "a metric value is neither number nor text",
        ),
        (
            task("T", [table("D", ["F1"], [row("M", {"F1": [1]})])]),
            "element 2 > T > D > row 1",
            "a metric value is neither number nor text",
        ),
    ],
)
def test_broken_parts_of_tables_are_counted_where_they_stand(
    build: Build, write: Write, broken: Any, position: str, reason: str
) -> None:
    good = task("Good", [table("G", ["F1"], [row("M", {"F1": 1})])])
    (file,) = build(f"pwc:{write('tables.json', [good, broken], as_list=True)}").report.files
    assert (file.read, file.kept, file.bad) == (2, 1, 1)
    assert [(sample.position, sample.reason) for sample in file.samples] == [(position, reason)]


@pytest.mark.parametrize(
    ("stated", "linked", "title"),
    [
        ({"title": "anything", "url": "https://arxiv.org/abs/1706.03762v5"}, "1706.03762", None),
        ({"title": None, "url": "/paper/attention-is-all-you-need"}, "1706.03762", None),
        ({"title": "attention is all you need", "url": None}, "1706.03762", None),
        ("Attention Is All You Need", "1706.03762", None),
        ("An Unknown Paper", None, "An Unknown Paper"),
        ({"title": None, "url": None}, None, None),
        (None, None, None),
    ],
)
def test_a_method_finds_its_paper(
    build: Build, write: Write, stated: Any, linked: str | None, title: str | None
) -> None:
    methods = write("methods.json", [METHOD | {"paper": stated}])
    built = build(f"pwc:{write('papers.json', [ATTENTION])}", f"pwc:{methods}")
    columns = "arxiv_id, source_title"
    assert built.one(f"SELECT {columns} FROM method LEFT JOIN paper ON pid = source_pid WHERE name = 'M'") == (
        linked,
        title,
    )


def test_parts_that_cannot_be_used_are_left_out_and_counted(build: Build, write: Write) -> None:
    rows = [paper("a", "A", date="2019-02-30", arxiv_id="12345"), paper("b", "B", proceeding="A Workshop")]
    built = build(f"pwc:{write('papers.json', rows)}")
    assert dict(built.report.files[0].left_out) == {"arXiv id that is none": 1, "date that is none": 1}
    assert built.rows("SELECT slug, published, arxiv_id, venue, conference_id FROM paper ORDER BY slug") == [
        ("a", None, None, None, None),
        ("b", None, None, "A Workshop", None),
    ]
