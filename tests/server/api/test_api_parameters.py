"""Parameters one by one, and whatever else a caller may send: never a 500."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.catalog.embedded.store import EmbeddedCatalog
from core.errors import InvalidInput
from server.api.parameters import Parameters
from server.api.routing import ROUTES, place
from tests.live_api import api_app


def test_values_are_read_as_what_they_are() -> None:
    query = Parameters(
        b"page=3&page_size=7&open=TRUE&closed=0&speed=1.50&name=caf%C3%A9+noir&day=2024-02-29&who=a&who=b"
    )
    assert query.page() == (3, 7)
    assert (query.flag("open"), query.flag("closed"), query.flag("absent")) == (True, False, None)
    assert (query.number("speed"), query.text("name"), query.day("day")) == (1.5, "café noir", "2024-02-29")
    assert (query.texts("who", most=9, count_max=2), query.text("who")) == (("a", "b"), "b")


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("papers/search?q=x&page=0", "page"),
        ("papers/search?q=x&page=1e1", "page"),
        ("papers/search?q=x&page=-1", "page"),
        ("papers/search?q=x&page=%D9%A1", "page"),
        ("papers/search?q=x&page_size=101", "page_size"),
        ("papers/search?q=x&mode=psychic", "mode"),
        ("papers/search?q=x&start_date=2024-02-30", "start_date"),
        ("papers/search?q=x&start_date=20240203", "start_date"),
        ("papers/search?q=x&end_date=2024-W05-1", "end_date"),
        ("papers/search?q=x&start_date=2024-02-02&end_date=2024-02-01", "start_date"),
        ("papers/search?q=x&has_official_implementation=yes", "has_official_implementation"),
        ("papers/search?q=" + "x" * 501, "q"),
        ("papers/search?q=a%00b", "q"),
        ("papers/search", "q"),
        ("papers/search?q=%20", "q"),
        ("papers/?order_by=fame", "order_by"),
        ("papers/?order_dir=up", "order_dir"),
        ("papers/?latest_only=2", "latest_only"),
        ("papers/?" + "&".join(f"author=a{n}" for n in range(11)), "author"),
        ("papers/?author=" + "x" * 201, "author"),
        ("papers/recent?limit=0", "limit"),
        ("papers/recent?limit=101", "limit"),
        ("papers/trending?max_age_days=0", "max_age_days"),
        ("papers/trending?min_velocity=-1", "min_velocity"),
        ("papers/trending?min_velocity=nan", "min_velocity"),
        ("papers/trending?min_velocity=1e309", "min_velocity"),
        ("tasks/?level=-1", "level"),
        ("tasks/?ordering=fame", "ordering"),
        ("tasks/?by_area=maybe", "by_area"),
        ("methods/?introduced_year=MMXX", "introduced_year"),
        ("methods/?ordering=--name", "ordering"),
        ("areas/?ordering=id", "ordering"),
        ("areas/?page_size=501", "page_size"),
        ("datasets/?min_eval_count=x", "min_eval_count"),
        ("datasets/?is_open=perhaps", "is_open"),
        ("evaluations/?dataset_id=2048&max_parameters_exclusive=1", "max_parameters_exclusive"),
        ("evaluations/?dataset_id=2048&ordering=name", "ordering"),
        ("organizations/?featured_only=x", "featured_only"),
        ("tasks/81/trending-benchmarks?min_recent_papers=-1", "min_recent_papers"),
    ],
)
def test_a_bad_value_is_422_and_named(odd: httpx.Client, path: str, names: str) -> None:
    answer = odd.get(path)
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert list(detail) == ["code", "message"]
    assert detail["code"] == "invalid_argument" and names in detail["message"].split()


def test_a_page_past_the_end_is_empty_and_the_last_one_says_so(odd: httpx.Client) -> None:
    last = odd.get("papers/", params={"page": 9, "page_size": 20}).json()
    assert (last["next_page"], last["previous_page"], len(last["results"])) == (None, 8, last["count"] - 160)
    for path in ("papers/", "tasks/", "methods/", "datasets/", "areas/", "papers/search?q=tide"):
        past = odd.get(path, params={"page": 1_000_000} | ({"q": "tide"} if "?" in path else {})).json()
        assert (past["results"], past["next_page"], past["page"]) == ([], None, 1_000_000)
        assert past["count"] > 0


def test_words_that_hold_nothing_to_search_for_are_422(odd: httpx.Client) -> None:
    for words in ("!!!", "w " * 200, "a" + " b" * 100):
        assert odd.get("papers/search", params={"q": words}).status_code in (200, 422)
    assert odd.get("papers/search", params={"q": "!!!"}).json()["detail"]["code"] == "invalid_argument"


NAMES = (
    "q", "text", "title", "page", "page_size", "limit", "mode", "start_date", "end_date", "task", "method",
    "conference",
    "framework", "organization", "author", "latest_only", "order_by", "order_dir", "include_resources", "search",
    "has_official_implementation", "max_age_days", "min_velocity", "offset", "content_version", "paper_id",
    "dataset_id", "ordering", "is_open", "max_parameters_exclusive", "area_id", "level", "visible_only", "by_area",
    "introduced_year",
    "min_recent_papers", "include_descendants", "benchmarks_per_task", "min_eval_count", "featured_only", "other",
)  # fmt: skip
VALUES = st.one_of(
    st.sampled_from(
        ["1", "0", "-1", "true", "false", "name", "-name", "best_rank", "2024-01-01", "81", "2048", "lantern-tracking",
         "1905.90001", "Segmentation", "Ada Quill", "@AdaQ", "99999999999999999999", "9" * 19, "hybrid", "keyword",
         "desc", "asc", "2401.90001", "\ufffe", "ｆｕｌｌ", "%", "\"a b\"", "a AND b:c*("]
    ),
    st.text(max_size=30),
    st.integers().map(str),
)  # fmt: skip
PARTS = st.one_of(
    st.sampled_from(["1905.90001", "math.GT/0309136", "81", "2048", "lantern-tracking", "quillfish", "a" * 40]),
    st.text(min_size=1, max_size=30),
)


@pytest.fixture(scope="module")
def app(odd_directory: Path) -> Iterator[Any]:
    catalog = EmbeddedCatalog.open(odd_directory, kind="file")
    yield api_app(catalog)
    catalog.close()


@settings(max_examples=400, deadline=None)
@example(pattern="papers/*", parts=("a\nb", "x"), sent=[])
@given(
    pattern=st.sampled_from([pattern for pattern, _, _ in ROUTES]),
    parts=st.tuples(PARTS, PARTS),
    sent=st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=5),
)
def test_nothing_that_is_sent_makes_it_fail(
    app: Any, pattern: str, parts: tuple[str, str], sent: list[tuple[str, str]]
) -> None:
    path = pattern
    for part in parts:
        path = path.replace("*", quote(part, safe="", errors="replace"), 1)
    query = "&".join(f"{name}={quote(value, safe='', errors='replace')}" for name, value in sent)

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
            return await client.get(f"/api/v1/{path}?{query}")

    answer = asyncio.run(ask())
    assert answer.status_code in (200, 404, 422) or pattern.endswith(("public-metadata", "public-metadata/search"))
    if answer.status_code != 200:
        # A line break ends a path before it reaches the API: that is the service's own 404.
        refusal = answer.json() if "%0A" in path else answer.json()["detail"]
        assert "message" in refusal.get("detail", refusal)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_query_or_refused(query: bytes) -> None:
    try:
        found = Parameters(query)
    except Exception as error:
        assert type(error).__name__ == "Problem"
        return
    for name in ("a", "page"):
        try:
            found.text(name)
            found.integer(name, low=0, high=9)
        except InvalidInput as error:
            assert error.message.startswith(f"{name} ")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_path_or_refused(path: bytes) -> None:
    try:
        place(path)
    except Exception as error:
        assert type(error).__name__ == "Problem"
