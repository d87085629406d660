"""What becomes of each part of a LaTeXML page (references contract 8.1)."""

from collections.abc import Callable

import pytest

from core.references.text.document import Kind, Quality, Section
from tests.core.references.text.pages import (
    SITE_WORDS,
    ar5iv_page,
    article,
    arxiv_page,
    parts_of,
    read,
    text_of,
)

ARTICLE = r"""<article class="ltx_document ltx_authors_1line">
<h1 class="ltx_title ltx_title_document">Folding <math alttext="x^{2}" display="inline"><msup><mi>x</mi>
<mn>2</mn></msup></math> maps
<span class="ltx_note ltx_role_thanks"><sup class="ltx_note_mark">*</sup>THANKSWORDS</span></h1>
<div class="ltx_authors"><span class="ltx_creator">AUTHORWORDS</span></div>
<div class="ltx_dates">(May 2020 DATEWORDS)</div>
<div class="ltx_abstract"><h6 class="ltx_title ltx_title_abstract">Abstract.</h6>
<p class="ltx_p">We fold <em>maps</em>.
<button class="sr-only button">Report issue for preceding element</button></p></div>
<section id="S1" class="ltx_section"><h2 class="ltx_title"><span class="ltx_tag ltx_tag_section">1 </span>
Introduction</h2>
<div class="ltx_para"><p class="ltx_p">Maps are old.</p></div>
<section class="ltx_subsection"><h3 class="ltx_title"><span class="ltx_tag ltx_tag_subsection">1.1</span>Scope</h3>
<p class="ltx_p">All of them.</p></section></section>
<section class="ltx_section"><h2 class="ltx_title"><span class="ltx_tag ltx_tag_section">2 </span>Empty</h2>
</section>
<section id="bib" class="ltx_bibliography"><h2 class="ltx_title ltx_title_bibliography">References</h2>
<ul class="ltx_biblist"><li class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">[1]</span>
<span class="ltx_bibblock">A. Author.</span><span class="ltx_bibblock">A title , 2001.</span></li>
<li class="ltx_bibitem"><span class="ltx_tag ltx_tag_bibitem">Two (2002)</span>
<span class="ltx_bibblock">B. Author.</span></li></ul></section>
<section class="ltx_appendix"><h2 class="ltx_title"><span class="ltx_tag">Appendix A </span>Proofs</h2>
<p class="ltx_p">Short.</p><section><h3>Lemma</h3><p>Shorter.</p></section></section>
<p class="ltx_p">After all.</p>
</article>"""
SECTIONS = (
    Section("Abstract", "We fold maps.", 2, Kind.ABSTRACT),
    Section("1 Introduction", "Maps are old.", 2, Kind.BODY, "1"),
    Section("1.1 Scope", "All of them.", 3, Kind.BODY, "1.1"),
    Section("2 Empty", "", 2, Kind.BODY, "2"),
    Section("References", "[1] A. Author. A title, 2001.\nTwo (2002) B. Author.", 2, Kind.REFERENCES),
    Section("Appendix A Proofs", "Short.", 2, Kind.APPENDIX, "A"),
    Section("Lemma", "Shorter.", 3, Kind.APPENDIX),
    Section(None, "After all.", 1, Kind.BODY),
)


@pytest.mark.parametrize("page", [arxiv_page, ar5iv_page], ids=["arxiv", "ar5iv"])
def test_a_page_gives_the_paper_in_sections_and_no_word_of_the_site(page: Callable[[str], str]) -> None:
    # references A94
    document = read(page(ARTICLE))
    assert document.title == r"Folding \(x^{2}\) maps"
    assert document.sections == SECTIONS
    words = " ".join(section.text for section in document.sections)
    unwanted = SITE_WORDS | {"AUTHORWORDS", "DATEWORDS", "THANKSWORDS", "issue"}
    assert [word for word in sorted(unwanted) if word in words] == []


