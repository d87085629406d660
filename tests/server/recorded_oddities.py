"""Requests in forms that few clients mean to send: notifications, methods that are gone, broken bodies and headers."""

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from recorded import CAPABILITIES_KEY, ENVELOPE, MODERN, VERSION_KEY, Json, Lines, Recorded, modern, old

_OLD_LINE: Lines = (("MCP-Protocol-Version", "2025-11-25"),)
_GOOD: Json = {"name": "search_papers", "arguments": {"query": "attention", "limit": 2}}


def _modern_lines(method: str, name: str | None = None) -> Lines:
    named = () if name is None else (("Mcp-Name", name),)
    return (("MCP-Protocol-Version", MODERN), ("Mcp-Method", method), *named)


def methods() -> Iterator[Recorded]:
    """Notifications, unknown methods, methods of the other era."""
    group = "methods"
    notified = (
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
        "no/such",
        "tools/call",
    )
    for method in notified:
        body = json.dumps(
            {"jsonrpc": "2.0", "method": method, "params": {"requestId": 1, "progressToken": "x"}}
        ).encode()
        yield Recorded(group, f"notified of {method}", _OLD_LINE, body)
        yield Recorded(group, f"notified of {method}, modern", _modern_lines(method), body)
    gone = ("logging/setLevel", "resources/subscribe", "resources/unsubscribe", "subscriptions/listen")
    never = (
        "tasks/list",
        "roots/list",
        "sampling/createMessage",
        "no/such",
        "",
        "rpc.discover",
        "tools/call ",
        "TOOLS/LIST",
    )
    for method in ("initialize", "ping", "server/discover", *gone, *never):
        yield old(group, f"asked {method!r}", method, {"level": "info", "uri": "pwc://tasks/x"})
        yield modern(group, f"asked {method!r}", method, {"level": "info", "uri": "pwc://tasks/x"})
    for version in (None, "2024-11-05"):
        yield old(group, "ping", "ping", version=version)
    yield old(group, "ping with a good envelope", "ping", {"_meta": {"progressToken": "x"}})
    yield old(group, "ping with a bad envelope", "ping", {"_meta": {"progressToken": {}}})


def bodies() -> Iterator[Recorded]:
    """Malformed envelopes, duplicate members, Unicode and number extremes."""
    group = "bodies"
    start = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_papers","arguments":{'
    meta = f'"_meta":{json.dumps(ENVELOPE)}'
    ids = ("null", "true", "1.5", "[]", "{}", "1e3", 2**64, '""', '"é\\u0000"', -1, 0, 2**63, 2**64 - 1)
    malformed = (
        *("", "{", "NaN", "[]", "5", '"x"', "null", "{}", '{"jsonrpc":"2.0"}', '\ufeff{"jsonrpc":"2.0"}'),
        '{"jsonrpc":"1.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":5}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
        *(f'{{"jsonrpc":"2.0","id":{value},"method":"ping"}}' for value in ids),
        '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":"x"}}',
        '{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"id":2,"method":"no","method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\\ud800"}}',
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":' + "[" * 120 + "]" * 120 + "}}",
        '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deeper":' + "[" * 200 + "]" * 200 + "}}",
    )
    for body in malformed:
        yield Recorded(group, body[:60], _OLD_LINE, body.encode())
        yield Recorded(group, f"{body[:60]}, modern", _modern_lines("ping"), body.encode())
    arguments = (
        '"query":"first","query":"attention"',
        '"query":"attention","limit":2,"limit":"no"',
        '"query":"attention","limit":2.0',
        '"query":"attention","limit":"2"',
        '"query":"attention","limit":1e1',
        '"query":"attention","limit":1.0000000000000001',
        '"query":"attention","limit":-0',
        f'"query":"attention","limit":{10**30}',
        f'"query":{10**30}',
        f'"query":{2**64 - 1}',
        '"query":12345678901234567890',
        '"query":true',
        '"query":"\\u0000"',
        '"query":"é \\ud83d\\ude00 \u2028 \\u202e 量子 \\\\u0041"',
        '"query":"a","published_after":"2024-02-30"',
        '"query":"a","":1,"\\u0000":2',
        '"query":"a","limit":{"x":[{"y":[[[1]]]}]}',
        '"query":"' + "x" * 100_000 + '"',
    )
    for text in arguments:
        yield Recorded(group, text[:60], _OLD_LINE, f"{start}{text}}}}}}}".encode())
        lines = _modern_lines("tools/call", "search_papers")
        yield Recorded(group, f"{text[:60]}, modern", lines, f"{start}{text}}},{meta}}}}}".encode())


