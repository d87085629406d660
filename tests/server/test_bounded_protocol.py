"""What comes before there is a request to serve: what never ends, what cannot be read, what comes too late."""

import asyncio
import contextlib
import json
import logging
import re
import socket
from collections.abc import Iterator
from itertools import repeat

import pytest
from live import Live, serve_desk

from server import unread
from tests.waiting import until

MOST_BYTES = 16 << 20
START = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNKED = START + b"Transfer-Encoding: chunked\r\n\r\n"
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serve_desk() as server:
        yield server


def send_until_refused(live: Live, start: bytes, part: bytes) -> tuple[int, bytes]:
    """How much of an endless request was taken before the connection ended, and what was answered."""
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        sent = 0
        try:
            connection.sendall(start)
            for each in repeat(part, MOST_BYTES // len(part)):
                connection.sendall(each)
                sent += len(each)
        except ConnectionError:
            pass
        received = b""
        try:
            while more := connection.recv(65536):
                received += more
        except ConnectionError:
            pass
    return sent, received


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (START, b"x-more: " + b"a" * 1000 + b"\r\n"),
        (START + b"x-more: ", b"a" * 1000),
        (START + b"x-more", b"a" * 1000),
        (CHUNKED + b"5\r\n{    \r\n0\r\n", b"x-trailer: " + b"a" * 1000 + b"\r\n"),
        (CHUNKED + b"5\r\n{    \r\n0\r\nx-trailer: ", b"a" * 1000),
        (CHUNKED + b"5;x=", b"a" * 1000),
    ],
    ids=["fields", "a value", "a name", "trailers", "a trailer", "a chunk extension"],
)
def test_what_never_ends_is_cut_off(live: Live, start: bytes, part: bytes) -> None:
    # Socket buffers of both sides take some megabytes on top of what the server reads.
    sent, _ = send_until_refused(live, start, part)
    assert sent < MOST_BYTES // len(part) * len(part)


def test_an_endless_head_is_answered_before_the_connection_ends(live: Live) -> None:
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(START + (b"x-more: " + b"a" * 1000 + b"\r\n") * 70)
        received = connection.recv(65536)
    assert received.startswith(b"HTTP/1.1 431 Request Header Fields Too Large\r\n")
    assert received.endswith(
        b'{"error":"headers_too_large","message":"Send at most 100 header fields and 16384 bytes of them."}'
    )


def test_bodies_in_small_parts_and_many_requests_on_one_connection_are_not_cut_off(live: Live) -> None:
    parts = b"".join(b"1\r\n%c\r\n" % byte for byte in b" " * 100_000 + PING) + b"0\r\n\r\n"
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        for body in (CHUNKED + parts, *repeat(START + b"Content-Length: %d\r\n\r\n" % len(PING) + PING, 300)):
            connection.sendall(body)
            answer = b""
            # Head and body may come in two pieces.
            while not answer.endswith(b'"result":{}}'):
                piece = connection.recv(65536)
                assert piece, answer
                answer += piece
            assert answer.startswith(b"HTTP/1.1 200 OK")


def exchange(live: Live, raw: bytes, answers: int = 1) -> list[tuple[int, dict[str, str], bytes]]:
    """Sends bytes as they are; the answers that come back, whole."""
    found = []
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(raw)
        stream = connection.makefile("rb")
        for _ in range(answers):
            status = int(stream.readline().split()[1])
            fields = {}
            while line := stream.readline().strip():
                name, _, value = line.decode().partition(":")
                fields[name] = value.strip()
            found.append((status, fields, stream.read(int(fields["content-length"]))))
        if found[-1][1].get("connection") == "close":
            assert stream.read() == b""
    return found


PLAIN = START + b"Content-Length: %d\r\n" % len(PING)


