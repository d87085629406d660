"""Identifiers and names as records are compared by (scan contract 7.5)."""

import pytest

from core.identifiers import parse
from core.scan.identity.keys import family_and_initial, family_key, folded_name, ids_of, ids_of_identifier, name_keys
from core.scan.models import Ids, ScanAuthor

SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        # scan A46
        ("10.1234/ABC", "10.1234/abc"),
        ("doi:10.1234/abc", "10.1234/abc"),
        ("DOI: 10.1234/abc", "10.1234/abc"),
        ("https://www.doi.org/10.1234/abc", "10.1234/abc"),
        ("www.doi.org/10.1234/abc", "10.1234/abc"),
        ("http://dx.doi.org/10.1234/abc.", "10.1234/abc"),
        ("10.1234/abc).", "10.1234/abc"),
        ("https://doi.org/10.1234%2Fabc", "10.1234/abc"),
        (SICI.upper(), SICI),
        ("10.1002%2F(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O", SICI),
        ("11.1234/abc", None),
        ("no doi", None),
        ("", None),
        (None, None),
    ],
)
def test_dois_have_one_form(text: str | None, doi: str | None) -> None:
    assert ids_of(doi=text) == Ids(doi=doi)


@pytest.mark.parametrize(
    ("text", "arxiv"),
    [
        # scan A46
        ("1706.03762", "1706.03762"),
        ("arXiv:1706.03762v7", "1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v2.pdf", "1706.03762"),
        ("http://arxiv.org/abs/hep-th/9711200v3", "hep-th/9711200"),
        ("https://arxiv.org/html/1706.03762", "1706.03762"),
        ("math.GT/0309136", "math/0309136"),
        ("1713.03762", None),
        ("1706", None),
    ],
)
def test_arxiv_ids_have_one_form(text: str, arxiv: str | None) -> None:
    assert ids_of(arxiv=text) == Ids(arxiv=arxiv)


def test_an_arxiv_doi_is_an_arxiv_id() -> None:
    assert ids_of(doi="10.48550/arXiv.1706.03762v5") == Ids(arxiv="1706.03762")
    assert ids_of(doi="10.48550/arXiv.1706.03762", arxiv="2401.00001") == Ids(arxiv="2401.00001")


def test_the_ids_of_indexes_are_read_bare_or_as_urls() -> None:
    paper = "0123456789abcdef" * 2 + "01234567"
    ids = Ids(pmid="9659853", openalex="W12", s2=paper, catalog="7")
    assert ids_of(pmid=9659853, openalex="https://openalex.org/W12", s2=paper.upper(), catalog=7) == ids
    assert ids_of(pmid="https://pubmed.ncbi.nlm.nih.gov/9659853/", openalex="W12", s2=paper, catalog="007") == ids
    assert ids_of(pmid="PMC12", openalex="A12", s2="CorpusId:12", catalog="x") == Ids()


def test_an_identifier_that_was_parsed_becomes_ids() -> None:
    assert ids_of_identifier(parse("10.1234/ABC", titles=False, bare_digits="refuse")) == Ids(doi="10.1234/abc")
    assert ids_of_identifier(parse("hep-th/9711200", titles=False, bare_digits="refuse")) == Ids(arxiv="hep-th/9711200")
    assert ids_of_identifier(parse("PMC12", titles=False, bare_digits="refuse")) == Ids()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Ashish Vaswani", ("vaswani", "a")),
        ("Vaswani, Ashish", ("vaswani", "a")),
        ("Lei van der Berg", ("berg", "l")),
        ("Van Der Berg, Lei", ("berg", "l")),
        ("José García Márquez", ("marquez", "j")),
        ("García Márquez, José", ("marquez", "j")),
        ("John Smith Jr.", ("smith", "j")),
        ("Smith Jr, John", ("smith", "j")),
        ("OpenAI", ("openai", "")),
        ("李", ("李", "")),
        ("?", ("", "")),
    ],
)
def test_an_author_is_compared_by_family_name_and_initial(name: str, expected: tuple[str, str]) -> None:
    assert family_and_initial(name) == expected


def test_names_are_folded_whole_and_in_part() -> None:
    assert folded_name("Vaswani, Ashish") == folded_name("ashish VASWANI") == "ashish vaswani"
    assert family_key("Müller-Lüdenscheidt") == "ludenscheidt"
    assert family_key("Jr") == "jr"
    assert name_keys([ScanAuthor("?"), ScanAuthor("A. Li"), ScanAuthor("Ang Li")]) == {("li", "a")}
