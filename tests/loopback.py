"""Any ASGI application on a real loopback port, in a thread of the test process, until the block ends."""

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
import uvicorn
from starlette.types import ASGIApp

from server.serving import uvicorn_config
from tests.answer_form import Observed


@dataclass(frozen=True, slots=True)
class Served:
    port: int
    server: uvicorn.Server
    loop: asyncio.AbstractEventLoop

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def serving(app: ASGIApp, *, around: Callable[[ASGIApp], ASGIApp] | None = None) -> Iterator[Served]:
    """Starts it as the service itself is started; it must answer `/health/live`.

    Every answer of the application to any test is held against the common form (hosting contract 1.2). `around` puts
    something between the port and the application.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    observed = Observed(app)
    config = uvicorn_config(around(observed) if around else observed)
    server = uvicorn.Server(config)
    loops: list[asyncio.AbstractEventLoop] = []

    async def main() -> None:
        loops.append(asyncio.get_running_loop())
        await server.serve(sockets=[listener])

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
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
            # hosting A2, A7
            assert observed.answers > 0
            assert observed.breaches == [], observed.breaches
