"""What a call of this family costs its caller: 1, and a batch its number of items (references contract, section 3)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.references import TOOLSET
from tests.server.live import serve_catalog

BOUND = BoundToolset(TOOLSET, None, clock=ManualClock())
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
BIB = """
@string{x = {y}}
@comment{none}
@misc{one, eprint = {1706.03762}}
  @misc{two, eprint = {1810.04805}}
"""


@pytest.mark.parametrize(
    ("name", "arguments", "cost"),
    [
        ("fetch_paper", {"ref": "1706.03762"}, 1),
        ("bibtex_export", {"refs": ["1706.03762"] * 9}, 1),
        ("batch_fetch", {"refs": ["1706.03762"] * 9}, 9),
        ("batch_fetch", {"refs": '["1706.03762", "1810.04805"]'}, 2),
        ("batch_fetch", {"refs": []}, 1),
        ("batch_fetch", {"refs": ["1706.03762"] * 100}, 100),
        # What is refused for its form or size has no items.
        ("batch_fetch", {"refs": ["1706.03762"] * 101}, 1),
        ("batch_fetch", {"refs": "1706.03762"}, 1),
        ("batch_fetch", {"refs": 7}, 1),
        ("batch_fetch", None, 1),
        ("batch_resolve_citations", {"queries": ["a b"] * 50}, 50),
        ("batch_resolve_citations", {"queries": ["a b"] * 51}, 1),
        ("batch_from_bibliography", {"content": BIB}, 2),
        ("batch_from_bibliography", {"content": BIB, "format": "BibLaTeX"}, 2),
        ("batch_from_bibliography", {"content": '[{"DOI": "10.1/x"}, {}, {}]', "format": None}, 3),
        ("batch_from_bibliography", {"content": '[{"DOI": "10.1/x"'}, 1),
        ("batch_from_bibliography", {"content": '{"DOI": "10.1/x"}'}, 1),
        ("batch_from_bibliography", {"content": "1706.03762\n\n# two\n1810.04805\n", "format": "refs"}, 2),
        ("batch_from_bibliography", {"content": "1706.03762\n" * 900}, 100),
        ("batch_from_bibliography", {"content": "1706.03762\n" * 100_000}, 1),
        ("batch_from_bibliography", {"content": "1706.03762", "format": "pdf"}, 1),
        ("batch_from_bibliography", {"content": ["1706.03762"]}, 1),
        ("no_such_tool", {"refs": ["1706.03762"] * 9}, 1),
    ],
)
def test_a_batch_costs_its_number_of_items_and_any_other_call_one(name: str, arguments: Any, cost: int) -> None:
    assert BOUND.cost_of(f"doiget_{name}", arguments) == cost


@pytest.fixture(scope="module", params=["sdk", "lean"])
def client(sample_directory: Path, request: pytest.FixtureRequest) -> Iterator[httpx.Client]:
    with serve_catalog(sample_directory, request.param, per_minute=10) as url, httpx.Client(base_url=url) as opened:
        yield opened


def batch(client: httpx.Client, size: int) -> httpx.Response:
    params = {"name": "doiget_batch_fetch", "arguments": {"refs": ["1706.03762"] * size}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return client.post("/mcp/references", json=body, headers=JSON)


def test_a_batch_that_exceeds_what_is_left_is_429_and_a_smaller_one_passes(client: httpx.Client) -> None:
    answer = batch(client, 6)
    assert (answer.status_code, answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]) == (
        200,
        "10",
        "4",
    )
    assert len(answer.json()["result"]["structuredContent"]["results"]) == 6
    refused = batch(client, 5)
    assert (refused.status_code, refused.headers["retry-after"], refused.headers["ratelimit-remaining"]) == (
        429,
        "60",
        "4",
    )
    assert refused.json()["error"] == "rate_limit_exceeded"
    assert (refused.json()["budget"], refused.json()["limit"], refused.json()["retry_after_s"]) == (
        "per_minute",
        10,
        60,
    )
    assert batch(client, 4).headers["ratelimit-remaining"] == "0"


def test_a_batch_larger_than_the_budget_takes_the_whole_of_it(sample_directory: Path) -> None:
    with serve_catalog(sample_directory, per_minute=10) as url, httpx.Client(base_url=url) as client:
        answer = batch(client, 100)
        assert (answer.status_code, answer.headers["ratelimit-remaining"]) == (200, "0")
        assert len(answer.json()["result"]["structuredContent"]["results"]) == 100
        assert batch(client, 1).status_code == 429
