"""The small JSON answers that are made anew at each request: health and liveness; and that of unknown paths."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from server import __version__
from server.answers import NO_STORE, Answer, json_answer, method_not_allowed, refusal, refuse, send_answer
from server.drain import Drain
from server.envelope import OLD_VERSIONS
from server.readiness import Readiness


@dataclass(frozen=True, slots=True)
class CatalogFacts:
    """What may be said in public of the catalog being served: `backend` is `sample`, `file` or `http`."""

    backend: str
    build: str | None = None


class Document:
    """A GET-only resource whose answer is made from memory at each request."""

    def __init__(self, make: Callable[[], Answer]) -> None:
        self._make = make

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """GET and HEAD."""
        method = scope["method"]
        if method in ("GET", "HEAD"):
            await send_answer(send, self._make(), without_body=method == "HEAD")
        else:
            await refuse(scope, send, method_not_allowed("GET", "HEAD"))


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


def not_found(paths: Sequence[str]) -> Answer:
    """404 with the endpoints that there are."""
    text = f"Nothing is served at this path. The MCP endpoints are: {', '.join(paths)}."
    return refusal(404, "not_found", text, endpoints=list(paths))
