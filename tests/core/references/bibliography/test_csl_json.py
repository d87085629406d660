"""CSL-JSON entries: where their identifiers are looked for, and in which order."""

from typing import Any

import orjson
import pytest

from core.errors import InvalidInput, InvalidReference
from core.records import Work
from core.references.bibliography.entries import BadEntry, Entry
from core.references.bibliography.reading import read_bibliography
from core.references.exports.csl import csl_item
from tests.exported_works import work


def read_item(item: Any) -> Entry | BadEntry:
    found = read_bibliography(orjson.dumps([item]))
    [row] = [*found.entries, *found.bad_entries]
    return row


@pytest.mark.parametrize(
    ("item", "key"),
    [
        ({"DOI": "10.1000/182"}, "doi:10.1000/182"),
        ({"DOI": "https://doi.org/10.1000/182,"}, "doi:10.1000/182"),
        ({"DOI": "doi:10.1000/182"}, "doi:10.1000/182"),
        ({"doi": "10.48550/arXiv.1706.03762"}, "arxiv:1706.03762"),
        ({"archive": "arXiv", "number": "arXiv:1706.03762"}, "arxiv:1706.03762"),
        ({"archivePrefix": "arXiv", "eprint": "hep-th/9711200"}, "arxiv:hep-th/9711200"),
        ({"archive": "arXiv.org", "eprint": "1706.03762v7", "number": "x"}, "arxiv:1706.03762"),
        ({"note": "PMID: 9659853\nread in May"}, "pmid:9659853"),
        ({"note": "arXiv: 1706.03762 [cs]"}, "arxiv:1706.03762"),
        ({"PMID": "9659853"}, "pmid:9659853"),
        ({"PMID": 9659853}, "pmid:9659853"),
        ({"PMCID": "PMC3531190"}, "pmcid:PMC3531190"),
        ({"PMCID": 3531190}, "pmcid:PMC3531190"),
        ({"URL": "https://arxiv.org/abs/1706.03762"}, "arxiv:1706.03762"),
        ({"URL": "https://dl.acm.org/doi/10.1145/3292500.3330701"}, "doi:10.1145/3292500.3330701"),
        # The first in the order of the contract, whatever stands beside it.
        ({"PMID": "9659853", "DOI": "10.1000/182", "URL": "https://arxiv.org/abs/1706.03762"}, "doi:10.1000/182"),
        ({"DOI": " ", "archive": "JSTOR", "number": "12", "note": "see 10.1000/182"}, "doi:10.1000/182"),
        ({"PMID": "9659853", "URL": "https://arxiv.org/abs/1706.03762"}, "pmid:9659853"),
    ],
)
def test_an_item_is_identified_by_its_members_in_order(item: dict[str, Any], key: str) -> None:
    # references A91, A92
    row = read_item(item)
    assert isinstance(row, Entry)
    assert row.identifier.key.casefold() == key.casefold()


# references A91
@pytest.mark.parametrize(
    ("item", "raw", "reason"),
    [
        ({"DOI": "10.123/abc", "archive": "arXiv", "number": "1706.03762"}, "10.123/abc", "doi_bad_registrant"),
        ({"DOI": "see publisher"}, "see publisher", "doi_bad_registrant"),
        ({"archive": "arXiv", "number": "12", "PMID": "9659853"}, "12", "arxiv_bad_shape"),
        ({"PMID": "none"}, "none", "pmid_bad_shape"),
        ({"URL": "https://doi.org/10.123/abc"}, "https://doi.org/10.123/abc", "doi_bad_registrant"),
    ],
)
def test_a_malformed_identifier_is_an_error_and_no_reason_to_look_further(
    item: dict[str, Any], raw: str, reason: str
) -> None:
    row = read_item(item)
    assert isinstance(row, BadEntry)
    assert isinstance(row.error, InvalidReference)
    assert (row.raw, row.error.reason) == (raw, reason)


@pytest.mark.parametrize(
    "item", [{}, {"title": "x"}, {"URL": "https://example.org/x"}, {"DOI": ["10.1000/1"]}, "10.1000/1", None, 7, []]
)
def test_an_item_without_an_identifier_is_an_error_of_its_own(item: Any) -> None:
    row = read_item(item)
    assert isinstance(row, BadEntry)
    assert (type(row.error), row.raw) == (InvalidInput, None)


def test_ids_are_kept_as_they_are_numbers_and_repeats_too() -> None:
    # references A91
    items = [{"id": id, "DOI": f"10.1000/{n}"} for n, id in enumerate(["a", 7, "a", 7, None, True, "7"])]
    found = read_bibliography(orjson.dumps(items))
    assert [entry.key for entry in found.entries] == ["a", 7, "a", 7, None, None, "7"]
    assert [entry.identifier.key for entry in found.entries] == [f"doi:10.1000/{n}" for n in range(7)]


def test_an_empty_array_is_an_empty_bibliography() -> None:
    found = read_bibliography("[]")
    assert (found.entries, found.bad_entries) == ((), ())


def test_what_was_exported_is_read_again() -> None:
    preprint = Work("arxiv:math/0309136", arxiv_id="math.GT/0309136", title="x")
    items = [csl_item("one", work(1)), csl_item("two", preprint)]
    found = read_bibliography(orjson.dumps(items))
    assert [(entry.key, entry.identifier.key) for entry in found.entries] == [
        ("one", "doi:10.1000/w_1"), ("two", "arxiv:math/0309136"),
    ]  # fmt: skip
