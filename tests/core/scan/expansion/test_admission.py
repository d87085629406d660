"""Which works around the seeds enter the pool (scan contract 7.9)."""

from hypothesis import given
from hypothesis import strategies as st

from core.scan.expansion.admission import Expansion, admit
from core.scan.models import Candidate, Origin
from tests.scan_works import WINDOW, candidate, hit, linked


def recommended(rank: int, seed: str) -> Origin:
    return Origin("s2", "recommendations", None, seed, rank)


def cids(candidates: tuple[Candidate, ...]) -> list[str]:
    return [each.cid for each in candidates]


def admitted(*new: Candidate, left: int = 12, total: int = 12) -> Expansion:
    return admit(new, WINDOW, outside_left=left, outside_total=total)


def test_works_go_by_linking_seeds_then_citations_a_year_then_rank_then_cid() -> None:
    found = admitted(
        candidate("d", linked(1, "s1"), year=2025),
        candidate("c", linked(0, "s1"), year=2025),
        candidate("b", linked(0, "s2"), year=2025),
        candidate("fast", linked(9, "s1"), year=2025, citation_count=5),
        candidate("two", linked(9, "s1"), linked(9, "s2"), year=2025),
        candidate("same", linked(9, "s1"), linked(8, "s1"), year=2024),
    )
    assert (cids(found.admitted), found.admitted_outside, found.dropped) == (
        ["two", "fast", "b", "c", "d", "same"],
        (),
        0,
    )


def test_a_work_of_unknown_year_neither_wins_nor_loses_by_it() -> None:
    # scan A59
    found = admitted(
        candidate("young", linked(0, "s1"), year=2026, citation_count=12),
        candidate("unknown", linked(0, "s1"), citation_count=12),
        candidate("middle", linked(0, "s1"), year=2025, citation_count=11),
        candidate("old", linked(0, "s1"), year=2019, citation_count=12),
    )
    assert cids(found.admitted) == ["young", "unknown", "middle", "old"]


def test_recommendations_obtain_up_to_ten_places() -> None:
    # scan A59
    links = [candidate(f"l{n:03}", linked(n, "s1"), year=2025) for n in range(120)]
    alone = [candidate(f"r{n:02}", recommended(n, "s1"), year=2025) for n in range(12)]
    twice = candidate("twice", recommended(7, "s1"), recommended(7, "s2"), year=2025)
    found = admitted(*links, *alone, twice)
    expected = [*(f"l{n:03}" for n in range(90)), "twice", *(f"r{n:02}" for n in range(9))]
    assert (cids(found.admitted), found.dropped) == (expected, 33)


def test_unused_places_return() -> None:
    links = [candidate(f"l{n:03}", linked(n, "s1"), year=2025) for n in range(120)]
    both = candidate("both", linked(130, "s1"), recommended(0, "s2"), year=2025, citation_count=9)
    found = admitted(*links, both, candidate("r", recommended(0, "s1"), year=2025))
    assert cids(found.admitted) == ["both", *(f"l{n:03}" for n in range(98)), "r"]
    few = admitted(*links[:3], *(candidate(f"r{n:02}", recommended(n, "s1")) for n in range(20)))
    assert (len(few.admitted), few.dropped) == (13, 10)


def outside(name: str, *origins: Origin) -> Candidate:
    return candidate(name, *origins, year=2015, outside_window=True)


def test_works_outside_the_window_follow_the_budget_and_two_seeds_pass_it() -> None:
    # scan A60
    one = [outside(f"one{n}", linked(n, "s1")) for n in range(5)]
    two = [outside(f"two{n}", linked(n, "s1"), linked(n, "s2")) for n in range(5)]
    assert cids(admitted(*one, left=2, total=2).admitted_outside) == ["one0", "one1"]
    assert cids(admitted(*one, *two[:1], left=2, total=2).admitted_outside) == ["two0", "one0"]
    spent = admitted(*one, *two, left=2, total=2)
    assert (cids(spent.admitted_outside), spent.dropped) == (["two0", "two1", "two2", "two3"], 6)


def test_a_later_round_uses_what_the_first_one_left() -> None:
    # scan A30
    one = [outside(f"one{n}", linked(n, "s1")) for n in range(5)]
    two = [outside(f"two{n}", linked(n, "s1"), linked(n, "s2")) for n in range(5)]
    assert cids(admitted(*one, left=1, total=2).admitted_outside) == ["one0"]
    assert admitted(*one, left=0, total=2).admitted_outside == ()
    later = admit([*one, *two], WINDOW, outside_left=0, outside_total=2, outside_admitted=3)
    assert cids(later.admitted_outside) == ["two0"]
    assert admit(two, WINDOW, outside_left=0, outside_total=2, outside_admitted=4).admitted_outside == ()


POOL = [
    candidate(
        f"w{n:02}",
        *(linked(n % 5, f"s{seed}") for seed in range(n % 4)),
        *([recommended(n, "s9")] if n % 4 == 0 else []),
        hit(0) if n % 11 == 0 else linked(0, "s0"),
        year=2010 + n % 16,
        citation_count=n % 3,
        outside_window=n % 3 == 0,
    )
    for n in range(40)
]


@given(st.permutations(POOL))
def test_admission_does_not_depend_on_the_order_of_works(shuffled: list[Candidate]) -> None:
    assert admitted(*shuffled, left=3, total=4) == admitted(*POOL, left=3, total=4)
