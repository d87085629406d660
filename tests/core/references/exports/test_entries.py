"""Whole exports: citation keys, order, unknown records, size."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pybtex.database import parse_string

from core.errors import ResultTooLarge
from core.records import Author, Work
from core.references.exports.entries import bibtex_entries, csl_entries
from core.references.exports.keys import Exportable, KeyStyle, citation_keys
from tests.exported_works import work


def exportable(number: int, each: Work | None = None) -> Exportable:
    return Exportable(f"doi_10.1000_w_{number}", each or work(number))


def author_year(*works: Work) -> list[str]:
    return citation_keys([exportable(n, each) for n, each in enumerate(works)], "author-year")


def test_equal_author_year_keys_get_letters() -> None:
    # references A89
    keys = author_year(*(work(number) for number in range(53)))
    letters = [*"abcdefghijklmnopqrstuvwxyz"]
    assert keys == [f"lecun2015deep{suffix}" for suffix in (*letters, *(f"a{each}" for each in letters), "ba")]


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({}, "lecun2015deep"),
        ({"title": "On the Origin of Species"}, "lecun2015origin"),
        ({"title": "A 3D study"}, "lecun20153d"),
        ({"title": "深度 学习 networks"}, "lecun2015networks"),
        ({"authors": (Author("Jan van der Berg"),)}, "vanderberg2015deep"),
        ({"authors": (Author("Paul Erdős"),)}, "erdos2015deep"),
        ({"authors": (Author("ATLAS Collaboration", group=True),)}, "atlascollaboration2015deep"),
        ({"authors": (Author("王小明"),)}, "anon2015deep"),
        ({"authors": (), "published": None, "title": None}, "anonnduntitled"),
        ({"title": "?!"}, "lecun2015untitled"),
    ],
)
def test_an_author_year_key_is_made_of_what_is_known(values: dict[str, object], key: str) -> None:
    # references A89
    assert author_year(work(**values)) == [key]


def test_a_suffix_is_never_another_key() -> None:
    others = work(3, title="deepa")
    assert author_year(work(1), work(2), others) == ["lecun2015deepb", "lecun2015deepc", "lecun2015deepa"]


def test_works_that_share_a_safekey_get_letters_too() -> None:
    items = [Exportable("doi_10.1234_a_b", work(number)) for number in (1, 2)]
    assert citation_keys(items, "safekey") == ["doi_10.1234_a_ba", "doi_10.1234_a_bb"]
    assert citation_keys([exportable(1), exportable(2)], "safekey") == ["doi_10.1000_w_1", "doi_10.1000_w_2"]


@pytest.mark.parametrize("style", ["safekey", "author-year"])
def test_a_work_that_is_asked_for_twice_has_one_key(style: KeyStyle) -> None:
    one, again, other = citation_keys([exportable(1), exportable(1), exportable(2)], style)
    assert one == again != other


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), st.sampled_from(["deep", "deepa", "deep a"])), max_size=30))
def test_distinct_works_have_distinct_keys(asked: list[tuple[int, str]]) -> None:
    works = [work(number, title=f"{title}") for number, title in dict(asked).items()]
    keys = author_year(*works)
    assert len(set(keys)) == len(works)


def test_entries_come_in_order_and_unknown_records_are_null() -> None:
    # references A90
    items = [exportable(2), None, exportable(1)]
    bibtex = bibtex_entries(items)
    assert [entry and entry.partition(",")[0] for entry in bibtex] == [
        "@article{doi_10.1000_w_2", None, "@article{doi_10.1000_w_1",
    ]  # fmt: skip
    csl = csl_entries(items)
    assert [entry and [item["id"] for item in entry] for entry in csl] == [
        ["doi_10.1000_w_2"],
        None,
        ["doi_10.1000_w_1"],
    ]
    assert (bibtex_entries([None]), csl_entries([])) == ([None], [])


def test_options_reach_every_entry() -> None:
    # references A89
    [entry] = bibtex_entries([exportable(1, work(title="Müller"))], key_style="author-year", ascii_only=True)
    assert entry is not None
    assert entry.startswith('@article{lecun2015muller,\n  title      = {M{\\"u}ller},\n')


@pytest.mark.parametrize("authors", [2, 100, 3000])
def test_two_hundred_entries_stay_within_an_answer(authors: int) -> None:
    people = tuple(Author(f"Given{n} Middle Family{n}") for n in range(authors))
    items = [
        exportable(number, work(number, authors=people, title="A title of usual length " * 4)) for number in range(200)
    ]
    bibtex = bibtex_entries(items)
    csl = csl_entries(items)
    assert len(orjson.dumps(bibtex).decode()) <= 100_000
    assert len(orjson.dumps(csl).decode()) <= 100_000
    assert len(parse_string("\n".join(entry for entry in bibtex if entry), "bibtex").entries) == 200
    # Every cut list says that there are others.
    for entry, item in zip(bibtex, csl, strict=True):
        assert entry is not None and item is not None
        assert (" and others}" in entry) == (item[0]["author"][-1] == {"literal": "others"}) == (authors > 2)


def test_an_export_that_cannot_be_cut_enough_is_refused() -> None:
    with pytest.raises(ResultTooLarge):
        bibtex_entries([exportable(1)], chars_max=100)
    with pytest.raises(ResultTooLarge):
        csl_entries([exportable(1)], chars_max=100)
