"""Local mode as it is started: over standard input and output, on loopback, and refused where others could reach it."""

import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import anyio
import httpx
import orjson
import pytest
from typer.testing import CliRunner

from core.clock import SystemClock
from core.errors import SettingsError
from core.references.store.layout import Layout
from core.references.store.locks import locked
from core.references.store.log import verify
from core.references.store.store import Store
from server.__main__ import app
from server.bootstrap import open_keeping
from server.settings import parse_settings
from tests.core.references.store.papers import entry
from tests.references_desk import files_of
from tests.server.test_processes import command, environment

PAPER = "1706.03762"


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    return tmp_path / "papers"


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": number,
        "method": "tools/call",
        "params": {"name": f"doiget_{name}", "arguments": arguments},
    }


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "a client", "version": "1"},
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Spoken:
    """A process that is spoken to line by line; every byte of its output must be a frame."""

    def __init__(self, *arguments: str, **variables: str) -> None:
        self.process = subprocess.Popen(
            command("stdio", "--toolset", "references", *arguments),
            env=environment(PAPERDESK_LOG_LEVEL="DEBUG", **variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, *messages: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(orjson.dumps(each) + b"\n" for each in messages))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], 30)[0], "nothing was answered"
        return frame(self.process.stdout.readline())

    def asked(self, message: dict[str, Any]) -> dict[str, Any]:
        self.send(message)
        answer = self.read()
        assert answer["id"] == message["id"]
        found: dict[str, Any] = answer["result"]
        return found

    def end(self) -> tuple[list[dict[str, Any]], float]:
        """Closes the input: what is still said, and how long it took to leave."""
        assert self.process.stdin is not None and self.process.stdout is not None
        started_s = time.monotonic()
        self.process.stdin.close()
        rest = [frame(line) for line in self.process.stdout.read().splitlines(keepends=True)]
        assert self.process.wait(10) == 0
        return rest, time.monotonic() - started_s

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(10)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


def frame(line: bytes) -> dict[str, Any]:
    found = json.loads(line)
    assert found["jsonrpc"] == "2.0" and line.endswith(b"\n")
    return dict(found)


@pytest.fixture
def spoken(sample_directory: Path, papers: Path) -> Iterator[Spoken]:
    with Spoken("--local", "--store", str(papers), "--catalog", f"file:{sample_directory}") as found:
        yield found


