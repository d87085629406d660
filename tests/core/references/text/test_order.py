"""Which source is asked next, which text is taken, and what it means when there is none (references contract 8.1)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import NoFullText, NotFound
from core.references.text.document import Document, Kind, Section
from core.references.text.markdown import as_markdown, read_markdown
from core.references.text.order import Absence, TextSource, absent, best_of, is_enough, sources_to_ask


def document(prose: int, *, references: int = 0, is_damaged: bool = False) -> Document:
    sections = (Section("1", "x" * prose), Section("References", "x" * references, kind=Kind.REFERENCES))
    return Document(None, sections, is_damaged)


def test_versioned_reference_never_asks_ar5iv() -> None:
    # references A97
    assert sources_to_ask(None) == (TextSource.AR5IV, TextSource.ARXIV_HTML)
    assert sources_to_ask("v2") == (TextSource.ARXIV_HTML,)


def test_only_a_sound_text_of_some_length_ends_the_asking() -> None:
    # references A96
    assert is_enough(document(1500))
    assert not is_enough(document(1499, references=5000))
    assert not is_enough(document(5000, is_damaged=True))


def test_text_with_most_prose_is_taken() -> None:
    thin, damaged, references = document(1000), document(1200, is_damaged=True), document(0, references=9000)
    assert best_of([thin, damaged, references]) is damaged
    assert best_of([thin, document(1000)]) is thin
    assert best_of([references]) is None
    assert best_of([]) is None


@pytest.mark.parametrize(
    ("absences", "is_in_catalog", "failure"),
    [
        ([Absence.NOT_CONVERTED, Absence.UNKNOWN], False, NoFullText),
        ([Absence.UNKNOWN, Absence.NOT_CONVERTED], False, NoFullText),
        ([Absence.UNKNOWN, Absence.UNKNOWN], False, NotFound),
        ([Absence.UNKNOWN], True, NoFullText),
    ],
)
def test_paper_that_any_source_knows_lacks_a_text_and_another_is_not_found(
    absences: list[Absence], is_in_catalog: bool, failure: type[Exception]
) -> None:
    # references A97
    assert type(absent(absences, is_in_catalog=is_in_catalog)) is failure


def test_sections_as_markdown_have_their_headings_over_them() -> None:
    sections = (Section(None, "a"), Section("Top", "b", 1), Section("1 One", "c\n\nd", 2), Section("Deep", "", 6))
    assert as_markdown(sections) == "a\n\n## Top\n\nb\n\n## 1 One\n\nc\n\nd\n\n###### Deep"


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=400))
def test_no_bytes_of_markdown_raise(body: bytes) -> None:
    assert read_markdown(body).title is None or body


MARKDOWN = st.lists(
    st.sampled_from(["#", "##", " ", "\n", "\r", "x", "-", "---", "===", "```", "~~~", "|", "1.", "Abstract"]),
    max_size=40,
).map("".join)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MARKDOWN)
def test_markdown_keeps_every_word(markdown: str) -> None:
    read = read_markdown(markdown.encode())
    kept = " ".join([read.title or "", *(f"{section.heading or ''} {section.text}" for section in read.sections)])
    assert kept.count("x") == markdown.count("x")
