"""The documents: what the service says of itself to clients, scanners, registries and readers.

All are made once, from the registry and the deployment's facts; equal ones give equal bytes in every process.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from starlette.types import ASGIApp

from server.pages.cards import CARD_TYPE, CATALOG_TYPE, ai_catalog, server_card
from server.pages.descriptions import docs_description, service_description, toolset_description
from server.pages.facts import MAIN_PATH, Facts, card_path, docs_path
from server.pages.page import page
from server.pages.served import Document, Form
from server.registry import BoundToolset

JSON_TYPE = "application/json"
CARD_ALIASES = ("/.well-known/mcp/server-card.json", "/.well-known/mcp-server-card")


def documents(facts: Facts, toolsets: Sequence[BoundToolset]) -> Mapping[str, ASGIApp]:
    """Every document by its path below the public URL's; links in them are absolute.

    `toolsets` are those served, in their order. A trailing slash, the `Host` and all that surrounds a request are the
    caller's matter.
    """
    served: dict[str, ASGIApp] = {}
    described = _public(JSON_TYPE, service_description(facts, toolsets))
    served["/.well-known/mcp"] = served["/.well-known/mcp.json"] = described
    served["/.well-known/ai-catalog.json"] = _public(
        CATALOG_TYPE, ai_catalog(facts, [bound.toolset for bound in toolsets])
    )
    for bound in toolsets:
        card = _public(CARD_TYPE, server_card(facts, bound.toolset))
        served[card_path(bound.toolset)] = card
        if bound.toolset.path == MAIN_PATH:
            served |= dict.fromkeys(CARD_ALIASES, card)
        served[docs_path(bound.toolset)] = Document(
            _json(JSON_TYPE, toolset_description(facts, bound)), page=page(facts, toolsets, only=bound)
        )
    whole = _json(JSON_TYPE, docs_description(facts, toolsets))
    served["/docs"] = served["/"] = Document(whole, page=page(facts, toolsets))
    served["/mcp/schema"] = Document(whole)
    return served


def _public(media_type: str, value: Any) -> Document:
    return Document(_json(media_type, value), preflights=True)


def _json(media_type: str, value: Any) -> Form:
    return Form(media_type, orjson.dumps(value))