def routing() -> Iterator[Recorded]:
    """Routing headers and envelope keys that are absent, wrong, wrapped, padded or doubled; versions."""
    group = "routing"
    wrapped = f"=?base64?{base64.b64encode(b'search_papers').decode()}?="
    changes: dict[str, dict[str, str | None]] = {
        "no method": {"Mcp-Method": None},
        "another method": {"Mcp-Method": "tools/list"},
        "another case": {"Mcp-Method": "Tools/Call"},
        "an empty method": {"Mcp-Method": ""},
        "no name line": {"Mcp-Name": None},
        "another name": {"Mcp-Name": "list_papers"},
        "an empty name": {"Mcp-Name": ""},
        "a wrapped name": {"Mcp-Name": wrapped},
        "a wrapped name of another": {"Mcp-Name": f"=?base64?{base64.b64encode(b'x').decode()}?="},
        "a wrapping without end": {"Mcp-Name": wrapped[:-2]},
        "a wrapping of no base64": {"Mcp-Name": "=?base64?***?="},
        "a wrapping of no text": {"Mcp-Name": "=?base64?/w==?="},
        "a wrapping that no encoder writes": {"Mcp-Name": "=?base64?c2VhcmNoX3BhcGVycx==?="},
        "padded": {
            "Mcp-Name": " \tsearch_papers \t",
            "Mcp-Method": "\ttools/call ",
            "MCP-Protocol-Version": f" {MODERN} ",
        },
        "no version": {"MCP-Protocol-Version": None},
        "an older version": {"MCP-Protocol-Version": "2025-06-18"},
        "a version of nobody": {"MCP-Protocol-Version": "2099-01-01"},
        "an empty version": {"MCP-Protocol-Version": ""},
        "a long version": {"MCP-Protocol-Version": "9" * 300},
        "an odd version": {"MCP-Protocol-Version": "2026-07-28é"},
    }
    for name, changed in changes.items():
        yield modern(group, name, "tools/call", _GOOD, changed=changed)
        yield modern(group, f"{name}, of a list", "tools/list", changed={**changed, "Mcp-Name": None})
    for line in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"):
        for request in (old(group, "", "tools/call", _GOOD), modern(group, "", "tools/call", _GOOD)):
            # The same value twice, whatever it is.
            further = (line, dict(request.lines).get(line, "x"))
            lines = (*request.lines, *((further,) if line in dict(request.lines) else (further, further)))
            yield replace(request, name=f"{line} twice{request.name}", lines=lines)
    metas: dict[str, Any] = {
        "no envelope": {},
        "envelope is text": "x",
        "envelope is null": None,
        "no version in the envelope": {CAPABILITIES_KEY: {}},
        "no capabilities in the envelope": {VERSION_KEY: MODERN},
        "another version in the envelope": {**ENVELOPE, VERSION_KEY: "2025-11-25"},
        "a number for a version in the envelope": {**ENVELOPE, VERSION_KEY: 20260728},
        "null capabilities in the envelope": {**ENVELOPE, CAPABILITIES_KEY: None},
        "text for capabilities in the envelope": {**ENVELOPE, CAPABILITIES_KEY: "all"},
    }
    for name, meta in metas.items():
        yield modern(group, name, "tools/call", _GOOD, meta=meta)
        yield modern(group, f"{name}, of a list", "tools/list", meta=meta)
    for version in ("2099-01-01", "1.0", "latest"):
        envelope = {**ENVELOPE, VERSION_KEY: version}
        changed = {"MCP-Protocol-Version": version}
        yield modern(group, f"agreed on {version}", "tools/call", _GOOD, meta=envelope, changed=changed)
    yield old(group, "a modern envelope", "tools/call", {**_GOOD, "_meta": ENVELOPE})
    ids: tuple[Any, ...] = ("é", "", -5, 2**53)
    for request_id in ids:
        yield modern(group, f"id {request_id!r}", "tools/call", _GOOD, request_id=request_id)


def oddly_addressed() -> Iterator[Recorded]:
    """All of this module."""
    return chain(methods(), bodies(), routing())
