"""`search_papers` through the registry: arguments, modes, pins, filters, pages and texts."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.catalog.embedded.search import RRF_K
from core.catalog.embedded.store import EmbeddedCatalog
from tests.catalog_desk import BagOfWords, CountingBackend, Desk, FailingEmbedder, OtherEmbedder, ids
from tests.catalog_meaning import OFFICIAL_ID, UNDATED_TITLE
from tests.odd_papers import (
    AS_OF,
    DASH_TITLE,
    DOI_TEXT_DOI,
    LONG_TEXT_ID,
    NO_TEXT_ID,
    OLD_STYLE_ID,
    SHARED_SHORT_NAME,
    SICI_DOI,
    TOPICS,
    TWIN_IDS,
    TWIN_TITLE,
    UNIQUE_SHORT_NAME,
)

NO_VECTORS = "Words alone were searched, not meaning. This catalog holds no vectors."
PROPERTY = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)


async def test_an_unknown_argument_is_refused_with_the_known_ones(counted: Desk, counting: CountingBackend) -> None:
    said = await counted.failure("search_papers", query="tide", max_results=5)  # catalog A3
    assert said == {
        "code": "invalid_argument",
        "retryable": False,
        "suggestions": [{"id": "limit", "name": "limit"}],
        "message": "search_papers has no argument 'max_results'. It takes query, mode, page, limit, published_after, "
        "published_before, has_official_implementation. Near: limit.",
    }
    assert not counting.calls


async def test_unknown_arguments_are_refused_together(counted: Desk) -> None:  # catalog A3
    said = await counted.failure("search_papers", query="tide", max_results=5, limt=5, since="2024-01-01", xyzzy=1)
    assert said["suggestions"] == [
        {"id": "limit", "name": "limit", "note": "for max_results, limt"},
        {"id": "published_after", "name": "published_after", "note": "for since"},
    ]
    assert said["message"] == (
        "search_papers has no arguments 'max_results', 'limt', 'since', 'xyzzy'. It takes query, mode, page, limit,"
        " published_after, published_before, has_official_implementation. Near: limit (for max_results, limt),"
        " published_after (for since)."
    )


async def test_integer_text_is_a_number(odd: Desk) -> None:  # catalog A4
    as_text = await odd.result("search_papers", query="tide", limit="10")
    assert as_text == await odd.result("search_papers", query="tide", limit=10)
    assert as_text == await odd.result("search_papers", query="tide", limit=10.0)
    assert len(as_text["items"]) == 10


@pytest.mark.parametrize("limit", ["1e4", "0x10", True, 0, 26, 1.5, "", [3], None])
async def test_a_limit_outside_its_type_or_bounds_is_refused(
    counted: Desk, counting: CountingBackend, limit: Any
) -> None:  # catalog A4
    if limit in ("", None):
        assert len((await counted.result("search_papers", query="tide", limit=limit))["items"]) == 10
        return
    said = await counted.failure("search_papers", query="tide", limit=limit)
    assert (said["code"], said["message"]) == ("invalid_argument", "limit must be a whole number from 1 to 25.")
    assert not counting.calls


@pytest.mark.parametrize("absent", ["", None, "  "])
async def test_an_empty_date_is_absent(odd: Desk, absent: str | None) -> None:  # catalog A5
    plain = await odd.result("search_papers", query="tide")
    assert await odd.result("search_papers", query="tide", published_after=absent, published_before=absent) == plain
    assert plain["applied_filters"] == {"query": "tide"}


@pytest.mark.parametrize("text", ["20260801", "2026-W31-1", "2026-02-30", "2026", "2026-1-1", "01.02.2026", 2026, True])
async def test_another_date_form_is_refused(counted: Desk, counting: CountingBackend, text: Any) -> None:  # catalog A5
    said = await counted.failure("search_papers", query="tide", published_after=text)
    assert said["message"] == "published_after must be a calendar date as YYYY-MM-DD, such as 2024-03-31."
    assert not counting.calls


@pytest.mark.parametrize("tool", ["search_papers", "list_papers"])
async def test_a_reversed_range_is_refused_before_any_call(
    counted: Desk, counting: CountingBackend, tool: str
) -> None:  # catalog A6
    query = {"query": "tide"} if tool == "search_papers" else {"task": "Speech Recognition"}
    said = await counted.failure(tool, **query, published_after="2024-02-01", published_before="2024-01-31")
    assert said == {
        "code": "invalid_argument",
        "retryable": False,
        "message": "published_after 2024-02-01 is later than published_before 2024-01-31; swap them or leave one out.",
    }
    assert not counting.calls


async def test_a_one_sided_range_is_applied_and_named(odd: Desk) -> None:  # catalog A6
    after = await odd.result("search_papers", query="tide", published_after="2024-01-01")
    before = await odd.result("search_papers", query="tide", published_before="2023-12-31")
    whole = await odd.result("search_papers", query="tide")
    assert after["applied_filters"] == {"query": "tide", "published_after": "2024-01-01"}
    assert before["applied_filters"] == {"query": "tide", "published_before": "2023-12-31"}
    assert after["count"] > 0 and before["count"] > 0
    assert after["count"] + before["count"] == whole["count"]
    one_day = await odd.result(
        "search_papers", query="fog", published_after="2024-02-01", published_before="2024-02-01"
    )
    assert ids(one_day) == list(TWIN_IDS)


@pytest.mark.parametrize("query", ["a AND b:c*(", "title:fog OR [x TO y]", "-foo", "tide~2^3", "(((", "a,b=c", "C:\\d"])
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
async def test_operators_are_plain_characters(odd: Desk, query: str, mode: str) -> None:  # catalog A41
    if query == "(((":
        said = await odd.failure("search_papers", query=query, mode=mode)
        assert said["message"] == "The query holds no searchable word. Use words, numbers or an identifier."
        return
    found = await odd.result("search_papers", query=query, mode=mode)
    assert found["search_mode_used"] == "keyword"


async def test_a_query_of_operators_finds_the_title_that_holds_them(odd: Desk) -> None:  # catalog A41
    assert await odd.text("search_papers", query="a AND b:c*(", mode="keyword") == (
        '1 paper for "a AND b:c*(" (keyword).\n- 2404.90009 — a AND b:c*( — -foo (2024)'
    )
    said = await odd.failure("search_papers", query=" ".join(f"word{number}" for number in range(65)))
    assert (
        said["message"] == "The query holds 65 search terms, the most is 64. Shorten it."
        and said["code"] == "invalid_argument"
    )


async def test_quotes_around_the_whole_query_make_a_phrase(odd: Desk) -> None:
    phrase = await odd.result("search_papers", query='"measuring fog"', mode="keyword")
    assert (ids(phrase), phrase["count"]) == (list(TWIN_IDS), 2)
    assert (await odd.result("search_papers", query='"fog measuring"', mode="keyword"))["count"] == 0


async def test_without_vectors_hybrid_is_keyword_with_a_note(odd: Desk) -> None:  # catalog A36
    hybrid = await odd.result("search_papers", query="patient harbour")
    keyword = await odd.result("search_papers", query="patient harbour", mode="keyword")
    assert (hybrid["search_mode_used"], hybrid["count_kind"], hybrid["notes"]) == ("keyword", "total", [NO_VECTORS])
    assert hybrid == {**keyword, "notes": [NO_VECTORS]}
    assert await odd.failure("search_papers", query="patient harbour", mode="semantic") == {
        "code": "unavailable",
        "retryable": False,
        "message": "This catalog holds no vectors. Use the mode keyword or hybrid.",
    }


@pytest.mark.parametrize(
    ("embedder", "reason", "semantic"),
    [
        (None, "This deployment has no embedder.", "unavailable"),
        (
            OtherEmbedder(),
            "The catalog's vectors were made with another model than this deployment's embedder.",
            "unavailable",
        ),
        (FailingEmbedder(), "The query could not be embedded just now.", "upstream_error"),
    ],
)
async def test_without_a_usable_embedder_hybrid_says_that_words_alone_were_searched(
    meaning_directory: Path, embedder: BagOfWords | None, reason: str, semantic: str
) -> None:  # catalog A36, catalog A39
    backend = EmbeddedCatalog.open(meaning_directory, kind="file", embedder=embedder)
    desk = Desk(backend)
    found = await desk.result("search_papers", query="otters")
    assert (found["search_mode_used"], found["count_kind"], found["count"]) == ("keyword", "total", 6)
    assert found["notes"] == [f"Words alone were searched, not meaning. {reason}"]
    outcome = await desk.call("search_papers", query="otters", mode="semantic")
    assert outcome.code == semantic
    backend.close()


@pytest.mark.parametrize(
    ("query", "first"),
    [
        (TWIN_TITLE.upper(), TWIN_IDS[0]),
        (f"  {DASH_TITLE} ", "2404.90007"),
        ("slow wave attention don't blink", "2404.90007"),
        (LONG_TEXT_ID, LONG_TEXT_ID),
        (f"https://arxiv.org/pdf/{LONG_TEXT_ID}v3.pdf", LONG_TEXT_ID),
        (f"doi:{DOI_TEXT_DOI}", "Harbour Notes"),
        (SICI_DOI, "Nerve Fibres of the Harbour Seal"),
        (UNIQUE_SHORT_NAME, "1905.90001"),
        (SHARED_SHORT_NAME, "2404.90002"),
        ("Heron", "2404.90003"),
    ],
)
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
async def test_the_named_paper_comes_first_and_once(
    odd: Desk, query: str, first: str, mode: str
) -> None:  # catalog A37, catalog A30
    pages = await odd.pages("search_papers", query=query, mode=mode, limit=25)
    rows = [row for page in pages for row in page["items"]]
    assert first in (rows[0].get("arxiv_id"), rows[0]["title"])
    numbers = [row["id"] for row in rows]
    assert len(set(numbers)) == len(numbers) == pages[0]["count"]


async def test_a_named_paper_outside_the_filters_is_not_shown(odd: Desk) -> None:
    found = await odd.result("search_papers", query=LONG_TEXT_ID, published_after="2024-01-11", mode="keyword")
    assert (found["count"], found["items"]) == (0, [])


async def test_meaning_finds_what_is_named_first_too(meaning: Desk) -> None:  # catalog A37
    for query in ("Naming River Otters", "2302.80008", "https://arxiv.org/abs/2302.80008v2"):
        pages = await meaning.pages("search_papers", query=query, limit=7)
        rows = [row for page in pages for row in ids(page)]
        assert rows[0] == "2302.80008"
        assert len(set(rows)) == len(rows) == pages[0]["count"]
        assert {page["search_mode_used"] for page in pages} == {"hybrid"}


async def test_the_mode_left_out_is_hybrid(meaning: Desk) -> None:  # catalog A35
    found = await meaning.result("search_papers", query="otters")
    assert found["search_mode_used"] == "hybrid" and "notes" not in found
    assert found == await meaning.result("search_papers", query="otters", mode="hybrid")


async def test_the_hybrid_order_is_the_fusion_of_both_orders(meaning: Desk) -> None:  # catalog A39
    asked = {"query": "seals and river lantern counting", "limit": 25}
    orders = {}
    rows: dict[str, dict[str, Any]] = {}
    for mode in ("keyword", "semantic", "hybrid"):
        pages = await meaning.pages("search_papers", **asked, mode=mode)
        orders[mode] = [row["id"] for page in pages for row in page["items"]]
        rows |= {row["id"]: row for page in pages for row in page["items"]}
    scores: dict[str, float] = {}
    for mode in ("keyword", "semantic"):
        for rank, number in enumerate(orders[mode], 1):
            scores[number] = scores.get(number, 0) + 1 / (RRF_K + rank)

    def place(number: str) -> tuple[float, int, int]:
        return (
            -round(scores[number], 6),
            -date.fromisoformat(rows[number].get("published", "0001-01-01")).toordinal(),
            int(number),
        )

    assert orders["hybrid"] == sorted(scores, key=place)
    assert orders["keyword"] != orders["hybrid"] != orders["semantic"]


async def test_a_semantic_search_ranks_all_papers_and_says_so(meaning: Desk) -> None:
    found = await meaning.result("search_papers", query="river otters", mode="semantic", limit=3)
    assert (found["search_mode_used"], found["count_kind"], found["count"]) == ("semantic", "pool", 35)
    assert all("Otters" in row["title"] for row in found["items"])
    text = await meaning.text("search_papers", query="river otters", mode="semantic", limit=3)
    assert text.splitlines()[0] == '35 papers ranked for "river otters" (semantic). Page 1 of 12.'


async def test_the_first_line_tells_what_was_asked_and_how_far_it_goes(meaning: Desk) -> None:
    text = await meaning.text(
        "search_papers", query="lantern light", published_after="2023-02-13", published_before="2023-02-20", limit=2
    )
    lines = text.splitlines()
    assert lines[0] == (
        '8 papers ranked for "lantern light"'
        " (hybrid; published_after 2023-02-13; published_before 2023-02-20). Page 1 of 4."
    )
    assert lines[-1] == "Next page: page=2."
    assert len(lines) == 4 and all(line.startswith("- 2302.800") for line in lines[1:3])


@pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid"])
async def test_filters_hold_in_every_mode(meaning: Desk, mode: str) -> None:  # catalog A40
    dated = await meaning.pages(
        "search_papers", query="seals otters", mode=mode, published_after="2023-02-05", published_before="2023-02-10"
    )
    rows = [row for page in dated for row in page["items"]]
    assert rows and all("2023-02-05" <= row["published"] <= "2023-02-10" for row in rows)
    official = await meaning.result("search_papers", query="seals otters", mode=mode, has_official_implementation=True)
    assert official["items"] and all(row["has_official_implementation"] for row in official["items"])
    assert OFFICIAL_ID in ids(official)
    everything = await meaning.result("search_papers", query="seals otters", mode=mode)
    assert everything == await meaning.result(
        "search_papers", query="seals otters", mode=mode, has_official_implementation=False
    )


async def test_dates_are_compared_as_the_first_day_of_their_period(odd: Desk, meaning: Desk) -> None:
    year = {"query": "Paper Without Text", "mode": "keyword"}
    assert NO_TEXT_ID in ids(await odd.result("search_papers", **year, published_after="2024-01-01"))
    assert NO_TEXT_ID not in ids(await odd.result("search_papers", **year, published_after="2024-01-02"))
    month = {"query": "Knots in Old Ropes", "mode": "keyword"}
    assert OLD_STYLE_ID in ids(await odd.result("search_papers", **month, published_after="2003-09-01"))
    assert OLD_STYLE_ID not in ids(await odd.result("search_papers", **month, published_after="2003-09-02"))
    undated = await meaning.result("search_papers", query=UNDATED_TITLE)
    assert undated["items"][0]["title"] == UNDATED_TITLE and "published" not in undated["items"][0]
    for mode in ("keyword", "semantic", "hybrid"):
        dated = await meaning.pages("search_papers", query=UNDATED_TITLE, mode=mode, published_after="0001-01-01")
        assert UNDATED_TITLE not in [row["title"] for page in dated for row in page["items"]]


async def test_nothing_found_says_what_to_loosen(odd: Desk) -> None:
    assert await odd.text("search_papers", query="xylophone", mode="keyword") == (
        '0 papers for "xylophone" (keyword). Try other or fewer words.'
    )
    filtered = await odd.text("search_papers", query="tide", mode="keyword", published_after="2030-01-01")
    assert filtered == '0 papers for "tide" (keyword; published_after 2030-01-01). Loosen published_after first.'


async def test_a_page_past_the_end_is_an_empty_success(odd: Desk) -> None:  # catalog A42
    whole = await odd.result("search_papers", query="tide", mode="keyword", limit=25)
    past = await odd.result("search_papers", query="tide", mode="keyword", limit=25, page=99)
    assert (past["items"], past["count"], past["page"]) == ([], whole["count"], 99)
    assert "next_page" not in past
    assert past["notes"] == ["Page 99 is past the end; the last page is 1."]
    assert await odd.text("search_papers", query="tide", mode="keyword", limit=25, page=99) == (
        f'{whole["count"]} papers for "tide" (keyword). Page 99.\nPage 99 is past the end; the last page is 1.'
    )


async def test_rows_beyond_page_100_are_not_promised(odd: Desk) -> None:
    last = await odd.result("search_papers", query="paper", mode="keyword", limit=1, page=100)
    assert last["count"] > 100 and len(last["items"]) == 1 and "next_page" not in last
    assert last["notes"] == [
        f"Only the first 100 of {last['count']} rows can be paged by 1; a larger limit reaches the others."
    ]
    first = await odd.result("search_papers", query="paper", mode="keyword", limit=1)
    assert "notes" not in first
    shorter = await odd.result("search_papers", query="paper", mode="keyword", limit=2)
    assert shorter["count"] <= 200 and "notes" not in shorter
    text = await odd.text("search_papers", query="paper", mode="keyword", limit=1)
    assert text.splitlines()[0].endswith(" Page 1 of 100.")
    said = await odd.failure("search_papers", query="paper", page=101)
    assert said["message"] == "page must be a whole number from 1 to 100."


async def test_data_has_the_shape_of_the_api(meaning: Desk) -> None:
    found = await meaning.result("search_papers", query="tide tables", limit=1, published_after="2023-02-01")
    (row,) = found["items"]
    assert found["data"] == {
        "results": [
            {
                "id": row["id"],
                "arxiv_id": row["arxiv_id"],
                "slug": row["slug"],
                "title": row["title"],
                "authors": [],
                "author_count": row["author_count"],
                "published": row["published"],
                "citation_count": None,
                "url_abs": None,
                "source_url": row["url"],
                "has_official_implementation": False,
                "code_repository_count": None,
                "route_identifier": row["arxiv_id"],
            }
        ],
        "count": found["count"],
        "page": 1,
        "page_size": 1,
        "next_page": 2,
        "previous_page": None,
        "applied_filters": {"q": "tide tables", "start_date": "2023-02-01", "mode": "hybrid"},
        "search_mode_used": "hybrid",
        "count_kind": "pool",
    }


DAYS = st.integers(0, 2_000).map(lambda days: (date.fromisoformat(AS_OF) - timedelta(days)).isoformat())


@PROPERTY
@given(
    words=st.lists(st.sampled_from((*TOPICS, "paper", "no", "reading", "zzz")), min_size=1, max_size=3),
    mode=st.sampled_from(("keyword", "hybrid")),
    limit=st.integers(5, 25),
    after=st.none() | DAYS,
    official=st.booleans(),
)
async def test_pages_join_to_the_whole_for_any_query_and_filter(
    odd: Desk, words: list[str], mode: str, limit: int, after: str | None, official: bool
) -> None:  # catalog A38, catalog A42
    asked = {"query": " ".join(words), "mode": mode, "published_after": after, "has_official_implementation": official}
    pages = await odd.pages("search_papers", **asked, limit=limit)
    rows = [row for page in pages for row in page["items"]]
    assert {page["count"] for page in pages} == {len(rows)}
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(len(page["items"]) == limit for page in pages[:-1])
    other = await odd.pages("search_papers", **asked, limit=7)
    assert [row for page in other for row in page["items"]] == rows


@PROPERTY
@given(
    words=st.lists(
        st.sampled_from(("seals", "otters", "lantern", "fog", "tables", "counting")), min_size=1, max_size=3
    ),
    mode=st.sampled_from(("semantic", "hybrid")),
    limit=st.integers(3, 25),
)
async def test_pages_of_a_ranked_pool_join_to_the_whole(
    meaning: Desk, words: list[str], mode: str, limit: int
) -> None:  # catalog A38
    pages = await meaning.pages("search_papers", query=" ".join(words), mode=mode, limit=limit)
    rows = [row["id"] for page in pages for row in page["items"]]
    assert len(set(rows)) == len(rows)
    assert {page["count"] for page in pages} == {len(rows)}
