"""Searches by meaning are metered: reserved before dispatch, owed only when the embedder was reached (contract 1.4)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import anyio
import httpx
import pytest

from core.clock import ManualClock
from core.ingest.build import BuildOptions, build_catalog
from server.bootstrap import open_embedder
from server.sample import sample_sources
from tests.conftest import SAMPLE
from tests.embedding_service import EmbeddingService, embedding_service
from tests.evidence_service import MODERN, NOON_S, Served, served

pytestmark = pytest.mark.anyio
WIDE = {"limit_per_minute": "10000", "limit_concurrent": "50", "toolsets": "evidence"}


@pytest.fixture(scope="module")
def embedder() -> Iterator[EmbeddingService]:
    with embedding_service() as made:
        yield made


@pytest.fixture(autouse=True)
def in_order(embedder: EmbeddingService) -> None:
    """Whatever a test told the embedder is forgotten."""
    embedder.status, embedder.body = 200, None
    embedder.headers.clear()
    embedder.may_answer.set()
    embedder.asked.clear()
    embedder.keys.clear()


@pytest.fixture(scope="module")
def directory(embedder: EmbeddingService, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, its vectors made by the embeddings service."""
    out = tmp_path_factory.mktemp("metered") / "catalog"
    options = BuildOptions(clock=ManualClock(NOON_S), embedder=open_embedder(embedder.setting))
    build_catalog(sample_sources(SAMPLE), out, options=options, progress=None)
    return out


@pytest.fixture
async def desk(directory: Path, embedder: EmbeddingService) -> AsyncIterator[Served]:
    async with served(directory, embedder=embedder.setting, embedder_key="sk-planted", **WIDE) as made:
        yield made


def left(answer: httpx.Response) -> tuple[str, str]:
    return answer.headers["ratelimit-limit"], answer.headers["ratelimit-remaining"]


def refused(answer: httpx.Response) -> tuple[int, str, int]:
    body = answer.json()
    assert body["error"] == "rate_limit_exceeded"
    assert answer.headers["retry-after"] == str(body["retry_after_s"])
    assert left(answer) == (str(body["limit"]), "0")
    return answer.status_code, body["budget"], body["retry_after_s"]


async def test_the_embedder_gets_the_query_and_the_operators_key(desk: Served, embedder: EmbeddingService) -> None:
    answer = (await desk.seek("Does AI help novices?")).json()["result"]
    assert answer["structuredContent"]["total"] > 0 and "degraded" not in answer["structuredContent"]
    assert embedder.asked == [{"model": "bag-of-words", "input": ["Does AI help novices?"], "encoding_format": "float"}]
    assert embedder.keys == ["Bearer sk-planted"]


async def test_the_seventh_in_a_minute_is_429(desk: Served) -> None:
    # evidence A15
    answers = [await desk.seek(f"question {number}") for number in range(6)]
    assert [(answer.status_code, left(answer)) for answer in answers] == [
        (200, ("6", str(5 - number))) for number in range(6)
    ]
    assert refused(await desk.seek("one more")) == (429, "semantic_per_minute", 60)
    # Another budget is as it was, and what costs nothing goes on.
    assert (await desk.call("list_digests")).status_code == 200
    desk.clock.advance(60)
    assert (await desk.seek("one more")).status_code == 200


async def test_of_ten_at_once_six_pass(desk: Served, embedder: EmbeddingService) -> None:
    # evidence A15
    embedder.may_answer.clear()
    found: list[int] = []

    async def one(number: int) -> None:
        found.append((await desk.seek(f"at once {number}")).status_code)
        if found.count(429) == 4:
            embedder.may_answer.set()

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(one, number)
    assert (found.count(200), found.count(429)) == (6, 4)
    assert len(embedder.asked) == 6


async def test_the_fifty_first_of_a_day_is_429_until_midnight(directory: Path, embedder: EmbeddingService) -> None:
    # evidence A16
    settings = {**WIDE, "limit_semantic_per_minute": "10000", "embedder": embedder.setting}
    async with served(directory, **settings) as desk:
        codes = [(await desk.seek(f"today {number}")).status_code for number in range(50)]
        assert codes == [200] * 50
        to_midnight_s = int(86_400 - NOON_S % 86_400)
        assert refused(await desk.seek("too many")) == (429, "semantic_daily", to_midnight_s)
        desk.clock.advance(to_midnight_s)
        assert (await desk.seek("too many")).status_code == 200


