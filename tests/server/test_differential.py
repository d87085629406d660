"""Every dispatcher answers as the SDK does: recorded requests, sent to each behind the same guard (hosting 7.5)."""

import json
import socket
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from desk_toolset import TOOLSET as DESK_TOOLSET
from live import serve_catalog, serve_desk
from recorded import Recorded, both, well_addressed
from recorded_oddities import oddly_addressed

from core.clock import ManualClock
from server.bootstrap import DISPATCHERS
from server.registry import BoundToolset
from server.served import TOOLSETS

ALLOWED_DIFFERENCES: Mapping[str, str] = {}
"""By the name of a request, why its answers may differ."""

AT_LEAST = {"openings": 20, "lists": 20, "calls": 80, "offers": 30, "methods": 20, "bodies": 30, "routing": 40}

CATALOG = BoundToolset(TOOLSETS[0], None, clock=ManualClock())
REQUESTS = [*well_addressed(CATALOG), *oddly_addressed()]
DESK_CALLS: dict[str, Any] = {
    "find_notes": {"query": "Gödel \\u0041", "minimum_metrics": {"Acc": 0.5, "F1": 1}, "authors": ["A", "B"]},
    "add": {"a": 2**53, "b": -(2**62)},
    "crash": {},
    "miss": {"what": "\u202e\u0000x"},
    "grow": {"size": 3_000_000},
    "spoil": {},
    "wait_for_ever": {},
}
DESK_REQUESTS = [
    request
    for tool, arguments in DESK_CALLS.items()
    for request in both("desk", tool, "tools/call", {"name": tool, "arguments": arguments})
]


class Wire:
    """A kept connection that sends bytes as they are."""

    def __init__(self, port: int) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), timeout=20)
        self._left = b""

    def ask(self, request: Recorded) -> dict[str, Any]:
        """What of an answer has to be the same, whoever gives it."""
        lines = (("Host", "localhost"), ("Content-Type", "application/json"), *request.lines)
        head = "".join(f"{name}: {value}\r\n" for name, value in lines)
        length = f"Content-Length: {len(request.body)}\r\n"
        self._connection.sendall(f"POST /mcp HTTP/1.1\r\n{head}{length}\r\n".encode("latin-1") + request.body)
        status, fields, body = self._received()
        answer = json.loads(body) if body else {}
        error = answer.get("error", {})
        data = error.get("data") or {}
        return {
            "status": status,
            "content-type": fields.get("content-type"),
            "id": answer.get("id"),
            "result": answer.get("result"),
            "error.code": error.get("code"),
            "error.data.supported": data.get("supported"),
            "error.data.uri": data.get("uri"),
            "has": sorted(answer),
        }

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def _received(self) -> tuple[int, dict[str, str], bytes]:
        received = self._left
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, rest = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(fields.get("content-length", 0))
        while len(rest) < length:
            rest += self._more()
        self._left = rest[length:]
        return int(first.split()[1]), fields, rest[:length]

    def _more(self) -> bytes:
        part = self._connection.recv(1 << 20)
        assert part, "the server closed the connection"
        return part


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


@pytest.fixture(scope="module")
def wires(sample_directory: Path) -> Iterator[dict[str, Wire]]:
    """A connection to the sample catalog behind each dispatcher."""
    with serve_catalog(sample_directory, "sdk") as sdk, serve_catalog(sample_directory, "lean") as lean:
        opened = {"sdk": Wire(port_of(sdk)), "lean": Wire(port_of(lean))}
        assert set(opened) == set(DISPATCHERS)
        yield opened
        for wire in opened.values():
            wire.close()


@pytest.fixture(scope="module")
def desks() -> Iterator[dict[str, Wire]]:
    """As `wires`, to the toolset of the tests, which also fails as no family plans to."""
    with serve_desk("sdk") as sdk, serve_desk("lean") as lean:
        opened = {"sdk": Wire(sdk.port), "lean": Wire(lean.port)}
        yield opened
        for wire in opened.values():
            wire.close()


def test_the_record_holds_enough_of_everything() -> None:
    # hosting A86 (numbers)
    counted = Counter(request.group for request in REQUESTS)
    assert set(counted) == set(AT_LEAST)
    assert {group: counted[group] for group in AT_LEAST if counted[group] < AT_LEAST[group]} == {}
    assert counted.total() >= 200
    assert len({request.name for request in REQUESTS}) == len(REQUESTS)
    assert set(DESK_CALLS) == {tool.name for tool in DESK_TOOLSET.tools}
    assert set(ALLOWED_DIFFERENCES) <= {request.name for request in REQUESTS}


@pytest.mark.parametrize("request_", REQUESTS, ids=[f"{position}" for position in range(len(REQUESTS))])
def test_a_recorded_request_is_answered_alike(wires: dict[str, Wire], request_: Recorded) -> None:
    # hosting A86
    expected = wires["sdk"].ask(request_)
    answer = wires["lean"].ask(request_)
    if request_.name not in ALLOWED_DIFFERENCES:
        assert answer == expected, request_.name


@pytest.mark.parametrize("request_", DESK_REQUESTS, ids=[request.name for request in DESK_REQUESTS])
def test_what_goes_wrong_inside_a_tool_goes_out_alike(desks: dict[str, Wire], request_: Recorded) -> None:
    # hosting A86
    expected = desks["sdk"].ask(request_)
    assert (expected["status"], expected["has"]) == (200, ["id", "jsonrpc", "result"])
    assert desks["lean"].ask(request_) == expected
