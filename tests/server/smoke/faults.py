"""Every way in which a service is made to misbehave for the smoke test, under the number of the check that must see it.

Each twist breaks one thing that one row of hosting contract 5.9 looks for, and leaves all else as the service does it.
"""

import json
from dataclasses import replace
from typing import Any

from tests.twisting_proxy import Answered, Asked, Twist

FAULTS: dict[int, dict[str, Twist]] = {number: {} for number in range(1, 10)}
GOOD_HOST = "127.0.0.1"


def fault(number: int, said: str) -> Any:
    """Registers a twist under its check."""

    def register(twist: Twist) -> Twist:
        assert said not in FAULTS[number]
        FAULTS[number][said] = twist
        return twist

    return register


def _json(status: int, value: Any, **headers: str) -> Answered:
    return Answered(status, [("content-type", "application/json"), *headers.items()], json.dumps(value).encode())


def on_path(number: int, said: str, path: str, change: Any) -> None:
    """A fault that changes the answer of one path."""

    async def twist(asked: Asked) -> Answered:
        answered = await asked.answered()
        return change(answered) if asked.path == path and answered.status == 200 else answered

    fault(number, said)(twist)


def on_result(number: int, said: str, rpc: str, change: Any, *, modern: bool, tool: str = "") -> None:
    """A fault that changes the answer of one MCP method in one era."""

    async def twist(asked: Asked) -> Answered:
        answered = await asked.answered()
        wanted = asked.rpc == rpc and asked.is_modern is modern and (not tool or asked.tool == tool)
        return change(answered) if wanted else answered

    fault(number, said)(twist)


# 1: health

on_path(1, "health is no JSON", "/health", lambda answered: replace(answered, body=b"ok"))
on_path(1, "health has no status ok", "/health", lambda answered: answered.changed("status", to="fine"))
on_path(1, "health has another version", "/health", lambda answered: answered.changed("version", to="0.0.0"))

# 2: documents

WELL_KNOWN, CARD, AI_CATALOG = "/.well-known/mcp", "/mcp/server-card", "/.well-known/ai-catalog.json"


def _without(answered: Answered, key: str) -> Answered:
    return answered.with_json({name: value for name, value in answered.json.items() if name != key})


on_path(2, "the description lacks its limits", WELL_KNOWN, lambda answered: _without(answered, "limits"))
on_path(
    2,
    "the description lacks a version of the protocol",
    WELL_KNOWN,
    lambda answered: answered.changed("supported_protocol_versions", to=["2025-11-25"]),
)
on_path(2, "the description is no JSON by type", WELL_KNOWN, lambda one: one.with_header("content-type", "text/plain"))
on_path(2, "the alias is another document", "/.well-known/mcp.json", lambda answered: answered.with_json({}))
on_path(2, "a card is plain JSON by type", CARD, lambda one: one.with_header("content-type", "application/json"))
on_path(2, "a card names another address", CARD, lambda one: one.changed("remotes", to=[{"url": "https://a.example"}]))
on_path(2, "the AI catalog lists no card", AI_CATALOG, lambda answered: answered.changed("entries", to=[]))
on_path(2, "the tools are not in the documentation", "/docs", lambda answered: answered.changed("tools", to=[]))
on_path(2, "a card alias is another document", "/.well-known/mcp-server-card", lambda answered: answered.with_json({}))
on_path(2, "a document has no ETag", AI_CATALOG, lambda answered: answered.with_header("etag", None))


@fault(2, "an ETag is not heeded")
async def _always_whole(asked: Asked) -> Answered:
    return await asked.with_header("if-none-match", None).answered()


@fault(2, "a page is not served as one")
async def _no_page(asked: Asked) -> Answered:
    return await (asked.with_header("accept", "*/*") if asked.path == "/docs" else asked).answered()


@fault(2, "a card is missing")
async def _no_card(asked: Asked) -> Answered:
    return _json(404, {"error": "not_found"}) if asked.path == CARD else await asked.answered()


# 3 and 4: the eras


def _fewer_tools(answered: Answered) -> Answered:
    return answered.changed("result", "tools", to=answered.json["result"]["tools"][1:])


