"""One built catalog through a directory and through its own `/api/v1`: every tool says the same (catalog A85)."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import SystemClock
from core.http.client import HttpClient
from core.http.upstream import Upstream
from tests.catalog_desk import Desk, Json
from tests.live_api import serve_api
from tests.odd_catalog import BUSY_TASK
from tests.odd_papers import DOI_TEXT_DOI, EXTERNAL_ID, NAMESAKE_IDS, NO_TEXT_ID, TWIN_TITLE


@pytest.fixture(scope="module")
def odd_url(odd_directory: Path) -> Iterator[str]:
    with serve_api(odd_directory) as url:
        yield url


@pytest.fixture(scope="module")
async def odd_far(odd_url: str) -> AsyncIterator[Desk]:
    """The catalog of odd cases behind its own API."""
    clock = SystemClock()
    client = HttpClient(user_agent="paperdesk/test")
    backend = UpstreamCatalog(Upstream(client, odd_url, source="catalog", clock=clock), clock)
    await backend.ping()
    yield Desk(backend)
    await client.aclose()


CALLS: list[tuple[str, Json]] = [
    ("get_benchmark", {"benchmark": "LRC"}),
    ("get_benchmark", {"benchmark": "no such board"}),
    ("list_trending_papers", {"max_age_days": 365, "min_velocity": 0.5}),
    ("search_papers", {"query": "lantern"}),
    ("search_papers", {"query": "lantern", "mode": "keyword", "limit": 25, "published_after": "2020-01-01"}),
    ("search_papers", {"query": "lantern", "mode": "semantic"}),
    ("search_papers", {"query": "tide", "page": 99}),
    ("search_papers", {"query": DOI_TEXT_DOI, "has_official_implementation": True}),
    ("get_paper_info", {"paper": "1905.90001"}),
    ("get_paper_info", {"paper": "1905.90001", "include_resources": True, "include_evaluations": True}),
    ("get_paper_info", {"paper": DOI_TEXT_DOI}),
    ("get_paper_info", {"paper": "PMID:8923456"}),
    ("get_paper_info", {"paper": EXTERNAL_ID}),
    ("get_paper_info", {"paper": "paperswithcode.com/paper/quillfish"}),
    ("get_paper_info", {"paper": "Slow-Wave Attention - Dont Blink"}),
    ("get_paper_info", {"paper": TWIN_TITLE}),
    ("get_paper_info", {"paper": "2401.00000"}),
    ("get_paper_evaluations", {"paper": "2403.90002"}),
    ("get_paper_evaluations", {"paper": "Sparse Lantern Tracking No. 0"}),
    ("read_paper", {"paper": "1905.90001"}),
    ("read_paper", {"paper": NO_TEXT_ID}),
    ("read_paper", {"paper": "math.GT/0309136"}),
    ("list_papers", {}),
    ("list_papers", {"task": BUSY_TASK, "include_resources": True, "limit": 25}),
    ("list_papers", {"authors": [NAMESAKE_IDS[0]], "search": "lantern"}),
    ("list_papers", {"authors": ["@adaq"]}),
    ("list_papers", {"conference": "fog-2021", "order_by": "citation_count", "order_direction": "asc"}),
    ("list_papers", {"method": "no such method"}),
    ("list_papers", {"all_versions": True, "published_before": "2020-12-31", "page": 2}),
    ("list_papers", {"page": 90}),
    ("list_recent_papers", {"limit": 25}),
    ("list_trending_papers", {"max_age_days": 365, "min_velocity": 0.5, "limit": 25}),
    ("get_related_papers", {"paper": "2506.90000", "limit": 20}),
    ("get_paper_lineage", {"paper": "1905.90001"}),
    ("get_task", {"task": BUSY_TASK}),
    ("get_task", {"task": "lantern-tracking-part-0", "benchmark_limit": 1}),
    ("get_task", {"task": "lt"}),
    ("list_tasks", {"group_by_area": True, "order_by": "paper_count", "order_direction": "desc", "page": 2}),
    ("list_tasks", {"search": "lantern", "area": "Computer Vision", "level": 1, "visible_only": True}),
    ("get_method", {"method": "quill network"}),
    ("list_methods", {"area": "12", "order_by": "introduced_year", "order_direction": "desc"}),
    ("get_conference", {"conference": "fog-2022"}),
    ("get_conference", {"conference": "Fog and Harbour"}),
    ("list_conferences", {"year": 2022}),
    ("get_organization", {"organization": "Lighthouse Institute"}),
    ("list_organizations", {"featured_only": True}),
    ("get_framework", {"framework": "framework-00"}),
    ("list_frameworks", {"domain": "Vision Kits", "platform": "web"}),
    ("list_frameworks", {}),
    ("get_benchmark", {"benchmark": "Lantern Reading", "page": 2}),
    ("get_benchmark", {"benchmark": "2048"}),
    ("get_benchmark", {"benchmark": "Wide Board", "limit": 25}),
    ("get_benchmark", {"benchmark": "Lantern Reading", "max_parameters": "1B", "is_open": True}),
    ("list_benchmarks", {"group_by_area": True, "benchmarks_per_task": 10}),
    ("list_benchmarks", {"task": BUSY_TASK, "page": 2}),
    ("list_benchmarks", {"search": "lantern", "order_by": "paper_count", "order_direction": "desc"}),
    ("list_benchmarks", {"area": "Speech"}),
]


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
async def test_a_tool_says_the_same_through_http(odd: Desk, odd_far: Desk, tool: str, arguments: Json) -> None:
    near, far = await odd.call(tool, **arguments), await odd_far.call(tool, **arguments)
    assert (far.code, far.is_error) == (near.code, near.is_error)
    if near.structured is None or far.structured is None:
        assert far.structured is near.structured is None
        return
    passing = {"notes", "next_cursor", "cursor_expires_at"}
    expected = {name: value for name, value in near.structured.items() if name not in passing}
    assert {name: value for name, value in far.structured.items() if name not in passing} == expected
