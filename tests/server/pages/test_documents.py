"""The documents over HTTP: what they say, in which form, and how they are cached."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest
from desk_toolset import OTHER, TOOLSET, Desk
from live import PUBLIC_URL, desk_service, front, serve_catalog

from core.clock import ManualClock
from server import __version__
from server.app import create_app
from server.pages import documents
from server.pages.facts import Facts
from server.registry import BoundToolset

VERSIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
BOUNDS = {
    "request_headers_bytes": 16_384,
    "request_headers_fields": 100,
    "request_body_bytes": 2_097_152,
    "upstream_answer_bytes": 2_097_152,
    "tool_result_bytes": 2_097_152,
    "resources_read_bytes": 2_097_152,
    "any_answer_bytes": 2_097_152,
}
CARDS = (
    "/mcp/server-card",
    "/mcp/other/server-card",
    "/.well-known/mcp/server-card.json",
    "/.well-known/mcp-server-card",
)
PUBLIC = ("/.well-known/mcp", "/.well-known/mcp.json", "/.well-known/ai-catalog.json", *CARDS)
DOCS = ("/", "/docs", "/docs/desk", "/docs/other")
PATHS = (*PUBLIC, *DOCS, "/mcp/schema")
JSON_TYPE = "application/json"
HTML_TYPE = "text/html; charset=utf-8"
ASK = {"content-type": JSON_TYPE}


def ask(client: httpx.Client, path: str, method: str) -> Any:
    return client.post(path, json={"jsonrpc": "2.0", "id": 1, "method": method}).json()["result"]


def told(path: str, facts: Facts, *toolsets: Any) -> dict[str, Any]:
    """What a document says of a deployment with those facts, as JSON."""
    bound = [BoundToolset(toolset, None, clock=ManualClock()) for toolset in toolsets]
    transport = httpx.ASGITransport(documents(facts, bound)[path])

    async def get() -> httpx.Response:
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path)

    return dict(anyio.run(get).json())


# What they say


def test_the_description_names_the_service_and_each_endpoint(client: httpx.Client) -> None:
    # hosting A11
    assert client.get("/.well-known/mcp").json() == {
        "name": "paperdesk",
        "title": "paperdesk",
        "description": "The research desk for AI agents: papers, leaderboards and full texts over MCP",
        "version": __version__,
        "transport": {"type": "streamable-http", "url": "https://desk.example.org/mcp"},
        "protocol_version": "2025-11-25",
        "supported_protocol_versions": VERSIONS,
        "documentation_url": "https://desk.example.org/docs",
        "setup_url": "https://desk.example.org/docs#connect",
        "authentication": {"required": False, "schemes": ["bearer"]},
        "endpoints": [
            {
                "toolset": "desk",
                "title": "paperdesk desk",
                "description": "Notes for tests",
                "url": "https://desk.example.org/mcp",
                "tools": len(ask(client, "/mcp", "tools/list")["tools"]),
                "server_card": "https://desk.example.org/mcp/server-card",
                "documentation_url": "https://desk.example.org/docs/desk",
            },
            {
                "toolset": "other",
                "title": "paperdesk other",
                "description": "Another toolset",
                "url": "https://desk.example.org/mcp/other",
                "tools": len(ask(client, "/mcp/other", "tools/list")["tools"]),
                "server_card": "https://desk.example.org/mcp/other/server-card",
                "documentation_url": "https://desk.example.org/docs/other",
            },
        ],
        "limits": BOUNDS,
    }


def test_a_service_that_wants_a_key_says_so() -> None:
    said = told("/.well-known/mcp", Facts(PUBLIC_URL, anonymous=False), TOOLSET)
    assert said["authentication"] == {"required": True, "schemes": ["bearer"]}


def test_budgets_come_before_the_bounds_by_the_names_they_are_given() -> None:
    facts = Facts(PUBLIC_URL, limits={"per_minute": 60, "concurrent": 4})
    for path in ("/.well-known/mcp", "/docs", "/docs/desk"):
        said = told(path, facts, TOOLSET)["limits"]
        assert list(said.items()) == [("per_minute", 60), ("concurrent", 4), *BOUNDS.items()]


def test_the_docs_describe_the_main_toolset_and_point_to_all(client: httpx.Client) -> None:
    lists = ask(client, "/mcp", "tools/list")
    assert client.get("/docs").json() == {
        "name": "paperdesk-desk",
        "version": __version__,
        "protocol_version": "2025-11-25",
        "supported_protocol_versions": VERSIONS,
        "endpoint": "/mcp",
        "url": "https://desk.example.org/mcp",
        "tools": lists["tools"],
        "resourceTemplates": [],
        "prompts": [],
        "errors": [],
        "limits": BOUNDS,
        "toolsets": [
            {
                "toolset": "desk",
                "title": "paperdesk desk",
                "endpoint": "/mcp",
                "documentation_url": "https://desk.example.org/docs/desk",
            },
            {
                "toolset": "other",
                "title": "paperdesk other",
                "endpoint": "/mcp/other",
                "documentation_url": "https://desk.example.org/docs/other",
            },
        ],
    }


def test_a_toolsets_docs_describe_it_alone(client: httpx.Client) -> None:
    other = client.get("/docs/other").json()
    assert (other["name"], other["endpoint"]) == ("paperdesk-other", "/mcp/other")
    assert other["tools"] == ask(client, "/mcp/other", "tools/list")["tools"]
    assert "toolsets" not in other
    whole = client.get("/docs").json()
    assert client.get("/docs/desk").json() == {key: value for key, value in whole.items() if key != "toolsets"}


@pytest.fixture(scope="module")
def catalog(sample_directory: Any) -> Iterator[httpx.Client]:
    with serve_catalog(sample_directory) as url, httpx.Client(base_url=url) as client:
        yield client


def test_the_catalogs_docs_are_its_lists(catalog: httpx.Client) -> None:
    # hosting A14
    said = catalog.get("/docs").json()
    assert len(said["tools"]) == 21
    assert said["tools"] == ask(catalog, "/mcp", "tools/list")["tools"]
    assert said["resourceTemplates"] == ask(catalog, "/mcp", "resources/templates/list")["resourceTemplates"]
    assert said["prompts"] == ask(catalog, "/mcp", "prompts/list")["prompts"]
    assert len(said["errors"]) == 14
    assert {key: said["errors"][1][key] for key in ("code", "retryable")} == {"code": "not_found", "retryable": False}
    assert all(error.keys() == {"code", "retryable", "meaning"} and error["meaning"] for error in said["errors"])


def test_a_toolset_that_is_off_is_in_no_document() -> None:
    # hosting A5
    bound = [BoundToolset(OTHER, None, clock=ManualClock())]
    served = documents(Facts(PUBLIC_URL), bound)
    assert sorted(served) == [
        "/",
        "/.well-known/ai-catalog.json",
        "/.well-known/mcp",
        "/.well-known/mcp.json",
        "/docs",
        "/docs/other",
        "/mcp/other/server-card",
        "/mcp/schema",
    ]
    for path in served:
        assert "desk desk" not in json.dumps(told(path, Facts(PUBLIC_URL), OTHER))
    said = told("/.well-known/mcp", Facts(PUBLIC_URL), OTHER)
    assert said["transport"]["url"] == "https://desk.example.org/mcp/other"
    assert told("/docs", Facts(PUBLIC_URL), OTHER)["name"] == "paperdesk-other"


@pytest.mark.anyio
async def test_documents_lie_below_the_public_urls_path_and_link_there() -> None:
    # hosting A6
    app = create_app(desk_service(Desk()), front("https://example.org", "/desk"))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="https://example.org") as client:
        for path in PATHS:
            below = await client.get(f"/desk{path}".rstrip("/"))
            assert below.status_code == 200
            assert (await client.get(f"/desk{path}".rstrip("/") + "/")).content == below.content
            assert (await client.get(path)).status_code == 404
            page = (await client.get(f"/desk{path}?format=html")).text
            for found in (below.text, page):
                own = found.replace("https://example.org/desk/", "")
                assert "https://example.org" not in own and "desk.example.org" not in own
        said = (await client.get("/desk/docs")).json()
        assert [each["endpoint"] for each in said["toolsets"]] == ["/desk/mcp", "/desk/mcp/other"]
        assert said["endpoint"] == "/desk/mcp"


# In which form


@pytest.mark.parametrize("path", DOCS)
def test_the_docs_are_a_page_for_who_prefers_one_and_json_for_all_others(client: httpx.Client, path: str) -> None:
    # hosting A14
    def kind(accept: str | None, query: str = "") -> str:
        request = client.build_request("GET", path + query)
        del request.headers["accept"]
        if accept is not None:
            request.headers["accept"] = accept
        answer = client.send(request)
        assert (answer.status_code, answer.headers["vary"]) == (200, "Accept")
        return str(answer.headers["content-type"])

    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
    assert [kind(accept) for accept in ("text/html", browser)] == [HTML_TYPE] * 2
    assert [kind(accept) for accept in (None, "*/*", JSON_TYPE, "text/html, */*")] == [JSON_TYPE] * 4
    assert kind(browser, "?format=json") == JSON_TYPE
    assert kind(JSON_TYPE, "?format=html") == HTML_TYPE
    assert kind(browser, "?format=xml&other=1") == HTML_TYPE


def test_the_schema_is_json_whatever_is_asked_for(client: httpx.Client) -> None:
    schema = client.get("/mcp/schema?format=html", headers={"accept": "text/html"})
    assert schema.headers["content-type"] == JSON_TYPE
    assert schema.content == client.get("/docs").content
    assert "vary" not in schema.headers


@pytest.mark.parametrize("path", CARDS)
def test_a_card_is_a_card_whatever_is_asked_for(client: httpx.Client, path: str) -> None:
    # hosting A12
    for accept in ("application/mcp-server-card+json", "text/html", "*/*"):
        answer = client.get(path, headers={"accept": accept})
        assert answer.headers["content-type"] == "application/mcp-server-card+json"
        assert answer.content == client.get(path).content


def test_the_aliases_give_the_same_bytes(client: httpx.Client) -> None:
    # hosting A12
    assert len({client.get(path).content for path in ("/.well-known/mcp", "/.well-known/mcp.json")}) == 1
    assert len({client.get(path).content for path in ("/", "/docs", "/mcp/schema")}) == 1
    assert len({client.get(path).content for path in CARDS if "other" not in path}) == 1
    assert client.get("/.well-known/ai-catalog.json").headers["content-type"] == "application/ai-catalog+json"


# How they are served


@pytest.mark.parametrize("path", PATHS)
def test_every_document_is_tagged_cached_and_readable_from_any_site(client: httpx.Client, path: str) -> None:
    # hosting A45, A7 (part)
    answer = client.get(path, headers={"origin": "https://anyone.example"})
    assert answer.headers["etag"] == f'"{hashlib.sha256(answer.content).hexdigest()[:32]}"'
    assert answer.headers["cache-control"] == "public, max-age=3600"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-methods"] == "GET"
    assert answer.headers["access-control-allow-headers"] == "Content-Type, If-None-Match"
    assert answer.headers["access-control-expose-headers"] == "ETag"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-credentials" not in answer.headers
    if path != "/":
        assert client.get(f"{path}/").content == answer.content


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("page", [False, True])
def test_a_reader_who_has_it_is_not_given_it_again(client: httpx.Client, path: str, page: bool) -> None:
    # hosting A16
    asked = {"accept": "text/html"} if page else {}
    whole = client.get(path, headers=asked)
    tag = whole.headers["etag"]
    dropped = {"content-type", "content-length", "date", "x-request-id"}
    for held in (tag, f"W/{tag}", "*", f'"x", {tag}', f'W/"y",W/{tag}, "z"'):
        for method in ("GET", "HEAD"):
            answer = client.request(method, path, headers={**asked, "if-none-match": held})
            assert (answer.status_code, answer.content) == (304, b"")
            assert not {"content-type", "content-length"} & set(answer.headers)
            kept = {name: value for name, value in answer.headers.items() if name not in dropped}
            assert kept == {name: value for name, value in whole.headers.items() if name not in dropped}
    for other in ('"x"', f'"{tag[1:-2]}"', tag.strip('"'), "", f'"{tag[1:-1]}x"'):
        answer = client.get(path, headers={**asked, "if-none-match": other})
        assert (answer.status_code, answer.content) == (200, whole.content)


def test_the_two_forms_have_tags_of_their_own(client: httpx.Client) -> None:
    page = client.get("/docs", headers={"accept": "text/html"}).headers["etag"]
    assert client.get("/docs", headers={"if-none-match": page}).status_code == 200


@pytest.mark.parametrize("path", PATHS)
def test_a_head_is_the_get_without_its_body(client: httpx.Client, path: str) -> None:
    get, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    passing = {"date", "x-request-id"}
    assert {k: v for k, v in head.headers.items() if k not in passing} == {
        k: v for k, v in get.headers.items() if k not in passing
    }


@pytest.mark.parametrize("path", PUBLIC)
def test_a_preflight_of_a_public_document_is_answered(client: httpx.Client, path: str) -> None:
    asked = {
        "origin": "https://anyone.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "if-none-match",
    }
    answer = client.options(path, headers=asked)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-methods"] == "GET"
    assert answer.headers["access-control-allow-headers"] == "Content-Type, If-None-Match"


@pytest.mark.parametrize("path", PATHS)
def test_a_document_is_only_read(client: httpx.Client, path: str) -> None:
    # hosting A8 (405 of documents)
    allowed = ["GET", "HEAD", "OPTIONS"] if path in PUBLIC else ["GET", "HEAD"]
    for method in {"POST", "PUT", "DELETE", "PATCH", "OPTIONS"} - set(allowed):
        answer = client.request(method, path)
        assert answer.status_code == 405
        assert answer.headers["allow"] == ", ".join(allowed)
        assert answer.json() == {
            "error": "method_not_allowed",
            "message": f"Use {', '.join(allowed)}.",
            "allowed": allowed,
        }


def test_a_document_needs_an_allowed_host(client: httpx.Client) -> None:
    # hosting A9 (part)
    assert client.get("/docs", headers={"host": "evil.example"}).status_code == 421


def test_no_login_is_announced_and_no_other_path_is_a_document(client: httpx.Client) -> None:
    # hosting A4
    for path in (
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/docs/nope",
        "/docs//desk",
        "/Docs",
        "/mcp/nope/server-card",
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.json()["endpoints"]) == (404, ["/mcp", "/mcp/other"])