def _broken(answered: Answered) -> Answered:
    return answered.with_json({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}})


def _failed(answered: Answered) -> Answered:
    return answered.changed("result", "isError", to=True)


on_result(3, "initialize fails", "initialize", _broken, modern=False)
on_result(
    3,
    "initialize answers another version",
    "initialize",
    lambda answered: answered.changed("result", "protocolVersion", to="1999-01-01"),
    modern=False,
)
on_result(
    3,
    "the server calls itself otherwise",
    "initialize",
    lambda answered: answered.changed("result", "serverInfo", "name", to="other"),
    modern=False,
)
on_result(
    3,
    "a notification is answered",
    "notifications/initialized",
    lambda answered: _json(200, {"jsonrpc": "2.0", "id": None, "result": {}}),
    modern=False,
)
on_result(3, "the older list lacks a tool", "tools/list", _fewer_tools, modern=False)
on_result(3, "the call fails in the older era", "tools/call", _failed, modern=False, tool="list_recent_papers")
on_result(4, "discover fails", "server/discover", _broken, modern=True)
on_result(
    4,
    "discover offers another version",
    "server/discover",
    lambda answered: answered.changed("result", "supportedVersions", to=["2027-01-01"]),
    modern=True,
)
on_result(4, "the newer list lacks a tool", "tools/list", _fewer_tools, modern=True)
on_result(4, "the call fails in the newer era", "tools/call", _failed, modern=True)
on_result(
    4,
    "the eras differ in content",
    "tools/call",
    lambda answered: answered.changed("result", "structuredContent", "items", to=[]),
    modern=True,
)

# 5: continuation

PAPER = "1706.03762"


@fault(5, "a cursor is not heeded")
async def _starts_again(asked: Asked) -> Answered:
    # Only of the untouched cursor, so that its refusals stay as they are.
    if asked.tool == "read_paper" and "cursor" in asked.arguments:
        answered = await asked.answered()
        is_chunk = not answered.json["result"].get("isError")
        return await asked.with_arguments(cursor=None).answered() if is_chunk else answered
    return await asked.answered()


class _Cursors:
    """Accepts what was changed: by putting the last cursor that was given in place of the one that comes."""

    def __init__(self) -> None:
        self._given = ""

    async def __call__(self, asked: Asked) -> Answered:
        if asked.tool == "read_paper" and "cursor" in asked.arguments and asked.arguments["paper"] == PAPER:
            return await asked.with_arguments(cursor=self._given).answered()
        answered = await asked.answered()
        if asked.tool == "read_paper" and not answered.json["result"].get("isError"):
            self._given = answered.json["result"]["structuredContent"]["next_cursor"]
        return answered


fault(5, "a changed cursor is taken")(_Cursors())


@fault(5, "a cursor serves another paper")
async def _any_paper(asked: Asked) -> Answered:
    other = asked.tool == "read_paper" and asked.arguments["paper"] != PAPER
    return await (asked.with_arguments(paper=PAPER) if other else asked).answered()


def _chunk(said: str, key: str, value: Any) -> None:
    async def twist(asked: Asked) -> Answered:
        answered = await asked.answered()
        if asked.tool != "read_paper" or answered.json["result"].get("isError"):
            return answered
        return answered.changed("result", "structuredContent", key, to=value)

    fault(5, said)(twist)


_chunk("no chunk has a next cursor", "next_cursor", None)
_chunk("bytes are not those of the text", "bytes", 1)
_chunk("chunks do not join", "offset", 7)


@fault(5, "no text can be read")
async def _no_text(asked: Asked) -> Answered:
    return await (asked.with_arguments(paper="2999.99999") if asked.tool == "read_paper" else asked).answered()


# 6: refusals


@fault(6, "a GET opens a stream")
async def _stream(asked: Asked) -> Answered:
    if asked.method == "GET" and asked.path == "/mcp":
        return Answered(200, [("content-type", "text/event-stream")], b": open\n\n")
    return await asked.answered()


@fault(6, "a GET is refused without Allow")
async def _no_allow(asked: Asked) -> Answered:
    answered = await asked.answered()
    return answered.with_header("allow", None) if answered.status == 405 else answered


