"""Searching graded claims."""

import random
from pathlib import Path

import pytest

from core.errors import InvalidInput
from core.evidence.results import ClaimPage
from core.evidence.vocabulary import DIRECTIONS
from tests.core.evidence.conftest import filled
from tests.evidence_room import Folder, Room, run
from tests.hashing_embedder import HashingEmbedder


def ids(page: ClaimPage) -> list[int]:
    return [row.claim_id for row in page.results]


def test_grades_are_capped_and_keep_the_old_one(room: Room) -> None:
    # evidence A26
    rows = {row.claim_id: row for row in run(room.desk.search_claims(limit=50)).results}
    shown = {no: (rows[no].evidence_grade, rows[no].grade_capped_from) for no in (8, 9, 10, 123)}
    assert shown == {8: ("low", "high"), 9: ("low", "high"), 10: ("speculative", "high"), 123: ("high", None)}


def test_an_unknown_direction_matches_no_direction(room: Room) -> None:
    # evidence A27
    assert ids(run(room.desk.search_claims(direction="null_result"))) == [7]
    counts = [run(room.desk.search_claims(direction=each)).total for each in DIRECTIONS]  # type: ignore[arg-type]
    assert (sum(counts), run(room.desk.search_claims()).total) == (5, 8)


def test_a_category_is_taken_by_slug_or_name(room: Room) -> None:
    # evidence A28
    by_name = run(room.desk.search_claims(outcome_category="Developer Productivity"))
    assert by_name == run(room.desk.search_claims(outcome_category="developer_productivity"))
    assert (ids(by_name), by_name.filters_applied) == ([123, 11], {"outcome_category": "developer_productivity"})
    assert ids(run(room.desk.search_claims(outcome_category="Wages & Compensation"))) == [8]
    with pytest.raises(InvalidInput, match="developer_productivity") as raised:
        run(room.desk.search_claims(outcome_category="dev_productivity"))
    assert len(raised.value.suggestions) == 5


def test_a_category_off_the_list_is_other_and_keeps_its_word(room: Room) -> None:
    (row,) = run(room.desk.search_claims(direction="mixed")).results
    assert (row.outcome_category, row.outcome_label) == ("other", "Office Mood")


def test_filters_combine_by_and_and_a_zero_names_the_one_that_hurts_most(room: Room) -> None:
    # evidence A29
    page = run(room.desk.search_claims(direction="negative", evidence_grade="high"))
    assert (page.total, page.notes) == (0, ["Without direction=negative there would be 4."])
    wanted = run(room.desk.search_claims(evidence_grade="high"))
    assert (ids(wanted), wanted.total) == ([123, 12, 13, 11], 4)
    both = run(room.desk.search_claims(evidence_grade="high", direction="positive"))
    assert ids(both) == [123, 11]


def test_relations_count_at_their_target_or_at_both_ends(room: Room) -> None:
    # evidence A30
    rows = {row.claim_id: row.relationship_counts.model_dump() for row in run(room.desk.search_claims()).results}
    none = {"supports": 0, "contradicts": 0, "extends": 0, "qualifies": 0, "replicates": 0}
    assert rows[123] == {**none, "supports": 1, "contradicts": 1}  # the one from a retracted paper is not counted
    assert rows[8] == {**none, "contradicts": 1}
    assert rows[12] == none
    assert rows[13] == {**none, "extends": 1}


def test_shuffled_input_gives_equal_answers_and_ties_go_by_claim_id(room: Room, tmp_path: Path) -> None:
    # evidence A31
    folder = filled(Folder(tmp_path / "sources"))
    random.Random(5).shuffle(folder.claims)
    folder.authors.reverse()
    other = folder.opened(tmp_path / "built", embedder=HashingEmbedder())
    for query in (None, "home staff", "skills"):
        assert run(other.desk.search_claims(query=query)) == run(room.desk.search_claims(query=query))
        assert run(other.desk.search_papers(query=query)) == run(room.desk.search_papers(query=query))
    assert run(other.desk.find_authors()) == run(room.desk.find_authors())
    other.close()
    tied = [(row.evidence_weight, row.claim_id) for row in run(room.desk.search_claims()).results]
    assert tied == sorted(tied, key=lambda each: (-each[0], each[1]))


def test_min_evidence_weight_is_inclusive(room: Room) -> None:
    # evidence A21
    assert ids(run(room.desk.search_claims(min_evidence_weight=1.0))) == [123]
    assert run(room.desk.search_claims(min_evidence_weight=0.0)).total == 8


def test_words_rank_claims_and_equal_scores_share_a_rank(room: Room) -> None:
    page = run(room.desk.search_claims(query="home staff"))
    assert [(row.claim_id, row.score) for row in page.results] == [(123, 1.0), (7, 1.0), (11, 1.0)]
    assert ids(run(room.desk.search_claims(query='"home staff" calls'))) == [123, 11]
    reversed_ = run(room.desk.search_claims(query='"staff home"'))
    assert (reversed_.total, reversed_.notes) == (0, ['no row holds half of the words; found nowhere: "staff home".'])


def test_a_partial_match_is_noted_with_what_is_found_nowhere(room: Room) -> None:
    page = run(room.desk.search_claims(query="robots xylophone"))
    assert ids(page) == [8]
    assert page.notes == ["partial match: no row holds all words of the query; found nowhere: xylophone."]


def test_a_query_without_a_token_is_refused(room: Room) -> None:
    with pytest.raises(InvalidInput, match="nothing to search"):
        run(room.desk.search_claims(query="?! *"))
