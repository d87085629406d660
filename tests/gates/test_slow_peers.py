"""Clients that read, write or do nothing for long: others are served, who takes too long is told so (hosting 7.6)."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from server.body import BodyBounds
from tests.gates.raw_http import NoAnswer, RawAnswer, RawConnection
from tests.gates.running import Server, serving_catalog
from tests.waiting import until

pytestmark = [pytest.mark.gate, pytest.mark.timeout(180)]

BOUNDS = BodyBounds()
SLACK_S = 3.0
"""How much later than its bound an answer may come on a busy machine; earlier it may not come at all."""

IDLE = 100
OTHERS = 60
PIPELINED = 300
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
PROMISED = HEAD + b"Content-Length: 100\r\n\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n%b" % (len(json.dumps(LIST)), json.dumps(LIST).encode())


@pytest.fixture(scope="module")
def server(sample_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving_catalog(tmp_path_factory.mktemp("served"), sample_directory) as started:
        yield started
        started.stop()
        assert started.complaints() == []


def wait_until(condition: Callable[[], bool]) -> None:
    asyncio.run(until(condition))


def port_of(server: Server) -> int:
    return int(server.url.rpartition(":")[2])


def in_flight(server: Server) -> int:
    """How many requests the service says it is at."""
    found = re.search(r"^paperdesk_in_flight(?:\{.*\})? (\d+)", httpx.get(f"{server.url}/metrics").text, re.MULTILINE)
    assert found
    return int(found[1])


def assert_others_are_served(server: Server) -> None:
    """A few more clients, each with a connection of its own: as quick as ever."""
    taken = []
    for _ in range(OTHERS):
        with RawConnection(port_of(server)) as connection:
            started_s = time.perf_counter()
            connection.send(WHOLE)
            assert connection.answer().status == 200
            taken.append(time.perf_counter() - started_s)
    assert sorted(taken)[len(taken) // 2] < 1.0


@contextmanager
def writing(connection: RawConnection, start: bytes, part: bytes, every_s: float) -> Iterator[None]:
    """Sends a start, and then a part again and again while the block lasts."""
    is_over = threading.Event()

    def write() -> None:
        while not is_over.wait(every_s):
            connection.send(part)

    connection.send(start)
    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        is_over.set()
        writer.join(10)


WRITERS = {
    "nothing of it": (PROMISED, b"", BOUNDS.between_parts_s),
    "a part of it": (PROMISED + b'{"jsonrpc":', b"", BOUNDS.between_parts_s),
    "a part of a chunk": (CHUNKED + b"5\r\n{", b"", BOUNDS.between_parts_s),
    "a byte now and then": (PROMISED, b"x", BOUNDS.total_s),
    "a chunk now and then": (CHUNKED, b"1\r\nx\r\n", BOUNDS.total_s),
}
"""What each sends of its body: a start, what follows every half second, and when it is told off."""


def test_slow_writers_are_told_in_time_while_others_are_served(server: Server) -> None:
    # hosting A48
    with ExitStack() as stack:
        slow = {name: stack.enter_context(RawConnection(port_of(server))) for name in WRITERS}
        for name, (start, part, _) in WRITERS.items():
            stack.enter_context(writing(slow[name], start, part, 0.5 if part else 60.0))
        assert_others_are_served(server)
        wait_until(lambda: in_flight(server) == len(WRITERS))
        answers = {name: each.answer(limit_s=BOUNDS.total_s + 2 * SLACK_S) for name, each in slow.items()}
    for name, answer in answers.items():
        assert (answer.status, json.loads(answer.body)["error"]) == (408, "request_timeout"), name
        assert answer.field("connection") == "close"
        [line] = requests_of(server, answer)
        bound_s = WRITERS[name][2]
        assert bound_s - 0.1 <= float(line["latency_ms"]) / 1000 < bound_s + SLACK_S, name
    wait_until(lambda: in_flight(server) == 0)


def requests_of(server: Server, answer: RawAnswer) -> list[dict[str, str]]:
    """The log lines of an answer's request, once they are written."""

    def found() -> list[dict[str, str]]:
        return [line for line in server.requests() if line["request_id"] == answer.field("x-request-id")]

    wait_until(lambda: bool(found()))
    return found()


def test_a_slow_reader_holds_up_itself_alone_and_loses_nothing(
    server: Server, record_property: Callable[[str, object], None]
) -> None:
    before_kib = server.resident_kib()
    with RawConnection(port_of(server)) as slow:
        # Far more than all buffers between the two hold.
        slow.send(WHOLE * PIPELINED)
        assert_others_are_served(server)
        grown_kib = server.resident_kib() - before_kib
        bodies = {slow.answer().body for _ in range(PIPELINED)}
    [body] = bodies
    total_kib = len(body) * PIPELINED // 1024
    record_property("figure", f"{total_kib} KiB of answers unread, the process grew by {grown_kib} KiB")
    assert next(tool["name"] for tool in json.loads(body)["result"]["tools"]) == "search_papers"
    assert total_kib > 10_000
    assert grown_kib < total_kib / 2
    wait_until(lambda: in_flight(server) == 0)


def test_a_slow_reader_holds_no_place_among_the_requests_in_progress(server: Server) -> None:
    with RawConnection(port_of(server)) as slow:
        slow.send(WHOLE * PIPELINED)
        # What it has not read keeps none of its further requests in progress.
        assert slow.answer().status == 200
        wait_until(lambda: in_flight(server) == 0)
    wait_until(lambda: in_flight(server) == 0)
    assert_others_are_served(server)


def test_idle_connections_take_nothing_from_others(server: Server) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(RawConnection(port_of(server))) for _ in range(IDLE)]
        # Some have begun to speak, some have been served before.
        for connection in idle[::3]:
            connection.send(HEAD)
        for connection in idle[1::3]:
            connection.send(WHOLE)
            assert connection.answer().status == 200
        assert_others_are_served(server)
        assert in_flight(server) == 0
        for connection in idle[1::3]:
            connection.send(WHOLE)
            assert connection.answer().status == 200
        with pytest.raises(NoAnswer):
            idle[0].answer(limit_s=0.1)
