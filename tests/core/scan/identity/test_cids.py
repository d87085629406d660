"""The short ids of works (scan contract 7.5)."""

import hashlib

import pytest

from core.scan.identity.cids import cid_of
from tests.scan_works import found


@pytest.mark.parametrize(
    ("values", "cid"),
    [
        # scan A46
        ({"doi": "10.1234/ABC", "arxiv": "1706.03762", "pmid": "1", "year": 2017}, "38df94429740"),
        ({"arxiv": "1706.03762", "pmid": "1", "year": 2017}, "f77a8bfbe100"),
        ({"openalex": "W1", "year": 2017}, "59b618f155c7"),
    ],
)
def test_the_strongest_identifier_names_a_work(values: dict[str, object], cid: str) -> None:
    assert cid_of(found("Attention Is All You Need", **values), ()) == cid


def test_a_pmid_or_a_title_without_year_names_a_work() -> None:
    assert cid_of(found("Any", pmid="12"), ()) == hashlib.sha1(b"pmid:12").hexdigest()[:12]
    assert cid_of(found("Any: title"), ()) == hashlib.sha1(b"title:any title|").hexdigest()[:12]


def test_digits_that_are_taken_are_hashed_again() -> None:
    work = found("Any", doi="10.1234/abc")
    second, third = (hashlib.sha1(f"doi:10.1234/abc#{n}".encode()).hexdigest()[:12] for n in (2, 3))
    assert cid_of(work, {"38df94429740"}) == second
    assert cid_of(work, {"38df94429740", second}) == third
