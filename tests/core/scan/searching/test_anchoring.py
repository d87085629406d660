"""Works that the client knows: by DOI, by exact title, or not at all."""

from typing import Any

import pytest

from core.catalog.models import PaperRecord, PaperRow
from core.scan.models import Anchor, Ids, Origin
from core.scan.searching.port import AnchorsFound
from tests.core.scan.searching.desk import (
    ARXIV,
    CROSSREF,
    EVERY,
    OPENALEX,
    S2,
    WINDOW,
    LiteratureDesk,
    Shelf,
    arxiv,
    crossref,
    crossref_row,
    literature_of,
    openalex,
    openalex_row,
    s2,
    s2_row,
    silent,
)
from tests.scripted_upstream import answer

TITLE = "Attention is all you need"


async def anchors(on: LiteratureDesk, *given: Anchor) -> AnchorsFound:
    return await on.literature.anchors(given, WINDOW, "scan")


# scan A58
async def test_a_doi_is_resolved_at_openalex_crossref_and_the_catalog_as_one_work() -> None:
    shelf = Shelf({"7": PaperRecord(PaperRow("7", "A work"), abstract="Longest abstract here", doi="10.1234/a")})
    async with literature_of(shelf=shelf) as on:
        on.world.scripts |= silent() | {
            OPENALEX: openalex(openalex_row(1, doi="https://doi.org/10.1234/A", publication_date="2011-01-02")),
            CROSSREF: crossref(crossref_row("10.1234/A", "A work")),
        }
        found = await anchors(on, Anchor(doi="https://doi.org/10.1234/A"), Anchor(doi="10.1234/none"))
        work = found.works[0]
        assert work.ids == Ids(doi="10.1234/a", openalex="W1", catalog="7")
        assert (work.abstract, work.authors[0].name) == ("Longest abstract here", "Ann Other")
        assert set(work.origins) == {
            Origin(source, "anchor", None, None, 0) for source in ("catalog", "openalex", "crossref")
        }
        assert (set(found.works), found.unresolved) == ({0}, (1,))
        assert [each["event"] for each in found.events] == ["anchor_resolved", "anchor_unresolved"]
        assert [each.code for each in found.warnings] == ["anchor_unresolved"]
        assert [each.params["filter"] for each in on.asked(OPENALEX)] == ["doi:10.1234/a|10.1234/none"]
        assert on.asked(CROSSREF)[0].params["filter"] == "doi:10.1234/a,doi:10.1234/none"


# scan A58
async def test_an_arxiv_id_is_resolved_at_arxiv_and_by_its_doi_at_openalex() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {
            ARXIV: arxiv(("1706.03762", TITLE)),
            OPENALEX: openalex(openalex_row(1, doi="https://doi.org/10.48550/arxiv.1706.03762", title=TITLE)),
        }
        found = await anchors(on, Anchor(doi="arXiv:1706.03762v5"))
        assert found.works[0].ids == Ids(arxiv="1706.03762", openalex="W1")
        assert on.asked(OPENALEX)[0].params["filter"] == "doi:10.48550/arxiv.1706.03762"
        assert on.asked(CROSSREF) == []


# scan A58
@pytest.mark.parametrize(
    ("title", "is_taken"),
    [
        ("Attention Is All You Need!", True),
        ("Attention is all you need, part II", False),
        ("Attention is not all you need", False),
        ("Attention is all they need", False),
    ],
)
async def test_a_title_is_taken_only_where_it_is_the_very_title(title: str, is_taken: bool) -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {OPENALEX: openalex(openalex_row(1), openalex_row(2, title=title))}
        found = await anchors(on, Anchor(title=TITLE))
        assert (set(found.works), found.unresolved) == (({0}, ()) if is_taken else (set(), (0,)))
        (asked,) = on.asked(OPENALEX)
        assert (asked.params["search"], asked.params["per_page"]) == ("attention is all you need", "3")
        assert asked.params["filter"] == "is_retracted:false"
        assert len(on.asked(f"{S2}/search")) == (0 if is_taken else 1)


# scan A58
async def test_a_doi_that_nobody_knows_is_looked_for_by_its_title_and_s2_comes_last() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {f"{S2}/search": s2(s2_row(5, title=TITLE))}
        found = await anchors(on, Anchor(title="Another title of no work"), Anchor(title=TITLE, doi="10.1234/a"))
        assert {place: work.origins for place, work in found.works.items()} == {
            1: (Origin("s2", "anchor", None, None, 1),)
        }


# scan A58
async def test_records_of_one_title_with_other_dois_are_not_made_one() -> None:
    async with literature_of() as on:
        on.world.scripts |= silent() | {
            OPENALEX: openalex(openalex_row(1, title=TITLE, doi="https://doi.org/10.1234/a")),
            CROSSREF: crossref(crossref_row("10.1234/b", TITLE)),
        }
        found = await anchors(on, Anchor(title=TITLE))
        assert found.works[0].ids == Ids(doi="10.1234/a", openalex="W1")
        assert [origin.source for origin in found.works[0].origins] == ["openalex"]


@pytest.mark.parametrize("named", [("catalog",), EVERY])
async def test_failing_and_missing_sources_leave_anchors_unresolved(named: tuple[str, ...]) -> None:
    async with literature_of(named) as on:
        on.world.otherwise = answer({}, 400)
        found = await anchors(on, Anchor(title=TITLE), Anchor(doi="no doi"), Anchor(title="?!"), Anchor(doi="10.1/a,b"))
        assert (found.works, found.unresolved) == ({}, (0, 1, 2, 3))


async def test_the_catalog_alone_resolves_what_it_holds() -> None:
    papers: dict[str, Any] = {"7": PaperRecord(PaperRow("7", TITLE, arxiv_id="1706.03762"))}
    async with literature_of(("catalog",), shelf=Shelf(papers)) as on:
        found = await anchors(on, Anchor(title=TITLE), Anchor(doi="1706.03762"))
        assert [work.ids.arxiv for work in found.works.values()] == ["1706.03762"] * 2
