"""arXiv: many ids in one request, batches that are refused, searches, and texts as bytes."""

from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from defusedxml.ElementTree import fromstring

from core.errors import Denial, NoFullText, NotFound, SourceMalformed, SourceRateLimited
from core.identifiers import Identifier, parse
from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work
from core.sources.answers import Document, Record
from core.sources.arxiv_feed import arxiv_record, entries
from core.sources.bundle import Sources
from tests.polite_desk import Desk
from tests.scripted_upstream import Behaviour, answer
from tests.source_world import Asked

PATH = "/api/query"
ATOM = 'xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom"'


def entry(id: str, *, title: str = "A Paper", summary: str = "Text.", more: str = "") -> str:
    return (
        f"<entry><id>http://arxiv.org/abs/{id}</id><title>{escape(title)}</title><summary>{escape(summary)}</summary>"
        f"<published>2017-06-12T17:57:34Z</published><updated>2023-08-02T00:41:18Z</updated>"
        f"<author><name>Ashish Vaswani</name></author><author><name>Noam Shazeer</name></author>"
        f'<category term="cs.LG"/><arxiv:primary_category term="cs.CL"/>{more}</entry>'
    )


def error(id: str = "1234") -> str:
    return f"<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_{id}</id><title>Error</title></entry>"


def feed(*inner: str) -> bytes:
    return f"<?xml version='1.0'?><feed {ATOM}><title>arXiv Query</title>{''.join(inner)}</feed>".encode()


def identifier(text: str) -> Identifier:
    return parse(text, titles=False, bare_digits="refuse")


def read(*args: str, **more: str) -> Record:
    return arxiv_record(entries(fromstring(feed(entry(*args, **more))))[0])


# references A34
def test_an_entry_keeps_the_identity_of_its_paper_whatever_its_published_doi() -> None:
    own = (
        "<arxiv:doi>10.1234/Published</arxiv:doi><arxiv:journal_ref>NIPS  2017</arxiv:journal_ref>"
        "<arxiv:comment>15 pages</arxiv:comment>"
    )
    record = read("1706.03762v7", title="Attention\n  Is All", summary=" All of it. ", more=own)
    assert record.work == Work(
        key="arxiv:1706.03762",
        arxiv_id="1706.03762",
        arxiv_version="v7",
        arxiv_categories=("cs.CL", "cs.LG"),
        title="Attention Is All",
        authors=(Author("Ashish Vaswani", "Vaswani", "Ashish"), Author("Noam Shazeer", "Shazeer", "Noam")),
        published=PartialDate(2017, 6, 12),
        type="posted-content",
        venue="NIPS 2017",
        abstract="All of it.",
        url="https://arxiv.org/abs/1706.03762",
        license="arxiv-default",
        oa_status="green",
        oa_locations=(
            OaLocation(
                "https://arxiv.org/abs/1706.03762v7",
                "https://arxiv.org/pdf/1706.03762v7",
                "repository",
                "submittedVersion",
                "arxiv-default",
            ),
        ),
        preprint_of="10.1234/published",
        sources=("arxiv",),
    )
    assert record.metadata == {
        "title": "Attention Is All",
        "abstract": "All of it.",
        "authors": ["Ashish Vaswani", "Noam Shazeer"],
        "published": "2017-06-12T17:57:34Z",
        "updated": "2023-08-02T00:41:18Z",
        "doi": "10.1234/Published",
        "journal_ref": "NIPS 2017",
        "comment": "15 pages",
        "categories": ["cs.CL", "cs.LG"],
    }


# references A54
def test_an_old_id_comes_out_whole_and_what_is_unknown_is_not_shown() -> None:
    record = read("cond-mat/9501001v1")
    assert (record.work.key, record.work.arxiv_id, record.work.arxiv_version) == (
        "arxiv:cond-mat/9501001", "cond-mat/9501001", "v1",
    )  # fmt: skip
    assert set(record.metadata) == {"title", "abstract", "authors", "published", "updated", "categories"}


# references A103
@pytest.mark.parametrize(
    ("comment", "summary", "is_withdrawn"),
    [
        ("This paper has been withdrawn by the author due to an error", "Text.", True),
        ("Withdrawn", "Text.", True),
        ("15 pages", "This paper has been withdrawn.", True),
        ("15 pages", "This article was\n withdrawn because of an error in Lemma 2.", True),
        ("withdrawn from ICLR 2020", "Text.", False),
        ("This paper was withdrawn from ICLR", "Text.", False),
        ("15 pages", "We study drugs that have been withdrawn from the market.", False),
        ("15 pages", "Withdrawn cash predicts spending.", False),
    ],
)
def test_a_withdrawal_is_what_the_paper_says_of_itself(comment: str, summary: str, is_withdrawn: bool) -> None:
    work = read("1706.03762v1", summary=summary, more=f"<arxiv:comment>{comment}</arxiv:comment>").work
    assert work.updates == ((UpdateNotice("withdrawal", source="arxiv"),) if is_withdrawn else ())


