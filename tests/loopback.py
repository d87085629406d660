"""Any ASGI application on a real loopback port, in a thread of the test process, until the block ends."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import uvicorn
from starlette.types import ASGIApp

from server.serving import uvicorn_config


@dataclass(frozen=True, slots=True)
class Served:
    port: int
    server: uvicorn.Server
    loop: asyncio.AbstractEventLoop

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def serving(app: ASGIApp) -> Iterator[Served]:
    """Starts it as the service itself is started; it must answer `/health/live`."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn_config(app))
    loops: list[asyncio.AbstractEventLoop] = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listener])

    with asyncio.Runner(loop_factory=uvicorn_config(app).get_loop_factory()) as runner:
        thread = threading.Thread(target=runner.run, args=(main(),))
        thread.start()
        port = listener.getsockname()[1]
        transport = httpx.HTTPTransport(retries=10)
        with httpx.Client(transport=transport) as client:
            client.get(f"http://127.0.0.1:{port}/health/live").raise_for_status()
        try:
            yield Served(port, server, loops[0])
        finally:
            server.should_exit = True
            thread.join(10)
            assert not thread.is_alive()
