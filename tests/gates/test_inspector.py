"""The protocol's inspector against every endpoint, in each of its modes (hosting contract 7.3)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.registry import Toolset
from tests.conformance import toolset as fixture
from tests.gates.running import DISPATCHERS, Server, serving_catalog, serving_fixture
from tests.gates.served_toolsets import FAILING, GOOD, TOOLSETS
from tests.gates.tools import INSPECTOR, MISSING, node

pytestmark = [pytest.mark.gate, pytest.mark.timeout(300)]

ERAS = ("legacy", "modern", "auto")
UNPORTABLE = 6
TOOL_FAILED = 5
FREE_BY_CONTRACT = {
    "outputSchema.properties.data",
    "inputSchema.properties.ranked_entries.items.properties.verification",
}
"""A catalog's own further fields may have any form (catalog contract 2.2); what a client says of a verification is
ignored in any (scan contract 2.6)."""
MAY_BE_NULL = {"references", "scan"}
"""Families whose contract publishes a result's member without a type where it may be null (references contract 1.3,
scan contract 3)."""

each_toolset = pytest.mark.parametrize("toolset", TOOLSETS, ids=lambda toolset: toolset.id)
each_era = pytest.mark.parametrize("era", ERAS)


@pytest.fixture(scope="module", params=DISPATCHERS)
def server(
    request: pytest.FixtureRequest, sample_directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    with serving_catalog(folder, sample_directory, dispatcher=request.param) as started:
        yield started
        assert started.complaints() == []


def inspect(url: str, era: str, method: str, home: Path, *more: str) -> tuple[int, Any, str]:
    """The inspector's exit status, what it printed as JSON, and what it complained of."""
    assert Path(INSPECTOR).is_file(), MISSING.format("the inspector")
    asked = ("--cli", url, "--transport", "http", "--protocol-era", era, "--method", method, "--format", "json", *more)
    done = node(INSPECTOR, *asked, home=home)
    printed = done.stdout.strip() or done.stderr.strip().splitlines()[-1]
    return done.returncode, json.loads(printed), done.stderr


@each_toolset
@each_era
def test_every_schema_is_portable(server: Server, toolset: Toolset, era: str, tmp_path: Path) -> None:
    # hosting A39, A90
    status, listed, said = inspect(f"{server.url}{toolset.path}", era, "tools/list", tmp_path, "--strict")
    assert status == 0, said
    assert [tool["name"] for tool in listed["result"]["tools"]] == [tool.name for tool in toolset.tools]
    # Lists of types and other things that only warn are refused here too.
    untyped = FREE_BY_CONTRACT | (without_type(listed) if toolset.id in MAY_BE_NULL else set())
    assert set(re.findall(r"^  Path: (.*)$", said, flags=re.MULTILINE)) <= untyped


def without_type(listed: Any) -> set[str]:
    """The members of results that are published without a type, each described instead."""
    return {
        f"outputSchema.properties.{name}"
        for tool in listed["result"]["tools"]
        for name, member in tool["outputSchema"]["properties"].items()
        if "type" not in member and member["description"]
    }


@each_toolset
@each_era
def test_a_call_is_understood(server: Server, toolset: Toolset, era: str, tmp_path: Path) -> None:
    # hosting A39
    url = f"{server.url}{toolset.path}"
    good, failing = GOOD[toolset.id], FAILING[toolset.id]
    status, answered, said = inspect(url, era, "tools/call", tmp_path, *named(good.tool, good.arguments))
    assert (status, answered["result"]["isError"]) == (0, False), said
    assert answered["result"]["structuredContent"]
    status, failed, _ = inspect(url, era, "tools/call", tmp_path, *named(failing.tool, failing.arguments))
    assert status == (0 if failing.is_told_in_result else TOOL_FAILED)
    result = failed["result"]
    failing.check_failure(
        is_error=result["isError"], meta=result.get("_meta"), structured=result.get("structuredContent")
    )


def named(tool: str, arguments: Any) -> tuple[str, ...]:
    return ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))


@each_era
def test_templates_and_prompts_of_the_catalog_are_understood(server: Server, era: str, tmp_path: Path) -> None:
    # hosting A39
    url = f"{server.url}/mcp"
    status, listed, said = inspect(url, era, "resources/templates/list", tmp_path)
    assert (status, len(listed["result"]["resourceTemplates"])) == (0, 4), said
    asked = ("--prompt-name", "find_papers", "--prompt-args", "topic=attention")
    status, written, said = inspect(url, era, "prompts/get", tmp_path, *asked)
    [message] = written["result"]["messages"]
    assert (status, message["role"]) == (0, "user"), said
    assert '"attention"' in message["content"]["text"]


def test_a_schema_that_is_not_portable_fails_the_run(tmp_path: Path) -> None:
    with serving_fixture(tmp_path, dispatcher="sdk") as started:
        url = f"{started.url}{fixture.TOOLSET.path}"
        status, _, said = inspect(url, "legacy", "tools/list", tmp_path, "--strict")
    assert status == UNPORTABLE
    assert "inputSchema.$defs.anything" in said
