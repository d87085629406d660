"""Full text and TeX source through the tools: order of sources, parts, sections, and what a DOI gets."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.references.tex.packs import PAPER, archive, member, packed
from tests.core.sources.answered import OPENALEX
from tests.references_desk import Tools, outcomes
from tests.scripted_upstream import answer

AR5IV_AT = "ar5iv.labs.arxiv.org/html/2401.12345"
HTML_AT = "arxiv.org/html/2401.12345"
SOURCE_AT = "export.arxiv.org/src/2401.12345"
PROSE = "Words of the paper that say something about it. " * 60


def page(title: str = "A Paper") -> bytes:
    return (
        f'<html><body><article class="ltx_document"><h1 class="ltx_title ltx_title_document">{title}</h1>'
        f'<section class="ltx_section"><h2 class="ltx_title">1 Start</h2><p class="ltx_p">{PROSE}</p></section>'
        f'<section class="ltx_section"><h2 class="ltx_title">2 End</h2><p class="ltx_p">Done.</p></section>'
        "</article></body></html>"
    ).encode()


async def test_ar5iv_is_asked_first_and_is_enough(tools: Tools) -> None:
    tools.world.scripts = {AR5IV_AT: answer(page())}
    found = await tools.good("paper_text", ref="2401.12345")
    assert (found["source"], found["title"], found["quality"]) == ("ar5iv", "A Paper", "ok")
    assert [each["heading"] for each in found["outline"]] == ["1 Start", "2 End"]
    assert set(tools.world.calls()) == {AR5IV_AT}


# references A97
async def test_a_redirect_away_means_not_converted_and_a_miss_of_both_unknown(tools: Tools) -> None:
    assert (await tools.bad("paper_text", ref="2401.12345"))["code"] == "NOT_FOUND"
    away = answer(b"", 307, {"location": "https://arxiv.org/abs/2402.00001"})
    tools.world.scripts = {"ar5iv.labs.arxiv.org/html/2402.00001": away}
    assert (await tools.bad("paper_text", ref="2402.00001"))["code"] == "TEXT_UNAVAILABLE"


async def test_a_version_is_never_asked_of_ar5iv(tools: Tools) -> None:
    tools.world.scripts = {f"{HTML_AT}v2": answer(page())}
    found = await tools.good("paper_text", ref="2401.12345v2")
    assert (found["source"], found["version"]) == ("arxiv-html", "v2")
    assert set(tools.world.calls()) == {f"{HTML_AT}v2"}


async def test_a_source_that_is_down_is_not_taken_for_a_paper_that_is_not_there(tools: Tools) -> None:
    tools.world.scripts = {AR5IV_AT: answer({}, 503)}
    error = await tools.bad("paper_text", ref="2401.12345")
    assert error["code"] in ("NETWORK_ERROR", "RATE_LIMITED")
    assert outcomes(error)["ar5iv"] == "consulted_failed"


# references A98
async def test_parts_join_to_the_whole_text_of_the_catalog(alone: Tools) -> None:
    whole = await alone.good("paper_text", ref="1706.03762", max_chars=60_000)
    assert whole["source"] == "catalog" and whole["truncated"] is False
    texts, offset = [], 0
    while offset is not None:
        part = await alone.good("paper_text", ref="1706.03762", max_chars=7_001, offset=offset)
        texts += [section["text"] for section in part["sections"]]
        assert part["char_count"] == sum(len(section["text"]) for section in part["sections"]) <= 7_001
        offset = part["next_offset"]
    assert "".join(texts) == "".join(section["text"] for section in whole["sections"])
    assert whole["char_count"] == whole["total_chars"]


async def test_nothing_and_one_letter_may_be_asked_for(alone: Tools) -> None:
    nothing = await alone.good("paper_text", ref="1706.03762", max_chars=0)
    assert (nothing["sections"], nothing["truncated"], nothing["char_count"]) == ([], True, 0)
    assert (await alone.good("paper_text", ref="1706.03762", max_chars=1))["char_count"] == 1


async def test_a_section_goes_by_number_and_by_heading(alone: Tools) -> None:
    whole = await alone.good("paper_text", ref="1706.03762", max_chars=0)
    heading = next(each["heading"] for each in whole["outline"] if (each["heading"] or "").startswith("3"))
    by_number = await alone.good("paper_text", ref="1706.03762", section="3")
    by_heading = await alone.good("paper_text", ref="1706.03762", section=heading)
    assert by_number["sections"] == by_heading["sections"] != []
    error = await alone.bad("paper_text", ref="1706.03762", section="No such section")
    assert (error["code"], heading in error["message"]) == ("INVALID_REF", True)


# references A99
@pytest.mark.parametrize("tool", ["paper_text", "paper_tex_source"])
async def test_a_doi_is_not_implemented_unless_its_link_is_followed(tools: Tools, tool: str) -> None:
    error = await tools.bad(tool, ref="10.7717/peerj.4375")
    assert error["code"] == "NOT_IMPLEMENTED"
    assert tools.world.asked == []
    assert (await tools.bad(tool, ref="pmid:9659853"))["code"] == "INVALID_REF"


async def test_a_followed_link_reads_the_linked_paper(tools: Tools) -> None:
    place = {"landing_page_url": "https://arxiv.org/abs/2401.12345", "pdf_url": None}
    tools.world.scripts = {
        "api.openalex.org/works/doi:10.7717%2Fpeerj.4375": answer({**OPENALEX, "locations": [place]}),
        AR5IV_AT: answer(page()),
    }
    found = await tools.good("paper_text", ref="10.7717/peerj.4375", follow_link=True)
    assert (found["arxiv_id"], found["canonical"]) == ("2401.12345", "doi:10.7717/peerj.4375")


async def test_an_arxiv_doi_is_read_without(alone: Tools) -> None:
    assert (await alone.good("paper_text", ref="10.48550/arXiv.1706.03762"))["arxiv_id"] == "1706.03762"


async def test_a_plain_tex_source_is_read_in_parts(tools: Tools) -> None:
    tex = "\\documentclass{article}\n\\begin{document}\nWords.\n\\end{document}\n"
    tools.world.scripts = {SOURCE_AT: answer(gzip.compress(tex.encode()))}
    found = await tools.good("paper_tex_source", ref="2401.12345")
    assert (found["tex_source"], found["main_file"], found["char_count"]) == (tex, None, len(tex))
    part = await tools.good("paper_tex_source", ref="2401.12345", max_chars=10)
    rest = await tools.good("paper_tex_source", ref="2401.12345", offset=part["next_offset"])
    assert part["tex_source"] + rest["tex_source"] == tex
    assert part["truncated"] is True
    assert tools.world.calls()[SOURCE_AT] == 1


def emptied(directory: Path) -> Path:
    """A place whose surroundings are empty too."""
    here = directory / "here"
    here.mkdir()
    return here


def left_in(directory: Path) -> list[Path]:
    return sorted(directory.rglob("*"))


# references A100
@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.5 more",
        gzip.compress(b"%PDF-1.5 more", mtime=0),
        packed({"main.tex": "\\documentclass{article}\\includepdf{paper.pdf}", "paper.pdf": b"%PDF-1.5"}),
        packed({"readme.txt": "No source here.", "figure.png": b"\x89PNG"}),
    ],
    ids=["PDF", "packed PDF", "wrapper of a PDF", "no TeX at all"],
)
async def test_a_source_without_tex_is_unavailable(tools: Tools, body: bytes) -> None:
    tools.world.scripts = {SOURCE_AT: answer(body)}
    error = await tools.bad("paper_tex_source", ref="2401.12345")
    assert (error["code"], error["disposition"]) == ("TEXT_UNAVAILABLE", "terminal")


# references A100
@pytest.mark.parametrize("magic", [b"ustar\x0000", b""])
@pytest.mark.parametrize("pack", [gzip.compress, bytes], ids=["gzip", "plain"])
async def test_an_archive_is_read_and_what_leads_out_of_it_is_not(
    tools: Tools, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, magic: bytes, pack: Callable[[bytes], bytes]
) -> None:
    monkeypatch.chdir(emptied(tmp_path))
    secret = b"\\documentclass{article} a line that nobody may read"
    body = archive(
        [
            member("main.tex", PAPER + b"\\input{link}\\input{../x}\\input{/etc/y}\n", magic=magic),
            member("../x.tex", secret, magic=magic),
            member("/etc/y.tex", secret, magic=magic),
            member("link.tex", b"", b"2", link=b"/etc/passwd", magic=magic),
            member("device.tex", b"", b"3", magic=magic),
        ]
    )
    tools.world.scripts = {SOURCE_AT: answer(pack(body))}
    found = await tools.good("paper_tex_source", ref="2401.12345")
    assert (found["main_file"], [each["name"] for each in found["files"]]) == ("main.tex", ["main.tex"])
    assert found["unresolved_includes"] == ["link", "../x", "/etc/y"]
    assert "nobody may read" not in str(found) and "root:" not in str(found)
    assert left_in(tmp_path) == [tmp_path / "here"]
