"""Load on the whole service over loopback, as ratios to a bare Starlette JSON route (hosting contract 7.4).

Run from the project's root: `python -m benchmarks.load`. One server process on one core, the client on another; rounds
are interleaved over the servers; one error anywhere makes the run void. `--layers` shows what our own layers cost
(A85), `--identities` what ten thousand known callers cost against one (A87).
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks.load_clients import ERAS, WORKLOADS, Client, Sent, Taken, requests_for
from server.limits.budgets import LIMIT_MAX

ANSWERS_BY = "lean"
OTHERS = ("bare", "lowlevel")
WARM_UP_S = 1.0
START_LIMIT_S = 60.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
LAYERS_MAX_US = 35
KNOWN_IDENTITIES = 10_000

Cell = tuple[str, str, int]
"""Workload, era, connections."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One cell of one round."""

    rate: float
    cpu_us: float
    p50: int
    p95: int
    p99: int


@dataclass(slots=True)
class Running:
    """A server under test."""

    kind: str
    port: int
    process: subprocess.Popen[str]
    log: Path
    rss_kib: list[int] = field(default_factory=list)

    def url(self, workload: str) -> str:
        """Where a workload is asked for."""
        path = f"/{workload}" if self.kind in OTHERS else WORKLOADS[workload][1]
        return f"http://127.0.0.1:{self.port}{path}"

    def cpu_s(self) -> float:
        """CPU time of all its threads so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def tasks(self) -> int:
        """How many tasks live on its event loop."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("tasks\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def note_rss(self) -> None:
        """Adds its memory to the series."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        self.rss_kib.append(next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")))


class Void(SystemExit):
    """The run measured something else than it was to measure."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Void: {why}")


