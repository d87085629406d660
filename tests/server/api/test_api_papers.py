"""Papers over `/api/v1`: search, lists, windows, titles, records, relatives, and what is known in public."""

from typing import Any

import httpx
import pytest
from rows import ENVELOPE, PAPER_RECORD, PAPER_ROW, RESOURCE_FIELDS

from tests.odd_papers import (
    DOI_TEXT_DOI,
    EXTERNAL_ID,
    MANY_AUTHORS_ID,
    NAMESAKE,
    NAMESAKE_IDS,
    OLD_STYLE_ID,
    SICI_DOI,
    SUPERSEDED_ID,
    TWIN_IDS,
    TWIN_TITLE,
)

QUILLFISH = "1905.90001"


def got(client: httpx.Client, path: str, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client: httpx.Client, path: str, status: int, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert (answer.status_code, answer.headers["cache-control"]) == (status, "no-store"), answer.text
    assert list(answer.json()) == ["detail"]
    return answer.json()["detail"]


def ids(page: Any) -> list[str]:
    rows = page if isinstance(page, list) else page["results"]
    return [row["route_identifier"] for row in rows]


def test_a_search_is_one_page_that_says_how_it_was_made(odd: httpx.Client) -> None:
    # catalog A86
    found = got(odd, "papers/search", q="lantern", page_size=2, page=2, start_date="2023-01-01", mode="keyword")
    assert set(found) == ENVELOPE | {"search_mode_used", "count_kind"}
    assert {name: found[name] for name in found if name not in ("results", "count")} == {
        "page": 2,
        "page_size": 2,
        "next_page": 3,
        "previous_page": 1,
        "applied_filters": {"q": "lantern", "mode": "keyword", "start_date": "2023-01-01"},
        "search_mode_used": "keyword",
        "count_kind": "total",
    }
    assert [set(row) for row in found["results"]] == [PAPER_ROW, PAPER_ROW]


def test_pages_of_a_search_join_without_gap_or_repeat(odd: httpx.Client) -> None:
    rows: list[str] = []
    page: int | None = 1
    while page:
        found = got(odd, "papers/search", q="lantern tracking", page_size=30, page=page)
        rows += ids(found)
        page = found["next_page"]
    assert len(rows) == len(set(rows)) == found["count"] > 30


def test_a_search_for_an_identifier_or_a_title_has_that_paper_first(odd: httpx.Client) -> None:
    for query in (QUILLFISH, "doi:" + DOI_TEXT_DOI, "Knots in Old Ropes"):
        assert got(odd, "papers/search", q=query, page_size=1)["results"][0]["title"] in (
            "QUILLFISH: Writing Networks Under Water",
            "Harbour Notes",
            "Knots in Old Ropes",
        )


def test_hybrid_without_vectors_answers_by_words_and_semantic_is_refused(odd: httpx.Client) -> None:
    found = got(odd, "papers/search", q="tide", mode="hybrid")
    assert (found["applied_filters"]["mode"], found["search_mode_used"]) == ("hybrid", "keyword")
    assert refused(odd, "papers/search", 422, q="tide", mode="semantic")["code"] == "unavailable"


async def test_meaning_is_searched_where_there_are_vectors(meaning: httpx.AsyncClient) -> None:
    for mode in ("hybrid", "semantic"):
        answer = await meaning.get("papers/search", params={"q": "tide tables", "mode": mode})
        found = answer.json()
        assert (found["search_mode_used"], found["count_kind"]) == (mode, "pool")
        assert answer.headers["cache-control"] == "public, max-age=60"
    assert "vectors" in (await meaning.get("about")).json()["capabilities"]


async def test_the_answer_of_a_moment_is_not_kept(without_embedder: httpx.AsyncClient) -> None:
    """While the embedder is out of order, hybrid answers by words: no cache may take that for the catalog's answer."""
    answer = await without_embedder.get("papers/search", params={"q": "tide tables"})
    assert (answer.status_code, answer.json()["search_mode_used"]) == (200, "keyword")
    assert (answer.headers["cache-control"], answer.headers.get("etag")) == ("no-store", None)
    failed = await without_embedder.get("papers/search", params={"q": "tide tables", "mode": "semantic"})
    assert (failed.status_code, failed.json()["detail"]["code"]) == (503, "upstream_error")
    assert failed.headers["retry-after"] == "5"


def test_every_filter_that_ran_is_echoed_as_it_was_sent(odd: httpx.Client) -> None:
    # catalog 11.1: a reader compares the echo with what it sent
    sent = {
        "search": "writing",
        "task": "lantern-tracking",
        "method": "QUILLNET",
        "conference": "fog-2021",
        "framework": "framework-00",
        "organization": "Lighthouse Institute",
        "start_date": "2019-01-01",
        "end_date": "2020-01-01",
        "has_official_implementation": "true",
        "latest_only": "true",
    }
    found = got(odd, "papers/", **sent, author=["@adaq", "Bo Härön"])
    authors = found["applied_filters"].pop("authors")
    assert found["applied_filters"] == sent
    assert [(each["name"], each["hf_username"]) for each in authors] == [(NAMESAKE, "AdaQ"), ("Bo Härön", "boheron")]
    assert [set(each) for each in authors] == [{"id", "name", "hf_username"}] * 2
    assert ids(found) == [QUILLFISH]


def test_an_unknown_parameter_is_ignored_and_never_echoed(odd: httpx.Client) -> None:
    # catalog A86
    plain = odd.get("papers/", params={"search": "tide"})
    strange = odd.get("papers/", params={"search": "tide", "colour": "blue", "query": "x", "q": "y"})
    assert strange.json() == plain.json()
    assert plain.json()["applied_filters"] == {"search": "tide", "latest_only": "true"}


def test_empty_parameters_are_absent(odd: httpx.Client) -> None:
    assert odd.get("papers/?task=&author=&start_date=&page=&search=%20").json() == odd.get("papers/").json()


def test_entities_are_taken_by_id_slug_and_name(odd: httpx.Client) -> None:
    task = got(odd, "tasks/", q="lantern tracking")["results"][0]
    pages = [got(odd, "papers/", task=text) for text in (task["id"], task["slug"], task["name"], "LT")]
    assert len({tuple(ids(page)) for page in pages}) == 1
    assert pages[0]["count"] == task["paper_count"]


def test_a_filter_that_names_nothing_is_404_and_one_that_names_several_is_422(odd: httpx.Client) -> None:
    missed = refused(odd, "papers/", 404, task="lantern trackin")
    assert (missed["code"], missed["suggestions"][0]["id"]) == ("not_found", "lantern-tracking")
    several = refused(odd, "papers/", 422, task="Segmentation")
    assert (several["code"], [each["id"] for each in several["candidates"]]) == ("ambiguous", ["81", "82"])


def test_author_problems_have_codes_of_their_own(odd: httpx.Client) -> None:
    # catalog 9.2 and 16.1
    several = refused(odd, "papers/", 422, author=NAMESAKE)
    assert several["code"] == "ambiguous_author"
    assert [each["id"] for each in several["candidates"]][:2] == list(NAMESAKE_IDS)
    assert several["candidates"][0] == {"id": NAMESAKE_IDS[0], "name": NAMESAKE, "note": "@AdaQ, 3 papers"}
    assert refused(odd, "papers/", 422, author="Bo Haron")["code"] == "unknown_author"
    by_id = got(odd, "papers/", author=NAMESAKE_IDS[1])
    assert [each["id"] for each in by_id["applied_filters"]["authors"]] == [NAMESAKE_IDS[1]]


def test_orders_turn_round_and_missing_values_stay_last(odd: httpx.Client) -> None:
    down = got(odd, "papers/", order_by="citation_count", page_size=100)["results"]
    up = got(odd, "papers/", order_by="citation_count", order_dir="asc", page_size=100)["results"]
    counts = [row["citation_count"] for row in down if row["citation_count"] is not None]
    assert counts == sorted(counts, reverse=True)
    assert up[0]["citation_count"] == 0
    newest = got(odd, "papers/", order_by="date_published", page_size=100)["results"]
    dates = [(row["published"] + "-01-01")[:10] for row in newest]
    assert dates == sorted(dates, reverse=True)


def test_superseded_records_are_listed_only_when_asked_for(odd: httpx.Client) -> None:
    latest, all_of_them = got(odd, "papers/"), got(odd, "papers/", latest_only="false")
    assert all_of_them["count"] == latest["count"] + 1
    assert all_of_them["applied_filters"] == {"latest_only": "false"}
    pages = [got(odd, "papers/", latest_only="false", page=page, page_size=100) for page in (1, 2)]
    assert SUPERSEDED_ID in {row["id"] for page in pages for row in page["results"]}


def test_resources_of_rows_are_filled_when_asked_for(odd: httpx.Client) -> None:
    (row,) = got(odd, "papers/", search="quillfish", include_resources="true")["results"]
    assert set(row) == PAPER_ROW | {"methods", "repositories"}
    assert [set(each) for each in row["methods"]] == [{"id", "slug", "name"}]
    assert row["repositories"][0] == {
        "url": "https://example.org/code/5",
        "is_official": True,
        "framework": row["repositories"][0]["framework"],
    }
    assert len(row["repositories"]) == row["code_repository_count"] == 12


def test_windows_are_bare_lists(odd: httpx.Client) -> None:
    # catalog A86
    recent, trending = got(odd, "papers/recent", limit=5), got(odd, "papers/trending", limit=5)
    assert isinstance(recent, list) and isinstance(trending, list)
    assert [set(row) for row in (*recent, *trending)] == [PAPER_ROW] * 10
    assert ids(recent) == ids(got(odd, "papers/", order_by="date_published", page_size=5))
    assert got(odd, "papers/trending", max_age_days=1, limit=100) == [
        row for row in got(odd, "papers/recent", limit=100) if (row["published"] or "") >= "2025-06-29"
    ]
    assert ids(got(odd, "papers/trending", max_age_days=36500, min_velocity="3.5")) == [QUILLFISH]


def test_titles_are_matched_level_by_level(odd: httpx.Client) -> None:
    twins = got(odd, "papers/titles", text=TWIN_TITLE.upper())
    assert (twins["level"], ids(twins)) == ("title", list(TWIN_IDS))
    assert got(odd, "papers/titles", text="slow wave attention - dont blink")["level"] == "normalized_title"
    assert got(odd, "papers/titles", text="QuillFish")["level"] == "short_name"
    assert got(odd, "papers/titles", text="Nothing of the kind") == {"level": None, "results": []}
    assert refused(odd, "papers/titles", 422)["code"] == "invalid_argument"


@pytest.mark.parametrize(
    "reference",
    [
        QUILLFISH,
        QUILLFISH + "v3",
        "arXiv:" + QUILLFISH,
        "quillfish",
        "Quillfish",
        "10.48550%2FarXiv.1905.90001",
        "https:%2F%2Farxiv.org%2Fabs%2F1905.90001",
        "https:%2F%2Fpaperswithcode.com%2Fpaper%2Fquillfish",
    ],
)
def test_a_paper_is_found_by_any_identifier_or_slug(odd: httpx.Client, reference: str) -> None:
    assert got(odd, f"papers/{reference}")["arxiv_id"] == QUILLFISH


@pytest.mark.parametrize("spelling", ["math.GT%2F0309136", "math.GT%2f0309136", "math.GT/0309136", "math/0309136v2"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_an_old_style_id_may_hold_its_slash_encoded_or_plain(odd: httpx.Client, spelling: str, slash: str) -> None:
    # catalog A23, A86
    assert got(odd, f"papers/{spelling}{slash}")["route_identifier"] == OLD_STYLE_ID
    assert got(odd, f"research/papers/{spelling}/lineage{slash}")["paper"]["reference"] == OLD_STYLE_ID
    assert odd.get(f"research/papers/{spelling}/read{slash}").text.startswith("# Knots")
    assert odd.get(f"papers/{spelling}/related{slash}").status_code == 200


def test_a_record_is_whole(odd: httpx.Client) -> None:
    record = got(odd, f"papers/{QUILLFISH}", include_resources="true")
    assert set(record) == PAPER_RECORD
    links = {"tasks", "methods", "organizations"}
    assert {name: [each["slug"] for each in record.pop(name)] for name in links} == {
        "tasks": ["lantern-tracking", "reading-comprehension"],
        "methods": ["quillnet"],
        "organizations": ["lighthouse-institute"],
    }
    successors = record.pop("successor_papers")
    assert len(successors) == 61
    assert set(successors[0]) == {"id", "title", "route_identifier", "published"}
    assert [each["route_identifier"] for each in record.pop("predecessor_papers")] == [OLD_STYLE_ID, EXTERNAL_ID]
    assert record.pop("conference")["slug"] == "fog-2021"
    assert record.pop("repositories")[0]["is_official"] is True
    identifiers = record.pop("identifiers")
    assert identifiers["arxiv"] == QUILLFISH
    assert record == {
        "id": record["id"],
        "arxiv_id": QUILLFISH,
        "slug": "quillfish",
        "title": "QUILLFISH: Writing Networks Under Water",
        "authors": [NAMESAKE, "Bo Härön", "Cy Moth"],
        "author_count": 3,
        "published": "2019-05-01",
        "citation_count": 900,
        "url_abs": "https://example.org/quillfish/abs",
        "source_url": record["source_url"],
        "has_official_implementation": True,
        "code_repository_count": 12,
        "route_identifier": QUILLFISH,
        "abstract": "A network that writes. It is significant (P<0.001) and naïve; see 灯籠.",
        "url_pdf": "https://example.org/quillfish.pdf",
        "conference_name": "Fog and Harbour",
        "project_pages": ["https://example.org/quillfish"],
        "hf_models": [f"quill/model-{n}" for n in range(7)],
        "hf_datasets": ["quill/ink"],
        "hf_spaces": ["quill/desk"],
        "source": "arxiv",
        "doi": None,
        "venue": record["venue"],
        "has_markdown": False,
        "is_retracted": record["is_retracted"],
    }


def test_without_resources_a_record_holds_none(odd: httpx.Client) -> None:
    assert set(got(odd, f"papers/{QUILLFISH}")) == PAPER_RECORD - RESOURCE_FIELDS


def test_a_record_names_all_authors_and_a_row_the_first_ten(odd: httpx.Client) -> None:
    record = got(odd, f"papers/{MANY_AUTHORS_ID}")
    (row,) = got(odd, "papers/titles", text=record["title"])["results"]
    assert (len(record["authors"]), record["author_count"]) == (1300, 1300)
    assert (len(row["authors"]), row["author_count"]) == (10, 1300)


def test_other_identifiers_name_papers_too(odd: httpx.Client) -> None:
    for reference in ("pmid:8923456", "PMC3531190", "W2741809807", "a" * 40, httpx.QueryParams({"": SICI_DOI})):
        path = str(reference).removeprefix("=")
        assert got(odd, f"papers/{path}")["title"] == "Nerve Fibres of the Harbour Seal"
    assert got(odd, f"papers/{EXTERNAL_ID}")["source"] == "external"


def test_what_names_no_paper_is_404_and_what_cannot_name_one_is_422(odd: httpx.Client) -> None:
    for path in ("2401.99999", "1", "no-such-slug", "9999.99999", "10.5555%2Fnone", "%3F%3F%3F", "No Such Title"):
        assert refused(odd, f"papers/{path}", 404)["code"] == "not_found"
        assert refused(odd, f"papers/{path}/related", 404)["code"] == "not_found"
        assert refused(odd, f"research/papers/{path}/lineage", 404)["code"] == "not_found"
    assert refused(odd, "papers/https:%2F%2Fgithub.com%2Fa%2Fb", 422)["code"] == "invalid_argument"


def test_related_papers_are_one_page(odd: httpx.Client) -> None:
    found = got(odd, f"papers/{QUILLFISH}/related", limit=3)
    assert [set(row) for row in found.pop("results")] == [PAPER_ROW] * 3
    assert found == {
        "count": 3,
        "page": 1,
        "page_size": 3,
        "next_page": None,
        "previous_page": None,
        "applied_filters": {},
    }
    assert refused(odd, f"papers/{QUILLFISH}/related", 422, limit=21)["code"] == "invalid_argument"


def test_lineage_names_papers_by_what_to_pass_on(odd: httpx.Client) -> None:
    found = got(odd, f"research/papers/{OLD_STYLE_ID.replace('/', '%2F')}/lineage")
    assert found["paper"] == {"id": found["paper"]["id"], "reference": OLD_STYLE_ID, "title": "Knots in Old Ropes"}
    assert found["predecessors"] == []
    assert [each["reference"] for each in found["successors"]] == [QUILLFISH]


def test_no_public_source_is_asked_and_a_title_belongs_to_the_search(odd: httpx.Client) -> None:
    # catalog A87 (what is served while no source can be asked)
    for path, kind in (
        ("papers/2401.99999/public-metadata", "identifier"),
        (f"papers/{QUILLFISH}/public-metadata", "identifier"),
        ("papers/public-metadata/search?title=Knots", "title"),
    ):
        detail = refused(odd, path, 503) if "?" not in path else refused(odd, path.split("?")[0], 503, title="Knots")
        assert {name: detail[name] for name in detail if name != "message"} == {
            "code": "lookup_unavailable",
            "kind": kind,
            "tried": [],
            "failed": [],
        }
    assert refused(odd, "papers/Attention%20Is%20All%20You%20Need/public-metadata", 422)["code"] == "title_reference"
    assert refused(odd, "papers/public-metadata/search", 422)["code"] == "invalid_argument"
