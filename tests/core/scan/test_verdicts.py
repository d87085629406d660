"""Verdicts on ranked works (scan contract 7.13)."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.scan.models import Candidate, LiveRecord, Origin, Retraction, Verification
from core.scan.searching.port import Answers
from core.scan.verdicts import verdict
from core.scan.vocabulary import Mismatch, SourceName
from tests.scan_works import found

TITLE = "Attention is all you need for sequence transduction"
DAY = "2026-08-20"


def work(*sources: SourceName, title: str = TITLE, year: int | None = 2017, **values: Any) -> Candidate:
    values.setdefault("doi", "10.1234/abc")
    origins = tuple(Origin(source, "query", "Q1", None, 0) for source in sources or ("openalex",))
    return Candidate("c" * 12, found(title, "Vaswani, Ashish", year=year, origins=origins, **values))


def record(source: SourceName, title: str | None = TITLE, year: int | None = 2017, **values: Any) -> LiveRecord:
    values.setdefault("first_author_family", "Vaswani")
    return LiveRecord(source, title, year, **values)


def judged(candidate: Candidate, *records: LiveRecord, **answers: Any) -> Verification:
    return verdict(candidate, Answers(records, **answers), DAY)


def test_a_registry_that_has_the_work_verifies_it() -> None:
    assert judged(work(), record("s2"), record("crossref"), unchecked=("arxiv",)) == Verification(
        state="verified",
        verified_by=("crossref", "s2"),
        verified_on=DAY,
        title_match_ratio=100.0,
        mismatches=(),
        independent=True,
        unchecked=("arxiv",),
        records=("crossref", "s2"),
        retraction=Retraction("no_marker_found", ("crossref", "s2"), ("arxiv",)),
    )


def test_what_only_its_own_index_knows_is_unverifiable() -> None:
    # scan A39
    alone = judged(work("openalex"), record("openalex"))
    assert (alone.state, alone.mismatches, alone.independent, alone.verified_by) == ("unverifiable", (), False, ())
    assert alone.title_match_ratio == 100.0
    assert judged(work("openalex"), record("openalex"), record("crossref")).verified
    assert judged(work("openalex"), record("s2")).verified
    assert not judged(work("openalex", "s2"), record("s2"), record("openalex")).verified


@pytest.mark.parametrize(
    ("ids", "source", "by", "is_verified"),
    [
        ({"doi": "10.1234/abc"}, "crossref", "identifier", True),
        ({"doi": "10.1234/abc"}, "datacite", "identifier", True),
        ({"doi": None}, "crossref", "bibliographic", False),
        ({"doi": None}, "crossref", "identifier", False),
        ({"doi": None, "arxiv": "1706.03762"}, "arxiv", "identifier", True),
        ({"doi": None, "arxiv": "1706.03762"}, "arxiv", "bibliographic", False),
        ({"doi": "10.1234/abc"}, "arxiv", "identifier", False),
        ({"doi": "10.1234/abc"}, "s2", "identifier", False),
    ],
)
def test_a_source_that_supplied_the_work_confirms_it_only_as_registry_of_its_identifier(
    ids: dict[str, str | None], source: SourceName, by: str, is_verified: bool
) -> None:
    # scan A38
    candidate = work("crossref", "datacite", "arxiv", "s2", **ids)
    assert judged(candidate, record(source, by=by)).verified is is_verified


def test_a_datacite_doi_is_verified_through_datacite() -> None:
    # scan A40
    assert judged(work(), record("datacite"), absent=("crossref",)).verified_by == ("datacite",)


@pytest.mark.parametrize("source", ["crossref", "datacite", "arxiv", "openalex", "s2"])
def test_one_comparator_serves_all_sources(source: SourceName) -> None:
    # scan A41
    candidate = work("openalex", arxiv="1706.03762")
    far = record(source, "Something else entirely about bees", 2014, first_author_family="Lovelace")
    found = judged(candidate, far)
    assert (found.state, found.mismatches) == ("mismatched", ("title", "year", "author"))
    assert found.verified_by == ()


@pytest.mark.parametrize(
    ("changes", "mismatches"),
    [
        ({"year": 2018}, ()),
        ({"year": 2019}, ("year",)),
        ({"year": None}, ()),
        ({"first_author_family": "VASWANI"}, ()),
        ({"first_author_family": None}, ()),
        ({"first_author_family": "Shazeer"}, ("author",)),
        ({"title": TITLE.upper()}, ()),
        ({"title": f"RETRACTED: {TITLE}"}, ("retracted",)),
        ({"title": f"WITHDRAWN: {TITLE}", "year": 2020}, ("year", "retracted")),
        ({"title": TITLE.replace("is all", "is not all")}, ("title",)),
        ({"title": f"{TITLE} II"}, ("title",)),
        ({"is_retracted": True}, ("retracted",)),
    ],
)
def test_each_field_is_compared_with_its_tolerance(changes: dict[str, Any], mismatches: tuple[Mismatch, ...]) -> None:
    # scan A41
    found = judged(work(), replace(record("crossref"), **changes))
    assert (found.mismatches, found.state) == (mismatches, "mismatched" if mismatches else "verified")


def test_the_authority_is_the_best_source_and_its_ratio_is_told() -> None:
    near = TITLE + " with"
    found = judged(work(), record("s2"), record("crossref", near))
    assert found.title_match_ratio == 95.3
    other = judged(work(), record("s2"), record("crossref", None), record("arxiv", "Bees"))
    assert (other.mismatches, other.state, other.records) == (("title",), "mismatched", ("crossref", "arxiv", "s2"))


def test_a_record_without_a_title_confirms_nothing() -> None:
    found = judged(work(), record("crossref", None))
    assert (found.state, found.title_match_ratio, found.mismatches) == ("unverifiable", None, ())
    nameless = judged(Candidate("c" * 12, found_without_authors()), record("crossref"))
    assert nameless.verified


def found_without_authors() -> Any:
    return replace(work().work, authors=(), year=None)


def test_made_up_identifiers_are_never_verified() -> None:
    # scan A38
    arxiv = work(doi=None, arxiv="2699.99999")
    assert judged(arxiv, absent=("arxiv", "openalex", "s2")).mismatches == ("no_record",)
    doi = judged(work(), absent=("crossref", "datacite"), is_doi_unresolved=True)
    assert (doi.state, doi.mismatches) == ("mismatched", ("doi_unresolved",))
    beside = judged(work(), record("s2"), is_doi_unresolved=True)
    assert (beside.state, beside.mismatches) == ("mismatched", ("doi_unresolved",))


def test_a_source_that_could_not_be_asked_is_no_negative() -> None:
    # scan A40
    found = judged(work(), absent=("openalex",), unchecked=("crossref", "s2"))
    assert (found.state, found.mismatches, found.unchecked) == ("unverifiable", (), ("crossref", "s2"))
    assert found.retraction == Retraction("unknown", (), ("crossref", "s2"))
    assert judged(work()).mismatches == ()


@pytest.mark.parametrize(
    ("candidate", "records"),
    [
        (work(), (record("crossref", is_retracted=True), record("s2"))),
        (work(), (record("crossref"), record("openalex", is_retracted=True))),
        (work(), (record("crossref"), record("s2", is_retracted=True))),
        (work(), (record("crossref"), record("s2", f"Retracted: {TITLE}"))),
        (work(title=f"RETRACTED: {TITLE}"), (record("crossref"),)),
        (work(is_retracted=True), (record("crossref"),)),
        (work(is_retracted=True), ()),
    ],
)
def test_one_marker_alone_is_a_retraction(candidate: Candidate, records: tuple[LiveRecord, ...]) -> None:
    # scan A42
    found = judged(candidate, *records)
    assert (found.state, found.mismatches, found.retraction.status) == ("mismatched", ("retracted",), "retracted")


def test_a_source_without_retractions_tells_nothing_of_them() -> None:
    # scan A42
    assert judged(work(), record("datacite")).retraction == Retraction("unknown", (), ())
    assert judged(work(), absent=("crossref",)).retraction == Retraction("unknown", (), ())


def test_offline_everything_is_unverifiable() -> None:
    # scan A43
    offline = verdict(work(), Answers(), DAY, is_offline=True)
    assert offline == Verification("unverifiable", (), DAY, None, (), False, (), (), Retraction())
    retracted = verdict(work(is_retracted=True), Answers(), DAY, is_offline=True)
    assert (retracted.state, retracted.mismatches, retracted.retraction.status) == ("unverifiable", (), "retracted")


def test_the_catalog_proves_nothing() -> None:
    found = judged(work(), record("catalog"))
    assert (found.state, found.records) == ("unverifiable", ())


@pytest.mark.parametrize(
    ("has_record", "has_doi", "state", "is_retracted"),
    list(product([True, False], [True, False], ["answers", "absent", "unchecked"], [True, False])),
)
def test_the_truth_table_gives_the_three_states(
    has_record: bool, has_doi: bool, state: str, is_retracted: bool
) -> None:
    # scan A38
    candidate = work("s2", doi="10.1234/abc" if has_doi else None)
    records = (record("s2", is_retracted=is_retracted),) if has_record or is_retracted else ()
    crossref = {
        "answers": {"records": (*records, record("crossref", by="identifier" if has_doi else "bibliographic"))},
        "absent": {"records": records, "absent": ("crossref",)},
        "unchecked": {"records": records, "unchecked": ("crossref",)},
    }[state]
    found = verdict(candidate, Answers(**crossref), DAY)  # type: ignore[arg-type]
    expected = "mismatched" if is_retracted else "verified" if state == "answers" else "unverifiable"
    assert found.state == expected
    assert found.verified is (expected == "verified")
    assert found.mismatches == (
        ("retracted",) if is_retracted else ("no_record",) if state == "absent" and not records else ()
    )


RECORDS = [
    record("crossref"),
    record("s2", year=2016),
    record("arxiv", by="bibliographic"),
    record("openalex", TITLE + "!"),
    record("crossref", TITLE + " here", by="bibliographic"),
]


@given(st.permutations(RECORDS))
def test_the_order_of_answers_does_not_matter(shuffled: list[LiveRecord]) -> None:
    assert judged(work(), *shuffled) == judged(work(), *RECORDS)
