"""One positive is a retraction, no answer is no negative, and a notice of something else is only listed."""

import pytest

from core.records import PartialDate, UpdateNotice
from core.references.retraction import Retraction, Unchecked, catalog_evidence, combine
from core.sources.answers import Evidence
from core.sources.crossref import crossref_record
from core.sources.datacite import datacite_record
from core.sources.doaj import doaj_record
from core.sources.europe_pmc import europe_pmc_record
from core.sources.ncbi import ncbi_record
from core.sources.openalex_records import openalex_record
from core.sources.semantic_scholar import semantic_scholar_record
from core.sources.unpaywall import unpaywall_answer
from core.works.retraction import title_mark
from tests.core.sources import answered

CLEAN = {source: Evidence(source) for source in ("crossref", "openalex", "ncbi", "europe-pmc", "arxiv")}


def marked(source: str, type: str = "retraction") -> Evidence:
    return Evidence(source, (UpdateNotice(type, source=source),))


# references A103
def test_a_retracted_work_is_told_from_its_notice() -> None:
    retraction = {"DOI": "10.1126/science.1124926", "type": "retraction", "updated": {"date-parts": [[2006, 1, 20]]}}
    paper = crossref_record({"DOI": "10.1126/science.1112286", "updated-by": [retraction]})
    notice = crossref_record(
        {"DOI": "10.1126/science.1124926", "update-to": [{"DOI": "10.1126/science.1112286", "type": "retraction"}]}
    )
    told = UpdateNotice("retraction", "10.1126/science.1124926", PartialDate(2006, 1, 20), "crossref")
    said = [paper.evidence, notice.evidence]
    assert said == [Evidence("crossref", (told,)), Evidence("crossref")]
    assert [combine([each]) for each in said] == [
        Retraction("retracted", "retraction", PartialDate(2006, 1, 20), (told,), ("crossref",)),
        Retraction("no_marker_found", checked=("crossref",)),
    ]
    assert notice.work.is_notice_for == ("10.1126/science.1112286",)


# references A104
@pytest.mark.parametrize("source", ["crossref", "openalex", "ncbi", "europe-pmc"])
def test_a_negative_of_one_source_cancels_no_positive_of_another(source: str) -> None:
    told = marked(source)
    heard = [*CLEAN.values(), told]
    assert combine(heard) == Retraction("retracted", "retraction", None, told.notices, tuple(CLEAN))
    assert combine(reversed(heard)).status == "retracted"


# references A104
@pytest.mark.parametrize(
    "type", ["correction", "erratum", "expression_of_concern", "partial_retraction", "new_version"]
)
def test_what_retracts_nothing_is_a_notice_only(type: str) -> None:
    told = marked("crossref", type)
    assert combine([told]) == Retraction("no_marker_found", None, None, told.notices, ("crossref",))


@pytest.mark.parametrize("type", ["retraction", "withdrawal", "removal"])
def test_each_type_that_retracts_is_the_kind(type: str) -> None:
    assert combine([marked("crossref", "erratum"), marked("arxiv", type)]).kind == type


# references A105
def test_all_sources_failing_is_unknown_whatever_the_title_lacks() -> None:
    left = [Unchecked("crossref", "It did not answer."), Unchecked("openalex", "It is switched off.")]
    assert combine([], titles=["A plain title"], unchecked=left) == Retraction("unknown", unchecked=tuple(left))


# references A105
def test_a_doi_that_the_filter_cannot_carry_is_listed_and_the_rest_still_counts() -> None:
    left = Unchecked("crossref", "Its notices cannot be searched by a DOI with a comma.")
    found = combine([CLEAN["openalex"]], unchecked=[left, left])
    assert found == Retraction("no_marker_found", checked=("openalex",), unchecked=(left,))


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("RETRACTED: A study", "retraction"),
        ("Retracted Article: A study", "retraction"),
        ("retracted article – a study", "retraction"),
        ("Retracted - A study", "retraction"),
        ("[WITHDRAWN: A study]", "withdrawal"),
        ("WITHDRAWN—A study", "withdrawal"),
        ("Retracted papers: a study of their citations", None),
        ("Withdrawn-drug registries in Europe", None),
        ("The retracted article: a history", None),
        ("Retracted", None),
        ("Retraction: A study", None),
    ],
)
def test_a_publishers_mark_is_told_from_a_title_that_speaks_of_retraction(title: str, kind: str | None) -> None:
    expected = UpdateNotice(kind, source="title") if kind else None
    assert title_mark(title) == expected
    assert combine([], titles=[None, title]).status == ("retracted" if kind else "unknown")


def test_one_notice_told_twice_is_listed_once_with_its_date() -> None:
    dated = UpdateNotice("retraction", "10.1234/n", PartialDate(2006), "crossref")
    bare = UpdateNotice("retraction", "10.1234/n", None, "crossref")
    for order in ([bare, dated], [dated, bare]):
        found = combine([Evidence("crossref", (notice,)) for notice in order])
        assert (found.notices, found.date, found.checked) == ((dated,), PartialDate(2006), ("crossref",))


def test_the_object_shows_kind_and_date_where_they_are_known() -> None:
    dated = Evidence("crossref", (UpdateNotice("retraction", "10.1234/n", PartialDate(2006, 1), "crossref"),))
    assert combine([dated], titles=["RETRACTED: X"], unchecked=[Unchecked("ncbi", "It timed out.")]).shown() == {
        "status": "retracted",
        "kind": "retraction",
        "date": "2006-01",
        "notices": [
            {"type": "retraction", "doi": "10.1234/n", "date": "2006-01", "source": "crossref"},
            {"type": "retraction", "doi": None, "date": None, "source": "title"},
        ],
        "checked": ["crossref"],
        "unchecked": [{"source": "ncbi", "why": "It timed out."}],
    }
    assert combine([]).shown() == {"status": "unknown", "notices": [], "checked": [], "unchecked": []}


@pytest.mark.parametrize(("flag", "status"), [(True, "retracted"), (False, "no_marker_found"), (None, "unknown")])
def test_the_catalogs_flag_counts_where_its_record_carries_it(flag: bool | None, status: str) -> None:
    found = combine([catalog_evidence(flag)])
    assert (found.status, found.checked) == (status, () if flag is None else ("catalog",))


# references A105
def test_records_that_are_silent_on_retraction_are_not_checked() -> None:
    records = [
        datacite_record(answered.DATACITE),
        semantic_scholar_record(answered.SEMANTIC_SCHOLAR),
        doaj_record(answered.DOAJ),
        unpaywall_answer(answered.UNPAYWALL).record,
        openalex_record({"id": "W5"}),
        ncbi_record("3531190", {"title": "In PMC"}, database="pmc"),
        europe_pmc_record({"pmid": "1"}),
    ]
    assert combine([record.evidence for record in records if record]) == Retraction("unknown")
