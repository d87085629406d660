"""Real processes over a real catalog: the service over HTTP and stdio, and the commands that read."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters
from mcp_types import PromptReference

from core.catalog.embedded.manifest import open_manifest
from core.clock import SystemClock
from core.ingest.build import BuildOptions, Source, SourceKind, build_catalog
from server import __version__
from server.registry import Toolset
from server.toolsets.catalog import TOOLSET
from tests.odd_catalog import long_text, short_text, write_odd_catalog
from tests.odd_papers import LONG_TEXT_ID, SHORT_TEXT_ID

pytestmark = pytest.mark.anyio

KEY = "k" * 32


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    write_odd_catalog(folder / "in")
    sources = [
        Source(SourceKind.PAPERDESK, folder / "in"),
        Source(SourceKind.MARKDOWN, folder / "in" / "fulltext"),
    ]
    build_catalog(sources, folder / "out", options=BuildOptions(clock=SystemClock()))
    return folder / "out"


def environment(**more: str) -> dict[str, str]:
    foreign = ("PAPERDESK_", "PWC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {**kept, "PAPERDESK_EMBEDDER": "none", "PAPERDESK_CURSOR_KEYS": KEY, **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "server", *arguments]


@dataclass(frozen=True, slots=True)
class Served:
    url: str
    process: "subprocess.Popen[str]"
    log: Path


@pytest.fixture(scope="module")
def served(catalog: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("log") / "log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            command("serve", "--port", str(port), "--catalog", f"file:{catalog}"),
            env=environment(),
            stderr=sink,
            stdout=subprocess.PIPE,
            text=True,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            with httpx.Client(transport=httpx.HTTPTransport(retries=8)) as client:
                client.get(f"{url}/health").raise_for_status()
            yield Served(url, process, log)
        finally:
            process.kill()
            process.wait(10)
            assert process.stdout is not None
            process.stdout.close()


def names(toolset: Toolset) -> list[str]:
    return [tool.name for tool in toolset.tools]


async def use(client: Client) -> dict[str, Any]:
    assert [tool.name for tool in (await client.list_tools()).tools] == names(TOOLSET)
    found = await client.call_tool("search_papers", {"query": "lantern", "mode": "keyword", "limit": 3})
    assert found.structured_content is not None
    assert len(found.structured_content["items"]) == 3
    missed = await client.call_tool("get_paper_info", {"paper": "2999.99999"})
    assert missed.is_error
    assert missed.meta is not None
    assert missed.meta["org.paperdesk/error"]["code"] == "not_found"
    assert (await client.list_resources()).resources == []
    [text] = (await client.read_resource(f"pwc://papers/{SHORT_TEXT_ID}/markdown")).contents
    assert text.text == short_text()
    prompts = (await client.list_prompts()).prompts
    assert [prompt.name for prompt in prompts] == ["find_papers", "compare_leaderboard", "survey_task"]
    reference = PromptReference(name="survey_task")
    completion = (await client.complete(reference, {"name": "task", "value": "speech r"})).completion
    assert completion.values == ["Speech Recognition"]
    return found.structured_content


async def test_both_eras_and_stdio_answer_alike(served: Served, catalog: Path) -> None:
    # hosting A32, A39 (part)
    contents = []
    for mode in ("legacy", "auto", "2026-07-28"):
        async with Client(f"{served.url}/mcp", mode=mode) as client:
            contents.append(await use(client))
    parameters = StdioServerParameters(
        command=sys.executable,
        args=command("stdio", "--toolset", "catalog", "--catalog", f"file:{catalog}")[1:],
        env=environment(),
    )
    async with Client(parameters) as client:
        contents.append(await use(client))
    assert all(content == contents[0] for content in contents)


def test_health_names_the_build(served: Served, catalog: Path) -> None:
    body = httpx.get(f"{served.url}/health").json()
    assert (body["status"], body["version"]) == ("ok", __version__)
    assert (body["catalog"]["backend"], body["catalog"]["build"]) == ("file", open_manifest(catalog).content_id)


def test_a_whole_text_is_read_back_byte_for_byte(catalog: Path, tmp_path: Path) -> None:
    out = tmp_path / "text.md"
    arguments = ("read", LONG_TEXT_ID, "--catalog", f"file:{catalog}", "--out", str(out))
    subprocess.run(command(*arguments), env=environment(), timeout=60, check=True)
    assert out.read_bytes() == long_text().encode()


@pytest.mark.parametrize("arguments", [("read", "2999.99999"), ("call", "get_paper_info", "--paper", "2999.99999")])
def test_a_missed_paper_ends_with_one_line_and_status_1(catalog: Path, arguments: tuple[str, ...]) -> None:
    missed = subprocess.run(
        command(*arguments, "--catalog", f"file:{catalog}"),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (missed.returncode, missed.stdout) == (1, "")
    assert missed.stderr.startswith("not_found: ")
    assert len(missed.stderr.splitlines()) == 1


def test_the_log_has_a_start_line_and_no_content_and_a_signal_ends_the_process(served: Served) -> None:
    # hosting A51 (part), A52 (part); last in this file: it ends the server
    secret = "planted-secret"
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    for params in ({"name": "search_papers", "arguments": {"query": secret}}, {"name": secret}):
        httpx.post(f"{served.url}/mcp?{secret}", json={**body, "params": params}, headers={"user-agent": secret})
    # What is no request at all, and so is told to nobody but its sender.
    for nonsense in (b"GARBAGE\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"GET /x HTTP/1.1\r\nno colon\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2])), timeout=10) as connection:
            connection.sendall(nonsense)
            assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(10) in (0, -signal.SIGTERM)
    log = served.log.read_text()
    assert re.search(
        rf"serving version={re.escape(__version__)} worker=- address=127\.0\.0\.1:\d+ .* catalog=file ", log
    )
    assert "mcp_request tool=search_papers status=200 " in log
    assert "mcp_request tool=unknown status=200 " in log
    assert secret not in log
    assert KEY not in log
    assert "Traceback" not in log
    assert " uvicorn" not in log
