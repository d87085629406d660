"""Lists of works for scans: what each source is asked, and what of hostile answers is left."""

from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import orjson
import pytest

from core.errors import NotFound, SourceMalformed, SourceUnreachable
from core.identifiers import parse
from core.sources.answers import ListedWork, Person
from core.sources.bundle import Sources
from core.sources.crossref import listed_work as crossref_listed
from core.sources.openalex_records import LIST_SELECT
from core.sources.openalex_records import listed_work as openalex_listed
from core.sources.semantic_scholar_lists import semantic_scholar_listed
from tests.core.sources import answered
from tests.polite_desk import CONTACT, Desk
from tests.scripted_upstream import answer

FROM, TO = date(2024, 1, 1), date(2026, 8, 31)
S2_FIELDS = (
    "paperId,externalIds,title,abstract,authors,year,publicationDate,venue,journal,citationCount,"
    "influentialCitationCount,openAccessPdf,publicationTypes"
)
PAPER = parse("10.1234/a", titles=False, bare_digits="refuse")


def feed(*ids: str) -> bytes:
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/{id}</id><title>{escape(f'On <i>{id}</i>')}</title>"
        f"<published>2025-01-02T00:00:00Z</published><author><name>Ann Other</name></author></entry>"
        for id in ids
    )
    return f'<feed xmlns="http://www.w3.org/2005/Atom">{entries}</feed>'.encode()


