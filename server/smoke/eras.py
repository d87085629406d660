"""Each endpoint in both eras of the protocol: its opening, its tools, and one call that gives the same in both."""

import uuid
from dataclasses import dataclass, field
from typing import Any

from server.envelope import MODERN_VERSION, OLD_VERSIONS
from server.smoke.target import Era, Json, Listed, Target, error_code
from server.smoke.verdict import Failed, require, require_status, short

CLIENT = {"name": "paperdesk-smoke", "version": "1"}


@dataclass(frozen=True, slots=True)
class CheapCall:
    """A call that asks nothing of the outside, stores nothing and draws on no scarce budget."""

    tool: str
    arguments: Json = field(default_factory=dict)
    absent: str | None = None
    """The failure of a deployment that has nothing of the kind."""


CHEAP_CALLS = {
    "catalog": CheapCall("list_recent_papers", {"limit": 1}),
    "references": CheapCall("doiget_health"),
    "evidence": CheapCall("list_digests", absent="unavailable"),
    # An id that nobody has: the answer is an ordinary result, and nothing is started.
    "scan": CheapCall("scan_result", {"scan_id": str(uuid.uuid4())}),
    "connector": CheapCall("search", {"query": "attention"}),
}


def older_era_is_served(target: Target) -> None:
    """2025-era: `initialize`, `notifications/initialized`, `tools/list` with the right number, one call."""
    for endpoint in target.endpoints:
        who = target.tag(f"2025-{endpoint.toolset}")
        opening = {"protocolVersion": OLD_VERSIONS[0], "capabilities": {}, "clientInfo": CLIENT}
        opened = target.result(endpoint, "initialize", opening, era="2025", headers=who)
        _same(endpoint, "initialize answers version", opened.get("protocolVersion"), OLD_VERSIONS[0])
        _same(endpoint, "serverInfo.name", _server_name(opened.get("serverInfo")), f"paperdesk-{endpoint.toolset}")
        told = target.notify(endpoint, "notifications/initialized", headers=who)
        require_status(told, 202, f"{endpoint.path} notifications/initialized")
        require(not told.content, f"{endpoint.path} notifications/initialized: a body with 202")
        tools = _tools(target, endpoint, "2025", who)
        target.called[endpoint.toolset] = _called(target, endpoint, tools, "2025", who)


def newer_era_is_served(target: Target) -> None:
    """2026-era: `server/discover`, `tools/list`, and the same call with equal content."""
    for endpoint in target.endpoints:
        who = target.tag(f"2026-{endpoint.toolset}")
        found = target.result(endpoint, "server/discover", era="2026", headers=who)
        _same(endpoint, "server/discover answers supportedVersions", found.get("supportedVersions"), [MODERN_VERSION])
        tools = _tools(target, endpoint, "2026", who)
        content = _called(target, endpoint, tools, "2026", who)
        # Where the older era failed there is nothing to be equal to, and that check has said so.
        before = target.called.get(endpoint.toolset, content)
        require(content == before, f"{endpoint.path}: the same call gives other content than in the older era")


def _tools(target: Target, endpoint: Listed, era: Era, who: dict[str, str]) -> list[Json]:
    tools = target.result(endpoint, "tools/list", era=era, headers=who).get("tools")
    if not isinstance(tools, list):
        raise Failed(f"{endpoint.path} tools/list: no list of tools")
    require(len(tools) == endpoint.tools, f"{endpoint.path} tools/list: {len(tools)} tools instead of {endpoint.tools}")
    return tools


def _called(target: Target, endpoint: Listed, tools: list[Json], era: Era, who: dict[str, str]) -> Any:
    """What the endpoint's cheap call gives: its structured content, or its texts where it has none."""
    call = CHEAP_CALLS.get(endpoint.toolset) or _first_without_arguments(tools)
    if call is None:
        return None
    params = {"name": call.tool, "arguments": call.arguments}
    result = target.result(endpoint, "tools/call", params, era=era, headers=who)
    if result.get("isError"):
        code = error_code(result)
        require(code is not None and code == call.absent, f"{endpoint.path} {call.tool}: failed with {short(code)}")
    content = result.get("structuredContent", result.get("content"))
    require(bool(content), f"{endpoint.path} {call.tool}: no content")
    return content


def _first_without_arguments(tools: list[Json]) -> CheapCall | None:
    """For a toolset that this release does not know."""
    for tool in tools:
        if not tool.get("inputSchema", {}).get("required"):
            return CheapCall(str(tool.get("name")))
    return None


def _server_name(info: Any) -> Any:
    return info.get("name") if isinstance(info, dict) else None


def _same(endpoint: Listed, what: str, got: Any, wanted: Any) -> None:
    require(got == wanted, f"{endpoint.path}: {what} {short(got)} instead of {short(wanted)}")
