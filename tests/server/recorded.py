"""Requests in all forms that clients send them, to be put to every dispatcher: openings, lists, calls, offers."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from server.registry import BoundToolset
from tests.server.toolsets.test_catalog_every_tool import DEFAULT_CALLS

OLD = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
ENVELOPE = {VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}
NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

Json = dict[str, Any]
Lines = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request: its header lines beside those that every request has, and its body."""

    group: str
    name: str
    lines: Lines
    body: bytes


def old(group: str, name: str, method: str, params: Any = None, version: str | None = "2025-11-25") -> Recorded:
    """A request of the 2025 era; without `params` it has none."""
    body: Json = {"jsonrpc": "2.0", "id": 1, "method": method}
    if params is not None:
        body["params"] = params
    lines = () if version is None else (("MCP-Protocol-Version", version),)
    return Recorded(group, f"{name}, {version}", lines, json.dumps(body).encode())


def modern(
    group: str,
    name: str,
    method: str,
    params: Mapping[str, Any] | None = None,
    *,
    meta: Any = ENVELOPE,
    changed: Mapping[str, str | None] | None = None,
    request_id: Any = 1,
) -> Recorded:
    """A modern request whose header lines agree with it but for those in `changed`; None leaves a line out."""
    params = {**(params or {}), "_meta": meta}
    lines: dict[str, str | None] = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    named = params.get(NAMED.get(method, ""))
    if isinstance(named, str):
        lines["Mcp-Name"] = named
    lines |= changed or {}
    body = json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()
    kept = tuple((name, value) for name, value in lines.items() if value is not None)
    return Recorded(group, f"{name}, modern", kept, body)


def both(group: str, name: str, method: str, params: Mapping[str, Any]) -> Iterator[Recorded]:
    """A request in both eras."""
    yield old(group, name, method, params)
    yield modern(group, name, method, params)


def openings() -> Iterator[Recorded]:
    """`initialize` and `server/discover`."""
    group = "openings"
    client = {"name": "t", "version": "1"}
    for header in (None, *OLD):
        for version in (*OLD, MODERN, "1999-01-01", ""):
            params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
            yield old(group, f"initialize {version!r}", "initialize", params, header)
    odd: dict[str, Json] = {
        "full client": {"clientInfo": {**client, "title": "T", "icons": [{"src": "x"}], "websiteUrl": "y", "z": 1}},
        "full capabilities": {"capabilities": {"sampling": {}, "roots": {"listChanged": True}, "experimental": {}}},
        "no name": {"clientInfo": {"version": "1"}},
        "no client": {"clientInfo": None},
        "client is text": {"clientInfo": "curl"},
        "icons are text": {"clientInfo": {**client, "icons": "x"}},
        "an icon without a source": {"clientInfo": {**client, "icons": [{}]}},
        "capabilities are a list": {"capabilities": []},
        "roots are text": {"capabilities": {"roots": "yes"}},
        "version is a number": {"protocolVersion": 20251125},
        "version is null": {"protocolVersion": None},
        "further members": {"more": [1, {"x": None}], "_meta": {"progressToken": 7}},
        "a bad token": {"_meta": {"progressToken": [1]}},
        "meta is text": {"_meta": "x"},
    }
    for name, change in odd.items():
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client, **change}
        yield old(group, f"initialize, {name}", "initialize", params)
    yield old(group, "initialize with nothing", "initialize", {})
    yield old(group, "initialize without parameters", "initialize")
    yield modern(group, "discover", "server/discover")
    yield modern(group, "discover, further members", "server/discover", {"more": 1})
    yield modern(group, "discover, a client", "server/discover", meta={**ENVELOPE, CLIENT_KEY: client})
    yield modern(group, "discover, a bad client", "server/discover", meta={**ENVELOPE, CLIENT_KEY: {"name": 1}})
    yield modern(group, "discover, bad capabilities", "server/discover", meta={**ENVELOPE, CAPABILITIES_KEY: []})
    yield modern(group, "discover, odd capabilities", "server/discover", meta={**ENVELOPE, CAPABILITIES_KEY: {"x": 1}})
    yield old(group, "discover", "server/discover", {"_meta": ENVELOPE})


