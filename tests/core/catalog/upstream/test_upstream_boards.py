"""Leaderboards and tasks through HTTP: all pages, four at a time, within the deadline; parts read together."""

from typing import Any

import pytest

from core.catalog.cached.tiers import IMMUTABLE_LEADERBOARD
from core.catalog.leaderboards import Leaderboards
from core.catalog.models import SizeCoverage
from core.catalog.resolve import Resolver
from core.catalog.tasks import Tasks
from core.catalog.together import all_of
from core.catalog.upstream.catalog import UpstreamCatalog
from core.clock import SystemClock
from core.deadline import deadline
from core.errors import NotFound, SourceMalformed, SourceTimeout
from tests.scripted_upstream import Params, ScriptedUpstream, answer, drip, page, silence

BOARD = "datasets/9/evaluations/"


def row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "dataset_id": 9,
        "dataset_name": "Fog Board",
        "task_id": 5,
        "task_name": "Fog",
        "model_name": f"Model {number}",
        "paper_id": number,
        "metrics": {"Accuracy": number},
        "best_rank": number,
        **more,
    }


def board(upstream: ScriptedUpstream, rows: list[Any], *, count: int | None, per_page: int = 100) -> None:
    """Serves rows in pages; `count` may promise more than there are, or be missing."""

    def served(asked: Params) -> object:
        number = int(asked["page"])
        shown = rows[(number - 1) * per_page : number * per_page]
        return page(shown, count, next_page=number + 1 if number * per_page < len(rows) else None)

    upstream.scripts[BOARD] = served


