"""A round's records become works (scan contract 7.5, 7.6)."""

import random
import time
from dataclasses import replace

import pytest

from core.scan.identity.merging import Merged, merge
from core.scan.models import Candidate, FoundWork, Ids, Pool, ScanAuthor
from tests.scan_works import WINDOW, candidate, found, hit, linked

TITLE = "Retrieval augmented generation for scientific claims"
S2 = "a" * 40


def titles(merged: Merged) -> list[str]:
    return sorted(each.work.title for each in merged.new)


def works_of(*records: FoundWork) -> int:
    return len(merge(Pool(), records, WINDOW).new)


@pytest.mark.parametrize("kind", ["doi", "arxiv", "pmid", "openalex", "s2", "catalog"])
def test_a_shared_identifier_joins_records(kind: str) -> None:
    # scan A49
    value = {"doi": "10.1234/a", "arxiv": "2401.00001", "s2": S2, "openalex": "W12"}.get(kind, "12")
    one, other = found("One title of a work", **{kind: value}), found("Quite another heading", **{kind: value})
    assert works_of(one, other) == 1


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("doi", "10.1234/a", "10.1234/b"),
        ("arxiv", "2401.00001", "2401.00002"),
        ("pmid", "1", "2"),
    ],
)
def test_two_ids_of_a_kind_make_versions(kind: str, one: str, other: str) -> None:
    # scan A48, A49
    records = [found(TITLE, "Ann Lee", s2=S2, **{kind: value}) for value in (one, other)]
    first, second = merge(Pool(), records, WINDOW).new
    assert (first.versions, second.versions) == ((second.cid,), (first.cid,))
    by_title = [found(TITLE, "Ann Lee", **{kind: value}) for value in (one, other)]
    first, second = merge(Pool(), by_title, WINDOW).new
    assert (first.versions, second.versions) == ((second.cid,), (first.cid,))


def test_preprint_and_journal_version_become_one_by_title() -> None:
    # scan A48
    preprint = found(
        TITLE,
        "Lee, Ann",
        arxiv="2309.00001",
        type="preprint",
        raw_type="cs.IR",
        venue="arXiv",
        year=2023,
        publication_date="2023-09-01",
        abstract="A long abstract.",
        citation_count=9,
        origins=(hit(0, source="arxiv"),),
    )
    journal = found(
        TITLE.upper(),
        "Ann Lee",
        "Bo Chen",
        doi="10.1234/a",
        openalex="W1",
        type="article",
        raw_type="journal-article",
        venue="Journal of Claims",
        year=2024,
        publication_date="2024-02-01",
        abstract="Short.",
        citation_count=4,
        influential_citation_count=2,
        is_retracted=True,
        oa_url="https://example.org/a.pdf",
        tldr="In short.",
        origins=(hit(3, source="openalex"),),
    )
    (only,) = merge(Pool(), [preprint, journal], WINDOW).new
    assert only == Candidate(
        only.cid,
        FoundWork(
            title=TITLE.upper(),
            abstract="A long abstract.",
            tldr="In short.",
            authors=(ScanAuthor("Ann Lee"), ScanAuthor("Bo Chen")),
            year=2024,
            publication_date="2024-02-01",
            venue="Journal of Claims",
            type="article",
            raw_type="journal-article",
            ids=Ids(doi="10.1234/a", arxiv="2309.00001", openalex="W1"),
            citation_count=9,
            influential_citation_count=2,
            is_retracted=True,
            oa_url="https://example.org/a.pdf",
            origins=(hit(3, source="openalex"), hit(0, source="arxiv")),
        ),
        outside_window=False,
    )


