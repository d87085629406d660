"""Server cards, the AI catalog and the registry files, held against the published forms."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from desk_toolset import OTHER, TOOLSET
from jsonschema import Draft202012Validator
from live import PUBLIC_URL

from server import __version__
from server.pages.cards import ai_catalog, registry_files, server_card
from server.pages.facts import Facts
from server.reference import main, registry_facts
from server.registry import Toolset
from server.served import TOOLSETS

ROOT = Path(__file__).resolve().parents[3]
MODERN = {
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "server/discover",
}
TEXT = {"type": "string", "minLength": 1, "maxLength": 100}
NAME = {"type": "string", "minLength": 3, "maxLength": 200, "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"}
HEADER = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
    },
    "additionalProperties": False,
}
# What the published v1 schema of the server card extension asks for, as far as a card of ours may go.
CARD = Draft202012Validator(
    {
        "type": "object",
        "required": ["$schema", "name", "version", "description", "title", "websiteUrl", "remotes"],
        "properties": {
            "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"},
            "name": NAME,
            "version": {"type": "string", "maxLength": 255, "pattern": r"^\d+\.\d+\.\d+$"},
            "description": TEXT,
            "title": TEXT,
            "websiteUrl": {"type": "string", "pattern": "^https?://"},
            "repository": {
                "type": "object",
                "required": ["url", "source"],
                "properties": {"url": {"type": "string"}, "source": {"type": "string"}},
                "additionalProperties": False,
            },
            "remotes": {
                "type": "array",
                "minItems": 1,
                "maxItems": 1,
                "items": {
                    "type": "object",
                    "required": ["type", "url", "supportedProtocolVersions"],
                    "properties": {
                        "type": {"const": "streamable-http"},
                        "url": {"type": "string", "pattern": r"^https?://[^\s]+$"},
                        "supportedProtocolVersions": {"type": "array", "items": {"type": "string"}},
                        "headers": {"type": "array", "items": HEADER},
                    },
                    "additionalProperties": False,
                },
            },
        },
        "additionalProperties": False,
    }
)
EVERY = [*TOOLSETS, TOOLSET, OTHER]


def test_a_card_says_who_and_where() -> None:
    # hosting A12
    assert server_card(Facts(PUBLIC_URL), OTHER) == {
        "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
        "name": "org.paperdesk/paperdesk-other",
        "title": "paperdesk other",
        "description": "Another toolset",
        "version": __version__,
        "websiteUrl": "https://desk.example.org/docs/other",
        "remotes": [
            {
                "type": "streamable-http",
                "url": "https://desk.example.org/mcp/other",
                "supportedProtocolVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
            }
        ],
    }


@pytest.mark.parametrize("anonymous", [True, False])
def test_a_card_tells_of_keys_where_there_are_some(anonymous: bool) -> None:
    (remote,) = server_card(Facts(PUBLIC_URL, anonymous=anonymous, has_keys=True), OTHER)["remotes"]
    (header,) = remote["headers"]
    assert (header["name"], header["isRequired"], header["isSecret"]) == ("Authorization", not anonymous, True)


@pytest.mark.parametrize(
    ("repository", "source"),
    [
        ("https://github.com/example/paperdesk", "github"),
        ("https://gitlab.com/example/paperdesk", "gitlab"),
        ("https://git.example.org/paperdesk", "git.example.org"),
    ],
)
def test_a_card_names_the_repository_of_a_deployment(repository: str, source: str) -> None:
    facts = Facts(PUBLIC_URL, namespace="org.example", repository=repository)
    card = server_card(facts, OTHER)
    assert card["repository"] == {"url": repository, "source": source}
    assert card["name"] == "org.example/paperdesk-other"


@pytest.mark.parametrize("toolset", EVERY, ids=lambda toolset: toolset.id)
def test_every_card_has_the_published_form(toolset: Toolset) -> None:
    # hosting A12
    CARD.validate(server_card(Facts(PUBLIC_URL), toolset))
    CARD.validate(server_card(Facts(PUBLIC_URL, has_keys=True, repository="https://github.com/a/b"), toolset))


@pytest.mark.parametrize("text", ["", "x" * 101])
def test_a_text_that_no_card_holds_stops_the_start(text: str) -> None:
    for wrong in (replace(OTHER, description=text), replace(OTHER, title=text)):
        with pytest.raises(ValueError, match="1 to 100 characters"):
            server_card(Facts(PUBLIC_URL), wrong)


@pytest.mark.parametrize("endpoint", ["/mcp", "/mcp/other"])
def test_a_card_agrees_with_what_its_endpoint_says_of_itself(client: httpx.Client, endpoint: str) -> None:
    # hosting A12
    card = client.get(f"{endpoint}/server-card").json()
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    old = client.post(endpoint, json={"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}).json()
    envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    ask = {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": envelope}}
    new = client.post(endpoint, json=ask, headers=MODERN).json()
    server_info = new["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]
    for said in (old["result"]["serverInfo"], server_info):
        assert card["name"].split("/")[1] == said["name"]
        assert (card["version"], card["title"]) == (said["version"], said["title"])
    assert card["remotes"][0]["supportedProtocolVersions"][:1] == new["result"]["supportedVersions"]


def test_every_document_names_the_one_version(client: httpx.Client) -> None:
    for path in ("/health", "/.well-known/mcp", "/mcp/server-card", "/docs", "/docs/other"):
        assert client.get(path).json()["version"] == __version__, path
    assert f"version {__version__}" in client.get("/docs?format=html").text


def test_the_ai_catalog_lists_a_card_of_each_toolset(client: httpx.Client) -> None:
    # hosting A12
    said = client.get("/.well-known/ai-catalog.json").json()
    assert said == {
        "specVersion": "1.0",
        "entries": [
            {
                "identifier": "urn:air:desk.example.org:mcp:paperdesk-desk",
                "type": "application/mcp-server-card+json",
                "url": "https://desk.example.org/mcp/server-card",
            },
            {
                "identifier": "urn:air:desk.example.org:mcp:paperdesk-other",
                "type": "application/mcp-server-card+json",
                "url": "https://desk.example.org/mcp/other/server-card",
            },
        ],
    }
    for entry in said["entries"]:
        card = client.get(entry["url"].removeprefix(PUBLIC_URL)).json()
        CARD.validate(card)
        assert entry["identifier"].endswith(f":{card['name'].split('/')[1]}")


def test_the_ai_catalog_names_the_host_without_its_port() -> None:
    (entry,) = ai_catalog(Facts("http://127.0.0.1:7860/desk"), [OTHER])["entries"]
    assert entry["identifier"] == "urn:air:127.0.0.1:mcp:paperdesk-other"
    assert entry["url"] == "http://127.0.0.1:7860/desk/mcp/other/server-card"


# Registry files


def stored() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (ROOT / "deploy").glob("server*.json")}


def test_the_registry_files_are_those_that_would_be_written() -> None:
    # hosting A13
    assert stored() == registry_files(registry_facts({}), TOOLSETS), "run `make docs`"


def test_a_registry_file_of_another_version_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    # hosting A13
    monkeypatch.setattr("server.pages.cards.__version__", "99.0.0")
    assert stored() != registry_files(registry_facts({}), TOOLSETS)
    assert all(orjson.loads(content)["version"] == __version__ for content in stored().values())


def test_a_registry_file_says_what_its_card_says() -> None:
    # hosting A13
    facts = registry_facts({})
    files = registry_files(facts, [*TOOLSETS, OTHER])
    assert list(files) == [
        "server.json",
        "server.references.json",
        *(f"server.{name}.json" for name in ("evidence", "scan", "connector", "other")),
    ]
    for toolset, content in zip([*TOOLSETS, OTHER], files.values(), strict=True):
        card: dict[str, Any] = server_card(facts, toolset)
        entry = orjson.loads(content)
        assert entry == {
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            **{key: card[key] for key in ("name", "title", "description", "version", "websiteUrl")},
            "remotes": [{key: card["remotes"][0][key] for key in ("type", "url")}],
        }


def test_registry_files_of_another_deployment_are_written_on_demand(tmp_path: Path) -> None:
    environment = {"PAPERDESK_PUBLIC_URL": "https://desk.example.org", "PAPERDESK_NAMESPACE": "org.example"}
    main([str(tmp_path)], environment)
    entry = orjson.loads((tmp_path / "server.json").read_bytes())
    assert entry["name"] == "org.example/paperdesk-catalog"
    assert entry["remotes"] == [{"type": "streamable-http", "url": "https://desk.example.org/mcp"}]