def lists() -> Iterator[Recorded]:
    """All lists, with and without what looks like a page."""
    group = "lists"
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        for version in (None, *OLD):
            yield old(group, method, method, version=version)
        yield modern(group, method, method)
        cursors: tuple[Any, ...] = ("", None, "page2", 5, ["x"], {})
        for cursor in cursors:
            yield from both(group, f"{method}, cursor {cursor!r}", method, {"cursor": cursor})


def calls(bound: BoundToolset) -> Iterator[Recorded]:
    """Every tool with what it needs, and with what it cannot be called with."""
    group = "calls"
    for tool in bound.names:
        schema = bound.input_schema(tool)
        assert schema is not None
        _, good = DEFAULT_CALLS[tool]
        properties = list(schema["properties"])
        asked: dict[str, Any] = {
            "valid": good,
            "unknown argument": {**good, "no_such_argument": 1},
            "null arguments": None,
            "every argument null": dict.fromkeys(properties),
            "every argument blank": dict.fromkeys(properties, ""),
            "first argument of a wrong type": {**good, properties[0]: [{"x": 1}]},
            "last argument of a wrong type": {**good, properties[-1]: {"x": [None]}},
        }
        for name, arguments in asked.items():
            yield from both(group, f"{tool}, {name}", "tools/call", {"name": tool, "arguments": arguments})
        yield from both(group, f"{tool}, no arguments", "tools/call", {"name": tool})


def call_forms() -> Iterator[Recorded]:
    """Calls that are odd around the tool and its arguments."""
    group = "calls"
    good: Json = {"name": "search_papers", "arguments": {"query": "attention", "limit": 2}}
    odd: dict[str, Json] = {
        "no such tool": {"name": "serch_papers"},
        "a long name": {"name": "x" * 10_000},
        "a name with odd characters": {"name": "papers \u202e\u0000é", "arguments": {}},
        "no name": {"arguments": {}},
        "a null name": {"name": None},
        "a number for a name": {"name": 5},
        "arguments are a list": {**good, "arguments": [1]},
        "arguments are text": {**good, "arguments": "query"},
        "arguments are true": {**good, "arguments": True},
        "further members": {**good, "more": {"x": 1}},
        "a task": {**good, "task": {"ttl": 5}},
        "a task of text": {**good, "task": "now"},
        "a task of another kind": {**good, "task": {"ttl": "soon"}},
        "answers to questions": {**good, "inputResponses": {}},
        "odd answers to questions": {**good, "inputResponses": [1]},
        "a state": {**good, "requestState": "s"},
        "an odd state": {**good, "requestState": 5},
    }
    for name, params in odd.items():
        params = {**params, "name": params["name"]} if "name" in params else params
        yield old(group, name, "tools/call", params)
        header = params.get("name")
        plain = isinstance(header, str) and header.isascii() and len(header) < 100
        yield modern(group, name, "tools/call", params, changed={} if plain else {"Mcp-Name": "search_papers"})
    metas: dict[str, Any] = {
        "a number for a token": {"progressToken": 7},
        "text for a token": {"progressToken": "p-7"},
        "true for a token": {"progressToken": True},
        "a fraction for a token": {"progressToken": 1.5},
        "a null token": {"progressToken": None},
        "a list for a token": {"progressToken": [1]},
        "a trace": {"traceparent": "00-0-0-00", "x/y": {"z": [1, None]}},
        "a client": {CLIENT_KEY: {"name": "t", "version": "1"}},
        "half a client": {CLIENT_KEY: {"name": "t"}},
        "a null client": {CLIENT_KEY: None},
        "a log level": {"io.modelcontextprotocol/logLevel": "info"},
        "an odd log level": {"io.modelcontextprotocol/logLevel": "loud"},
        "capabilities": {CAPABILITIES_KEY: {"sampling": {}, "roots": {"listChanged": True}, "elicitation": {}}},
        "odd capabilities": {CAPABILITIES_KEY: {"sampling": "yes"}},
        "a related task": {"io.modelcontextprotocol/related-task": {"taskId": 5}},
    }
    for name, meta in metas.items():
        yield old(group, name, "tools/call", {**good, "_meta": meta})
        yield modern(group, name, "tools/call", good, meta={**ENVELOPE, **meta})
    for odd_meta in (None, "x", [1], {}):
        yield old(group, f"meta {odd_meta!r}", "tools/call", {**good, "_meta": odd_meta})