@fault(6, "any Host is served")
async def _any_host(asked: Asked) -> Answered:
    return await asked.with_header("host", GOOD_HOST).answered()


@fault(6, "any Origin is served")
async def _any_origin(asked: Asked) -> Answered:
    return await (asked if asked.method == "OPTIONS" else asked.with_header("origin", None)).answered()


@fault(6, "a preflight is refused")
async def _no_preflight(asked: Asked) -> Answered:
    return _json(403, {"error": "origin_not_allowed"}) if asked.method == "OPTIONS" else await asked.answered()


@fault(6, "a preflight allows nobody")
async def _silent_preflight(asked: Asked) -> Answered:
    answered = await asked.answered()
    return answered.with_header("access-control-allow-origin", None) if asked.method == "OPTIONS" else answered


@fault(6, "a large body is taken")
async def _any_size(asked: Asked) -> Answered:
    small = replace(asked, body=b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    return await (small if len(asked.body) > 1 << 21 else asked).answered()


@fault(6, "an array is taken")
async def _batches(asked: Asked) -> Answered:
    return _json(200, []) if asked.body == b"[]" else await asked.answered()


@fault(6, "an unknown tool is an unknown method")
async def _other_code(asked: Asked) -> Answered:
    answered = await asked.answered()
    if asked.tool.startswith("no_tool_"):
        return answered.changed("error", "code", to=-32601)
    return answered


@fault(6, "a slash is redirected")
async def _redirect(asked: Asked) -> Answered:
    if asked.path == "/mcp/":
        return Answered(307, [("location", "/mcp")], b"")
    return await asked.answered()


# 7: limits


@fault(7, "no budget is kept")
async def _no_limit(asked: Asked) -> Answered:
    answered = await asked.answered()
    return _json(200, {"jsonrpc": "2.0", "id": 1, "result": {}}) if answered.status == 429 else answered


@fault(7, "the budget is not counted")
async def _still_full(asked: Asked) -> Answered:
    answered = await asked.answered()
    if asked.rpc == "ping" and asked.header("x-forwarded-for") is None and answered.status == 200:
        return answered.with_header("ratelimit-remaining", "59")
    return answered


class _Early:
    """Refuses the fifth of a caller's pings."""

    def __init__(self) -> None:
        self._asked: dict[str | None, int] = {}

    async def __call__(self, asked: Asked) -> Answered:
        if asked.rpc == "ping":
            who = asked.header("x-pwc-mcp-client")
            self._asked[who] = self._asked.get(who, 0) + 1
            if self._asked[who] == 5:
                return _json(429, {"error": "rate_limit_exceeded", "budget": "per_minute"}, **{"retry-after": "9"})
        return await asked.answered()


fault(7, "a caller is refused too early")(_Early())


def _refusal(said: str, change: Any) -> None:
    async def twist(asked: Asked) -> Answered:
        answered = await asked.answered()
        return change(answered) if answered.status == 429 else answered

    fault(7, said)(twist)


_refusal("the refusal names another budget", lambda answered: answered.changed("budget", to="concurrent"))
_refusal("the refusal does not say when", lambda answered: answered.with_header("retry-after", None))
_refusal("the wait is no time at all", lambda answered: answered.with_header("retry-after", "0"))
_refusal("the wait is over a minute", lambda answered: answered.with_header("retry-after", "61"))
_refusal("the refusal is another status", lambda answered: replace(answered, status=503))


@fault(7, "all callers share one budget")
async def _one_caller(asked: Asked) -> Answered:
    is_tagged = asked.header("x-forwarded-for") is None and asked.header("x-pwc-mcp-client") is not None
    return await (asked.with_header("x-pwc-mcp-client", "everyone") if is_tagged else asked).answered()


# 8: forged addresses


@fault(8, "the client's own claim is believed")
async def _leftmost(asked: Asked) -> Answered:
    claims = asked.header("x-forwarded-for")
    first = claims.partition(",")[0] if claims else None
    return await (asked.with_header("x-forwarded-for", first) if claims else asked).answered()


@fault(8, "a tag is believed beside a forwarded address")
async def _tag_wins(asked: Asked) -> Answered:
    return await asked.with_header("x-forwarded-for", None).answered()
