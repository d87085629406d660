"""The service description at `/.well-known/mcp` and the JSON form of `/docs` (hosting contract 1.5 and 1.7)."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from server import __version__
from server.pages.facts import (
    DESCRIPTION,
    PROTOCOL_VERSION,
    PROTOCOL_VERSIONS,
    Facts,
    card_path,
    docs_path,
    main_of,
)
from server.registry import BoundToolset


def service_description(facts: Facts, toolsets: Sequence[BoundToolset]) -> dict[str, Any]:
    """What the service is, where its endpoints are and what it allows."""
    return {
        "name": "paperdesk",
        "title": "paperdesk",
        "description": DESCRIPTION,
        "version": __version__,
        "transport": {"type": "streamable-http", "url": facts.url(main_of(toolsets).toolset.path)},
        "protocol_version": PROTOCOL_VERSION,
        "supported_protocol_versions": list(PROTOCOL_VERSIONS),
        "documentation_url": facts.url("/docs"),
        "setup_url": facts.url("/docs#connect"),
        "authentication": {"required": not facts.anonymous, "schemes": ["bearer"]},
        "endpoints": [
            {
                "toolset": bound.toolset.id,
                "title": bound.toolset.title,
                "description": bound.toolset.description,
                "url": facts.url(bound.toolset.path),
                "tools": len(bound.names),
                "server_card": facts.url(card_path(bound.toolset)),
                "documentation_url": facts.url(docs_path(bound.toolset)),
            }
            for bound in toolsets
        ],
        "limits": facts.limits_and_bounds,
    }


def toolset_description(facts: Facts, bound: BoundToolset) -> dict[str, Any]:
    """One toolset with everything that its lists say."""
    toolset = bound.toolset
    return {
        "name": toolset.server_name,
        "version": __version__,
        "protocol_version": PROTOCOL_VERSION,
        "supported_protocol_versions": list(PROTOCOL_VERSIONS),
        "endpoint": facts.path(toolset.path),
        "url": facts.url(toolset.path),
        "tools": bound.tools_list,
        **({"resources": bound.resources.fixed} if bound.resources.fixed else {}),
        "resourceTemplates": bound.resources.listed,
        "prompts": bound.prompts.listed,
        "errors": [asdict(error) for error in toolset.errors],
        "limits": facts.limits_and_bounds,
    }


def docs_description(facts: Facts, toolsets: Sequence[BoundToolset]) -> dict[str, Any]:
    """The main toolset, and where the others are described."""
    return {
        **toolset_description(facts, main_of(toolsets)),
        "toolsets": [
            {
                "toolset": bound.toolset.id,
                "title": bound.toolset.title,
                "endpoint": facts.path(bound.toolset.path),
                "documentation_url": facts.url(docs_path(bound.toolset)),
            }
            for bound in toolsets
        ],
    }
