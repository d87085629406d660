"""The shortlist (scan contract 7.12)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.models import Candidate, Pool, Shortlisted
from core.scan.profiles import PROFILES
from core.scan.shortlist import shortlist
from core.scan.vocabulary import ProfileName
from tests.core.scan.judged import hitting, scored
from tests.scan_works import candidate, hit, linked, plan

PLAN, QUICK = plan("Q1"), PROFILES["quick"]


def test_each_key_of_the_order_decides_where_those_before_it_are_equal() -> None:
    # scan A61
    works = {
        "score": (hitting("score", 3), candidate("score", hit(9))),
        "criteria": (hitting("criteria", 2, "C1", "C2", "C2"), candidate("criteria", hit(9))),
        "origins": (hitting("origins", 2, "C1", "made up"), candidate("origins", hit(8), hit(8, "Q2"))),
        "rank": (hitting("rank", 2, "C1"), candidate("rank", hit(1))),
        "newer": (hitting("newer", 2, "C1"), candidate("newer", hit(2), publication_date="2026-03-01")),
        "older": (hitting("older", 2, "C1"), candidate("older", hit(2), publication_date="2026-02-28")),
        "c1": (hitting("c1", 2, "C1"), candidate("c1", hit(2), publication_date="2026-02-30")),
        "c2": (hitting("c2", 2, "C1"), candidate("c2", hit(2), publication_date="2026-12")),
        "c3": (hitting("c3", 2, "C1"), candidate("c3", hit(2))),
        "graph": (hitting("graph", 2, "C1"), candidate("graph", linked(0, "score"))),
    }
    pool = Pool((*(each for _, each in reversed(works.values())), candidate("low", hit(0)), candidate("no", hit(0))))
    scores = {cid: score for cid, (score, _) in works.items()} | scored(low=1)
    made = shortlist(pool, scores, PLAN, QUICK)
    assert [each.candidate.cid for each in made.in_window] == list(works)
    assert made.in_window[0] == Shortlisted(works["score"][1], 3)
    assert made.outside_window == ()


@pytest.mark.parametrize(
    ("profile", "sizes"),
    [("quick", [40, 40, 40, 40]), ("standard", [40, 45, 60, 60]), ("deep", [40, 45, 67, 80])],
)
def test_the_size_follows_the_number_of_best_works(profile: ProfileName, sizes: list[int]) -> None:
    # scan A61
    pool = Pool(tuple(candidate(f"w{n:03}", hit(n)) for n in range(150)))
    found = []
    for best in (31, 45, 67, 120):
        scores = scored(**{f"w{n:03}": 3 if n < best else 2 for n in range(150)})
        found.append(len(shortlist(pool, scores, PLAN, PROFILES[profile]).in_window))
    assert found == sizes


@pytest.mark.parametrize(
    ("profile", "sizes"), [("quick", [12, 12, 12]), ("standard", [12, 14, 16]), ("deep", [12, 14, 20])]
)
def test_the_size_outside_follows_the_number_of_works_that_two_seeds_lead_to(
    profile: ProfileName, sizes: list[int]
) -> None:
    # scan A61
    found = []
    for twice in (3, 14, 30):
        works = [
            candidate(f"w{n:02}", linked(n, "s1"), *([linked(n, "s2")] if n < twice else []), outside_window=True)
            for n in range(40)
        ]
        made = shortlist(Pool(tuple(works)), scored(**{each.cid: 2 for each in works}), PLAN, PROFILES[profile])
        assert made.in_window == ()
        found.append(len(made.outside_window))
    assert found == sizes


WORKS = [candidate(f"w{n:02}", hit(n % 3), hit(n % 2, "Q2"), outside_window=n % 4 == 0) for n in range(30)]
SCORES = scored(**{each.cid: 1 + place % 3 for place, each in enumerate(WORKS)})


@given(st.permutations(WORKS))
def test_the_shortlist_does_not_depend_on_the_order_of_the_pool(shuffled: list[Candidate]) -> None:
    # scan A61
    expected = shortlist(Pool(tuple(WORKS)), SCORES, PLAN, QUICK)
    assert shortlist(Pool(tuple(shuffled)), SCORES, PLAN, QUICK) == expected
