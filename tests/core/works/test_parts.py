"""Parts of records: page ranges, personal names, kinds of work."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import Author, PartialDate, UpdateNotice, Work
from core.works.names import name_parts, split_name
from core.works.pages import page_range, tex_pages
from core.works.retraction import retraction_notice
from core.works.types import WORK_TYPES, from_crossref, from_datacite, from_openalex


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        ("895-7", "895-897"),  # references A36
        ("799-802", "799-802"),
        ("799–802", "799-802"),
        ("799--802", "799-802"),
        ("799 — 802", "799-802"),
        ("1234-45", "1234-1245"),
        ("99-101", "99-101"),
        ("100-100", "100-100"),
        ("12-3", "12-13"),
        ("15-2", "15-2"),
        ("S12-9", "S12-S19"),
        ("S12-S19", "S12-S19"),
        ("e100-105", "e100-e105"),
        ("A1-B7", "A1-B7"),
        ("iv–xii", "iv-xii"),
        ("17:1–17:30", "17:1-17:30"),
        ("1-9, 23–7", "1-9, 23-27"),
        ("042509", "042509"),
        ("12-", "12"),
        ("-", None),
        ("", None),
    ],
)
def test_pages_have_one_hyphen_between_whole_numbers(text: str, pages: str | None) -> None:
    assert page_range(text) == pages


@settings(deadline=None)
@given(st.integers(1, 10**6), st.integers(0, 10**4))
def test_an_abbreviated_end_is_completed_to_the_one_it_stands_for(first: int, length: int) -> None:
    last = str(first + length)
    assert page_range(f"{first}-{last}") == f"{first}-{last}"
    kept = page_range(f"{first}-{last[-2:]}")
    if len(last) == len(str(first)) and last[:-2] == str(first)[:-2]:
        assert kept == f"{first}-{last}"


@pytest.mark.parametrize(
    ("pages", "tex"),
    [
        ("799-802", "799--802"),
        ("1-9, 23-27", "1--9, 23--27"),
        ("iv-xii", "iv--xii"),
        ("17:1-17:30", "17:1--17:30"),
        ("e-12", "e-12"),
        ("042509", "042509"),
    ],
)
def test_bibtex_has_a_double_hyphen_in_ranges_only(pages: str, tex: str) -> None:
    assert tex_pages(pages) == tex


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("Ashish Vaswani", ("Vaswani", "Ashish")),
        ("Vaswani, Ashish", ("Vaswani", "Ashish")),
        ("Jan van der Berg", ("van der Berg", "Jan")),
        ("van der Berg", ("van der Berg", None)),
        ("Ludwig van Beethoven", ("van Beethoven", "Ludwig")),
        ("Jean le Rond d'Alembert", ("d'Alembert", "Jean le Rond")),
        ("bell hooks", ("hooks", "bell")),
        ("Amos B. Smith III", ("Smith", "Amos B. III")),
        ("Smith III", ("Smith", "III")),
        ("Martin Luther King, Jr.", ("King", "Martin Luther Jr.")),
        ("Smith, Jr., Amos", ("Smith", "Jr., Amos")),
        ("Sheherazade", ("Sheherazade", None)),
        ("Vaswani,", ("Vaswani", None)),
        (", Ashish", ("Ashish", None)),
        (",", (",", None)),
        ("王 小明", ("小明", "王")),
    ],
)
def test_a_display_name_has_a_family_and_a_given_name(name: str, parts: tuple[str, str | None]) -> None:
    assert split_name(name) == parts


@settings(deadline=None)
@given(st.text(min_size=1, max_size=30).filter(lambda name: name.strip() and "," not in name))
def test_no_part_of_a_name_is_lost(name: str) -> None:
    family, given_name = split_name(name)
    assert family
    assert sorted(f"{family} {given_name or ''}".split()) == sorted(name.split())


@pytest.mark.parametrize(
    ("author", "parts"),
    [
        (Author("A. Vaswani", "Vaswani", "Ashish"), ("Vaswani", "Ashish")),
        (Author("Plato", "Plato"), ("Plato", None)),
        (Author("Ashish Vaswani"), ("Vaswani", "Ashish")),
        (Author("The ATLAS Collaboration", group=True), ("The ATLAS Collaboration", None)),
    ],
)
def test_an_author_is_split_only_where_the_source_did_not(author: Author, parts: tuple[str, str | None]) -> None:
    assert name_parts(author) == parts


def test_types_of_every_source_become_ours() -> None:
    assert [from_crossref(name) for name in ("journal-article", "journal-issue", None, "")] == [
        "journal-article", "other", None, None,
    ]  # fmt: skip
    names = ("article", "review", "letter", "editorial", "preprint", "book", "paratext", "proceedings-article", None)
    assert [from_openalex(name) for name in names] == [
        "journal-article", "journal-article", "journal-article", "journal-article", "posted-content", "book", "other",
        "proceedings-article", None,
    ]  # fmt: skip
    names = ("JournalArticle", "ConferencePaper", "Preprint", "Software", "Sound", None)
    assert [from_datacite(name) for name in names] == [
        "journal-article", "proceedings-article", "posted-content", "software", "other", None,
    ]  # fmt: skip


def test_every_type_has_its_names_in_bibtex_and_csl() -> None:
    # references A86
    assert {name: (each.bibtex, each.csl) for name, each in WORK_TYPES.items()} == {
        "journal-article": ("article", "article-journal"),
        "proceedings-article": ("inproceedings", "paper-conference"),
        "posted-content": ("misc", "article"),
        "book": ("book", "book"),
        "monograph": ("book", "book"),
        "edited-book": ("book", "book"),
        "reference-book": ("book", "book"),
        "book-chapter": ("incollection", "chapter"),
        "book-section": ("incollection", "chapter"),
        "book-part": ("incollection", "chapter"),
        "reference-entry": ("incollection", "entry-encyclopedia"),
        "proceedings": ("proceedings", "book"),
        "dissertation": ("phdthesis", "thesis"),
        "report": ("techreport", "report"),
        "report-component": ("techreport", "report"),
        "standard": ("techreport", "standard"),
        "dataset": ("misc", "dataset"),
        "software": ("misc", "software"),
        "peer-review": ("misc", "review"),
        "other": ("misc", "manuscript"),
    }


def test_only_a_notice_that_retracts_is_a_retraction() -> None:
    correction = UpdateNotice("correction", "10.1000/1")
    partial = UpdateNotice("partial_retraction", "10.1000/2")
    withdrawal = UpdateNotice("withdrawal", "10.1000/3", PartialDate(2020))
    assert retraction_notice(Work("doi:10.1000/9", updates=(correction, partial, withdrawal))) == withdrawal
    assert retraction_notice(Work("doi:10.1000/9", updates=(correction, partial))) is None
