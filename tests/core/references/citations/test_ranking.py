"""Which candidates are shown, in which order, and which one is accepted."""

from dataclasses import replace

import pytest

from core.records import Author, UpdateNotice, Work
from core.references.citations.ranking import Found, rank

QUERY = "Vaswani Attention is all you need 2017"


def found(doi: str, title: str = "Attention Is All You Need", year: int = 2017, identifier: str | None = None) -> Found:
    authors = (Author("Ashish Vaswani", "Vaswani", "Ashish"),)
    return Found(Work(f"doi:{doi}", doi=doi, title=title, authors=authors, year=year), "crossref", identifier)


def test_candidates_are_sorted_by_score_and_ranked_by_the_better_one() -> None:
    # The second holds every word of the text, and is another paper.
    right = found("10.1000/1", year=2016)
    wordy = found(
        "10.1000/2", "Is attention all you need? Why all of you need more than attention in deep networks of images"
    )
    ranking = rank(QUERY, [right, wordy, found("10.1000/3", "Graphs", 1999)], limit=5)
    assert [(one.doi, one.rank, round(one.score.score, 3)) for one in ranking.candidates] == [
        ("10.1000/2", 2, 1.0),
        ("10.1000/1", 1, 0.857),
    ]
    assert ranking.best is not None and ranking.best.doi == "10.1000/1"


def test_equal_candidates_keep_their_order() -> None:
    ranking = rank(QUERY, [found("10.1000/1"), found("10.1000/2")], limit=5)
    assert [(one.doi, one.rank) for one in ranking.candidates] == [("10.1000/1", 1), ("10.1000/2", 2)]


@pytest.mark.parametrize("limit", [5, 1, 0])
def test_two_matches_close_together_leave_none_accepted_shown_or_not(limit: int) -> None:
    # references A82
    ranking = rank(QUERY, [found("10.1000/1"), found("10.1000/2", year=2018)], limit)
    matches = [one.score.evidence.rank_score for one in rank(QUERY, [found("10.1000/2", year=2018)], 5).candidates]
    assert matches == [0.935]
    assert ranking.best is None
    assert len(ranking.candidates) == min(limit, 2)


def test_a_match_that_leads_by_a_tenth_is_accepted() -> None:
    # references A82
    title = "Attention Is All You Need: Transformers Revisited"
    ranking = rank(QUERY, [found("10.1000/2", title, 2018), found("10.1000/1")], limit=5)
    assert [(one.doi, one.score.evidence.verdict, one.score.evidence.rank_score) for one in ranking.candidates] == [
        ("10.1000/1", "match", 1.0),
        ("10.1000/2", "match", 0.826),
    ]
    assert ranking.best is not None and ranking.best.doi == "10.1000/1"


def test_without_a_match_none_is_accepted() -> None:
    ranking = rank(QUERY, [found("10.1000/1", year=1990)], limit=5)
    assert [one.score.evidence.verdict for one in ranking.candidates] == ["likely"]
    assert ranking.best is None


def test_a_record_that_the_text_names_is_shown_even_if_nothing_else_agrees() -> None:
    # references A79
    query = f"{QUERY}. doi:10.1000/182"
    named = found("10.1000/182", "Graphs", 1990, identifier="doi:10.1000/182")
    ranking = rank(query, [named, found("10.1000/1")], limit=5)
    assert {one.doi: one.score.evidence.verdict for one in ranking.candidates} == {
        "10.1000/1": "match",
        "10.1000/182": "no_match",
    }
    assert ranking.best is not None and ranking.best.doi == "10.1000/1"


def test_a_work_that_was_found_twice_is_shown_once_as_named_in_the_text() -> None:
    # references A79
    query = f"{QUERY}. doi:10.1000/1"
    ranking = rank(query, [found("10.1000/1", identifier="doi:10.1000/1"), found("10.1000/1")], limit=5)
    assert [(one.doi, one.found.identifier) for one in ranking.candidates] == [("10.1000/1", "doi:10.1000/1")]
    assert ranking.best is not None and ranking.best.doi == "10.1000/1"


def test_an_arxiv_paper_has_the_doi_of_arxiv() -> None:
    # references A80
    work = Work("arxiv:1706.03762", arxiv_id="1706.03762", title="Attention Is All You Need", year=2017)
    ranking = rank("Attention is all you need", [Found(work, "catalog")], limit=5)
    assert [one.doi for one in ranking.candidates] == ["10.48550/arXiv.1706.03762"]


def test_nothing_found_leaves_nothing_accepted() -> None:
    # references A80
    ranking = rank(QUERY, [], limit=5)
    assert (ranking.candidates, ranking.best) == ((), None)


def test_retraction_is_told_by_the_source_or_by_a_notice() -> None:
    plain = found("10.1000/1")
    noticed = replace(plain, work=replace(plain.work, updates=(UpdateNotice("retraction", "10.1000/9"),)))
    flagged = replace(plain, is_retracted=True)
    told = [rank(QUERY, [one], limit=1).candidates[0].is_retracted for one in (plain, noticed, flagged)]
    assert told == [False, True, True]
