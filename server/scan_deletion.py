"""`DELETE /scans/{scan_id}`: whoever holds a scan's id has it removed (scan contract 10.7)."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from core.errors import StoreUnavailable
from core.scan.engine.desk import ScanDesk
from server.answers import NO_STORE, Answer, refusal, send_answer
from server.exchange import exchange_of

PATH = "/scans"

_FORM = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_MALFORMED = refusal(
    400, "invalid_scan_id", "The last part of the path is a scan's id: a version 4 UUID in lower case with dashes."
)
_NO_STORE_NOW = refusal(
    503,
    "store_unavailable",
    "The store of scans does not answer; repeat the request later.",
    headers=((b"retry-after", b"1"),),
)
_GONE = Answer(204, headers=(NO_STORE,))


class ScanDeletion:
    """Answers alike whether or not there was such a scan, so that nothing can be learned from it."""

    def __init__(self, desk: ScanDesk) -> None:
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """204, 400 for what is no id, or 503 while the store cannot tell."""
        exchange = exchange_of(scope)
        exchange.toolset, exchange.method = "scan", "delete"
        found = _FORM.fullmatch(last_part(scope))
        if found is None:
            exchange.code = _MALFORMED.code
            await send_answer(send, _MALFORMED)
            return
        try:
            await self._desk.delete(found[0].decode())
        except StoreUnavailable:
            exchange.code = _NO_STORE_NOW.code
            await send_answer(send, _NO_STORE_NOW)
            return
        exchange.outcome = "ok"
        await send_answer(send, _GONE)


class OnePartBelow:
    """What has more or fewer parts below the mount point than one is no path of the service."""

    def __init__(self, app: ASGIApp, unknown: ASGIApp) -> None:
        self._app = app
        self._unknown = unknown

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """On, or to the answer for unknown paths."""
        part = last_part(scope)
        await (self._app if part and b"/" not in part else self._unknown)(scope, receive, send)


def last_part(scope: Scope) -> bytes:
    """What stands below the mount point, as it was written; one slash at its end is no part of it."""
    raw: bytes = scope.get("raw_path", scope["path"].encode()).partition(b"?")[0]
    return raw.removeprefix(f"{scope['root_path']}/".encode()).removesuffix(b"/")
