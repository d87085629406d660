"""How members of foreign answers and names are read, and licences named."""

from typing import Any

import pytest

from core.records import Author, PartialDate
from core.sources import fields
from core.sources.drafting import Draft
from core.sources.licences import licence_slug


@pytest.mark.parametrize(
    ("value", "count"),
    [(0, 0), (7, 7), (None, None), (True, None), (-1, None), ("7", None), (1.5, None), (1 << 60, None)],
)
def test_what_is_no_number_of_things_is_unknown(value: Any, count: int | None) -> None:
    assert fields.count({"n": value}, "n") == count


@pytest.mark.parametrize(("value", "number"), [(0, 0.0), (1.5, 1.5), (float("nan"), None), (True, None), ("1", None)])
def test_what_is_no_figure_is_unknown(value: Any, number: float | None) -> None:
    assert fields.number({"n": value}, "n") == number


@pytest.mark.parametrize(
    ("value", "doi"),
    [
        ("10.1234/X.", "10.1234/X."),
        ("https://doi.org/10.1234/X", "10.1234/X"),
        ("http://dx.doi.org/10.1234/x", "10.1234/x"),
        ("doi: 10.1234/x", "10.1234/x"),
        ("10.12/x", None),
        ("10.1234/a b", None),
        ("", None),
        (None, None),
    ],
)
def test_a_registered_doi_keeps_its_spelling(value: str | None, doi: str | None) -> None:
    assert fields.registered_doi(value) == doi


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ("http://dx.doi.org/10.1/x", "https://doi.org/10.1/x"),
        ("HTTPS://a.test/http://b", "https://a.test/http://b"),
        ("ftp://a.test/", None),
        ("a.test", None),
        ("https://a.test/a b", None),
        ("https://" + "a" * 3_000, None),
    ],
)
def test_a_web_address_is_over_https(value: str, url: str | None) -> None:
    assert fields.https_url(value) == url


@pytest.mark.parametrize(
    ("parts", "date"),
    [
        ([2019, 2, 30], PartialDate(2019, 2)),
        (["2019", "13"], PartialDate(2019)),
        ([None], None),
        ([], None),
        (["MMXIX"], None),
        ([2019, 1, 2, 9], PartialDate(2019, 1, 2)),
    ],
)
def test_as_much_of_a_date_is_kept_as_is_in_the_calendar(parts: list[Any], date: PartialDate | None) -> None:
    assert fields.date_of(parts) == date


def test_serial_numbers_are_in_their_form_and_each_once() -> None:
    assert fields.issns(["2167-8359", "21678359", "1234567x", "x"]) == ("2167-8359", "1234-567X")
    assert fields.isbns(["978-3-319-53921-8", "http://id.crossref.org/isbn/9783319539218", "12"]) == ("9783319539218",)
    assert [fields.language(value) for value in ("en", "pt-BR", "English language", None)] == [
        "en",
        "pt-BR",
        None,
        None,
    ]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("CC BY-NC-ND 4.0", "cc-by-nc-nd"),
        ("CCBYNCSA", "cc-by-nc-sa"),
        ("cc-by-4.0", "cc-by"),
        ("CC BY 3.0 IGO", "cc-by"),
        ("CC0 1.0", "cc0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "public-domain"),
        ("publisher-specific-oa", "publisher-specific-oa"),
        ("  ", None),
        (None, None),
    ],
)
def test_a_licence_has_one_name(text: str | None, slug: str | None) -> None:
    assert licence_slug(text) == slug


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("Smith JA", Author("Smith JA", "Smith", "JA")),
        ("de la Cruz M", Author("de la Cruz M", "de la Cruz", "M")),
        ("Jane Smith", Author("Jane Smith", "Smith", "Jane")),
        ("Plato", Author("Plato", "Plato")),
        (" ", None),
        (None, None),
    ],
)
def test_an_index_prints_the_family_name_first(name: str | None, author: Author | None) -> None:
    assert Draft().indexed(name) == author


def test_damage_of_any_of_several_names_is_kept() -> None:
    draft = Draft()
    draft.person("M\ufffdller", "J")
    draft.named("Ann Other")
    assert draft.quality == ("replacement_char:authors",)
