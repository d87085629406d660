"""What never ends is not kept in memory: heads, trailers and chunk extensions."""

import socket
from collections.abc import Iterator
from itertools import repeat

import pytest
from live import Live, serve_desk

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
