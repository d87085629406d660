"""The API as an ASGI application: methods, conditional requests, the deadline, and failures in their shape."""

import hashlib
from collections.abc import Callable

import anyio
from starlette.types import ASGIApp, Receive, Scope, Send

from core.catalog.resolve import Resolver
from core.errors import NotFound, PaperdeskError, ResultTooLarge, SourceTimeout
from server import __version__
from server.answers import NO_STORE, Answer, method_not_allowed, send_answer
from server.api.naming import Desk, ServedCatalog
from server.api.parameters import Parameters
from server.api.problems import Problem
from server.api.replies import PUBLIC, failure_answer
from server.api.routing import Place, place
from server.conditional import held_tags
from server.middleware.outgoing import MAX_RESPONSE_BYTES

PATH = "/api/v1"
METHODS = ("GET", "HEAD")

_PLACE = "paperdesk.api.place"


class CatalogApi:
    """Serves one catalog below its mount point; read-only, anonymous, without any state of a caller."""

    def __init__(self, backend: ServedCatalog, *, timeout_s: float) -> None:
        self._desk = Desk(backend, Resolver(backend))
        self._timeout_s = timeout_s
        held = backend.capabilities()
        # What makes equal requests have equal answers: the content, the release, and whether meaning can be searched.
        self._seed = f"{held.content_id}\n{__version__}\n{held.has_vectors}\n".encode()

    def behind(self, guard: Callable[[ASGIApp], ASGIApp]) -> ASGIApp:
        """The application, with what a request for a known path must pass."""
        return _KnownPlaces(guard(self._served))

    async def _served(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "OPTIONS":
            # A browser asks before it sends If-None-Match.
            answer = Answer(200, headers=(*PUBLIC, (b"allow", b"GET, HEAD, OPTIONS")))
        elif scope["method"] not in METHODS:
            refused = method_not_allowed(*METHODS)
            answer = Answer(refused.status, refused.body, (*refused.headers, *PUBLIC))
        else:
            try:
                answer = await self._conditional(scope, scope[_PLACE])
            except (PaperdeskError, Problem) as error:
                answer = failure_answer(error)
        await send_answer(send, answer, without_body=scope["method"] == "HEAD")

    async def _conditional(self, scope: Scope, found: Place) -> Answer:
        """The answer with its tag, or 304 to a caller who has it.

        A tag that matches was given with a good answer to this very request, so nothing need be read again; `*` says
        no more than that something is there, and waits for the answer.
        """
        query = Parameters(scope["query_string"])
        tag = self._tag(found, scope["query_string"])
        kept = (
            (b"etag", tag.encode()),
            (b"cache-control", b"public, max-age=%d" % found.max_age_s(query)),
            *PUBLIC,
        )
        wanted = held_tags(scope["headers"])
        if tag in wanted:
            return Answer(304, headers=kept)
        with anyio.move_on_after(self._timeout_s) as deadline:
            reply = await found.handler(self._desk, found.parts, query)
        if deadline.cancelled_caught:
            raise SourceTimeout("The catalog did not answer in time.", source="catalog")
        if len(reply.body) > MAX_RESPONSE_BYTES:
            raise ResultTooLarge("The answer is larger than this service sends; ask for a smaller page.")
        if reply.passing:
            return Answer(200, reply.body, (*reply.headers, NO_STORE, *PUBLIC))
        if "*" in wanted:
            return Answer(304, headers=kept)
        return Answer(200, reply.body, (*reply.headers, *kept))

    def _tag(self, found: Place, query: bytes) -> str:
        handler = found.handler
        request = "\n".join((handler.__module__, handler.__name__, *found.parts)).encode()
        return f'"{hashlib.sha256(self._seed + request + b"?" + query).hexdigest()[:32]}"'


class _KnownPlaces:
    """What is no path of the API is 404 before its `Host` is looked at, as everywhere in the service."""

    def __init__(self, guarded: ASGIApp) -> None:
        self._guarded = guarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """404, or on."""
        path = _path_below(scope)
        try:
            found = None if path is None else place(path)
            if found is None:
                raise NotFound("Nothing is served at this path of the API.")
        except (PaperdeskError, Problem) as error:
            await send_answer(send, failure_answer(error), without_body=scope["method"] == "HEAD")
            return
        scope[_PLACE] = found
        await self._guarded(scope, receive, send)


def _path_below(scope: Scope) -> bytes | None:
    """The raw path below the mount point, where it was spelt plainly: `%2F` in a part must not end that part."""
    raw: bytes = scope["raw_path"].partition(b"?")[0]
    root = f"{scope['root_path']}/".encode()
    return raw[len(root) :] if raw.startswith(root) else None
