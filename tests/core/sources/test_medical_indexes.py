"""NCBI and Europe PMC: ids, records, free copies, and what they say of retractions."""

from typing import Any

import pytest

from core.errors import Denial, NotFound, SourceMalformed, SourceRateLimited
from core.identifiers import Identifier, parse
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work
from core.sources.answers import Evidence
from core.sources.bundle import Sources
from core.sources.europe_pmc import europe_pmc_record
from core.sources.ncbi import ncbi_record
from tests.core.sources.answered import EUROPE_PMC as RESULT
from tests.core.sources.answered import NCBI as SUMMARY
from tests.polite_desk import Desk
from tests.scripted_upstream import answer
from tests.source_world import Asked

SUMMARY_PATH, SEARCH_PATH = "/entrez/eutils/esummary.fcgi", "/entrez/eutils/esearch.fcgi"
COMMON = {"retmode": "json", "tool": "paperdesk", "email": "desk@papers.test"}


def identifier(text: str) -> Identifier:
    return parse(text, titles=False, bare_digits="refuse")


def summaries(found: dict[str, Any]) -> dict[str, Any]:
    return {"header": {}, "result": {"uids": list(found), **found}}


# references A35, A36
def test_a_summary_is_read_whole() -> None:
    assert ncbi_record("9659853", SUMMARY).work == Work(
        key="doi:10.1176/ajp.155.7.895",
        doi="10.1176/ajp.155.7.895",
        pmid="9659853",
        pmcid="PMC3531190",
        title="Depression & response",
        authors=(
            Author("Smith JA", "Smith", "JA"),
            Author("van der Berg P Jr", "van der Berg", "P Jr"),
            Author("Trial Group", group=True),
        ),
        published=PartialDate(1998, 7),
        type="journal-article",
        venue="The American journal of psychiatry",
        volume="155",
        issue="7",
        pages="895-897",
        issn=("0002-953X", "1535-7228"),
        url="https://pubmed.ncbi.nlm.nih.gov/9659853/",
        sources=("ncbi",),
    )


@pytest.mark.parametrize(
    ("pubdate", "sortable", "expected"),
    [
        ("1998 Jul 5", "1998/07/05 00:00", PartialDate(1998, 7, 5)),
        ("1998 Jul-Aug", "1998/07/01 00:00", PartialDate(1998)),
        ("1998 Winter", "1998/12/01 00:00", PartialDate(1998)),
        ("1998", "1998/01/01 00:00", PartialDate(1998)),
        ("", "1998/07/01 00:00", PartialDate(1998, 7)),
        ("", "", None),
    ],
)
def test_a_date_is_as_precise_as_it_is_printed(pubdate: str, sortable: str, expected: PartialDate | None) -> None:
    assert ncbi_record("1", {"pubdate": pubdate, "sortpubdate": sortable}).work.published == expected


# references A25, A35
async def test_ids_of_both_kinds_are_looked_up_together(desk: Desk, sources: Sources) -> None:
    pmc = {"title": "In PMC", "articleids": [{"idtype": "pmid", "value": "0"}, {"idtype": "doi", "value": "10.1234/x"}]}

    def script(asked: Asked) -> dict[str, Any]:
        if asked.params["db"] == "pmc":
            return summaries({"3531190": pmc})
        return summaries({"9659853": SUMMARY, "4": {"uid": "4", "error": "cannot get document summary"}})

    desk.world.scripts[SUMMARY_PATH] = script
    assert sources.ncbi is not None
    ids = [identifier(text) for text in ("pmid:9659853", "PMC3531190", "pmcid:3531190", "pmid:4", "pmid:5")]
    found = await sources.ncbi.records(ids, caller="a")
    assert {each.id: record.work.doi for each, record in found.items()} == {
        "9659853": "10.1176/ajp.155.7.895",
        "PMC3531190": "10.1234/x",
    }
    assert found[ids[1]] is found[ids[2]]
    assert (found[ids[1]].work.pmcid, found[ids[1]].work.pmid) == ("PMC3531190", None)
    assert [asked.params for asked in desk.world.asked] == [
        {"db": "pubmed", "id": "9659853,4,5", **COMMON},
        {"db": "pmc", "id": "3531190", **COMMON},
    ]


# references A35
@pytest.mark.parametrize(
    "value",
    [
        summaries({"9": {"uid": "9", "error": "cannot get document summary"}}),
        summaries({}),
        {"error": "Invalid uid 9 at position= 0"},
        {"esummaryresult": ["Invalid uid 9 at position= 0"]},
    ],
)
async def test_an_error_or_a_missing_id_is_no_record(desk: Desk, sources: Sources, value: Any) -> None:
    desk.world.scripts[SUMMARY_PATH] = answer(value)
    assert sources.ncbi is not None
    with pytest.raises(NotFound, match=r"^NCBI has no record 9; check the id\.$"):
        await sources.ncbi.record(identifier("pmid:9"), caller="a")