# references A34
async def test_30_ids_are_one_request_and_matched_in_whatever_order_they_come(desk: Desk, sources: Sources) -> None:
    ids = [identifier(f"2401.{number:05d}") for number in range(1, 31)]
    desk.world.scripts[PATH] = answer(feed(*(entry(f"{each.value}v1") for each in reversed(ids[1:]))))
    assert sources.arxiv is not None
    found = await sources.arxiv.records(ids, caller="a")
    assert [each.work.arxiv_id if isinstance(each, Record) else each.message for each in found.values()] == [
        "arXiv has no paper 2401.00001; check the id.",
        *(each.value for each in ids[1:]),
    ]
    assert [asked.params for asked in desk.world.asked] == [
        {"id_list": ",".join(each.value for each in ids), "start": "0", "max_results": "30"}
    ]


async def test_101_ids_are_two_requests_and_the_spellings_of_one_are_asked_once(desk: Desk, sources: Sources) -> None:
    ids = [identifier(f"2401.{number:05d}") for number in range(1, 102)]
    desk.world.scripts[PATH] = lambda asked: answer(feed(*(entry(id + "v1") for id in _ids(asked))))
    assert sources.arxiv is not None
    spellings = [identifier("math.GT/0309136"), identifier("math/0309136")]
    found = await sources.arxiv.records([*ids, *spellings], caller="a")
    assert all(isinstance(each, Record) for each in found.values())
    assert [len(_ids(asked)) for asked in desk.world.asked] == [100, 2]
    assert found[spellings[0]] is found[spellings[1]]


def _ids(asked: Asked) -> list[str]:
    return asked.params["id_list"].split(",")


# references A19, A34
@pytest.mark.parametrize("body", [feed(), feed(error())])
async def test_an_empty_feed_and_an_error_are_not_found(desk: Desk, sources: Sources, body: bytes) -> None:
    desk.world.scripts[PATH] = answer(body)
    assert sources.arxiv is not None
    with pytest.raises(NotFound, match=r"^arXiv has no paper 2401\.00001; check the id\.$"):
        await sources.arxiv.record(identifier("2401.00001"), caller="a")


# references A19
async def test_what_cannot_exist_is_never_sent(desk: Desk, sources: Sources) -> None:
    assert sources.arxiv is not None
    for text in ("9999.99999", "2413.99999", "1412.12345"):
        with pytest.raises(NotFound):
            await sources.arxiv.record(identifier(text), caller="a")
    assert desk.world.asked == []


# references A19
async def test_an_unknown_version_is_named_and_another_version_is_not_taken_for_it(
    desk: Desk, sources: Sources
) -> None:
    desk.world.scripts[PATH] = answer(feed(entry("2307.09288v2")))
    assert sources.arxiv is not None
    with pytest.raises(NotFound, match=r"version v999 of 2307\.09288"):
        await sources.arxiv.record(identifier("2307.09288v999"), caller="a")


