"""Damaged pages: what is there is read to the end, and the page is called what it is (references contract 8.1)."""

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from core.references.text.document import Document, Quality
from core.references.text.html import read_html
from core.references.text.order import is_enough
from tests.core.references.text.pages import FATAL, ar5iv_page, article, parts_of, read, text_of

PROSE = "<p>" + "Maps are folded along lines. " * 60 + "</p>"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>AT&T & co &nbsp;&amp; R&D &unknown; tail</p>", "AT&T & co & R&D &unknown; tail"),
        ("<p>a < b and c<d tail</p><p>end</p>", "a < b and c<d tail\n\nend"),
        ("<p>one<p>two<div>three<b>four</div>five tail", "one\n\ntwo\n\nthreefour\n\nfive tail"),
        ("<p>a<!-- open</p><p>tail</p>", "a open\n\ntail"),
        ("<p>a<!-->b<!--->c<!-- x --!>d<!doctype>e<?x?>f</>g tail</p>", "abcdefg tail"),
        ('<p>a<a href="x>b</a></p><p>tail</p>', "ab\n\ntail"),
        ("<p>a<a href='x>b</a></p><p>tail</p>", "ab\n\ntail"),
        ("<p title=it's>a</p><p>tail's</p>", "a\n\ntail's"),
        ("<p>a<script>b</p><p>tail</p>", "ab\n\ntail"),
        ("<p>a<title>b</p><p>tail</p>", "a\n\ntail"),
        ("<p>a</p><nav>b<p>tail</p>", "a\n\nb\n\ntail"),
        ("<p>a<button>b</p><p>tail</p>", "ab\n\ntail"),
        ('<p>a<math alttext="x"><mi>x</p><p>tail</p>', "a\\(x\\)\n\ntail"),
        ('<p>a<math alttext="x"><mi>x</mi><p>tail</p>', "a\\(x\\)\n\ntail"),
        ("<p>a<svg><path><p>tail</p>", "a\n\ntail"),
        ("<table><tr><td>a<tr><td>b</table>tail", "a\nb\n\ntail"),
        ("<table><tr><td><div>a</td><td>b</span></div></p></td></table>tail", "a | b\n\ntail"),
        ("<table><td>a<td>b<tr>c</table>tail", "a | b\nc\n\ntail"),
        ("<ul><li>a<li>b tail", "- a\n\n- b tail"),
        ('<span class="ltx_note">a<p>tail</p>', "[note: a tail]"),
        ("a</div></article-x></section></body></html>tail", "atail"),
        ("<plaintext>a<b>tail</b>", "atail"),
        ("a&#99999999999999999999;b&#xffffffffffff;&#xd800;tail", "a\ufffdb\ufffd\ufffdtail"),
        ("a<svg/>b<math/>c<script/>tail", "abctail"),
    ],
)
def test_the_tail_of_a_damaged_page_is_read(markup: str, text: str) -> None:
    # references A96
    assert text_of(markup) == text


def test_stray_end_tags_do_not_leave_the_paper() -> None:
    page = "<div><section><article><p>a</p></div></section></main><p>tail</p></article></section></div>out"
    assert parts_of(read(page)) == [(None, "a\n\ntail")]


def test_fatal_error_banner_makes_the_page_damaged_and_is_no_text() -> None:
    # references A96
    sound = read(ar5iv_page(article(PROSE)))
    fatal = read(ar5iv_page(article(f"{PROSE}{FATAL}")))
    assert (sound.quality, is_enough(sound)) == (Quality.OK, True)
    assert (fatal.quality, is_enough(fatal)) == (Quality.DAMAGED, False)
    assert fatal.sections == sound.sections


@pytest.mark.parametrize(
    "banner",
    [
        "<p>\n  Conversion to HTML had a Fatal error and exited abruptly.</p>",
        '<div class="ltx_page_logo">Conversion to HTML had a fatal error</div>',
        '<a class="ar5iv-text-button ar5iv-severity-fatal">Conversion report</a>',
    ],
)
def test_fatal_error_is_heard_wherever_a_page_says_it(banner: str) -> None:
    document = read(f"<body><article>{PROSE}</article>{banner}</body>")
    assert (document.quality, len(document.sections)) == (Quality.DAMAGED, 1)


def test_paper_that_quotes_the_banner_is_not_damaged() -> None:
    quoted = "<p>It said: Conversion to HTML had a Fatal error and exited abruptly.</p>"
    assert read(article(PROSE + quoted)).quality is Quality.OK