def test_licence_is_what_the_page_states() -> None:
    assert read(arxiv_page(ARTICLE)).license == "CC BY 4.0"
    assert read(ar5iv_page(ARTICLE)).license is None


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<head><title>[2401.00001v2] A Paper</title></head><article><p>Text.</p></article>", "A Paper"),
        ("<title>A [B] &amp; C</title><article><p>Text.</p></article>", "A [B] & C"),
        (
            "<title>Page</title><article><h1>Own <b>title</b></h1><p>Text.</p><h1>Second</h1><p>More.</p></article>",
            "Own title",
        ),
        ("<article><p>Text.</p></article>", None),
        ("<title>  </title><article><svg><title>Drawing</title></svg><p>Text.</p></article>", None),
    ],
)
def test_title_is_the_document_title_or_that_of_the_page(page: str, title: str | None) -> None:
    assert read(page).title == title


def test_title_is_not_repeated_and_a_second_heading_of_its_level_is_a_section() -> None:
    page = "<article><h1>Own title</h1><p>Text.</p><h1>Second</h1><p>More.</p></article>"
    assert parts_of(read(page)) == [(None, "Text."), ("Second", "More.")]


@pytest.mark.parametrize(
    "page",
    [
        "<body>out<article>in</article>out<main>out</main></body>",
        '<body>out<div class="ltx_document">in</div>out<main>out</main></body>',
        '<div class="package-alerts ltx_document">out</div><div class="ltx_document">in</div>',
        "<body>out<main>in</main>out</body>",
        "<body>in</body>",
        "in",
        "<head><title>out</title></head>in",
        "<article>in</article><article>out</article>",
        "<nav><article>in</article></nav>",
    ],
)
def test_text_is_read_from_the_first_root_that_the_page_has(page: str) -> None:
    assert parts_of(read(page)) == [(None, "in")]


@pytest.mark.parametrize(
    "dropped",
    [
        *(
            f"<{name}>X</{name}>"
            for name in (
                "script",
                "style",
                "noscript",
                "template",
                "svg",
                "nav",
                "header",
                "footer",
                "dialog",
                "button",
                "form",
                "iframe",
            )
        ),
        *(
            f'<div class="a {name} b">X</div>'
            for name in (
                "ltx_page_header",
                "ltx_page_footer",
                "ltx_page_navbar",
                "ltx_page_logo",
                "ltx_TOC",
                "ltx_ERROR",
                "package-alerts",
                "ltx_authors",
                "ltx_author_notes",
                "ltx_dates",
            )
        ),
        "<div hidden>X</div>",
        '<div hidden="until-found">X</div>',
        '<span aria-hidden="true">X</span>',
        '<div id="feedback-panel">X</div>',
        '<div class="report-issue-button">X</div>',
        '<div class="bug-report">X</div>',
    ],
)
def test_what_is_no_text_of_the_paper_is_dropped_whole(dropped: str) -> None:
    # references A94
    content = "X<foreignObject><p>Y<b>Z</b></p></foreignObject>"
    assert text_of(f"<p>before</p>{dropped.replace('X', content)}<p>after</p>") == "before\n\nafter"


