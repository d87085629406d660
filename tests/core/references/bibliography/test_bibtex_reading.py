"""BibTeX entries: values, identifiers, damage that stays where it is."""

import logging

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InvalidInput, InvalidReference
from core.records import Work
from core.references.bibliography.bibtex_values import evaluate, untex
from core.references.bibliography.entries import BadEntry, Bibliography, Entry
from core.references.bibliography.reading import read_bibliography
from core.references.exports.bibtex import bibtex_entry
from tests.exported_works import AWKWARD, every_type, work


def read(content: str) -> Bibliography:
    return read_bibliography(content, format="bibtex")


def pairs(found: Bibliography) -> list[tuple[object, str]]:
    return [(entry.key, entry.identifier.key) for entry in found.entries]


def read_one(fields: str) -> Entry | BadEntry:
    found = read(f"@article{{key,\n  {fields},\n}}")
    [row] = [*found.entries, *found.bad_entries]
    return row


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ("doi = {10.1000/182}", "doi:10.1000/182"),
        ('DOI = "10.1000/182"', "doi:10.1000/182"),
        (r"doi = {https://doi.org/10.1007/978-3-319-1\_2,}", "doi:10.1007/978-3-319-1_2"),
        (r"doi = {10.1002/x\%2Fy\&z}", "doi:10.1002/x/y&z"),
        (r"doi = {{10.1000/{\_}a}}", "doi:10.1000/_a"),
        (
            r"doi = {10.1577/1548-8659(1981)110$<$446:EOTOFR$>$2.0.CO;2}",
            "doi:10.1577/1548-8659(1981)110<446:eotofr>2.0.co;2",
        ),
        (
            r"doi = {10.1577/1548-8659(1981)110\textless446:EOTOFR\textgreater{}2.0.CO;2}",
            "doi:10.1577/1548-8659(1981)110<446:eotofr>2.0.co;2",
        ),
        ("doi = {10.1000/a%7Bb}", "doi:10.1000/a{b"),
        ("doi = {10.1000/182}, doi = {10.1000/183}", "doi:10.1000/182"),
        ("eprint = {1706.03762}, archivePrefix = {arXiv}", "arxiv:1706.03762"),
        ("eprint = {1706.03762}, eprinttype = {arxiv}", "arxiv:1706.03762"),
        ("eprint = {arXiv:1706.03762v7}", "arxiv:1706.03762"),
        ("eprint = {hep-th/9711200}", "arxiv:hep-th/9711200"),
        ("eprint = {https://arxiv.org/abs/1706.03762}", "arxiv:1706.03762"),
        ("eprint = {https://example.org/x.pdf}, pmid = {9659853}", "pmid:9659853"),
        ("eprint = {1234}, eprinttype = {jstor}, pmid = {9659853}", "pmid:9659853"),
        ("eprint = {9659853}, eprinttype = {pubmed}", "pmid:9659853"),
        ("eprint = {9659853}, eprinttype = {pubmed}, pmcid = {PMC3531190}", "pmcid:pmc3531190"),
        ("pmid = 9659853", "pmid:9659853"),
        ("pmcid = {3531190}", "pmcid:pmc3531190"),
        ("url = {https://arxiv.org/abs/1706.03762}", "arxiv:1706.03762"),
        (r"howpublished = {\url{https://arxiv.org/abs/1706.03762}}", "arxiv:1706.03762"),
        ("howpublished = {Available at https://arxiv.org/abs/1706.03762}", "arxiv:1706.03762"),
        ("howpublished = {Press release}, url = {https://arxiv.org/abs/1706.03762}", "arxiv:1706.03762"),
        # The first in the order of the contract.
        ("url = {https://arxiv.org/abs/1706.03762}, pmid = {9659853}, doi = {10.1000/182}", "doi:10.1000/182"),
    ],
)
def test_an_entry_is_identified_by_its_fields_in_order(fields: str, key: str) -> None:
    # references A91, A92
    row = read_one(fields)
    assert isinstance(row, Entry)
    assert row.identifier.key.casefold() == key


# references A91
@pytest.mark.parametrize(
    ("fields", "raw", "reason"),
    [
        ("doi = {10.123/abc}, eprint = {1706.03762}, archivePrefix = {arXiv}", "10.123/abc", "doi_bad_registrant"),
        ("eprint = {0309136}, archivePrefix = {arXiv}", "0309136", "arxiv_missing_archive"),
        ("eprint = {abc}", "abc", "arxiv_bad_shape"),
        ("pmid = {x}, url = {https://arxiv.org/abs/1706.03762}", "x", "pmid_bad_shape"),
    ],
)
def test_a_malformed_identifier_is_an_error_and_no_reason_to_look_further(fields: str, raw: str, reason: str) -> None:
    row = read_one(fields)
    assert isinstance(row, BadEntry)
    assert isinstance(row.error, InvalidReference)
    assert (row.key, row.raw, row.error.reason) == ("key", raw, reason)


