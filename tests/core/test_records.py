"""The bibliographic values: partial dates, authors, venues, works."""

from dataclasses import fields
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Venue, Work

HEX = "204e3073870fae3d05bcbc2f6a8e263d9b72e776"


@st.composite
def partial_dates(draw: st.DrawFn) -> PartialDate:
    day = draw(st.dates())
    parts = (day.year, day.month, day.day)[: draw(st.integers(1, 3))]
    return PartialDate(*parts)


# catalog 11.2
@pytest.mark.parametrize(
    ("text", "parts", "precision", "first_day"),
    [
        ("2019", (2019, None, None), "year", date(2019, 1, 1)),
        ("2019-03", (2019, 3, None), "month", date(2019, 3, 1)),
        ("2019-03-05", (2019, 3, 5), "day", date(2019, 3, 5)),
        ("2020-02-29", (2020, 2, 29), "day", date(2020, 2, 29)),
        ("0987", (987, None, None), "year", date(987, 1, 1)),
    ],
)
def test_date_is_read_and_printed_at_its_precision(
    text: str, parts: tuple[int, int | None, int | None], precision: str, first_day: date
) -> None:
    found = PartialDate.parse(text)
    assert (found.year, found.month, found.day) == parts
    assert (str(found), found.precision, found.first_day()) == (text, precision, first_day)


@pytest.mark.parametrize(
    "text",
    ["", "19", "2019-3", "2019-03-5", "2019-13", "2019-00", "2019-02-29", "2019-03-00", "0000", "2019-03-05T00:00:00Z",
     " 2019", "2019\n", "+2019", "20190305", "2019/03/05", "٢٠١٩", "2019-", "2019-03-", "in press"],
)  # fmt: skip
def test_text_that_is_no_date_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidInput, match="2019-03-05"):
        PartialDate.parse(text)


@given(partial_dates())
def test_printed_date_is_read_as_itself(value: PartialDate) -> None:
    assert PartialDate.parse(str(value)) == value


@given(partial_dates(), partial_dates())
def test_dates_are_ordered_by_first_day_and_then_by_precision(one: PartialDate, two: PartialDate) -> None:
    precisions = ["year", "month", "day"]
    ranks = [(value.first_day(), precisions.index(value.precision)) for value in (one, two)]
    assert (one < two, one <= two, one > two, one >= two, one == two) == (
        ranks[0] < ranks[1], ranks[0] <= ranks[1], ranks[0] > ranks[1], ranks[0] >= ranks[1], ranks[0] == ranks[1]
    )  # fmt: skip


def test_vaguer_date_of_one_first_day_comes_first() -> None:
    texts = ["2019-01-02", "2019-02", "2019-01-01", "2018-12-31", "2019-01", "2019"]
    ordered = [str(value) for value in sorted(map(PartialDate.parse, texts))]
    assert ordered == ["2018-12-31", "2019", "2019-01", "2019-01-01", "2019-01-02", "2019-02"]


def test_date_is_not_ordered_among_other_things() -> None:
    with pytest.raises(TypeError):
        PartialDate(2019) < "2019"  # type: ignore[operator]  # noqa: B015


@pytest.mark.parametrize(
    ("parts", "text"),
    [([2019], "2019"), (["2019", "3"], "2019-03"), ([2019, 3, 5], "2019-03-05"), ([2019, None, None], "2019")],
)
def test_date_is_built_from_its_parts(parts: list[int | str | None], text: str) -> None:
    assert str(PartialDate.from_parts(parts)) == text


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [None],
        [2019, 3, 5, 1],
        [2019, None, 5],
        ["in press"],
        ["٢٠١٩"],
        [2019, 13],
        [0],
        [-1],
        [10**30],
        ["1" * 5000],
    ],
    ids=str,
)
def test_parts_that_are_no_date_are_refused(parts: list[int | str | None]) -> None:
    with pytest.raises(InvalidInput, match="2019"):
        PartialDate.from_parts(parts)


def test_day_without_a_month_is_refused() -> None:
    with pytest.raises(InvalidInput, match="2019-03-05"):
        PartialDate(2019, None, 5)


@given(st.dates(max_value=date(9999, 12, 30)))
def test_next_day_is_later(day: date) -> None:
    after = day + timedelta(days=1)
    assert PartialDate(day.year, day.month, day.day) < PartialDate(after.year, after.month, after.day)


@pytest.mark.parametrize(
    "text",
    ["0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097", "http://orcid.org/0000-0002-1825-0097"],
)
def test_orcid_is_kept_bare(text: str) -> None:
    author = Author("Josiah Carberry", "Carberry", "Josiah", text)
    assert author == Author("Josiah Carberry", "Carberry", "Josiah", "0000-0002-1825-0097", group=False)


def test_orcid_may_end_in_x() -> None:
    assert Author("A", orcid="0000-0002-1694-233x").orcid == "0000-0002-1694-233X"


