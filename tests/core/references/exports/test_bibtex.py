"""BibTeX entries: their form, what is escaped, and that another program reads back what was written."""

import re
import string
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pybtex.database import BibliographyData, parse_string
from pylatexenc.latex2text import LatexNodes2Text, get_default_latex_context_db

from core.latex.escapes import tex
from core.records import Author, UpdateNotice, Work
from core.references.exports.bibtex import bibtex_entry
from core.texts import clean_text
from core.works.types import WORK_TYPES
from tests.exported_works import AWKWARD, every_type, work

# Ligatures such as `--` are typography, not spelling: a title has them as it has them.
_SPELLING = get_default_latex_context_db().filter_context(exclude_categories=["nonascii-specials"])
_READER = LatexNodes2Text(latex_context=_SPELLING, math_mode="verbatim", keep_braced_groups=False)


def read_back(value: str) -> str:
    return unicodedata.normalize("NFC", _READER.latex_to_text(value))


def parsed(*entries: str) -> BibliographyData:
    return parse_string("\n".join(entries), "bibtex")


def written(work: Work, key: str = "key", ascii_only: bool = False) -> dict[str, str]:
    """The fields of a work's entry as another library reads them."""
    [entry] = parsed(bibtex_entry(key, work, ascii_only=ascii_only)).entries.values()
    people = " and ".join(str(person) for person in entry.persons.get("author", ()))
    fields = {name.lower(): value for name, value in entry.fields.items()}
    return {**fields, **({"author": people} if people else {})}


def test_an_entry_has_its_form_to_the_letter() -> None:
    assert bibtex_entry("doi_10.1000_w_1", work(), ascii_only=False) == (
        "@article{doi_10.1000_w_1,\n"
        "  title      = {Deep learning},\n"
        "  author     = {LeCun, Yann and Bengio, Yoshua},\n"
        "  year       = {2015},\n"
        "  doi        = {10.1000/w_1},\n"
        "  journal    = {Nature},\n"
        "  volume     = {521},\n"
        "  number     = {7553},\n"
        "  pages      = {436--444},\n"
        "  publisher  = {Springer Science and Business Media LLC},\n"
        "  issn       = {0028-0836, 1476-4687},\n"
        "}\n"
    )


def test_an_arxiv_paper_has_its_eprint() -> None:
    paper = Work(
        "arxiv:1706.03762", arxiv_id="1706.03762", arxiv_categories=("cs.CL", "cs.LG"), year=2017,
        title="Attention Is All You Need", authors=(Author("Ashish Vaswani"),), type="posted-content",
    )  # fmt: skip
    assert bibtex_entry("arxiv_1706.03762", paper, ascii_only=False) == (
        "@misc{arxiv_1706.03762,\n"
        "  title      = {Attention Is All You Need},\n"
        "  author     = {Vaswani, Ashish},\n"
        "  year       = {2017},\n"
        "  eprint     = {1706.03762},\n"
        "  archivePrefix = {arXiv},\n"
        "  primaryClass = {cs.CL},\n"
        "}\n"
    )


@pytest.mark.parametrize(
    ("arxiv_id", "eprint", "category"),
    [("math.GT/0309136", "math/0309136", "math.GT"), ("hep-th/9711200", "hep-th/9711200", "hep-th")],
)
def test_an_old_arxiv_id_names_its_class(arxiv_id: str, eprint: str, category: str) -> None:
    fields = written(Work("arxiv:1", arxiv_id=arxiv_id, title="x"))
    assert (fields["eprint"], fields["primaryclass"]) == (eprint, category)
    assert "primaryclass" not in written(Work("arxiv:1", arxiv_id="1706.03762", title="x"))


@pytest.mark.parametrize("kind", WORK_TYPES)
def test_each_type_is_written_as_its_bibtex_type(kind: str) -> None:
    # references A86
    [entry] = parsed(bibtex_entry("key", work(type=kind), ascii_only=False)).entries.values()
    assert entry.type == WORK_TYPES[kind].bibtex
    venue = {"article": "journal", "inproceedings": "booktitle", "incollection": "booktitle"}.get(entry.type)
    publisher = {"phdthesis": "school", "techreport": "institution"}.get(entry.type, "publisher")
    expected = {"title", "year", "doi", "volume", "number", "pages", "issn", publisher, *([venue] if venue else [])}
    assert set(entry.fields) == expected


