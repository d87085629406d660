"""What holds of merging for any records (scan contract 7.5)."""

from itertools import combinations
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from core.scan.identity.merging import merge
from core.scan.models import FoundWork, Ids, Pool, ScanAuthor
from tests.scan_works import WINDOW, hit

TITLES = [
    "Retrieval augmented generation for claims",
    "Retrieval-Augmented Generation for Claims!",
    "Retrieval augmented generation of claims",
    "Retrieval augmented generation for claims II",
    "An entirely different subject matter",
    "Editorial",
    "",
]


def one_of(kind: str, count: int) -> st.SearchStrategy[str | None]:
    return st.sampled_from([None, None, *(f"{kind}{number}" for number in range(count))])


records = st.builds(
    FoundWork,
    title=st.sampled_from(TITLES),
    abstract=st.sampled_from([None, "Short.", "Longer text."]),
    authors=st.lists(st.sampled_from([ScanAuthor("Ann Lee"), ScanAuthor("Bo Chen")]), max_size=2).map(tuple),
    year=st.sampled_from([None, 2022, 2023, 2024]),
    publication_date=st.sampled_from([None, "2023-09-15", "2024-05", "2024-02-31"]),
    type=st.sampled_from(["article", "preprint", "review", "other"]),
    ids=st.builds(Ids, doi=one_of("d", 3), arxiv=one_of("a", 2), openalex=one_of("w", 3), s2=one_of("s", 2)),
    origins=st.lists(st.builds(hit, st.integers(0, 3), st.sampled_from(["Q1", "Q2"])), max_size=2).map(tuple),
)


@settings(max_examples=100)
@given(st.lists(records, max_size=6), st.lists(records, max_size=9), st.randoms(use_true_random=False))
def test_any_order_of_the_input_gives_the_same_works(
    earlier: list[FoundWork], found: list[FoundWork], shuffling: Random
) -> None:
    # scan A50
    pool = Pool(merge(Pool(), earlier, WINDOW).new)
    shuffled = list(found)
    shuffling.shuffle(shuffled)
    assert merge(pool, shuffled, WINDOW) == merge(pool, found, WINDOW)


@given(st.lists(records, max_size=6), st.lists(records, max_size=6), st.lists(records, max_size=6))
def test_rounds_keep_every_promise_on_cids(
    first: list[FoundWork], second: list[FoundWork], third: list[FoundWork]
) -> None:
    # scan A47, A51
    pool = Pool()
    given_out: set[str] = set()
    for found in (first, second, third):
        merged = merge(pool, found, WINDOW)
        before = [each.cid for each in pool.candidates]
        kept = [each.cid for each in merged.pool.candidates]
        assert kept == [cid for cid in before if cid in set(kept)]
        assert not given_out & {each.cid for each in merged.new}
        pool = Pool(merged.pool.candidates + merged.new, merged.pool.aliases)
        cids = [each.cid for each in pool.candidates]
        assert len(set(cids)) == len(cids)
        assert not set(pool.aliases) & set(cids)
        given_out |= set(cids)
        assert all(pool.surviving(cid) for cid in given_out)
        assert {alias for _, alias in merged.joined} == set(before) - set(kept)
        _check_versions(pool)


def _check_versions(pool: Pool) -> None:
    by_cid = {each.cid: each for each in pool.candidates}
    for each in pool.candidates:
        assert each.cid not in each.versions
        assert len(set(each.versions)) == len(each.versions)
        assert all(each.cid in by_cid[cid].versions for cid in each.versions)
    for one, other in combinations(pool.candidates, 2):
        for kind in ("doi", "arxiv"):
            value = getattr(one.work.ids, kind)
            if value is not None and value == getattr(other.work.ids, kind):
                assert other.cid in one.versions


@given(st.lists(records.filter(lambda work: work.ids != Ids()), max_size=9))
def test_merging_again_what_was_merged_changes_nothing(found: list[FoundWork]) -> None:
    pool = Pool(merge(Pool(), found, WINDOW).new)
    again = merge(pool, [each.work for each in pool.candidates], WINDOW)
    assert again.new == ()
    assert [each.work for each in again.pool.candidates] == [
        each.work for each in pool.candidates if each.cid not in again.pool.aliases
    ]
