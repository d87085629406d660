"""The references endpoint through a real service and both dispatchers: arguments and failures are the family's own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import SystemClock
from core.http.client import HttpClient
from core.http.upstream import Upstream
from server.toolsets.references import TOOLSET
from tests.live_api import serve_api
from tests.references_desk import ALL_OFF, tools_over
from tests.server.live import serve_catalog
from tests.server.toolsets.references.test_surface import NAMES, NOT_OPEN

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module", params=["sdk", "lean"])
def client(sample_directory: Path, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    with serve_catalog(sample_directory, request.param) as url, httpx.Client(base_url=url) as opened:
        yield opened


def call(client: httpx.Client, name: str, arguments: Any) -> Any:
    params = {"name": name, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp/references", json=body, headers=JSON)
    assert answer.status_code == 200
    return answer.json()


# references A3, A4, A14
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("doiget_info", {"ref": 12345}, "INVALID_REF"),
        ("doiget_info", {"ref": "1706.03762", "dry_run": True}, "INVALID_REF"),
        ("doiget_info", {"ref": True}, "INVALID_REF"),
        ("doiget_tag", {"ref": "1706.03762", "add": ["x"]}, "CAPABILITY_DENIED"),
        ("doiget_resolve_paper", {"ref": "10.1038/nature99999"}, "CAPABILITY_DENIED"),
        ("doiget_list_recent", {"limit": "1e4"}, "INVALID_REF"),
    ],
)
def test_a_failure_of_the_family_is_a_result(
    client: httpx.Client, name: str, arguments: dict[str, Any], code: str
) -> None:
    result = call(client, name, arguments)["result"]
    assert result["isError"] is False
    assert (result["structuredContent"]["ok"], result["structuredContent"]["error"]["code"]) == (False, code)
    assert result["content"][0]["text"].startswith(f"{code}: ")


def test_a_good_answer_comes_whole(client: httpx.Client) -> None:
    result = call(client, "doiget_resolve_paper", {"ref": "https://arxiv.org/abs/1706.03762"})["result"]
    assert result["isError"] is False
    assert result["structuredContent"]["work"]["title"] == "Attention Is All You Need"


# references A1
def test_the_endpoint_lists_twenty_tools_in_the_order_of_the_contract_with_their_hints(client: httpx.Client) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    tools = client.post("/mcp/references", json=body, headers=JSON).json()["result"]["tools"]
    assert [tool["name"] for tool in tools] == [f"doiget_{name}" for name in NAMES]
    assert len(tools) == 20
    for tool in tools:
        short = tool["name"].removeprefix("doiget_")
        assert tool["title"].lower().split()[0] == short.split("_")[0]
        assert tool["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": short not in NOT_OPEN,
        }


# references A1
def test_a_name_that_is_none_is_an_error_of_the_protocol(client: httpx.Client) -> None:
    assert call(client, "doiget_delete", {})["error"]["code"] == -32602


@pytest.fixture(scope="module")
def far_url(sample_directory: Path) -> Iterator[str]:
    with serve_api(sample_directory) as url:
        yield url


async def test_a_catalog_behind_the_network_is_searched_and_read_too(far_url: str) -> None:
    clock = SystemClock()
    http = HttpClient(user_agent="paperdesk/test")
    backend = UpstreamCatalog(Upstream(http, far_url, source="catalog", clock=clock), clock)
    await backend.ping()
    async with tools_over(backend, ALL_OFF) as far:
        found = await far.good("search_local", query="attention is ALL")
        assert [row["title"] for row in found["results"]] == ["Attention Is All You Need"]
        assert (await far.good("resolve_paper", ref="1706.03762"))["source"] == "catalog"
        assert (await far.good("paper_text", ref="1706.03762"))["source"] == "catalog"
        assert (await far.bad("resolve_paper", ref="10.1038/nature99999"))["code"] == "CAPABILITY_DENIED"
        for tool in TOOLSET.tools:
            outcome = await far.bound.call(tool.name, tool.example)
            assert outcome.structured is not None and outcome.code in (None, "CAPABILITY_DENIED"), outcome.structured
    await http.aclose()