def test_strings_are_put_in_and_are_no_entries() -> None:
    found = read(
        '@string{prefix = "10.1000/"}\n@STRING{whole = prefix # {182}}\n@comment{@article{no, doi={10.1000/0}}}\n'
        '@preamble{"\\newcommand{\\x}{y}"}\n@article{a, doi = whole}\n@article{b, doi = prefix # "183", month = jan}\n'
        "@article{c, doi = Prefix # 184}\n@article{d, doi = undefined}\n"
    )
    assert pairs(found) == [("a", "doi:10.1000/182"), ("b", "doi:10.1000/183"), ("c", "doi:10.1000/184")]
    assert [(bad.key, bad.raw) for bad in found.bad_entries] == [("d", "undefined")]


def test_a_damaged_entry_is_one_error_and_costs_no_other() -> None:
    # references A91
    found = read(
        "@article{a, doi={10.1000/1}}\n@misc{unclosed, title={never\n@article{b, doi={10.1000/2}}\n"
        "@book{comma,\n  title = {missing}\n  doi = {10.1000/3}\n}\n@article{c, title = {x}, doi = }\n"
        "stray text\n@article{d, doi={10.1000/4}}\n@article{cut, doi={10.1000/5}, title={off"
    )
    assert pairs(found) == [("a", "doi:10.1000/1"), ("b", "doi:10.1000/2"), ("d", "doi:10.1000/4")]
    assert [(bad.key, bad.raw, type(bad.error)) for bad in found.bad_entries] == [
        (None, None, InvalidInput),
        ("comma", None, InvalidInput),
        ("c", None, InvalidInput),
        (None, None, InvalidInput),
    ]


def test_keys_that_repeat_are_kept_apart_by_their_order() -> None:
    # references A91
    found = read(
        "@article{a, doi={10.1000/1}}\n@article{a, doi={10.1000/2}}\n"
        '@article(a, doi="10.1000/3")\n@misc{,doi={10.1000/4}}'
    )
    assert pairs(found) == [
        ("a", "doi:10.1000/1"), ("a", "doi:10.1000/2"), ("a", "doi:10.1000/3"), (None, "doi:10.1000/4"),
    ]  # fmt: skip


def test_what_cannot_be_read_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    # references A93
    with caplog.at_level(logging.DEBUG):
        read("@article{a, doi={10.1000/1}}\n@secretsecret{b, title={secret\n@article{c, doi={10.1000/2}}")
    assert caplog.records == []


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{a {b} c}", "a {b} c"),
        ('"a {"} b"', 'a {"} b'),
        ('{a} # "b" # 3 # jan # s', "ab3janstring"),
        ("{a} {b}", None),
        ("{a", None),
        ('"a', None),
        ('"a}"', None),
        ("{a} #", None),
        ("", None),
        ("=", None),
    ],
)
def test_a_value_is_what_bibtex_makes_of_it(expression: str, value: str | None) -> None:
    assert evaluate(expression, {"s": "string"}) == value


def test_strings_of_strings_do_not_grow_without_end() -> None:
    doubled = "".join(f"@string{{s{n + 1} = s{n} # s{n}}}\n" for n in range(60))
    entries = "@article{a, doi={10.1000/1}}\n@article{b, title = s60, doi={10.1000/2}}\n"
    content = f'@string{{s0 = "x"}}\n{doubled}{entries}'
    assert pairs(read(content)) == [("a", "doi:10.1000/1"), ("b", "doi:10.1000/2")]
    long = " # ".join(["s60"] * 1000)
    found = read(f"{content}@article{{c, title = {long}, doi={{10.1000/3}}}}")
    assert [(bad.key, type(bad.error)) for bad in found.bad_entries] == [("c", InvalidInput)]


@settings(deadline=None)
@given(st.text('{}"#ab \\', max_size=40))
def test_any_value_is_read_or_refused(expression: str) -> None:
    value = evaluate(expression, {})
    assert value is None or isinstance(untex(value), str)


def test_every_export_with_an_identifier_is_read_again() -> None:
    # references A86
    works = [each for each in (*every_type(), *AWKWARD) if each.doi or each.arxiv_id]
    entries = [bibtex_entry(f"k{n}", each, ascii_only=n % 2 == 0) for n, each in enumerate(works)]
    expected = [f"doi:{each.doi}" if each.doi else "arxiv:math/0309136" for each in works]
    assert pairs(read("\n".join(entries))) == [(f"k{n}", key) for n, key in enumerate(expected)]


@settings(deadline=None)
@given(st.from_regex(r"10\.[0-9]{4}/[!-~]{1,30}", fullmatch=True))
def test_any_doi_survives_writing_and_reading(doi: str) -> None:
    # references A87
    try:
        known = read_bibliography(doi, format="refs").entries[0].identifier
        each = Work(known.key, doi=known.value, doi_registered=known.id)
    except (IndexError, InvalidInput):
        return
    [entry] = read(bibtex_entry("k", each, ascii_only=False)).entries
    assert entry.identifier.key == known.key


def test_a_title_that_looks_like_an_entry_is_none() -> None:
    assert len(read(bibtex_entry("k", work(title="x @article{y"), ascii_only=False)).entries) == 1
