"""Where long texts are cut, and that the parts are the whole (references contract 8.1)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.references.text.cuts import DocumentCut, cut_document, cut_text, units_of
from core.references.text.document import Document, Kind, Section

E_ACUTE = "e\u0301"
DOCUMENT = Document(
    "Title",
    (
        Section("Abstract", "abc", 2, Kind.ABSTRACT),
        Section("1 One", "", 2),
        Section("1.1 Two", "defgh", 3),
        Section("References", "ij", 2, Kind.REFERENCES),
        Section("End", "", 2),
    ),
)


def shown(part: DocumentCut) -> list[tuple[str | None, str]]:
    return [(section.heading, section.text) for section in part.sections]


def test_nothing_asked_for_is_nothing_given_and_more_to_come() -> None:
    # references A98
    part = cut_document(DOCUMENT, 0, 0)
    assert (shown(part), part.char_count, part.is_truncated, part.next_offset) == ([], 0, True, 0)
    assert cut_text("abc", 1, 0) == cut_text("abc", 1, -5)
    assert (cut_text("abc", 1, 0).text, cut_text("abc", 1, 0).next_offset) == ("", 1)
    assert (cut_text("abc", 1, 1).is_truncated, cut_text("abc", 1, 2).is_truncated) == (True, False)


def test_whole_document_has_all_its_sections_and_no_next_place() -> None:
    part = cut_document(DOCUMENT, 0, 10)
    assert part == DocumentCut(DOCUMENT.sections, None)
    assert (part.char_count, part.is_truncated) == (10, False)


@pytest.mark.parametrize(
    ("offset", "max_chars", "sections", "next_offset"),
    [
        (0, 1, [("Abstract", "a")], 1),
        (1, 2, [("Abstract", "bc")], 3),
        (0, 3, [("Abstract", "abc")], 3),
        (3, 2, [("1 One", ""), ("1.1 Two", "de")], 5),
        (0, 4, [("Abstract", "abc"), ("1 One", ""), ("1.1 Two", "d")], 4),
        (5, 3, [("1.1 Two", "fgh")], 8),
        (8, 2, [("References", "ij"), ("End", "")], None),
        (9, 9, [("References", "j"), ("End", "")], None),
        (10, 1, [("End", "")], None),
        (11, 1, [], None),
    ],
)
def test_part_holds_what_fits_and_says_where_the_next_one_starts(
    offset: int, max_chars: int, sections: list[tuple[str, str]], next_offset: int | None
) -> None:
    part = cut_document(DOCUMENT, offset, max_chars)
    assert (shown(part), part.next_offset) == (sections, next_offset)


def test_chosen_sections_keep_their_places_in_the_whole_text() -> None:
    assert cut_document(DOCUMENT, 0, 4, chosen=(1, 2)) == DocumentCut(
        (DOCUMENT.sections[1], Section("1.1 Two", "defg", 3)), 7
    )
    assert shown(cut_document(DOCUMENT, 7, 4, chosen=(1, 2))) == [("1.1 Two", "h")]
    assert cut_document(DOCUMENT, 8, 4, chosen=(1, 2)) == DocumentCut((), None)
    assert cut_document(DOCUMENT, 0, 3, chosen=(0, 3, 4)).next_offset == 8


@pytest.mark.parametrize(
    ("text", "max_chars", "cut"),
    [
        (f"ab{E_ACUTE}c", 3, "ab"),
        (f"ab{E_ACUTE}c", 4, f"ab{E_ACUTE}"),
        (f"{E_ACUTE}c", 1, E_ACUTE),
        (f"{E_ACUTE}", 1, E_ACUTE),
        ("क्षत्रिय", 2, "क्"),
        ("👩\u200d🔬 a", 1, "👩\u200d"),
        ("a" + "\u0301" * 60, 1, "a" + "\u0301" * 31),
        ("a" + "\u0301" * 60, 40, "a" + "\u0301" * 39),
        ("a" + "\u0301" * 31, 1, "a" + "\u0301" * 31),
    ],
)
def test_letter_is_not_parted_from_its_marks(text: str, max_chars: int, cut: str) -> None:
    # references A98
    assert cut_text(text, 0, max_chars).text == cut
    assert "".join(s.text for s in cut_document(Document(None, (Section(None, text),)), 0, max_chars).sections) == cut


def test_letter_that_does_not_fit_after_others_comes_with_the_next_part() -> None:
    document = Document(None, (Section("A", "ab"), Section("B", ""), Section("C", f"{E_ACUTE}c")))
    first = cut_document(document, 0, 3)
    assert (shown(first), first.next_offset) == ([("A", "ab")], 2)
    second = cut_document(document, 2, 3)
    assert (shown(second), second.next_offset) == ([("B", ""), ("C", f"{E_ACUTE}c")], None)


def test_units_bound_a_part_of_other_scripts_more_tightly() -> None:
    assert units_of("aé漢😀") == 10
    assert cut_text("漢" * 20, 0, 20, max_units=30) == cut_text("漢" * 20, 0, 10)
    assert cut_text("ab漢字", 0, 20, max_units=7).text == "ab漢"
    assert cut_text("a" * 50, 0, 20, max_units=30).text == "a" * 20
    assert cut_text("漢字", 0, 20, max_units=1).text == "漢"
    document = Document(None, (Section("A", "ab"), Section("B", "漢字"), Section("C", "c")))
    assert cut_document(document, 0, 9, max_units=6) == DocumentCut((Section("A", "ab"), Section("B", "漢")), 3)


TEXTS = st.text(alphabet=st.sampled_from("ab \n漢😀\u0301\u0300\u200d\u0903"), max_size=60)
DOCUMENTS = st.lists(TEXTS, max_size=8).map(
    lambda texts: Document(None, tuple(Section(str(number), text) for number, text in enumerate(texts)))
)
BOUNDS = st.tuples(st.integers(1, 40), st.one_of(st.none(), st.integers(1, 40)))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, BOUNDS)
def test_parts_of_a_text_joined_are_the_text(text: str, bounds: tuple[int, int | None]) -> None:
    # references A98
    parts, offset = [], 0
    while True:
        part = cut_text(text, offset, *bounds)
        parts.append(part.text)
        if part.next_offset is None:
            break
        assert part.next_offset > offset
        offset = part.next_offset
    assert "".join(parts) == text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(DOCUMENTS, BOUNDS, st.data())
def test_parts_of_a_document_joined_are_the_document(
    document: Document, bounds: tuple[int, int | None], data: st.DataObject
) -> None:
    # references A98
    places = range(len(document.sections))
    chosen = data.draw(st.one_of(st.none(), st.sets(st.sampled_from(places)).map(sorted) if places else st.none()))
    texts: dict[str | None, str] = {}
    offset: int | None = 0
    while offset is not None:
        part = cut_document(document, offset, *bounds, chosen=chosen)
        assert part.next_offset is None or part.next_offset > offset
        for section in part.sections:
            # A section without text is given once; one with text goes on with each part.
            assert section.heading not in texts or section.text
            texts[section.heading] = texts.get(section.heading, "") + section.text
        offset = part.next_offset
    wanted = places if chosen is None else chosen
    assert texts == {document.sections[place].heading: document.sections[place].text for place in wanted}


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.integers(1, 40))
def test_no_part_is_over_its_bound_but_for_the_marks_of_one_letter(text: str, max_chars: int) -> None:
    part = cut_text(text, 0, max_chars)
    assert len(part.text) <= max_chars + 31
    assert len(part.text) <= max_chars or len({*part.text[1:]} - set("\u0301\u0300\u200d\u0903")) == 0