@pytest.mark.parametrize("text", ["", "0000-0002-1825-0098", "0000000218250097", "orcid.org/0000-0002-1825-0097x"])
def test_text_that_is_no_orcid_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="0000-0002-1825-0097"):
        Author("A", orcid=text)


def test_author_and_venue_need_a_name() -> None:
    with pytest.raises(InvalidInput, match="Ashish Vaswani"):
        Author("  ")
    with pytest.raises(InvalidInput, match="Nature"):
        Venue("")


# references 4.1
def test_work_has_the_fields_of_the_contract_in_its_order() -> None:
    assert " ".join(field.name for field in fields(Work)) == (
        "key doi doi_registered arxiv_id arxiv_version arxiv_categories pmid pmcid openalex_id s2_id title subtitle"
        " authors author_count published year type venue publisher volume issue pages article_number issn isbn language"
        " abstract url license oa_status oa_locations cited_by_count reference_count updates is_notice_for preprint_of"
        " preprints sources fetched_at"
    )
    assert [field.name for field in fields(Author)] == ["name", "family", "given", "orcid", "group"]
    assert [field.name for field in fields(OaLocation)] == ["url", "url_for_pdf", "host_type", "version", "license"]
    assert [field.name for field in fields(UpdateNotice)] == ["type", "doi", "date", "source"]


def test_what_is_unknown_of_a_work_is_none_or_an_empty_list() -> None:
    work = Work("doi:10.1038/nature14539")
    values = {field.name: getattr(work, field.name) for field in fields(Work)} | {"key": None}
    lists = "arxiv_categories authors issn isbn oa_locations updates is_notice_for preprints sources"
    assert " ".join(name for name, value in values.items() if value == ()) == lists
    assert {type(value) for value in values.values()} == {type(None), tuple}


def test_year_and_author_count_follow_from_date_and_authors() -> None:
    work = Work("arxiv:1706.03762", published=PartialDate(2017, 6), authors=(Author("A"), Author("B")))
    assert (work.year, work.author_count) == (2017, 2)
    cut = Work("arxiv:1706.03762", published=PartialDate(2017), year=2018, authors=(Author("A"),), author_count=1300)
    assert (cut.year, cut.author_count) == (2018, 1300)


def test_work_names_everything_it_is_known_by() -> None:
    work = Work(
        "arxiv:math/0309136",
        doi="10.1000/182.",
        arxiv_id="math.GT/0309136",
        arxiv_version="v2",
        pmid="9659853",
        pmcid="PMC3531190",
        openalex_id="W12",
        s2_id=HEX,
    )
    assert work.identifiers() == (
        ("arxiv", "math/0309136"),
        ("doi", "10.1000/182."),
        ("pmid", "9659853"),
        ("pmcid", "PMC3531190"),
        ("openalex", "W12"),
        ("s2", HEX),
    )


def test_arxiv_doi_of_a_work_names_the_arxiv_paper_once() -> None:
    work = Work("arxiv:1706.03762", doi="10.48550/arxiv.1706.03762", arxiv_id="1706.03762")
    assert work.identifiers() == (("arxiv", "1706.03762"),)
    assert Work("doi:10.48550/x", doi="10.48550/arxiv.x").identifiers() == (("doi", "10.48550/arxiv.x"),)


def test_place_of_a_work_is_one_value() -> None:
    work = Work("doi:10.1038/nature14539", venue="Nature", volume="521", pages="436-444", issn=("0028-0836",))
    assert work.published_in() == Venue("Nature", volume="521", pages="436-444", issn=("0028-0836",))
    assert Work("doi:10.1038/nature14539", volume="521").published_in() is None


@pytest.mark.parametrize(
    ("given", "example"),
    [
        ({"key": "1706.03762"}, "arxiv:1706.03762"),
        ({"key": "arxiv:"}, "arxiv:1706.03762"),
        ({"key": "isbn:9780262035613"}, "arxiv:1706.03762"),
        ({"doi": "10.1038/NATURE14539"}, "10.1038/nature14539"),
        ({"doi": "https://doi.org/10.1038/nature14539"}, "10.1038/nature14539"),
        ({"doi": "10.1038/a b"}, "10.1038/nature14539"),
        ({"arxiv_id": "1706.03762v7"}, "1706.03762"),
        ({"arxiv_id": "arXiv:1706.03762"}, "1706.03762"),
        ({"arxiv_id": "x"}, "1706.03762"),
        ({"arxiv_version": "v7"}, "v7"),
        ({"pmid": "PMID:9659853"}, "9659853"),
        ({"pmcid": "3531190"}, "PMC3531190"),
        ({"openalex_id": "https://openalex.org/W12"}, "W2741809807"),
        ({"s2_id": HEX.upper()}, HEX),
        ({"authors": (Author("A"), Author("B")), "author_count": 1}, "3 for 3"),
    ],
    ids=str,
)
def test_work_out_of_normal_form_is_refused_with_an_example(given: dict[str, object], example: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Work(**({"key": "doi:10.1038/nature14539"} | given))  # type: ignore[arg-type]
    assert example in caught.value.message