@pytest.mark.parametrize(
    "kept", ['<div aria-hidden="false">X</div>', '<p id="S1.p1">X</p>', '<div class="ltx_theorem_report">X</div>']
)
def test_what_only_looks_like_it_is_kept(kept: str) -> None:
    assert text_of(kept) == "X"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        # inline and display, entities, the leading size command
        (r'<math alttext="a&lt;b" display="inline"><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>', r"\(a<b\)"),
        (r'<math alttext="\displaystyle a+b" display="block"><mi>a</mi></math>', r"\[a+b\]"),
        (r'<math alttext="\displaystyle{a}"></math>', r"\({a}\)"),
        (r'<math alttext="\displaystylex"></math>', r"\(\displaystylex\)"),
        ("<math alttext='a\n  +b'></math>", r"\(a +b\)"),
        # LaTeXML breaks long lines with a comment sign
        ('<math alttext="a%&#10;+b"></math>', r"\(a+b\)"),
        (r'<math alttext="\theta%&#10;  x\theta%&#10;+"></math>', r"\(\theta x\theta+\)"),
        (r'<math alttext="10\%&#10;of b"></math>', r"\(10\% of b\)"),
        # the annotation, else the text
        (
            '<math><semantics><mi>x</mi><annotation-xml encoding="MathML-Content"><ci>y</ci></annotation-xml>'
            '<annotation encoding="application/x-tex">x_{1}</annotation></semantics></math>',
            r"\(x_{1}\)",
        ),
        ('<math alttext="  "><mi>x</mi><annotation encoding="text/plain">no</annotation></math>', r"\(x\)"),
        ("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", r"\(x=1\)"),
        ("<math></math>", ""),
        # nested maths count once
        (
            r'<math alttext="\text{if $b$}"><mtext>if <math alttext="b"><mi>b</mi></math></mtext></math>',
            r"\(\text{if $b$}\)",
        ),
        ('<math><mtext>if <math alttext="b"><mi>b</mi></math></mtext></math>', r"\(if b\)"),
        # hidden from screen readers, but maths
        ('<math aria-hidden="true" alttext="a"></math>', r"\(a\)"),
        ('<math hidden alttext="a"></math>', r"\(a\)"),
        ('<math alttext="a"/>', r"\(a\)"),
        # a control space at its end stays one
        ('<math alttext="a\\ "></math>', r"\(a\ \)"),
        # punctuation closes up to a formula, and none is touched inside
        ('<math alttext="f ( x , y )"></math> , and', r"\(f ( x , y )\), and"),
    ],
)
def test_each_formula_is_there_once_as_tex(markup: str, text: str) -> None:
    # references A94, references A95
    assert text_of(f"<p>{markup}</p>") == text


ROW = '<tr class="ltx_equation ltx_eqn_row">{}</tr>'
NUMBER = '<td class="ltx_eqn_cell ltx_eqn_eqno"><span class="ltx_tag ltx_tag_equation">{}</span></td>'


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (['<td></td><td><math alttext="E" display="block"></math></td>' + NUMBER.format("(3)")], r"\[E\] (3)"),
        ([NUMBER.format("(3)") + '<td><math alttext="E" display="block"></math></td>'], r"\[E\] (3)"),
        ([NUMBER.format("3a") + '<td><math alttext="E" display="block"></math></td>'], r"\[E\] (3a)"),
        (
            [
                r'<td><math alttext="\displaystyle a" display="inline"></math></td>'
                r'<td><math alttext="\displaystyle=b" display="inline"></math></td>' + NUMBER.format("(4)"),
                r'<td><math alttext="\displaystyle c" display="inline"></math></td><td>whenever</td>'
                r'<td><math alttext="d" display="inline"></math></td>',
            ],
            "\\[a =b\\] (4)\n\n\\[c\\] whenever \\[d\\]",
        ),
    ],
)
def test_equation_is_one_formula_with_its_number_after_it(rows: list[str], text: str) -> None:
    # references A95
    table = "".join(map(ROW.format, rows))
    markup = f'<p>As in</p><table class="ltx_equation ltx_eqn_table"><tbody>{table}</tbody></table><p>holds.</p>'
    assert text_of(markup) == f"As in\n\n{text}\n\nholds."


def test_equation_outside_of_a_table_is_one_too() -> None:
    markup = (
        '<div class="ltx_equation"><span class="ltx_tag ltx_tag_equation">(1)</span><math alttext="E"></math></div>'
    )
    assert text_of(f"As in{markup}holds.") == "As in\n\n\\[E\\] (1)\n\nholds."


def test_captions_are_paragraphs_and_rows_are_lines() -> None:
    # references A95
    markup = """<figure><figcaption class="ltx_caption"><span class="ltx_tag ltx_tag_table">Table 1: </span>Scores
    of <math alttext="k"></math> models</figcaption>
    <table class="ltx_tabular"><thead><tr class="ltx_tr"><th class="ltx_td">Model</th><th>Score</th></tr></thead>
    <tbody><tr><td>A</td><td> 1 <p>and</p> 2 </td></tr><tr><td></td><td></td></tr>
    <tr><td>B | C</td><td></td><td>3</td></tr>
    <tr><td>D</td><td><table class="ltx_tabular"><tr><td>2.0</td></tr><tr><td>(best)</td></tr></table></td></tr>
    </tbody></table></figure>
    <figure><img alt="Refer to caption"><figcaption><span class="ltx_tag">Figure 3:</span>A map.</figcaption>
    </figure><table><caption>Table 2: Plain</caption><tr><td>x<td>y<tr><td>z</table>"""
    assert text_of(markup) == (
        "Table 1: Scores of \\(k\\) models\n\nModel | Score\nA | 1 and 2\nB | C | | 3\nD | 2.0 (best)\n\n"
        "Figure 3: A map.\n\nTable 2: Plain\n\nx | y\nz"
    )


