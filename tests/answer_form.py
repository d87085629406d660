"""What holds of every HTTP answer that this service sends (hosting contract 1.2, acceptance 2 and 7)."""

import json
from collections.abc import Iterable, Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

NEVER_SENT = ("server", "set-cookie", "mcp-session-id", "transfer-encoding")
NOT_MODIFIED = 304


def breaches(method: str, status: int, fields: Iterable[tuple[str, str]], body: bytes, *, path: str = "") -> list[str]:
    """Every way in which one answer breaks what all answers have in common."""
    headers: dict[str, list[str]] = {}
    for name, value in fields:
        headers.setdefault(name.lower(), []).append(value)
    found = [f"{name} is sent" for name in NEVER_SENT if name in headers]
    found += [f"{name} is sent twice" for name, values in headers.items() if len(values) > 1]
    if 300 <= status < 400 and status != NOT_MODIFIED:
        found.append(f"a redirect: {status}")
    if headers.get("x-content-type-options") != ["nosniff"]:
        found.append("no X-Content-Type-Options: nosniff")
    if len(headers.get("x-request-id", [""])[0]) < 8:
        found.append("no X-Request-Id")
    found += _about_body(method, status, headers, body)
    return [f"{method} {path} -> {status}: {each}" for each in found]


def _about_body(method: str, status: int, headers: Mapping[str, list[str]], body: bytes) -> list[str]:
    length = headers.get("content-length", ["-"])[0]
    if status == NOT_MODIFIED:
        return ["a body with 304"] if body or length != "-" else []
    if method == "HEAD":
        return ["a body to a HEAD"] if body else []
    found = [] if length == str(len(body)) else [f"Content-Length {length} for {len(body)} bytes"]
    kind = headers.get("content-type", [""])[0]
    if body and kind.partition(";")[0].endswith("json"):
        try:
            json.loads(body)
        except ValueError:
            found.append("a body that is no JSON")
    if body and not kind:
        found.append("a body without a Content-Type")
    return found


class Observed:
    """Passes everything on and keeps a note of every answer that breaks the common form."""

    def __init__(self, app: ASGIApp) -> None:
        self.answers = 0
        self.breaches: list[str] = []
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message = {}
        body = b""

        async def send_noted(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
            else:
                body += message.get("body", b"")
                if not message.get("more_body", False):
                    self._note(scope, start, body)
            await send(message)

        await self._app(scope, receive, send_noted)

    def _note(self, scope: Scope, start: Message, body: bytes) -> None:
        fields = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in start.get("headers", ())]
        self.answers += 1
        self.breaches += breaches(scope["method"], start["status"], fields, body, path=scope["path"])
