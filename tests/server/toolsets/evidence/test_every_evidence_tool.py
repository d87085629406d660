"""What holds for all ten tools: examples are answered, answers fit their schema and size, and none of them is null."""

from typing import Any

import jsonschema
import orjson
import pytest

from core.clock import ManualClock
from server.registry import BoundToolset
from server.toolsets.connector import TOOLSET as CONNECTOR
from server.toolsets.evidence import TOOLSET as EVIDENCE
from tests.evidence_room import Folder
from tests.evidence_tools import Json, Tools

pytestmark = pytest.mark.anyio
EVERY = [*EVIDENCE.tools, *CONNECTOR.tools]
DEFAULT_BYTES = 32_000
ANY_BYTES = 60_000


def schema_of(tools: Tools, name: str) -> Json:
    listed = [*tools.evidence.tools_list, *tools.connector.tools_list]
    found: Json = next(tool["outputSchema"] for tool in listed if tool["name"] == name)
    return found


def nulls(value: Any) -> bool:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(nulls, inside))


CALLS: list[tuple[str, Json]] = [
    *[(tool.name, dict(tool.example or {})) for tool in EVERY],
    ("search_claims", {"query": "novice workers gain", "limit": 50}),
    ("search_claims", {"query": "nothing zzyzx of qwertyuiop kind", "evidence_grade": "high"}),
    ("search_claims", {"direction": "null_result"}),
    ("search_papers", {"limit": 50}),
    ("search_papers", {"query": "10.1126/science.adh2586"}),
    ("search_papers", {"theme": "productivity", "year_from": 2020, "min_relevance": 5}),
    ("find_authors", {}),
    ("get_author_papers", {"author_name": "Acemoglu"}),
    ("semantic_search", {"query": "beginners gain the most", "search_type": "claims", "limit": 20}),
    ("get_paper", {"paper_id": "arxiv:1706.03762"}),
    ("list_digests", {"limit": 50}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
async def test_an_answer_fits_its_schema_and_its_size(tools: Tools, name: str, arguments: Json) -> None:
    # evidence A3, A41
    outcome = await tools.call(name, arguments)
    assert outcome.structured is not None, outcome.texts
    jsonschema.Draft202012Validator(schema_of(tools, name)).validate(outcome.structured)
    assert not nulls(outcome.structured)
    assert outcome.texts[0].encode() == outcome.encoded and len(outcome.encoded) <= ANY_BYTES


@pytest.mark.parametrize("tool", EVIDENCE.tools, ids=lambda tool: tool.name)
async def test_a_deployment_without_evidence_says_so(alone: Tools, tool: Any) -> None:
    # evidence A58
    text = await alone.bad(tool.name, **tool.example)
    assert text.startswith("unavailable: This deployment has no evidence set.")


async def test_every_listed_digest_is_given_as_it_was_written(tools: Tools) -> None:
    # evidence A47
    for date in (await tools.good("list_digests", limit=50))["dates"]:
        digest = await tools.good("get_digest", date=date)
        assert digest["date"] == date and len(digest["markdown"].encode()) == digest["bytes"]


@pytest.fixture(scope="module")
def largest(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Papers and claims whose every text is as long as can be, in characters of three bytes."""
    root = tmp_path_factory.mktemp("largest")
    folder = Folder(root)
    for number in range(60):
        paper_id = f"10.5555/p{number}"
        folder.paper(
            f"p{number}",
            f"研究 {number} " + "題" * 700,
            doi=paper_id,
            authors=[f"著者 {each} " + "名" * 150 for each in range(30)],
            abstract="要約" * 4_000,
        )
        folder.assess(
            f"doi:{paper_id}",
            themes=["productivity", "adoption"],
            takeaway="結果" * 600,
            summary_markdown="概要" * 4_000,
            rationale="理由" * 1_000,
        )
        for each in range(3):
            text = f"主張 {number} {each} " + "文" * 1_900
            folder.claim(number * 3 + each + 1, f"doi:{paper_id}", text, evidence_basis="根拠" * 500)
    for number in range(8):
        person = {"author_id": number + 1, "display_name": f"長名{'人' * 3_000}{number}", "paper_ids": ["10.5555/p1"]}
        folder.authors.append(person)
    folder.digests["2026-04-03"] = "# " + "字" * 9_000
    room = folder.opened(root / "catalog")
    clock = ManualClock()
    yield Tools(BoundToolset(EVIDENCE, room.desk, clock=clock), BoundToolset(CONNECTOR, room.connector, clock=clock))
    room.close()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("find_authors", {"query": "犬名人人人人人人人人人"}),
        ("get_author_papers", {"author_id": "name:犬名人人人人人人人人人"}),
        ("get_paper", {"paper_id": "研究"}),
        ("get_digest", {"date": "2026-04-04"}),
    ],
)
async def test_what_is_offered_instead_is_short_on_the_worst_corpus(largest: Tools, name: str, arguments: Json) -> None:
    # evidence A41
    outcome = await largest.call(name, arguments)
    told = outcome.encoded if outcome.structured else orjson.dumps([outcome.texts, outcome.meta])
    assert "…" in told.decode() and len(told) <= 8_000


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_claims", {}),
        ("search_claims", {"query": "主張"}),
        ("search_papers", {}),
        ("search_papers", {"query": "研究"}),
        ("find_authors", {}),
        ("find_authors", {"query": "長名人"}),
        ("get_author_papers", {"author_name": "長名人"}),
        ("get_paper", {"paper_id": "10.5555/p1"}),
        ("get_digest", {"date": "2026-04-03"}),
        ("search", {"query": "研究"}),
        ("fetch", {"id": "10.5555/p1"}),
    ],
)
async def test_no_answer_is_over_its_size_on_the_worst_corpus(largest: Tools, name: str, arguments: Json) -> None:
    # evidence A41
    outcome = await largest.call(name, arguments)
    assert outcome.structured is not None, outcome.texts
    assert len(outcome.encoded) <= DEFAULT_BYTES
    if "results" in outcome.structured and "limit" in outcome.structured:
        shown = outcome.structured["returned"]
        assert shown >= 1 and outcome.structured["has_more"] is (outcome.structured["total"] > shown)
        more = await largest.call(name, {**arguments, "limit": 50})
        assert len(more.encoded) <= ANY_BYTES
        assert orjson.loads(more.encoded)["total"] == outcome.structured["total"]
