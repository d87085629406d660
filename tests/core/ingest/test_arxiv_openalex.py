import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.ingest.ids import derived_id

Build = Callable[..., Any]
Write = Callable[..., Path]


def line(arxiv_id: str, **more: Any) -> dict[str, Any]:
    return {
        "id": arxiv_id,
        "submitter": "Someone",
        "authors": "C. Bal\\'azs, E. L. Berger and P. M. Nadolsky",
        "title": "A Title\n  over lines",
        "abstract": "  An abstract.\n",
        "categories": "hep-ph cs.LG",
        "comments": None,
        "journal-ref": None,
        "doi": None,
        "report-no": None,
        "license": None,
        "versions": [],
        "update_date": "2008-11-26",
        **more,
    }


def test_an_arxiv_line_becomes_a_paper(build: Build, write: Write) -> None:
    row = line(
        "0704.0001",
        authors_parsed=[["Balázs", "C.", ""], ["Berger", "E. L.", "Jr."], ["Nadolsky", "P. M.", "", "Argonne"]],
        doi="10.1103/PhysRevD.76.013009",
        versions=[
            {"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
            {"version": "v2", "created": "Tue, 24 Jul 2007 20:10:27 GMT"},
        ],
    )
    row["journal-ref"] = "Phys.Rev.D76:013009,2007"
    built = build(f"arxiv:{write('arxiv.jsonl', [row])}")
    columns = "arxiv_id, doi, title, abstract, authors, published, venue, url_abs, url_pdf, source"
    assert built.one(f"SELECT {columns} FROM paper") == (
        "0704.0001",
        "10.1103/PhysRevD.76.013009",
        "A Title over lines",
        "An abstract.",
        '["C. Balázs","E. L. Berger Jr.","P. M. Nadolsky"]',
        "2007-04-02",
        "Phys.Rev.D76:013009,2007",
        "https://arxiv.org/abs/0704.0001",
        "https://arxiv.org/pdf/0704.0001",
        "arxiv",
    )
    assert built.rows("SELECT scheme, value FROM identifier ORDER BY 1") == [
        ("arxiv", "0704.0001"),
        ("doi", "10.1103/physrevd.76.013009"),
        ("slug", "a-title-over-lines"),
    ]


# catalog A94
def test_without_versions_the_id_gives_the_month(build: Build, write: Write) -> None:
    rows = [line("1907.11692"), line("hep-th/9711200", title="Old"), line("math.GT/0309136", title="With class")]
    built = build(f"arxiv:{write('arxiv.jsonl', rows)}")
    assert built.rows("SELECT arxiv_id, published, published_day FROM paper ORDER BY title") == [
        ("1907.11692", "2019-07", 737241),
        ("hep-th/9711200", None, None),
        ("math.GT/0309136", None, None),
    ]
    assert ("arxiv", "math/0309136") in built.rows("SELECT scheme, value FROM identifier")


# catalog A94
def test_a_year_stays_a_year(build: Build, write: Write) -> None:
    work = {"id": "https://openalex.org/W1234567", "title": "T", "publication_date": None, "publication_year": 2019}
    built = build(f"openalex:{write('works.jsonl', [work])}")
    assert built.one("SELECT published, published_day FROM paper") == ("2019", 737060)


def test_one_text_of_authors_is_split(build: Build, write: Write) -> None:
    built = build(f"arxiv:{write('arxiv.jsonl', [line('1907.11692', authors='A. One, B. Two and C. Three')])}")
    assert built.rows("SELECT name FROM author ORDER BY name") == [("A. One",), ("B. Two",), ("C. Three",)]


def test_only_wanted_categories_are_kept(build: Build, write: Write) -> None:
    rows = [line("1907.11692"), line("1907.11693", title="Other", categories="math.AG")]
    built = build(f"arxiv:{write('arxiv.jsonl', rows)}", categories=("cs.LG", "cs.CL"))
    assert built.rows("SELECT arxiv_id FROM paper") == [("1907.11692",)]
    (file,) = built.report.files
    assert (file.read, file.kept, file.bad, dict(file.skipped)) == (2, 1, 0, {"in none of the wanted categories": 1})


WORK = {
    "id": "https://openalex.org/W2963403868",
    "doi": "https://doi.org/10.48550/arxiv.1706.03762",
    "ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/9659853", "pmcid": None, "mag": "2963403868"},
    "title": "Attention is <i>All</i> you Need",
    "publication_date": "2017-06-12",
    "publication_year": 2017,
    "authorships": [
        {
            "author": {
                "id": "https://openalex.org/A5001",
                "display_name": "Ashish Vaswani",
                "orcid": "https://orcid.org/0000-0002-1825-0097",
            },
            "institutions": [{"id": "https://openalex.org/I1", "display_name": "Google Brain"}],
        },
        {"author": {"id": None, "display_name": "Nameless Helper"}, "institutions": []},
    ],
    "abstract_inverted_index": {"the": [1, 3], "We": [0], "end": [4], "see": [2]},
    "cited_by_count": 6500,
    "is_retracted": False,
    "type": "article",
    "primary_location": {
        "landing_page_url": "https://arxiv.org/abs/1706.03762",
        "pdf_url": None,
        "source": {"display_name": "arXiv"},
    },
    "locations": [
        {
            "landing_page_url": "https://other.example.org/x",
            "pdf_url": "https://other.example.org/x.pdf",
            "source": None,
        }
    ],
    "best_oa_location": None,
    "topics": [{"display_name": "Machine Translation", "subfield": {}, "field": {}, "domain": {}}],
}


