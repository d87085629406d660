"""The scans that work in this process: how many at once, for whom, and until when (scan contract 10.4)."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import Context

from core.scan.engine.configuration import JOBS_AT_ONCE, JOBS_WAITING_MAX, SHUTDOWN_S
from core.scan.engine.running import shown_key
from core.scan.engine.waiting import Sleep, bounded, ended

_log = logging.getLogger("paperdesk.scan")


class Jobs:
    """Runs at most one job for a scan; a job lives on when whoever asked for it has left.

    `run` does what a scan owes. Everything happens in one event loop.
    """

    def __init__(self, run: Callable[[str], Awaitable[None]], sleep: Sleep) -> None:
        self._run = run
        self._sleep = sleep
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(JOBS_AT_ONCE)
        self._owned: Counter[str] = Counter()
        self._working: Counter[str] = Counter()
        self._freed = asyncio.Condition()
        self._is_closed = False

    def count(self, owner: str) -> int:
        """How many jobs of an owner work or wait here."""
        return self._owned[owner]

    def has(self, key: str) -> bool:
        """Whether a scan has a job here."""
        return key in self._tasks

    @property
    def is_full(self) -> bool:
        """Whether no further scan should be begun here."""
        return len(self._tasks) >= JOBS_AT_ONCE + JOBS_WAITING_MAX

    @property
    def free(self) -> int:
        """How many more jobs could work at once."""
        return max(0, JOBS_AT_ONCE - len(self._tasks))

    def drive(self, key: str, owner: str, jobs_max: int) -> "asyncio.Task[None] | None":
        """The job of a scan, begun if there is none; None while the process stops."""
        if self._is_closed:
            return None
        task = self._tasks.get(key)
        if task is None:
            # An empty context: the deadline of the call that asks is not that of the work.
            task = asyncio.create_task(self._work(key, owner, jobs_max), context=Context())
            self._tasks[key] = task
            self._owned[owner] += 1
            task.add_done_callback(lambda done: self._forget(key, owner, done))
        return task

    async def cancel(self, key: str) -> None:
        """Ends the job of a scan that is to be no more."""
        task = self._tasks.get(key)
        if task is not None:
            await ended(task)

    async def close(self, *, grace_s: float = SHUTDOWN_S) -> None:
        """Takes no more; what works has a time to end by itself, and leases are given back."""
        self._is_closed = True
        tasks = list(self._tasks.values())
        if not tasks:
            return
        try:
            await bounded(_all(tasks), grace_s, self._sleep)
        except TimeoutError:
            await ended(*tasks)

    async def _work(self, key: str, owner: str, jobs_max: int) -> None:
        await self._turn(owner, jobs_max)
        try:
            async with self._slots:
                await self._run(key)
        except Exception as error:
            # Nobody may be waiting: what failed is seen by the next call, from the store.
            _log.warning("job_ended scan=%s error=%s", shown_key(key), type(error).__name__)
        finally:
            self._working[owner] -= 1
            async with self._freed:
                self._freed.notify_all()

    async def _turn(self, owner: str, jobs_max: int) -> None:
        """Waits until fewer than so many of the owner's jobs work."""
        async with self._freed:
            await self._freed.wait_for(lambda: self._working[owner] < jobs_max)
            self._working[owner] += 1

    def _forget(self, key: str, owner: str, task: "asyncio.Task[None]") -> None:
        del self._tasks[key]
        self._owned -= Counter({owner: 1})
        self._working = +self._working
        if not task.cancelled():
            task.exception()


async def _all(tasks: "list[asyncio.Task[None]]") -> None:
    await asyncio.wait(tasks)
