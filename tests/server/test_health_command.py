"""`paperdesk health`: 0 when the service of this machine is ready, 1 in every other case, and quick about it."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from live import Live, serve_desk

from server.commands.health import DEFAULTS, HOST_NAMES, PORT_NAMES
from server.settings import SETTINGS
from tests.twisting_proxy import Answered, Asked, twisted


def health(*command: str, **settings: str) -> tuple[int, str, str]:
    """Runs it as the installed program does, in an environment of its own."""
    foreign = ("PAPERDESK_", "PWC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign) and name != "PORT"}
    program = "import sys; from server.entry import main; sys.argv[0] = 'paperdesk'; main()"
    done = subprocess.run(
        [sys.executable, *(command or ("-c", program, "health"))],
        env={**kept, **settings},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    with serve_desk() as server:
        yield server


def test_a_ready_service_is_0(live: Live) -> None:
    # hosting A54
    assert health(PAPERDESK_PORT=str(live.port)) == (0, "ready\n", "")


def test_a_service_bound_to_all_addresses_is_asked_on_loopback(live: Live) -> None:
    # hosting A54
    exposed = {"PAPERDESK_PUBLIC_URL": "https://desk.example.org", "PAPERDESK_CURSOR_KEYS": "k" * 32}
    assert health(PAPERDESK_HOST="0.0.0.0", PAPERDESK_PORT=str(live.port), **exposed) == (0, "ready\n", "")


def test_the_same_under_the_modules_name(live: Live) -> None:
    assert health("-m", "server", "health", PAPERDESK_PORT=str(live.port)) == (0, "ready\n", "")


def test_no_service_is_1() -> None:
    # hosting A54
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    status, out, err = health(PAPERDESK_PORT=str(port))
    assert (status, out) == (1, "")
    assert err == f"paperdesk: not ready: no answer on port {port} (ConnectionRefusedError)\n"


async def never_ready(asked: Asked) -> Answered:
    """Alive, and not ready."""
    answered = await asked.answered()
    return replace(answered, status=503) if asked.path == "/health" else answered


def test_a_service_that_is_not_ready_is_1(live: Live) -> None:
    # hosting A54
    with twisted(live.url, never_ready) as url:
        answered = health(PAPERDESK_PORT=url.rpartition(":")[2])
    assert answered == (1, "", "paperdesk: not ready: /health answers 503\n")


@pytest.mark.parametrize("port", ["none", "0x10", "99999999", "-1"])
def test_a_port_that_is_none_is_1(port: str) -> None:
    # An orchestrator knows no third answer.
    status, out, err = health(PAPERDESK_PORT=port)
    assert (status, out) == (1, "")
    assert err.startswith(f"paperdesk: not ready: no answer on port {port} (")


def test_the_names_and_defaults_are_those_of_the_settings() -> None:
    rows = {setting.field: setting for setting in SETTINGS}
    assert (rows["host"].name, *rows["host"].aliases) == HOST_NAMES
    assert (rows["port"].name, *rows["port"].aliases) == PORT_NAMES
    assert (rows["host"].default, rows["port"].default) == DEFAULTS


def test_it_loads_nothing_that_only_a_server_needs(tmp_path: Path) -> None:
    heavy = (
        "mcp",
        "mcp_types",
        "pydantic",
        "starlette",
        "uvicorn",
        "tantivy",
        "numpy",
        "httpx",
        "typer",
        "core",
        "asyncio",
    )
    program = f"import server.entry, sys; print([name for name in {heavy} if name in sys.modules])"
    assert health("-c", program) == (0, "[]\n", "")


def test_any_other_command_is_the_whole_program(live: Live) -> None:
    program = "import sys; from server.entry import main; sys.argv[0] = 'paperdesk'; main()"
    status, out, _ = health("-c", program, "health", "--help")
    assert status == 0 and out.startswith("Usage: paperdesk health")
