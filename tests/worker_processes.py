"""A service of two processes whose every answer names the process: run with a port, it prints `ready` and serves."""

import asyncio
import os
import socket
import sys
from collections.abc import Callable

from starlette.types import Receive, Scope, Send

from core.clock import SystemClock
from server.answers import json_answer, send_answer
from server.drain import Drain
from server.serving import listen, run
from server.workers import Workers


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """`/pid` at once, `/slow` after a while; `/broken` says that the process cannot start."""
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["path"] == "/slow":
        await asyncio.sleep(3)
    await send_answer(send, json_answer(200, {"pid": os.getpid()}))


def work(task: str, listener: socket.socket, number: int, on_ready: Callable[[], None]) -> None:
    """One worker; one whose task is `broken` fails before it serves."""
    if task == "broken" and number == 1:
        raise RuntimeError("planted")
    run(app, listener, Drain(SystemClock()), on_ready)


def main(port: int, task: str) -> None:
    """Two workers until a signal."""
    with listen("127.0.0.1", port) as listener:
        Workers(work, task, listener, count=2, on_ready=lambda: print("ready", flush=True)).run()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
