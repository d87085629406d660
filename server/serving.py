"""Runs the application under uvicorn, with the settings of hosting contract 5.6 and no others."""

import errno
import socket
import sys
from collections.abc import Callable
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from core.errors import OperatorError
from server.bounded_protocol import BoundedProtocol
from server.setting_table import DEFAULT_PORT, PORT_MAX

BACKLOG = 2048
KEEP_ALIVE_S = 75
GRACEFUL_S = 60


def uvicorn_config(app: ASGIApp) -> uvicorn.Config:
    """The one configuration; forwarding headers are never trusted and uvicorn says nothing of its own."""
    loop: Literal["uvloop", "asyncio"] = "asyncio" if sys.platform == "win32" else "uvloop"
    return uvicorn.Config(
        app,
        loop=loop,
        http=BoundedProtocol,
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


def run(app: ASGIApp, listener: socket.socket, on_ready: Callable[[], None] = lambda: None) -> bool:
    """Serves until a signal and calls `on_ready` once requests are answered; whether the application had started."""
    server = _Server(uvicorn_config(app), on_ready)
    server.run(sockets=[listener])
    return server.started


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, then tells that it is over."""
        await super().startup(sockets)
        if self.started:
            self._on_ready()


def _port_option(port: int) -> str:
    """How another port is given, to the program itself and through make."""
    return f'--port {port} (make serve ARGS="--port {port}")'
