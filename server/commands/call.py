"""`paperdesk call TOOL`: every tool as a command, made from the definitions that agents see."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import anyio
import click
import typer

from core.errors import OperatorError
from server.app import Service
from server.commands.opening import local_service, scans_at_work, settings_for
from server.endpoint.client import call_over_http
from server.registry import Tool, ToolOutcome, Toolset
from server.served import TOOLSETS

# The own options' Python names hold what no tool's parameter can: their flags alone could clash.
_CATALOG, _URL, _JSON = "own_catalog", "own_url", "own_json"
_NO_ADDRESS = urlsplit("")


def call(context: typer.Context) -> None:
    """Call any tool by its name: paperdesk call TOOL [--argument value ...]."""
    ToolCommands().main(args=list(context.args), prog_name="paperdesk call")


class ToolCommands(click.Group):
    """One command for each tool of each toolset, in the order served."""

    def __init__(self) -> None:
        super().__init__(help="Call a tool of the catalog; `paperdesk call TOOL --help` names its arguments.")
        self._tools: dict[str, tuple[Toolset, Tool]] = {}
        for toolset in TOOLSETS:
            for tool in toolset.tools:
                # A name that an earlier toolset has is written after its own toolset's.
                name = f"{toolset.id}.{tool.name}" if tool.name in self._tools else tool.name
                self._tools[name] = (toolset, tool)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The tools' names."""
        return list(self._tools)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The tool of that name; dashes stand for underscores."""
        found = self._tools.get(cmd_name.replace("-", "_"))
        return None if found is None else tool_command(*found)


def tool_command(toolset: Toolset, tool: Tool) -> click.Command:
    """A tool as a command: each parameter is an option, named, described and bounded by the tool's own schema."""
    schema = tool.input_schema
    required = schema.get("required", ())
    options = [_option(tool, name, wanted, name in required) for name, wanted in schema["properties"].items()]
    return click.Command(
        tool.name,
        params=[*options, *_own_options()],
        callback=partial(_run, toolset, tool, schema),
        help=tool.description,
        short_help=" ".join(tool.description.split("\n\n", maxsplit=1)[0].split()),
    )


def _option(tool: Tool, name: str, wanted: Mapping[str, Any], required: bool) -> click.Option:
    # Values are checked where every caller's are; here they stay text, and what is left out is not sent.
    flags = [f"--{name.replace('_', '-')}"]
    flags += [f"--{name}"] if "_" in name else []
    kind = wanted.get("type")
    facts = ["required"] if required else []
    if _takes_json(tool, wanted):
        facts.append("as JSON")
    elif kind in ("array", "object"):
        facts.append("may be repeated")
    if "default" in wanted:
        facts.append(f"default: {_spelled(wanted['default'])}")
    # A bare flag is a yes; `--flag false` and `--flag=false` are a no.
    bare: dict[str, Any] = {"is_flag": False, "flag_value": "true"} if kind == "boolean" else {}
    return click.Option(
        [*flags, name],
        metavar="JSON" if _takes_json(tool, wanted) else _metavar(wanted),
        help=wanted.get("description", "") + (f"  [{'; '.join(facts)}]" if facts else ""),
        multiple=kind in ("array", "object") and not _takes_json(tool, wanted),
        **bare,
    )


def _takes_json(tool: Tool, wanted: Mapping[str, Any]) -> bool:
    """Whether a value is written as JSON: tools with a schema of their own read lists and objects from it."""
    return tool.own_schema is not None and wanted.get("type") in ("array", "object")


def _metavar(wanted: Mapping[str, Any]) -> str:
    if "enum" in wanted:
        return f"[{'|'.join(wanted['enum'])}]"
    if wanted.get("format") == "date":
        return "YYYY-MM-DD"
    if wanted.get("type") == "integer" and "minimum" in wanted:
        return f"{wanted['minimum']}..{wanted.get('maximum', '')}"
    names = {"boolean": "[true|false]", "object": "NAME=VALUE", "integer": "INTEGER", "number": "NUMBER"}
    return names.get(str(wanted.get("type")), "TEXT")


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _own_options() -> list[click.Option]:
    return [
        click.Option(["--json", _JSON], is_flag=True, help="Print the structured result as JSON, not its Markdown."),
        click.Option(
            ["--catalog", _CATALOG],
            metavar="TEXT",
            help="Call in this process: sample:, file:DIRECTORY or an API address.",
        ),
        click.Option(["--url", _URL], metavar="TEXT", help="Call a running service: the address it is served at."),
    ]


def _run(toolset: Toolset, tool: Tool, schema: Mapping[str, Any], **given: Any) -> None:
    as_json, catalog, url = given.pop(_JSON), given.pop(_CATALOG), given.pop(_URL)
    if catalog is not None and url is not None:
        raise click.UsageError("Pass --catalog or --url, not both: a running service has its own catalog.")
    arguments = {
        name: given[name] if _takes_json(tool, wanted) else _collected(name, wanted, given[name])
        for name, wanted in schema["properties"].items()
        if given[name] not in (None, ())
    }
    if url is not None:
        outcome = anyio.run(call_over_http, _endpoint(url, toolset), tool.name, arguments)
    else:
        with local_service(settings_for(serving=False, toolsets=toolset.id, catalog_url=catalog)) as service:
            outcome = anyio.run(_call_here, service, tool.name, arguments)
    _show(outcome, as_json=as_json)


async def _call_here(service: Service, tool: str, arguments: Mapping[str, Any]) -> ToolOutcome:
    async with scans_at_work(service, takes_up=False):
        return await service.toolsets[0].call(tool, arguments)


def _collected(name: str, wanted: Mapping[str, Any], value: Any) -> Any:
    """An option as its tool takes it: a repeated one as a list or object, a yes or no as such."""
    if wanted.get("type") == "array":
        return list(value)
    if wanted.get("type") == "boolean":
        return {"true": True, "false": False}.get(value, value)
    if wanted.get("type") != "object":
        return value
    entries = {}
    for entry in value:
        # Names may hold an equals sign, values cannot.
        key, equals, number = entry.rpartition("=")
        if not equals:
            raise click.UsageError(f"--{name.replace('_', '-')} takes NAME=VALUE.")
        entries[key] = number
    return entries


def _endpoint(url: str, toolset: Toolset) -> str:
    """The address of a toolset's endpoint; a service's bare address is completed with the endpoint's path."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = _NO_ADDRESS
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise OperatorError("--url takes an http or https address, such as http://127.0.0.1:7860/mcp.")
    return url if parts.path.strip("/") else f"{parts.scheme}://{parts.netloc}{toolset.path}"


def _show(outcome: ToolOutcome, *, as_json: bool) -> None:
    """The result on standard output; a failure on standard error, with exit status 1."""
    text = "\n".join(outcome.texts)
    # Some families word failures as results.
    if outcome.is_error or outcome.code is not None:
        click.echo(text, err=True)
        raise click.exceptions.Exit(1)
    click.echo(json.dumps(outcome.structured, ensure_ascii=False, indent=2) if as_json else text)