def test_an_openalex_work_becomes_a_paper(build: Build, write: Write) -> None:
    built = build(f"openalex:{write('works.jsonl.gz', [WORK])}")
    columns = "arxiv_id, title, abstract, authors, published, venue, url_abs, url_pdf, citation_count, is_retracted"
    assert built.one(f"SELECT {columns} FROM paper") == (
        "1706.03762",
        "Attention is All you Need",
        "We the see the end",
        '["Ashish Vaswani","Nameless Helper"]',
        "2017-06-12",
        "arXiv",
        "https://arxiv.org/abs/1706.03762",
        "https://other.example.org/x.pdf",
        6500,
        0,
    )
    assert built.rows("SELECT scheme, value FROM identifier WHERE scheme <> 'slug' ORDER BY 1") == [
        ("arxiv", "1706.03762"),
        ("mag", "2963403868"),
        ("openalex", "W2963403868"),
        ("pmid", "9659853"),
    ]
    assert built.rows("SELECT id, name, orcid, paper_count FROM author ORDER BY name") == [
        (derived_id("author", "openalex:A5001"), "Ashish Vaswani", "0000-0002-1825-0097", 1),
        (derived_id("author", "nameless helper"), "Nameless Helper", None, 1),
    ]
    assert built.one("SELECT name, slug, first_paper_year, latest_paper_year, paper_count FROM organization") == (
        "Google Brain",
        "google-brain",
        2017,
        2017,
        1,
    )
    assert built.report.counts["tasks"] == 0


def test_topics_become_tasks_on_demand(build: Build, write: Write) -> None:
    built = build(f"openalex:{write('works.jsonl', [WORK])}", topics_as_tasks=True)
    assert built.rows("SELECT name, paper_count FROM task") == [("Machine Translation", 1)]


# catalog A95
def test_an_untitled_work_does_not_stop_the_build(build: Build, write: Write) -> None:
    works = [{"id": "https://openalex.org/W1111111", "title": None, "display_name": None}, WORK]
    built = build(f"openalex:{write('works.jsonl', works)}")
    assert built.rows("SELECT title, slug FROM paper ORDER BY title") == [
        (None, "openalex-w1111111"),
        ("Attention is All you Need", "attention-is-all-you-need"),
    ]


# catalog A92
def test_one_arxiv_id_is_one_paper_and_one_title_is_not(build: Build, write: Write) -> None:
    rows = [
        line("1706.03762", title="Attention Is All You Need"),
        line("1806.00001", title="Attention Is All You Need"),
    ]
    built = build(f"openalex:{write('works.jsonl', [WORK])}", f"arxiv:{write('arxiv.jsonl', rows)}")
    assert built.rows("SELECT arxiv_id, title, slug, citation_count FROM paper ORDER BY arxiv_id") == [
        ("1706.03762", "Attention Is All You Need", "attention-is-all-you-need", 6500),
        ("1806.00001", "Attention Is All You Need", "attention-is-all-you-need-1", None),
    ]


@pytest.mark.parametrize(
    ("kind", "row", "reason"),
    [
        ("arxiv", {"title": "No id"}, "no arXiv id"),
        ("arxiv", {"id": "1706.03762"}, "no title"),
        ("arxiv", {"id": "1706.03762", "title": 7}, "`title` is not text"),
        ("arxiv", {"id": "1706.03762", "title": "x", "authors_parsed": "A"}, "`authors_parsed` is not a list"),
        ("openalex", {"title": "No id"}, "no OpenAlex id"),
        (
            "openalex",
            {"id": "https://openalex.org/W1234567", "cited_by_count": "7"},
            "`cited_by_count` is not a whole number in range",
        ),
        ("openalex", 7, "not an object"),
    ],
)
def test_bad_rows_are_counted_by_reason(build: Build, write: Write, kind: str, row: Any, reason: str) -> None:
    good = {"id": {"arxiv": "1806.00001", "openalex": "https://openalex.org/W7654321"}[kind], "title": "Good"}
    built = build(f"{kind}:{write('rows.jsonl', [row, good])}")
    (file,) = built.report.files
    assert (file.read, file.kept, file.bad, dict(file.skipped)) == (2, 1, 1, {reason: 1})


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["openalex_defaults.json", "openalex_nudge.json"])
def test_recorded_works_are_all_kept(build: Build, write: Write, shared_data: Path, name: str) -> None:
    works = json.loads((shared_data / "api" / name).read_bytes())["results"]
    built = build(f"openalex:{write('works.jsonl', works)}")
    (file,) = built.report.files
    assert (file.read, file.kept, dict(file.skipped)) == (len(works), len(works), {})
    stored = {row[0]: row[1:] for row in built.rows("SELECT title, published, citation_count, author_count FROM paper")}
    for work in works:
        assert stored[work["title"]][:2] == (work["publication_date"], work["cited_by_count"])
    assert built.one("SELECT count(*) FROM paper WHERE abstract IS NOT NULL")[0] == sum(
        bool(work.get("abstract_inverted_index")) for work in works
    )
