"""Pages made to be expensive: work grows with their length and never with its square, and no depth is too deep."""

import unicodedata
from collections.abc import Callable

import pytest

from core.references.text.html import read_html
from tests.core.references.text.pages import article, parts_of, read
from tests.core.references.work import calls_of, peak_bytes_of

# What makes tree-building parsers take the square of the length, or ours if it were written with less care.
REPEATED: dict[str, Callable[[int], str]] = {
    "scope checks": lambda n: "<span>" * n + "<div>x</div>" * n,
    "stray end tags": lambda n: "<div>" * n + "x</i></p></td></h1>" * n,
    "formatting elements to copy": lambda n: "<p>" + "".join(f"<b id={i}>" for i in range(n)) + "</p>" + "<p>t</p>" * n,
    "formulas without end": lambda n: '<math alttext="x">y' * n,
    "formulas in formulas": lambda n: '<math alttext="x"><mi>y</mi>' * n + "</math>" * n,
    "paragraphs in formulas": lambda n: '<math alttext="x"><p>' * n,
    "notes in notes": lambda n: "<span class=ltx_note>a" * n + "</span>" * n,
    "empty notes in notes": lambda n: "<span class=ltx_note>" * n + "</span>" * n,
    "notes in a heading": lambda n: "<h2>a" + "<span class=ltx_note>b" * n + "</span>" * n + "</h2>",
    "tags in tags": lambda n: "<h2>a" + "<span class=ltx_tag>b" * n + "</span>" * n + "</h2>",
    "labels in labels": lambda n: "<li>a" + "<span class=ltx_tag_item>*" * n + "</span>" * n + "</li>",
    "blanks in a heading": lambda n: "<h2>" + "<div>" * n + "a",
    "tables in tables": lambda n: "<table><tr><td>a" * n,
    "cells": lambda n: "<table><tr>" + "<td>a" * n,
    "cells of an equation": lambda n: '<div class="ltx_equation">' + "<math alttext=x></math> " * n,
    "lists in lists": lambda n: "<ul><li>a" * n,
    "parts in parts": lambda n: "<div class=ltx_abstract>a<div class=ltx_bibliography>b" * n,
    "parts that are dropped": lambda n: "<nav>a" * n + "</nav>" * n,
    "parts that are never dropped": lambda n: "<nav>a" * n,
    "hidden parts": lambda n: "<div hidden>a" * n,
    "headings": lambda n: "".join(f"<h{1 + i % 6}>{i}</h{1 + i % 6}>b" for i in range(n)),
    "classes": lambda n: "".join(f'<p class="c{i}">x' for i in range(n)),
    "scripts without end": lambda n: "<script>x" * n,
}


@pytest.mark.parametrize("name", REPEATED)
def test_four_times_the_page_makes_four_times_the_work(name: str) -> None:
    small, large = (REPEATED[name](n).encode() for n in (200, 800))
    read_html(small)
    assert calls_of(lambda: read_html(large)) < 5 * calls_of(lambda: read_html(small)) + 1000


# Work inside of one call does not show in a count of calls. Here the square of the length is so large that the test
# would not end within its time limit, while the length itself is nothing.
LONG: dict[str, Callable[[int], str]] = {
    "begun tags": lambda n: "<a " * n,
    "quotes around tags": lambda n: "<a " + '="<a "' * n + "<",
    "open quotes": lambda n: '<a x=">" ' * n,
    "comments without end": lambda n: "<!-- x" * n,
    "declarations": lambda n: "<![CDATA[" * n,
    "attributes": lambda n: "<a " + "x=1 " * n + ">",
    "equal signs": lambda n: "<a " + "=" * n + ">",
    "signs": lambda n: "<" * n + "</" * n + "<!" * n,
    "digits": lambda n: f"&#{'9' * n};&#x{'f' * n};",
    "ampersands": lambda n: "&amp" * n + "&" * n,
    "blanks": lambda n: " " * n + "x" + " ," * n + "\n" * n,
    "size commands": lambda n: '<math alttext="' + r"\displaystyle " * n + '"></math>',
    "comment signs": lambda n: '<math alttext="' + "% " * n + '"></math>',
    "backslashes": lambda n: '<math alttext="' + "\\" * n + 'x"></math>',
    "marks": lambda n: "a" + "\u0301" * n + "\u0316" * n,
    "characters that turn into marks": lambda n: "a" + "\u0f73" * n,
    "title": lambda n: "<title>" + "[" * n + "</title>",
    "numbers": lambda n: "<h2>" + "1." * n + "</h2>",
}


@pytest.mark.parametrize("name", LONG)
@pytest.mark.timeout(60)
def test_a_long_page_of_one_thing_is_read(name: str) -> None:
    assert read_html(f"<article>{LONG[name](150_000)}".encode()).is_damaged


@pytest.mark.parametrize(
    "element",
    [
        "div",
        "span",
        "b",
        "p class=ltx_p",
        "section",
        "math",
        "svg",
        "table",
        "ul",
        "dl",
        "nav",
        "h2",
        "button",
        "span class=ltx_note",
        "div class=ltx_abstract",
        "article",
    ],
)
def test_ten_thousand_nested_elements_are_read_to_the_end(element: str) -> None:
    depth = 10_000
    end = f"</{element.partition(' ')[0]}>"
    document = read(article(f"<p>first</p>{f'<{element}>' * depth}x{end * depth}<p>last</p>"))
    texts = "\n\n".join(section.text for section in document.sections)
    assert texts.startswith("first") and texts.endswith("last")


def test_memory_stays_near_the_size_of_the_page() -> None:
    page = article("<p>" + "Maps are folded along their lines. " * 100 + "</p>" * 2).encode() * 300
    assert peak_bytes_of(lambda: read_html(page)) < 8 * len(page)


def test_marks_that_a_script_can_have_are_composed_and_endless_ones_are_kept() -> None:
    (some,) = parts_of(read("e\u0301\u0323 o"))
    (endless,) = parts_of(read("e" + "\u0301" * 40))
    assert some == (None, unicodedata.normalize("NFC", "e\u0301\u0323 o"))
    assert endless == (None, "e" + "\u0301" * 40)
