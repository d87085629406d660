"""Ends a connection whose client has stopped reading: what is written for it would be kept in memory for ever."""

import asyncio
from collections.abc import Callable
from typing import Any

UNREAD_S = 60.0
"""As long as nginx waits for a client. Socket buffers empty in steps, so a slow reader seems to rest between two."""


class UnreadAnswers:
    """Watches a transport from the moment that more is written than its client takes; any progress is good enough."""

    def __init__(self, transport: Any, call_later: Callable[..., asyncio.TimerHandle]) -> None:
        self._transport = transport
        self._call_later = call_later
        self._left_bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """From now on the client has to read."""
        self.end()
        self._left_bytes = self._transport.get_write_buffer_size()
        self._timer = self._call_later(UNREAD_S, self._look)

    def end(self) -> None:
        """The client has read, or the connection is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        if self._transport.get_write_buffer_size() < self._left_bytes:
            self.begin()
        else:
            self._timer = None
            self._transport.abort()
