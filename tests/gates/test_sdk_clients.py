"""Programs on the protocol's Python SDK, current and old, against every endpoint (hosting contract 7.3)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from server.registry import Toolset
from tests.gates.running import DISPATCHERS, Server, serving_catalog
from tests.gates.served_toolsets import FAILING, GOOD, TOOLSETS
from tests.gates.tools import MISSING, OLD_SDK_PYTHON, ROOT, completed

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300), pytest.mark.anyio]

MODES = ("legacy", "auto", "2026-07-28")
UNKNOWN_TOOL = -32602

each_toolset = pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.id)


@pytest.fixture(scope="module", params=DISPATCHERS)
def server(
    request: pytest.FixtureRequest, sample_directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    with serving_catalog(folder, sample_directory, dispatcher=request.param) as started:
        yield started
        started.stop()
        assert started.requests()
        assert started.complaints() == []


@each_toolset
@pytest.mark.parametrize("mode", MODES)
async def test_the_current_sdk_works_in_every_mode(server: Server, toolset: Toolset, mode: Any) -> None:
    # hosting A39
    good, failing = GOOD[toolset.id], FAILING[toolset.id]
    async with Client(f"{server.url}{toolset.path}", mode=mode) as client:
        # Pinned to the modern era it opens nothing, so it is told nothing of the server either.
        assert mode == MODES[-1] or client.server_info.name == f"paperdesk-{toolset.id}"
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in toolset.tools]
        answered = await client.call_tool(good.tool, dict(good.arguments))
        assert not answered.is_error
        assert answered.structured_content
        failed = await client.call_tool(failing.tool, dict(failing.arguments))
        failing.check_failure(is_error=bool(failed.is_error), meta=failed.meta, structured=failed.structured_content)
        with pytest.raises(MCPError) as unknown:
            await client.call_tool("no_such_tool", {})
        assert unknown.value.code == UNKNOWN_TOOL
        if toolset.resources:
            templates = (await client.list_resource_templates()).resource_templates
            assert [each.uri_template for each in templates] == templates_of(toolset)


def templates_of(toolset: Toolset) -> list[str]:
    """The addresses with places to fill; a fixed one stands in the list of resources itself."""
    return [each.uri_template for each in toolset.resources if "{" in each.uri_template]


@each_toolset
def test_the_old_sdk_works(server: Server, toolset: Toolset, tmp_path: Path) -> None:
    # hosting A39
    assert Path(OLD_SDK_PYTHON).exists(), MISSING.format("the SDK 1.x")
    good, failing = GOOD[toolset.id], FAILING[toolset.id]
    asked = {
        "url": f"{server.url}{toolset.path}",
        "good": [good.tool, good.arguments],
        "failing": [failing.tool, failing.arguments],
        "templates": bool(templates_of(toolset)),
    }
    program = str(ROOT / "tests" / "gates" / "old_sdk_client.py")
    done = completed([OLD_SDK_PYTHON, program, json.dumps(asked)], {"HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    [is_error, structured] = found.pop("good")
    assert (is_error, bool(structured)) == (False, True)
    [is_error, meta, structured] = found.pop("failing")
    failing.check_failure(is_error=is_error, meta=meta, structured=structured)
    assert found == {
        "version": "2025-11-25",
        "server": f"paperdesk-{toolset.id}",
        "tools": [tool.name for tool in toolset.tools],
        "unknown": UNKNOWN_TOOL,
        "templates": templates_of(toolset),
    }