async def test_what_does_not_reach_the_embedder_costs_nothing(desk: Served, embedder: EmbeddingService) -> None:
    # evidence A17
    for _ in range(8):
        bad = await desk.call("semantic_search", {"query": "x", "limit": 99})
        assert (bad.json()["result"]["isError"], left(bad)) == (True, ("6", "6"))
    assert left(await desk.seek("the same words")) == ("6", "5")
    for spelling in ("the same words", "The  SAME words!"):
        assert left(await desk.seek(spelling)) == ("6", "5")
    assert len(embedder.asked) == 1


async def test_a_catalog_without_vectors_costs_nothing(sample_with_evidence: Path, embedder: EmbeddingService) -> None:
    # evidence A17, A51
    async with served(sample_with_evidence, embedder=embedder.setting, **WIDE) as desk:
        for _ in range(8):
            answer = await desk.seek("does AI help")
            content = answer.json()["result"]["structuredContent"]
            assert (content["degraded"], content["results"], content["total"]) == ("no_vectors", [], 0)
            assert left(answer) == ("6", "6")
    assert embedder.asked == []


async def test_without_an_embedder_nothing_is_charged(directory: Path) -> None:
    async with served(directory, embedder="none", **WIDE) as desk:
        answer = await desk.seek("does AI help")
        assert answer.json()["result"]["structuredContent"]["degraded"] == "no_embedder"
        assert left(answer) == ("6", "6")


async def test_a_refused_connection_costs_nothing(directory: Path) -> None:
    # evidence A17
    with embedding_service() as gone:
        setting = gone.setting
    async with served(directory, embedder=setting, **WIDE) as desk:
        answer = await desk.seek("does AI help")
        assert answer.json()["result"]["content"][0]["text"].startswith("upstream_error: ")
        assert left(answer) == ("6", "6")


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (500, b"planted upstream text", "upstream_error"),
        (200, b"planted upstream text", "upstream_error"),
        (200, b'{"data":[{"index":0,"embedding":[1,2]}]}', "upstream_error"),
        (401, b"planted upstream text", "upstream_error"),
        (429, b"planted upstream text", "rate_limited"),
    ],
)
async def test_an_embedder_that_was_reached_and_failed_costs_one(
    desk: Served, embedder: EmbeddingService, status: int, body: bytes, code: str
) -> None:
    # evidence A17
    embedder.status, embedder.body = status, body
    embedder.headers["Retry-After"] = "7"
    answer = await desk.seek("does AI help")
    result = answer.json()["result"]
    assert result["isError"] is True and "structuredContent" not in result
    assert result["content"][0]["text"].startswith(f"{code}: ") and b"planted" not in answer.content
    error = result["_meta"]["org.paperdesk/error"]
    assert (error["retryable"], error.get("retry_after_s")) == (True, 7.0 if code == "rate_limited" else None)
    assert left(answer) == ("6", "5")


async def test_a_header_that_names_another_tool_does_not_help(desk: Served) -> None:
    # evidence A18
    other = {"mcp-name": "search_papers"}
    answers = [await desk.seek(f"question {number}", headers=other) for number in range(7)]
    assert [answer.status_code for answer in answers] == [200] * 6 + [429]


async def test_a_modern_request_whose_header_names_another_tool_is_refused(desk: Served) -> None:
    # evidence A18
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "semantic_search", "arguments": {"query": "x"}, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "search_papers"}
    answer = await desk.post(body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)
    answer = await desk.post(body, headers={**headers, "mcp-name": "semantic_search"})
    assert (answer.status_code, left(answer)) == (200, ("6", "5"))


async def test_two_callers_have_budgets_of_their_own_and_the_catalogs_is_another(desk: Served) -> None:
    # evidence A14
    for number in range(6):
        await desk.seek(f"question {number}")
    assert (await desk.seek("mine")).status_code == 429
    assert (await desk.seek("theirs", peer="203.0.113.10")).status_code == 200
