"""Screening batches (scan contract 6.1, 7.8)."""

from dataclasses import replace
from itertools import pairwise

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from core.scan.batches import document, made
from core.scan.models import Batch, Candidate, FoundWork, Ids, Pool
from tests.scan_works import candidate, hit, plan

PLAN = plan("Q1")


def bytes_of(batch: Batch, pool: Pool) -> int:
    return len(orjson.dumps(document(batch, pool, PLAN)))


def test_items_tell_what_a_reader_judges_by_and_no_more() -> None:
    # scan A19
    work = FoundWork(
        title="t" * 301,
        abstract="深" * 601,
        tldr="short",
        year=2024,
        venue="v" * 121,
        ids=Ids(doi="10.1234/abc", s2="a" * 40),
        citation_count=900,
        influential_citation_count=8,
        oa_url="https://example.org/x",
        origins=(hit(0), hit(1, "Q2")),
    )
    pool = Pool((Candidate("a" * 12, work, outside_window=True), candidate("b" * 12, title="T", tldr="One line.")))
    assert document(Batch("x01", ("a" * 12, "b" * 12)), pool, PLAN) == {
        "batch": "x01",
        "sub_criteria": [
            {"id": f"C{number}", "name": f"Criterion {number}", "text": "Does it matter?"} for number in (1, 2, 3)
        ],
        "items": [
            {
                "cid": "a" * 12,
                "title": "t" * 300,
                "abstract_600": "深" * 600,
                "year": 2024,
                "venue": "v" * 120,
                "origin_count": 2,
                "outside_window": True,
            },
            {
                "cid": "b" * 12,
                "title": "T",
                "abstract_600": "One line.",
                "year": None,
                "venue": None,
                "origin_count": 0,
                "outside_window": False,
            },
        ],
    }


def test_an_item_without_any_summary_has_null() -> None:
    items = document(Batch("01", ("a",)), Pool((candidate("a", abstract="", venue=""),)), PLAN)["items"]
    assert (items[0]["abstract_600"], items[0]["venue"]) == (None, None)


def test_batches_hold_25_in_pool_order() -> None:
    candidates = [candidate(f"{number:012x}") for number in range(51)]
    cids = tuple(each.cid for each in candidates)
    assert made(candidates, PLAN, "xr") == (
        Batch("xr01", cids[:25]),
        Batch("xr02", cids[25:50]),
        Batch("xr03", cids[50:]),
    )
    assert made([], PLAN, "") == ()
    assert made([candidate(f"{number:012x}") for number in range(2500)], PLAN, "")[-1].id == "100"


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 700), st.sampled_from("aé深😀\n")), max_size=70))
def test_no_batch_exceeds_its_bytes(abstracts: list[tuple[int, str]]) -> None:
    candidates = [
        candidate(f"{place:012x}", title=sign * 320, abstract=sign * length, venue=sign * 200)
        for place, (length, sign) in enumerate(abstracts)
    ]
    pool = Pool(tuple(candidates))
    batches = made(candidates, PLAN, "")
    assert [cid for batch in batches for cid in batch.cids] == [each.cid for each in candidates]
    for batch in batches:
        assert 1 <= len(batch.cids) <= 25
        assert bytes_of(batch, pool) <= 34_000
    # A batch is closed for want of places or bytes only.
    for batch, following in pairwise(batches):
        grown = replace(batch, cids=(*batch.cids, following.cids[0]))
        assert len(batch.cids) == 25 or bytes_of(grown, Pool(pool.candidates)) > 33_900 or _is_cut(grown, pool)


def _is_cut(batch: Batch, pool: Pool) -> bool:
    """Whether previews of a batch were cut for want of bytes."""
    whole = {each.cid: len((each.work.abstract or "")[:600]) for each in pool.candidates}
    return any(len(item["abstract_600"] or "") < whole[item["cid"]] for item in document(batch, pool, PLAN)["items"])


def test_a_candidate_too_large_for_any_batch_is_alone() -> None:
    wide = plan("Q1", text="深" * 12_000)
    candidates = [candidate("a"), candidate("b")]
    assert made(candidates, wide, "") == (Batch("01", ("a",)), Batch("02", ("b",)))
    assert len(document(Batch("01", ("a",)), Pool(tuple(candidates)), wide)["items"]) == 1


def test_a_joined_work_is_shown_once_under_its_present_cid() -> None:
    # scan A47
    pool = Pool((candidate("a"), candidate("c")), {"b": "a"})
    items = document(Batch("01", ("a", "b", "c", "unknown")), pool, PLAN)["items"]
    assert [item["cid"] for item in items] == ["a", "c"]


def test_abstracts_gained_later_do_not_make_a_batch_too_large() -> None:
    before = [candidate(f"{number:012x}", title="深" * 300) for number in range(25)]
    (batch,) = made(before, PLAN, "")
    after = Pool(tuple(replace(each, work=replace(each.work, abstract="深" * 600)) for each in before))
    assert bytes_of(batch, after) <= 34_000
    previews = {len(item["abstract_600"]) for item in document(batch, after, PLAN)["items"]}
    assert previews == {75}
