"""Bounds what a connection may send before the parser has anything to deliver: heads, trailers, chunk extensions.

The header bound of the application sees a head only when it is whole; until then the parser keeps all of it in memory.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from server.answers import CLOSE, Answer, refusal
from server.lingering import LingeringTransport
from server.middleware.header_bound import MAX_HEADER_BYTES, MAX_HEADER_FIELDS

MAX_UNDELIVERED_BYTES = 4 * MAX_HEADER_BYTES
"""Above what the application refuses by itself, so that a head a little too large gets the application's answer."""


class BoundedProtocol(HttpToolsProtocol):
    """Ends a connection that sends on and on without completing a head, or a part of a body."""

    _undelivered_bytes = 0
    _has_delivered = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As uvicorn's, on a transport that lets an answer arrive while its request is still being sent."""
        self._lingering = LingeringTransport(transport, self._is_receiving)
        super().connection_made(self._lingering)  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """As uvicorn's."""
        self._lingering.lost()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Counts what comes in while nothing comes out; after the last answer, drops it."""
        if self._lingering.is_closing():
            self._lingering.swallow(data)
            return
        self._has_delivered = False
        super().data_received(data)
        self._undelivered_bytes = 0 if self._has_delivered else self._undelivered_bytes + len(data)
        if self._undelivered_bytes > MAX_UNDELIVERED_BYTES and not self.transport.is_closing():
            self._refuse()

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._has_delivered = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of a body came."""
        self._has_delivered = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._has_delivered = True
        super().on_message_complete()

    def _is_receiving(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and cycle.response_complete and cycle.more_body

    def _refuse(self) -> None:
        cycle: Any = self.cycle
        # Where an answer may be under way, a second one would be read as a part of it.
        if cycle is None or cycle.response_complete:
            text = f"Send at most {MAX_HEADER_FIELDS} header fields and {MAX_HEADER_BYTES} bytes of them."
            self.transport.write(_on_the_wire(refusal(431, "headers_too_large", text, headers=(CLOSE,))))
        self.transport.close()


def _on_the_wire(answer: Answer) -> bytes:
    fields = (*answer.headers, (b"content-length", str(len(answer.body)).encode()))
    head = b"".join(name + b": " + value + b"\r\n" for name, value in fields)
    return b"HTTP/1.1 %d Request Header Fields Too Large\r\n%b\r\n%b" % (answer.status, head, answer.body)
