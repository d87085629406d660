"""`list_benchmarks` and `get_benchmark` through the registry: listings, groups, leaderboards and selections."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.catalog.embedded.store import EmbeddedCatalog
from core.catalog.models import EvaluationRows
from core.clock import SystemClock
from core.ingest.build import BuildOptions, build_catalog
from core.ingest.sources import parse_source
from tests.catalog_desk import CountingBackend, Desk, Json, build, models
from tests.odd_boards import BIG_BENCHMARK, BIG_BENCHMARK_MERGED, BIG_BENCHMARK_ROWS, BUSY_TASK_BENCHMARKS, ODD_METRIC
from tests.odd_boards import SPELLING_BENCHMARK as SPELLING
from tests.odd_catalog import write_odd_catalog

PROPERTY = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)
PER_TASK_NOTE = "At most {} benchmarks of each task are listed; pass task for all of one."
MINIMUM_NOTE = "Grouped listings show benchmarks with at least 2 evaluations unless minimum_evaluations says otherwise."

DIRECTIONS = {
    "Accuracy": "higher", "mAP@0.5": "higher", "Pass@1": "higher", "FPS": "higher", "δ<1.25": "higher",
    "WER": "lower", "FID score": "lower", "Top-1 error": "lower", "bits per byte": "lower", "GFLOPs": "lower",
    "PER": "lower", "Frobnication": "unknown",
}  # fmt: skip
VALUES = {"One": "90.1", "Two": "90.1%", "Three": "1,234.5", "Four": "90.1 ± 0.2",
          "Five": "1,5", "Six": "n/a", "Seven": "NaN", "Eight": "1e3"}  # fmt: skip
FRONT = {
    "Small": (70, 1),
    "Small again": (70, 1),
    "Middle": (80, 5),
    "Middle but worse": (79, 5),
    "Large": (90, 50),
    "Large but slower": (90, 60),
    "Unsized": (99, None),
}


def board_records() -> dict[str, list[Json]]:
    """Small leaderboards for what the catalog of odd cases has no place for."""
    evaluations: list[Json] = [
        {"benchmark": "directions", "task": "t", "model_name": "M", "metrics": dict.fromkeys(DIRECTIONS, 1)}
    ]
    for rank, (name, value) in enumerate(VALUES.items(), 1):
        row = {"benchmark": "values", "task": "t", "model_name": name, "rank": rank, "metrics": {"Score": value}}
        evaluations.append(row)
    for rank, (name, (accuracy, params)) in enumerate(FRONT.items(), 1):
        metrics = {"Accuracy": accuracy} | ({"#params": params} if params else {})
        sizes = {"num_parameters": params * 1_000_000_000} if params else {}
        row = {"benchmark": "front", "task": "t", "model_name": name, "rank": rank, "metrics": metrics, **sizes}
        evaluations.append(row | ({"is_open": rank % 2 == 0} if rank < 6 else {}))
    return {
        "tasks": [{"key": "t", "name": "A Task"}],
        "benchmarks": [
            {"key": "directions", "name": "Directions", "tasks": ["t"]},
            {"key": "values", "name": "Values", "tasks": ["t"]},
            {"key": "front", "name": "GenFront", "tasks": ["t"]},
        ],
        "papers": [{"key": "p", "title": "A Paper", "arxiv_id": "2401.00001"}],
        "evaluations": evaluations,
    }


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    backend = EmbeddedCatalog.open(build(tmp_path_factory.mktemp("boards"), board_records()), kind="file")
    yield Desk(backend)
    backend.close()


def slugs(result: Json) -> list[str]:
    return [row["slug"] for row in result["items"]]


def flat(result: Json) -> list[Json]:
    """The benchmarks of the groups, in order."""
    return [found for group in result["groups"] for task in group["tasks"] for found in task["benchmarks"]]


# Listings


async def test_every_benchmark_of_a_busy_task_is_reached(odd: Desk) -> None:  # catalog A52, catalog A38
    pages = await odd.pages("list_benchmarks", task="Lantern Tracking")
    rows = [slug for page in pages for slug in slugs(page)]
    assert [len(page["items"]) for page in pages] == [25, 25, 10]
    assert {page["count"] for page in pages} == {BUSY_TASK_BENCHMARKS} == {len(set(rows))}
    assert pages[0]["applied_filters"] == {"task": "Lantern Tracking"}
    assert rows[:3] == ["lanterntrack-02", "lanterntrack-05", "lanterntrack-01"]


async def test_the_benchmarks_of_subtasks_come_when_asked(odd: Desk) -> None:
    alone = await odd.pages("list_benchmarks", task="Lantern Tracking", order_by="name")
    below = await odd.pages("list_benchmarks", task="Lantern Tracking", order_by="name", include_descendants=True)
    more = [slug for page in below for slug in slugs(page)]
    assert set(more) - {slug for page in alone for slug in slugs(page)} == {"wide-board", "dusk-board"}
    assert below[0]["applied_filters"] == {"task": "Lantern Tracking", "include_descendants": "true"}
    nothing = await odd.text("list_benchmarks", task="Lantern Tracking, Part 20")
    assert nothing == ("0 benchmarks (task Lantern Tracking, Part 20). Loosen task first, or set include_descendants.")


async def test_a_flat_list_is_by_name_with_lines_to_pass_on(odd: Desk) -> None:  # catalog A12
    found = await odd.result("list_benchmarks", limit=3)
    assert found["items"][0] == {"id": found["items"][0]["id"], "name": "2048", "slug": "2048",
                                 "paper_count": 3, "evaluation_count": 3}  # fmt: skip
    assert "groups" not in found
    assert await odd.text("list_benchmarks", limit=3) == (
        "69 benchmarks. Page 1 of 23.\n"
        "- 2048 — 2048 (3 evaluations, 3 papers)\n"
        "- backwards-board — Backwards Board (1 evaluation, 0 papers)\n"
        "- dusk-board — Dusk Board (1 evaluation, 1 paper)\n"
        "Next page: page=2."
    )


async def test_benchmarks_without_evaluations_are_listed_with_a_way_to_leave_them_out(tmp_path: Path) -> None:
    records: dict[str, list[Json]] = {
        "tasks": [{"key": "t", "name": "A Task"}],
        "benchmarks": [{"key": name, "name": name, "tasks": ["t"]} for name in ("empty", "full")],
        "papers": [{"key": "p", "title": "A Paper", "arxiv_id": "2401.00001"}],
        "evaluations": [{"benchmark": "full", "task": "t", "paper": "p", "model_name": "M", "metrics": {"F1": 1}}],
    }
    backend = EmbeddedCatalog.open(build(tmp_path, records), kind="file")
    desk = Desk(backend)
    assert await desk.text("list_benchmarks") == (
        "2 benchmarks.\n- empty — empty (0 evaluations, 0 papers)\n- full — full (1 evaluation, 1 paper)\n"
        "A benchmark with 0 evaluations has no leaderboard here; minimum_evaluations=1 leaves those out."
    )
    assert await desk.text("list_benchmarks", minimum_evaluations=1) == (
        "1 benchmark (minimum_evaluations 1).\n- full — full (1 evaluation, 1 paper)"
    )
    assert "notes" not in await desk.result("list_benchmarks", search="full")
    backend.close()


async def test_search_takes_words_of_name_full_name_and_slug(odd: Desk) -> None:
    assert slugs(await odd.result("list_benchmarks", search="lantern comprehension")) == ["lantern-reading"]
    assert slugs(await odd.result("list_benchmarks", search="TWIN speech")) == ["twin-board-speech"]
    assert await odd.text("list_benchmarks", search="-zzz") == "0 benchmarks (search -zzz). Loosen search first."


async def test_openness_and_size_of_a_board_are_filters(odd: Desk) -> None:
    closed = [row for page in await odd.pages("list_benchmarks", is_open=False) for row in slugs(page)]
    opened = [row for page in await odd.pages("list_benchmarks", is_open=True) for row in slugs(page)]
    assert "lantern-reading" in closed and "lantern-reading" in opened
    assert "foghorn-speech" in opened and "foghorn-speech" not in closed
    assert not {"2048", "wide-board"} & {*opened, *closed}  # catalog A68: unknown is neither
    many = await odd.result("list_benchmarks", minimum_evaluations=6, order_by="paper_count", order_direction="desc")
    assert slugs(many) == ["lantern-reading", "wide-board"]
    assert many["data"]["applied_filters"] == {"min_eval_count": "6"}


ORDERS = {"name": "name", "full_name": "full_name", "paper_count": "paper_count", "created_at": None}


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("order", ORDERS)
async def test_every_order_turns_round_and_keeps_missing_values_last(odd: Desk, order: str, direction: str) -> None:
    pages = await odd.pages("list_benchmarks", order_by=order, order_direction=direction)
    rows = [row for page in pages for row in page["items"]]
    assert len(rows) == pages[0]["count"] == 69
    by_name = {row["slug"]: (row["name"].casefold(), row["name"], int(row["id"])) for row in rows}
    if order == "created_at":
        # Dates are not shown; the busy boards tell theirs by number, the big one is older, the others have none.
        days = {f"lanterntrack-{n:02}": f"2022-01-{n % 28 + 1:02}" for n in range(60)} | {
            "lantern-reading": "2020-02-02"
        }
        keys = {row["slug"]: days.get(row["slug"]) for row in rows}
    else:
        keys = {row["slug"]: row.get(ORDERS[order]) for row in rows}
        keys = {slug: value.casefold() if isinstance(value, str) else value for slug, value in keys.items()}
    known = sorted((slug for slug in keys if keys[slug] is not None), key=by_name.__getitem__)
    known.sort(key=lambda slug: keys[slug], reverse=direction == "desc")
    missing = sorted((slug for slug in keys if keys[slug] is None), key=by_name.__getitem__)
    if order != "name":  # equal names are one key, so their ids stay in order both ways
        assert [row["slug"] for row in rows] == known + missing
    else:
        assert [keys[row["slug"]] for row in rows] == [keys[slug] for slug in known]


async def test_trending_never_turns_round(odd: Desk) -> None:
    asked = {"task": "Lantern Tracking", "order_by": "trending"}
    assert await odd.result("list_benchmarks", **asked, order_direction="desc") == await odd.result(
        "list_benchmarks", **asked, order_direction="asc"
    )
    assert await odd.result("list_benchmarks", **asked) == await odd.result("list_benchmarks", task="Lantern Tracking")


async def test_grouped_and_searched_rows_are_in_items_and_groups(odd: Desk) -> None:  # catalog A51
    found = await odd.result("list_benchmarks", group_by_area=True, search="board", minimum_evaluations=1)
    assert found["items"] == flat(found)
    shape = [
        (group["area"]["name"], [(task["name"], slugs({"items": task["benchmarks"]})) for task in group["tasks"]])
        for group in found["groups"]
    ]
    assert shape == [
        (
            "Computer Vision",
            [
                ("Lantern Tracking at Dusk", ["dusk-board"]),
                *((f"Lantern Tracking, Part {number}", ["wide-board"]) for number in range(7)),
                ("Segmentation", ["twin-board-vision"]),
            ],
        ),
        ("Speech", [("Segmentation", ["twin-board-speech"]), ("Speech Recognition", ["backwards-board"])]),
    ]
    assert found["count"] == 11
    assert found["applied_filters"] == {"search": "board", "minimum_evaluations": "1"}
    assert found["notes"] == [PER_TASK_NOTE.format(3)]


async def test_area_alone_groups_and_says_how(odd: Desk) -> None:
    found = await odd.result("list_benchmarks", area="speech")
    assert [group["area"]["name"] for group in found["groups"]] == ["Speech"]
    assert slugs(found) == ["foghorn-speech"]
    assert found["applied_filters"] == {"area": "Speech", "minimum_evaluations": "2"}
    assert found["notes"] == [MINIMUM_NOTE, PER_TASK_NOTE.format(3)]
    assert await odd.text("list_benchmarks", area="speech", benchmarks_per_task=1, minimum_evaluations=0) == (
        "2 benchmarks (area Speech; minimum_evaluations 0).\n**Speech**\n*Segmentation*\n"
        "- twin-board-speech — Twin Board (1 evaluation, 1 paper)\n*Speech Recognition*\n"
        "- foghorn-speech — Foghorn Speech (5 evaluations, 1 paper)\n" + PER_TASK_NOTE.format(1)
    )


@pytest.mark.parametrize(
    "more",
    [{"search": "board"}, {"is_open": True}, {"order_by": "name"}, {"task": "Speech Recognition"}],
)
async def test_area_with_another_choice_is_flat(odd: Desk, more: Json) -> None:  # catalog A54, on an embedded catalog
    found = await odd.result("list_benchmarks", area="Speech", **more)
    assert "groups" not in found and found["items"]
    assert set(slugs(found)) <= {"foghorn-speech", "backwards-board", "twin-board-speech"}
    grouped = await odd.result("list_benchmarks", area="Speech", group_by_area=True, **more)
    assert [group["area"]["name"] for group in grouped["groups"]] in (["Speech"], [])


async def test_a_task_outside_the_area_leaves_nothing(odd: Desk) -> None:
    assert await odd.text("list_benchmarks", task="Tile Puzzles", area="Speech") == (
        "0 benchmarks (task Tile Puzzles; area Speech). Loosen area first."
    )


async def test_the_order_holds_inside_groups(odd: Desk) -> None:
    trending = await odd.result("list_benchmarks", area="Computer Vision", benchmarks_per_task=3)
    assert slugs(trending)[:3] == ["lanterntrack-02", "lanterntrack-05", "lanterntrack-01"]
    by_name = {"area": "Computer Vision", "group_by_area": True, "order_by": "name", "benchmarks_per_task": 2}
    assert slugs(await odd.result("list_benchmarks", **by_name))[:2] == ["lanterntrack-01", "lanterntrack-02"]
    turned = await odd.result("list_benchmarks", **by_name, order_direction="desc")
    assert slugs(turned)[:2] == ["lanterntrack-59", "lanterntrack-58"]


async def test_tasks_without_an_area_come_last(tmp_path: Path) -> None:
    row = {"model_name": "M", "metrics": {"F1": 1}}
    records: dict[str, list[Json]] = {
        "areas": [{"key": "a", "name": "Zoology"}],
        "tasks": [{"key": "in", "name": "In", "area": "a"}, {"key": "out", "name": "Out"}],
        "papers": [{"key": "p", "title": "A Paper", "arxiv_id": "2401.00001"}],
        "benchmarks": [{"key": name, "name": name, "tasks": [name]} for name in ("in", "out")],
        "evaluations": [{"benchmark": name, "task": name, **row} for name in ("in", "out")],
    }  # fmt: skip
    backend = EmbeddedCatalog.open(build(tmp_path, records), kind="file")
    found = await Desk(backend).result("list_benchmarks", group_by_area=True, minimum_evaluations=0)
    backend.close()
    assert [(group["area"]["name"], [task["name"] for task in group["tasks"]]) for group in found["groups"]] == [
        ("Zoology", ["In"]),
        ("No area", ["Out"]),
    ]


@pytest.mark.parametrize("limit", [1, 4, 7, 25])
async def test_slices_of_a_grouped_list_join_to_the_whole(odd: Desk, limit: int) -> None:  # catalog A38
    asked = {"group_by_area": True, "minimum_evaluations": 0, "benchmarks_per_task": 10}
    pages = await odd.pages("list_benchmarks", **asked, limit=limit)
    whole = [row for page in await odd.pages("list_benchmarks", **asked) for row in page["items"]]
    assert [row for page in pages for row in page["items"]] == whole
    assert all(page["items"] == flat(page) for page in pages)
    assert {page["count"] for page in pages} == {len(whole)} == {26}
    past = await odd.result("list_benchmarks", **asked, page=90)
    assert (past["items"], past["groups"], past["count"]) == ([], [], 26)
    assert past["notes"][-1] == "Page 90 is past the end; the last page is 2."


async def test_what_changes_nothing_is_said(odd: Desk) -> None:
    found = await odd.result("list_benchmarks", include_descendants=True, benchmarks_per_task=2, limit=1)
    assert found["applied_filters"] == {}
    assert found["notes"] == [
        "include_descendants changes nothing without task.",
        "benchmarks_per_task changes nothing on a flat listing; set group_by_area for a grouped one.",
    ]


async def test_an_unknown_area_lists_all_of_them(odd: Desk) -> None:  # catalog A34
    said = await odd.failure("list_benchmarks", area="Gardening")
    assert [each["name"] for each in said["suggestions"]] == [
        "Computer Vision", "Games", "Natural Language Processing", "Speech",
    ]  # fmt: skip
    assert said["message"] == (
        "No area is called 'Gardening'. Areas: computer-vision (Computer Vision), games (Games), "
        "natural-language-processing (Natural Language Processing), speech (Speech)."
    )


@PROPERTY
@given(
    filters=st.fixed_dictionaries(
        {},
        optional={
            "search": st.sampled_from(("board", "lantern", "zzz")),
            "task": st.sampled_from(("Lantern Tracking", "ASR", "RC")),
            "include_descendants": st.booleans(),
            "minimum_evaluations": st.integers(0, 4),
            "is_open": st.booleans(),
            "group_by_area": st.booleans(),
            "area": st.sampled_from(("Computer Vision", "12")),
            "benchmarks_per_task": st.integers(1, 10),
            "order_by": st.sampled_from(("trending", "name", "full_name", "created_at", "paper_count")),
            "order_direction": st.sampled_from(("asc", "desc")),
        },
    ),
    limit=st.integers(1, 25),
)
async def test_pages_join_to_the_whole_for_any_filter(
    odd: Desk, filters: dict[str, Any], limit: int
) -> None:  # catalog A38, catalog A42
    pages = await odd.pages("list_benchmarks", **filters, limit=limit)
    rows = [row for page in pages for row in page["items"]]
    assert rows == [row for page in await odd.pages("list_benchmarks", **filters) for row in page["items"]]
    assert {page["count"] for page in pages} == {len(rows)}
    if "groups" not in pages[0]:
        assert len({row["id"] for row in rows}) == len(rows)


# Leaderboards


async def whole(desk: Desk, benchmark: str, **selection: Any) -> tuple[list[Json], list[Json]]:
    pages = await desk.pages("get_benchmark", benchmark=benchmark, limit=25, **selection)
    return pages, [row for page in pages for row in page["evaluations"]]


async def test_rows_are_merged_over_the_whole_board_before_paging(
    odd: Desk,
) -> None:  # catalog A56, catalog A57, catalog A58
    pages, rows = await whole(odd, BIG_BENCHMARK)
    for page in pages:
        assert (page["evaluation_count"], page["merged_count"], page["matched_count"], page["complete"]) == (
            BIG_BENCHMARK_ROWS,
            BIG_BENCHMARK_MERGED,
            BIG_BENCHMARK_MERGED,
            True,
        )
    assert [len(page["evaluations"]) for page in pages] == [25, 25, 25, 25, 3]
    assert len({row["id"] for row in rows}) == len(rows) == BIG_BENCHMARK_MERGED
    first = [row for row in rows if row["model_name"].casefold() == "lantern-0"]
    assert [(row.get("shots"), row["metrics"], len(row["rank_scopes"])) for row in first] == [
        (0, {"Accuracy": 95.0, "F1": 94.0, "Params (M)": 125}, 2),
        (5, {"Accuracy": 97.0, "F1": 95.0}, 1),
        (0, {"Accuracy": 11.5}, 1),
    ]
    assert [row.get("best_rank") for row in rows[:3]] == [1, 2, 3]
    assert all("best_rank" not in row for row in rows[-3:])


async def test_a_row_is_told_whole(odd: Desk) -> None:
    found = await odd.result("get_benchmark", benchmark=BIG_BENCHMARK, limit=2)
    row = found["evaluations"][0]
    scopes = row.pop("rank_scopes")
    assert [(scope["task_name"], scope["rank"]) for scope in scopes] == [
        ("Question Answering", 1),
        ("Reading Comprehension", 1),
    ]
    assert row == {
        "id": row["id"],
        "model_name": "Lantern-0",
        "metrics": {"Accuracy": 95.0, "F1": 94.0, "Params (M)": 125},
        "best_metric": "Accuracy",
        "best_rank": 1,
        "task": row["task"],
        "paper_id": row["paper_id"],
        "paper_title": "Sparse Lantern Tracking No. 0",
        "paper_arxiv_id": "2506.90000",
        "paper_published": "2025-06-30",
        "is_open": True,
        "num_parameters": 125_000_000,
        "shots": 0,
        "evaluation_protocol": "0-shot, greedy decoding",
    }
    assert found["benchmark"]["full_name"] == "Lantern Reading Comprehension Suite"
    assert len(found["benchmark"]["description"]) == 4_000
    assert found["metric_directions"] == {"Accuracy": "higher", "F1": "higher", "Params (M)": "lower"}
    assert found["applied_filters"] == {} and "metric_matches" not in found
    assert found["ranking_note"] == "A rank holds among the rows of one task; rank_scopes lists each task's own."
    assert await odd.text("get_benchmark", benchmark=BIG_BENCHMARK, limit=2) == (
        "Lantern Reading (lantern-reading): 103 rows. Page 1 of 52.\n\n"
        "| rank | model | Accuracy ↑ | F1 ↑ | Params (M) ↓ | paper |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
        "| 1 | Lantern-0 (0-shot) | **95.0** | **94.0** | **125** | 2506.90000 |\n"
        "| 2 | Lantern-1 (0-shot) | 94.5 | 93.5 | 250 | 2506.90001 |\n\n"
        "A rank holds among the rows of one task; rank_scopes lists each task's own.\n"
        "Bold marks the best value among the rows shown.\n"
        "Next page: page=2."
    )


@pytest.mark.parametrize("name", ["lantern-reading", "LANTERN reading", "Lantern Reading Comprehension Suite", "lrc"])
async def test_a_benchmark_goes_by_slug_name_full_name_and_alias(odd: Desk, name: str) -> None:
    assert (await odd.result("get_benchmark", benchmark=name, limit=1))["benchmark"]["name"] == BIG_BENCHMARK


async def test_names_of_boards_may_be_numbers_shared_or_misspelt(odd: Desk) -> None:  # catalog A34
    assert (await odd.result("get_benchmark", benchmark="2048"))["benchmark"]["name"] == "2048"
    assert (await odd.result("get_benchmark", benchmark=2048))["matched_count"] == 3
    said = await odd.failure("get_benchmark", benchmark="Twin Board")
    assert said["candidates"] == [
        {"id": "501", "name": "Twin Board", "note": "twin-board-vision"},
        {"id": "502", "name": "Twin Board", "note": "twin-board-speech"},
    ]
    near = await odd.failure("get_benchmark", benchmark="Lantern Reding")
    assert near["code"] == "not_found" and near["suggestions"][0]["id"] == "lantern-reading"
    folded = await odd.result("get_benchmark", benchmark="Lantern–Reading!", limit=25)
    assert folded["notes"] == ["benchmark 'Lantern–Reading!' was read as Lantern Reading."]


async def test_a_row_over_its_caps_tells_what_it_leaves_out(odd: Desk) -> None:
    found = await odd.result("get_benchmark", benchmark="Wide Board")
    (row,) = found["evaluations"]
    assert (len(row["metrics"]), row["metrics_omitted"], len(row["rank_scopes"])) == (20, 5, 5)
    assert len(found["metric_directions"]) == 25
    assert found["notes"] == ["The best 5 of up to 7 rank scopes of a row are shown."]
    assert len(row["model_name"]) <= 200 and len(row["evaluation_protocol"]) <= 300 and "source_url" not in row
    asked = await odd.result("get_benchmark", benchmark="Wide Board", require_metrics=["Metric 24"])
    assert next(iter(asked["evaluations"][0]["metrics"])) == "Metric 24"


async def test_the_order_of_the_input_changes_nothing(tmp_path: Path, odd: Desk) -> None:  # catalog A59
    write_odd_catalog(tmp_path)
    rows = tmp_path / "evaluations.jsonl"
    lines = rows.read_bytes().splitlines(keepends=True)
    random.Random(7).shuffle(lines)
    rows.write_bytes(b"".join(lines))
    build_catalog(
        [parse_source(f"paperdesk:{tmp_path}")],
        tmp_path / "out",
        options=BuildOptions(clock=SystemClock()),
        progress=None,
    )
    backend = EmbeddedCatalog.open(tmp_path / "out", kind="file")
    for benchmark in (BIG_BENCHMARK, SPELLING, "Wide Board"):
        assert await whole(Desk(backend), benchmark) == await whole(odd, benchmark)
    backend.close()


class ShortBackend(CountingBackend):
    """A source that promises more rows of a leaderboard than it sends."""

    async def leaderboard(self, benchmark_id: str, page: int, size: int) -> EvaluationRows:
        found = await self.inner.leaderboard(benchmark_id, page, size)
        return EvaluationRows(found.rows[:40], found.count)


async def test_a_board_that_came_in_part_says_so(odd_backend: EmbeddedCatalog) -> None:  # catalog A60
    found = await Desk(ShortBackend(odd_backend)).result("get_benchmark", benchmark=BIG_BENCHMARK)
    assert (found["complete"], found["evaluation_count"]) == (False, BIG_BENCHMARK_ROWS)
    assert found["merged_count"] == found["matched_count"] <= 40
    assert found["notes"] == [
        "Not all rows of this leaderboard could be read; the selection covers the best-ranked part."
    ]


async def test_only_plain_numbers_are_numeric(boards: Desk) -> None:  # catalog A61
    _, rows = await whole(boards, "Values")
    assert {row["model_name"]: row["metrics"]["Score"] for row in rows} == {
        "One": 90.1, "Two": 90.1, "Three": 1234.5, "Four": 90.1,
        "Five": "1,5", "Six": "n/a", "Seven": "NaN", "Eight": "1e3",
    }  # fmt: skip
    numeric = await boards.result("get_benchmark", benchmark="Values", require_metrics=["Score"])
    assert models(numeric) == ["One", "Two", "Three", "Four"]
    assert (numeric["matched_count"], numeric["merged_count"]) == (4, 8)


async def test_directions_follow_the_names_unless_recorded(boards: Desk, odd: Desk) -> None:  # catalog A62
    assert (await boards.result("get_benchmark", benchmark="Directions"))["metric_directions"] == DIRECTIONS
    recorded = await odd.result("get_benchmark", benchmark="Backwards Board")
    assert recorded["metric_directions"] == {"Accuracy": "lower", "Latency": "higher"}


async def test_bounds_are_inclusive_and_drop_what_has_no_number(odd: Desk, boards: Desk) -> None:  # catalog A63
    found = await odd.result(
        "get_benchmark", benchmark=BIG_BENCHMARK, minimum_metrics={"Accuracy": 94}, maximum_metrics={"Accuracy": "95.0"}
    )
    assert [(row["model_name"], row["metrics"]["Accuracy"]) for row in found["evaluations"]] == [
        ("Lantern-0", 95.0), ("Lantern-1", 94.5), ("Lantern-2", 94.0),
        ("Lantern-4", 95.0), ("Lantern-5", 94.5), ("Lantern-6", 94.0),
    ]  # fmt: skip
    assert found["applied_filters"] == {"minimum_metrics": "Accuracy >= 94", "maximum_metrics": "Accuracy <= 95"}
    values = await boards.result("get_benchmark", benchmark="Values", minimum_metrics={"Score": -1e9})
    assert models(values) == ["One", "Two", "Three", "Four"]
    nothing = await odd.text("get_benchmark", benchmark=BIG_BENCHMARK, minimum_metrics='{"Accuracy": 200}')
    assert nothing == (
        "Lantern Reading (lantern-reading): 0 of 103 rows (minimum_metrics Accuracy >= 200)."
        " Loosen a threshold or a filter first."
    )


async def test_pareto_keeps_what_nothing_dominates(boards: Desk) -> None:  # catalog A64
    found = await boards.result("get_benchmark", benchmark="GenFront", pareto=["Accuracy:higher", "#params:lower"])
    assert models(found) == ["Large", "Middle", "Small", "Small again"]
    assert (found["matched_count"], found["merged_count"]) == (4, 7)
    turned = await boards.result("get_benchmark", benchmark="GenFront", pareto=["#params:lower", "Accuracy:higher"])
    assert models(turned) == ["Small", "Small again", "Middle", "Large"]
    assert turned["applied_filters"] == {"pareto": "#params:lower, Accuracy:higher"}


@pytest.mark.parametrize(
    ("pareto", "message"),
    [
        (["Accuracy:higher"], "pareto must be a list of 2 to 6 entries, each text of 1 to 200 characters."),
        (
            ["Accuracy", "F1:lower"],
            "Each pareto objective must be METRIC:higher or METRIC:lower, such as Accuracy:higher.",
        ),
        (
            ["Accuracy:asc", "F1:lower"],
            "Each pareto objective must be METRIC:higher or METRIC:lower, such as Accuracy:higher.",
        ),
    ],
)
async def test_a_pareto_objective_of_another_form_is_refused_unasked(
    counted: Desk, counting: CountingBackend, pareto: list[str], message: str
) -> None:
    said = await counted.failure("get_benchmark", benchmark=BIG_BENCHMARK, pareto=pareto)
    assert (said["code"], said["message"]) == ("invalid_argument", message)
    assert not counting.calls


async def test_one_metric_under_two_names_is_refused(odd: Desk) -> None:
    said = await odd.failure("get_benchmark", benchmark=BIG_BENCHMARK, pareto=["Accuracy:higher", "acc:lower"])
    assert said["code"] == "invalid_argument"


async def test_sorting_by_a_metric_turns_on_its_suffix(odd: Desk) -> None:  # catalog A65
    exact = await odd.result("get_benchmark", benchmark=SPELLING, sort_metric="WER")
    assert models(exact) == [f"Horn {number}" for number in (4, 3, 2, 1, 0)]
    assert "metric_matches" not in exact
    assert exact["notes"] == ["Lower is better for 'WER', and the highest come first. For the best, sort by 'WER:asc'."]
    best = await odd.result("get_benchmark", benchmark=SPELLING, sort_metric="WER:asc")
    assert models(best) == [f"Horn {number}" for number in range(5)] and "notes" not in best
    assert best["applied_filters"] == {"sort_metric": "WER:asc"}
    assert "notes" not in await odd.result("get_benchmark", benchmark=SPELLING, sort_metric="WER:desc")


async def test_a_metric_read_through_another_spelling_is_reported(boards: Desk) -> None:  # catalog A65
    found = await boards.result("get_benchmark", benchmark="Directions", sort_metric="wer")
    assert found["metric_matches"] == {"wer": "WER"}
    assert found["applied_filters"] == {"sort_metric": "WER:desc"}
    assert found["notes"] == [
        "'wer' was read as the metric 'WER'.",
        "Lower is better for 'WER', and the highest come first. For the best, sort by 'WER:asc'.",
    ]
    alias = await boards.result("get_benchmark", benchmark="GenFront", minimum_metrics={"number of parameters": 50})
    assert alias["metric_matches"] == {"number of parameters": "#params"}
    own = await boards.result("get_benchmark", benchmark="Values", sort_metric="Values score")
    assert own["metric_matches"] == {"Values score": "Score"}


async def test_an_unknown_metric_lists_all_names(odd: Desk) -> None:  # catalog A66
    said = await odd.failure("get_benchmark", benchmark="Wide Board", require_metrics=["Nope"])
    assert said["code"] == "invalid_argument"
    assert [each["id"] for each in said["suggestions"]] == [f"Metric {number:02}" for number in range(25)]
    both = await odd.failure("get_benchmark", benchmark=SPELLING, sort_metric="Wer")
    assert (both["code"], both["candidates"]) == (
        "ambiguous",
        [{"id": "WER", "name": "WER"}, {"id": "wer", "name": "wer"}],
    )


@pytest.mark.parametrize("suffix", ["", ":asc", ":desc"])
async def test_a_metric_name_may_hold_commas_colons_and_equals_signs(odd: Desk, suffix: str) -> None:  # catalog A9
    found = await odd.result("get_benchmark", benchmark=SPELLING, sort_metric=ODD_METRIC + suffix, limit=1)
    assert found["applied_filters"] == {"sort_metric": f"{ODD_METRIC}:{suffix[1:] or 'desc'}"}
    assert models(found) == ["Horn 4" if suffix == ":asc" else "Horn 0"]
    required = await odd.result("get_benchmark", benchmark=SPELLING, require_metrics=[ODD_METRIC])
    assert required["matched_count"] == 5


SIZES = {"500M": 4, "1.5b": 12, "3B": 24, "4_000_000": 0, "125000000": 1, "0.125B": 1}


@pytest.mark.parametrize("size", SIZES)
async def test_a_size_keeps_rows_known_to_be_small_enough(odd: Desk, size: str) -> None:  # catalog A67
    pages, rows = await whole(odd, BIG_BENCHMARK, max_parameters=size)
    limit = int(pages[0]["applied_filters"]["max_parameters"])
    assert all(row["num_parameters"] <= limit for row in rows)
    _, everything = await whole(odd, BIG_BENCHMARK)
    known = [row["num_parameters"] for row in everything if "num_parameters" in row]
    assert len(rows) == sum(number <= limit for number in known) == pages[0]["matched_count"]
    assert (pages[0]["parameter_coverage_known"], pages[0]["parameter_coverage_total"]) == (len(known), 103)
    assert pages[0]["notes"][0] == f"{len(known)} of 103 rows state a number of parameters; the others are left out."


@pytest.mark.parametrize("size", ["1.5", "0", "-1", "1.0000000001B", "1T", "1,000", "B", "1e9", str(2**63)])
async def test_another_size_form_is_refused_unasked(
    counted: Desk, counting: CountingBackend, size: str
) -> None:  # catalog A67
    assert await counted.failure("get_benchmark", benchmark=BIG_BENCHMARK, max_parameters=size) == {
        "code": "invalid_argument",
        "retryable": False,
        "message": "max_parameters must be a whole number of parameters from 1 to 2^63-2, such as 4_000_000, 500M or "
        "1.5B.",
    }
    assert not counting.calls


async def test_without_any_sizes_the_filter_is_unavailable(odd: Desk) -> None:  # catalog A67
    said = await odd.failure("get_benchmark", benchmark=SPELLING, max_parameters="1B")
    assert said == {
        "code": "unavailable",
        "retryable": False,
        "message": "No row of this leaderboard states a number of parameters. Leave out max_parameters.",
    }


async def test_unknown_openness_is_left_out_and_matches_neither(odd: Desk) -> None:  # catalog A68
    _, everything = await whole(odd, BIG_BENCHMARK)
    counts = {value: sum(row.get("is_open") is value for row in everything) for value in (True, False, None)}
    for value in (True, False):
        pages, rows = await whole(odd, BIG_BENCHMARK, is_open=value)
        assert {row["is_open"] for row in rows} == {value}
        assert len(rows) == counts[value] == pages[0]["matched_count"]
    assert counts[None] > 0 and sum(counts.values()) == BIG_BENCHMARK_MERGED


async def test_a_page_past_the_end_of_a_board_is_empty_with_a_note(odd: Desk) -> None:  # catalog A42
    past = await odd.result("get_benchmark", benchmark=BIG_BENCHMARK, page=50)
    assert (past["evaluations"], past["matched_count"], "next_page" in past) == ([], 103, False)
    assert await odd.text("get_benchmark", benchmark=BIG_BENCHMARK, page=50) == (
        "Lantern Reading (lantern-reading): 103 rows. Page 50.\nPage 50 is past the end; the last page is 6."
    )
    last = await odd.text("get_benchmark", benchmark=BIG_BENCHMARK, page=6)
    assert last.splitlines()[0] == "Lantern Reading (lantern-reading): 103 rows. Page 6 of 6."


async def test_a_board_is_merged_once(counted: Desk, counting: CountingBackend) -> None:
    for page in (1, 2, 3):
        await counted.result("get_benchmark", benchmark=BIG_BENCHMARK, page=page)
    assert counting.calls == {"find_entity": 3, "benchmark": 1, "leaderboard": 1}


@PROPERTY
@given(
    selection=st.fixed_dictionaries(
        {},
        optional={
            "is_open": st.booleans(),
            "max_parameters": st.sampled_from(("500M", "3B", "10B")),
            "require_metrics": st.sampled_from((["F1"], ["Accuracy", "F1"], ["Params (M)"])),
            "minimum_metrics": st.sampled_from(({"Accuracy": 70}, {"F1": 80.5})),
            "maximum_metrics": st.sampled_from(({"Accuracy": 90}, {"Params (M)": 4_000})),
            "sort_metric": st.sampled_from(("Accuracy", "F1:asc", "Params (M):desc")),
            "pareto": st.just(["Accuracy:higher", "Params (M):lower"]),
        },
    ),
    limit=st.integers(5, 24),
)
async def test_pages_join_to_the_whole_for_any_selection(
    odd: Desk, selection: dict[str, Any], limit: int
) -> None:  # catalog A38, catalog A58
    pages = await odd.pages("get_benchmark", benchmark=BIG_BENCHMARK, **selection, limit=limit)
    rows = [row for page in pages for row in page["evaluations"]]
    _, everything = await whole(odd, BIG_BENCHMARK, **selection)
    assert rows == everything
    assert len({row["id"] for row in rows}) == len(rows)
    for page in pages:
        assert page["matched_count"] == len(rows) <= page["merged_count"] <= page["evaluation_count"]


async def test_the_data_of_listed_benchmarks_is_cut_as_their_items_are(odd: Desk) -> None:
    # catalog 2.2 rule 5
    listed = await odd.result("list_benchmarks", search=BIG_BENCHMARK)
    assert [row["description"] for row in listed["data"]["results"]] == [row["description"] for row in listed["items"]]
    assert 250 < max(len(row["description"] or "") for row in listed["data"]["results"]) <= 300
