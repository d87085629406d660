"""Pages that LaTeXML itself makes, in what arXiv and ar5iv put around them, read to the last word."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from core.references.text.document import Document, Kind, Quality
from core.references.text.html import read_html
from core.references.text.markdown import as_markdown
from tests.core.references.text.pages import FATAL, ar5iv_page, arxiv_page
from tests.gates.tools import completed

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

HERE = Path(__file__).resolve().parent / "latexml"
GOLDEN = (HERE / "folding.md").read_text(encoding="utf-8").strip()
# As a site that shows formulas by their layout makes them, and as one that keeps their meaning and their source too.
WAYS = {"layout": ["--pmml"], "all": ["--pmml", "--cmml", "--mathtex"]}


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The article of each page, without the page."""
    return {way: _article(options, tmp_path_factory.mktemp(way)) for way, options in WAYS.items()}


def _article(options: list[str], out: Path) -> str:
    page = out / "folding.html"
    source = str(HERE / "folding.tex")
    ran = completed(
        ["latexmlc", "--format=html5", "--nodefaultresources", *options, f"--destination={page}", source],
        {"HOME": str(out)},
        limit_s=240,
    )
    assert page.exists(), ran.stderr
    text = page.read_text(encoding="utf-8")
    return text[text.index("<article") : text.index("</article>") + len("</article>")]


def read(page: str) -> Document:
    return read_html(page.encode())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("wrapped", [arxiv_page, ar5iv_page], ids=["arxiv", "ar5iv"])
def test_text_of_a_real_page_is_the_paper_and_nothing_else(
    articles: dict[str, str], way: str, wrapped: Callable[[str], str]
) -> None:
    # references A94, references A95
    document = read(wrapped(articles[way]))
    assert document.title == r"Folding \(n\) Maps"
    assert as_markdown(document.sections) == GOLDEN
    assert [(section.level, section.kind, section.number) for section in document.sections] == [
        (2, Kind.ABSTRACT, None),
        (2, Kind.BODY, "1"),
        (3, Kind.BODY, "1.1"),
        (2, Kind.BODY, "2"),
        (3, Kind.BODY, "2.1"),
        (6, Kind.BODY, "Theorem 1"),
        (6, Kind.BODY, None),
        (4, Kind.BODY, None),
        (2, Kind.BODY, None),
        (2, Kind.REFERENCES, None),
        (2, Kind.APPENDIX, "A"),
        (3, Kind.APPENDIX, "A.1"),
    ]


def test_formulas_are_the_same_from_their_annotations(articles: dict[str, str]) -> None:
    # references A95
    without = re.sub(r' alttext="[^"]*"', "", articles["all"])
    assert without != articles["all"]
    assert as_markdown(read(ar5iv_page(without)).sections) == GOLDEN


@pytest.mark.parametrize("way", WAYS)
def test_page_that_broke_off_is_damaged_and_keeps_what_there_is(articles: dict[str, str], way: str) -> None:
    # references A96
    article = articles[way]
    fatal = read(ar5iv_page(article.replace("</article>", f"{FATAL}</article>")))
    assert fatal.quality is Quality.DAMAGED
    assert as_markdown(fatal.sections) == GOLDEN
    for part in range(1, 40):
        cut = read(ar5iv_page(article)[: len(article) * part // 40])
        assert cut.quality is Quality.DAMAGED
        assert GOLDEN.startswith(as_markdown(cut.sections)[:-300])
