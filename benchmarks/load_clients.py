"""What sends the load of `benchmarks.load`: wrk where it is installed, else a client of the same shape in Python.

Both build their requests once and send them in turn over kept connections. `python -m benchmarks.load_clients` is the
second one.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OK = 200
CALLERS = 200
MODERN = "2026-07-28"
ERAS = ("old", "modern")
QUERIES = (
    "attention mechanisms for translation",
    "image classification with residual networks",
    "diffusion models",
    "reinforcement learning from human feedback",
    "graph neural networks",
    "question answering over long documents",
    "speech recognition",
    "parameter-efficient fine-tuning",
)
WORKLOADS: dict[str, tuple[str, str]] = {
    "trivial": ("tools/call", "/mcp/trivial"),
    "list": ("tools/list", "/mcp"),
    "search": ("tools/call", "/mcp"),
}

_LUA = """
local bodies, fields, parts, turn = {}, {}, {}, 0
%s
function init(args)
  for i = 1, #bodies do parts[i] = wrk.format("POST", nil, fields[i], bodies[i]) end
end
function request()
  turn = turn %% #parts + 1
  return parts[turn]
end
function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('\\nRESULT {"requests":%%d,"span_us":%%d,"errors":%%d,"p50":%%d,"p95":%%d,"p99":%%d}\\n',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
"""


@dataclass(frozen=True, slots=True)
class Sent:
    """One request: its header lines and its body."""

    fields: dict[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Taken:
    """What a client measured; times in microseconds."""

    requests: int
    span_us: int
    errors: int
    p50: int
    p95: int
    p99: int


def requests_for(workload: str, era: str, callers: int = CALLERS) -> list[Sent]:
    """A request of each caller."""
    return [_request(workload, era, number) for number in range(callers)]


def _request(workload: str, era: str, number: int) -> Sent:
    method, _ = WORKLOADS[workload]
    params: dict[str, Any] = {}
    if workload == "trivial":
        params = {"name": "add", "arguments": {"a": number, "b": 2}}
    elif workload == "search":
        params = {"name": "search_papers", "arguments": {"query": QUERIES[number % len(QUERIES)]}}
    fields = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    fields["X-PwC-MCP-Client"] = f"load-{number}"
    if era == "old":
        fields["MCP-Protocol-Version"] = "2025-11-25"
    else:
        key = "io.modelcontextprotocol"
        client = {"name": "load", "version": "1"}
        envelope = {"protocolVersion": MODERN, "clientCapabilities": {}, "clientInfo": client}
        params["_meta"] = {f"{key}/{name}": value for name, value in envelope.items()}
        fields |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        if "name" in params:
            fields["Mcp-Name"] = params["name"]
    return Sent(fields, json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))


def on_the_wire(sent: Sent, path: str) -> bytes:
    """A request as bytes."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in sent.fields.items())
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}Content-Length: {len(sent.body)}\r\n\r\n"
    return f"{head}{sent.body}".encode()


async def status_of(reader: asyncio.StreamReader) -> int:
    """Reads one whole answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    await reader.readexactly(int(length or 0))
    return int(head.split(b" ", 2)[1])


class Client:
    """Runs one cell at a time on a core of its own."""

    def __init__(self, folder: Path, *, core: int | None, force_python: bool = False) -> None:
        self._folder = folder
        self._core = core
        self.wrk = None if force_python else shutil.which("wrk")

    def run(self, url: str, sent: Sequence[Sent], connections: int, seconds: float) -> Taken:
        """Sends for so long, on so many connections."""
        # wrk takes whole seconds.
        command = [self.wrk, "-t1", f"-c{connections}", f"-d{max(1, round(seconds))}s", "--timeout", "20s"]
        if self.wrk is not None:
            script = self._folder / "requests.lua"
            script.write_text(_LUA % "\n".join(_lua(number, each) for number, each in enumerate(sent, start=1)))
            command += ["-s", str(script), url]
        else:
            script = self._folder / "requests.json"
            script.write_text(json.dumps([[each.fields, each.body] for each in sent]))
            further = [url, str(script), str(connections), str(seconds)]
            command = [sys.executable, "-m", "benchmarks.load_clients", *further]
        ran = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=True, preexec_fn=self._pin
        )
        found = next(line for line in ran.stdout.splitlines() if line.startswith("RESULT "))
        return Taken(**json.loads(found.removeprefix("RESULT ")))

    def _pin(self) -> None:
        if self._core is not None:
            os.sched_setaffinity(0, {self._core})


def _lua(number: int, sent: Sent) -> str:
    # JSON's own escapes are Lua's too where the text is ASCII.
    fields = ", ".join(f"[{json.dumps(name)}]={json.dumps(value)}" for name, value in sent.fields.items())
    return f"bodies[{number}] = {json.dumps(sent.body)}\nfields[{number}] = {{{fields}}}"


class _Turn:
    """The requests in turn, and what came of them."""

    def __init__(self, parts: Sequence[bytes], ends_s: float) -> None:
        self._parts = parts
        self._next = 0
        self.ends_s = ends_s
        self.errors = 0
        self.times_us: list[int] = []

    def take(self) -> bytes:
        part = self._parts[self._next]
        self._next = (self._next + 1) % len(self._parts)
        return part


async def _connection(host: str, port: int, turn: _Turn) -> None:
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 20)
    while time.perf_counter() < turn.ends_s:
        started_s = time.perf_counter()
        writer.write(turn.take())
        status = await status_of(reader)
        turn.times_us.append(round((time.perf_counter() - started_s) * 1e6))
        turn.errors += status != OK
    writer.close()


async def _send(url: str, parts: Sequence[bytes], connections: int, seconds: float) -> Taken:
    host, _, port = url.split("/")[2].partition(":")
    started_s = time.perf_counter()
    turn = _Turn(parts, started_s + seconds)
    await asyncio.gather(*(_connection(host, int(port), turn) for _ in range(connections)))
    span_us = round((time.perf_counter() - started_s) * 1e6)
    times = sorted(turn.times_us)
    p50, p95, p99 = (times[min(len(times) - 1, len(times) * share // 100)] for share in (50, 95, 99))
    return Taken(len(times), span_us, turn.errors, p50, p95, p99)


def main() -> None:
    url, script, connections, seconds = sys.argv[1:]
    path = "/" + url.split("/", 3)[3]
    parts = [on_the_wire(Sent(*each), path) for each in json.loads(Path(script).read_text())]
    taken = asyncio.run(_send(url, parts, int(connections), float(seconds)))
    fields = {name: getattr(taken, name) for name in Taken.__slots__}
    print(f"RESULT {json.dumps(fields)}")


if __name__ == "__main__":
    main()
