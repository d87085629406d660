"""Several processes behind one listening socket: started, watched, replaced when they die, and stopped together.

uvicorn's own supervisor starts servers of uvicorn's own class; ours drains (hosting contract 5.5) and is started here.
"""

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import Any

from core.errors import OperatorError

READY = b"ready"
LOOK_S = 0.5
"""How often a signal is looked for while nothing else happens."""

Work = Callable[[Any, socket.socket, int, Callable[[], None]], None]
"""What a worker does: its task, the listener, its number, and whom to tell once it answers. Importable by name."""

_log = logging.getLogger("paperdesk.workers")
_spawn = multiprocessing.get_context("spawn")


@dataclass(slots=True)
class _Worker:
    process: SpawnProcess
    link: Connection
    is_ready: bool = False


class Workers:
    """Runs `count` workers until a signal; `on_ready` is called once, when all of them answer."""

    def __init__(
        self, work: Work, task: Any, listener: socket.socket, *, count: int, on_ready: Callable[[], None]
    ) -> None:
        self._work = work
        self._task = task
        self._listener = listener
        self._on_ready = on_ready
        self._signals = 0
        self._has_been_ready = False
        self._workers = [self._started(number) for number in range(count)]

    def run(self) -> None:
        """Until a signal has ended them all. Raises `OperatorError` when one cannot start."""
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, self._heard)
        failed = False
        while any(worker.process.is_alive() for worker in self._workers) or not (self._signals or failed):
            self._listen()
            if not self._signals and not failed:
                failed = not self._all_replaced()
                if failed:
                    self._tell(signal.SIGTERM)
        if failed:
            raise OperatorError("A worker could not start; the log says why.")

    def _started(self, number: int) -> _Worker:
        ours, theirs = _spawn.Pipe()
        process = _spawn.Process(
            target=_in_worker, args=(self._work, self._task, self._listener, number, theirs), name=f"worker-{number}"
        )
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _heard(self, sig: int, _: FrameType | None) -> None:
        """The first signal lets the workers drain, a second one reaches them too and stops them at once."""
        self._signals += 1
        self._tell(signal.SIGTERM)

    def _tell(self, sig: signal.Signals) -> None:
        for worker in self._workers:
            if worker.process.is_alive() and worker.process.pid is not None:
                os.kill(worker.process.pid, sig)

    def _listen(self) -> None:
        """Waits until a worker says something or dies."""
        alive = [worker for worker in self._workers if worker.process.is_alive()]
        quiet = [worker.link for worker in alive if not worker.is_ready]
        heard = wait([*quiet, *(worker.process.sentinel for worker in alive)], timeout=LOOK_S)
        for worker in alive:
            if worker.link in heard:
                worker.is_ready = _is_word_of_ready(worker.link)
        if not self._has_been_ready and all(worker.is_ready for worker in self._workers):
            self._has_been_ready = True
            self._on_ready()

    def _all_replaced(self) -> bool:
        """Puts a new worker in the place of each that died; false when one died before it ever answered."""
        for number, worker in enumerate(self._workers):
            if worker.process.is_alive():
                continue
            if not worker.is_ready:
                return False
            worker.process.join()
            worker.link.close()
            _log.warning("worker_died worker=%d replaced=true", number)
            self._workers[number] = self._started(number)
        return True


def _is_word_of_ready(link: Connection) -> bool:
    try:
        return link.recv_bytes() == READY
    except (EOFError, OSError):
        return False


def _in_worker(work: Work, task: Any, listener: socket.socket, number: int, link: Connection) -> None:
    """The life of one worker; without its parent it stops as if it had been told to."""
    # A terminal's interrupt is the parent's to pass on: heard twice, it would mean "at once".
    os.setpgrp()
    threading.Thread(target=_watch_parent, args=(link,), name="parent", daemon=True).start()
    try:
        work(task, listener, number, lambda: link.send_bytes(READY))
    except OperatorError as error:
        sys.exit(f"worker {number}: {error.message}")
    except Exception as error:
        # A traceback would hold the exception's text.
        _log.critical("worker_crashed worker=%d error=%s", number, type(error).__name__)
        sys.exit(1)


def _watch_parent(link: Connection) -> None:
    try:
        link.recv_bytes()
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)