@contextmanager
def serving(kind: str, folder: Path, core: int | None, *further: str, **more: str) -> Iterator[Running]:
    """A server process until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    budgets = {name: str(LIMIT_MAX) for name in ("PER_MINUTE", "CATALOG_SEMANTIC_PER_MINUTE")}
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PAPERDESK_")},
        **{f"PAPERDESK_LIMIT_{name}": value for name, value in {**budgets, "CONCURRENT": "64"}.items()},
        **({} if core is None else {"LOAD_SERVER_CORE": str(core)}),
        **more,
    }
    log = folder / f"{kind}.log"
    command = [sys.executable, "-m", "benchmarks.load_servers", kind, str(port), *further]
    with log.open("wb") as lines:
        process = subprocess.Popen(
            command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=lines
        )
    try:
        running = Running(kind, port, process, log)
        _await_start(running)
        yield running
    finally:
        process.kill()
        process.communicate()


def _await_start(running: Running) -> None:
    ends_s = time.monotonic() + START_LIMIT_S
    while time.monotonic() < ends_s and running.process.poll() is None:
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", running.port)) == 0:
                return
        time.sleep(0.05)
    raise Void(f"the server {running.kind} did not start:\n{running.log.read_text()[-2000:]}")


def answers(running: Running, workload: str, sent: Sequence[Sent]) -> list[dict[str, Any]]:
    """The answer to each request; any that is no good one ends the run."""
    found = []
    with httpx.Client(timeout=20) as client:
        for each in sent:
            answer = client.post(running.url(workload), content=each.body, headers=each.fields)
            body = answer.json()
            if answer.status_code != 200 or "result" not in body or body["result"].get("isError", False):
                raise Void(f"{running.kind} answers {workload} with {answer.status_code}: {answer.text[:200]}")
            found.append(body)
    return found


def measure(client: Client, running: Running, cell: Cell, seconds: float) -> Measured:
    """One cell, after a warm-up."""
    workload, era, connections = cell
    sent = requests_for(workload, era)
    client.run(running.url(workload), sent, connections, WARM_UP_S)
    before_s = running.cpu_s()
    taken: Taken = client.run(running.url(workload), sent, connections, seconds)
    spent_s = running.cpu_s() - before_s
    if taken.errors or not taken.requests:
        raise Void(f"{running.kind} had {taken.errors} errors in {taken.requests} requests of {cell}")
    rate = taken.requests / (taken.span_us / 1e6)
    return Measured(rate, spent_s * 1e6 / taken.requests, taken.p50, taken.p95, taken.p99)


def check_log(running: Running) -> None:
    """Every line of the production application has to tell of a good request."""
    if running.kind in OTHERS:
        return
    lines = [line for line in running.log.read_text().splitlines() if " mcp_request " in line]
    # A client that ends a run leaves what is under way.
    bad = [line for line in lines if " outcome=ok " not in line and " outcome=cancelled " not in line]
    # The constant dispatcher says nothing of an outcome.
    if not lines or (bad and running.kind != "constant"):
        raise Void(f"{running.kind} logged {len(lines)} requests, {len(bad)} of them not good: {bad[:1]}")


def middle(values: Sequence[Measured], name: str) -> float:
    """The median over rounds."""
    return statistics.median(getattr(value, name) for value in values)


def show(console: Console, cells: Sequence[Cell], found: dict[tuple[str, Cell], list[Measured]]) -> None:
    """The table; the first server of each cell is the bare route."""
    measures = ("req/s", "ratio", "p50 us", "p95 us", "p99 us", "p99/p50", "CPU us", "CPU ratio")
    table = Table("workload", "era", "conn.", "server", *measures)
    for cell in cells:
        bare, bare_cpu = (middle(found["bare", cell], name) for name in ("rate", "cpu_us"))
        for kind in dict.fromkeys(kind for kind, _ in found):
            values = found[kind, cell]
            rate, p50, p99 = (middle(values, name) for name in ("rate", "p50", "p99"))
            numbers = (f"{rate:.0f}", f"{rate / bare:.2f}", f"{p50:.0f}", f"{middle(values, 'p95'):.0f}", f"{p99:.0f}")
            tail = f"{statistics.median(value.p99 / value.p50 for value in values):.1f}"
            # On a machine that others use too, the ratio of CPU time says more than the one of rates.
            cpu = middle(values, "cpu_us")
            table.add_row(cell[0], cell[1], str(cell[2]), kind, *numbers, tail, f"{cpu:.0f}", f"{bare_cpu / cpu:.2f}")
        table.add_section()
    console.print(table)


def run_cells(options: argparse.Namespace, console: Console) -> None:
    """The whole of 7.4, or the part that was asked for."""
    cells = [
        (workload, era, number) for workload in options.workloads for era in ERAS for number in options.connections
    ]
    kinds = ["constant"] if options.layers else []
    kinds += [kind for kind in options.dispatchers if kind != ANSWERS_BY]
    found: dict[tuple[str, Cell], list[Measured]] = defaultdict(list)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="paperdesk-load-")))
        server_core, client_core = cores(console)
        client = Client(folder, core=client_core, force_python=options.python_client)
        console.print(f"Client: {client.wrk or 'Python'}; {options.rounds} rounds of {options.seconds:g} s a cell.")
        lean = stack.enter_context(serving(ANSWERS_BY, folder, server_core))
        equal = {name: answers(lean, name, requests_for(name, "old", 1))[0] for name in WORKLOADS}
        (folder / "answers.json").write_text(json.dumps(equal))
        others = [serving(kind, folder, server_core, str(folder / "answers.json")) for kind in OTHERS]
        running = [
            stack.enter_context(each) for each in (*others, *(serving(kind, folder, server_core) for kind in kinds))
        ]
        running += [lean] if ANSWERS_BY in options.dispatchers else []
        for server in running:
            for workload, era, _ in cells:
                answers(server, workload, requests_for(workload, era))
            server.note_rss()
        for number in range(options.rounds):
            for cell in cells:
                for server in running:
                    console.print(f"round {number + 1}: {server.kind}, {cell}", style="dim")
                    found[server.kind, cell].append(measure(client, server, cell, options.seconds))
        for server in running:
            server.note_rss()
            time.sleep(0.5)  # the last lines are written within that time
            check_log(server)
    show(console, cells, found)
    show_targets(console, found)
    for server in running:
        console.print(
            f"RSS {server.kind}: {server.rss_kib[0] / 1024:.0f} MiB before, {server.rss_kib[1] / 1024:.0f} after"
        )
    if options.layers:
        show_layers(console, cells, found)


def show_targets(console: Console, found: dict[tuple[str, Cell], list[Measured]]) -> None:
    """Each target of 7.4 and A93 that this run has the cells for."""
    for era in ERAS:
        cell = ("trivial", era, 8)
        for kind, against, least in (("sdk", "lowlevel", 0.8), ("lean", "bare", 0.5)):
            if (kind, cell) in found:
                ratio = middle(found[kind, cell], "rate") / middle(found[against, cell], "rate")
                tail = statistics.median(value.p99 / value.p50 for value in found[kind, cell])
                console.print(
                    f"{kind}, {era}: {ratio:.2f} of {against} (at least {least}), p99 {tail:.1f} x p50 (below 5)"
                )
        for kind in ("sdk", "lean"):
            if (kind, ("list", era, 1)) in found:
                p95 = middle(found[kind, ("list", era, 1)], "p95") / 1000
                console.print(f"{kind}, {era}: tools/list of the catalog at p95 {p95:.1f} ms (below 5)")


def show_layers(console: Console, cells: Sequence[Cell], found: dict[tuple[str, Cell], list[Measured]]) -> None:
    """What a request costs layer by layer, in CPU time of the server."""
    for cell in cells:
        cpu = {kind: middle(values, "cpu_us") for (kind, each), values in found.items() if each == cell}
        own = cpu["constant"] - cpu["bare"]
        inner = {kind: cpu[kind] - cpu["constant"] for kind in ("lean", "sdk") if kind in cpu}
        console.print(
            f"{cell}: bare {cpu['bare']:.1f} us; our layers {own:+.1f} (bound {LAYERS_MAX_US}); dispatcher, registry"
            f" and tool {', '.join(f'{kind} {cost:+.1f}' for kind, cost in inner.items())}"
        )


def run_identities(options: argparse.Namespace, console: Console) -> None:
    """One caller against ten thousand, all known before."""
    found: dict[int, list[float]] = defaultdict(list)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="paperdesk-load-")))
        server_core, client_core = cores(console)
        client = Client(folder, core=client_core, force_python=options.python_client)
        server = stack.enter_context(serving(ANSWERS_BY, folder, server_core, LOAD_ENDLESS_BUDGETS="yes"))
        everyone = requests_for("trivial", "old", KNOWN_IDENTITIES)
        answers(server, "trivial", everyone)
        for _ in range(options.rounds):
            for callers in (1, KNOWN_IDENTITIES):
                taken = client.run(server.url("trivial"), everyone[:callers], 8, options.seconds)
                if taken.errors:
                    raise Void(f"{taken.errors} errors with {callers} identities")
                found[callers].append(taken.requests / taken.span_us)
        check_log(server)
    ratio = statistics.median(found[KNOWN_IDENTITIES]) / statistics.median(found[1])
    console.print(
        f"Throughput with {KNOWN_IDENTITIES:,} known identities: {ratio:.2f} of that with one (at least 0.9)."
    )


def cores(console: Console) -> tuple[int | None, int | None]:
    """One for the server, one for the client."""
    available = sorted(os.sched_getaffinity(0))
    if len(available) < 2:
        console.print("This machine has one core: server and client share it, and the ratios flatter nobody.")
        return None, None
    return available[0], available[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dispatchers", nargs="+", choices=("sdk", "lean"), default=["sdk", "lean"])
    parser.add_argument("--workloads", nargs="+", choices=list(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--connections", nargs="+", type=int, default=[1, 8, 64])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--short", action="store_true", help="the trivial tool on 8 connections for a second")
    parser.add_argument("--layers", action="store_true", help="also what each layer costs")
    parser.add_argument("--identities", action="store_true", help="only: 10,000 callers against one")
    parser.add_argument("--python-client", action="store_true", help="leave wrk aside")
    options = parser.parse_args()
    if options.short:
        options.workloads, options.connections, options.seconds = ["trivial"], [8], 1.0
    console = Console(width=None if sys.stdout.isatty() else 140)
    (run_identities if options.identities else run_cells)(options, console)


if __name__ == "__main__":
    main()