@pytest.mark.parametrize(
    "raw",
    [
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        START + b"no colon\r\n\r\n",
        START + b"x: a\x00b\r\n\r\n",
        START + b"Content-Length: x\r\n\r\n",
        START + b"Content-Length: -1\r\n\r\n",
        PLAIN + b"Content-Length: 1\r\n\r\n" + PING,
        PLAIN + b"Transfer-Encoding: chunked\r\n\r\n" + PING,
        CHUNKED + b"zz\r\n" + PING,
        START.replace(b"/mcp", b"/mcp\xff") + b"\r\n",
        START.replace(b"POST", b"post") + b"\r\n",
        PLAIN + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n" + PING,
    ],
)
def test_what_cannot_be_read_is_refused_in_the_form_of_all_refusals(live: Live, raw: bytes) -> None:
    # hosting A7, A8 (400)
    [(status, fields, body)] = exchange(live, raw)
    assert (status, json.loads(body)["error"]) == (400, "bad_request")
    assert set(json.loads(body)) == {"error", "message"}
    assert re.fullmatch(r"[0-9a-f]{16}", fields.pop("x-request-id"))
    del fields["content-length"]
    assert fields == {
        "content-type": "application/json",
        "cache-control": "no-store",
        "connection": "close",
        "x-content-type-options": "nosniff",
    }


def test_a_whole_request_is_answered_though_what_follows_cannot_be_read(live: Live) -> None:
    [(status, fields, body)] = exchange(live, PLAIN + b"\r\n" + PING + b"GARBAGE\r\n\r\n")
    assert (status, fields["connection"], json.loads(body)["result"]) == (200, "close", {})


def test_a_wish_for_another_protocol_is_passed_over_and_ends_the_connection(live: Live) -> None:
    # The parser reads nothing after such a request, so a connection left open would answer nothing more.
    wish = b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    [(status, fields, _)] = exchange(live, b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + wish)
    assert (status, fields["connection"]) == (200, "close")


def test_fields_after_a_body_are_no_header_fields(live: Live) -> None:
    whole = b"%x\r\n%b\r\n0\r\n" % (len(PING), PING)
    late = b"Origin: https://evil.example\r\nMCP-Protocol-Version: 1999-01-01\r\nX-Request-Id: late-12345\r\n\r\n"
    [(status, fields, body)] = exchange(live, CHUNKED + whole + late)
    assert (status, json.loads(body)["result"]) == (200, {})
    assert fields["x-request-id"] != "late-12345"
    assert "access-control-allow-origin" not in fields


def test_who_cannot_be_read_writes_no_content_into_the_log(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    exchange(live, b"GARBAGE planted\r\n\r\n")
    exchange(live, b"GET /planted HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: planted\r\n\r\n")
    assert "planted" not in caplog.text
    assert len([record for record in caplog.records if record.levelname == "WARNING"]) <= 1


GROW = {"name": "grow", "arguments": {"size": 2_000_000}}
WAIT = {"name": "wait_for_ever", "arguments": {}}
AHEAD = 20
"""With answers of two megabytes, more than all buffers between client and server hold."""


def call(params: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    return START + b"Content-Length: %d\r\n\r\n" % len(body) + body


@contextlib.contextmanager
def unread_answers(live: Live) -> Iterator[socket.socket]:
    """A connection with requests sent ahead, whose client has read one byte of the first answer."""
    with socket.create_connection(("127.0.0.1", live.port), timeout=20) as connection:
        connection.sendall(call(GROW) * AHEAD)
        assert connection.recv(1) == b"H"
        yield connection


def test_requests_sent_ahead_are_begun_only_as_their_answers_are_read(live: Live) -> None:
    # hosting 4.2: a place among the requests in progress is not held by a client that does not read
    before = live.tasks()
    with unread_answers(live) as connection:
        asyncio.run(until(lambda: live.tasks() <= before))
        stream = connection.makefile("rb")
        lengths = []
        while len(lengths) < AHEAD:
            while not (line := stream.readline()).startswith(b"content-length: "):
                assert line
            while stream.readline() != b"\r\n":
                continue
            lengths.append(len(stream.read(int(line.split()[1]))))
    assert len(set(lengths)) == 1 and lengths[0] > 2_000_000


def test_who_reads_nothing_for_long_is_cut_off(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unread, "UNREAD_S", 0.01)
    with unread_answers(live):
        asyncio.run(until(lambda: not live.server.server_state.connections))


def test_who_leaves_with_answers_unread_leaves_no_error(live: Live, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    before = live.tasks()
    with unread_answers(live):
        pass
    asyncio.run(until(lambda: not live.server.server_state.connections and live.tasks() <= before))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


def test_who_leaves_with_requests_sent_ahead_of_a_call_ends_that_call(
    live: Live, caplog: pytest.LogCaptureFixture
) -> None:
    # hosting A35
    before = live.tasks()
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(call(WAIT) + call(GROW))
        asyncio.run(until(lambda: live.tasks() > before))
    asyncio.run(until(lambda: live.tasks() <= before))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
