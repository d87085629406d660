"""A document that never changes while the process lives: rendered once, tagged, and given or left out as asked."""

import hashlib
from dataclasses import dataclass

from starlette.types import Receive, Scope, Send

from server.answers import NOT_MODIFIED, Answer, method_not_allowed, refuse, send_answer
from server.conditional import held_tags
from server.pages.negotiation import wants_page

READERS = ("GET", "HEAD")

_CACHED = (b"cache-control", b"public, max-age=3600")
_CROSS_ORIGIN = (
    (b"access-control-allow-origin", b"*"),
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-allow-headers", b"Content-Type, If-None-Match"),
    (b"access-control-expose-headers", b"ETag"),
)


@dataclass(frozen=True, slots=True)
class Form:
    """One form of a document; `headers` are those beside its type and what all documents have."""

    media_type: str
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()


class Document:
    """Serves one form, or the page where a caller wants it and there is one.

    `preflights` says that OPTIONS is answered too, so that scripts of any site may ask with `If-None-Match`.
    """

    def __init__(self, form: Form, *, page: Form | None = None, preflights: bool = False) -> None:
        varies = () if page is None else ((b"vary", b"Accept"),)
        self._form = _Tagged(form, varies)
        self._page = None if page is None else _Tagged(page, varies)
        self._methods = (*READERS, "OPTIONS") if preflights else READERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """GET and HEAD, also conditional; a preflight where it is offered; else 405."""
        method = scope["method"]
        if method in READERS:
            await send_answer(send, self._wanted(scope).answer(scope), without_body=method == "HEAD")
        elif method in self._methods:
            await send_answer(
                send, Answer(200, headers=((b"allow", ", ".join(self._methods).encode()), *_CROSS_ORIGIN))
            )
        else:
            await refuse(scope, send, method_not_allowed(*self._methods))

    def _wanted(self, scope: Scope) -> "_Tagged":
        if self._page is not None and wants_page(scope["headers"], scope["query_string"]):
            return self._page
        return self._form


class _Tagged:
    def __init__(self, form: Form, varies: tuple[tuple[bytes, bytes], ...]) -> None:
        self._tag = f'"{hashlib.sha256(form.body).hexdigest()[:32]}"'
        kept = ((b"etag", self._tag.encode()), _CACHED, *varies, *_CROSS_ORIGIN, *form.headers)
        self._whole = Answer(200, form.body, ((b"content-type", form.media_type.encode()), *kept))
        self._unchanged = Answer(NOT_MODIFIED, headers=kept)

    def answer(self, scope: Scope) -> Answer:
        """The whole, or 304 to a caller who has it."""
        return self._unchanged if {self._tag, "*"} & held_tags(scope["headers"]) else self._whole
