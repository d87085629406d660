"""What is made from the code for others to read: tables in README, registry entries, the example of an environment.

`python -m server.reference README.md deploy` rewrites a file's generated parts, and all that is generated in a folder.
With `PAPERDESK_PUBLIC_URL` and `PAPERDESK_NAMESPACE` set, the registry entries are those of another deployment.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from core.clock import SystemClock
from server.pages.cards import registry_files
from server.pages.facts import Facts
from server.registry import BoundToolset, Toolset
from server.served import TOOLSETS
from server.setting_table import SETTINGS
from server.settings import parse_settings

HOME_URL = "https://paperdesk.org"
"""Where the release is served whose registry files lie in `deploy`: the domain of the default namespace."""


def tools_table(toolsets: Sequence[Toolset]) -> str:
    """Tables for each toolset: its tools with their arguments, required ones bold, its resources and its prompts."""
    blocks = []
    for toolset in toolsets:
        bound = BoundToolset(toolset, None, clock=SystemClock())
        blocks.append(f"`{toolset.path}`: {toolset.description}")
        blocks.append(_table("tool", "arguments", "gives", rows=map(_tool_row, bound.tools_list)))
        if toolset.resources:
            rows = [(f"`{each.uri_template}`", each.mime_type, _first(each.description)) for each in toolset.resources]
            blocks.append(_table("resource", "type", "gives", rows=rows))
        if toolset.prompts:
            rows = [
                (f"`{each.name}`", ", ".join(f"**`{name}`**" for name in each.arguments), _first(each.description))
                for each in toolset.prompts
            ]
            blocks.append(_table("prompt", "arguments", "does", rows=rows))
    return "\n\n".join(blocks)


def _tool_row(tool: Mapping[str, Any]) -> tuple[str, ...]:
    required = tool["inputSchema"].get("required", ())
    names = [f"**`{name}`**" if name in required else f"`{name}`" for name in tool["inputSchema"]["properties"]]
    return f"`{tool['name']}`", ", ".join(names), _first(tool["description"])


def _first(description: str) -> str:
    """The first paragraph on one line; of a description in labelled lines, what the first says."""
    first = description.split("\n\n", maxsplit=1)[0].partition("\nINPUTS:")[0]
    return " ".join(first.removeprefix("WHEN TO USE:").split())


def _table(*columns: str, rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def settings_table() -> str:
    """Every setting with its aliases, default and meaning."""
    rows = ["| setting | alias | default | meaning |", "| --- | --- | --- | --- |"]
    for setting in SETTINGS:
        aliases = ", ".join(f"`{alias}`" for alias in setting.aliases) or "-"
        default = f"`{setting.default}`" if setting.default else "-"
        rows.append(f"| `{setting.name}` | {aliases} | {default} | {setting.meaning} |")
    return "\n".join(rows)


def env_example() -> str:
    """An environment file with every setting commented out at its default, for systemd and compose alike."""
    blocks = [
        "# Every setting of paperdesk at its default, written by `make docs`. Take the # away from what you change.\n"
        "# The copy that is used holds secrets: give it mode 0600."
    ]
    for setting in SETTINGS:
        lines = [f"# {setting.meaning.replace('`', '')}", f"#{setting.name}={setting.default}"]
        if setting.secret:
            lines.append(f"#{setting.name}_FILE=")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def rewritten(document: str) -> str:
    """A document with its generated parts as the code says now."""
    for name, text in (("tools", tools_table(TOOLSETS)), ("settings", settings_table())):
        begin, end = f"<!-- {name}: begin, written by `make docs` -->", f"<!-- {name}: end -->"
        head, _, rest = document.partition(begin)
        _, _, tail = rest.partition(end)
        document = f"{head}{begin}\n{text}\n{end}{tail}"
    return document


def registry_facts(environment: Mapping[str, str]) -> Facts:
    """Whose registry entries are written: those of the release, unless the environment names another deployment."""
    settings = parse_settings({"PAPERDESK_PUBLIC_URL": HOME_URL, **environment}, serving=False)
    return Facts(settings.public_url, namespace=settings.namespace)


def main(paths: Sequence[str], environment: Mapping[str, str]) -> None:
    """Rewrites the generated parts of the files named, and all that is generated in the folders named."""
    for path in map(Path, paths):
        if path.is_dir():
            for name, content in registry_files(registry_facts(environment), TOOLSETS).items():
                (path / name).write_bytes(content)
            (path / "env.example").write_text(env_example(), encoding="utf-8")
        else:
            path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:], os.environ)
