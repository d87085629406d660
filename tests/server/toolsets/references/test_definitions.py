"""The wire definitions of the references tools: snapshots, since every client builds on them, and their size."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.references import TOOLSET

SNAPSHOTS = Path(__file__).resolve().parents[3] / "snapshots" / "references"
TOOLS: dict[str, dict[str, Any]] = {
    tool["name"]: tool for tool in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_definition_is_the_accepted_one(name: str, update_snapshots: bool) -> None:
    written = orjson.dumps(TOOLS[name], option=orjson.OPT_INDENT_2) + b"\n"
    path = SNAPSHOTS / f"{name}.json"
    if update_snapshots:
        path.write_bytes(written)
    assert path.read_bytes() == written, "a public definition changed: run pytest --update-snapshots and read the diff"


def test_a_tool_that_is_gone_leaves_no_snapshot() -> None:
    assert {path.stem for path in SNAPSHOTS.glob("*.json")} == set(TOOLS)
