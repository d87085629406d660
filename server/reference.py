"""The parts of README that are made from the code: `python -m server.reference README.md` rewrites them in place."""

import sys
from collections.abc import Sequence
from pathlib import Path

from core.clock import SystemClock
from server.registry import BoundToolset, Toolset
from server.settings import SETTINGS
from server.toolsets.catalog import TOOLSET as CATALOG_TOOLSET

TOOLSETS: tuple[Toolset, ...] = (CATALOG_TOOLSET,)


def tools_table(toolsets: Sequence[Toolset]) -> str:
    """A table for each toolset: every tool with its arguments, required ones bold, and what it gives."""
    blocks = []
    for toolset in toolsets:
        rows = [f"`{toolset.path}`: {toolset.description}", "", "| tool | arguments | gives |", "| --- | --- | --- |"]
        for tool in BoundToolset(toolset, None, clock=SystemClock()).tools_list:
            required = tool["inputSchema"].get("required", ())
            names = [f"**`{name}`**" if name in required else f"`{name}`" for name in tool["inputSchema"]["properties"]]
            gives = " ".join(tool["description"].split("\n\n")[0].split())
            rows.append(f"| `{tool['name']}` | {', '.join(names)} | {gives} |")
        blocks.append("\n".join(rows))
    return "\n\n".join(blocks)


def settings_table() -> str:
    """Every setting with its aliases, default and meaning."""
    rows = ["| setting | alias | default | meaning |", "| --- | --- | --- | --- |"]
    for setting in SETTINGS:
        aliases = ", ".join(f"`{alias}`" for alias in setting.aliases) or "-"
        default = f"`{setting.default}`" if setting.default else "-"
        rows.append(f"| `{setting.name}` | {aliases} | {default} | {setting.meaning} |")
    return "\n".join(rows)


def rewritten(document: str) -> str:
    """A document with its generated parts as the code says now."""
    for name, text in (("tools", tools_table(TOOLSETS)), ("settings", settings_table())):
        begin, end = f"<!-- {name}: begin, written by `make docs` -->", f"<!-- {name}: end -->"
        head, _, rest = document.partition(begin)
        _, _, tail = rest.partition(end)
        document = f"{head}{begin}\n{text}\n{end}{tail}"
    return document


def main(paths: Sequence[str]) -> None:
    """Rewrites the generated parts of the files named."""
    for path in map(Path, paths):
        path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
