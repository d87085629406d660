"""What is copied into each client."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from desk_toolset import OTHER, TOOLSET
from live import PUBLIC_URL, serve_catalog

from core.clock import ManualClock
from server.pages.connecting import Client, clients, is_private
from server.pages.facts import Facts
from server.pages.page import page
from server.registry import BoundToolset, Toolset
from server.toolsets.catalog import TOOLSET as CATALOG

KEYED = "Bearer pdk_YOUR_KEY"


def of(facts: Facts, toolset: Toolset = CATALOG, connector: Toolset | None = None) -> dict[str, Client]:
    bound = BoundToolset(toolset, None, clock=ManualClock())
    return {client.id: client for client in clients(facts, bound, connector=connector)}


def text(client: Client) -> str:
    """What is copied, or the command where there is a file too."""
    return client.snippets[0].text


def file(client: Client) -> tuple[str, Any]:
    """The name of the file to merge into, and what goes there."""
    return client.snippets[-1].where, json.loads(client.snippets[-1].text)


def test_every_client_that_is_known_is_told_of() -> None:
    assert [client.name for client in of(Facts(PUBLIC_URL)).values()] == [
        "Claude on the web and desktop",
        "ChatGPT",
        "Claude Code",
        "Gemini CLI",
        "Cursor",
        "VS Code",
        "Python SDK",
        "curl",
    ]


def test_each_client_gets_the_address_in_its_own_form() -> None:
    url = "https://desk.example.org/mcp"
    found = of(Facts(PUBLIC_URL))
    assert text(found["claude"]) == text(found["chatgpt"]) == url
    assert text(found["claude-code"]) == f"claude mcp add --transport http paperdesk {url}"
    assert text(found["gemini-cli"]) == f"gemini mcp add --scope user --transport http paperdesk {url}"
    typed = {"type": "http", "url": url}
    assert file(found["claude-code"]) == (".mcp.json", {"mcpServers": {"paperdesk": typed}})
    assert file(found["gemini-cli"]) == ("~/.gemini/settings.json", {"mcpServers": {"paperdesk": {"httpUrl": url}}})
    assert file(found["cursor"]) == (".cursor/mcp.json", {"mcpServers": {"paperdesk": {"url": url}}})
    assert file(found["vs-code"]) == (".vscode/mcp.json", {"servers": {"paperdesk": typed}})


def test_readme_has_the_same_command() -> None:
    command = text(of(Facts("http://127.0.0.1:7860"))["claude-code"])
    assert f"`{command}`" in (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")


def test_another_toolset_goes_by_a_name_of_its_own() -> None:
    found = of(Facts(PUBLIC_URL), OTHER)
    url = "https://desk.example.org/mcp/other"
    assert text(found["claude-code"]) == f"claude mcp add --transport http paperdesk-other {url}"
    assert file(found["cursor"])[1] == {"mcpServers": {"paperdesk-other": {"url": url}}}
    assert '"method": "tools/list"' in text(found["curl"]) and "call_tool" not in text(found["sdk"])


def test_chatgpt_gets_the_toolset_that_is_made_for_it_where_it_is_served() -> None:
    connector = replace(OTHER, id="connector", path="/mcp/connector")
    assert text(of(Facts(PUBLIC_URL), connector=connector)["chatgpt"]) == "https://desk.example.org/mcp/connector"
    toolsets = [BoundToolset(toolset, None, clock=ManualClock()) for toolset in (TOOLSET, connector)]
    assert b"<code>https://desk.example.org/mcp/connector</code></pre>" in page(Facts(PUBLIC_URL), toolsets).body


def test_a_service_that_wants_a_key_shows_where_it_goes() -> None:
    found = of(Facts(PUBLIC_URL, anonymous=False))
    for client in ("claude-code", "gemini-cli"):
        assert f'--header "Authorization: {KEYED}"' in text(found[client])
    for client in ("claude-code", "gemini-cli", "cursor", "vs-code"):
        ((server,),) = (servers.values() for servers in file(found[client])[1].values())
        assert server["headers"] == {"Authorization": KEYED}
    assert f"Authorization: {KEYED}" in shlex.split(text(found["curl"]))
    compile(text(found["sdk"]), "sdk", "exec")
    assert f'{{"Authorization": "{KEYED}"}}' in text(found["sdk"])


def words(facts: Facts) -> str:
    return page(facts, [BoundToolset(CATALOG, None, clock=ManualClock())]).body.decode()


def test_the_page_says_whether_a_key_is_needed() -> None:
    wanted, offered, none = "wants an API key with every request", "No key is needed. A key raises", "pdk_YOUR_KEY"
    assert wanted in words(Facts(PUBLIC_URL, anonymous=False, has_keys=True))
    raised = words(Facts(PUBLIC_URL, has_keys=True))
    assert offered in raised and wanted not in raised
    assert none not in words(Facts(PUBLIC_URL))


@pytest.mark.parametrize("url", ["http://127.0.0.1:7860", "http://localhost:7860/x", "http://[::1]:7860"])
def test_an_address_of_this_machine_only_is_called_so(url: str) -> None:
    assert is_private(Facts(url))
    assert "reachable from this machine only" in words(Facts(url))


def test_a_public_address_is_not_called_private() -> None:
    assert not is_private(Facts(PUBLIC_URL))
    assert "reachable from this machine only" not in words(Facts(PUBLIC_URL))


@pytest.fixture(scope="module")
def url(sample_directory: Path) -> Iterator[str]:
    with serve_catalog(sample_directory) as served:
        yield served


def test_the_curl_command_calls_a_tool(url: str) -> None:
    command = shlex.split(text(of(Facts(url))["curl"]))
    assert command[:3] == ["curl", "-s", f"{url}/mcp"]
    assert command[3:5] == ["-H", "Content-Type: application/json"]
    answer = httpx.post(command[2], content=command[6].encode(), headers={"content-type": "application/json"})
    assert answer.json()["result"]["isError"] is False


def test_the_program_for_the_sdk_runs(url: str) -> None:
    # whatever address and key: the keyed form must be a program too
    for facts in (Facts(url), Facts(url, anonymous=False)):
        done = subprocess.run(
            [sys.executable, "-c", text(of(facts)["sdk"])], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        tools, *found = done.stdout.splitlines()
        assert "'search_papers'" in tools
        assert any("parameter" in line for line in found)
