"""Keyword orders are total, exact at every cut, and filtered before they are cut."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.catalog.embedded.text_analysis import query_terms
from core.catalog.embedded.text_index import IndexDocument, TextIndexBuilder
from core.catalog.embedded.text_search import DocumentFilters, TextIndex

ANY = DocumentFilters()


def document(pid: int, title: str = "", abstract: str = "", day: int | None = None) -> IndexDocument:
    return IndexDocument(
        pid=pid,
        title=title,
        abstract=abstract,
        authors="",
        published_day=day,
        has_official=False,
        is_latest=True,
        task_ids=(),
        method_ids=(),
        conference_id=None,
        framework_ids=(),
        organization_ids=(),
        author_ids=(),
        trending_rank=pid,
        trending_rank_asc=10_000 - pid,
        published_rank=pid,
        published_rank_asc=pid,
        citation_rank=pid,
        citation_rank_asc=pid,
    )


def index(directory: Path, documents: Sequence[IndexDocument]) -> TextIndex:
    builder = TextIndexBuilder(directory, memory_bytes=20_000_000)
    for each in documents:
        builder.add(each)
    builder.finish()
    return TextIndex(directory)


def keyword(text: TextIndex, query: str, depth: int = 1000, filters: DocumentFilters = ANY) -> list[int]:
    return text.keyword_order(query_terms(query), filters, depth)


def test_equal_scores_come_newest_first_undated_last_then_by_id(tmp_path: Path) -> None:
    days = {0: None, 1: 700_000, 2: 730_000, 3: None, 4: 730_000, 5: 1}
    text = index(tmp_path, [document(pid, "same words", day=days[pid]) for pid in (3, 5, 0, 4, 1, 2)])
    assert keyword(text, "words") == [2, 4, 1, 5, 0, 3]


# catalog A38
def test_every_cut_of_a_long_tie_is_a_prefix_of_one_order(tmp_path: Path) -> None:
    count = 1500
    documents = [
        document(pid, "tie" if pid % 3 else "tie tie", day=700_000 + pid * 7919 % 1000) for pid in range(count)
    ]
    text = index(tmp_path, documents)
    whole = keyword(text, "tie", count)
    assert sorted(whole) == list(range(count))
    for depth in (1, 100, 127, 128, 129, 191, 192, 193, 511, 512, 513, 1499):
        assert keyword(text, "tie", depth) == whole[:depth]
    shorter = [pid for pid in whole if pid % 3]
    assert shorter == sorted(shorter, key=lambda pid: (-(700_000 + pid * 7919 % 1000), pid))


def test_counts_are_of_all_matches_whatever_the_depth(tmp_path: Path) -> None:
    text = index(tmp_path, [document(pid, f"word{pid % 7} shared") for pid in range(700)])
    assert text.keyword_count(query_terms("shared"), ANY) == 700
    assert text.keyword_count(query_terms("word1 word2"), ANY) == 200
    assert text.keyword_count(query_terms("absent"), ANY) == 0
    assert keyword(text, "absent") == []


def test_filters_apply_before_the_cut(tmp_path: Path) -> None:
    documents = [
        document(pid, "lamp" if pid < 990 else "a lamp among many other long words", day=pid + 1) for pid in range(1000)
    ]
    documents[995] = replace(documents[995], has_official=True, task_ids=(7, 2**52 - 1))
    text = index(tmp_path, documents)
    assert keyword(text, "lamp", 5, DocumentFilters(has_official=True)) == [995]
    assert keyword(text, "lamp", 5, DocumentFilters(ids=(("task", 2**52 - 1),))) == [995]
    assert keyword(text, "lamp", 5, DocumentFilters(first_day=998)) == [999, 998, 997]
    assert keyword(text, "lamp", 5, DocumentFilters(last_day=2)) == [1, 0]
    assert text.keyword_count(query_terms("lamp"), DocumentFilters(first_day=998)) == 3


def test_a_filter_does_not_change_the_order_of_what_passes(tmp_path: Path) -> None:
    documents = [document(pid, "lamp " * (1 + pid % 4), "wick " * (pid % 5), day=1 + pid % 9) for pid in range(200)]
    text = index(tmp_path, [replace(each, has_official=each.pid % 2 == 0) for each in documents])
    unfiltered = keyword(text, "lamp wick")
    assert keyword(text, "lamp wick", 1000, DocumentFilters(has_official=True)) == [
        pid for pid in unfiltered if pid % 2 == 0
    ]


def test_a_phrase_does_not_run_from_the_title_into_the_abstract(tmp_path: Path) -> None:
    text = index(tmp_path, [document(0, "Old lamps", "New wicks"), document(1, "x", "the lamps, new and old")])
    assert keyword(text, '"lamps new"') == [1]
    assert keyword(text, '"new lamps"') == []


def test_masks_agree_with_the_filters_of_the_index(tmp_path: Path) -> None:
    documents = [
        replace(
            document(pid, "odd" if pid % 2 else "even", day=None if pid % 5 == 0 else pid),
            has_official=pid % 3 == 0,
            is_latest=pid % 4 != 0,
            task_ids=(pid % 6,),
        )
        for pid in range(1, 60)
    ]
    text = index(tmp_path, documents)
    pids = np.arange(1, 60, dtype=np.uint32)[::-1]
    for filters in (
        ANY,
        DocumentFilters(first_day=10, last_day=30),
        DocumentFilters(last_day=30, has_official=True),
        DocumentFilters(latest_only=True, ids=(("task", 3),)),
        DocumentFilters(words=("odd",), first_day=5),
        DocumentFilters(ids=(("task", 99),)),
    ):
        found = pids[text.passing_mask(filters, pids)].tolist()
        assert set(found) == text.passing(filters, pids.tolist())
        assert sorted(found) == sorted(text.listing(filters, "trending_rank", 0, 100)[0])


def test_listings_are_slices_by_rank(tmp_path: Path) -> None:
    text = index(tmp_path, [document(pid) for pid in (4, 0, 3, 1, 2)])
    assert text.listing(ANY, "trending_rank", 1, 2) == ([1, 2], 5)
    assert text.listing(ANY, "trending_rank_asc", 0, 9) == ([4, 3, 2, 1, 0], 5)
    assert text.listing(ANY, "trending_rank", 5, 9) == ([], 5)


def test_candidates_forgive_one_letter_in_words_that_the_index_lacks(tmp_path: Path) -> None:
    text = index(tmp_path, [document(0, "Lantern Tracking"), document(1, "Otters"), document(2, "", "lantern")])
    assert text.candidates(("title",), "lanterm", 5) == [0]
    assert sorted(text.candidates(("title",), "Ottrs tracking", 5)) == [0, 1]
    assert text.candidates(("title",), "zzzzzz", 5) == []
    assert text.candidates(("title",), "", 5) == []


def test_an_empty_index_answers_nothing(tmp_path: Path) -> None:
    text = index(tmp_path, [])
    assert keyword(text, "lamp") == []
    assert text.listing(ANY, "trending_rank", 0, 5) == ([], 0)
    assert text.passing_mask(DocumentFilters(first_day=1), np.empty(0, dtype=np.uint32)).tolist() == []


def test_an_index_is_opened_without_writing_beside_it(tmp_path: Path) -> None:
    index(tmp_path, [document(0, "lamp")])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        path.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        assert keyword(TextIndex(tmp_path), "lamp") == [0]
    finally:
        tmp_path.chmod(0o755)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert [name for name in before if name.endswith(".lock")] == []


@pytest.mark.parametrize("size", [1, 3])
def test_boosts_are_a_parameter_of_the_index(tmp_path: Path, size: int) -> None:
    index(tmp_path, [document(0, "lamp", "x " * 50), document(1, "y", "lamp lamp lamp")])
    assert (
        TextIndex(tmp_path, boosts={"title": 9.0, "abstract": 1.0}).keyword_order(query_terms("lamp"), ANY, size)[0]
        == 0
    )
    assert TextIndex(tmp_path, boosts={"abstract": 1.0}).keyword_order(query_terms("lamp"), ANY, size) == [1]
