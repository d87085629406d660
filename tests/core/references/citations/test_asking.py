"""What is asked for a citation text, and how an answer of many stays within its size."""

from typing import Any

import orjson
import pytest

from core.errors import InvalidInput, ResultTooLarge
from core.records import Author, Work
from core.references.citations.queries import Batch, named_in, read_queries, read_query
from core.references.citations.ranking import Found, Ranking, rank
from core.references.citations.shown import shown, shown_failures


@pytest.mark.parametrize(
    ("query", "limit", "batch", "rows"),
    [
        ("a  b", 5, Batch(("a b",), (0,), 5), 20),
        ("a", 0, Batch((), (None,), 0), 20),
        ("?! …", 5, Batch((), (None,), 5), 20),
        ("  ", 5, Batch((), (None,), 5), 20),
        ("a", 50, Batch(("a",), (0,), 50), 50),
        ("a", 255, Batch(("a",), (0,), 50), 50),
        ("a" * 2000, 1, Batch(("a" * 2000,), (0,), 1), 20),
    ],
)
def test_a_query_is_searched_unless_nothing_can_come_of_it(query: str, limit: int, batch: Batch, rows: int) -> None:
    # references A81
    asked = read_query(query, limit)
    assert (asked, asked.rows) == (batch, rows)


def test_equal_queries_are_searched_once() -> None:
    asked = read_queries(["one", "two", " one ", "?", "two"], 5)
    assert asked == Batch(("one", "two"), (0, 1, 0, None, 1), 5)


@pytest.mark.parametrize(("count", "limit", "shown_each"), [(50, 50, 5), (7, 50, 35), (1, 255, 50), (50, 3, 3)])
def test_a_batch_shares_its_candidates(count: int, limit: int, shown_each: int) -> None:
    assert read_queries([f"query {n}" for n in range(count)], limit).limit == shown_each


def test_no_queries_are_no_search() -> None:
    assert read_queries([], 5) == Batch((), (), 5)


@pytest.mark.parametrize(("queries", "limit"), [(["a"] * 51, 5), (["a"], 256), (["a"], -1), (["a" * 2001], 5)])
def test_what_is_out_of_bounds_is_refused(queries: list[str], limit: int) -> None:
    # references A81
    with pytest.raises(InvalidInput):
        read_queries(queries, limit)
    if len(queries) == 1:
        with pytest.raises(InvalidInput):
            read_query(queries[0], limit)


@pytest.mark.parametrize(
    ("query", "key", "text"),
    [
        ("Smith 2020, doi:10.1000/182.", "doi:10.1000/182", "doi:10.1000/182"),
        ("See arXiv:1706.03762v7 [cs.CL]", "arxiv:1706.03762", "arXiv:1706.03762v7"),
        ("10.1000/182 or https://doi.org/10.1000/182", "doi:10.1000/182", "10.1000/182 https://doi.org/10.1000/182"),
    ],
)
def test_the_only_identifier_in_a_text_is_found_with_its_words(query: str, key: str, text: str) -> None:
    # references A79
    named = named_in(query)
    assert named is not None
    assert (named.identifier.key, named.text) == (key, text)


@pytest.mark.parametrize("query", ["Vaswani 2017", "10.1000/182 and 10.1000/183", "arXiv:9999.99999"])
def test_none_or_several_identifiers_name_nothing(query: str) -> None:
    assert named_in(query) is None


def ranking(query: str, count: int, title: str) -> Ranking:
    works = [
        Work(f"doi:10.1000/{n}", doi=f"10.1000/{n}", title=title, authors=(Author("A B", "B", "A"),), year=2017)
        for n in range(count)
    ]
    return rank(query, [Found(work, "crossref") for work in works], limit=count)


