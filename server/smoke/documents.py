"""The documents that clients, scanners and people read: description, cards, AI catalog, `/docs`, and their caching."""

from typing import Any

import httpx

from server.envelope import MODERN_VERSION, OLD_VERSIONS
from server.smoke.target import DESCRIPTION_PATH, Json, Target
from server.smoke.verdict import json_of, media_type, require, require_status, short

JSON_TYPE = "application/json"
CARD_TYPE = "application/mcp-server-card+json"
AI_CATALOG_TYPE = "application/ai-catalog+json"
AI_CATALOG_PATH = "/.well-known/ai-catalog.json"
DOCS_PATH = "/docs"
CARD_PATH = "/mcp/server-card"
ALIASES = {
    "/.well-known/mcp.json": DESCRIPTION_PATH,
    "/.well-known/mcp/server-card.json": CARD_PATH,
    "/.well-known/mcp-server-card": CARD_PATH,
}
DESCRIPTION_KEYS = (
    "name",
    "title",
    "description",
    "version",
    "transport",
    "protocol_version",
    "supported_protocol_versions",
    "documentation_url",
    "setup_url",
    "authentication",
    "endpoints",
    "limits",
)


def are_served(target: Target) -> None:
    """Each document has its type and agrees with the others, and each is cached by its `ETag`."""
    _description(target)
    cards = [_card(target, row) for row in target.description["endpoints"]]
    _ai_catalog(target, cards)
    _docs(target)
    for alias, path in ALIASES.items():
        if path == CARD_PATH and not any(one.toolset == "catalog" for one in target.listed):
            continue
        same = target.get(alias)
        require_status(same, 200, alias)
        require(same.content == target.get(path).content, f"{alias}: not the bytes of {path}")


def _description(target: Target) -> None:
    said = target.description
    missing = [key for key in DESCRIPTION_KEYS if key not in said]
    require(not missing, f"{DESCRIPTION_PATH}: without {', '.join(missing)}")
    require(bool(target.listed), f"{DESCRIPTION_PATH}: no endpoints")
    versions = [MODERN_VERSION, *OLD_VERSIONS]
    require(
        said["supported_protocol_versions"] == versions,
        f"{DESCRIPTION_PATH}: supported_protocol_versions is {short(said['supported_protocol_versions'])}",
    )
    _cached(target, DESCRIPTION_PATH, JSON_TYPE)


def _card(target: Target, row: Json) -> str:
    """One endpoint's card agrees with its row; answers the card's public address."""
    toolset, url = row["toolset"], str(row.get("server_card", ""))
    require(bool(url), f"{DESCRIPTION_PATH}: {toolset} names no server_card")
    card = _cached(target, target.here(url), CARD_TYPE)
    remotes = card.get("remotes")
    served = remotes[0].get("url") if isinstance(remotes, list) and remotes and isinstance(remotes[0], dict) else None
    require(served == row["url"], f"{target.here(url)}: its remote is {short(served)} instead of {row['url']}")
    return url


def _ai_catalog(target: Target, cards: list[str]) -> None:
    entries = _cached(target, AI_CATALOG_PATH, AI_CATALOG_TYPE).get("entries")
    urls = [entry.get("url") for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    require(urls == cards, f"{AI_CATALOG_PATH}: its cards are not those of {DESCRIPTION_PATH}")


def _docs(target: Target) -> None:
    described = _cached(target, DOCS_PATH, JSON_TYPE)
    require(bool(described.get("tools")), f"{DOCS_PATH}: no tools in its JSON")
    page = target.get(DOCS_PATH, {"Accept": "text/html"})
    require_status(page, 200, f"{DOCS_PATH} as HTML")
    require(media_type(page) == "text/html", f"{DOCS_PATH} as HTML: its type is {media_type(page)}")
    _revalidated(target, DOCS_PATH, page, {"Accept": "text/html"})
    for row in target.description["endpoints"]:
        url = target.here(str(row.get("documentation_url", "")))
        answer = target.get(url, {"Accept": JSON_TYPE})
        require_status(answer, 200, url)
        require(len(json_of(answer, url).get("tools", ())) == row["tools"], f"{url}: not {row['tools']} tools")


def _cached(target: Target, where: str, wanted_type: str) -> Any:
    """The JSON of a document that has its type and is answered 304 to who has it."""
    answer = target.get(where)
    require_status(answer, 200, where)
    require(media_type(answer) == wanted_type, f"{where}: its type is {media_type(answer)} instead of {wanted_type}")
    value = json_of(answer, where)
    _revalidated(target, where, answer, {})
    return value


def _revalidated(target: Target, where: str, answer: httpx.Response, headers: dict[str, str]) -> None:
    tag = answer.headers.get("etag", "")
    require(bool(tag), f"{where}: no ETag")
    again = target.get(where, {**headers, "If-None-Match": tag})
    require_status(again, 304, f"{where} with its ETag")
    require(not again.content, f"{where} with its ETag: a body with 304")
