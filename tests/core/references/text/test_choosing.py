"""One section of a text, by its number or heading; the outline that lists them (references contract 3.10)."""

import pytest

from core.errors import InvalidInput
from core.references.text.choosing import chosen_sections
from core.references.text.document import Document, Kind, OutlineEntry, Section
from core.references.text.markdown import read_markdown
from tests.core.references.text.pages import article, read

DOCUMENT = read(
    article(
        """<p>Before.</p><div class="ltx_abstract"><h6>Abstract</h6><p>a</p></div>
        <h2><span class="ltx_tag">1 </span>Introduction</h2>b
        <h2><span class="ltx_tag">3 </span>Müller’s <em>Maps</em> &amp; <math alttext="x"></math></h2>c
        <h3><span class="ltx_tag">3.1 </span>Setup</h3>d<h6><span class="ltx_tag">Theorem 2</span> (Fold)</h6>e
        <h3><span class="ltx_tag">3.2 </span>Introduction</h3>f
        <h2>4. Plain numbers</h2>g<h2>A Study of Folds</h2>h
        <section class="ltx_bibliography"><h2>References</h2><ul><li class="ltx_bibitem">i</li></ul></section>
        <section class="ltx_appendix"><h2><span class="ltx_tag">Appendix B </span>Proofs</h2>j
        <h3><span class="ltx_tag">B.1 </span>Lemma</h3>k</section>"""
    )
)


def texts_of(section: str | None, *, include_references: bool = True) -> str:
    places = chosen_sections(DOCUMENT, section, include_references=include_references)
    return "".join(DOCUMENT.sections[place].text for place in places)


@pytest.mark.parametrize(
    ("section", "texts"),
    [
        (None, "Before.abcdefghijk"),
        ("3", "cdef"),
        ("3.", "cdef"),
        ("§3", "cdef"),
        ("Section 3", "cdef"),
        (r"3 Müller’s Maps & \(x\)", "cdef"),
        (r"3 MULLER'S".replace("U", "Ü") + r" MAPS \(x\)", "cdef"),
        (r"Müller's maps x", "cdef"),
        ("3.1", "de"),
        ("3.1 Setup", "de"),
        ("setup", "de"),
        ("Theorem 2", "e"),
        ("Introduction", "b"),
        ("3.2 Introduction", "f"),
        ("4", "g"),
        ("Plain Numbers", "g"),
        ("A Study of Folds", "h"),
        ("abstract", "a"),
        ("B", "jk"),
        ("Appendix B", "jk"),
        ("Appendix B Proofs", "jk"),
        ("Proofs", "jk"),
        ("B.1", "k"),
        ("references", "i"),
    ],
)
def test_section_is_found_by_number_or_heading_with_what_is_below_it(section: str | None, texts: str) -> None:
    # references A98
    assert texts_of(section) == texts


def test_number_and_heading_choose_the_same_sections() -> None:
    # references A98
    for section in DOCUMENT.sections:
        if section.number:
            by_number = chosen_sections(DOCUMENT, section.number, include_references=True)
            assert chosen_sections(DOCUMENT, str(section.heading), include_references=True) == by_number


@pytest.mark.parametrize("section", ["5", "Method", "", "  ", "∞", "3.1 Other"])
def test_unknown_section_is_refused_with_the_headings_there_are(section: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        chosen_sections(DOCUMENT, section, include_references=True)
    assert refused.value.all_of == "headings"
    assert [entry.id for entry in refused.value.suggestions] == [
        "Abstract",
        "1 Introduction",
        r"3 Müller’s Maps & \(x\)",
        "3.1 Setup",
        "Theorem 2 (Fold)",
        "3.2 Introduction",
        "4. Plain numbers",
        "A Study of Folds",
        "References",
        "Appendix B Proofs",
        "B.1 Lemma",
    ]


def test_references_are_left_out_on_request() -> None:
    assert texts_of(None, include_references=False) == "Before.abcdefghjk"
    assert texts_of("References", include_references=False) == ""


def test_outline_lists_headings_levels_and_sizes() -> None:
    outline = DOCUMENT.outline()
    assert outline[:3] == (
        OutlineEntry(None, 1, 7),
        OutlineEntry("Abstract", 2, 1),
        OutlineEntry("1 Introduction", 2, 1),
    )
    assert sum(entry.chars for entry in outline) == DOCUMENT.total_chars


def test_outline_has_room_for_two_hundred_headings_and_not_for_endless_ones() -> None:
    many = Document(None, tuple(Section(f"{number}", "x") for number in range(300)))
    long = Document(None, tuple(Section("h" * 240, "x") for _ in range(200)))
    assert [len(document.outline()) for document in (many, long)] == [200, 83]


MARKDOWN = """# Folding Maps

Notes first.

## Abstract

We fold.

## 1. Setup ##

```sh
# not a heading
```

| # | a |
|---|---|
- item
---
text

Shallow
-------

More.

### 1.2 Deep
## References

[1] A.

### Books

[2] B.

## Appendix

x
"""


def test_stored_markdown_is_cut_at_its_headings() -> None:
    document = read_markdown(MARKDOWN.replace("\n", "\r\n").encode())
    assert document == Document(
        "Folding Maps",
        (
            Section(None, "Notes first."),
            Section("Abstract", "We fold.", 2, Kind.ABSTRACT),
            Section(
                "1. Setup",
                "```sh\n# not a heading\n```\n\n| # | a |\n|---|---|\n- item\n---\ntext",
                2,
                Kind.BODY,
                "1",
            ),
            Section("Shallow", "More.", 2),
            Section("1.2 Deep", "", 3, Kind.BODY, "1.2"),
            Section("References", "[1] A.", 2, Kind.REFERENCES),
            Section("Books", "[2] B.", 3, Kind.REFERENCES),
            Section("Appendix", "x", 2, Kind.APPENDIX),
        ),
    )


@pytest.mark.parametrize(
    ("markdown", "title", "headings"),
    [
        ("# Abstract\nx", None, ["Abstract"]),
        ("# 1 Introduction\nx", None, ["1 Introduction"]),
        ("x\n# Title\ny", None, [None, "Title"]),
        ("Title\n=====\ny", "Title", [None]),
        ("# Title\n# Second\ny", "Title", ["Second"]),
        ("#no heading\n#\n####### seven\n    # code\nx", None, [None]),
        ("```\n# a\n~~~\n# b\n```` x\n# c\n````\n# D\n", None, [None, "D"]),
        ("# Title #1\n", "Title #1", []),
        ("", None, []),
        ("a\n\nb\nc\n---\n", None, [None]),
    ],
)
def test_what_is_a_heading_in_markdown(markdown: str, title: str | None, headings: list[str | None]) -> None:
    document = read_markdown(markdown.encode())
    assert (document.title, [section.heading for section in document.sections]) == (title, headings)
