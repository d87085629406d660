"""The neighbours of seeds: which source is asked first, who fills in, what is none and what has failed."""

from typing import Any

from core.catalog.models import PaperLink, PaperRecord, PaperRow
from core.errors import SourceTimeout
from core.scan.models import Candidate
from core.scan.searching.port import Neighbourhood, Neighbours
from core.sources.configuration import SourceChoices
from tests.core.scan.searching.desk import (
    OPENALEX,
    S2,
    WINDOW,
    LiteratureDesk,
    Shelf,
    candidate,
    literature_of,
    openalex,
    openalex_row,
    s2_row,
)
from tests.polite_desk import CONTACT
from tests.scripted_upstream import answer
from tests.source_world import Asked

LIKE = "api.semanticscholar.org/recommendations/v1/papers/forpaper"
KEYED = SourceChoices(contact=CONTACT, keys={"semantic_scholar": "s" * 20})
DOI = "DOI:10.1234%2Fa"
NONE = answer({"data": []})


async def neighbours(on: LiteratureDesk, *seeds: Candidate) -> Neighbours:
    return await on.literature.neighbours(Neighbourhood(seeds, WINDOW, "scan"))


def shown(found: Neighbours) -> list[tuple[str, str, str, list[str]]]:
    return [(each.seed_id, each.relation, each.source, [work.title for work in each.works]) for each in found.lists]


def at_openalex(asked: Asked) -> Any:
    wanted = asked.params["filter"]
    if wanted.startswith("cites:"):
        return openalex(openalex_row(31))
    if wanted.startswith("doi:"):
        row = openalex_row(1, doi="https://doi.org/10.1234/a")
        return openalex({**row, "referenced_works": ["https://openalex.org/W21", "https://openalex.org/W22"]})
    if "referenced_works" in asked.params["select"]:
        return openalex({"id": "https://openalex.org/W5", "referenced_works": ["https://openalex.org/W22"]})
    return openalex(openalex_row(22), openalex_row(21))


async def test_without_a_key_openalex_comes_first_and_s2_recommends() -> None:
    async with literature_of() as on:
        on.world.scripts |= {OPENALEX: at_openalex, f"{LIKE}/{DOI}": answer({"recommendedPapers": [s2_row(9)]})}
        found = await neighbours(on, candidate("a" * 12, doi="10.1234/a"), candidate("b" * 12, openalex="W5"))
        assert shown(found) == [
            ("a" * 12, "references", "openalex", ["Openalex work 21", "Openalex work 22"]),
            ("a" * 12, "citations", "openalex", ["Openalex work 31"]),
            ("a" * 12, "recommendations", "s2", ["Scholar work 9"]),
            ("b" * 12, "references", "openalex", ["Openalex work 22"]),
            ("b" * 12, "citations", "openalex", ["Openalex work 31"]),
        ]
        assert all(work.origins == () for each in found.lists for work in each.works)
        assert (found.asked, found.failed, found.auth) == (6, 0, {"openalex": "anon", "s2": "anon"})
        fetched = [
            each.params["filter"] for each in on.asked(OPENALEX) if each.params["filter"].startswith("openalex:")
        ]
        assert fetched == ["openalex:W5", "openalex:W21|W22"]


async def test_s2_fills_in_where_openalex_gave_nothing() -> None:
    async with literature_of() as on:
        on.world.scripts |= {
            OPENALEX: openalex(),
            f"{S2}/{DOI}/references": answer({"data": [{"citedPaper": s2_row(7)}]}),
            f"{S2}/{DOI}/citations": answer({"data": None}),
        }
        found = await neighbours(on, candidate("a" * 12, doi="10.1234/a"))
        assert shown(found) == [("a" * 12, "references", "s2", ["Scholar work 7"])]
        assert found.failed == 0


