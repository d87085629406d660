"""A server process of its own for a gate: a free loopback port, wide budgets, and a log to read at the end."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from server.bootstrap import DISPATCHERS
from server.setting_table import PREFIX
from tests.gates.tools import ROOT

__all__ = ["DISPATCHERS", "WIDE_BUDGETS", "Server", "free_port", "serving", "serving_catalog", "serving_fixture"]

START_LIMIT_S = 60
STOP_LIMIT_S = 70
CURSOR_KEYS = "a-cursor-key-of-the-gates"

WIDE_BUDGETS = {
    f"{PREFIX}LIMIT_PER_MINUTE": "10000",
    f"{PREFIX}LIMIT_CATALOG_SEMANTIC_PER_MINUTE": "10000",
    f"{PREFIX}LIMIT_CONCURRENT": "64",
}
"""One loopback address makes all the calls of a gate; the limits have tests of their own."""


@dataclass(frozen=True, slots=True)
class Server:
    """A process that serves, and all that it said."""

    url: str
    process: "subprocess.Popen[bytes]"
    log: Path

    def said(self) -> str:
        """Its output so far: all of it once it has ended."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def requests(self) -> list[dict[str, str]]:
        """The fields of each request's log line."""
        lines = re.findall(r" mcp_request (.*)", self.said())
        return [dict(field.split("=", 1) for field in line.split()) for line in lines]

    def complaints(self) -> list[str]:
        """Every line that is worse than information, and every traceback."""
        return [line for line in self.said().splitlines() if re.search(r"WARNING|ERROR|CRITICAL|Traceback", line)]

    def resident_kib(self) -> int:
        """The memory that the process holds; needs Linux's /proc."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+)", status)[0])

    def stop(self) -> int:
        """Ends it in order, by a signal."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_LIMIT_S)


@contextlib.contextmanager
def serving(
    folder: Path, *arguments: str, module: str = "server", environment: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """`python -m MODULE ARGUMENTS --port FREE` until the block ends; its log lies in `folder`."""
    port = free_port()
    log = folder / f"{module}-{port}.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments, "--port", str(port)],
            cwd=ROOT,
            env=clean_environment(environment),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    server = Server(f"http://127.0.0.1:{port}", process, log)
    try:
        _await_answer(server)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(STOP_LIMIT_S)


def serving_catalog(
    folder: Path, catalog: Path, *, dispatcher: str | None = None, environment: Mapping[str, str] | None = None
) -> contextlib.AbstractContextManager[Server]:
    """The service itself over a catalog directory, on the dispatcher that is its default where none is named."""
    chosen = {} if dispatcher is None else {f"{PREFIX}DISPATCHER": dispatcher}
    wanted = {**WIDE_BUDGETS, f"{PREFIX}CURSOR_KEYS": CURSOR_KEYS, f"{PREFIX}EMBEDDER": "none", **chosen}
    return serving(folder, "serve", "--catalog", f"file:{catalog}", environment={**wanted, **(environment or {})})


def serving_fixture(
    folder: Path, *, dispatcher: str, log_level: str = "INFO"
) -> contextlib.AbstractContextManager[Server]:
    """The toolsets of the tests in a process of their own."""
    chosen = ("--dispatcher", dispatcher, "--log-level", log_level)
    return serving(folder, *chosen, module="tests.gates.fixture_server")


def clean_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of these tests without settings of the service, and what is added."""
    foreign = (PREFIX, "PWC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    kept.pop("PORT", None)
    kept.pop("LOG_LEVEL", None)
    return {**kept, "PYTHONPATH": str(ROOT), **(more or {})}


def free_port() -> int:
    """A loopback port that nothing listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def _await_answer(server: Server) -> None:
    end_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < end_s:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(f"{server.url}/health/live", timeout=5).raise_for_status()
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.process.wait(0.05)
            break
    raise AssertionError(f"the server did not start: {server.said()}")
