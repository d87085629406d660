"""The same call gives the same answer in both eras, whatever tool is asked and however it ends (hosting 2.1)."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator
from live import serve_catalog
from mcp import Client

from core.clock import ManualClock
from server.bootstrap import DISPATCHERS
from server.registry import BoundToolset
from server.toolsets.catalog import TOOLSET
from tests.odd_boards import BIG_BENCHMARK, NUMBER_BENCHMARK, ODD_METRIC, SPELLING_BENCHMARK
from tests.odd_catalog import BUSY_TASK
from tests.odd_papers import (
    DOI_TEXT_DOI,
    EXTERNAL_ID,
    LONG_TEXT_ID,
    MANY_AUTHORS_ID,
    NAMESAKE,
    NO_TEXT_ID,
    OLD_STYLE_ID,
    RETRACTED_ID,
    SHORT_TEXT_ID,
)

pytestmark = pytest.mark.anyio

MODERN = "2026-07-28"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SCHEMAS = {tool["name"]: tool["outputSchema"] for tool in BoundToolset(TOOLSET, None, clock=ManualClock()).tools_list}

# By how they end: `ok`, or the failure's code.
CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("search_papers", {"query": "lantern"}, "ok"),
    ("search_papers", {"query": "a AND b:c*(", "mode": "keyword", "limit": 3, "page": 2}, "ok"),
    ("search_papers", {"query": "lantern", "mode": "semantic"}, "unavailable"),
    ("search_papers", {"query": "no such words at all zzz", "published_after": "2024-01-01"}, "ok"),
    ("get_paper_info", {"paper": OLD_STYLE_ID}, "ok"),
    ("get_paper_info", {"paper": DOI_TEXT_DOI, "include_resources": True, "include_evaluations": True}, "ok"),
    ("get_paper_info", {"paper": MANY_AUTHORS_ID}, "ok"),
    ("get_paper_info", {"paper": RETRACTED_ID}, "ok"),
    ("get_paper_info", {"paper": "https://github.com/a/b"}, "invalid_argument"),
    ("get_paper_info", {"paper": "2999.90001"}, "not_found"),
    ("get_paper_evaluations", {"paper": LONG_TEXT_ID}, "ok"),
    ("get_paper_evaluations", {"paper": int(EXTERNAL_ID), "limit": "5"}, "ok"),
    ("read_paper", {"paper": SHORT_TEXT_ID}, "ok"),
    ("read_paper", {"paper": LONG_TEXT_ID}, "ok"),
    ("read_paper", {"paper": NO_TEXT_ID}, "no_markdown"),
    ("read_paper", {"paper": LONG_TEXT_ID, "cursor": "x.y"}, "cursor_invalid"),
    ("list_papers", {}, "ok"),
    ("list_papers", {"search": "-foo", "order_by": "citation_count", "include_resources": True}, "ok"),
    ("list_papers", {"authors": [NAMESAKE]}, "ambiguous"),
    ("list_papers", {"page": 99}, "ok"),
    ("list_recent_papers", {"limit": 25}, "ok"),
    ("list_trending_papers", {"max_age_days": 365}, "ok"),
    ("list_trending_papers", {"min_velocity": 0.5}, "ok"),
    ("get_related_papers", {"paper": LONG_TEXT_ID, "limit": 20}, "ok"),
    ("get_paper_lineage", {"paper": OLD_STYLE_ID}, "ok"),
    ("get_task", {"task": BUSY_TASK}, "ok"),
    ("get_task", {"task": "Überraschung—未分類"}, "ok"),
    ("get_task", {"task": "Segmentation"}, "ambiguous"),
    ("list_tasks", {"group_by_area": True, "limit": 25}, "ok"),
    ("list_tasks", {"area": "no such area"}, "not_found"),
    ("get_method", {"method": "QuillNet"}, "ok"),
    ("list_methods", {"introduced_year": 2019, "order_by": "paper_count", "order_direction": "desc"}, "ok"),
    ("get_conference", {"conference": "fog-2022"}, "ok"),
    ("list_conferences", {"year": 2021}, "ok"),
    ("get_organization", {"organization": "Lighthouse Institute"}, "ok"),
    ("list_organizations", {"featured_only": True}, "ok"),
    ("get_framework", {"framework": "Framework 00"}, "ok"),
    ("list_frameworks", {"platform": "linux", "page": 2, "limit": 10}, "ok"),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK}, "ok"),
    ("get_benchmark", {"benchmark": SPELLING_BENCHMARK, "sort_metric": f"{ODD_METRIC}:asc"}, "ok"),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK, "max_parameters": "3B", "is_open": True, "limit": 25}, "ok"),
    ("get_benchmark", {"benchmark": BIG_BENCHMARK, "require_metrics": ["no such metric"]}, "invalid_argument"),
    ("get_benchmark", {"benchmark": NUMBER_BENCHMARK, "max_parameters": "1B"}, "unavailable"),
    ("list_benchmarks", {"task": BUSY_TASK, "page": 3}, "ok"),
    ("list_benchmarks", {"group_by_area": True, "search": "board"}, "ok"),
    ("list_benchmarks", {"max_results": 3}, "invalid_argument"),
]
ASKED = pytest.mark.parametrize(
    ("tool", "arguments", "ending"), CALLS, ids=[f"{position}-{call[0]}" for position, call in enumerate(CALLS)]
)


@pytest.fixture(scope="module", params=DISPATCHERS)
def url(odd_directory: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    with serve_catalog(odd_directory, request.param) as served:
        yield served


@pytest.fixture(scope="module")
def client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url) as made:
        yield made


def call(client: httpx.Client, tool: str, arguments: dict[str, Any], version: str) -> dict[str, Any]:
    params: dict[str, Any] = {"name": tool, "arguments": arguments}
    sent = {"mcp-protocol-version": version}
    if version == MODERN:
        envelope = {"protocolVersion": MODERN, "clientCapabilities": {}}
        params["_meta"] = {f"io.modelcontextprotocol/{key}": value for key, value in envelope.items()}
        sent |= {"mcp-method": "tools/call", "mcp-name": tool}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp", json=body, headers=sent)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["result"]
    return found


def test_every_tool_is_asked_more_than_for_its_defaults() -> None:
    counted = Counter(tool for tool, _, ending in CALLS if ending == "ok")
    assert set(counted) == {tool.name for tool in TOOLSET.tools}


@ASKED
def test_a_call_is_answered_alike_in_every_version(
    client: httpx.Client, tool: str, arguments: dict[str, Any], ending: str
) -> None:
    # hosting A32, catalog A10, A15, A16
    modern = call(client, tool, arguments, MODERN)
    assert modern.pop("resultType") == "complete"
    del modern["_meta"][SERVER_INFO_KEY]
    if not modern["_meta"]:
        del modern["_meta"]
    for version in ("2025-11-25", "2024-11-05"):
        assert call(client, tool, arguments, version) == modern
    if ending == "ok":
        assert not modern["isError"]
        Draft202012Validator(SCHEMAS[tool]).validate(modern["structuredContent"])
    else:
        assert modern["isError"]
        assert "structuredContent" not in modern
        assert modern["_meta"]["org.paperdesk/error"]["code"] == ending
        assert modern["content"][0]["text"].startswith(f"{ending}: ")


async def test_the_protocols_own_client_gets_the_same_in_every_mode(url: str) -> None:
    # hosting A39 (part)
    gathered = []
    for mode in ("legacy", "auto", MODERN):
        async with Client(f"{url}/mcp", mode=mode) as client:
            answers = [await client.call_tool(tool, arguments) for tool, arguments, _ in CALLS]
        gathered.append(
            [(found.is_error, found.structured_content, [part.text for part in found.content]) for found in answers]
        )
    assert gathered[0] == gathered[1] == gathered[2]