# references A35
async def test_a_record_may_have_no_doi(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[SUMMARY_PATH] = answer(summaries({"9": {"uid": "9", "title": "Old."}}))
    assert sources.ncbi is not None
    work = (await sources.ncbi.record(identifier("pmid:9"), caller="a")).work
    assert (work.key, work.doi, work.title) == ("pmid:9", None, "Old")


async def test_ncbi_asking_to_slow_down_and_another_shape_are_failures(desk: Desk, sources: Sources) -> None:
    assert sources.ncbi is not None
    desk.world.scripts[SUMMARY_PATH] = answer({"header": {}})
    with pytest.raises(SourceMalformed) as caught:
        await sources.ncbi.record(identifier("pmid:9"), caller="a")
    assert caught.value.denial == Denial("schema_drift", "ncbi", attempted="result")
    desk.world.scripts[SUMMARY_PATH] = answer({"error": "API rate limit exceeded", "count": "11"})
    with pytest.raises(SourceRateLimited):
        await sources.ncbi.record(identifier("pmid:8"), caller="a")


async def test_a_search_by_doi_counts_only_where_the_records_own_doi_is_that_one(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[SEARCH_PATH] = answer({"esearchresult": {"idlist": ["4", "9659853"]}})
    desk.world.scripts[SUMMARY_PATH] = answer(summaries({"4": {"uid": "4"}, "9659853": SUMMARY}))
    assert sources.ncbi is not None
    record = await sources.ncbi.by_doi("10.1176/AJP.155.7.895", caller="a")
    assert record.work.pmid == "9659853"
    assert [asked.params for asked in desk.world.asked] == [
        {"db": "pubmed", "term": "10.1176/ajp.155.7.895[doi]", **COMMON},
        {"db": "pubmed", "id": "4,9659853", **COMMON},
    ]
    with pytest.raises(NotFound):
        await sources.ncbi.by_doi("10.1176/another", caller="a")


@pytest.mark.parametrize(
    ("value", "field"),
    [({}, "esearchresult"), ({"esearchresult": {"ERROR": "x"}}, "esearchresult.idlist")],
)
async def test_a_search_of_another_shape_is_no_empty_result(
    desk: Desk, sources: Sources, value: Any, field: str
) -> None:
    desk.world.scripts[SEARCH_PATH] = answer(value)
    assert sources.ncbi is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.ncbi.by_doi("10.1176/x", caller="a")
    assert caught.value.denial == Denial("schema_drift", "ncbi", attempted=field)


# references A104
@pytest.mark.parametrize(
    ("types", "is_retracted"),
    [
        (["Journal Article", "Retracted Publication"], True),
        (["Retraction of Publication"], False),
        (["Retraction Notice"], False),
        ([], False),
    ],
)
async def test_a_retracted_publication_is_one_and_a_notice_is_none(
    desk: Desk, sources: Sources, types: list[str], is_retracted: bool
) -> None:
    desk.world.scripts[SEARCH_PATH] = answer({"esearchresult": {"idlist": ["9659853"]}})
    desk.world.scripts[SUMMARY_PATH] = answer(summaries({"9659853": {**SUMMARY, "pubtype": types}}))
    result = {**RESULT, "pubTypeList": {"pubType": types}}
    desk.world.scripts["/europepmc/webservices/rest/search"] = answer({"resultList": {"result": [result]}})
    assert sources.ncbi and sources.europe_pmc
    for key, found in {
        "ncbi": await sources.ncbi.retraction("10.1176/ajp.155.7.895", caller="a"),
        "europe-pmc": await sources.europe_pmc.retraction("10.1234/x", caller="a"),
    }.items():
        assert found == Evidence(key, (UpdateNotice("retraction", source=key),) if is_retracted else ())


def test_europe_pmc_is_read_whole_and_only_free_pdfs_count() -> None:
    record = europe_pmc_record(RESULT)
    assert record is not None
    assert record.work == Work(
        key="doi:10.1234/x",
        doi="10.1234/x",
        pmid="29456894",
        pmcid="PMC5815332",
        title="The state",
        authors=(
            Author("Ann Other", "Other", "Ann", orcid="0000-0002-1825-0097"),
            Author("Trial Group", group=True),
            Author("Else B", "Else", "B"),
        ),
        published=PartialDate(2018, 2, 13),
        type="journal-article",
        venue="PeerJ",
        volume="6",
        issue="2",
        pages="895-897",
        issn=("2167-8359",),
        abstract="Aim Text.",
        license="cc-by",
        oa_locations=(
            OaLocation(url_for_pdf="https://free.test/a.pdf", license="cc-by"),
            OaLocation(url_for_pdf="https://europepmc.org/a.pdf", license="cc-by"),
        ),
        cited_by_count=3,
        sources=("europe-pmc",),
    )
    assert europe_pmc_record({"title": "nothing else"}) is None


async def test_a_quote_in_a_doi_ends_no_expression_and_another_doi_is_not_taken(desk: Desk, sources: Sources) -> None:
    path = "/europepmc/webservices/rest/search"
    desk.world.scripts[path] = answer({"resultList": {"result": [RESULT]}})
    assert sources.europe_pmc is not None
    assert await sources.europe_pmc.work("10.1234/X", caller="a") == europe_pmc_record(RESULT)
    with pytest.raises(NotFound):
        await sources.europe_pmc.work('10.1234/x" OR DOI:"10.1', caller="a")
    assert [asked.params["query"] for asked in desk.world.asked] == [
        'DOI:"10.1234/x"',
        'DOI:"10.1234/x\\" or doi:\\"10.1"',
    ]


@pytest.mark.parametrize(("value", "field"), [({}, "resultList"), ({"resultList": {}}, "resultList.result")])
async def test_europe_pmc_of_another_shape_names_the_field(
    desk: Desk, sources: Sources, value: Any, field: str
) -> None:
    desk.world.scripts["/europepmc/webservices/rest/search"] = answer(value)
    assert sources.europe_pmc is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.europe_pmc.work("10.1234/x", caller="a")
    assert caught.value.denial == Denial("schema_drift", "europe-pmc", attempted=field)