async def test_openalex_is_asked_by_relevance_inside_the_window(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works"] = answer({"results": [answered.OPENALEX, {"id": None}, "junk"]})
    assert sources.openalex is not None
    (found,) = await sources.openalex.listed("a AND b", since=FROM, until=TO, limit=200, caller="a")
    assert (found.work.doi, found.raw_type, found.is_retracted) == ("10.7717/peerj.4375", "article", True)
    assert desk.world.asked[0].params == {
        "search": "a AND b",
        "filter": "from_publication_date:2024-01-01,to_publication_date:2026-08-31,is_retracted:false",
        "sort": "relevance_score:desc",
        "per_page": "100",
        "select": LIST_SELECT,
        "mailto": CONTACT,
    }


async def test_openalex_lists_by_ids_by_dois_and_by_what_cites(desk: Desk, sources: Sources) -> None:
    row = {"id": "https://openalex.org/W5", "doi": "https://doi.org/10.1234/A", "title": "T", "type": "dataset"}
    desk.world.scripts["/works"] = answer({"results": [{**row, "referenced_works": ["https://openalex.org/W1", 3]}]})
    desk.world.scripts["/works/doi:10.1234%2Fa%2Cb"] = answer(row)
    assert sources.openalex is not None
    openalex = sources.openalex
    (found,) = await openalex.listed_by_dois(["10.1234/a", "10.1234/b"], with_references=True, caller="a")
    assert (found.references, found.raw_type, found.work.title) == (("W1",), "dataset", "T")
    await openalex.listed_by_ids(["W1", "W2"], caller="a")
    await openalex.cited_by("W5", page=2, caller="a")
    assert (await openalex.listed_work("10.1234/a,b", caller="a")).work.doi == "10.1234/a"
    assert [each.params.get("filter") for each in desk.world.asked] == [
        "doi:10.1234/a|10.1234/b", "openalex:W1|W2", "cites:W5", None,
    ]  # fmt: skip
    assert desk.world.asked[0].params["select"] == f"{LIST_SELECT},referenced_works"
    cites = desk.world.asked[2].params
    assert (cites["sort"], cites["per_page"], cites["page"]) == ("cited_by_count:desc", "100", "2")


def test_authors_keep_the_ids_of_their_source() -> None:
    people = [
        {"author": {"display_name": "Ann Other", "id": "https://openalex.org/A12"}},
        {"author": {"display_name": "", "id": "https://openalex.org/A13"}},
        {"author": {"display_name": "Bea Else", "id": "https://elsewhere.test/x"}},
    ]
    found = openalex_listed({"id": "W5", "title": "T", "authorships": people})
    assert found.people == (Person("Ann Other", "A12"), Person("Bea Else"))
    paper = {**answered.SEMANTIC_SCHOLAR, "authors": [{"name": "Ann Other", "authorId": "77"}, {"authorId": "8"}]}
    assert semantic_scholar_listed(paper).people == (Person("Ann Other", "77"),)


async def test_s2_searches_by_meaning_or_in_bulk(desk: Desk, sources: Sources) -> None:
    paper = {
        **answered.SEMANTIC_SCHOLAR,
        "publicationTypes": ["Retracted", "Review"],
        "tldr": {"text": "In <b>short</b>."},
        "influentialCitationCount": 4,
    }
    desk.world.scripts["/graph/v1/paper/search"] = answer({"data": [paper, {"paperId": "x"}, None]})
    desk.world.scripts["/graph/v1/paper/search/bulk"] = answer({"total": 0})
    assert sources.semantic_scholar is not None
    s2 = sources.semantic_scholar
    (found,) = await s2.listed("a b", since=FROM, until=TO, limit=40, caller="a")
    assert (found.raw_type, found.is_retracted, found.tldr) == ("Review", True, "In short.")
    assert found.influential_citation_count == 4
    assert await s2.listed_unranked("a + b", since=None, until=TO, caller="a") == ()
    assert [each.params for each in desk.world.asked] == [
        {
            "query": "a b",
            "limit": "40",
            "fields": f"{S2_FIELDS},tldr",
            "publicationDateOrYear": "2024-01-01:2026-08-31",
        },
        {"query": "a + b", "fields": S2_FIELDS, "publicationDateOrYear": ":2026-08-31"},
    ]  # fmt: skip


async def test_s2_links_papers_and_recommends_some(desk: Desk, sources: Sources) -> None:
    paper = answered.SEMANTIC_SCHOLAR
    own = "/graph/v1/paper/DOI:10.1234%2Fa"
    desk.world.scripts |= {
        f"{own}/references": answer({"data": [{"citedPaper": paper}, {"citedPaper": None}, {}]}),
        f"{own}/citations": answer({"data": None}),
        "/recommendations/v1/papers/forpaper/DOI:10.1234%2Fa": answer({"recommendedPapers": [paper]}),
        own: answer(paper),
    }
    assert sources.semantic_scholar is not None
    s2 = sources.semantic_scholar
    assert len(await s2.references(PAPER, offset=100, caller="a")) == 1
    assert await s2.citations(PAPER, offset=0, caller="a") == ()
    assert len(await s2.recommendations(PAPER, limit=8, caller="a")) == 1
    assert (await s2.listed_work(PAPER, caller="a")).work.s2_id == answered.S2_ID
    assert [{**each.params, "fields": None} for each in desk.world.asked] == [
        {"offset": "100", "limit": "100", "fields": None},
        {"offset": "0", "limit": "100", "fields": None},
        {"limit": "8", "fields": None},
        {"fields": None},
    ]
    with pytest.raises(NotFound):
        await s2.references(parse("10.1234/z", titles=False, bare_digits="refuse"), offset=0, caller="a")


# scan A56
async def test_arxiv_is_asked_by_relevance_and_an_error_feed_is_a_failure(desk: Desk, sources: Sources) -> None:
    error = '<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#x</id></entry></feed>'
    desk.world.scripts["/api/query"] = [answer(feed("2501.00001v1")), answer(error.encode()), answer(feed())]
    assert sources.arxiv is not None
    (found,) = await sources.arxiv.listed("all:a", limit=40, caller="a")
    assert (found.work.title, found.people, found.raw_type) == ("On 2501.00001v1", (Person("Ann Other"),), "preprint")
    assert desk.world.asked[0].params == {
        "search_query": "all:a", "sortBy": "relevance", "sortOrder": "descending", "start": "0", "max_results": "40",
    }  # fmt: skip
    with pytest.raises(SourceMalformed):
        await sources.arxiv.listed("all:b", limit=40, caller="a")
    assert await sources.arxiv.listed("all:c", limit=40, caller="a") == ()


async def test_crossref_searches_with_dates_and_lists_by_doi(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works"] = answer({"status": "ok", "message": {"items": [answered.CROSSREF, {"DOI": 5}]}})
    assert sources.crossref is not None
    crossref = sources.crossref
    (found,) = await crossref.listed("a b", since=FROM, until=TO, rows=5, caller="a")
    assert (found.raw_type, found.is_retracted, found.retracts) == ("journal-article", True, ())
    await crossref.listed("a b", rows=3, caller="a")
    await crossref.listed_by_dois(["10.1234/a", "10.1234/b"], caller="a")
    first, second, third = (each.params for each in desk.world.asked)
    assert first["filter"] == "from-pub-date:2024-01-01,until-pub-date:2026-08-31"
    assert (first["query.bibliographic"], first["rows"], "filter" in second) == ("a b", "5", False)
    assert (third["filter"], third["rows"]) == ("doi:10.1234/a,doi:10.1234/b", "20")


def test_a_notice_names_what_it_retracts_and_only_that() -> None:
    updates = [
        {"DOI": "10.1234/Gone", "type": "Retraction"},
        {"DOI": "10.1234/fixed", "type": "correction"},
        {"DOI": "10.1234/n", "type": "withdrawal"},
    ]
    found = crossref_listed({"DOI": "10.1234/n", "update-to": updates})
    assert (found.retracts, found.is_retracted) == (("10.1234/gone",), False)


async def test_the_doi_system_names_the_agency_or_says_that_there_is_no_such_doi(desk: Desk, sources: Sources) -> None:
    desk.world.scripts |= {
        "/ra/10.1234/a": answer([{"DOI": "10.1234/a", "RA": "Crossref"}]),
        "/ra/10.1234/b": answer([{"DOI": "10.1234/b", "status": "DOI does not exist"}]),
        "/ra/10.1234/c": answer([]),
        "/ra/10.1234/d": answer(b"", 302, {"location": "https://doi.org/ra/10.1234/a"}),
    }
    assert sources.doi_ra is not None
    assert await sources.doi_ra.agency("10.1234/A", caller="a") == "Crossref"
    for doi, failure in (("b", NotFound), ("c", SourceMalformed), ("d", SourceUnreachable)):
        with pytest.raises(failure):
            await sources.doi_ra.agency(f"10.1234/{doi}", caller="a")
    # A miss may be over in ten minutes, so an answer that tells of one is kept no longer.
    desk.time.clock.advance(601)
    desk.world.scripts["/ra/10.1234/b"] = answer([{"RA": "DataCite"}])
    assert await sources.doi_ra.agency("10.1234/b", caller="a") == "DataCite"


Call = Callable[[Sources], Awaitable[object]]


def calls() -> dict[str, Call]:
    return {
        "/works": lambda on: on.openalex.listed("q", limit=5, caller="a"),  # type: ignore[union-attr]
        "/graph/v1/paper/search": lambda on: on.semantic_scholar.listed("q", limit=5, caller="a"),  # type: ignore[union-attr]
        "/graph/v1/paper/search/bulk": lambda on: on.semantic_scholar.listed_unranked("q", caller="a"),  # type: ignore[union-attr]
        "/graph/v1/paper/DOI:10.1234%2Fa/citations": lambda on: on.semantic_scholar.citations(  # type: ignore[union-attr]
            PAPER, offset=0, caller="a"
        ),
        "/recommendations/v1/papers/forpaper/DOI:10.1234%2Fa": lambda on: on.semantic_scholar.recommendations(  # type: ignore[union-attr]
            PAPER, limit=8, caller="a"
        ),
    }


@pytest.mark.parametrize("path", calls())
@pytest.mark.parametrize("given", [[], {"data": 3, "results": "x", "recommendedPapers": {}}, {"error": "x"}])
async def test_an_answer_without_its_list_is_a_failure_and_no_silence(
    desk: Desk, sources: Sources, path: str, given: Any
) -> None:
    desk.world.scripts[path] = answer(given)
    with pytest.raises(SourceMalformed):
        await calls()[path](sources)


ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    2**63,
    1.5,
    "",
    "x" * 1_000_000,
    "<b>&lt;x&gt;</b>",
    [],
    [None],
    {},
    {"a": []},
    [{}],
]


@pytest.mark.parametrize("odd", range(len(ODD)))
def test_no_member_of_any_shape_breaks_a_list(odd: int) -> None:
    rows: list[tuple[Callable[[dict[str, Any]], ListedWork], dict[str, Any]]] = [
        (openalex_listed, answered.OPENALEX),
        (semantic_scholar_listed, {**answered.SEMANTIC_SCHOLAR, "tldr": {"text": "t"}}),
        (crossref_listed, answered.CROSSREF),
    ]
    needed = {"id", "paperId", "DOI", "title"}
    for read, row in rows:
        for member in row.keys() - needed:
            assert isinstance(read({**row, member: ODD[odd]}), ListedWork)


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["defaults", "nudge"])
def test_recorded_answers_are_read(shared_data: Path, name: str) -> None:
    openalex = orjson.loads((shared_data / "api" / f"openalex_{name}.json").read_bytes())["results"]
    s2 = orjson.loads((shared_data / "api" / f"s2_{name}.json").read_bytes())["data"]
    for found in (*map(openalex_listed, openalex), *map(semantic_scholar_listed, s2)):
        assert found.work.title and found.work.year and found.people and found.raw_type
        assert all(person.id for person in found.people)


@pytest.mark.shared_data
async def test_a_recorded_feed_is_read_whole(shared_data: Path, desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/api/query"] = answer((shared_data / "api" / "arxiv-search.atom.xml").read_bytes())
    assert sources.arxiv is not None
    found = await sources.arxiv.listed("all:agentic", limit=10, caller="a")
    assert len(found) == 10
    assert all(each.work.title and each.work.abstract and each.people for each in found)


@pytest.mark.shared_data
@pytest.mark.parametrize("number", range(1, 8))
def test_recorded_works_of_crossref_are_read(shared_data: Path, number: int) -> None:
    given = orjson.loads((shared_data / "api" / f"crossref_work_{number}.json").read_bytes())
    found = crossref_listed(given.get("message", given))
    assert found.work.title and found.raw_type
