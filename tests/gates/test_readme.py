"""README on a fresh clone: every command in it is run as a newcomer would, with an empty home directory."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
START_LIMIT_S = 240
COMMANDS = [
    line.split("    #")[0].strip()
    for block in re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
    if line.strip() and not line.startswith("#")
]
JSON_BLOCKS = re.findall(r"```json\n(.*?)```", README, flags=re.DOTALL)
PYTHON_BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
SET_UP = ["make serve", "make test"]
SERVING = [command for command in COMMANDS if " serve " in f"{command} "]
RUN_TO_END = [command for command in COMMANDS if command not in SERVING and command not in SET_UP]

# Lists the tools of a server that a client starts from a file like the one in README.
LIST_TOOLS = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters

async def main():
    for entry in json.load(sys.stdin)["mcpServers"].values():
        async with Client(StdioServerParameters(command=entry["command"], args=entry["args"], cwd="/")) as desk:
            print([tool.name for tool in (await desk.list_tools()).tools])

asyncio.run(main())
"""

pytestmark = [pytest.mark.gate, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed state in a folder of its own."""
    folder = tmp_path_factory.mktemp("newcomer") / "paperdesk"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An empty home; only the package cache is warm."""
    cache = subprocess.run(
        [sys.executable, "-m", "pip", "cache", "dir"], check=True, capture_output=True, text=True
    ).stdout.strip()
    ours = ("PAPERDESK_", "VIRTUAL_ENV", "MAKE", "MFLAGS", "ARGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"HOME": str(tmp_path_factory.mktemp("home")), "PIP_CACHE_DIR": cache}


@contextmanager
def serving(command: str, port: int, clone: Path, environment: dict[str, str]) -> Iterator[float]:
    """The command's own process group while it serves; yields the seconds until it answered.

    Only an answer of that group counts: another server on the port would make every later test pass by itself.
    """
    assert is_free(port), f"port {port} is taken by another process; stop it, since README's commands need that port"
    started_s = time.monotonic()
    process = subprocess.Popen(
        shlex.split(command), cwd=clone, env=environment, start_new_session=True, stdin=subprocess.DEVNULL
    )
    try:
        while time.monotonic() - started_s < START_LIMIT_S:
            assert process.poll() is None, f"{command} ended before it answered"
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
                groups = listening_groups(port)
                assert groups == {process.pid}, f"port {port} is answered by process groups {groups}, not by {command}"
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        else:
            pytest.fail(f"{command} did not answer within {START_LIMIT_S} s")
        yield time.monotonic() - started_s
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=70)


def is_free(port: int) -> bool:
    """Whether nothing listens on a loopback port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def listening_groups(port: int) -> set[int]:
    """The process groups that listen on a port; needs Linux's /proc."""
    sockets = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:] if Path(table).exists() else ():
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and int(local.rpartition(":")[2], 16) == port:
                sockets.add(f"socket:[{inode}]")
    groups = set()
    for handle in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if os.readlink(handle) in sockets:
                groups.add(os.getpgid(int(handle.parts[2])))
    return groups


@pytest.fixture(scope="module")
def desk(clone: Path, environment: dict[str, str]) -> Iterator[float]:
    """`make serve` on the fresh clone."""
    with serving("make serve", 7860, clone, environment) as answered_after_s:
        yield answered_after_s


def test_the_two_commands_stand_at_the_top() -> None:
    assert COMMANDS[:2] == SET_UP
    assert "make test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_make_serve_answers_on_a_fresh_clone(desk: float, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nmake serve answered {desk:.0f} s after the command")
    assert 0 < desk < START_LIMIT_S


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("block", PYTHON_BLOCKS)
def test_an_example_program_runs(block: str, clone: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [".venv/bin/python", "-c", block],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tools, *found, read = done.stdout.splitlines()
    assert "'search_papers'" in tools and "'read_paper'" in tools
    assert any("1706.03762 — Attention Is All You Need" in line for line in found)
    figures = re.fullmatch(r"(\d+) \+ (\d+) of (\d+) bytes read", read)
    assert figures
    first, second, total = map(int, figures.groups())
    assert first + second == total


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("command", RUN_TO_END)
def test_a_command_runs(command: str, clone: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=clone,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (done.stdout + done.stderr).strip() and "Traceback" not in done.stderr


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("block", JSON_BLOCKS)
def test_an_entry_for_a_client_starts_the_program(block: str, clone: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        [clone / ".venv/bin/python", "-c", LIST_TOOLS],
        input=block.replace("/path/to/paperdesk", str(clone)),
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    wanted = ("doiget_info", "doiget_tag") if "--local" in block else ("search_papers", "read_paper")
    assert all(f"'{name}'" in done.stdout for name in wanted)


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize("command", [command for command in SERVING if command not in SET_UP])
def test_a_serving_command_answers(command: str, clone: Path, environment: dict[str, str]) -> None:
    port = int(re.search(r"--port (\d+)", command).group(1))  # type: ignore[union-attr]
    with serving(command, port, clone, environment):
        pass


@pytest.mark.usefixtures("desk")
def test_the_commands_leave_the_clone_clean(clone: Path) -> None:
    # after the commands: what they wrote is ignored
    assert (clone / "attention.md").exists() and (clone / "my-catalog").is_dir()
    left = subprocess.run(["git", "status", "--porcelain"], cwd=clone, check=True, capture_output=True, text=True)
    assert left.stdout == ""


def test_a_strangers_server_is_no_pass(clone: Path, environment: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        port = stranger.getsockname()[1]
        assert listening_groups(port) == {os.getpgrp()}
        with (
            pytest.raises(AssertionError, match=f"port {port} is taken by another process"),
            serving("make serve", port, clone, environment),
        ):
            pass
