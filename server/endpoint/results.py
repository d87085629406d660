"""The wire form of what a toolset answers, and what only one era adds to it: rules that every dispatcher shares."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
import orjson
from mcp_types.methods import CacheableMethod, serialize_server_result

from server import __version__
from server.envelope import MODERN_VERSION, OLD_VERSIONS
from server.registry import BoundToolset, ToolOutcome
from server.resources import RESOURCE_TTL_MS

LIST_TTL_MS = 3_600_000

COMPLETE = {"resultType": "complete"}
"""What every modern result says."""

TTLS_MS: Mapping[CacheableMethod, int] = {
    "server/discover": LIST_TTL_MS,
    "tools/list": LIST_TTL_MS,
    "prompts/list": LIST_TTL_MS,
    "resources/list": LIST_TTL_MS,
    "resources/templates/list": LIST_TTL_MS,
    "resources/read": RESOURCE_TTL_MS,
}
"""How long a client may keep a modern result that does not say so itself; all of them are public."""

_KEEPING = ("ttlMs", "cacheScope")


def server_info(bound: BoundToolset) -> dict[str, str]:
    """What an endpoint says of itself; it rides on every modern result, so it is short."""
    return {"name": bound.toolset.server_name, "title": bound.toolset.title, "version": __version__}


def methods_of(bound: BoundToolset) -> frozenset[str]:
    """The methods that a toolset offers in both eras."""
    methods = {*lists_of(bound), "tools/call"}
    if bound.toolset.resources:
        methods.add("resources/read")
    if bound.toolset.prompts:
        methods.add("prompts/get")
    if bound.toolset.completes:
        methods.add("completion/complete")
    return frozenset(methods)


def lists_of(bound: BoundToolset) -> dict[str, dict[str, Any]]:
    """The result of each list method that the toolset offers, without what only one era has."""
    lists: dict[str, dict[str, Any]] = {"tools/list": {"tools": bound.tools_list}}
    if bound.toolset.resources:
        # Often nothing stands at a fixed address, but only a handler of this method makes the capability appear.
        lists["resources/list"] = {"resources": bound.resources.fixed}
        lists["resources/templates/list"] = {"resourceTemplates": bound.resources.listed}
    if bound.toolset.prompts:
        lists["prompts/list"] = {"prompts": bound.prompts.listed}
    return lists


def serialised_lists(bound: BoundToolset) -> dict[tuple[str, bool], bytes]:
    """The bytes of each list by its method and whether it is the modern one; made once, at start."""
    info = server_info(bound)
    return {
        (method, modern): _serialised(method, modern_result(method, listed, info) if modern else listed, modern=modern)
        for method, listed in lists_of(bound).items()
        for modern in (False, True)
    }


def serialised_openings(bound: BoundToolset) -> dict[str, bytes]:
    """The bytes of what an endpoint says of itself by protocol version: `initialize`, and `server/discover`."""
    about = {"capabilities": capabilities_of(bound), "instructions": bound.toolset.instructions}
    info = server_info(bound)
    openings = {
        version: _serialised("initialize", {"protocolVersion": version, "serverInfo": info, **about}, modern=False)
        for version in OLD_VERSIONS
    }
    discovered = modern_result("server/discover", {"supportedVersions": [MODERN_VERSION], **about}, info)
    return {**openings, MODERN_VERSION: _serialised("server/discover", discovered, modern=True)}


def capabilities_of(bound: BoundToolset) -> dict[str, dict[str, bool]]:
    """What a toolset can do; nothing of it ever changes while it is served."""
    capabilities: dict[str, dict[str, bool]] = {"tools": {"listChanged": False}}
    if bound.toolset.resources:
        capabilities["resources"] = {"subscribe": False, "listChanged": False}
    if bound.toolset.prompts:
        capabilities["prompts"] = {"listChanged": False}
    if bound.toolset.completes:
        capabilities["completions"] = {}
    return capabilities


def modern_result(method: str, result: Mapping[str, Any], info: Mapping[str, str]) -> dict[str, Any]:
    """A result with what only modern ones have; a method that `TTLS_MS` knows may be kept by the client."""
    made = {**result, **COMPLETE}
    ttl_ms = TTLS_MS.get(method)  # type: ignore[call-overload]
    if ttl_ms is not None:
        made = {"ttlMs": ttl_ms, "cacheScope": "public", **made}
    made["_meta"] = {**result.get("_meta", {}), types.SERVER_INFO_META_KEY: info}
    return made


def old_result(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result without what only modern ones say of their keeping."""
    return {name: value for name, value in result.items() if name not in _KEEPING}


def call_result(outcome: ToolOutcome, *, is_encoded: bool = False) -> dict[str, Any]:
    """The wire form of an outcome, without what only one era has; `is_encoded` puts in what was encoded before."""
    texts = [{"type": "text", "text": text} for text in outcome.texts]
    result: dict[str, Any] = {"content": [*texts, *outcome.blocks]}
    if outcome.structured is not None:
        result["structuredContent"] = orjson.Fragment(outcome.encoded) if is_encoded else outcome.structured
    if outcome.meta is not None:
        result["_meta"] = outcome.meta
    result["isError"] = outcome.is_error
    return result


def _serialised(method: str, result: Mapping[str, Any], *, modern: bool) -> bytes:
    # Only to prove, at start, that the result has the form of its era.
    serialize_server_result(method, MODERN_VERSION if modern else OLD_VERSIONS[0], result)
    return orjson.dumps(result)
