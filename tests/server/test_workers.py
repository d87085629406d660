"""Several processes behind one listener: replaced when they die, stopped together, given up when they cannot start."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.waiting import until

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Parent:
    process: asyncio.subprocess.Process
    url: str

    async def pid(self) -> int:
        async with httpx.AsyncClient(timeout=10) as fresh:
            return int((await fresh.get(f"{self.url}/pid")).json()["pid"])

    async def pids(self, wanted: int) -> set[int]:
        """The processes that answer, once there are as many as wanted, within twenty seconds."""
        seen: set[int] = set()
        async with asyncio.timeout(20):
            while len(seen) < wanted:
                seen.add(await self.pid())
        return seen


@asynccontextmanager
async def parent(task: str = "serve") -> AsyncIterator[Parent]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.worker_processes", str(port), task),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield Parent(process, f"http://127.0.0.1:{port}")
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(20):
            await process.communicate()


async def ready(served: Parent) -> None:
    assert served.process.stdout is not None
    assert await served.process.stdout.readline() == b"ready\n"


async def test_a_worker_that_is_killed_is_replaced_while_the_other_serves_on() -> None:
    # hosting A76
    async with parent() as served:
        await ready(served)
        killed, other = sorted(await served.pids(2))
        os.kill(killed, signal.SIGKILL)
        # Not one request fails: connections wait for whoever accepts them.
        assert await served.pid() in {other, *(await after(served, killed, other))}
        replaced = await served.pids(2)
        assert killed not in replaced
        assert other in replaced


async def after(served: Parent, killed: int, other: int) -> set[int]:
    """The processes that answer once a third one does."""
    seen: set[int] = set()
    async with asyncio.timeout(20):
        while not seen - {killed, other}:
            seen.add(await served.pid())
    return seen - {killed}


async def test_a_signal_to_the_parent_lets_every_worker_finish() -> None:
    # hosting A75, A76
    async with parent() as served:
        await ready(served)
        async with httpx.AsyncClient(timeout=20) as client:
            slow = [asyncio.create_task(client.get(f"{served.url}/slow")) for _ in range(6)]
            await served.pids(2)
            served.process.send_signal(signal.SIGTERM)
            answers = [await each for each in slow]
        assert [each.status_code for each in answers] == [200] * 6
        assert await served.process.wait() == 0


async def test_workers_without_their_parent_stop() -> None:
    async with parent() as served:
        await ready(served)
        pids = await served.pids(2)
        served.process.kill()
        await served.process.wait()
        await until(lambda: not any(map(is_alive, pids)))


def is_alive(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


async def test_workers_that_cannot_start_end_the_service_with_a_sentence() -> None:
    async with parent("broken") as served:
        _, log = await asyncio.wait_for(served.process.communicate(), 20)
        assert served.process.returncode == 1
        assert "A worker could not start; the log says why." in log.decode()
        assert "worker_crashed worker=1 error=RuntimeError" in log.decode()
        assert "planted" not in log.decode()
