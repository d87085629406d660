"""OpenAlex: works, searches in which no text has a meaning of its own, names, and the rows of the citation graph."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.errors import Ambiguous, Denial, Entry, NotFound, SourceMalformed, SourceRateLimited
from core.identifiers import Identifier, parse
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work
from core.references.graph import Graph, GraphBounds, Node, walk
from core.sources.answers import CitingWork, Evidence, NameCandidate, SearchHit, SearchPage
from core.sources.bundle import Sources
from core.sources.openalex_queries import Filters, Named, chosen, filter_expression
from core.sources.openalex_records import GRAPH_SELECT, WORK_SELECT, openalex_record, search_hit
from tests.core.sources.answered import OPENALEX as ROW
from tests.polite_desk import Desk
from tests.scripted_upstream import answer
from tests.source_world import Asked

WORK = Work(
    key="doi:10.7717/peerj.4375",
    doi="10.7717/peerj.4375",
    arxiv_id="cond-mat/9501001",
    arxiv_version="v2",
    pmid="29456894",
    pmcid="PMC5815332",
    openalex_id="W2741809807",
    title="The state of OA",
    authors=(
        Author("Heather Piwowar", "Piwowar", "Heather", orcid="0000-0002-1825-0097"),
        Author("Jason Priem", "Priem", "Jason"),
    ),
    published=PartialDate(2018, 2, 13),
    type="journal-article",
    venue="PeerJ",
    publisher="PeerJ, Inc.",
    volume="6",
    pages="e4375",
    issn=("2167-8359",),
    language="en",
    abstract="Despite growing interest",
    url="https://doi.org/10.7717/peerj.4375",
    license="cc-by",
    oa_status="gold",
    oa_locations=(
        OaLocation(
            "https://doi.org/10.7717/peerj.4375",
            "https://peerj.com/articles/4375.pdf",
            "journal",
            "publishedVersion",
            "cc-by",
        ),
        OaLocation("http://arxiv.org/abs/cond-mat/9501001v2"),
    ),
    cited_by_count=17,
    reference_count=3,
    updates=(UpdateNotice("retraction", source="openalex"),),
    sources=("openalex",),
)


def identifier(text: str) -> Identifier:
    return parse(text, titles=False, bare_digits="refuse")


# references A54
def test_a_work_is_read_whole_and_an_old_arxiv_id_in_a_location_comes_out_whole() -> None:
    assert openalex_record(ROW).work == WORK
    assert search_hit(ROW) == SearchHit(WORK, 2.5, 99.0, True)


# references A54
def test_what_is_missing_is_unknown_and_a_hit_without_title_is_kept() -> None:
    work = Work(key="openalex:W5", openalex_id="W5", sources=("openalex",))
    assert search_hit({"id": "W5", "title": None, "cited_by_count": None, "is_retracted": False}) == SearchHit(work)
    assert work.cited_by_count is None


@pytest.mark.parametrize(
    ("doi", "key"),
    [
        ("https://doi.org/10.48550/arxiv.1706.03762", "arxiv:1706.03762"),
        ("https://doi.org/10.1234/x", "doi:10.1234/x"),
        (None, "arxiv:1706.03762"),
    ],
)
def test_a_published_doi_is_the_key_and_without_one_the_arxiv_id(doi: str | None, key: str) -> None:
    places = [{"landing_page_url": "https://publisher.test/"}, {"pdf_url": "https://arxiv.org/pdf/1706.03762"}]
    work = openalex_record({"id": "W5", "doi": doi, "locations": places}).work
    assert (work.key, work.arxiv_id) == (key, "1706.03762")


def test_a_work_asked_for_by_its_arxiv_id_keeps_that_identity() -> None:
    work = openalex_record(ROW, asked=identifier("1706.03762v3")).work
    assert (work.key, work.doi, work.arxiv_id, work.arxiv_version, work.preprint_of) == (
        "arxiv:1706.03762", None, "1706.03762", None, "10.7717/peerj.4375",
    )  # fmt: skip


# references A21
@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("10.1234/a/../b//c", "/works/doi:10.1234%2Fa%2F..%2Fb%2F%2Fc"),
        ("10.1038/NATURE14539", "/works/doi:10.1038%2Fnature14539"),
        ("1706.03762v3", "/works/doi:10.48550%2Farxiv.1706.03762"),
        ("openalex:W2741809807", "/works/W2741809807"),
        ("pmid:29456894", "/works/pmid:29456894"),
        ("pmcid:5815332", "/works/pmcid:PMC5815332"),
    ],
)
async def test_each_identifier_has_its_path(desk: Desk, sources: Sources, text: str, path: str) -> None:
    desk.world.scripts[path] = answer(ROW)
    assert sources.openalex is not None
    record = await sources.openalex.work(identifier(text), caller="a")
    assert record.work.openalex_id == "W2741809807"
    (asked,) = desk.world.asked
    assert (asked.path, asked.params) == (path, {"select": WORK_SELECT, "mailto": "desk@papers.test"})


async def test_a_merged_work_is_followed(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works/W5"] = answer(b"", 301, {"location": "https://api.openalex.org/works/W2741809807"})
    desk.world.scripts["/works/W2741809807"] = answer(ROW)
    assert sources.openalex is not None
    record = await sources.openalex.work(identifier("openalex:W5"), caller="a")
    assert record.work.openalex_id == "W2741809807"


def test_every_filter_is_written_once() -> None:
    # references A51
    filters = Filters(2020, 2024, True, 10, 1.5, 90, "A5023888391", "S137773608", "P4310319965")
    assert filter_expression('a, b | c: d! "e" (f) g-h o\'i', filters) == (
        "title_and_abstract.search:a b c d e f g-h o'i,from_publication_date:2020-01-01,to_publication_date:2024-12-31,"
        "is_oa:true,cited_by_count:>10,fwci:>1.5,cited_by_percentile_year.min:90,authorships.author.id:A5023888391,"
        "primary_location.source.id:S137773608,primary_location.source.publisher_lineage:P4310319965"
    )
    assert filter_expression("q", Filters(min_citations=0, min_fwci=0.00001, min_percentile=0.0)) == (
        "title_and_abstract.search:q,cited_by_count:>0,fwci:>0.00001,cited_by_percentile_year.min:0"
    )


def page_of(count: int, start: int = 100) -> dict[str, Any]:
    rows = [{"id": f"https://openalex.org/W{start + number}"} for number in range(count)]
    return {"meta": {"count": 455}, "results": rows}


# references A50, A51
async def test_200_hits_are_two_pages_of_100(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works"] = [answer(page_of(100, 1_000)), answer(page_of(100, 2_000))]
    assert sources.openalex is not None
    found = await sources.openalex.search('deep | "learning"', Filters(from_year=2020), limit=200, caller="a")
    assert [hit.work.openalex_id for hit in found.hits][::99] == ["W1000", "W1099", "W2098"]
    assert (len(found.hits), found.total, found.stale) == (200, 455, False)
    asked = {
        "filter": "title_and_abstract.search:deep learning,from_publication_date:2020-01-01",
        "sort": "relevance_score:desc",
        "select": WORK_SELECT,
        "per-page": "100",
        "mailto": "desk@papers.test",
    }
    assert [each.params for each in desk.world.asked] == [{**asked, "page": "1"}, {**asked, "page": "2"}]


@pytest.mark.parametrize(("limit", "given", "requests"), [(25, 25, 1), (150, 60, 1), (5, 3, 1)])
async def test_a_short_page_is_the_last(desk: Desk, sources: Sources, limit: int, given: int, requests: int) -> None:
    desk.world.scripts["/works"] = answer(page_of(given))
    assert sources.openalex is not None
    found = await sources.openalex.search("q", Filters(), limit=limit, caller="a")
    assert (len(found.hits), len(desk.world.asked)) == (given, requests)


# references A53
async def test_a_page_without_results_is_no_empty_result(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works"] = answer({"meta": {"count": 0}})
    assert sources.openalex is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.openalex.search("q", Filters(), limit=5, caller="a")
    assert caught.value.denial == Denial("schema_drift", "openalex", attempted="results")
    desk.world.scripts["/works"] = answer({"meta": {"count": 0}, "results": []})
    assert await sources.openalex.search("r", Filters(), limit=5, caller="a") == SearchPage((), 0)


# references A69
async def test_a_spent_budget_is_rate_limited(desk: Desk, sources: Sources) -> None:
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "3600"}
    desk.world.scripts["/works"] = answer({}, 429, spent)
    assert sources.openalex is not None
    with pytest.raises(SourceRateLimited) as caught:
        await sources.openalex.search("q", Filters(), limit=5, caller="a")
    assert caught.value.retry_after_s == 3_600
    assert len(desk.world.asked) == 1


def candidates(*given: tuple[str, float]) -> list[NameCandidate]:
    return [NameCandidate(f"A{place}", name, score) for place, (name, score) in enumerate(given)]


# references A52
@pytest.mark.parametrize(
    ("given", "place"),
    [
        ([("Ann Other", 0)], 0),
        ([("Ann B. Other", 9), ("ANN OTHER", 1)], 1),
        ([("Ann B. Other", 2.0), ("Ann C. Other", 1.0)], 0),
        ([("Ann B. Other", 1.0), ("Ann C. Other", 2.0)], 1),
    ],
)
def test_a_name_means_the_one_that_stands_out(given: list[tuple[str, float]], place: int) -> None:
    assert chosen(candidates(*given), "Ann Other", "author").id == f"A{place}"


# references A52
@pytest.mark.parametrize(
    "given",
    [
        [("Ann B. Other", 1.9), ("Ann C. Other", 1.0)],
        [("Ann B. Other", 5.0), ("Ann C. Other", 0.0)],
        [("Ann Other", 1.0), ("ann other", 1.0)],
        [("Ann Other", 9.0), ("ann other", 1.0)],
    ],
)
def test_names_too_close_to_each_other_are_ambiguous(given: list[tuple[str, float]]) -> None:
    with pytest.raises(Ambiguous) as caught:
        chosen(candidates(*given), "Ann Other", "author")
    assert caught.value.candidates == tuple(Entry(f"A{place}", name=name) for place, (name, _) in enumerate(given))


# references A52
@pytest.mark.parametrize(
    ("what", "path"), [("author", "/authors"), ("venue", "/sources"), ("publisher", "/publishers")]
)
async def test_each_kind_of_name_is_searched_where_it_lies(
    desk: Desk, sources: Sources, what: Named, path: str
) -> None:
    desk.world.scripts[path] = [
        answer(
            {"results": [{"id": "https://openalex.org/S137773608", "display_name": "Nature", "relevance_score": 3}]}
        ),
        answer({"results": []}),
        answer({}),
    ]
    assert sources.openalex is not None
    assert await sources.openalex.named(what, "Nature", caller="a") == NameCandidate("S137773608", "Nature", 3.0)
    assert desk.world.asked[0].params == {"search": "Nature", "per-page": "5", "mailto": "desk@papers.test"}
    with pytest.raises(NotFound, match=f"knows no {what} by this name"):
        await sources.openalex.named(what, "Nobody", caller="a")
    with pytest.raises(SourceMalformed):
        await sources.openalex.named(what, "Drift", caller="a")


async def test_the_graph_reads_fifty_ids_at_once_and_misses_what_is_not_there(desk: Desk, sources: Sources) -> None:
    # references A84
    desk.world.scripts["/works/doi:10.7717%2Fpeerj.4375"] = answer(ROW)
    desk.world.scripts["/works"] = answer({"results": [{"id": "https://openalex.org/W22", "title": "Cited"}]})
    assert sources.openalex is not None
    openalex = sources.openalex
    seed = await openalex.citing_work(identifier("10.7717/peerj.4375"), caller="a")
    assert seed == CitingWork(
        "W2741809807", ("W1", "W22"), None, "10.7717/peerj.4375", "cond-mat/9501001", 2018, 17, True
    )
    graph = await walk(seed, GraphBounds(depth=1), lambda ids: openalex.citing_works(ids, caller="a"))
    nodes = (Node("W2741809807", 0, seed), Node("W1", 1, None), Node("W22", 1, CitingWork("W22", title="Cited")))
    assert graph == Graph(nodes, (("W2741809807", "W1"), ("W2741809807", "W22")), True, ())
    assert desk.world.asked[1].params == {
        "filter": "openalex:W1|W22",
        "select": GRAPH_SELECT,
        "per-page": "50",
        "mailto": "desk@papers.test",
    }


# references A104
@pytest.mark.parametrize("is_retracted", [True, False])
async def test_a_mark_of_retraction_is_evidence_and_its_lack_is_an_answer(
    desk: Desk, sources: Sources, is_retracted: bool
) -> None:
    def script(asked: Asked) -> dict[str, Any]:
        return {"id": "https://openalex.org/W5", "is_retracted": is_retracted}

    desk.world.scripts["/works/doi:10.1234%2Fx"] = script
    assert sources.openalex is not None
    found = await sources.openalex.retraction(identifier("10.1234/x"), caller="a")
    assert found == Evidence("openalex", (UpdateNotice("retraction", source="openalex"),) if is_retracted else ())


# references A105
async def test_an_answer_without_the_mark_is_no_negative(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works/doi:10.1234%2Fx"] = answer({"id": "https://openalex.org/W5"})
    assert sources.openalex is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.openalex.retraction(identifier("10.1234/x"), caller="a")
    assert caught.value.denial == Denial("schema_drift", "openalex", attempted="is_retracted")


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["openalex_defaults", "openalex_nudge"])
def test_recorded_searches_are_read(shared_data: Path, name: str) -> None:
    # references A54
    rows = orjson.loads((shared_data / "api" / f"{name}.json").read_bytes())["results"]
    hits = [search_hit(row) for row in rows]
    assert all(hit.work.title and hit.work.authors and hit.work.doi and hit.work.openalex_id for hit in hits)
    assert [hit.work.cited_by_count for hit in hits] == [row["cited_by_count"] for row in rows]
    assert [str(hit.work.published) for hit in hits] == [row["publication_date"] for row in rows]