async def test_of_two_versions_an_id_without_one_gets_the_newer(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[PATH] = answer(feed(entry("2307.09288v10"), entry("2307.09288v2")))
    assert sources.arxiv is not None
    plain, old = identifier("2307.09288"), identifier("2307.09288v2")
    found = await sources.arxiv.records([plain, old], caller="a")
    versions = [each.work.arxiv_version for each in found.values() if isinstance(each, Record)]
    assert versions == ["v10", "v2"]


# references A34
@pytest.mark.parametrize("refusal", [answer(feed(error()), 400), answer(b"Bad Request", 400), answer(feed(error()))])
async def test_a_batch_refused_as_a_whole_is_halved_and_its_good_ids_succeed(
    desk: Desk, sources: Sources, refusal: Behaviour
) -> None:
    ids = [identifier(f"2401.0000{number}") for number in range(1, 5)]

    def script(asked: Asked) -> Behaviour:
        return answer(feed(*(entry(id + "v1") for id in _ids(asked)))) if "2401.00003" not in _ids(asked) else refusal

    desk.world.scripts[PATH] = script
    assert sources.arxiv is not None
    found = await sources.arxiv.records(ids, caller="a")
    assert [isinstance(each, Record) for each in found.values()] == [True, True, False, True]
    assert [len(_ids(asked)) for asked in desk.world.asked] == [4, 2, 2, 1, 1]


async def test_halving_ends_after_four_more_requests(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[PATH] = answer(feed(error()), 400)
    assert sources.arxiv is not None
    ids = [identifier(f"2401.{number:05d}") for number in range(1, 31)]
    found = await sources.arxiv.records(ids, caller="a")
    assert {type(each) for each in found.values()} == {SourceMalformed}
    assert len(desk.world.asked) == 5


# references A68
async def test_throttling_is_each_ids_failure_and_is_tried_once(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[PATH] = answer(b"Rate exceeded.")
    assert sources.arxiv is not None
    found = await sources.arxiv.records([identifier("2401.00001"), identifier("2401.00002")], caller="a")
    assert [type(each) for each in found.values()] == [SourceRateLimited, SourceRateLimited]
    assert len(desk.world.asked) == 1


async def test_another_document_is_no_empty_feed(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[PATH] = answer(b"<rss/>")
    assert sources.arxiv is not None
    with pytest.raises(SourceMalformed) as caught:
        await sources.arxiv.record(identifier("2401.00001"), caller="a")
    assert caught.value.denial == Denial("schema_drift", "arxiv", attempted="feed")


async def test_a_document_with_entities_of_its_own_is_not_read(desk: Desk, sources: Sources) -> None:
    bomb = b'<!DOCTYPE feed [<!ENTITY a "aaaa">]>' + feed(entry("2401.00001v1", title="&a;"))
    desk.world.scripts[PATH] = answer(bomb)
    assert sources.arxiv is not None
    with pytest.raises(SourceMalformed):
        await sources.arxiv.record(identifier("2401.00001"), caller="a")


# references A45
async def test_a_search_has_no_marks_that_mean_something(desk: Desk, sources: Sources) -> None:
    desk.world.scripts[PATH] = answer(feed(entry("1706.03762v7")))
    assert sources.arxiv is not None
    found = await sources.arxiv.search('Attention: "Is" (All) AND', "O'Neil", caller="a")
    assert [each.work.arxiv_id for each in found] == ["1706.03762"]
    assert desk.world.asked[0].params == {
        "search_query": 'ti:"Attention Is All AND" AND au:"O Neil"',
        "max_results": "5",
    }


async def test_texts_are_bytes_under_the_id_as_arxiv_writes_it(desk: Desk, sources: Sources) -> None:
    page, archive = b"<html>paper</html>", b"\x1f\x8b archive"
    scripts = desk.world.scripts
    scripts["arxiv.org/html/cond-mat/9501001v2"] = answer(page)
    scripts["ar5iv.labs.arxiv.org/html/cond-mat/9501001"] = answer(page)
    scripts["export.arxiv.org/src/cond-mat/9501001v2"] = answer(archive)
    assert sources.arxiv_html and sources.ar5iv and sources.arxiv_src
    id = identifier("cond-mat/9501001v2")
    assert await sources.arxiv_html.page(id, caller="a") == Document(
        "arxiv-html", page, "https://arxiv.org/html/cond-mat/9501001v2"
    )
    assert await sources.ar5iv.page(id, caller="a") == Document(
        "ar5iv", page, "https://ar5iv.labs.arxiv.org/html/cond-mat/9501001"
    )
    assert await sources.arxiv_src.archive(id, caller="a") == Document(
        "arxiv-src", archive, "https://export.arxiv.org/src/cond-mat/9501001v2"
    )


# references A97
async def test_ar5iv_leading_elsewhere_has_no_text_and_a_missing_page_is_not_found(
    desk: Desk, sources: Sources
) -> None:
    leads_away = answer(b"", 302, {"location": "https://arxiv.org/abs/2401.00001"})
    desk.world.scripts["ar5iv.labs.arxiv.org/html/2401.00001"] = leads_away
    assert sources.arxiv_html and sources.ar5iv and sources.arxiv_src
    with pytest.raises(NoFullText):
        await sources.ar5iv.page(identifier("2401.00001"), caller="a")
    with pytest.raises(NotFound):
        await sources.arxiv_html.page(identifier("2401.00001"), caller="a")
    with pytest.raises(NotFound):
        await sources.arxiv_src.archive(identifier("2401.00001"), caller="a")


@pytest.mark.shared_data
def test_a_recorded_feed_is_read(shared_data: Path) -> None:
    # references A34
    recorded = (shared_data / "api" / "arxiv-search.atom.xml").read_bytes()
    records = [arxiv_record(each) for each in entries(fromstring(recorded))]
    assert len(records) == 10
    first = records[0].work
    assert (first.arxiv_id, first.arxiv_version, first.arxiv_categories, str(first.published)) == (
        "2606.20235", "v1", ("cs.IR", "cs.AI"), "2026-06-18",
    )  # fmt: skip
    assert [author.family for author in first.authors] == ["Pan", "Cheng", "Wang", "Zhou", "Ouyang", "Liu", "Chen"]
    assert all(record.work.abstract and record.quality == () for record in records)
