"""Runs the application under uvicorn, with the settings of hosting contract 5.6 and no others."""

import errno
import socket
import sys
from typing import Literal

import uvicorn
from starlette.types import ASGIApp

from core.errors import OperatorError
from server.bounded_protocol import BoundedProtocol

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
            text = f"Port {port} on {host} is taken; stop what uses it, or choose another with --port."
        elif error.errno == errno.EACCES:
            text = f"Port {port} on {host} may not be opened by this user; choose one above 1023 with --port."
        else:
            text = f"{host} port {port} cannot be listened on; check --host and --port."
        raise OperatorError(text) from error


def run(app: ASGIApp, listener: socket.socket) -> bool:
    """Serves until a signal; whether the application had started."""
    server = uvicorn.Server(uvicorn_config(app))
    server.run(sockets=[listener])
    return server.started
