"""The small JSON documents beside the endpoints: health, liveness, the service description, unknown paths."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from server import __version__
from server.answers import NO_STORE, Answer, json_answer, method_not_allowed, refusal, refuse, send_answer
from server.body import MAX_BODY_BYTES
from server.drain import Drain
from server.envelope import MODERN_VERSION, OLD_VERSIONS
from server.middleware.header_bound import MAX_HEADER_BYTES, MAX_HEADER_FIELDS
from server.middleware.outgoing import MAX_RESPONSE_BYTES
from server.readiness import Readiness
from server.registry import BoundToolset

DESCRIPTION = "The research desk for AI agents: papers, leaderboards and full texts over MCP"

_PUBLIC = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-allow-headers", b"Content-Type, If-None-Match"),
    (b"access-control-expose-headers", b"ETag"),
)


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """What may be said in public of the catalog being served: `backend` is `sample`, `file` or `http`."""

    backend: str
    build: str | None = None


class Document:
    """A GET-only resource whose answer is made from memory at each request."""

    def __init__(self, make: Callable[[], Answer], *, public: bool = False) -> None:
        self._make = make
        self._public = public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """GET and HEAD; a public document also answers preflights."""
        method = scope["method"]
        if method in ("GET", "HEAD"):
            await send_answer(send, self._make(), without_body=method == "HEAD")
        elif method == "OPTIONS" and self._public:
            await send_answer(send, Answer(200, headers=_PUBLIC))
        else:
            allowed = ("GET", "HEAD", "OPTIONS") if self._public else ("GET", "HEAD")
            await refuse(scope, send, method_not_allowed(*allowed))


def health(readiness: Readiness, facts: CatalogFacts, drain: Drain) -> Answer:
    """Readiness as hosting contract 1.4 words it."""
    catalog: dict[str, object] = {"backend": facts.backend}
    if facts.build is not None:
        catalog["build"] = facts.build
    age_s = readiness.age_s()
    if age_s is not None:
        catalog["age_s"] = round(age_s, 1)
    reason = "draining" if drain.has_begun else readiness.reason()
    body: dict[str, object] = {
        "status": "ok" if reason is None else "unavailable",
        "service": "paperdesk",
        "version": __version__,
        "protocol": OLD_VERSIONS[0],
        "catalog": catalog,
    }
    if reason is None:
        return json_answer(200, body)
    return json_answer(503, {**body, "reason": reason}, (NO_STORE, (b"retry-after", b"5")))


def alive() -> Answer:
    """The loop runs."""
    return json_answer(200, {"status": "alive"})


def description(public_url: str, bound: Sequence[BoundToolset]) -> Answer:
    """The service description of hosting contract 1.5, as far as this release serves what it names."""
    toolsets = [toolset.toolset for toolset in bound]
    main = next((toolset for toolset in toolsets if toolset.path == "/mcp"), toolsets[0])
    value = {
        "name": "paperdesk",
        "title": "paperdesk",
        "description": DESCRIPTION,
        "version": __version__,
        "transport": {"type": "streamable-http", "url": f"{public_url}{main.path}"},
        "protocol_version": OLD_VERSIONS[0],
        "supported_protocol_versions": [MODERN_VERSION, *OLD_VERSIONS],
        "authentication": {"required": False, "schemes": []},
        "endpoints": [
            {
                "toolset": one.toolset.id,
                "title": one.toolset.title,
                "description": one.toolset.description,
                "url": f"{public_url}{one.toolset.path}",
                "tools": len(one.names),
            }
            for one in bound
        ],
        "limits": {
            "request_body_bytes": MAX_BODY_BYTES,
            "request_header_bytes": MAX_HEADER_BYTES,
            "request_header_fields": MAX_HEADER_FIELDS,
            "response_bytes": MAX_RESPONSE_BYTES,
        },
    }
    return json_answer(200, value, ((b"cache-control", b"public, max-age=3600"), *_PUBLIC))


def not_found(paths: Sequence[str]) -> Answer:
    """404 with the endpoints that there are."""
    text = f"Nothing is served at this path. The MCP endpoints are: {', '.join(paths)}."
    return refusal(404, "not_found", text, endpoints=list(paths))