def test_a_row_shows_what_was_found_and_why() -> None:
    query = "B, Graphs of trees 2017, doi:10.1000/1"
    work = Work(
        "doi:10.1000/1", doi="10.1000/1", title="Graphs of Trees", authors=(Author("A B", "B", "A"),), year=2017,
        venue="Trees", arxiv_id="1706.03762",
    )  # fmt: skip
    [row] = shown([(query, rank(query, [Found(work, "crossref", "doi:10.1000/1", True)], limit=5))])
    assert row == {
        "query": query,
        "candidates": [
            {
                "doi": "10.1000/1",
                "title": "Graphs of Trees",
                "author": "B, A",
                "year": 2017,
                "score": 1.0,
                "confidence": "exact",
                "matched": ["b", "graphs", "of", "trees", "2017", "doi", "10", "1000", "1"],
                "source": "crossref",
                "arxiv": "1706.03762",
                "rank": 1,
                "rank_score": 1.0,
                "verdict": "match",
                "evidence": {"title": 1.0, "author": 1.0, "year": 1.0, "venue": None, "identifier": True},
                "retracted": True,
            }
        ],
        "best": "10.1000/1",
    }


def test_a_record_with_nothing_in_it_is_shown_with_nulls() -> None:
    work = Work("arxiv:1706.03762", arxiv_id="1706.03762", title="Graphs")
    [row] = shown([("Graphs", rank("Graphs", [Found(work, "catalog")], limit=5))])
    [candidate] = row["candidates"]
    assert (candidate["author"], candidate["year"], candidate["retracted"]) == (None, None, None)
    assert candidate["evidence"] == {"title": 1.0, "author": None, "year": None, "venue": None, "identifier": None}
    assert shown([("Graphs", Ranking((), None))]) == [{"query": "Graphs", "candidates": [], "best": None}]


@pytest.mark.parametrize(
    ("query", "title"),
    [
        (" ".join(f"w{n}" for n in range(410)), " ".join(f"w{n}" for n in range(410))),
        ("ü " * 999 + "graphs", "graphs " + "ü" * 5000),
        ("graphs", "graphs"),
    ],
)
def test_the_largest_batch_stays_within_an_answer(query: str, title: str) -> None:
    # references A81
    results = [(f"{n} {query}"[:2000], ranking(query, 5, title)) for n in range(50)]
    rows = shown(results)
    assert len(orjson.dumps(rows).decode()) <= 130_000
    assert len(rows) == 50
    for (asked, found), row in zip(results, rows, strict=True):
        assert row["candidates"]
        assert is_marked(row) == is_cut(asked, found, row)


@pytest.mark.parametrize("failed", [0, 1, 25, 49, 50])
def test_rows_that_failed_share_the_room_of_an_answer(failed: int) -> None:
    # references A81
    query = " ".join(f"w{n}" for n in range(410))[:2000]
    error = {"code": "RATE_LIMITED", "message": "m" * 120, "attempts": [{"source": "crossref", "detail": "d" * 120}]}
    bad = shown_failures([(query, error)] * failed)
    rows = [*shown([(query, ranking(query, 5, query))] * (50 - failed), beside=bad), *bad]
    assert len(orjson.dumps(rows).decode()) <= 130_000
    assert [row["error"] for row in bad] == [error] * failed
    assert {(len(row["query"]), is_marked(row)) for row in bad} <= {(300, True), (len(query), False)}
    assert all(row["candidates"] for row in rows if "error" not in row)


def is_marked(row: dict[str, Any]) -> bool:
    return row.get("truncated", False) is True


def is_cut(asked: str, found: Ranking, row: dict[str, Any]) -> bool:
    whole = shown([(asked, found)], chars_max=10**9)
    return row != whole[0]


def test_what_was_cut_is_counted() -> None:
    query = " ".join(f"w{n}" for n in range(400))
    rows = shown([(query, ranking(query, 5, query))], chars_max=2_500)
    [row] = rows
    assert (row["truncated"], row["candidate_count"], len(row["candidates"])) == (True, 5, 1)
    [candidate] = row["candidates"]
    assert (candidate["matched_count"], len(candidate["matched"])) == (400, 5)
    assert (len(candidate["title"]), candidate["title"][-1]) == (200, "…")
    assert (len(row["query"]), row["query"][-1]) == (300, "…")


def test_what_cannot_be_cut_enough_is_refused() -> None:
    with pytest.raises(ResultTooLarge):
        shown([("graphs", ranking("graphs", 5, "graphs"))], chars_max=100)
