"""The API as HTTP: methods, slashes, headers, conditional requests, hosts, prefixes, deadlines and bounds."""

import asyncio
import http.client
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import SearchRows
from core.errors import SourceUnreachable
from server.api.application import CatalogApi
from server.api.replies import whole_list
from server.api.routing import ROUTES
from server.middleware.outgoing import MAX_RESPONSE_BYTES
from tests.catalog_desk import build
from tests.live_api import api_app, serve_api

PAPER = "1905.90001"
TEXT = "2401.90002"
CORS = {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET",
    "access-control-allow-headers": "Content-Type, If-None-Match",
    "access-control-expose-headers": (
        "ETag, X-PwC-Content-Version, X-PwC-Truncated, X-PwC-Next-Offset, X-Paperdesk-Total-Bytes, X-Paperdesk-Title"
    ),
}
# One good request for each route, and for how long its answer stays fresh.
REQUESTS = {
    "about": ("about", 3600),
    "papers": ("papers/?search=tide", 60),
    "papers/search": ("papers/search?q=tide", 60),
    "papers/recent": ("papers/recent", 60),
    "papers/trending": ("papers/trending", 60),
    "papers/titles": ("papers/titles?text=BRAMBLE", 300),
    "papers/*": (f"papers/{PAPER}", 300),
    "papers/*/related": (f"papers/{PAPER}/related", 300),
    "research/papers/*/read": (f"research/papers/{TEXT}/read", 60),
    "research/papers/*/lineage": (f"research/papers/{PAPER}/lineage", 300),
    "evaluations": ("evaluations/?dataset_id=2048", 300),
    "tasks": ("tasks/", 600),
    "tasks/*": ("tasks/81", 600),
    "tasks/*/page": ("tasks/81/page", 600),
    "tasks/*/trending-benchmarks": ("tasks/81/trending-benchmarks", 300),
    "tasks/*/papers": ("tasks/lantern-tracking/papers", 60),
    "methods": ("methods/", 600),
    "methods/*": ("methods/quillnet", 600),
    "areas": ("areas/", 600),
    "areas/with-tasks": ("areas/with-tasks/", 600),
    "areas/with-task-benchmarks": ("areas/with-task-benchmarks/", 600),
    "conferences": ("conferences/", 600),
    "conferences/*": ("conferences/fog-2021", 600),
    "organizations": ("organizations/", 600),
    "organizations/*": ("organizations/lighthouse-institute", 600),
    "frameworks": ("frameworks/", 600),
    "datasets": ("datasets/", 300),
    "datasets/*": ("datasets/2048", 300),
    "datasets/*/evaluations": ("datasets/2048/evaluations/", 300),
}
NEVER_GOOD = {"papers/*/public-metadata", "papers/public-metadata/search"}


def swapped(path: str) -> str:
    """The other spelling of a path: a trailing slash more or less."""
    path, mark, query = path.partition("?")
    return (path[:-1] if path.endswith("/") else f"{path}/") + mark + query


def test_every_route_has_its_request_here() -> None:
    assert set(REQUESTS) | NEVER_GOOD == {pattern for pattern, _, _ in ROUTES}


@pytest.mark.parametrize(("path", "max_age_s"), REQUESTS.values(), ids=REQUESTS)
def test_every_route_keeps_the_manners_of_http(odd: httpx.Client, path: str, max_age_s: int) -> None:
    # hosting 1.1, 1.2, 1.9
    answer = odd.get(path)
    assert answer.status_code == 200
    headers = dict(answer.headers)
    assert {name: headers[name] for name in CORS} == CORS
    assert headers["cache-control"] == f"public, max-age={max_age_s}"
    assert headers["x-content-type-options"] == "nosniff" and headers["x-request-id"]
    assert headers["content-length"] == str(len(answer.content))
    assert headers["content-type"] == ("text/markdown; charset=utf-8" if path.endswith("/read") else "application/json")
    assert not {"server", "set-cookie", "transfer-encoding"} & set(headers)
    other = odd.get(swapped(path))
    assert (other.status_code, other.content, other.headers["etag"]) == (200, answer.content, headers["etag"])
    head = odd.head(path)
    assert (head.status_code, head.content) == (200, b"")
    varying = ("x-request-id", "date", "ratelimit-remaining", "ratelimit-reset")
    assert {n: v for n, v in head.headers.items() if n not in varying} == {
        n: v for n, v in headers.items() if n not in varying
    }