@pytest.mark.parametrize(
    ("page", "quality"),
    [
        (f"<html><body><article>{PROSE}</article></body></html>", Quality.OK),
        (f"<html><body><article>{PROSE}", Quality.DAMAGED),
        (f"<article>{PROSE}<a href='x", Quality.DAMAGED),
        (f"<article>{PROSE}</article><!-- x", Quality.DAMAGED),
        (f"<article>{PROSE}</article><script>x", Quality.DAMAGED),
        (f"<body>{PROSE}<ul><li>a<p>b", Quality.DAMAGED),
        (f"<body>{PROSE}<p>the end tags of p, body and html may lack", Quality.OK),
        (f"<body><div>{PROSE}</body></html>", Quality.OK),
        (f"<article><b><i>{PROSE}</article>", Quality.OK),
    ],
)
def test_page_that_ends_inside_of_an_element_is_damaged(page: str, quality: Quality) -> None:
    assert read(page).quality is quality


def test_bytes_that_are_no_utf_8_lose_nothing_else() -> None:
    assert parts_of(read_html(b"\xef\xbb\xbf<article>a \xff b</article>")) == [(None, "a \ufffd b")]


FRAGMENTS = st.sampled_from(
    ["<", ">", "</", "<!--", "-->", '"', "'", "=", "&", "&#", ";", "\x00", "\ud800", " ", "x", "\u0301", "é"]
    + [
        f"<{name}>"
        for name in (
            "p",
            "div",
            "h1",
            "h2",
            "table",
            "tr",
            "td",
            "ul",
            "li",
            "dl",
            "dt",
            "math",
            "mtext",
            "svg",
            "script",
            "title",
            "nav",
            "article",
            "body",
            "span",
            "br",
            "pre",
            "annotation",
            "p hidden",
        )
    ]
    + [
        f"</{name}>"
        for name in (
            "p",
            "div",
            "h2",
            "table",
            "tr",
            "td",
            "ul",
            "li",
            "math",
            "svg",
            "script",
            "title",
            "nav",
            "article",
            "body",
            "html",
            "span",
            "pre",
        )
    ]
    + [
        f'<span class="{name}">'
        for name in (
            "ltx_note",
            "ltx_tag",
            "ltx_tag_item",
            "ltx_tag_equation",
            "ltx_eqn_row",
            "ltx_bibitem",
            "ltx_caption",
            "ltx_tr",
            "ltx_td",
            "ltx_tabular",
            "ltx_p",
        )
    ]
    + [
        f'<div class="{name}">'
        for name in (
            "ltx_abstract",
            "ltx_bibliography",
            "ltx_appendix",
            "ltx_document",
            "ltx_ERROR",
            "ltx_title_document",
            "ltx_listing",
            "ltx_listingline",
        )
    ]
    + ['<math alttext="a">', '<a id="license-tr">']
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FRAGMENTS, max_size=60).map("".join))
def test_no_markup_raises_and_the_text_is_normal(page: str) -> None:
    document = read_html(page.encode("utf-8", errors="surrogatepass"))
    assert isinstance(document, Document)
    for section in document.sections:
        assert section.text == section.text.strip()
        assert "\n\n\n" not in section.text and "\x00" not in section.text


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=300))
def test_no_bytes_raise(body: bytes) -> None:
    assert isinstance(read_html(body), Document)


# Pages of which a parser that follows the HTML standard to the letter can say which words stand inside of what. Left
# out are tables and formatting elements, out of which it moves words; and all is closed at the end, since the tail of a
# dropped part is kept on purpose.
NAMES = ("p", "div", "span", "cite", "sup", "section", "ul", "li", "dl", "dt", "dd", "h2", "h3", "blockquote", "figure")
SOUP = st.lists(
    st.one_of(
        st.sampled_from([f"<{name}>" for name in NAMES]),
        st.sampled_from([f"</{name}>" for name in NAMES]),
        st.sampled_from(['<span class="ltx_ERROR">', '<div class="ltx_ERROR">', "<nav>", "</nav>", "<br>"]),
        st.just("WORD"),
    ),
    max_size=40,
)


def _numbered(tokens: list[str]) -> str:
    numbers = iter(range(len(tokens)))
    return "".join(f" w{next(numbers)} " if token == "WORD" else token for token in tokens)


def _words_inside(page: str, is_inside: Callable[[list[LexborNode]], bool]) -> list[str]:
    def path(node: LexborNode | None) -> list[LexborNode]:
        return [] if node is None else [*path(node.parent), node]

    body = LexborHTMLParser(page).body
    assert body is not None
    found = []
    for node in body.traverse(include_text=True):
        if node.tag == "-text" and is_inside(path(node)):
            found += (node.text_content or "").split()
    return found


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SOUP)
def test_dropped_parts_hold_the_words_that_the_standard_puts_into_them(tokens: list[str]) -> None:
    page = f"<article>{_numbered(tokens)}{''.join(f'</{name}>' * 9 for name in (*NAMES, 'nav'))}</article>"
    kept = _words_inside(
        page,
        lambda path: not any(node.tag == "nav" or node.attributes.get("class") == "ltx_ERROR" for node in path),
    )
    words = [word for section in read(page).sections for word in f"{section.heading or ''} {section.text}".split()]
    assert [word for word in words if word.startswith("w")] == kept
