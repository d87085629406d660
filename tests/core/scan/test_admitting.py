"""Who enters the pool, and where (scan contract 7.8)."""

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from core.scan.admitting import Admission, admit
from core.scan.models import Candidate, Origin, Pool
from tests.scan_works import ROUTING, candidate, hit, linked, plan

QUERIES = plan("Q1", "Q2", "Q3").queries


def let_in(
    new: list[Candidate], *, cap: int = 100, anchors: tuple[str, ...] = (), pool: Pool | None = None
) -> Admission:
    return admit(pool or Pool(), new, QUERIES, cap=cap, routing=ROUTING, anchors=anchors)


def test_queries_take_turns_in_plan_order() -> None:
    new = [
        candidate("a1", hit(0)),
        candidate("a2", hit(1)),
        candidate("a3", hit(2), hit(0, "Q3")),
        candidate("b1", hit(0, "Q2"), hit(9)),
        candidate("c1", hit(1, "Q3")),
        candidate("g1", linked(0, "a1")),
    ]
    # Q3's best is a3, which Q1 then has no longer.
    order = ("a1", "b1", "a3", "a2", "c1", "g1")
    admission = let_in(new)
    assert admission.added == order
    assert tuple(each.cid for each in admission.pool.candidates) == order
    assert admission.dropped == 0
    assert let_in(new, cap=4).added == order[:4]
    assert let_in(new, cap=4).dropped == 2
    assert let_in(new, cap=0) == Admission(Pool(), (), 6)


def test_anchors_come_first_and_cost_nothing() -> None:
    def anchor(cid: str, rank: int) -> Candidate:
        return candidate(cid, Origin("crossref", "anchor", None, None, rank), hit(5))

    new = [candidate("a1", hit(0)), candidate("a2", hit(1)), anchor("n2", 1), anchor("n1", 0), candidate("n3")]
    admission = let_in(new, cap=1, anchors=("n1", "n2", "n3", "elsewhere"))
    assert admission.added == ("n1", "n3", "n2", "a1")
    assert admission.dropped == 1


def test_a_second_round_adds_behind_the_first() -> None:
    # scan A30
    known = Pool((candidate("k1", hit(0)), candidate("k2", hit(7))), {"gone": "k1"})
    admission = let_in([candidate("a1", hit(0)), candidate("a2", hit(1))], cap=1, pool=known)
    assert admission.pool == Pool((*known.candidates, candidate("a1", hit(0))), {"gone": "k1"})
    assert admission.added == ("a1",)
    assert admission.dropped == 1


def test_links_to_versions_that_stayed_out_are_cut() -> None:
    known = Pool((replace(candidate("k1"), versions=("a2", "a1")),))
    new = [replace(candidate("a1", hit(0)), versions=("k1", "a2")), candidate("a2", hit(1))]
    pool = let_in(new, cap=1, pool=known).pool
    assert [each.versions for each in pool.candidates] == [("a1",), ("k1",)]


places = st.lists(st.builds(hit, st.integers(0, 9), st.sampled_from(["Q1", "Q2", "Q3", "Q4"])), max_size=4)


@given(st.lists(places, max_size=12), st.integers(0, 12), st.randoms(use_true_random=False))
def test_any_arrival_order_gives_one_pool(lists: list[list[Origin]], cap: int, shuffling: Random) -> None:
    # scan A54
    new = [candidate(f"{place:012x}", *each) for place, each in enumerate(lists)]
    again = list(new)
    shuffling.shuffle(again)
    whole, cut = let_in(again), let_in(new, cap=cap)
    assert cut.added == whole.added[:cap]
    assert sorted(whole.added) == sorted(each.cid for each in new)
    assert len(cut.added) + cut.dropped == len(new)
