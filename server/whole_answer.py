"""Writing an answer in one go: an extension of ASGI between this service's own server and its application.

Uvicorn's `send` is called twice for an answer and looks through each header line by itself, which costs more than what
most layers of the application do. Here all lines are looked through at once, for the same characters.
"""

from collections.abc import Sequence
from typing import Any

from starlette.types import Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

EXTENSION = "paperdesk.whole_answer"

_CONTROLS = bytes({*range(32), 127} - {9})
"""What no value of a field may hold."""
_NO_NAME = _CONTROLS + b'\t ()<>@,;:[]={}\\"'
"""What no name of a field may hold."""


class WholeAnswer:
    """Answers one request of uvicorn's, a `RequestResponseCycle`, and leaves it as its own `send` would."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: Any) -> None:
        self._cycle = cycle

    def stands_for(self, send: Send) -> bool:
        """Whether `send` is the server's own; one that was put around it would never see the answer."""
        own: Send = self._cycle.send
        return own == send

    def write(self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> None:
        """Writes the answer, or nothing when the client has left; an exact `Content-Length` is among the headers."""
        cycle = self._cycle
        if cycle.disconnected:
            return
        if cycle.response_started:
            raise RuntimeError("a request is answered once")
        _check(headers)
        cycle.response_started = True
        cycle.waiting_for_100_continue = False
        parts = [STATUS_LINE[status], *[b"%b: %b\r\n" % line for line in (*cycle.default_headers, *headers)]]
        if (b"connection", b"close") in headers:
            cycle.keep_alive = False
        elif not cycle.keep_alive:
            parts.append(b"connection: close\r\n")
        parts += (b"\r\n", body)
        cycle.transport.write(b"".join(parts))
        cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()


def _check(headers: Sequence[tuple[bytes, bytes]]) -> None:
    names, values = map(b"".join, zip(*headers, strict=True)) if headers else (b"", b"")
    if len(names.translate(None, _NO_NAME)) < len(names) or len(values.translate(None, _CONTROLS)) < len(values):
        raise RuntimeError("a header line holds what none may hold")
