"""How each client is pointed at an endpoint: its steps in words and what is copied into it."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from server.pages.facts import MAIN_PATH, Facts
from server.registry import BoundToolset, Toolset

KEY_HEADER = "Authorization: Bearer pdk_YOUR_KEY"

_SDK_PROGRAM = """\
import asyncio
{imports}

async def main() -> None:
    async with Client({target}) as desk:
        print([tool.name for tool in (await desk.list_tools()).tools]){call}


asyncio.run(main())"""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A text to copy; `where` is the file that it belongs into, or what it is."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Client:
    """One client: what to do, then what to copy; `wide` where that has long lines."""

    id: str
    name: str
    steps: str
    snippets: tuple[Snippet, ...]
    wide: bool = False


def clients(facts: Facts, bound: BoundToolset, *, connector: Toolset | None = None) -> list[Client]:
    """Every client for one endpoint; `connector` is the toolset made for assistants that take two tools only."""
    toolset = bound.toolset
    name = "paperdesk" if toolset.path == MAIN_PATH else toolset.server_name
    url = facts.url(toolset.path)
    return [
        *_assistants(url, facts.url((connector or toolset).path)),
        *_terminals(facts, name, url),
        Client(
            "cursor",
            "Cursor",
            "Merge this into the file of a project, or into `~/.cursor/mcp.json` for all of them.",
            (Snippet(".cursor/mcp.json", _file(facts, "mcpServers", name, {"url": url})),),
        ),
        Client(
            "vs-code",
            "VS Code",
            "Merge this into the file of a project, then press Start above the entry.",
            (Snippet(".vscode/mcp.json", _file(facts, "servers", name, {"type": "http", "url": url})),),
        ),
        _sdk(facts, bound, url),
        _curl(facts, bound, url),
    ]


def is_private(facts: Facts) -> bool:
    """Whether only this machine reaches the service."""
    try:
        return ip_address(facts.host).is_loopback
    except ValueError:
        return facts.host == "localhost"


def _assistants(url: str, connector_url: str) -> list[Client]:
    """The two that connect from their makers' own machines."""
    return [
        Client(
            "claude",
            "Claude on the web and desktop",
            "Customize → Connectors → + → Add custom connector. Name it paperdesk, paste the URL and choose Add; no"
            " sign-in follows. Then switch it on in a chat.",
            (Snippet("Remote MCP server URL", url),),
        ),
        Client(
            "chatgpt",
            "ChatGPT",
            "Settings → Apps → Advanced settings → Developer mode, then Create app. Name it paperdesk, paste the URL"
            " and choose no authentication.",
            (Snippet("MCP server URL", connector_url),),
        ),
    ]


def _terminals(facts: Facts, name: str, url: str) -> list[Client]:
    """The two that are told by a command, or by a file that a project shares."""
    key = "" if facts.anonymous else f' --header "{KEY_HEADER}"'
    return [
        Client(
            "claude-code",
            "Claude Code",
            "Run the command once, or keep the file in a project for everyone on it; `/mcp` then lists the server.",
            (
                Snippet("Command", f"claude mcp add --transport http {name} {url}{key}"),
                Snippet(".mcp.json", _file(facts, "mcpServers", name, {"type": "http", "url": url})),
            ),
        ),
        Client(
            "gemini-cli",
            "Gemini CLI",
            "Run the command once, or merge this into the file; `/mcp` then lists the server.",
            (
                Snippet("Command", f"gemini mcp add --scope user --transport http{key} {name} {url}"),
                Snippet("~/.gemini/settings.json", _file(facts, "mcpServers", name, {"httpUrl": url})),
            ),
        ),
    ]


def _file(facts: Facts, servers: str, name: str, server: dict[str, Any]) -> str:
    """The entry of one server in a client's file."""
    if not facts.anonymous:
        header, _, value = KEY_HEADER.partition(": ")
        server = {**server, "headers": {header: value}}
    return json.dumps({servers: {name: server}}, indent=2)


def _sdk(facts: Facts, bound: BoundToolset, url: str) -> Client:
    imports, target = "from mcp import Client\n", f'"{url}"'
    if not facts.anonymous:
        header, _, value = KEY_HEADER.partition(": ")
        imports = (
            "\nimport httpx2\nfrom mcp import Client\nfrom mcp.client.streamable_http import streamable_http_client\n"
        )
        imports += f'\nKEYED = httpx2.AsyncClient(headers={{"{header}": "{value}"}})\n'
        target = f'streamable_http_client("{url}", http_client=KEYED)'
    call = ""
    if example := _example(bound):
        name, arguments = example
        call = f"\n        arguments = {_python(arguments)}"
        call += f"\n        found = await desk.call_tool({json.dumps(name)}, arguments)"
        call += "\n        print(found.content[0].text)"
    program = _SDK_PROGRAM.format(imports=imports, target=target, call=call)
    return Client("sdk", "Python SDK", "Install it with `pip install mcp`.", (Snippet("Program", program),), wide=True)


def _curl(facts: Facts, bound: BoundToolset, url: str) -> Client:
    ask: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    if example := _example(bound):
        ask = {**ask, "method": "tools/call", "params": {"name": example[0], "arguments": example[1]}}
    headers = ["Content-Type: application/json"] + ([] if facts.anonymous else [KEY_HEADER])
    given = " ".join(f"-H {shlex.quote(header)}" for header in headers)
    command = f"curl -s {url} {given} -d {shlex.quote(json.dumps(ask, ensure_ascii=False))}"
    steps = "One POST is one call: no handshake, no session."
    return Client("curl", "curl", steps, (Snippet("Command", command),), wide=True)


def _example(bound: BoundToolset) -> tuple[str, dict[str, Any]] | None:
    """The first tool that has an example."""
    return next(((tool.name, dict(tool.example)) for tool in bound.toolset.tools if tool.example is not None), None)


def _python(arguments: dict[str, Any]) -> str:
    """The arguments as Python writes them, quoted as the program around them is."""
    pairs: Sequence[str] = [f"{json.dumps(key)}: {_value(value)}" for key, value in arguments.items()]
    return "{" + ", ".join(pairs) + "}"


def _value(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