def test_an_article_without_a_venue_and_a_work_of_no_type_are_misc() -> None:
    for each in (work(venue=None), work(type=None), Work("arxiv:1706.03762", arxiv_id="1706.03762", title="x")):
        assert bibtex_entry("key", each, ascii_only=False).startswith("@misc{key,\n")


def test_an_empty_record_is_an_entry_without_fields() -> None:
    assert bibtex_entry("key", Work("doi:10.1000/1"), ascii_only=False) == "@misc{key,\n}\n"


def test_everything_awkward_is_read_by_another_library() -> None:
    # references A86
    works = [*every_type(), *AWKWARD]
    for ascii_only in (False, True):
        entries = [bibtex_entry(f"k{n}", each, ascii_only=ascii_only) for n, each in enumerate(works)]
        assert len(parsed(*entries).entries) == len(works)


def test_special_characters_read_back_as_the_same_title() -> None:
    # references A87
    fields = written(AWKWARD[0])
    assert fields["title"] == r"{Q\&A}: 100\% of $x_1$ in C\# \_now\_"
    assert read_back(fields["title"]) == "Q&A: 100% of $x_1$ in C# _now_"
    assert fields["doi"] == "10.1000/w_101"


@pytest.mark.parametrize(
    ("title", "value"),
    [
        ("BERT: Pre-training", "{BERT}: Pre-training"),
        ("An mRNA vaccine (ChAdOx1)", "An {mRNA} vaccine ({ChAdOx1})"),
        ("Mask R-CNN and GPT-4", "Mask {R-CNN} and {GPT-4}"),
        ("Few-Shot Learning", "Few-Shot Learning"),
        ("A 3D study of X chromosomes", "A {3D} study of X chromosomes"),
        ("ÉCOLE École", "{ÉCOLE} École"),
        ("\\emph{x} ~ ^", r"\textbackslash{}emphx \textasciitilde{} \textasciicircum{}"),
        (r"$\bar{T}$ and SU$(N)$", r"$\bar{T}$ and {SU}$(N)$"),
        ("$$x^2$$ law", "$$x^2$$ law"),
        ("costs $5 and $6", r"costs \$5 and \$6"),
        ("$x{$ and $y", r"\$x\$ and \$y"),
        ("$a}{b$", r"\$ab\$"),
        ("$5%$ and $6#$", r"\$5\%\$ and \$6\#\$"),
        (r"a \$x$ b", r"a \textbackslash{}\$x\$ b"),
        ("a <i>b</i> &amp; c", r"a b \& c"),
        ("{}", ""),
    ],
)
def test_titles_are_escaped_and_their_capitals_protected(title: str, value: str) -> None:
    # references A87
    assert tex(title, ascii_only=False, protects=True) == value


@pytest.mark.parametrize("pages", ["799-802", "799–802", "799--802"])
def test_pages_have_a_double_hyphen(pages: str) -> None:
    # references A88
    assert written(work(pages=pages))["pages"] == "799--802"


def test_letters_are_written_as_macros_that_read_back() -> None:
    # references A89
    names = ("Müller", "Erdős", "Łukasiewicz", "Straße", "Čapek", "Űr", "Ňu", "İnönü", "Ælfric", "Søren", "Ağa", "Đặng")
    authors = tuple(Author(name, name, "É.") for name in names)
    value = re.search(r"author     = \{(.*)\},\n", bibtex_entry("k", work(authors=authors), ascii_only=True))
    assert value is not None
    assert value[1].startswith(
        r"M{\"u}ller, {\'E}. and Erd{\H{o}}s, {\'E}. and {\L}ukasiewicz, {\'E}. and Stra{\ss}e, {\'E}. and {\v{C}}apek"
    )
    assert read_back(value[1]) == " and ".join(f"{name}, É." for name in names)


def test_what_has_no_macro_stays() -> None:
    # references A89
    assert tex("深度 ặ", ascii_only=True) == "深度 ặ"
    assert tex("α–β", ascii_only=True) == r"{\ensuremath{\alpha}}{\textendash}{\ensuremath{\beta}}"
    assert tex("Müller", ascii_only=False) == "Müller"


@settings(deadline=None)
@given(st.characters(min_codepoint=0xA0, max_codepoint=0x24F, categories=("Lu", "Ll")))
def test_no_macro_reads_back_as_another_letter(letter: str) -> None:
    # references A89
    assert read_back(tex(letter, ascii_only=True)) == (clean_text(letter) or "")


