"""Runs the application under uvicorn, with the settings of hosting contract 5.6 and no others."""

import errno
import socket
import sys
from collections.abc import Callable
from types import FrameType
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from core.errors import OperatorError
from server.bounded_protocol import BoundedProtocol
from server.drain import Drain
from server.logs import flush_logs
from server.setting_table import DEFAULT_PORT, PORT_MAX

BACKLOG = 2048
KEEP_ALIVE_S = 75
DRAIN_S = 2.0
"""For so long after the signal the process still accepts, to say that it is stopping."""
GRACEFUL_S = 58
"""What is left of the minute after the signal for requests that were in progress."""


def uvicorn_config(app: ASGIApp) -> uvicorn.Config:
    """The one configuration; forwarding headers are never trusted and uvicorn says nothing of its own."""
    loop: Literal["uvloop", "asyncio"] = "asyncio" if sys.platform == "win32" else "uvloop"
    return uvicorn.Config(
        app,
        loop=loop,
        http=BoundedProtocol,
        # Uvicorn takes a call that only hands another's awaitable on for the older interface.
        interface="asgi3",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=GRACEFUL_S,
        backlog=BACKLOG,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; a port that cannot be had is the operator's to change."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host.strip("[]"), port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            other = port + 1 if port < PORT_MAX else port - 1
            text = f"Port {port} on {host} is taken; stop what uses it, or choose another with {_port_option(other)}."
        elif error.errno == errno.EACCES:
            text = (
                f"Port {port} on {host} may not be opened by this user; choose one with {_port_option(DEFAULT_PORT)}."
            )
        else:
            text = f"{host} port {port} cannot be listened on; check --host and --port."
        raise OperatorError(text) from error


def run(app: ASGIApp, listener: socket.socket, drain: Drain, on_ready: Callable[[], None] = lambda: None) -> bool:
    """Serves until a signal and calls `on_ready` once requests are answered; whether the application had started.

    The first signal begins the drain (hosting contract 5.5); a second one stops at once.
    """
    server = _Server(uvicorn_config(app), drain, on_ready)
    server.run(sockets=[listener])
    return server.started


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, drain: Drain, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._drain = drain
        self._on_ready = on_ready
        self._first: tuple[int, FrameType | None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, then tells that it is over."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begins the drain; what comes after it stops at once."""
        if self._first is None:
            self._first = (sig, frame)
            self._drain.begin()
        else:
            self.force_exit = True
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Closes the listener once clients have had time to hear that the process is stopping."""
        if self._first is not None and not self.should_exit and self._drain.has_lasted(DRAIN_S):
            super().handle_exit(*self._first)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's; the signal is raised again after it and ends the process, so the log is written here."""
        await super().shutdown(sockets)
        flush_logs()


def _port_option(port: int) -> str:
    """How another port is given, to the program itself and through make."""
    return f'--port {port} (make serve ARGS="--port {port}")'
