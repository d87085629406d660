"""Which rows of graph lists are taken (scan contract 7.9)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.expansion.choosing import chosen, citations, references
from core.scan.expansion.velocity import median_age, velocity
from core.scan.models import FoundWork, Ids, Origin
from core.scan.searching.port import GraphList
from tests.scan_works import WINDOW


def work(name: str, citations: int | None = 0, year: int | None = 2025, **values: str) -> FoundWork:
    return FoundWork(name, citation_count=citations, year=year, ids=Ids(doi=f"10.1234/{name}"), **values)


def names(works: tuple[FoundWork, ...]) -> list[str]:
    return [each.title for each in works]


def test_citations_a_year_count_the_year_of_publication() -> None:
    # 120 citations, year 2022, end year 2026
    assert velocity(work("a", 120, 2022), WINDOW, 3) == 24.0
    assert velocity(work("a", None, 2022), WINDOW, 3) == 0.0
    assert velocity(work("a", 10, 2030), WINDOW, 3) == 10.0


@pytest.mark.parametrize(
    ("years", "expected"), [([], 3), ([None, None], 3), ([2026, 2022], 5), ([2026, 2025, 2020], 2), ([None, 2024], 3)]
)
def test_an_unknown_year_takes_the_upper_median_age(years: list[int | None], expected: int) -> None:
    # scan A59
    works = [work(str(place), year=year) for place, year in enumerate(years)]
    assert median_age(works, WINDOW) == expected
    assert velocity(work("x", 30, None), WINDOW, expected) == 30 / expected


def test_references_are_the_most_cited_then_the_newest_then_the_most_cited_again() -> None:
    fast = [work(f"fast{n:02}", 1000 - n, 2015) for n in range(20)]
    older = [work(f"older{n:02}", 400 - n, 2015) for n in range(8)]
    new = [work(f"new{n:02}", n, 2026, publication_date=f"2026-01-{n + 1:02}") for n in range(4)]
    taken = references((*new, *older, *fast), WINDOW)
    expected = [*(f"fast{n:02}" for n in range(20)), "new03", "new02", "new01", "new00"]
    assert names(taken) == [*expected, *(f"older{n:02}" for n in range(6))]


def test_no_more_than_ten_new_references_come_before_the_others() -> None:
    fast = [work(f"fast{n:02}", 1000, 2015) for n in range(20)]
    new = [work(f"new{n:02}", 1, 2025, publication_date=f"2025-03-{n + 1:02}") for n in range(15)]
    assert names(references((*fast, *new), WINDOW))[20:] == [f"new{n:02}" for n in range(14, 4, -1)]


def test_citations_are_the_newest_inside_the_window_and_ties_go_by_citations() -> None:
    works = [
        work("outside", 900, 2020),
        work("slow", 1, publication_date="2025-05-01"),
        work("fast", 9, publication_date="2025-05-01"),
        work("newest", 0, publication_date="2026-02-02"),
        work("malformed", 0, None, publication_date="soon"),
        *(work(f"w{n:02}", 0, publication_date="2024-02-02") for n in range(30)),
    ]
    graph = GraphList("seed", "citations", "openalex", tuple(works))
    taken = chosen(graph, WINDOW)
    # The median age is two years, so the work of unknown date stands with those of 2025.
    assert names(taken)[:5] == ["newest", "fast", "slow", "malformed", "w00"]
    assert len(taken) == 30
    assert taken[0] == replace(works[3], origins=(Origin("openalex", "citations", None, "seed", 0),))
    assert [each.origins[0].rank for each in taken] == list(range(30))


def test_eight_recommendations_of_a_seed_are_taken_in_the_order_of_the_source() -> None:
    rows = tuple(work(f"w{n}", n, 2019) for n in range(12))
    taken = chosen(GraphList("seed", "recommendations", "s2", rows), WINDOW)
    assert names(taken) == [f"w{n}" for n in range(8)]


@given(st.permutations([work(f"w{n:02}", n % 4, (2019 + n % 8) if n % 7 else None) for n in range(40)]))
def test_references_and_citations_do_not_depend_on_the_order_of_rows(rows: list[FoundWork]) -> None:
    ordered = sorted(rows, key=lambda each: each.title)
    assert references(rows, WINDOW) == references(ordered, WINDOW)
    assert citations(rows, WINDOW) == citations(ordered, WINDOW)
    references_list = chosen(GraphList("s", "references", "s2", tuple(rows)), WINDOW)
    assert len(references_list) == len(set(names(references_list))) == 30
