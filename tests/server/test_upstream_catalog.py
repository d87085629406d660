"""The service over a catalog behind HTTP: opened by its address, ready when it answers, in time or not at all."""

from collections.abc import AsyncIterator

import pytest

from core.clock import SystemClock
from core.errors import SettingsError
from server.app import Service
from server.bootstrap import compose, open_catalog
from server.documents import health
from server.registry import ToolOutcome
from server.settings import parse_settings
from tests.scripted_upstream import ScriptedUpstream, answer, drip, page, scripted

ROW = {"id": 7, "title": "A Paper", "arxiv_id": "2401.00001"}


@pytest.fixture
async def upstream() -> AsyncIterator[ScriptedUpstream]:
    async with scripted() as served:
        yield served


@pytest.fixture
async def service(upstream: ScriptedUpstream, request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    """The services over the upstream; a parameter is the deadline of a call in seconds."""
    deadline_s = getattr(request, "param", "25")
    settings = parse_settings({"PAPERDESK_CATALOG_URL": upstream.url, "PAPERDESK_CATALOG_TIMEOUT_S": deadline_s})
    composed = compose(settings, open_catalog(settings), SystemClock())
    yield composed
    for close in reversed(composed.closers):
        await close()


async def call(service: Service, name: str, **arguments: object) -> ToolOutcome:
    return await service.toolsets[0].call(name, arguments)


async def test_the_service_is_ready_once_the_catalog_answers(upstream: ScriptedUpstream, service: Service) -> None:
    assert service.readiness.reason() == "starting"
    assert not await service.readiness.probe_once()
    assert health(service.readiness, service.facts, service.drain).status == 503
    upstream.scripts["tasks/"] = answer(page([], 0))
    assert await service.readiness.probe_once()
    ready = health(service.readiness, service.facts, service.drain)
    assert ready.status == 200
    assert b'"backend":"http"' in ready.body


async def test_what_was_read_is_not_read_again(upstream: ScriptedUpstream, service: Service) -> None:
    upstream.scripts["papers/2401.00001"] = answer(ROW)
    for _ in range(3):
        outcome = await call(service, "get_paper_info", paper="arxiv.org/abs/2401.00001v2")
        assert outcome.structured is not None and outcome.structured["paper"]["title"] == "A Paper"
    assert upstream.calls()["papers/2401.00001"] == 1


# catalog A20
@pytest.mark.parametrize("service", ["1"], indirect=True)
async def test_an_upstream_that_drips_past_the_deadline_is_a_timeout(
    upstream: ScriptedUpstream, service: Service
) -> None:
    upstream.scripts["papers/2401.00001"] = drip
    outcome = await call(service, "get_paper_info", paper="2401.00001")
    assert (outcome.code, outcome.ending) == ("upstream_timeout", "failed"), "the request gives up before the tool"


# catalog A18
async def test_an_upstreams_words_reach_neither_result_nor_log(
    upstream: ScriptedUpstream, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "paperdesk")
    upstream.scripts["papers/"] = answer(b"SECRET", 500)
    outcome = await call(service, "list_papers")
    assert outcome.meta == {"org.paperdesk/error": {"code": "upstream_error", "retryable": True}}
    assert "SECRET" not in "".join(outcome.texts) + caplog.text


# catalog A19
async def test_a_rate_limit_says_how_long_to_wait(upstream: ScriptedUpstream, service: Service) -> None:
    upstream.scripts["papers/"] = answer(b"", 429, {"retry-after": "7"})
    outcome = await call(service, "list_papers")
    assert outcome.meta == {"org.paperdesk/error": {"code": "rate_limited", "retryable": True, "retry_after_s": 7.0}}


# catalog A54
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"area": "11", "search": "x"}, ("area", "search")),
        ({"area": "11", "order_by": "name"}, ("area", "order_by")),
        ({"group_by_area": True, "search": "x"}, ("group_by_area", "search")),
        ({"group_by_area": True, "task": "5", "is_open": True}, ("group_by_area", "task and is_open")),
    ],
)
async def test_combinations_that_no_api_takes_are_refused_by_name_without_asking(
    upstream: ScriptedUpstream, service: Service, arguments: dict[str, object], named: tuple[str, str]
) -> None:
    outcome = await call(service, "list_benchmarks", **arguments)
    assert outcome.code == "invalid_argument"
    assert f"cannot combine {named[0]} with {named[1]}" in outcome.texts[0]
    assert upstream.asked == []


def test_plain_http_is_for_loopback_only() -> None:
    with pytest.raises(SettingsError):
        parse_settings({"PAPERDESK_CATALOG_URL": "http://catalog.example.org/api/v1"})
    with pytest.raises(SettingsError, match="PAPERDESK_PUBLIC_METADATA"):
        parse_settings({"PAPERDESK_PUBLIC_METADATA": "maybe"})


async def test_results_of_a_catalog_that_tells_no_count_leave_it_out(
    upstream: ScriptedUpstream, service: Service
) -> None:
    upstream.scripts["papers/"] = answer({"items": [ROW], "next_page": 2})
    outcome = await call(service, "list_papers")
    assert outcome.structured is not None
    assert ("count" in outcome.structured, outcome.structured["next_page"]) == (False, 2)
    assert outcome.structured["notes"] == ["The source does not tell how many rows there are."]


@pytest.mark.parametrize("number", [b"1e300", b"-1e300", b"18446744073709551615", b"1000000000000000000"])
async def test_a_number_that_no_catalog_counts_to_is_missing(
    upstream: ScriptedUpstream, service: Service, number: bytes
) -> None:
    row = b'{"id": 7, "title": "A Paper", "arxiv_id": "2401.00001", "author_count": N, "citation_count": N}'
    upstream.scripts["papers/"] = answer(b'{"results": [' + row.replace(b"N", number) + b'], "count": ' + number + b"}")
    outcome = await call(service, "list_papers")
    assert outcome.structured is not None, outcome.texts
    assert [item["title"] for item in outcome.structured["items"]] == ["A Paper"]
    assert "count" not in outcome.structured and "citation_count" not in outcome.structured["items"][0]


@pytest.mark.parametrize("listing", [("list_papers", "papers/"), ("list_methods", "methods/")])
async def test_a_page_of_nothing_readable_is_empty_and_says_so(
    upstream: ScriptedUpstream, service: Service, listing: tuple[str, str]
) -> None:
    tool, path = listing
    upstream.scripts["areas/"] = answer(page([], 0))
    upstream.scripts[path] = answer(page([None, "row", {"id": None}], 30))
    outcome = await call(service, tool)
    assert outcome.structured is not None, outcome.texts
    assert (outcome.structured["items"], outcome.structured["count"]) == ([], 30)
    assert " Page 1." in outcome.texts[0]
    assert len([note for note in outcome.structured["notes"] if "left out" in note]) == 2


async def test_an_id_of_the_length_of_a_book_is_no_id(upstream: ScriptedUpstream, service: Service) -> None:
    long = "Q" * 70_000
    upstream.scripts["papers/2401.00001"] = answer({**ROW, "id": long, "slug": long})
    outcome = await call(service, "get_paper_info", paper="2401.00001", include_evaluations=True)
    assert "QQQ" not in "".join(outcome.texts) + str(outcome.structured)
    upstream.scripts["organizations/"] = answer(page([{"id": 3, "name": "Lighthouse", "slug": long}], 1))
    outcome = await call(service, "get_organization", organization="Lighthous")
    assert outcome.code == "not_found" and len(outcome.texts[0]) < 500