def test_tables_of_spans_are_tables() -> None:
    row = '<span class="ltx_tr"><span class="ltx_td">{}</span><span class="ltx_td">{}</span></span>'
    markup = f'<span class="ltx_tabular">{row.format("a", "b")}{row.format("c", "d")}</span>'
    assert text_of(f"<p>in {markup} line</p>") == "in\n\na | b\nc | d\n\nline"


NOTE = (
    '<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer">'
    '<span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span class="ltx_tag ltx_tag_note">1</span>'
    '<span class="ltx_note_type">footnotetext: </span>{}</span></span></span>'
)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (f"<p>Maps{NOTE.format('See <b>there</b>.')} , and</p>", "Maps [note: See there.], and"),
        (f"<p>Maps{NOTE.format('See' + NOTE.format('here'))}.</p>", "Maps [note: See [note: here]]."),
        (f"<p>Maps{NOTE.format(' ')} fold</p>", "Maps fold"),
        (f"<p>Maps{NOTE.format('<math alttext=x></math>')}</p>", r"Maps [note: \(x\)]"),
        (f"<table><tr><td>a{NOTE.format('b')}</td><td>c</td></tr></table>", "a [note: b] | c"),
    ],
)
def test_note_stands_in_its_place_without_its_mark(markup: str, text: str) -> None:
    # references A95
    assert text_of(markup) == text


def test_note_of_a_heading_opens_its_section() -> None:
    page = article(f"<h2>Maps{NOTE.format('Old ones.')}</h2><p>They fold.</p>")
    assert parts_of(read(page)) == [("Maps", "[note: Old ones.]\n\nThey fold.")]


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>see <cite>[<a href=#b1>1</a>, <a href=#b2>Two (2002)</a>]</cite>.</p>", "see [1, Two (2002)]."),
        ("<p> a \n\t b&nbsp; c d</p>", "a b c d"),
        (
            "<p>one , two ; three . ( four ) five ] six } : seven ! eight ?</p>",
            "one, two; three. ( four) five] six}: seven! eight?",
        ),
        ("<p>the .NET and .5 , a != b := c ... d</p>", "the .NET and .5, a != b := c ... d"),
        ("<p>oﬃces ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ soft\u00adhyphen</p>", "offices ff fi fl ffi ffl st st softhyphen"),
        ("<p>Cafe\u0301 nai\u0308ve</p>", "Café naïve"),
        ("<p>a\x00b\x07c&#0;d&#128;</p>", "abc\ufffdd€"),
        ("<p>a<br>b<wbr>c<sup>2</sup></p>", "a bc2"),
        ("<div>a<div>b</div>c</div>", "a\n\nb\n\nc"),
        ("<p>a<hr>b</p>", "a\n\nb"),
    ],
)
def test_running_text_is_tidy(markup: str, text: str) -> None:
    assert text_of(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<ul><li>a</li><li><p>b</p><p>c</p></li><li></li></ul>d", "- a\n\n- b\n\nc\n\nd"),
        ('<ul><li><span class="ltx_tag ltx_tag_item">•</span> <div class="ltx_para"><p>a</p></div></li></ul>', "- a"),
        (
            '<ol><li><span class="ltx_tag ltx_tag_item">(ii)</span> <div class="ltx_para"><p>a</p></div></li></ol>',
            "- (ii) a",
        ),
        ("<ol><li>a<ul><li>b</li></ul>c</li></ol>", "- a\n\n- b\n\nc"),
        ("<dl><dt>Name</dt><dd><div><p>what</p></div></dd><dt>Alone</dt></dl>d", "- Name what\n\n- Alone\n\nd"),
        ("<ul><li>a<table><tr><td>b</td></tr></table></li></ul>", "- a\n\nb"),
        ("<ul><li>a<li>b</ul>", "- a\n\n- b"),
    ],
)
def test_items_of_lists_are_marked(markup: str, text: str) -> None:
    assert text_of(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<pre>\ndef f(x):\n    return  x ,  1\n</pre>", "def f(x):\nreturn x , 1"),
        (
            '<div class="ltx_listing"><div class="ltx_listing_data"><a>⬇</a></div>'
            '<div class="ltx_listingline">a  b</div><div class="ltx_listingline">c</div></div>',
            "a b\nc",
        ),
    ],
)
def test_lines_of_code_stay_lines(markup: str, text: str) -> None:
    assert text_of(f"<p>before</p>{markup}<p>after</p>") == f"before\n\n{text}\n\nafter"


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ('<div class="ltx_abstract"><p>a</p></div><div class="ltx_keywords">k</div>', [("Abstract", "a"), (None, "k")]),
        (
            '<section class="ltx_bibliography"><ul><li class="ltx_bibitem">a</li></ul></section><p>k</p>',
            [("References", "a"), (None, "k")],
        ),
        ("<p>a</p><h2> </h2><p>b</p><h3>c</h3>", [(None, "a\n\nb"), ("c", "")]),
        ("<h2>Intro<p>a</p><p>b</p></h2>", [("Intro", "a\n\nb")]),
        ("<h2><div>Intro</div></h2><p>a</p>", [("Intro", "a")]),
        ("<h2>Intro<h3>Next</h3>a", [("Intro", ""), ("Next", "a")]),
        ("<table><tr><td>a<h2>Intro</h2>b</td><td>c</td></tr></table>", [(None, "a"), ("Intro", "b\n\nc")]),
    ],
)
def test_sections_start_at_headings_and_where_a_part_ends(content: str, parts: list[tuple[str | None, str]]) -> None:
    assert parts_of(read(article(content))) == parts


