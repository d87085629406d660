"""One record from several sources, and fields restored from another one."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.records import Author, OaLocation, PartialDate, UpdateNotice, Work
from core.works.merging import merge, merge_all
from core.works.repair import repair

DOI = "10.1038/nature14539"
KEY = f"doi:{DOI}"
# Best heard first, as the contract lists them.
ORDER = ("crossref", "datacite", "europe-pmc", "openalex", "semantic_scholar", "doaj", "ncbi", "unpaywall")


def of(source: str, **values: Any) -> Work:
    return Work(**{"key": KEY, "doi": DOI, "sources": (source,), **values})


@pytest.mark.parametrize("best", range(len(ORDER)))
def test_each_field_comes_from_the_best_source_that_has_it(best: int) -> None:
    heard = [of(source, title=source, venue=source if place > best else None) for place, source in enumerate(ORDER)]
    found = merge(heard[best:][::-1])
    assert (found.title, found.venue) == (ORDER[best], ORDER[best + 1] if best + 1 < len(ORDER) else None)
    assert found.sources == ORDER[best:][::-1]


@pytest.mark.parametrize(
    ("field", "order"),
    [
        ("abstract", ("crossref", "arxiv", "europe-pmc", "openalex", "semantic_scholar")),
        ("oa_status", ("unpaywall", "doaj", "europe-pmc", "openalex")),
        ("license", ("unpaywall", "doaj", "europe-pmc", "openalex", "datacite")),
        ("publisher", ("store", "catalog", "crossref", "openalex", "unpaywall", "arxiv", "unheard-of")),
    ],
)
def test_abstracts_and_open_access_have_orders_of_their_own(field: str, order: tuple[str, ...]) -> None:
    for place in range(len(order)):
        heard = [of(source, **{field: source}) for source in order[place:]]
        assert getattr(merge(heard[::-1]), field) == order[place]


def test_open_access_locations_are_those_of_one_source() -> None:
    ours, theirs = OaLocation("https://a.example.org"), OaLocation("https://b.example.org")
    heard = [of("openalex", oa_locations=(theirs,)), of("unpaywall", oa_status="green", oa_locations=(ours,))]
    assert merge(heard).oa_locations == (ours,)


def test_values_that_belong_together_stay_together() -> None:
    many = tuple(Author(name) for name in ("A B", "C D"))
    heard = [
        of("crossref", year=2015, doi_registered=None),
        of("openalex", published=PartialDate(2016, 3), authors=many, author_count=3000),
        of("ncbi", authors=many[:1], arxiv_id="1706.03762", arxiv_version="v7", doi_registered="10.1038/NATURE14539"),
    ]
    found = merge(heard)
    assert (found.published, found.year) == (PartialDate(2016, 3), 2016)
    assert (found.authors, found.author_count) == (many, 3000)
    assert (found.arxiv_id, found.arxiv_version) == ("1706.03762", "v7")
    assert (found.doi, found.doi_registered) == (DOI, "10.1038/NATURE14539")
    assert merge([of("crossref", year=2015), of("openalex", title="x")]).year == 2015


def test_notices_and_relations_are_united_and_the_newest_time_counts() -> None:
    retraction, correction = UpdateNotice("retraction", "10.1000/1"), UpdateNotice("correction")
    found = merge(
        [
            of("crossref", updates=(correction,), preprints=("a",), fetched_at="2026-01-02T00:00:00Z"),
            of("ncbi", updates=(retraction, correction), preprints=("b", "a"), fetched_at="2026-01-01T00:00:00Z"),
            of("doaj"),
        ]
    )
    assert (found.updates, found.preprints) == ((correction, retraction), ("a", "b"))
    assert found.fetched_at == "2026-01-02T00:00:00Z"


def test_arxiv_comes_first_for_a_record_kept_under_its_id() -> None:
    preprint = Work("arxiv:1706.03762", arxiv_id="1706.03762", title="from arXiv", sources=("arxiv",))
    other = of("openalex", title="from OpenAlex", venue="NeurIPS", arxiv_id="1706.03762")
    found = merge([preprint, other])
    assert (found.key, found.title, found.venue) == ("arxiv:1706.03762", "from arXiv", "NeurIPS")
    # The published DOI is a cross-reference: it is not the record's own.
    assert (found.doi, found.preprint_of) == (None, DOI)
    asked_by_doi = merge([other, preprint])
    assert (asked_by_doi.key, asked_by_doi.title, asked_by_doi.doi) == (KEY, "from OpenAlex", DOI)


def test_a_doi_of_arxiv_and_one_that_the_record_has_itself_stay() -> None:
    preprint = Work("arxiv:1706.03762", arxiv_id="1706.03762", sources=("arxiv",))
    registered = Work(
        "arxiv:1706.03762", doi="10.48550/arxiv.1706.03762", doi_registered="10.48550/arXiv.1706.03762",
        sources=("datacite",),
    )  # fmt: skip
    found = merge([preprint, registered])
    assert (found.doi, found.doi_registered) == ("10.48550/arxiv.1706.03762", "10.48550/arXiv.1706.03762")
    held = replace(preprint, doi=DOI, sources=("catalog",))
    assert merge([held, preprint]).doi == DOI


def test_a_doi_or_arxiv_id_is_the_key_before_any_other() -> None:
    by_pmid = Work("pmid:9659853", pmid="9659853", sources=("ncbi",))
    by_openalex = Work("openalex:W2741809807", openalex_id="W2741809807", pmid="9659853", sources=("openalex",))
    by_doi = of("crossref", pmid="9659853")
    assert merge([by_openalex, by_pmid]).key == "pmid:9659853"
    assert merge([by_pmid, by_openalex, by_doi]).key == KEY


def test_records_are_merged_on_shared_ids_and_never_on_a_title() -> None:
    doi = of("crossref", title="One title")
    pmid = Work("pmid:9659853", pmid="9659853", title="One title", sources=("ncbi",))
    apart = Work("openalex:W2741809807", openalex_id="W2741809807", title="One title", sources=("openalex",))
    assert merge_all([doi, pmid, apart]) == (doi, pmid, apart)
    # A third record shows that the first two are one work.
    bridge = of("europe-pmc", pmid="9659853")
    found = merge_all([pmid, apart, doi, bridge])
    assert [(one.key, one.sources) for one in found] == [
        (KEY, ("ncbi", "crossref", "europe-pmc")),
        ("openalex:W2741809807", ("openalex",)),
    ]


def test_an_arxiv_doi_and_its_arxiv_id_are_one_work() -> None:
    preprint = Work("arxiv:1706.03762", arxiv_id="1706.03762", sources=("arxiv",))
    registered = Work("arxiv:1706.03762", doi="10.48550/arxiv.1706.03762", sources=("datacite",))
    assert len(merge_all([preprint, registered])) == 1


def test_ids_that_only_one_source_knows_merge_nothing() -> None:
    one = of("openalex", openalex_id="W2741809807")
    other = Work("doi:10.1000/1", doi="10.1000/1", openalex_id="W2741809807", sources=("openalex",))
    assert merge_all([one, other]) == (one, other)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("123")), max_size=8))
def test_every_record_lands_in_exactly_one_group(pairs: list[tuple[str, str]]) -> None:
    works = [
        Work(f"doi:10.1000/{doi}", doi=f"10.1000/{doi}", pmid=pmid, sources=(f"s{place}",))
        for place, (doi, pmid) in enumerate(pairs)
    ]
    merged = merge_all(works)
    assert sorted(source for work in merged for source in work.sources) == sorted(f"s{n}" for n in range(len(pairs)))
    assert merge_all(merged) == merged


def test_one_record_is_what_it_was() -> None:
    only = of("crossref", title="x", year=2015)
    assert merge([only]) is only


def test_damaged_fields_are_taken_whole_from_another_source() -> None:
    # references A37
    damaged = of(
        "crossref", title="\ufffdber alles", venue="Caf\ufffd", abstract="lost \ufffd",
        authors=(Author("J\ufffdrg M\ufffdller", "M\ufffdller", "J\ufffdrg"), Author("A B", "B", "A")),
    )  # fmt: skip
    openalex = of(
        "openalex",
        title="Über alles",
        venue="Kaffee",
        authors=(Author("Jörg Müller", "Müller", "Jörg"), Author("Ann B")),
    )
    ncbi = of("ncbi", title="Über alles", venue="Café", authors=(Author("Müller J"),))
    found, better = repair(damaged, [Work(KEY, title="Über alles"), openalex, ncbi])
    assert (found.title, found.venue, found.abstract) == ("Über alles", "Café", "lost \ufffd")
    assert found.authors == (Author("Jörg Müller", "Müller", "Jörg"), Author("A B", "B", "A"))
    assert better == {"title": "openalex", "authors": "openalex", "venue": "ncbi"}


def test_a_whole_record_needs_no_repair() -> None:
    whole = of("crossref", title="x")
    assert repair(whole, [of("openalex", title="y")]) == (whole, {})