# catalog A57
async def test_all_pages_are_read_at_most_four_at_a_time(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    rows = [row(number) for number in range(1, 731)]
    board(upstream, rows, count=730)
    upstream.latency_s = 0.02
    found = await catalog.leaderboard("9", 1, 5_000)
    assert ([int(each.id) for each in found.rows], found.count, found.is_cut) == (list(range(1, 731)), 730, False)
    assert sorted(upstream.asked) == sorted(f"{BOARD}?ordering=best_rank&page_size=100&page={n}" for n in range(1, 9))
    assert upstream.at_once_most == 4


@pytest.mark.parametrize("size", [1, 99, 100, 101, 399, 400, 401, 1000])
async def test_a_missing_count_is_read_to_the_end(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, size: int
) -> None:
    # catalog A60
    board(upstream, [row(number) for number in range(1, size + 1)], count=None)
    found = await catalog.leaderboard("9", 1, 5_000)
    assert (len(found.rows), found.count, found.is_cut) == (size, size, False)


async def test_an_upstream_that_promises_more_than_it_sends_ends_incomplete(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    # catalog A60
    board(upstream, [row(number) for number in range(1, 151)], count=4_000)
    found = await catalog.leaderboard("9", 1, 5_000)
    assert (len(found.rows), found.count, found.is_cut) == (150, 4_000, True)
    assert len(upstream.asked) <= 9


async def test_pages_of_another_size_than_asked_for_are_read_all_the_same(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    board(upstream, [row(number) for number in range(1, 91)], count=90, per_page=20)
    found = await catalog.leaderboard("9", 1, 5_000)
    assert (len(found.rows), found.is_cut) == (90, False)


async def test_a_page_that_repeats_itself_ends_the_reading(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    first = [row(number) for number in range(1, 101)]
    upstream.scripts[BOARD] = lambda asked: page(first, 1_000, next_page=int(asked["page"]) + 1)
    found = await catalog.leaderboard("9", 1, 5_000)
    assert (len(found.rows), found.count, found.is_cut) == (100, 1_000, True)
    assert len(upstream.asked) == 5


@pytest.mark.parametrize("count", [6_000, None])
async def test_no_more_than_5000_rows_are_read(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, count: int | None
) -> None:
    rows = [row(number) for number in range(1, 6_001)]
    board(upstream, rows, count=count)
    found = await catalog.leaderboard("9", 1, 5_000)
    assert (len(found.rows), found.count, found.is_cut) == (5_000, count or 5_000, True)
    assert len(upstream.asked) <= 52


@pytest.mark.parametrize("behaviour", [silence, drip])
async def test_time_that_runs_out_leaves_what_there_is(
    upstream: ScriptedUpstream, hasty_catalog: UpstreamCatalog, behaviour: Any
) -> None:
    # catalog A60
    rows = [row(number) for number in range(1, 101)]
    upstream.scripts[BOARD] = lambda asked: page(rows, 900) if asked["page"] == "1" else behaviour
    found = await hasty_catalog.leaderboard("9", 1, 5_000)
    assert (len(found.rows), found.count, found.is_cut) == (100, 900, True)
    upstream.scripts[BOARD] = behaviour
    with pytest.raises(SourceTimeout):
        await hasty_catalog.leaderboard("9", 1, 5_000)


def desk(catalog: UpstreamCatalog) -> Leaderboards:
    return Leaderboards(
        catalog,
        Resolver(catalog),
        clock=SystemClock(),
        site_url="https://paperswithcode.co",
        tier=IMMUTABLE_LEADERBOARD,
    )


async def shown(catalog: UpstreamCatalog, **asked: Any) -> Any:
    selection: dict[str, Any] = {
        "page": 1,
        "limit": 20,
        "is_open": None,
        "max_parameters": None,
        "require_metrics": (),
        "minimum_metrics": {},
        "maximum_metrics": {},
        "sort_metric": None,
        "pareto": (),
    }
    return await desk(catalog).get("Fog Board", **{**selection, **asked})


def named(upstream: ScriptedUpstream) -> None:
    upstream.scripts["datasets/"] = answer(page([{"id": 9, "name": "Fog Board", "evaluation_count": 4_000}], 1))


# catalog A57, A58
async def test_a_model_on_two_pages_of_an_upstream_is_one_row_and_pages_are_full(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    named(upstream)
    rows = [row(number) for number in range(1, 251)]
    rows[240] = row(241, model_name="Model 1", paper_id=1, metrics={"F1": 3}, task_id=6, task_name="Mist", best_rank=1)
    board(upstream, rows, count=250)
    found = await shown(catalog)
    assert (found.evaluation_count, found.merged_count, found.matched_count, found.complete) == (250, 249, 249, True)
    assert (len(found.evaluations), found.next_page) == (20, 2)
    first = next(each for each in found.evaluations if each.model_name == "Model 1")
    assert (first.metrics, [scope.task_name for scope in first.rank_scopes]) == (
        {"Accuracy": 1, "F1": 3},
        ["Fog", "Mist"],
    )


# catalog A60
async def test_an_incomplete_leaderboard_says_so(upstream: ScriptedUpstream, catalog: UpstreamCatalog) -> None:
    named(upstream)
    board(upstream, [row(number) for number in range(1, 151)], count=4_000)
    found = await shown(catalog, require_metrics=("Accuracy",))
    assert (found.complete, found.evaluation_count, found.merged_count) == (False, 4_000, 150)
    assert found.notes == ["Not all rows of this leaderboard could be read; the selection covers the best-ranked part."]


SIZED = "evaluations/"


@pytest.mark.parametrize(
    ("size", "more", "is_confirmed"),
    [
        (900, {"parameter_coverage_known": 30, "parameter_coverage_total": 3_900}, True),
        (1_001, {"parameter_coverage_known": 30, "parameter_coverage_total": 3_900}, False),
        (None, {"parameter_coverage_known": 30, "parameter_coverage_total": 3_900}, False),
        (900, {"parameter_coverage_known": 30}, False),
        (900, {}, False),
    ],
)
async def test_a_size_filter_on_an_incomplete_leaderboard_is_the_upstreams_and_confirmed(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog, size: int | None, more: dict[str, int], is_confirmed: bool
) -> None:
    named(upstream)
    board(upstream, [row(number) for number in range(1, 151)], count=4_000)
    upstream.scripts[SIZED] = answer(page([row(3_000, num_parameters=size)], 1, **more))
    if not is_confirmed:
        with pytest.raises(SourceMalformed, match="max_parameters"):
            await shown(catalog, max_parameters="1000")
        return
    found = await shown(catalog, max_parameters="1000")
    assert [each.id for each in found.evaluations] == ["3000"]
    assert (found.parameter_coverage_known, found.parameter_coverage_total) == (30, 3_900)
    assert (found.evaluation_count, found.merged_count, found.matched_count) == (4_000, 1, 1)
    asked = next(target for target in upstream.asked if target.startswith(SIZED))
    assert asked == f"{SIZED}?dataset_id=9&ordering=best_rank&max_parameters_exclusive=1001&page_size=100&page=1"
    rows = await catalog.leaderboard_within("9", 1_000)
    assert rows.size_coverage == SizeCoverage(30, 3_900)


async def test_results_of_a_paper_are_asked_for_by_its_catalog_id(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    upstream.scripts |= {
        "papers/2401.00001": answer({"id": 77, "title": "T", "arxiv_id": "2401.00001"}),
        SIZED: answer(page([row(1, metrics={"A": None, "B": True, "C": "1.5", "D": [1]})], 1)),
    }
    found = await catalog.evaluations_of_paper("2401.00001", 1, 50)
    assert [dict(each.metrics) for each in found.rows] == [{"B": "true", "C": "1.5", "D": "[1]"}]
    assert upstream.asked[-1] == f"{SIZED}?paper_id=77&ordering=-benchmark_popularity&page_size=100&page=1"


async def test_results_of_a_paper_take_no_request_for_each_benchmark(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    rows = [row(number, dataset_id=number, metrics={"WER": 1, "Fog": 2}) for number in range(1, 21)]
    upstream.scripts |= {"papers/77": answer({"id": 77, "title": "T"}), SIZED: answer(page(rows, 20))}
    found = await desk(catalog).of_paper("77", page=1, limit=20)
    assert (found.evaluation_count, found.metric_directions) == (20, {"WER": "lower", "Fog": "unknown"})
    assert upstream.calls() == {"papers/77": 2, SIZED: 1}


# contract 9.1.5
async def test_a_benchmark_id_of_a_plain_upstream_is_found_by_the_name_in_its_rows(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    board(upstream, [row(1)], count=1)
    upstream.scripts["datasets/"] = answer(page([{"id": 8, "name": "Fog Board"}, {"id": 9, "name": "Fog Board"}], 2))
    assert (await catalog.benchmark("9")).id == "9"
    upstream.scripts["datasets/"] = answer(page([{"id": 8, "name": "Fog Board"}], 1))
    with pytest.raises(NotFound):
        await catalog.benchmark("9")


async def test_a_call_never_has_more_than_four_requests_under_way(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    named(upstream)
    board(upstream, [row(number) for number in range(1, 731)], count=730)
    upstream.latency_s = 0.02
    with deadline(25, SystemClock()):
        await shown(catalog)
        await all_of([lambda: catalog.leaderboard("9", 1, 5_000)] * 4)
    assert upstream.at_once_most == 4


# catalog A55
async def test_a_task_reads_its_parts_together_and_leaves_out_the_one_that_fails(
    upstream: ScriptedUpstream, catalog: UpstreamCatalog
) -> None:
    link = {"id": 6, "name": "Mist", "slug": "mist"}
    papers = [
        {
            "id": number,
            "title": "T",
            "methods": [{"id": 1, "name": "Horn"}, *([{"id": 2, "name": "Bell"}] * (number % 2))],
        }
        for number in range(3)
    ]
    upstream.scripts |= {
        "tasks/5": answer({"id": 5, "name": "Fog", "slug": "fog"}),
        "tasks/5/page": answer({"task": {"id": 5, "name": "Fog", "area_id": 11}, "sisters": [link]}),
        "tasks/5/trending-benchmarks": answer({"results": [{"id": 9, "name": "Fog Board"}]}),
        "tasks/5/papers": answer(page(papers, 3)),
        "areas/": answer(page([{"id": 11, "name": "Weather"}], 1)),
    }
    upstream.latency_s = 0.02
    tasks = Tasks(catalog, Resolver(catalog), site_url="https://paperswithcode.co")
    found = (await tasks.get("5", benchmark_limit=10)).task
    assert [(each.name, each.count) for each in found.common_methods or ()] == [("Horn", 3), ("Bell", 1)]
    assert (found.paper_sample_size, len(found.papers or ())) == (3, 3)
    assert [each.name for each in found.sisters or ()] == ["Mist"]
    assert (found.area and found.area.name, [each.name for each in found.benchmarks]) == ("Weather", ["Fog Board"])
    assert upstream.at_once_most == 4
    assert upstream.asked[0] == "tasks/5"
    upstream.scripts["tasks/5/papers"] = answer({}, 500)
    result = await tasks.get("5", benchmark_limit=10)
    assert (result.task.papers, result.task.common_methods, result.task.paper_sample_size) == (None, None, None)
    assert [each.name for each in result.task.sisters or ()] == ["Mist"]
    assert result.notes == ["The task's papers could not be read; they are left out, not empty."]
