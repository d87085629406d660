"""Which application answers a path: exact spellings first, then the few trees, and never a redirect."""

from collections.abc import Awaitable, Mapping

from starlette.types import ASGIApp, Receive, Scope, Send


class Paths:
    """One trailing slash more or less is the same path; an escaped or doubled spelling is another (contract 1.1).

    `trees` are applications for everything below a path, which they see as their `root_path`.
    """

    def __init__(self, exact: Mapping[str, ASGIApp], trees: Mapping[str, ASGIApp], unknown: ASGIApp) -> None:
        self._exact = {
            spelling.encode(): app for path, app in exact.items() for spelling in {path, f"{path.rstrip('/')}/"}
        }
        self._trees = tuple((f"{path}/".encode(), path, app) for path, app in trees.items())
        self._unknown = unknown

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """On to whoever has the path."""
        raw = _raw_path(scope)
        app = self._exact.get(raw)
        if app is not None:
            return app(scope, receive, send)
        for start, root, tree in self._trees:
            if raw.startswith(start):
                return tree({**scope, "root_path": root}, receive, send)
        return self._unknown(scope, receive, send)


def _raw_path(scope: Scope) -> bytes:
    """The path as it was written; some ASGI servers leave the query on it, some give no raw path."""
    raw: bytes | None = scope.get("raw_path")
    return scope["path"].encode() if raw is None else raw.partition(b"?")[0]
