"""Unpaywall, DataCite, Semantic Scholar and DOAJ: what each says of a work, and of another shape."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.errors import Denial, NotFound, SourceDenied, SourceMalformed, SourceUnreachable
from core.identifiers import Identifier, parse
from core.records import Author, OaLocation, PartialDate, Work
from core.sources.answers import Record
from core.sources.bundle import Sources
from core.sources.datacite import datacite_record
from core.sources.semantic_scholar import semantic_scholar_record
from core.sources.unpaywall import unpaywall_answer
from tests.core.sources.answered import DATACITE, S2_ID, UNPAYWALL
from tests.core.sources.answered import DOAJ as ARTICLE
from tests.core.sources.answered import SEMANTIC_SCHOLAR as S2
from tests.polite_desk import Desk
from tests.scripted_upstream import answer

SICI = "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O"
SICI_TAIL = "%28sici%291097-4571%28199806%2949%3A8%3C693%3A%3Aaid-asi4%3E3.0.co%3B2-o"


def identifier(text: str) -> Identifier:
    return parse(text, titles=False, bare_digits="refuse")


# references A26, A27
def test_unpaywall_says_where_a_work_is_open() -> None:
    found = unpaywall_answer(UNPAYWALL)
    best = OaLocation("https://repo.test/1", "https://repo.test/1.pdf", "repository", "acceptedVersion", "cc-by")
    second = OaLocation("https://repo.test/2")
    assert (found.oa_status, found.best, found.locations) == ("green", best, (best, second))
    assert (found.oa_url, found.license) == ("https://repo.test/1.pdf", "cc-by")
    assert found.record == Record(
        Work(
            key="doi:10.1234/x",
            doi="10.1234/x",
            title="A & B",
            authors=(Author("Ann Other", "Other", "Ann"), Author("Bea Else", "Else", "Bea")),
            published=PartialDate(2019),
            type="journal-article",
            venue="J",
            publisher="P",
            license="cc-by",
            oa_status="green",
            oa_locations=(best, second),
            sources=("unpaywall",),
        ),
        {
            "doi": "10.1234/X",
            "is_oa": True,
            "oa_status": "green",
            "title": "A &amp; B",
            "best_oa_location": {
                "url": "https://repo.test/1",
                "url_for_pdf": "https://repo.test/1.pdf",
                "license": "cc-by",
            },
            "oa_locations": [
                {"url": "https://repo.test/1", "url_for_pdf": "https://repo.test/1.pdf", "license": "cc-by"},
                {"url": "https://repo.test/2", "url_for_pdf": None, "license": None},
                {"url": None, "url_for_pdf": None, "license": None},
            ],
        },
    )


# references A26, A28
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"oa_status": "closed", "is_oa": False, "best_oa_location": None, "oa_locations": []}, ("closed", None)),
        ({"oa_status": "", "is_oa": False, "best_oa_location": None, "oa_locations": []}, (None, None)),
        ({"oa_status": None, "z_authors": None}, (None, "https://repo.test/1.pdf")),
        ({"best_oa_location": {"url": "https://repo.test/1"}}, ("green", "https://repo.test/1")),
    ],
)
def test_closed_is_said_and_never_guessed(changes: dict[str, Any], expected: tuple[str | None, str | None]) -> None:
    found = unpaywall_answer({**UNPAYWALL, **changes})
    assert (found.oa_status, found.oa_url) == expected


# references A21, A28
async def test_unpaywall_is_asked_with_a_contact_and_its_failures_are_of_the_tree(desk: Desk, sources: Sources) -> None:
    path = f"/v2/10.1002%2F{SICI_TAIL}"
    desk.world.scripts[path] = answer(UNPAYWALL)
    assert sources.unpaywall is not None
    assert await sources.unpaywall.oa(SICI, caller="a") == unpaywall_answer(UNPAYWALL)
    (asked,) = desk.world.asked
    assert (asked.path, asked.params) == (path, {"email": "desk@papers.test"})
    desk.world.scripts["/v2/10.1234%2Fa"] = answer({}, 422)
    with pytest.raises(SourceDenied):
        await sources.unpaywall.oa("10.1234/a", caller="a")
    desk.world.scripts["/v2/10.1234%2Fb"] = answer({}, 500)
    with pytest.raises(SourceUnreachable):
        await sources.unpaywall.oa("10.1234/b", caller="a")
    desk.world.scripts["/v2/10.1234%2Fc"] = answer({"doi": "10.1234/c"})
    with pytest.raises(SourceMalformed) as caught:
        await sources.unpaywall.oa("10.1234/c", caller="a")
    assert caught.value.denial == Denial("schema_drift", "unpaywall", attempted="is_oa")


# references A29
def test_a_dataset_has_its_licence_and_only_the_members_that_are_read() -> None:
    record = datacite_record(DATACITE)
    assert record.work == Work(
        key="doi:10.5281/zenodo.123",
        doi="10.5281/zenodo.123",
        doi_registered="10.5281/Zenodo.123",
        title="A dataset",
        authors=(
            Author("Ann Other", "Other", "Ann", orcid="0000-0002-1825-0097"),
            Author("CERN", group=True),
            Author("Bea Else", "Else", "Bea"),
        ),
        published=PartialDate(2020, 3, 5),
        type="dataset",
        venue="Series",
        publisher="Zenodo",
        volume="1",
        pages="10-12",
        issn=("2167-8359",),
        language="en",
        abstract="Rows.",
        url="https://zenodo.org/record/123",
        license="cc-by",
        preprint_of="10.1234/published",
        sources=("datacite",),
    )
    hidden = ("language", "url", "xml", "state")
    assert record.metadata == {name: value for name, value in DATACITE.items() if name not in hidden}


@pytest.mark.parametrize(
    ("rights", "slug"),
    [
        ([{"rightsUri": "http://creativecommons.org/licenses/by-nc-nd/4.0/"}], "cc-by-nc-nd"),
        ([{"rightsUri": "https://creativecommons.org/publicdomain/zero/1.0/"}], "cc0"),
        ([{"rights": "Open"}, {"rightsIdentifier": "cc-by-sa-3.0"}], "cc-by-sa"),
        ([{"rightsIdentifier": "mit"}], "mit"),
        ([{"rights": "All yours"}], None),
        (None, None),
    ],
)
def test_a_licence_goes_by_its_identifier_or_address(rights: Any, slug: str | None) -> None:
    assert datacite_record({**DATACITE, "rightsList": rights}).work.license == slug


def test_a_publisher_may_be_a_text_and_a_year_stands_in_for_a_date() -> None:
    work = datacite_record({**DATACITE, "publisher": "Dryad", "dates": [], "titles": []}).work
    assert (work.publisher, work.published, work.title) == ("Dryad", PartialDate(2021), None)


# references A30
def test_a_doi_that_stands_for_an_arxiv_paper_gives_that_identity() -> None:
    work = datacite_record({"doi": "10.48550/arXiv.1706.03762"}).work
    assert (work.key, work.doi, work.arxiv_id) == ("arxiv:1706.03762", "10.48550/arxiv.1706.03762", "1706.03762")


def test_many_creators_are_cut() -> None:
    # references A32
    creators = [{"name": f"Name {number}", "affiliation": ["x" * 50]} for number in range(3_000)]
    record = datacite_record({**DATACITE, "creators": creators})
    assert record.trimmed == ("creators.affiliation", "creators")
    assert (len(orjson.dumps(record.metadata)) < 32 * 1024, record.work.author_count) == (True, 3_000)


# references A21, A29
async def test_datacite_is_asked_by_prefix_and_one_segment(desk: Desk, sources: Sources) -> None:
    path = f"/dois/10.1002/{SICI_TAIL}"
    desk.world.scripts[path] = answer({"data": {"attributes": DATACITE}})
    assert sources.datacite is not None
    assert await sources.datacite.work(SICI, caller="a") == datacite_record(DATACITE)
    assert [asked.target for asked in desk.world.asked] == [path]
    with pytest.raises(NotFound):
        await sources.datacite.work("10.5281/zenodo.absent", caller="a")


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({}, "data"),
        ({"data": []}, "data"),
        ({"data": {}}, "data.attributes"),
        ({"data": {"attributes": {}}}, "data.attributes.doi"),
    ],
)
async def test_datacite_of_another_shape_names_the_field(desk: Desk, sources: Sources, value: Any, field: str) -> None:
    desk.world.otherwise = answer(value)
    assert sources.datacite is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.datacite.work("10.5281/zenodo.1", caller="a")
    assert caught.value.denial == Denial("schema_drift", "datacite", attempted=field)


def test_semantic_scholar_is_read_whole() -> None:
    assert semantic_scholar_record(S2).work == Work(
        key="doi:10.1234/x",
        doi="10.1234/x",
        arxiv_id="1706.03762",
        pmid="29456894",
        pmcid="PMC5815332",
        s2_id=S2_ID,
        title="Attention",
        authors=(Author("Ashish Vaswani", "Vaswani", "Ashish"),),
        published=PartialDate(2017),
        type="proceedings-article",
        venue="NeurIPS",
        volume="30",
        pages="5998-6008",
        license="cc-by-nc",
        oa_status="green",
        oa_locations=(OaLocation(url_for_pdf="https://repo.test/1.pdf", license="cc-by-nc"),),
        cited_by_count=0,
        reference_count=41,
        sources=("semantic_scholar",),
    )


@pytest.mark.parametrize(
    ("ids", "key"),
    [
        ({"ArXiv": "1706.03762"}, "arxiv:1706.03762"),
        ({"ArXiv": "1706.03762", "DOI": "10.48550/arXiv.1706.03762"}, "arxiv:1706.03762"),
        ({"PubMed": "29456894"}, "pmid:29456894"),
        ({}, f"s2:{S2_ID}"),
        (None, f"s2:{S2_ID}"),
    ],
)
def test_each_identity_has_its_key(ids: Any, key: str) -> None:
    assert semantic_scholar_record({**S2, "externalIds": ids}).work.key == key


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("10.1234/A/b", "/paper/DOI:10.1234%2Fa%2Fb"),
        ("1706.03762v3", "/paper/ARXIV:1706.03762"),
        ("pmid:29456894", "/paper/PMID:29456894"),
        (f"s2:{S2_ID}", f"/paper/{S2_ID}"),
        ("CorpusId:13756489", "/paper/CorpusId:13756489"),
    ],
)
async def test_semantic_scholar_takes_ids_without_version(desk: Desk, sources: Sources, text: str, path: str) -> None:
    desk.world.scripts[f"/graph/v1{path}"] = answer(S2)
    assert sources.semantic_scholar is not None
    record = await sources.semantic_scholar.work(identifier(text), caller="a")
    assert record == semantic_scholar_record(S2)


async def test_semantic_scholar_without_its_own_id_is_of_another_shape(desk: Desk, sources: Sources) -> None:
    desk.world.otherwise = answer({"title": "x"})
    assert sources.semantic_scholar is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.semantic_scholar.work(identifier("10.1234/x"), caller="a")
    assert caught.value.denial == Denial("schema_drift", "semantic_scholar", attempted="paperId")


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["s2_defaults", "s2_nudge"])
def test_recorded_papers_are_read(shared_data: Path, name: str) -> None:
    rows = orjson.loads((shared_data / "api" / f"{name}.json").read_bytes())["data"]
    works = [semantic_scholar_record(row).work for row in rows]
    assert [work.s2_id for work in works] == [row["paperId"] for row in rows]
    assert [work.cited_by_count for work in works] == [row["citationCount"] for row in rows]
    assert all(location.url_for_pdf for work in works for location in work.oa_locations)


async def test_doaj_gives_the_article_whose_own_doi_it_is(desk: Desk, sources: Sources) -> None:
    path = "/api/search/articles/doi:10.1234%2Fx"
    desk.world.scripts[path] = answer({"results": [{"bibjson": ARTICLE}]})
    assert sources.doaj is not None
    record = await sources.doaj.work("10.1234/X", caller="a")
    assert record.work == Work(
        key="doi:10.1234/x",
        doi="10.1234/x",
        title="Open",
        authors=(Author("Ann Other", "Other", "Ann", orcid="0000-0002-1825-0097"),),
        published=PartialDate(2018, 2),
        type="journal-article",
        venue="PeerJ",
        publisher="PeerJ Inc.",
        volume="6",
        issue="1",
        pages="1-9",
        issn=("2167-8359",),
        abstract="Text.",
        license="cc-by-nc",
        oa_locations=(OaLocation(url="https://peerj.test/1", host_type="publisher", license="cc-by-nc"),),
        sources=("doaj",),
    )
    assert [asked.target for asked in desk.world.asked] == [f"{path}?pageSize=1"]
    for other in ([{"bibjson": ARTICLE}], []):
        desk.world.scripts["/api/search/articles/doi:10.1234%2Fother"] = answer({"results": other})
        with pytest.raises(NotFound):
            await sources.doaj.work("10.1234/other", caller="a")


@pytest.mark.parametrize(("value", "field"), [({}, "results"), ({"results": [{}]}, "results.bibjson")])
async def test_doaj_of_another_shape_names_the_field(desk: Desk, sources: Sources, value: Any, field: str) -> None:
    desk.world.otherwise = answer(value)
    assert sources.doaj is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.doaj.work("10.1234/x", caller="a")
    assert caught.value.denial == Denial("schema_drift", "doaj", attempted=field)
