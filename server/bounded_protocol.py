"""What a connection may send before there is a request to serve: bounds, and refusals in the form of all others.

The header bound of the application sees a head only when it is whole; until then the parser keeps all of it in memory.
"""

import asyncio
import secrets
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from server.answers import CLOSE, Answer, refusal
from server.lingering import LingeringTransport
from server.middleware.header_bound import MAX_HEADER_BYTES, MAX_HEADER_FIELDS
from server.unread import UnreadAnswers

MAX_UNDELIVERED_BYTES = 4 * MAX_HEADER_BYTES
"""Above what the application refuses by itself, so that a head a little too large gets the application's answer."""

PART_BYTES = 16 * 1024
"""So much is parsed at a time: of requests sent ahead, no more than this holds are in memory as requests."""

_UNREADABLE = "This is no HTTP/1.1 request that can be read; check the request line, the header fields and the framing."
_UPGRADE = "This service speaks HTTP/1.1 only; send the request without an Upgrade header."
_TOO_LARGE = f"Send at most {MAX_HEADER_FIELDS} header fields and {MAX_HEADER_BYTES} bytes of them."


class BoundedProtocol(HttpToolsProtocol):
    """Ends a connection that sends on and on without completing a head, or a part of a body.

    A request is begun only when the client has taken the answers before it: it would wait for that with its answer in
    hand, and hold its place among the requests in progress for as long as the client likes.
    """

    _undelivered_bytes = 0
    _has_delivered = False
    _head_is_whole = False
    _is_refused = False
    _running: Any = None
    """The request that is being answered; with requests sent ahead, `cycle` is another."""
    _unparsed = b""
    """What came with requests that wait for their turn; nothing more is read until it is parsed."""
    _is_full = False
    _held_back: tuple[Any, Any] | None = None
    """The request that is begun when the client reads on."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As uvicorn's, on a transport that lets an answer arrive while its request is still being sent."""
        self._lingering = LingeringTransport(transport, self._is_receiving)
        self._unread = UnreadAnswers(transport, self.loop.call_later)
        super().connection_made(self._lingering)  # type: ignore[arg-type]

    def connection_lost(self, exc: Exception | None) -> None:
        """As uvicorn's, which tells only the last request of a connection, and not the one that is being answered."""
        self._lingering.lost()
        self._unread.end()
        self._held_back = None
        self._unparsed = b""
        super().connection_lost(exc)
        running = self._running
        if running is not None and not running.response_complete:
            running.disconnected = True
            running.message_event.set()

    def pause_writing(self) -> None:
        """More is written than the client takes; an answer that is begun is written whole, and waits for nothing."""
        self._is_full = True
        self._unread.begin()

    def resume_writing(self) -> None:
        """The client has taken nearly all of it."""
        self._is_full = False
        self._unread.end()
        held_back, self._held_back = self._held_back, None
        if held_back is not None and not self.transport.is_closing():
            self._start_asgi_task(*held_back)

    def data_received(self, data: bytes) -> None:
        """Counts what comes in while nothing comes out; after the last answer, drops it."""
        if self._lingering.is_closing():
            self._lingering.swallow(data)
            return
        self._unparsed += data
        self._parse()

    def on_response_complete(self) -> None:
        """As uvicorn's, which reads on after every answer, however many requests wait for theirs."""
        super().on_response_complete()
        if self.pipeline:
            self.flow.pause_reading()
        elif self._unparsed and not self.transport.is_closing():
            self._parse()

    def _parse(self) -> None:
        data, self._unparsed = self._unparsed, b""
        for start in range(0, len(data), PART_BYTES):
            if self.pipeline:
                self._unparsed = data[start:]
                return
            self._parse_part(data[start : start + PART_BYTES])
            if self.transport.is_closing():
                return

    def _parse_part(self, data: bytes) -> None:
        self._has_delivered = False
        super().data_received(data)
        self._undelivered_bytes = 0 if self._has_delivered else self._undelivered_bytes + len(data)
        if self._undelivered_bytes > MAX_UNDELIVERED_BYTES:
            self._refuse(refusal(431, "headers_too_large", _TOO_LARGE, headers=(CLOSE,)))

    def send_400_response(self, msg: str) -> None:
        """What the parser cannot read is refused; a whole request before it is answered first."""
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete and not cycle.more_body:
            cycle.keep_alive = False
        else:
            self._refuse(refusal(400, "bad_request", _UNREADABLE, headers=(CLOSE,)))

    def on_message_begin(self) -> None:
        """A request begins."""
        self._head_is_whole = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head; one that follows a body came too late for every check of the head."""
        if not self._head_is_whole:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._has_delivered = True
        self._head_is_whole = True
        asks_for_another = self.parser.should_upgrade()
        if asks_for_another and any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers):
            # The parser takes the body of such a request for the other protocol.
            self._is_refused = True
            self._refuse(refusal(400, "bad_request", _UPGRADE, headers=(CLOSE,)))
            return
        super().on_headers_complete()
        if asks_for_another:
            # It reads nothing more on this connection either.
            self.cycle.keep_alive = False

    def on_body(self, body: bytes) -> None:
        """A part of a body came."""
        self._has_delivered = True
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._has_delivered = True
        if not self._is_refused:
            super().on_message_complete()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        if self._is_full:
            self._held_back = (cycle, app)
            return
        self._running = cycle
        super()._start_asgi_task(cycle, app)

    def _is_receiving(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and cycle.response_complete and cycle.more_body

    def _should_upgrade(self) -> bool:
        return False

    def _unsupported_upgrade_warning(self) -> None:
        """Whoever connects could fill the log with it."""

    def _refuse(self, answer: Answer) -> None:
        if self.transport.is_closing():
            return
        cycle: Any = self.cycle
        # Where an answer may be under way, a second one would be read as a part of it.
        is_idle = cycle is None or cycle.response_complete
        if is_idle or (cycle.more_body and not cycle.response_started and not self.pipeline):
            self.transport.write(_on_the_wire(answer))
        self.transport.close()


def _on_the_wire(answer: Answer) -> bytes:
    fields = (
        *answer.headers,
        (b"content-length", b"%d" % len(answer.body)),
        (b"x-request-id", secrets.token_hex(8).encode()),
        (b"x-content-type-options", b"nosniff"),
    )
    head = b"".join(name + b": " + value + b"\r\n" for name, value in fields)
    phrase = HTTPStatus(answer.status).phrase.encode()
    return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (answer.status, phrase, head, answer.body)
