"""How each client is pointed at an endpoint: its steps in words and what is copied into it."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from server.pages.facts import Facts
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
    name = "paperdesk" if toolset.path == "/mcp" else toolset.server_name
    url = facts.url(toolset.path)
    return [
        *_assistants(facts, url, facts.url((connector or toolset).path)),
        _claude_code(facts, name, url),
        _file_client(
            facts,
            Client("cursor", "Cursor", "Merge this into the file; Cursor shows the server under Tools & MCP.", ()),
            "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
            ("mcpServers", name, {"url": url}),
        ),
        _file_client(
            facts,
            Client("vs-code", "VS Code", "Merge this into the file, then start the server from the line above it.", ()),
            ".vscode/mcp.json",
            ("servers", name, {"type": "http", "url": url}),
        ),
        _file_client(
            facts,
            Client("gemini-cli", "Gemini CLI", "Merge this into the file; /mcp lists the server afterwards.", ()),
            "~/.gemini/settings.json",
            ("mcpServers", name, {"httpUrl": url}),
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


def _assistants(facts: Facts, url: str, connector_url: str) -> list[Client]:
    """The two that connect from their maker's own machines."""
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
            "Settings → Apps → Advanced settings → Developer mode, then Create app. Name it paperdesk, paste the URL,"
            " and choose no authentication.",
            (Snippet("MCP server URL", connector_url),),
        ),
    ]


def _claude_code(facts: Facts, name: str, url: str) -> Client:
    command = f"claude mcp add --transport http {name} {url}"
    if not facts.anonymous:
        command += f' --header "{KEY_HEADER}"'
    return Client(
        "claude-code", "Claude Code", "Run this once; /mcp then lists the server.", (Snippet("Command", command),)
    )


def _file_client(facts: Facts, client: Client, file: str, entry: tuple[str, str, dict[str, Any]]) -> Client:
    servers, name, server = entry
    if not facts.anonymous:
        header, _, value = KEY_HEADER.partition(": ")
        server = {**server, "headers": {header: value}}
    text = json.dumps({servers: {name: server}}, indent=2)
    return Client(client.id, client.name, client.steps, (Snippet(file, text),))


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
    return Client("sdk", "Python SDK", "Install it with pip install mcp.", (Snippet("Program", program),), wide=True)


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
