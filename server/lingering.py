"""Closing a connection whose client is still sending: the answer goes out, and the rest of the upload is let pass.

A socket that is closed with bytes unread is reset, and a reset may overtake the answer. A proxy in front then reports
a broken upstream where the service had said what was wrong.
"""

import asyncio
from collections.abc import Callable
from typing import Any

LINGER_S = 2.0
LINGER_BYTES = 4 * 1024 * 1024


class LingeringTransport:
    """A transport that ends its sending side first; what still arrives is dropped, for a short time and a bounded size.

    `is_receiving` says whether a request is still on its way. Once `is_closing`, received data belongs to `swallow`.
    """

    def __init__(self, transport: asyncio.Transport, is_receiving: Callable[[], bool]) -> None:
        self._transport = transport
        self._is_receiving = is_receiving
        self._left_bytes = LINGER_BYTES
        self._timer: asyncio.TimerHandle | None = None
        # Called for every answer, so without a detour.
        self.write = transport.write

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Whether this side has said its last."""
        return self._timer is not None or self._transport.is_closing()

    def close(self) -> None:
        """Ends the connection once everything is written, and once the client has finished or used up its time."""
        if self.is_closing():
            return
        if not self._is_receiving() or not self._transport.can_write_eof():
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
        self._timer = asyncio.get_running_loop().call_later(LINGER_S, self._transport.close)

    def swallow(self, data: bytes) -> None:
        """Drops what arrives after the answer; an upload beyond the bound ends the connection."""
        self._left_bytes -= len(data)
        if self._left_bytes < 0:
            self._transport.close()

    def lost(self) -> None:
        """The connection is over."""
        if self._timer is not None:
            self._timer.cancel()