@pytest.mark.parametrize(("path", "max_age_s"), REQUESTS.values(), ids=REQUESTS)
def test_who_has_the_answer_gets_304_with_its_headers(odd: httpx.Client, path: str, max_age_s: int) -> None:
    tag = odd.get(path).headers["etag"]
    for value in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        for method in ("GET", "HEAD"):
            answer = odd.request(method, path, headers={"If-None-Match": value})
            assert (answer.status_code, answer.content) == (304, b"")
            assert answer.headers["etag"] == tag
            # It would have to be the length of the body that the client has.
            assert "content-length" not in answer.headers
            assert answer.headers["cache-control"] == f"public, max-age={max_age_s}"
            assert {name: answer.headers[name] for name in CORS} == CORS
    assert odd.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


def test_tags_tell_requests_and_contents_apart(odd: httpx.Client, sample_url: str) -> None:
    paths = ("papers/", "papers/?page=2", "papers/?page_size=3", "tasks/", "tasks/81", "tasks/82", "tasks/81/page")
    tags = [odd.get(path).headers["etag"] for path in paths]
    tags += [httpx.get(f"{sample_url}/{path}").headers["etag"] for path in ("papers/", "tasks/")]
    assert len(set(tags)) == len(tags)
    assert all(len(tag) == 34 and not tag.startswith("W/") for tag in tags)


def test_what_is_not_there_is_never_304(odd: httpx.Client) -> None:
    for path in ("papers/2401.99999", "nowhere", "papers/search"):
        answer = odd.get(path, headers={"If-None-Match": "*"})
        assert answer.status_code in (404, 422)
        assert (answer.headers.get("etag"), answer.headers["cache-control"]) == (None, "no-store")
        assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_other_methods_are_405(odd: httpx.Client, method: str) -> None:
    answer = odd.request(method, "papers/")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
    assert (answer.json()["error"], answer.json()["allowed"]) == ("method_not_allowed", ["GET", "HEAD"])


def test_a_browser_may_ask_before_it_sends_a_tag(odd: httpx.Client) -> None:
    asked = {"origin": "https://anyone.example", "access-control-request-headers": "if-none-match"}
    answer = odd.options("papers/", headers=asked)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-headers"] == "Content-Type, If-None-Match"


@pytest.mark.parametrize(
    "path",
    ["", "/", "papers//", "papers//1905.90001", "/papers/", "Papers/", "nowhere", "papers/a/b/c", "tasks/81/nothing"],
)
def test_other_paths_are_404_in_the_shape_of_the_api(odd_url: str, path: str) -> None:
    answer = httpx.get(f"{odd_url}/{path}")
    assert (answer.status_code, answer.json()) == (
        404,
        {"detail": {"code": "not_found", "message": "Nothing is served at this path of the API."}},
    )


def test_a_path_or_query_that_cannot_be_read_is_400(odd: httpx.Client) -> None:
    for path in ("papers/%FF", "papers/%C3%28/related", "papers/search?q=%FF", "papers/?" + "a=1&" * 101):
        answer = odd.get(path)
        assert (answer.status_code, answer.json()["detail"]["code"]) == (400, "malformed")


def raw_status(url: str, target: str, **headers: str) -> int:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
    connection.putrequest("GET", target, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_the_prefix_is_taken_as_written_only(odd_url: str) -> None:
    assert raw_status(odd_url, "/api/v1/areas/") == 200
    assert raw_status(odd_url, "/api%2Fv1/areas/") == 404
    assert raw_status(odd_url, "/%61pi/v1/areas/") == 404
    assert raw_status(odd_url, "/api/v1") == 404


def test_hosts_are_checked_and_origins_are_not(odd_url: str, odd: httpx.Client) -> None:
    # hosting 1.9
    assert raw_status(odd_url, "/api/v1/areas/", Host="evil.example.org") == 421
    assert raw_status(odd_url, "/api/v1/nowhere", Host="evil.example.org") == 404
    assert raw_status(odd_url, "/api/v1/areas/", Host="desk.example.org") == 200
    for origin in ("https://evil.example.org", "null"):
        answer = odd.get("areas/", headers={"Origin": origin})
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")


async def test_routes_lie_below_the_path_of_the_public_url(odd_directory: Path) -> None:
    catalog = EmbeddedCatalog.open(odd_directory, kind="file")
    transport = httpx.ASGITransport(app=api_app(catalog, prefix="/desk"))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        found = await client.get("/desk/api/v1/papers/math.GT%2F0309136")
        assert (found.status_code, found.json()["arxiv_id"]) == (200, "math.GT/0309136")
        assert (await client.get("/api/v1/areas/")).status_code == 404
    catalog.close()


class Troubled:
    """An embedded catalog whose searches do as a test says; all else is the catalog's own."""

    def __init__(self, catalog: EmbeddedCatalog, search: Any) -> None:
        self._catalog = catalog
        self.search = search

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)