async def test_with_a_key_s2_comes_first_and_is_read_in_pages_of_a_hundred() -> None:
    def citing(asked: Asked) -> Any:
        start = int(asked.params["offset"])
        return {"data": [{"citingPaper": s2_row(start + number)} for number in range(100)]}

    async with literature_of(choices=KEYED) as on:
        own = f"{S2}/{1:040x}"
        on.world.scripts |= {
            f"{own}/citations": citing,
            f"{own}/references": NONE,
            OPENALEX: openalex(),
        }
        found = await neighbours(on, candidate("a" * 12, s2=f"{1:040x}"))
        assert [(each.relation, len(each.works)) for each in found.lists] == [("citations", 300)]
        assert [each.params["offset"] for each in on.asked(f"{own}/citations")] == ["0", "100", "200"]
        assert on.asked(OPENALEX) == []
        assert found.auth["s2"] == "key"


async def test_failed_calls_are_counted_and_none_is_not() -> None:
    async with literature_of(("s2",)) as on:
        on.world.scripts |= {
            f"{S2}/{DOI}/citations": answer({}, 400),
            f"{S2}/{DOI}/references": NONE,
            f"{S2}/PMID:77/references": answer({"data": [{"citedPaper": s2_row(7)}]}),
        }
        seeds = candidate("a" * 12, doi="10.1234/a"), candidate("b" * 12, pmid="77"), candidate("c" * 12)
        found = await neighbours(on, *seeds)
        assert (found.asked, found.failed) == (6, 1)
        assert shown(found) == [("b" * 12, "references", "s2", ["Scholar work 7"])]
        assert [each for each in found.events if each["event"] == "graph_call_failed"] == [
            {"event": "graph_call_failed", "source": "s2", "reason": "failed"}
        ]


async def test_what_was_read_before_a_page_failed_is_kept() -> None:
    pages = [answer({"data": [{"citingPaper": s2_row(number)} for number in range(100)]}), answer({}, 400)]
    async with literature_of(("s2",)) as on:
        on.world.scripts |= {f"{S2}/{DOI}/citations": pages}
        found = await neighbours(on, candidate("a" * 12, doi="10.1234/a"))
        assert [len(each.works) for each in found.lists] == [100]
        assert found.failed == 1


async def test_all_failing_is_all_that_was_asked() -> None:
    async with literature_of(("openalex", "s2")) as on:
        on.world.otherwise = answer({}, 400)
        found = await neighbours(on, candidate("a" * 12, openalex="W1"), candidate("b" * 12, doi="10.1234/a,b"))
        assert (found.lists, found.asked == found.failed > 0) == ((), True)


async def test_only_five_seeds_recommend() -> None:
    async with literature_of(("s2",)) as on:
        await neighbours(on, *(candidate(f"{number:012x}", doi=f"10.1234/{number}") for number in range(7)))
        assert sum(each.target.startswith("/recommendations") for each in on.world.asked) == 5


async def test_the_catalog_gives_its_own_links_without_any_network() -> None:
    papers = {
        number: PaperRecord(PaperRow(number, f"Shelved {number}", arxiv_id=f"2501.0000{number}")) for number in "123"
    }
    shelf = Shelf(papers, successors=(PaperLink("2", "Shelved 2"), PaperLink("99", "Gone")))
    async with literature_of(("catalog",), shelf=shelf) as on:
        found = await neighbours(on, candidate("a" * 12, arxiv="2501.00001"), candidate("b" * 12, doi="10.1234/a"))
        assert shown(found) == [
            ("a" * 12, "citations", "catalog", ["Shelved 2", "Gone"]),
            ("a" * 12, "recommendations", "catalog", ["Shelved 2", "Shelved 3"]),
        ]
        assert (found.asked, found.failed, found.auth, on.world.asked) == (0, 0, {}, [])


async def test_a_failing_catalog_gives_no_links() -> None:
    shelf = Shelf(failure=SourceTimeout("It did not answer.", source="catalog"))
    async with literature_of(("catalog",), shelf=shelf) as on:
        assert (await neighbours(on, candidate("a" * 12, catalog="7"))).lists == ()
