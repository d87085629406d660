"""Server cards, the AI catalog and registry files: what a toolset is called and where it is reached, nothing more.

Shapes are hosting contract 1.6.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import orjson

from server import __version__
from server.pages.facts import MAIN_PATH, PROTOCOL_VERSIONS, Facts, card_path, docs_path
from server.registry import Toolset

CARD_SCHEMA = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
REGISTRY_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
CARD_TYPE = "application/mcp-server-card+json"
CATALOG_TYPE = "application/ai-catalog+json"
TEXT_MAX = 100
"""Longest title and longest description that a card or a registry takes."""

_FORGES = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "codeberg.org": "codeberg",
    "bitbucket.org": "bitbucket",
}


def server_card(facts: Facts, toolset: Toolset) -> dict[str, Any]:
    """The card of one endpoint. Raises `ValueError` for a title or description that a card cannot hold."""
    for text in (toolset.title, toolset.description):
        if not 1 <= len(text) <= TEXT_MAX:
            raise ValueError(f"{toolset.id}: title and description have 1 to {TEXT_MAX} characters each")
    remote: dict[str, Any] = {
        "type": "streamable-http",
        "url": facts.url(toolset.path),
        "supportedProtocolVersions": list(PROTOCOL_VERSIONS),
    }
    if facts.has_keys:
        remote["headers"] = [
            {
                "name": "Authorization",
                "description": "An API key of this service, written as: Bearer pdk_...",
                "isRequired": not facts.anonymous,
                "isSecret": True,
            }
        ]
    card = {"$schema": CARD_SCHEMA, **_identity(facts, toolset)}
    if facts.repository is not None:
        card["repository"] = {"url": facts.repository, "source": _forge(facts.repository)}
    return {**card, "remotes": [remote]}


def ai_catalog(facts: Facts, toolsets: Sequence[Toolset]) -> dict[str, Any]:
    """The list of all cards."""
    return {
        "specVersion": "1.0",
        "entries": [
            {
                "identifier": f"urn:air:{facts.host}:mcp:{toolset.server_name}",
                "type": CARD_TYPE,
                "url": facts.url(card_path(toolset)),
            }
            for toolset in toolsets
        ],
    }


def registry_files(facts: Facts, toolsets: Sequence[Toolset]) -> Mapping[str, bytes]:
    """By file name, what the public MCP registry is told of each toolset."""
    files = {}
    for toolset in toolsets:
        name = "server.json" if toolset.path == MAIN_PATH else f"server.{toolset.id}.json"
        entry = {
            "$schema": REGISTRY_SCHEMA,
            **_identity(facts, toolset),
            "remotes": [{"type": "streamable-http", "url": facts.url(toolset.path)}],
        }
        files[name] = orjson.dumps(entry, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    return files


def _identity(facts: Facts, toolset: Toolset) -> dict[str, Any]:
    return {
        "name": f"{facts.namespace}/{toolset.server_name}",
        "title": toolset.title,
        "description": toolset.description,
        "version": __version__,
        "websiteUrl": facts.url(docs_path(toolset)),
    }


def _forge(repository: str) -> str:
    host = (urlsplit(repository).hostname or "").removeprefix("www.")
    return _FORGES.get(host, host)
