"""An answer to a request that is still being sent arrives, and who never finishes sending is cut off."""

import socket
from collections.abc import Iterator
from itertools import repeat

import pytest
from live import Live, serve_desk

from server import lingering
from server.body import MAX_BODY_BYTES

PART = b" " * 65536
UPLOAD_BYTES = 3 << 20


def head(length: int) -> bytes:
    fields = f"Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
    return f"POST /mcp HTTP/1.1\r\n{fields}\r\n".encode()


@pytest.fixture
def live() -> Iterator[Live]:
    with serve_desk() as server:
        yield server


def read_to_the_end(connection: socket.socket) -> bytes:
    received = b""
    while more := connection.recv(65536):
        received += more
    return received


def send_until_cut_off(connection: socket.socket, most: int) -> int:
    sent = 0
    try:
        for part in repeat(PART, most // len(PART)):
            connection.sendall(part)
            sent += len(part)
    except ConnectionError:
        return sent
    pytest.fail("the connection was never cut off")


def test_a_body_over_the_bound_is_refused_and_the_refusal_arrives_each_time(live: Live) -> None:
    # hosting A47: a reset in the middle of the upload would take the answer with it
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
            connection.sendall(head(UPLOAD_BYTES))
            for _ in range(UPLOAD_BYTES // len(PART)):
                connection.sendall(PART)
            received = read_to_the_end(connection)
        assert received.startswith(b"HTTP/1.1 413 ")
        assert f'"limit_bytes":{MAX_BODY_BYTES}'.encode() in received


def test_the_refusal_comes_before_the_body_and_ends_the_answer(live: Live) -> None:
    # hosting A47
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(head(MAX_BODY_BYTES + 1))
        received = read_to_the_end(connection)
    assert received.startswith(b"HTTP/1.1 413 ") and b"\r\nconnection: close\r\n" in received


def test_an_upload_that_goes_on_and_on_is_cut_off(live: Live) -> None:
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(head(1 << 30))
        read_to_the_end(connection)
        # Socket buffers of both sides take some megabytes on top of what is let pass.
        assert send_until_cut_off(connection, 1 << 26) < 1 << 26


def test_a_client_that_stays_after_its_refusal_is_cut_off(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lingering, "LINGER_S", 0.01)
    with socket.create_connection(("127.0.0.1", live.port), timeout=10) as connection:
        connection.sendall(head(MAX_BODY_BYTES + 1))
        read_to_the_end(connection)
        while live.server.server_state.connections:
            continue
        with pytest.raises(ConnectionError):
            for part in repeat(b" ", 1000):
                connection.sendall(part)