async def searched(directory: Path, search: Any, timeout_s: float) -> httpx.Response:
    catalog = EmbeddedCatalog.open(directory, kind="file")
    held: Any = Troubled(catalog, search)
    api = CatalogApi(held, timeout_s=timeout_s).behind(lambda app: app)

    async def mounted(scope: Any, receive: Any, send: Any) -> None:
        await api({**scope, "root_path": "/api/v1"}, receive, send)

    transport = httpx.ASGITransport(app=mounted)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1") as client:
        answer = await client.get("papers/search?q=tide")
    catalog.close()
    return answer


async def test_a_catalog_that_does_not_answer_in_time_is_503(odd_directory: Path) -> None:
    async def hang(*_: Any) -> SearchRows:
        await asyncio.Event().wait()
        raise AssertionError

    answer = await searched(odd_directory, hang, 0.01)
    assert (answer.status_code, answer.json()["detail"]["code"]) == (503, "upstream_timeout")
    assert (answer.headers["retry-after"], answer.headers["cache-control"]) == ("5", "no-store")


async def test_storage_that_cannot_be_read_is_503_without_its_words(odd_directory: Path) -> None:
    async def fail(*_: Any) -> SearchRows:
        raise SourceUnreachable("SECRET", source="catalog")

    answer = await searched(odd_directory, fail, 5)
    assert (answer.status_code, answer.json()["detail"]["code"]) == (503, "upstream_error")
    assert "SECRET" not in answer.text


def test_a_whole_list_over_the_bound_is_cut_and_tells_the_true_count() -> None:
    rows = [{"id": str(number), "name": "x" * 1000} for number in range(3000)]
    reply = whole_list(rows)
    assert len(reply.body) <= MAX_RESPONSE_BYTES
    answer = httpx.Response(200, content=reply.body).json()
    assert answer["count"] == 3000
    assert answer["results"] == rows[: len(answer["results"])] and len(answer["results"]) > 2000
    assert whole_list([]).body == b'{"count":0,"results":[]}'


def test_answers_over_the_bound_lose_what_they_can_spare_or_ask_for_less(tmp_path: Path) -> None:
    long = "A board told at length. " * 1250
    sites = [{"url": f"https://example.org/{'deep/' * 30}{number}", "is_official": False} for number in range(300)]
    records: dict[str, Any] = {
        "tasks": [{"key": "t", "name": "Towers"}],
        "papers": [
            {"key": f"p{n}", "title": f"Tower {n}", "arxiv_id": f"2401.8{n:04}", "tasks": ["t"], "repositories": sites}
            for n in range(50)
        ],
        "benchmarks": [
            {"key": f"b{n}", "name": f"Board {n:03}", "description": long, "tasks": ["t"]} for n in range(100)
        ],
        "evaluations": [],
    }
    with serve_api(build(tmp_path, records)) as url:
        page = httpx.get(f"{url}/papers/", params={"page_size": 50, "include_resources": "true"}).json()
        assert [len(row["repositories"]) for row in page["results"]] == [20] * 50
        assert {row["code_repository_count"] for row in page["results"]} == {300}
        few = httpx.get(f"{url}/papers/", params={"page_size": 2, "include_resources": "true"}).json()
        assert [len(row["repositories"]) for row in few["results"]] == [300, 300]
        too_much = httpx.get(f"{url}/datasets/", params={"page_size": 100})
        assert (too_much.status_code, too_much.json()["detail"]["code"]) == (422, "result_too_large")
        assert httpx.get(f"{url}/datasets/", params={"page_size": 20}).status_code == 200