@pytest.mark.parametrize(
    ("one", "other", "works"),
    [
        # scan A48
        (found(f"{TITLE}, Part I", "Ann Lee"), found(f"{TITLE}, Part II", "Ann Lee"), 2),
        (found("Attention is what you need", "Ann Lee"), found("Attention is not what you need", "Ann Lee"), 2),
        (found("Editorial", "Ann Lee", year=2024), found("Editorial", "Ann Lee", year=2024), 2),
        (found(TITLE, "Ann Lee"), found(TITLE, "Bo Chen"), 2),
        (found(TITLE, "Ann Lee"), found(TITLE, "Bo Chen", "A. Lee"), 1),
        (found(TITLE, "Ann Lee"), found(f"{TITLE} s", "Ann Lee"), 1),
        (found(TITLE, "Ann Lee", year=2020), found(TITLE, "Ann Lee", year=2024), 1),
        (found(TITLE, "Ann Lee", year=2023), found(TITLE, year=2024), 1),
        (found(TITLE, "Ann Lee", year=2022), found(TITLE, year=2024), 2),
        (found(TITLE, "Ann Lee", publication_date="2022-01"), found(TITLE, year=2024), 2),
        (found(TITLE, "Ann Lee"), found(TITLE, year=2024), 1),
        (found(TITLE, year=2024), found(TITLE, year=2024), 1),
        (found(TITLE, "Ann Lee"), found("Retrieval augmented generation for medical notes", "Ann Lee"), 2),
        (found("", "Ann Lee"), found("", "Ann Lee"), 2),
    ],
)
def test_title_and_authors_decide_where_no_identifier_does(one: FoundWork, other: FoundWork, works: int) -> None:
    one, other = (replace(work, ids=Ids(openalex=f"W{n}")) for n, work in enumerate((one, other), start=1))
    merged = merge(Pool(), [one, other], WINDOW)
    assert len(merged.new) == works
    assert len({each.cid for each in merged.new}) == works
    assert all(each.versions == () for each in merged.new)


def test_a_bridge_record_joins_two_candidates() -> None:
    # scan A47
    first = Candidate("a" * 12, found("First heading of it", doi="10.1234/a", origins=(hit(0),)))
    between = candidate("b" * 12)
    second = Candidate("c" * 12, found("Second heading of it", arxiv="2401.00001", origins=(hit(1),)))
    version = replace(candidate("d" * 12), versions=("c" * 12, "f" * 12))
    pool = Pool((first, between, second, version), {"e" * 12: "c" * 12})
    bridge = found("Bridge", doi="10.1234/a", arxiv="2401.00001", origins=(linked(0, "b" * 12),))
    merged = merge(pool, [bridge], WINDOW)
    assert [each.cid for each in merged.pool.candidates] == ["a" * 12, "b" * 12, "d" * 12]
    assert merged.pool.aliases == {"e" * 12: "a" * 12, "c" * 12: "a" * 12}
    assert merged.joined == (("a" * 12, "c" * 12),)
    assert merged.new == ()
    joined = merged.pool.candidates[0]
    assert joined.work.ids == Ids(doi="10.1234/a", arxiv="2401.00001")
    assert joined.work.title == "First heading of it"
    assert joined.work.origins == (hit(0), hit(1), linked(0, "b" * 12))
    assert merged.pool.candidates[2].versions == ("a" * 12,)
    assert {merged.pool.surviving(cid * 12) for cid in "ace"} == {"a" * 12}


def test_an_id_gained_later_changes_no_cid() -> None:
    # scan A51
    (first,) = merge(Pool(), [found(TITLE, "Ann Lee", openalex="W1", year=2024)], WINDOW).new
    known = Pool((first,))
    merged = merge(known, [found(TITLE, "Ann Lee", openalex="W1", doi="10.1234/a", origins=(hit(2),))], WINDOW)
    (gained,) = merged.pool.candidates
    assert (gained.cid, gained.work.ids) == (first.cid, Ids(doi="10.1234/a", openalex="W1"))
    assert (merged.new, merged.joined) == ((), ())
    again = merge(merged.pool, [found("Unlike it", doi="10.1234/a", origins=(hit(2),))], WINDOW)
    assert again.pool == merged.pool
    assert again.new == ()


def test_a_new_work_never_takes_a_cid_that_means_another() -> None:
    (first,) = merge(Pool(), [found("Editorial", openalex="W1", year=2024)], WINDOW).new
    for pool in (Pool((first,)), Pool((candidate("b" * 12),), {first.cid: "b" * 12})):
        (second,) = merge(pool, [found("Editorial", openalex="W2", year=2024)], WINDOW).new
        assert second.cid != first.cid


