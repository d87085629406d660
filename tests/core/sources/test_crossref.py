"""Crossref: works, citations and notices, and its own object as it is shown."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.errors import Denial, NotFound, SourceMalformed, SourceUnreachable
from core.records import Author, PartialDate, UpdateNotice, Work
from core.sources.answers import Evidence
from core.sources.bundle import Sources
from core.sources.crossref import crossref_record
from core.sources.fields import MissingField
from tests.core.sources.answered import CROSSREF as ARTICLE
from tests.polite_desk import Desk
from tests.scripted_upstream import answer


def envelope(message: Any, status: Any = "ok") -> dict[str, Any]:
    return {"status": status, "message": message}


# references A33, A36, A37
def test_an_article_is_read_whole() -> None:
    record = crossref_record(ARTICLE)
    assert record.work == Work(
        key="doi:10.1176/ajp.155.7.895",
        doi="10.1176/ajp.155.7.895",
        doi_registered="10.1176/AJP.155.7.895",
        title="Quality of Life & Work",
        subtitle="A Trial",
        authors=(
            Author("Ann B. Other Jr.", "Other", "Ann B. Jr.", orcid="0000-0002-1825-0097"),
            Author("The Trial Group", group=True),
            Author("Jörg Müller", "Müller", "Jörg"),
            Author("Plato"),
        ),
        published=PartialDate(1998, 7),
        type="journal-article",
        venue="American Journal of Psychiatry",
        publisher="A Press",
        volume="155",
        issue="7",
        pages="895-897",
        article_number="e12",
        issn=("0002-953X", "1535-7228"),
        isbn=("9783319539218",),
        language="en",
        abstract="P<0.001 holds.",
        url="https://doi.org/10.1176/ajp.155.7.895",
        cited_by_count=9,
        reference_count=68,
        updates=(
            UpdateNotice("retraction", "10.1176/notice", PartialDate(2006, 1, 20), "crossref"),
            UpdateNotice("erratum", "10.1176/fix", None, "crossref"),
        ),
        preprints=("1706.03762", "10.1101/2020.01.01.1"),
        sources=("crossref",),
    )
    assert (record.trimmed, record.quality) == ((), ())


# references A32
def test_its_own_object_is_verbatim_but_for_references_and_assertions() -> None:
    shown = {name: value for name, value in ARTICLE.items() if name not in ("reference", "assertion")}
    assert crossref_record(ARTICLE).metadata == shown


# references A32
def test_an_object_of_3000_authors_stays_under_32_kib_and_says_what_was_cut() -> None:
    people = [{"given": "A" * 20, "family": f"F{i}", "affiliation": [{"name": "x" * 90}]} for i in range(3_000)]
    record = crossref_record({**ARTICLE, "author": people})
    assert record.trimmed == ("author.affiliation", "author")
    assert len(orjson.dumps(record.metadata)) < 32 * 1024
    assert record.metadata["author"] == [{"given": "A" * 20, "family": f"F{i}"} for i in range(100)]
    assert record.work.author_count == 3_000


def test_affiliations_alone_are_cut_where_that_is_enough_and_what_is_largest_where_nothing_is() -> None:
    people = [{"family": f"F{i}", "affiliation": [{"name": "x" * 400}]} for i in range(150)]
    by_affiliation = crossref_record({**ARTICLE, "author": people})
    assert by_affiliation.trimmed == ("author.affiliation",)
    assert len(by_affiliation.metadata["author"]) == 150
    by_size = crossref_record({**ARTICLE, "author": [], "abstract": "a" * 40_000, "title": ["t" * 31_000]})
    assert by_size.trimmed[0] == "abstract"
    assert by_size.metadata["title"] == ["t" * 31_000]
    assert len(orjson.dumps(by_size.metadata)) <= 32 * 1024


# references A103
def test_a_record_that_updates_another_is_its_notice_and_one_that_updates_itself_is_none() -> None:
    updates = [{"DOI": "10.1126/Science.1112286", "type": "retraction"}, {"DOI": "10.1/Self", "type": "retraction"}]
    notice = crossref_record({"DOI": "10.1126/science.1124926", "update-to": updates}).work
    assert (notice.updates, notice.is_notice_for) == ((), ("10.1126/science.1112286",))
    own = crossref_record({"DOI": "10.1234/self", "update-to": [{"DOI": "10.1234/Self", "type": "retraction"}]}).work
    assert own.is_notice_for == ()


def test_a_damaged_field_is_named() -> None:
    record = crossref_record({**ARTICLE, "container-title": ["Zeitschrift f\ufffdr X"], "title": ["Ã¼ber alles"]})
    assert record.quality == ("mojibake:title", "replacement_char:venue")


def test_an_event_stands_in_for_a_venue_and_members_of_another_type_are_unknown() -> None:
    odd = {
        "DOI": "10.1234/x",
        "title": None,
        "author": "Somebody",
        "issued": {"date-parts": [["2019", 13, 40]]},
        "event": {"name": "A Conference"},
        "is-referenced-by-count": "9",
        "reference-count": 3,
        "relation": [],
    }
    assert crossref_record(odd).work == Work(
        key="doi:10.1234/x",
        doi="10.1234/x",
        doi_registered="10.1234/x",
        published=PartialDate(2019),
        venue="A Conference",
        reference_count=3,
        sources=("crossref",),
    )


def test_without_a_doi_there_is_no_record() -> None:
    with pytest.raises(MissingField):
        crossref_record({**ARTICLE, "DOI": None})


# references A21, A22
@pytest.mark.parametrize(
    ("doi", "path"),
    [
        ("10.1038/NATURE14539", "/works/10.1038%2Fnature14539"),
        ("10.1234/a/../b//c", "/works/10.1234%2Fa%2F..%2Fb%2F%2Fc"),
        (
            "10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O",
            "/works/10.1002%2F%28sici%291097-4571%28199806%2949%3A8%3C693%3A%3Aaid-asi4%3E3.0.co%3B2-o",
        ),
    ],
)
async def test_a_doi_is_one_segment(desk: Desk, sources: Sources, doi: str, path: str) -> None:
    desk.world.scripts[path] = answer(envelope(ARTICLE))
    assert sources.crossref is not None
    record = await sources.crossref.work(doi, caller="a")
    assert record.work == crossref_record(ARTICLE).work
    assert [asked.path for asked in desk.world.asked] == [path]


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (envelope(ARTICLE, "failed"), "status"),
        ({"message": ARTICLE}, "status"),
        (envelope([]), "message"),
        (envelope({}), "message.DOI"),
        ([], "status"),
    ],
)
async def test_an_answer_of_another_shape_names_the_field(desk: Desk, sources: Sources, value: Any, field: str) -> None:
    desk.world.otherwise = answer(value)
    assert sources.crossref is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.crossref.work("10.1234/x", caller="a")
    assert caught.value.denial == Denial("schema_drift", "crossref", attempted=field)


async def test_failures_are_of_the_tree(desk: Desk, sources: Sources) -> None:
    assert sources.crossref is not None
    with pytest.raises(NotFound):
        await sources.crossref.work("10.1234/absent", caller="a")
    desk.world.otherwise = answer({}, 503)
    with pytest.raises(SourceUnreachable):
        await sources.crossref.work("10.1234/down", caller="a")


async def test_a_refused_select_is_asked_once_without_it_and_then_left_out(desk: Desk, sources: Sources) -> None:
    items = envelope({"items": [{"DOI": "10.1234/Hit", "title": ["A"]}, {"title": ["no DOI"]}]})
    desk.world.scripts["/works"] = [answer({}, 400), answer(items)]
    assert sources.crossref is not None
    found = [await sources.crossref.search(query, rows=20, caller="a") for query in ("one", "two")]
    hit = Work("doi:10.1234/hit", doi="10.1234/hit", doi_registered="10.1234/Hit", title="A", sources=("crossref",))
    assert found == [(hit,), (hit,)]
    contact = {"mailto": "desk@papers.test"}
    select = "DOI,title,author,issued,container-title,type,updated-by"
    assert [asked.params for asked in desk.world.asked] == [
        {"query.bibliographic": "one", "rows": "20", "select": select, **contact},
        {"query.bibliographic": "one", "rows": "20", **contact},
        {"query.bibliographic": "two", "rows": "20", **contact},
    ]


async def test_a_query_that_is_refused_either_way_fails_and_takes_no_select_from_the_next(
    desk: Desk, sources: Sources
) -> None:
    desk.world.scripts["/works"] = answer({}, 400)
    assert sources.crossref is not None
    for query in ("one", "two"):
        with pytest.raises(SourceMalformed):
            await sources.crossref.search(query, rows=20, caller="a")
    assert ["select" in asked.params for asked in desk.world.asked] == [True, False, True, False]


async def test_a_list_without_items_is_no_empty_result(desk: Desk, sources: Sources) -> None:
    desk.world.scripts["/works"] = answer(envelope({}))
    assert sources.crossref is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.crossref.search("q", rows=20, caller="a")
    assert caught.value.denial == Denial("schema_drift", "crossref", attempted="message.items")


# references A104
async def test_notices_count_where_they_name_this_very_work(desk: Desk, sources: Sources) -> None:
    update = {"DOI": "10.1126/Science.1112286", "type": "retraction", "updated": {"date-parts": [[2006, 1, 20]]}}
    other = {"DOI": "10.1126/other", "type": "removal"}
    items = [
        {"DOI": "10.1126/Science.1124926", "update-to": [other, update]},
        {"DOI": "10.1126/x", "update-to": [other]},
    ]
    desk.world.scripts["/works"] = answer(envelope({"items": items}))
    assert sources.crossref is not None
    notice = UpdateNotice("retraction", "10.1126/science.1124926", PartialDate(2006, 1, 20), "crossref")
    assert await sources.crossref.retraction("10.1126/SCIENCE.1112286", caller="a") == Evidence("crossref", (notice,))
    assert desk.world.asked[0].params == {
        "filter": "updates:10.1126/science.1112286",
        "rows": "5",
        "select": "DOI,update-to",
        "mailto": "desk@papers.test",
    }


# references A105
async def test_a_doi_with_a_comma_never_reaches_the_filter(desk: Desk, sources: Sources) -> None:
    assert sources.crossref is not None
    assert await sources.crossref.retraction("10.1234/a,b", caller="a") is None
    assert desk.world.asked == []


@pytest.mark.shared_data
def test_recorded_works_are_read(shared_data: Path) -> None:
    # references A32, A36
    works = {}
    for number in range(1, 8):
        message = orjson.loads((shared_data / "api" / f"crossref_work_{number}.json").read_bytes())["message"]
        record = crossref_record(message)
        shown = {name: value for name, value in message.items() if name not in ("reference", "assertion")}
        assert record.trimmed or record.metadata == shown
        assert len(orjson.dumps(record.metadata)) <= 32 * 1024
        works[number] = record.work
    first = works[1]
    assert (first.doi, first.year, first.pages, first.volume, first.cited_by_count) == (
        "10.1021/acs.orglett.9b00971", 2019, "2918-2922", "21", 9,
    )  # fmt: skip
    assert first.authors[-1] == Author("Edward A. Anderson", "Anderson", "Edward A.", orcid="0000-0002-4149-0494")
    assert works[6].isbn == ("9783319539218", "9783319539232")
    assert [work.type for work in works.values()][5:] == ["book", "book"]
    assert all(work.title and work.published for work in works.values())
