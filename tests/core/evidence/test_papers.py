"""Searching assessed papers."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import InvalidInput, SourceUnreachable
from core.evidence.ranking import fused_scores
from core.evidence.vocabulary import LEVELS, PAPER_TYPES, THEMES
from tests.evidence_room import Folder, Room, open_room, run


@pytest.mark.parametrize("query", ["10.1234/ABC", "10.1234/abc", "https://doi.org/10.1234/ABC", "doi: 10.1234/abc"])
def test_every_spelling_of_a_doi_finds_its_paper(room: Room, query: str) -> None:
    # evidence A32
    page = run(room.desk.search_papers(query=query))
    (row,) = page.results
    assert (row.paper_id, row.score, row.provenance.retriever) == ("doi:10.1234/abc", 1.0, "exact_id")
    assert row.matched_fields == ["identifier"]


def test_an_unknown_identifier_is_not_searched_as_words(room: Room) -> None:
    # evidence A33
    page = run(room.desk.search_papers(query="10.9999/robots"))
    assert (page.total, len(page.notes)) == (0, 1)
    assert "unknown here" in page.notes[0]


def test_an_exact_title_is_first_among_a_thousand_with_its_words(folder: Folder, tmp_path: Path) -> None:
    # evidence A34
    for number in range(1000):
        folder.paper(f"p{number}", f"Home Work Home Work {number}", doi=f"10.5555/p{number}", abstract="home work")
        folder.assess(f"10.5555/p{number}", relevance=10, takeaway="home work")
    folder.paper("wanted", "Home, Work!", doi="10.5555/wanted")
    folder.assess("10.5555/wanted", relevance=1)
    room = folder.opened(tmp_path / "built")
    page = run(room.desk.search_papers(query="home work", limit=2))
    first, second = page.results
    assert (first.paper_id, first.score, first.provenance.retriever) == ("doi:10.5555/wanted", 0.99, "exact_title")
    assert (page.total, second.provenance.retriever, page.has_more) == (1001, "fts", True)
    assert second.score <= 0.98
    room.close()


def test_the_worked_scores_hold() -> None:
    # evidence A34
    wanted, order = np.ones(4, dtype=bool), np.arange(4)
    nothing = np.zeros(4)

    def score(*by_field: Any) -> float:
        return float(fused_scores(by_field, wanted, order)[0])

    first, third = np.array([9.0, 0, 0, 0]), np.array([1.0, 3.0, 2.0, 0])
    assert score(first, nothing, nothing, nothing, nothing, nothing) == 0.3733
    assert score(first, nothing, nothing, third, nothing, nothing) == 0.4637
    assert score(nothing, nothing, nothing, nothing, nothing, np.array([2.0, 3.0, 0, 0])) == 0.0918
    assert score(*[first] * 6) == 0.98


def test_totals_are_those_of_an_exhaustive_count(folder: Folder, tmp_path: Path) -> None:
    # evidence A35
    chance = random.Random(7)
    for number in range(60):
        year = chance.choice([None, 2019, 2020, 2021])
        folder.paper(
            f"p{number}", f"Study {number}", doi=f"10.5555/p{number}", **({"published": str(year)} if year else {})
        )
        levels = {
            name: chance.choice(LEVELS) for name in ("methods_rigor", "evidence_strength") if chance.random() < 0.7
        }
        themes = chance.sample(THEMES, 2)
        folder.assess(
            f"10.5555/p{number}", chance.choice(PAPER_TYPES), relevance=chance.randint(1, 10), themes=themes, **levels
        )
    room = folder.opened(tmp_path / "built")
    everything = run(room.desk.search_papers(limit=1))
    assert (everything.total, everything.has_more, everything.returned) == (60, True, 1)
    for _ in range(20):
        asked: dict[str, Any] = {}
        for name, values in {
            "theme": THEMES,
            "paper_type": PAPER_TYPES,
            "methods_rigor": LEVELS,
            "evidence_strength": LEVELS,
            "min_relevance": range(1, 11),
            "year_from": (2019, 2020),
            "year_to": (2020, 2021),
        }.items():
            if chance.random() < 0.35:
                asked[name] = chance.choice(list(values))
        papers = {line["paper_id"]: line for line in folder.claims}
        years = {f"10.5555/{paper['key']}": paper.get("published") for paper in folder.papers}
        expected = sum(_passes(record, years[paper_id], asked) for paper_id, record in papers.items())
        assert run(room.desk.search_papers(**asked)).total == expected, asked
        assert run(room.desk.search_papers(**asked, limit=1)).has_more is (expected > 1)
    room.close()


def _passes(record: dict[str, Any], year: str | None, asked: dict[str, Any]) -> bool:
    for name, value in asked.items():
        if name == "theme" and value not in record["themes"]:
            return False
        if name == "min_relevance" and record["relevance"] < value:
            return False
        if name == "year_from" and (year is None or int(year) < value):
            return False
        if name == "year_to" and (year is None or int(year) > value):
            return False
        if name in ("paper_type", "methods_rigor", "evidence_strength") and record.get(name) != value:
            return False
    return True


@pytest.mark.parametrize(
    "query", ["AND OR", '"unclosed', "a' OR 1=1 --", "NEAR(x)", "title:robots", "robots*", "-robots", "(home)"]
)
def test_no_query_text_is_an_operator(room: Room, query: str) -> None:
    # evidence A36
    words = " ".join(re.findall("[A-Za-z0-9]+", query)).lower()
    page, plain = run(room.desk.search_papers(query=query)), run(room.desk.search_papers(query=words))
    assert page == plain


def test_a_star_alone_holds_nothing_to_search_for(room: Room) -> None:
    # evidence A36
    with pytest.raises(InvalidInput, match="nothing to search"):
        run(room.desk.search_papers(query="*"))


def test_snippets_agree_with_the_matched_fields(room: Room) -> None:
    # evidence A37
    for query in ("home", "garcia calls", "skills", "labor markets twin", "robots wages"):
        for row in run(room.desk.search_papers(query=query)).results:
            assert row.snippets, query
            for snippet in row.snippets:
                assert snippet.field in row.matched_fields
                marked = snippet.text.split("**")[1].casefold()
                assert any(word[:4] in marked for word in query.split()), (query, snippet)
                assert len(snippet.text) <= 240


def test_reversed_years_are_refused_before_any_store_is_touched(room: Room) -> None:
    # evidence A23
    closed = open_room(room.directory)
    closed.close()
    with pytest.raises(SourceUnreachable):
        run(closed.desk.search_papers(year_from=2020, year_to=2026))
    with pytest.raises(InvalidInput, match="year_from 2026 is after year_to 2020"):
        run(closed.desk.search_papers(year_from=2026, year_to=2020))


def test_papers_of_unknown_year_are_left_out_and_noted(room: Room) -> None:
    page = run(room.desk.search_papers(year_from=1900))
    assert page.notes == ["1 matching papers of unknown year are left out."]
    assert "openalex:W2741809807" not in [row.paper_id for row in page.results]


def test_an_unknown_source_is_refused_with_those_that_exist(room: Room) -> None:
    with pytest.raises(InvalidInput, match="Must be one of: arxiv, crossref, openalex"):
        run(room.desk.search_papers(source="nowhere"))


def test_a_short_name_counts_where_it_is_unique(room: Room) -> None:
    (row,) = run(room.desk.search_papers(query="remote work and output")).results
    assert (row.paper_id, row.score) == ("arxiv:2603.14558", 0.99)
