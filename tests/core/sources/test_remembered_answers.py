"""How long the answers of readers are kept, and that an old one says so."""

from typing import Any

import pytest

from core.errors import Denial, SourceMalformed
from core.identifiers import parse
from core.sources.bundle import Sources
from tests.core.sources import answered
from tests.polite_desk import Desk
from tests.scripted_upstream import answer

DAY_S = 86_400
ESEARCH, ESUMMARY = "/entrez/eutils/esearch.fcgi", "/entrez/eutils/esummary.fcgi"
EUROPE_PMC = "/europepmc/webservices/rest/search"


# references A22, A77
async def test_two_spellings_of_a_doi_share_one_answer_for_seven_days(desk: Desk, sources: Sources) -> None:
    desk.world.otherwise = answer({"status": "ok", "message": answered.CROSSREF})
    assert sources.crossref is not None
    for doi in ("10.1176/AJP.155.7.895", "10.1176/ajp.155.7.895"):
        await sources.crossref.work(doi, caller="a")
    desk.time.clock.advance(7 * DAY_S - 60)
    await sources.crossref.work("10.1176/ajp.155.7.895", caller="b")
    assert len(desk.world.asked) == 1
    desk.time.clock.advance(120)
    assert not (await sources.crossref.work("10.1176/ajp.155.7.895", caller="b")).stale
    assert len(desk.world.asked) == 2


# references A68
async def test_an_old_answer_that_stands_in_says_so(desk: Desk, sources: Sources) -> None:
    desk.world.otherwise = answer(answered.OPENALEX)
    assert sources.openalex is not None
    work = parse("10.7717/peerj.4375", titles=False, bare_digits="refuse")
    fresh = await sources.openalex.work(work, caller="a")
    desk.time.clock.advance(8 * DAY_S)
    desk.world.otherwise = answer({}, 429, {"x-ratelimit-remaining": "0"})
    old = await sources.openalex.work(work, caller="a")
    assert (fresh.stale, old.stale, old.work) == (False, True, fresh.work)


async def test_what_is_said_of_a_retraction_is_kept_for_a_day(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works"] = answer({"status": "ok", "message": {"items": []}})
    desk.world.scripts["/works/doi:10.1234%2Fx"] = answer(answered.OPENALEX)
    desk.world.scripts[ESEARCH] = answer({"esearchresult": {"idlist": ["9659853"]}})
    summary = {**answered.NCBI, "articleids": [{"idtype": "doi", "value": "10.1234/x"}]}
    desk.world.scripts[ESUMMARY] = answer({"result": {"9659853": summary}})
    desk.world.scripts[EUROPE_PMC] = answer({"resultList": {"result": [answered.EUROPE_PMC]}})
    assert sources.crossref and sources.openalex and sources.ncbi and sources.europe_pmc
    for requests in (5, 5, 10):
        await sources.crossref.retraction("10.1234/x", caller="a")
        await sources.openalex.retraction(parse("10.1234/x", titles=False, bare_digits="refuse"), caller="a")
        await sources.ncbi.retraction("10.1234/x", caller="a")
        await sources.europe_pmc.retraction("10.1234/x", caller="a")
        assert len(desk.world.asked) == requests
        desk.time.clock.advance(DAY_S * 0.75)


# references A105
@pytest.mark.parametrize(
    ("key", "field"), [("ncbi", "result.pubtype"), ("europe_pmc", "resultList.result.pubTypeList")]
)
async def test_a_record_without_its_kinds_is_no_negative(desk: Desk, sources: Sources, key: str, field: str) -> None:
    def without(row: dict[str, Any], name: str) -> dict[str, Any]:
        return {member: value for member, value in row.items() if member != name}

    desk.world.scripts[ESEARCH] = answer({"esearchresult": {"idlist": ["9659853"]}})
    desk.world.scripts[ESUMMARY] = answer({"result": {"9659853": without(answered.NCBI, "pubtype")}})
    result = {**without(answered.EUROPE_PMC, "pubTypeList"), "doi": "10.1176/ajp.155.7.895"}
    desk.world.scripts[EUROPE_PMC] = answer({"resultList": {"result": [result]}})
    with pytest.raises(SourceMalformed) as caught:
        await getattr(sources, key).retraction("10.1176/ajp.155.7.895", caller="a")
    assert caught.value.denial == Denial("schema_drift", key.replace("_", "-"), attempted=field)
