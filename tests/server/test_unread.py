"""How long a client may leave unread what was written for it."""

import asyncio
from collections.abc import Callable, Iterator

import pytest

from server.unread import UNREAD_S, UnreadAnswers


class Written:
    """A transport as far as it is watched."""

    def __init__(self) -> None:
        self.unread_bytes = 100_000
        self.is_aborted = False

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def abort(self) -> None:
        self.is_aborted = True


class Timers:
    """Those of an event loop, which run out when the test says so."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.made: list[tuple[float, asyncio.TimerHandle, Callable[[], None]]] = []

    def call_later(self, span_s: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(0, callback, (), self.loop)
        self.made.append((span_s, handle, callback))
        return handle

    def run_out(self) -> float:
        span_s, handle, callback = self.made.pop()
        assert self.made == [] or all(each.cancelled() for _, each, _ in self.made)
        assert not handle.cancelled()
        callback()
        return span_s


@pytest.fixture
def timers() -> Iterator[Timers]:
    timers = Timers()
    yield timers
    timers.loop.close()


def test_a_client_that_takes_nothing_is_given_up(timers: Timers) -> None:
    written = Written()
    UnreadAnswers(written, timers.call_later).begin()
    assert not written.is_aborted
    assert timers.run_out() == UNREAD_S
    assert written.is_aborted and timers.made == []


def test_any_progress_gives_the_whole_time_again(timers: Timers) -> None:
    written = Written()
    UnreadAnswers(written, timers.call_later).begin()
    for _ in range(5):
        written.unread_bytes -= 1
        assert timers.run_out() == UNREAD_S
        assert not written.is_aborted
    timers.run_out()
    assert written.is_aborted


def test_who_has_read_is_watched_no_more(timers: Timers) -> None:
    watch = UnreadAnswers(Written(), timers.call_later)
    watch.begin()
    watch.end()
    assert [handle.cancelled() for _, handle, _ in timers.made] == [True]
    watch.end()