def offers() -> Iterator[Recorded]:
    """Resources, prompts and completion: good, missing, malformed."""
    group = "offers"
    uris = ("pwc://papers/1706.03762", "pwc://papers/1706.03762/markdown", "pwc://tasks/language-modelling")
    missing = (
        "pwc://papers/2999.90001",
        "pwc://papers/%FF",
        "pwc://papers/",
        "http://example.org/",
        "",
        "pwc://x/" * 3,
    )
    for uri in (*uris, "pwc://benchmarks/wikitext-103", *missing):
        yield from both(group, f"read {uri}", "resources/read", {"uri": uri})
    for params in ({}, {"uri": None}, {"uri": 5}, {"uri": ["x"]}):
        yield from both(group, f"read {params}", "resources/read", params)
    prompts: tuple[Json, ...] = (
        {"name": "find_papers", "arguments": {"topic": "Überraschung \\u0041 量子"}},
        {"name": "survey_task", "arguments": {"task": "Image Classification"}},
        {"name": "compare_leaderboard", "arguments": {"benchmark": "ImageNet", "more": "x"}},
        {"name": "compare_leaderboard", "arguments": {}},
        {"name": "compare_leaderboard", "arguments": None},
        {"name": "find_papers", "arguments": {"topic": 5}},
        {"name": "find_papers", "arguments": {"topic": None}},
        {"name": "find_papers", "arguments": {"topic": "x" * 201}},
        {"name": "find_papers", "arguments": ["topic"]},
        {"name": "find_paper"},
        {"name": ""},
        {"arguments": {"topic": "x"}},
    )
    for params in prompts:
        yield from both(group, f"prompt {params}", "prompts/get", params)
    prompt, template = {"type": "ref/prompt", "name": "survey_task"}, {"type": "ref/resource", "uri": uris[2]}
    typed = {"name": "task", "value": "im"}
    completions: tuple[Json, ...] = (
        {"ref": prompt, "argument": typed},
        {"ref": prompt, "argument": {**typed, "value": ""}},
        {"ref": prompt, "argument": typed, "context": {"arguments": {"x": "y"}}},
        {"ref": prompt, "argument": typed, "context": {"arguments": {"x": 1}}},
        {"ref": {**template, "uri": "pwc://tasks/{task}"}, "argument": typed},
        {"ref": {**template, "uri": "pwc://benchmarks/{benchmark}"}, "argument": {"name": "benchmark", "value": "Im"}},
        {"ref": {**template, "uri": "pwc://papers/{paper}"}, "argument": {"name": "paper", "value": "1"}},
        {"ref": template, "argument": typed},
        {"ref": {"type": "ref/prompt", "name": "no_such"}, "argument": typed},
        {"ref": prompt, "argument": {"name": "no_such", "value": "x"}},
        {"ref": {"type": "ref/tool", "name": "survey_task"}, "argument": typed},
        {"ref": {"name": "survey_task"}, "argument": typed},
        {"ref": {**prompt, "uri": "pwc://tasks/{task}", "title": "T"}, "argument": typed},
        {"ref": prompt, "argument": {"name": "task"}},
        {"ref": prompt, "argument": {"name": "task", "value": 5}},
        {"ref": prompt},
        {"argument": typed},
        {},
    )
    for params in completions:
        yield from both(group, f"complete {params}", "completion/complete", params)


def well_addressed(bound: BoundToolset) -> Iterator[Recorded]:
    """All of this module."""
    return chain(openings(), lists(), calls(bound), call_forms(), offers())