def test_heading_that_never_ends_gives_the_rest_of_its_words_to_the_text() -> None:
    heading, rest = " ".join(["word"] * 40), " ".join(["more"] * 100)
    (section,) = read(article(f"<h2>{heading} {rest}</h2>")).sections
    assert f"{section.heading} {section.text}" == f"{heading} {rest}"
    assert len(section.heading or "") <= 240


@pytest.mark.parametrize(
    ("content", "kinds"),
    [
        ("<h2>Abstract</h2>a<h2>Intro</h2>b", [Kind.ABSTRACT, Kind.BODY]),
        (
            "<h2>7. References</h2>a<h3>Books</h3>b<h2>Appendix</h2>c<h3>Proofs</h3>d<h2>End</h2>",
            [Kind.REFERENCES, Kind.REFERENCES, Kind.APPENDIX, Kind.APPENDIX, Kind.BODY],
        ),
        ("<h2>References to maps</h2>a<h2>BIBLIOGRAPHY</h2>b", [Kind.BODY, Kind.REFERENCES]),
    ],
)
def test_kind_of_a_plain_section_is_what_its_heading_says(content: str, kinds: list[Kind]) -> None:
    assert [section.kind for section in read(article(content)).sections] == kinds


def test_quality_says_how_much_prose_there_is() -> None:
    prose = "<p>" + "word " * 300 + "</p>"
    references = f'<section class="ltx_bibliography"><h2>References</h2>{prose}</section>'
    appendix = f'<section class="ltx_appendix"><h2>Appendix A</h2>{prose}</section>'
    assert read(article(prose + "<p>x</p>")).quality is Quality.OK
    assert read(article(f"{prose}")).prose_chars == 1499
    assert read(article(f"{prose}")).quality is Quality.THIN
    assert read(article(f"<p>a</p>{references}")).quality is Quality.THIN
    assert read(article(f"{appendix}{appendix}{references}")).quality is Quality.THIN
    assert read(article(references)).prose_chars == 0
    assert read("<html><body>\n<div>\n No content available \n</div></body></html>").prose_chars == 0