def test_the_window_is_judged_anew_after_every_merge() -> None:
    # scan A52
    untagged = Candidate("a" * 12, found(TITLE, doi="10.1234/a", year=2024), outside_window=False)
    copy = found(TITLE, doi="10.1234/a", publication_date="2023-09-15", year=2023)
    (outside,) = merge(Pool((untagged,)), [copy], WINDOW).pool.candidates
    assert outside.outside_window
    (inside,) = merge(
        Pool((replace(outside, work=found(TITLE, doi="10.1234/a", year=2024)),)), [], WINDOW
    ).pool.candidates
    assert not inside.outside_window
    undated, malformed = (
        merge(Pool(), [found(TITLE, publication_date=date)], WINDOW).new[0] for date in (None, "2023-13-41")
    )
    assert (undated.outside_window, malformed.outside_window) == (False, False)


@pytest.mark.parametrize(
    ("records", "dated"),
    [
        ([("article", "2024-05", None), ("preprint", "2023-01-01", 2023)], ("2024-05", 2024)),
        (
            [("article", None, 2024), ("preprint", "2023-11-05", 2023), ("other", "2023-10-01", 2023)],
            ("2023-10-01", 2024),
        ),
        ([("article", "2024-02-31", None), ("preprint", "2023-11", 2023)], ("2023-11", 2023)),
        ([("article", None, None), ("preprint", None, 2023), ("other", None, 2022)], (None, 2022)),
        ([("article", None, None), ("preprint", None, None)], (None, None)),
    ],
)
def test_the_most_published_record_tells_the_date(
    records: list[tuple[str, str | None, int | None]], dated: tuple[str | None, int | None]
) -> None:
    works = [found(TITLE, s2=S2, type=kind, publication_date=date, year=year) for kind, date, year in records]
    (only,) = merge(Pool(), works, WINDOW).new
    assert (only.work.publication_date, only.work.year) == dated


def test_one_place_in_a_list_is_one_origin_and_a_primary_one_if_it_can() -> None:
    records = [found(TITLE, s2=S2, origins=(origin,)) for origin in (hit(0, secondary=True), hit(0), hit(1), hit(0))]
    (only,) = merge(Pool(), records, WINDOW).new
    assert only.work.origins == (hit(0), hit(1))
    (single,) = merge(Pool(), [found(TITLE, publication_date="2024-05", origins=(hit(0), hit(0)))], WINDOW).new
    assert single.work == found(TITLE, publication_date="2024-05", year=2024, origins=(hit(0),))


@pytest.mark.parametrize(
    ("text", "year", "kept"),
    [
        ("2024-02-31", None, (None, None)),
        ("2024-02-31", 2023, (None, 2023)),
        ("2024", None, (None, 2024)),
        ("2024-05-06", None, ("2024-05-06", 2024)),
        ("2024-05-06", 2023, ("2024-05-06", 2023)),
        ("soon", None, (None, None)),
    ],
)
def test_a_malformed_date_is_none(text: str, year: int | None, kept: tuple[str | None, int | None]) -> None:
    (only,) = merge(Pool(), [found(TITLE, publication_date=text, year=year)], WINDOW).new
    assert (only.work.publication_date, only.work.year) == kept


def test_a_heading_of_very_many_works_joins_none() -> None:
    letters = [found("Letter to the editor of it", openalex=f"W{n}", year=2024) for n in range(1, 67)]
    assert works_of(*letters[:64]) == 1
    assert len({each.cid for each in merge(Pool(), letters, WINDOW).new}) == 66


def test_a_pool_of_three_thousand_is_not_compared_pair_by_pair() -> None:
    numbers = random.Random(7)
    words = [
        f"{first}{second}ing" for first in "bcdfghjklmnp" for second in ("a", "e", "i", "o", "u", "ai", "ou", "eu")
    ]
    works = [
        found(
            f"Large models for {' '.join(numbers.sample(words, 5))} in science",
            f"A. Smith{number}",
            openalex=f"W{number}",
        )
        for number in range(1, 3001)
    ]
    before = time.process_time()
    merged = merge(Pool(), works, WINDOW)
    # Some tenths of a second; the bound leaves room for a busy machine.
    assert time.process_time() - before < 3.0
    assert len(merged.new) == 3000
