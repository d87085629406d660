"""Seeds of the citation graph (scan contract 7.9)."""

from collections.abc import Mapping
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from core.scan.expansion.seeds import gap_seeds, seeds
from core.scan.models import Origin, Pool, ScreenScore
from tests.core.scan.judged import scored
from tests.scan_works import candidate, hit


def test_seeds_are_the_best_kept_works_inside_the_window() -> None:
    pool = Pool(
        (
            candidate("a", hit(0)),
            candidate("b", hit(1), hit(1, "Q2")),
            candidate("c", hit(2), outside_window=True),
            candidate("d", hit(3)),
            candidate("e", hit(4)),
            candidate("f", hit(5)),
        )
    )
    assert seeds(pool, scored(a=2, b=2, c=3, d=3, e=1), ()) == ("d", "b", "a")


def test_each_resolved_anchor_is_a_seed_whatever_its_score_and_date() -> None:
    # scan A58
    anchors = [
        candidate(f"a{n:02}", Origin("openalex", "anchor", None, None, n), outside_window=True) for n in range(20)
    ]
    pool = Pool((*anchors, candidate("q", hit(0))), {"old": "a03"})
    assert seeds(pool, scored(q=3), ("a01", "old", "gone", "a01")) == ("a01", "a03", "q")
    assert seeds(pool, scored(q=3), [each.cid for each in anchors]) == tuple(each.cid for each in anchors)


def test_there_are_fifteen_seeds_in_pool_order_among_equals() -> None:
    pool = Pool(tuple(candidate(f"w{n:02}", hit(n)) for n in range(20)))
    all_kept = scored(**{each.cid: 2 for each in pool.candidates})
    assert seeds(pool, all_kept, ()) == tuple(f"w{n:02}" for n in range(15))


def test_seeds_of_the_gap_round_are_new_and_found_by_its_queries() -> None:
    # scan A31
    pool = Pool(
        (
            candidate("known", hit(0, "Q1"), hit(0, "G1")),
            candidate("graph", hit(0, "Q1")),
            *(candidate(f"n{n}", hit(n, "G1")) for n in range(7)),
        ),
        {"old": "n6"},
    )
    new = ("graph", "old", *(f"n{n}" for n in range(6)))
    scores = scored(known=3, graph=3, n0=1, **{f"n{n}": 2 for n in range(1, 6)}, n6=3)
    assert gap_seeds(pool, scores, new, ("G1",)) == ("n6", "n1", "n2", "n3", "n4")
    assert gap_seeds(pool, scored(n0=1), new, ("G1",)) == ()


@given(st.integers(0, 2**32))
def test_the_order_of_origins_does_not_matter(seed: int) -> None:
    shuffle = Random(seed).shuffle
    origins = [[hit(n % 3, f"Q{n}") for n in range(place % 4 + 1)] for place in range(8)]
    expected = seeds(Pool(tuple(candidate(f"w{n}", *each) for n, each in enumerate(origins))), all_good(), ())
    for each in origins:
        shuffle(each)
    assert seeds(Pool(tuple(candidate(f"w{n}", *each) for n, each in enumerate(origins))), all_good(), ()) == expected


def all_good() -> Mapping[str, ScreenScore]:
    return scored(**{f"w{n}": 2 + n % 2 for n in range(8)})