# references A1
def test_a_client_over_standard_input_keeps_tags_and_reads_and_leaves_in_time(spoken: Spoken, papers: Path) -> None:
    assert "local mode" in spoken.asked(INITIALIZE)["instructions"]
    spoken.send(INITIALIZED)
    tools = spoken.asked({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["tools"]
    assert len(tools) == 22 and tools[-1]["name"] == "doiget_annotate"
    assert files_of(papers) is None
    kept = spoken.asked(call(2, "metadata_only", ref=PAPER))["structuredContent"]
    assert (kept["ok"], kept["source"]) == (True, "catalog")
    assert spoken.asked(call(3, "tag", ref=PAPER, add=["attention"]))["structuredContent"]["tags"] == ["attention"]
    info = spoken.asked(call(4, "info", ref=PAPER))["structuredContent"]
    assert info["metadata"]["doiget"]["tags"] == ["attention"]
    rest, took_s = spoken.end()
    assert rest == [] and took_s < 5
    layout = Layout(papers)
    assert [(rows, broken) for _, rows, broken in verify(layout)] == [(4, None)]
    # No lock is left behind by a process that is gone.
    for path in (layout.log_lock, layout.names_lock, layout.lock("arxiv_1706.03762")):
        with locked(path):
            pass
    assert files_of(papers) == [".metadata/access.jsonl", ".metadata/arxiv_1706.03762.toml"]


def test_what_waits_for_a_lock_at_the_end_of_input_does_not_keep_the_process(spoken: Spoken, papers: Path) -> None:
    spoken.asked(INITIALIZE)
    spoken.send(INITIALIZED)
    spoken.asked(call(1, "metadata_only", ref=PAPER))
    with locked(Layout(papers).lock("arxiv_1706.03762")):
        spoken.send(call(2, "tag", ref=PAPER, add=["never"]), {"jsonrpc": "2.0", "id": 3, "method": "ping"})
        assert spoken.read()["id"] == 3
        spoken.end()
    assert b"never" not in (papers / ".metadata" / "arxiv_1706.03762.toml").read_bytes()


def test_what_was_asked_right_before_the_end_of_input_is_answered_and_kept(spoken: Spoken, papers: Path) -> None:
    calls = (call(1, "metadata_only", ref=PAPER), call(2, "search_local", query=""), call(3, "info", ref="10.1234/no"))
    spoken.send(INITIALIZE, INITIALIZED, *calls)
    answers, _ = spoken.end()
    assert sorted(each["id"] for each in answers) == [0, 1, 2, 3]
    assert all(each["result"]["structuredContent"]["ok"] for each in answers if each["id"])
    assert files_of(papers) == [".metadata/access.jsonl", ".metadata/arxiv_1706.03762.toml"]


def test_an_output_that_nobody_reads_does_not_keep_the_process_after_its_input(spoken: Spoken) -> None:
    spoken.asked(INITIALIZE)
    spoken.send(INITIALIZED, *({"jsonrpc": "2.0", "id": id, "method": "tools/list"} for id in range(1, 9)))
    assert spoken.process.stdin is not None
    spoken.process.stdin.close()
    assert spoken.process.wait(10) in (0, 1)


def test_without_local_the_toolset_over_standard_input_is_the_hosted_one(sample_directory: Path) -> None:
    with Spoken("--catalog", f"file:{sample_directory}") as found:
        found.asked(INITIALIZE)
        found.send(INITIALIZED)
        assert len(found.asked({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["tools"]) == 20
        error = found.asked(call(2, "tag", ref=PAPER))["structuredContent"]["error"]
        assert error["code"] == "CAPABILITY_DENIED"
        found.end()


def test_a_loopback_service_serves_the_store(sample_directory: Path, papers: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ("--local", "--store", str(papers), "--port", str(port), "--catalog", f"file:{sample_directory}")
    process = subprocess.Popen(
        command("serve", *arguments), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        with httpx.Client(
            base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=8), timeout=30
        ) as client:
            client.get("/health").raise_for_status()
            body = call(1, "metadata_only", ref=PAPER)
            found = client.post("/mcp/references", json=body).json()["result"]["structuredContent"]
            assert found["ok"] is True
            listed = client.post("/mcp/references", json={"jsonrpc": "2.0", "id": 2, "method": "tools/list"})
            assert len(listed.json()["result"]["tools"]) == 22
            # The documents describe the mode that is running.
            assert "doiget_annotate" in client.get("/docs/references", headers={"accept": "application/json"}).text
        assert files_of(papers) == [".metadata/access.jsonl", ".metadata/arxiv_1706.03762.toml"]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def problems(*arguments: str) -> tuple[str, ...]:
    """What a command finds wrong with its settings."""
    result = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, SettingsError), result.output
    return result.exception.problems


LOCAL = ("serve", "--local")
ONLY = "--local serves this machine only"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "desk.example.org"])
def test_local_mode_is_refused_on_an_address_that_others_reach(host: str) -> None:
    (problem,) = problems(*LOCAL, "--host", host)
    assert problem == (f"{ONLY}, and --host is not a loopback address: leave it out, or serve without --local.")


@pytest.mark.parametrize(
    ("name", "value", "start"),
    [
        ("PAPERDESK_HOST", "0.0.0.0", f"{ONLY}, and PAPERDESK_HOST is not a loopback address"),
        ("PAPERDESK_PUBLIC_URL", "https://desk.example.org", f"{ONLY}: leave PAPERDESK_PUBLIC_URL out"),
        ("PAPERDESK_ALLOWED_HOSTS", "desk.example.org", f"{ONLY}: leave PAPERDESK_ALLOWED_HOSTS out"),
        ("PAPERDESK_TRUSTED_PROXY_CIDRS", "10.0.0.0/8", f"{ONLY}: leave PAPERDESK_TRUSTED_PROXY_CIDRS out"),
        ("PAPERDESK_WORKERS", "2", "--local is one process with one log: leave PAPERDESK_WORKERS out"),
    ],
)
def test_local_mode_is_refused_where_a_setting_makes_it_public(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, start: str
) -> None:
    monkeypatch.setenv(name, value)
    (problem,) = problems(*LOCAL)
    assert problem.startswith(start)


@pytest.mark.parametrize("command_name", [("serve",), ("stdio", "--toolset", "references")])
def test_a_store_without_local_mode_is_refused(command_name: tuple[str, ...]) -> None:
    assert problems(*command_name, "--store", "here") == (
        "--store names the store of local mode; add --local, or leave it out.",
    )


def test_local_mode_without_the_references_toolset_is_refused() -> None:
    (problem,) = problems("stdio", "--toolset", "catalog", "--local")
    assert problem == "--local is a mode of the toolset references, which is not among those to serve; name it."


@pytest.mark.parametrize(
    ("option", "variable", "expected"),
    [
        (None, None, "papers"),
        (None, "", "papers"),
        (None, "${PAPERS}", "papers"),
        (None, "set", "set"),
        ("given", "set", "given"),
    ],
)
def test_the_store_is_what_names_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str | None, variable: str | None, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = {} if variable is None else {"PAPERDESK_STORE": variable}
    overrides = {} if option is None else {"store": option}
    settings = parse_settings(environment, overrides=overrides, local=True)
    assert open_keeping(settings, SystemClock()).store.layout.root == tmp_path / expected
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("option", ["", "${workspaceFolder}/papers"])
def test_an_option_that_a_client_left_unfilled_is_as_if_it_were_not_given(
    sample_directory: Path, papers: Path, option: str
) -> None:
    anyio.run(Store(papers, SystemClock()).save, entry())
    arguments = ("--local", "--store", option, "--catalog", f"file:{sample_directory}")
    with Spoken(*arguments, PAPERDESK_STORE=str(papers)) as found:
        found.asked(INITIALIZE)
        found.send(INITIALIZED)
        rows = found.asked(call(1, "list_recent"))["structuredContent"]["entries"]
    assert [row["safekey"] for row in rows] == ["doi_10.1234_example"]