@pytest.mark.parametrize(
    ("author", "name"),
    [
        (Author("Yann LeCun", "LeCun", "Yann"), "LeCun, Yann"),
        (Author("Jan van der Berg"), "van der Berg, Jan"),
        (Author("Amos B. Smith III"), "Smith, Amos B. III"),
        (Author("Plato"), "Plato"),
        (Author("others"), "{others}"),
        (Author("Jean Paul", "Jean Paul"), "{Jean Paul}"),
        (Author("OpenAI", group=True), "{OpenAI}"),
        (Author("Smith and Sons"), "{Smith and Sons}"),
        (Author("Rand", "Rand", "and"), "{Rand}"),
        (Author("A B", "B, Inc.", "A"), "{B, Inc.}, A"),
        (Author("A B", "B", "A, Jr."), "B, {A, Jr.}"),
        (Author("R&D Group", group=True), r"{R\&D Group}"),
    ],
)
def test_names_are_written_so_that_bibtex_splits_them_right(author: Author, name: str) -> None:
    entry = bibtex_entry("k", Work("doi:10.1000/1", authors=(author, Author("Z Y"))), ascii_only=False)
    assert entry == f"@misc{{k,\n  author     = {{{name} and Y, Z}},\n}}\n"
    assert len(parsed(entry).entries["k"].persons["author"]) == 2


def test_a_name_of_braces_alone_is_left_out() -> None:
    nobody = Work("doi:10.1000/1", authors=(Author("{}"), Author("{}", group=True)), author_count=5)
    assert bibtex_entry("k", nobody, ascii_only=False) == "@misc{k,\n}\n"


@pytest.mark.parametrize(
    ("count", "whole", "most", "written_count", "has_others"),
    [(100, 100, 100, 100, False), (101, 101, 100, 100, True), (3, 3000, 100, 3, True), (5, 5, 2, 2, True)],
)
def test_long_lists_of_authors_end_with_others(
    count: int, whole: int, most: int, written_count: int, has_others: bool
) -> None:
    authors = tuple(Author(f"A B{n}", f"B{n}", "A") for n in range(count))
    entry = bibtex_entry("k", work(authors=authors, author_count=whole), ascii_only=False, authors_max=most)
    names = written_names(entry)
    assert names == [f"B{n}, A" for n in range(written_count)] + (["others"] if has_others else [])


def written_names(entry: str) -> list[str]:
    return [str(person) for person in parsed(entry).entries["k"].persons["author"]]


@pytest.mark.parametrize(
    ("doi", "note"), [("10.1126/science_1", r"Retracted, see 10.1126/science\_1"), (None, "Retracted")]
)
def test_a_retraction_is_noted(doi: str | None, note: str) -> None:
    retracted = work(updates=(UpdateNotice("correction", "10.1000/9"), UpdateNotice("retraction", doi)))
    assert written(retracted)["note"] == note
    assert "note" not in written(work(updates=(UpdateNotice("correction", "10.1000/9"),)))


def test_a_doi_is_copied_as_its_agency_spells_it_and_cannot_end_its_field() -> None:
    assert written(work(doi_registered="10.1000/W_1"))["doi"] == "10.1000/W_1"
    braced = replace(work(), doi="10.1000/a{b\\", doi_registered=None)
    assert written(braced)["doi"] == "10.1000/a%7Bb%5C"


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=60))
@example("$x{y}$ & {z} 100% \\alpha #_^~")
@example("`` '' -- --- ?` !`")
def test_any_title_survives_writing_and_reading(title: str) -> None:
    # references A87
    fields = written(work(title=title))
    value = fields.get("title", "")
    assert plain(read_back(value)) == plain(clean_text(title) or "")


@settings(deadline=None)
@given(st.text(string.printable, max_size=60))
def test_any_ascii_title_stays_ascii(title: str) -> None:
    assert bibtex_entry("k", work(title=title), ascii_only=True).isascii()


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), st.booleans())
def test_any_name_is_one_author(name: str, group: bool) -> None:
    if not name.strip() or not (clean_text(name) or "").strip("{} "):
        return
    entry = bibtex_entry("k", work(authors=(Author(name, group=group), Author("Z Y"))), ascii_only=False)
    people = parsed(entry).entries["k"].persons["author"]
    assert [str(person) for person in people][1:] == ["Y, Z"]


def plain(text: str) -> str:
    """Without braces and blanks: removing the one may leave the others side by side.

    The reader takes the circumflex of ASCII for the accent.
    """
    return "".join(text.replace("{", "").replace("}", "").replace("ˆ", "^").split())
