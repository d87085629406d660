"""Works of sources and of the catalog as works of a scan, and how much of a hostile record is kept."""

from dataclasses import replace

import pytest

from core.catalog.models import PaperRecord, PaperRow
from core.identifiers import IdentifierKind
from core.records import OaLocation, PartialDate, Work
from core.scan.models import FoundWork, Ids, Query, ScanAuthor
from core.scan.searching.catalog import identifiers_of
from core.scan.searching.found import catalog_work, found_work
from core.scan.searching.reach import routing
from core.scan.vocabulary import Domain, SourceName
from core.sources.answers import ListedWork, Person
from tests.core.scan.searching.desk import Shelf, literature_of, query

WORK = Work(key="doi:10.1234/a", doi="10.1234/a", title="A title", published=PartialDate(2025, 3), cited_by_count=4)


def test_a_listed_work_keeps_what_a_scan_reads() -> None:
    places = (OaLocation(url="http://plain.test/"), OaLocation("https://a.test/", "https://a.test/1.pdf"))
    work = replace(WORK, oa_locations=places, venue="J", abstract="Text.", s2_id="1" * 40)
    listed = ListedWork(work, (Person("Ann Other", "77"),), "Review", "Short.", 2, is_retracted=True)
    assert found_work(listed, "s2") == FoundWork(
        title="A title",
        abstract="Text.",
        tldr="Short.",
        authors=(ScanAuthor("Ann Other", s2_id="77"),),
        year=2025,
        publication_date="2025-03",
        venue="J",
        type="review",
        raw_type="Review",
        ids=Ids(doi="10.1234/a", s2="1" * 40),
        citation_count=4,
        influential_citation_count=2,
        is_retracted=True,
        oa_url="https://a.test/1.pdf",
    )


@pytest.mark.parametrize(
    ("source", "raw_type", "venue", "kind"),
    [
        ("openalex", "article", None, "article"),
        ("openalex", "book-chapter", None, "book-chapter"),
        ("openalex", "dissertation", None, "other"),
        ("openalex", None, "arXiv", "other"),
        ("s2", "JournalArticle", "arXiv.org", "preprint"),
        ("s2", "JournalArticle", "Nature", "article"),
        ("s2", None, "SSRN Electronic Journal", "preprint"),
        ("s2", "BookSection", None, "book-chapter"),
        ("arxiv", "preprint", None, "preprint"),
        ("crossref", "posted-content", None, "preprint"),
        ("crossref", "proceedings-article", None, "article"),
    ],
)
def test_kinds_of_works(source: SourceName, raw_type: str | None, venue: str | None, kind: str) -> None:
    found = found_work(ListedWork(replace(WORK, venue=venue), raw_type=raw_type), source)
    assert found is not None and found.type == kind


def test_a_year_alone_is_no_date_and_no_title_is_no_work() -> None:
    found = found_work(ListedWork(replace(WORK, published=PartialDate(2025), year=2025)), "openalex")
    assert found is not None and (found.year, found.publication_date) == (2025, None)
    assert found_work(ListedWork(replace(WORK, title=None)), "openalex") is None
    assert catalog_work(PaperRow("7", "<i> </i>")) is None


def test_huge_members_are_cut() -> None:
    work = replace(WORK, title="x" * 1_000_000, abstract="y " * 1_000_000, venue="z" * 5_000)
    listed = ListedWork(work, (Person("n" * 5_000, "i" * 5_000),) * 5_000)
    found = found_work(listed, "s2")
    assert found is not None and found.abstract is not None and found.venue is not None
    assert (len(found.title), len(found.abstract), len(found.venue), len(found.authors)) == (1_000, 19_999, 300, 1_000)
    assert (len(found.authors[0].name), len(found.authors[0].s2_id or "")) == (300, 300)


def test_a_paper_of_the_catalog() -> None:
    row = PaperRow("7", "A <b>title</b>", arxiv_id="1706.03762", authors=("Ann Other",), published="2017-06-12")
    record = PaperRecord(
        row,
        ("Ann Other", "Bea Else"),
        "Text.",
        "https://a.test/1.pdf",
        identifiers=(("pmid", "77"),),
        is_retracted=True,
    )
    assert catalog_work(row, record) == FoundWork(
        title="A title",
        abstract="Text.",
        authors=(ScanAuthor("Ann Other"), ScanAuthor("Bea Else")),
        year=2017,
        publication_date="2017-06-12",
        type="preprint",
        ids=Ids(arxiv="1706.03762", pmid="77", catalog="7"),
        is_retracted=True,
        oa_url="https://a.test/1.pdf",
    )
    published = catalog_work(row, replace(record, doi="10.1234/a", venue="J"))
    assert published is not None and (published.type, published.ids.doi) == ("article", "10.1234/a")
    bare = catalog_work(PaperRow("8", "T"))
    assert bare == FoundWork("T", type="article", ids=Ids(catalog="8"))


def test_ids_are_named_most_telling_first() -> None:
    ids = Ids("10.1234/a", "1706.03762", "77", "W5", "1" * 40, "7")
    assert [each.kind for each in identifiers_of(ids)] == [
        IdentifierKind.CATALOG, IdentifierKind.DOI, IdentifierKind.ARXIV, IdentifierKind.PMID,
        IdentifierKind.OPENALEX, IdentifierKind.S2,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "kind", "expected"),
    [
        ("cs", "direct", ("catalog", "openalex", "s2", "arxiv")),
        ("general", "method", ("catalog", "openalex", "s2", "arxiv")),
        ("general", "direct", ("catalog", "openalex", "s2")),
        ("biomed", "method", ("catalog", "openalex", "s2")),
        ("behavioral", "method", ("catalog", "openalex", "s2")),
    ],
)
def test_the_domain_picks_the_sources(domain: Domain, kind: str, expected: tuple[str, ...]) -> None:
    assert routing(domain, [Query("Q1", kind, "t")]) == expected  # type: ignore[arg-type]


async def test_live_sources_are_those_of_the_routing_that_are_asked() -> None:
    async with literature_of(("catalog", "openalex", "arxiv", "crossref")) as on:
        assert on.literature.live("cs", [query()]) == ("openalex", "arxiv")
        assert on.literature.routing("cs", [query()]) == ("catalog", "openalex", "s2", "arxiv")


async def test_a_catalog_behind_a_network_is_asked_for_no_records() -> None:
    paper = PaperRecord(PaperRow("7", "Deep"), abstract="Far away.")
    async with literature_of(("catalog",), shelf=Shelf({"7": paper}, kind="http")) as on:
        assert (await on.retrieve(query())).works[0].abstract is None


async def test_conjunctions_of_a_keyword_query_are_fused_and_exclusions_hold() -> None:
    titles = {"1": "One", "2": "One two", "3": "Two", "4": "Two bad"}
    shelf = Shelf({id: PaperRecord(PaperRow(id, title)) for id, title in titles.items()}, has_vectors=True)
    async with literature_of(("catalog",), shelf=shelf) as on:
        found = await on.retrieve(query("Q1", "(one OR two) NOT bad", "keyword"))
        assert [(work.title, work.origins[0].rank) for work in found.works] == [("One two", 0), ("One", 1), ("Two", 2)]
        assert [(text, mode.value) for text, mode, *_ in shelf.searches] == [("one", "keyword"), ("two", "keyword")]
        await on.retrieve(query("Q1", "one", "semantic"))
        assert shelf.searches[-1][1].value == "hybrid"
