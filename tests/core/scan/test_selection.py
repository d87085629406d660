"""What is emitted (scan contract 7.14)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.models import Candidate, Ids, RankedEntry, Retraction, ScanAuthor, Shortlist, Verification
from core.scan.selection import Selection, select, url_of
from tests.core.scan.judged import entry, shortlisted, verified
from tests.scan_works import candidate, found, hit

Row = tuple[Candidate, RankedEntry]


def row(cid: str, overall: int = 2, *, by: str | None = None, outside: bool = False, **values: Any) -> Row:
    """A candidate and its entry; `by` names the first author."""
    authors = () if by is None else (ScanAuthor(by),)
    versions = values.pop("versions", ())
    made = candidate(cid, hit(0), authors=authors, outside_window=outside)
    return replace(made, versions=versions), entry(cid, overall, **values)


def chosen(rows: Sequence[Row], *, top: int = 3, foundational: int = 0, **verdicts: Verification) -> Selection:
    candidates = [each for each, _ in rows]
    entries = {each.cid: judgement for each, judgement in rows}
    verifications = {**verified(*entries), **verdicts}
    return select(shortlisted(*candidates), entries, verifications, top=top, foundational=foundational)


def told(selection: Selection) -> list[tuple[int | None, str, str | None]]:
    return [(each.rank, each.shortlisted.candidate.cid, each.reason) for each in selection.packets]


def alternates(selection: Selection) -> list[str]:
    return [each.shortlisted.candidate.cid for each in selection.alternates]


def test_the_best_works_inside_the_window_have_the_main_places() -> None:
    # scan A62
    found = chosen([row("a", 2), row("b", 3), row("c", 2), row("d", 2), row("e", 1)], top=3)
    assert told(found) == [(1, "b", "score"), (2, "a", "score"), (3, "c", "score")]
    assert alternates(found) == ["d", "e"]
    assert all((each.rank, each.reason) == (None, None) for each in found.alternates)


def test_each_key_of_the_order_decides_where_those_before_it_are_equal() -> None:
    # scan A62
    best = candidate("f", hit(0), hit(0, "Q2"))
    works = [
        (candidate("overall", hit(9)), 2, entry("overall", 3, criteria={"C1": 0})),
        (candidate("criteria", hit(9)), 2, entry("criteria", criteria={"C1": 3, "C2": 3})),
        (candidate("origins", hit(9), hit(9, "Q2"), hit(9, "Q3")), 2, entry("origins")),
        (candidate("score", hit(9), hit(9, "Q2")), 3, entry("score")),
        (best, 2, entry("f")),
        (candidate("g", hit(5), hit(5, "Q2")), 2, entry("g")),
        (candidate("h", hit(5), hit(5, "Q2")), 2, entry("h")),
    ]
    sides = [shortlisted(each, score=score).in_window[0] for each, score, _ in reversed(works)]
    entries = {judgement.cid: judgement for _, _, judgement in works}
    found = select(Shortlist(tuple(sides)), entries, verified(*entries), top=50, foundational=0)
    assert [cid for _, cid, _ in told(found)] == ["overall", "criteria", "origins", "score", "f", "g", "h"]


def test_a_first_author_has_two_places_and_the_next_pick_is_there_for_diversity() -> None:
    # scan A62
    rows = [row(cid, by="Ada Lovelace") for cid in "abc"] + [row("d", by="A. Turing"), row("e", by="K. Gödel")]
    found = chosen(rows, top=4)
    assert told(found) == [(1, "a", "score"), (2, "b", "score"), (3, "d", "diversity"), (4, "e", "score")]
    assert alternates(found) == ["c"]


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        (ScanAuthor("J. Li", "1"), ScanAuthor("J. Li", "2"), False),
        (ScanAuthor("J. Li", "1"), ScanAuthor("Jia Li", "1"), True),
        (ScanAuthor("J. Li", None, "A1"), ScanAuthor("J. Li", None, "A2"), False),
        (ScanAuthor("J. Li", "1"), ScanAuthor("J. Li", None, "A2"), True),
        (ScanAuthor("Li, J."), ScanAuthor("J. LI"), True),
        (ScanAuthor("Jun Li"), ScanAuthor("Jia Li"), False),
        (ScanAuthor("?"), ScanAuthor("?"), False),
    ],
)
def test_authors_are_one_by_id_or_full_name(first: ScanAuthor, second: ScanAuthor, is_same: bool) -> None:
    # scan A62
    rows = [row(cid) for cid in "abcd"]
    authors = (first, first, second, None)
    rows = [
        (replace(each, work=replace(each.work, authors=(author,) if author else ())), judgement)
        for (each, judgement), author in zip(rows, authors, strict=True)
    ]
    if first.name == "?":
        assert [cid for _, cid, _ in told(chosen(rows))] == ["a", "b", "c"]
    else:
        assert [cid for _, cid, _ in told(chosen(rows))] == ["a", "b", "d" if is_same else "c"]


def test_a_review_and_counter_evidence_displace_the_weakest() -> None:
    # scan A62
    rows = [
        *(row(cid, 3) for cid in "abcd"),
        row("review", relation="closely-related", review=True),
        row("contra", relation="contradicting"),
    ]
    assert told(chosen(rows, top=4)) == [
        (1, "a", "score"),
        (2, "b", "score"),
        (3, "contra", "contradicting"),
        (4, "review", "review"),
    ]


def test_a_need_that_is_met_is_not_filled_again_and_its_pick_is_not_displaced() -> None:
    # scan A62
    rows = [
        row("a", 3),
        row("b", 3, review=True),
        row("c", 2, review=True, relation="closely-related"),
        row("d", 2, contradicts=True),
    ]
    assert told(chosen(rows, top=2)) == [(1, "b", "score"), (2, "d", "contradicting")]
    assert told(chosen(rows, top=3)) == [(1, "a", "score"), (2, "b", "score"), (3, "d", "contradicting")]


def test_with_one_place_the_later_guarantee_displaces_the_other() -> None:
    # scan A62
    rows = [row("a", 3), row("review", 2, review=True, relation="closely-related"), row("contra", contradicts=True)]
    assert told(chosen(rows, top=1)) == [(1, "contra", "contradicting")]
    assert told(chosen(rows[:2], top=1)) == [(1, "review", "review")]


@pytest.mark.parametrize(
    "other",
    [
        row("z", 1, review=True, relation="closely-related"),
        row("z", 2, review=True),
        row("z", 2, review=True, relation="plan-influencing"),
        row("z", 2, contradicts=True, relation="closely-related"),
        row("z", 1, relation="contradicting"),
        row("z", 3, review=True, relation="closely-related", outside=True),
    ],
)
def test_what_is_not_close_enough_displaces_nothing(other: Row) -> None:
    # scan A62
    rows = [row("a"), row("b"), other]
    assert [cid for _, cid, _ in told(chosen(rows, top=2))] == ["a", "b"]


def test_the_author_limit_holds_for_guarantees_too() -> None:
    # scan A62
    ada = "Ada Lovelace"
    review = row("z", 2, review=True, relation="closely-related", by=ada, criteria={"C1": 0})
    rows = [row("a", by=ada), row("b", by=ada), row("c")]
    assert told(chosen([*rows, review], top=3)) == [(1, "a", "score"), (2, "b", "score"), (3, "c", "score")]
    free = [row("a", by=ada), row("c"), row("b", criteria={"C1": 1}, by=ada)]
    assert told(chosen([*free, review], top=3)) == [(1, "a", "score"), (2, "c", "score"), (3, "z", "review")]


def test_out_of_window_works_have_the_foundational_places() -> None:
    # scan A62
    rows = [
        *(row(cid) for cid in "abcd"),
        row("f1", 2, outside=True, by="Ada"),
        row("f2", 3, outside=True, by="Ada"),
        row("f3", 2, outside=True, by="Ada"),
        row("low", 1, outside=True),
    ]
    found = chosen(rows, top=5, foundational=3)
    assert told(found) == [
        (1, "a", "score"),
        (2, "b", "score"),
        (3, "f2", "foundational"),
        (4, "f1", "foundational"),
        (5, "f3", "foundational"),
    ]
    assert alternates(found) == ["c", "d", "low"]


def test_one_main_place_always_stays() -> None:
    # scan A62
    rows = [row("a", 2), row("f1", 3, outside=True), row("f2", 3, outside=True)]
    assert told(chosen(rows, top=1, foundational=50)) == [(1, "a", "score")]
    assert told(chosen(rows, top=2, foundational=50)) == [(1, "a", "score"), (2, "f1", "foundational")]


def test_places_left_over_go_to_works_inside_the_window_whatever_their_overall() -> None:
    # scan A62
    ada = "Ada Lovelace"
    rows = [row("a", by=ada), row("b", 1, by=ada), row("c", 1, by=ada), row("d", 0), row("f", 2, outside=True)]
    found = chosen(rows, top=5, foundational=2)
    assert told(found) == [
        (1, "a", "score"),
        (2, "b", "backfill"),
        (3, "d", "backfill"),
        (4, "f", "foundational"),
    ]
    assert alternates(found) == ["c"]


def test_only_the_first_of_a_version_group_counts() -> None:
    # scan A62
    rows = [
        row("preprint", 2, versions=("third",)),
        row("journal", 3, versions=("third",)),
        row("other", 2),
        row("outside", 2, outside=True, versions=("journal",)),
    ]
    found = chosen(rows, top=5, foundational=2)
    assert [cid for _, cid, _ in told(found)] == ["journal", "other"]
    assert alternates(found) == []


def test_retracted_works_are_dropped_and_counted() -> None:
    # scan A42, A62
    flagged = Verification("mismatched", mismatches=("retracted",))
    offline = Verification("unverifiable", retraction=Retraction("retracted"))
    found = chosen([row("a"), row("b"), row("c")], a=flagged, b=offline)
    assert (told(found), found.dropped_retracted) == ([(1, "c", "score")], 2)


def test_what_has_no_entry_or_no_verdict_is_not_taken_for_verified() -> None:
    candidates = [row("a")[0], row("b")[0]]
    found = select(shortlisted(*candidates), {"a": entry("a")}, {}, top=3, foundational=0)
    assert [(each.shortlisted.candidate.cid, each.verification.state) for each in found.packets] == [
        ("a", "unverifiable")
    ]
    assert select(Shortlist(), {}, {}, top=10, foundational=2) == Selection()


def test_there_are_five_alternates() -> None:
    assert alternates(chosen([row(f"w{n:02}") for n in range(12)], top=3)) == [f"w{n:02}" for n in range(3, 8)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"doi": "10.1234/a(b)<c>d|e", "arxiv": "1706.03762"}, "https://doi.org/10.1234/a%28b%29%3Cc%3Ed%7Ce"),
        ({"arxiv": "1706.03762", "pmid": "7"}, "https://arxiv.org/abs/1706.03762"),
        ({"arxiv": "math/0309136"}, "https://arxiv.org/abs/math/0309136"),
        ({"oa_url": "https://example.org/a b?x=%20#y", "pmid": "7"}, "https://example.org/a%20b?x=%20#y"),
        ({"oa_url": "javascript:alert(1)", "pmid": "7"}, "https://pubmed.ncbi.nlm.nih.gov/7/"),
        ({"oa_url": "ftp://example.org"}, None),
        ({}, None),
    ],
)
def test_a_work_is_linked_where_it_is_read_best(values: dict[str, str], expected: str | None) -> None:
    oa_url = values.pop("oa_url", None)
    assert url_of(replace(found("T"), ids=Ids(**values), oa_url=oa_url)) == expected


ROWS = [
    row(
        f"w{n:02}",
        n % 4,
        by=f"Author {n % 5}",
        outside=n % 6 == 0,
        review=n % 7 == 0,
        relation="contradicting" if n % 9 == 0 else None,
        versions=(f"w{n - 1:02}",) if n % 8 == 7 else (),
    )
    for n in range(30)
]


@given(st.permutations(ROWS), st.integers(1, 20), st.integers(0, 20))
def test_the_selection_is_total_and_within_its_bounds(rows: list[Row], top: int, foundational: int) -> None:
    # scan A62, A63
    found = chosen(rows, top=top, foundational=foundational)
    assert found == chosen(ROWS, top=top, foundational=foundational)
    assert [each.rank for each in found.packets] == list(range(1, len(found.packets) + 1))
    assert len(found.packets) <= top
    assert all(each.entry.overall >= 2 for each in found.packets if each.reason != "backfill")
    inside = [each for each in found.packets if not each.shortlisted.candidate.outside_window]
    names = [each.shortlisted.candidate.work.authors[0].name for each in inside]
    assert all(names.count(name) <= 2 for name in names)
    assert inside
