"""What hours of use would show: growing memory, tasks that stay, answers nobody asked for (hosting 7.6, A88, A89).

Run from the project's root: `python -m benchmarks.soak` sends ten minutes of mixed traffic with clients that leave,
half bodies, malformed JSON and refusals; `--calls` sends 66,000 calls instead. Both end with what was found against the
bounds, and with status 1 where one is passed.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.load import Running, serving
from benchmarks.load_clients import ERAS, MODERN, OK, WORKLOADS, Sent, on_the_wire, requests_for, status_of

CONNECTIONS = 8
GROWTH_MAX = 0.03
SETTLE_S = 1.0
SAMPLE_S = 2.0
LEFT_AFTER_S = 0.02
CALLS = {"old": 44_000, "modern": 22_000}
WARM_CALLS = {"old": 8_000, "modern": 4_000}
MINUTES = 10.0
WARM_SHARE = 1 / 3
SERVER_ERROR = 500

Asked = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Findings:
    """What a drill saw; memory in KiB, first after warm-up."""

    tasks_before: int
    tasks_after: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    rss_kib: list[int] = field(default_factory=list)

    @property
    def growth(self) -> float:
        """By which share memory ends above or below what it was after warm-up."""
        return self.rss_kib[-1] / self.rss_kib[0] - 1

    @property
    def breaches(self) -> list[str]:
        """Which bounds were passed, in words."""
        server_errors = {status: count for status, count in self.statuses.items() if status.startswith("5")}
        found = {
            f"memory changed by {self.growth:+.1%}": abs(self.growth) > GROWTH_MAX,
            f"{self.tasks_after - self.tasks_before} tasks are left": self.tasks_after > self.tasks_before,
            f"server errors: {server_errors}": bool(server_errors),
            "nothing was answered": not self.statuses[str(OK)],
        }
        return [text for text, is_breach in found.items() if is_breach]


@contextmanager
def drilled(kind: str) -> Iterator[Running]:
    """The production application, on any core, warmed up by one request of each kind."""
    with tempfile.TemporaryDirectory(prefix="paperdesk-soak-") as folder, serving(kind, Path(folder), None) as server:
        yield server


def calls(server: Running, counts: dict[str, int] = CALLS, warm: dict[str, int] = WARM_CALLS) -> Findings:
    """So many calls of each era; memory is noted after `warm` of them and at the end."""
    findings = Findings(server.tasks())
    asyncio.run(_send_calls(server, warm, findings))
    server.note_rss()
    asyncio.run(_send_calls(server, {era: counts[era] - warm[era] for era in counts}, findings))
    server.note_rss()
    return _settled(server, findings)


def mixed(server: Running, seconds: float, seed: int = 1) -> Findings:
    """Traffic of all kinds for so long; memory is noted from the end of the first third on."""
    findings = Findings(server.tasks())
    asyncio.run(_send_mixed(server, seconds * WARM_SHARE, seed, findings))
    server.note_rss()
    asyncio.run(_send_mixed(server, seconds * (1 - WARM_SHARE), seed + 1, findings, watched=True))
    return _settled(server, findings)


def _settled(server: Running, findings: Findings) -> Findings:
    time.sleep(SETTLE_S)
    findings.tasks_after = server.tasks()
    server.note_rss()
    findings.rss_kib = list(server.rss_kib)
    return findings


async def _send_calls(server: Running, counts: dict[str, int], findings: Findings) -> None:
    for era, count in counts.items():
        parts = [on_the_wire(sent, WORKLOADS["trivial"][1]) for sent in requests_for("trivial", era)]
        share, rest = divmod(count, CONNECTIONS)
        quotas = [share + (number < rest) for number in range(CONNECTIONS)]
        await asyncio.gather(*(_call(server.port, parts, quota, findings) for quota in quotas))


async def _call(port: int, parts: list[bytes], quota: int, findings: Findings) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    for number in range(quota):
        writer.write(parts[number % len(parts)])
        findings.statuses[str(await status_of(reader))] += 1
    writer.close()


async def _send_mixed(server: Running, seconds: float, seed: int, findings: Findings, *, watched: bool = False) -> None:
    ends_s = time.monotonic() + seconds
    users = [_User(server.port, random.Random(seed * 1000 + number), findings) for number in range(CONNECTIONS)]
    watching = asyncio.create_task(_watch(server)) if watched else None
    await asyncio.gather(*(user.act_until(ends_s) for user in users))
    if watching is not None:
        watching.cancel()


async def _watch(server: Running) -> None:
    while True:
        await asyncio.sleep(SAMPLE_S)
        server.note_rss()


class _User:
    """One of the clients at once: mostly well-behaved."""

    def __init__(self, port: int, chance: random.Random, findings: Findings) -> None:
        self._port = port
        self._chance = chance
        self._findings = findings
        self._good = [
            on_the_wire(sent, WORKLOADS[workload][1])
            for workload in WORKLOADS
            for era in ERAS
            for sent in requests_for(workload, era, 20)
        ]
        self._acts: list[Asked] = [
            *[self._ask] * 12,
            self._leave,
            self._leave_half_said,
            self._garble,
            *[self._err] * 2,
        ]

    async def act_until(self, ends_s: float) -> None:
        """One thing after another, each on a connection of its own or on a kept one."""
        while time.monotonic() < ends_s:
            await self._chance.choice(self._acts)()

    async def _ask(self) -> None:
        """Some requests on one connection."""
        await self._answered(*self._chance.sample(self._good, self._chance.randint(1, 8)))

    async def _leave(self) -> None:
        """Goes away while a tool waits."""
        era = self._chance.choice(ERAS)
        sent = requests_for("trivial", era, 1)[0]
        body = json.loads(sent.body)
        body["params"] |= {"name": "wait", "arguments": {}}
        fields = sent.fields | ({"Mcp-Name": "wait"} if era == "modern" else {})
        await self._left(on_the_wire(Sent(fields, json.dumps(body)), WORKLOADS["trivial"][1]))

    async def _leave_half_said(self) -> None:
        """Goes away in the middle of a body."""
        whole = self._chance.choice(self._good)
        await self._left(whole[: self._chance.randint(1, len(whole) - 1)])

    async def _garble(self) -> None:
        """Sends what is no message."""
        sent = requests_for("trivial", self._chance.choice(ERAS), 1)[0]
        cut = self._chance.randint(0, len(sent.body) - 1)
        bodies = (
            "",
            "[]",
            "{",
            sent.body[:cut],
            sent.body.replace("2.0", "1.0"),
            "[" * 5_000,
            '"\\ud800"',
            "x" * 5_000,
        )
        await self._answered(on_the_wire(Sent(sent.fields, self._chance.choice(bodies)), "/mcp"))

    async def _err(self) -> None:
        """Is refused in one way or another; a refusal may end the connection."""
        good = requests_for("trivial", "old", 1)[0]
        fields = [
            {"Origin": "https://evil.example"},
            {"Content-Type": "text/plain"},
            {"MCP-Protocol-Version": "2099-01-01"},
            {"MCP-Protocol-Version": MODERN},
            {"X-Long": "x" * 17_000},
        ]
        changed = on_the_wire(Sent(good.fields | self._chance.choice(fields), good.body), "/mcp")
        unknown = on_the_wire(Sent(good.fields, good.body), "/mcp")  # the catalog has no tool of that name
        others = (
            b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
            b"POST /nope HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n",
            b"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n",
            on_the_wire(Sent(good.fields, ""), "/mcp").replace(b"Content-Length: 0", b"Content-Length: 3000000"),
        )
        await self._answered(self._chance.choice((changed, unknown, *others)))

    async def _answered(self, *requests: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        try:
            for request in requests:
                writer.write(request)
                self._findings.statuses[str(await status_of(reader))] += 1
        finally:
            await _closed(writer)

    async def _left(self, request: bytes) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(request)
        await writer.drain()
        await asyncio.sleep(self._chance.random() * LEFT_AFTER_S)
        self._findings.statuses["left"] += 1
        await _closed(writer)


async def _closed(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


def tell(kind: str, findings: Findings) -> None:
    """What was found."""
    series = findings.rss_kib[:: max(1, len(findings.rss_kib) // 20)]
    print(f"{kind}: memory in MiB {', '.join(f'{kib / 1024:.1f}' for kib in series)}: {findings.growth:+.2%}")
    print(f"{kind}: {findings.tasks_before} tasks before, {findings.tasks_after} a second after the end")
    print(f"{kind}: answers {dict(sorted(findings.statuses.items()))}")
    print(f"{kind}: {'; '.join(findings.breaches) or 'within all bounds'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dispatcher", choices=("lean", "sdk"), default="lean")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--calls", action="store_true", help="66,000 calls instead of mixed traffic")
    options = parser.parse_args()
    with drilled(options.dispatcher) as server:
        findings = calls(server) if options.calls else mixed(server, options.minutes * 60)
    tell(options.dispatcher, findings)
    sys.exit(bool(findings.breaches))


if __name__ == "__main__":
    main()
