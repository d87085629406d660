"""Benchmarks and raw evaluations over `/api/v1`."""

from typing import Any
from urllib.parse import quote

import httpx
from rows import DATASET_ROW, ENVELOPE, EVALUATION_ROW, TREND_ROW

from tests.odd_boards import BIG_BENCHMARK, BIG_BENCHMARK_MERGED, BIG_BENCHMARK_ROWS, BUSY_TASK_BENCHMARKS

QUILLFISH = "1905.90001"


def got(client: httpx.Client, path: str, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def detail(client: httpx.Client, path: str, status: int, **params: Any) -> Any:
    answer = client.get(path, params=params)
    assert answer.status_code == status, answer.text
    return answer.json()["detail"]


def everything(client: httpx.Client, path: str, **params: Any) -> list[Any]:
    rows: list[Any] = []
    page: int | None = 1
    while page:
        found = got(client, path, page=page, page_size=100, **params)
        rows += found["results"]
        page = found["next_page"]
    assert len(rows) == found["count"]
    return rows


def big(client: httpx.Client) -> Any:
    return got(client, "datasets/", q=BIG_BENCHMARK)["results"][0]


def test_datasets_are_listed_by_name_in_pages(odd: httpx.Client) -> None:
    first = got(odd, "datasets/", page_size=2)
    assert set(first) == ENVELOPE
    assert [set(row) for row in first["results"]] == [DATASET_ROW] * 2
    rows = everything(odd, "datasets/")
    names = [row["name"].casefold() for row in rows]
    assert names == sorted(names)
    assert len({row["id"] for row in rows}) == len(rows)


def test_a_dataset_is_found_by_id_and_slug_only(odd: httpx.Client) -> None:
    row = got(odd, "datasets/lantern-reading")
    assert row == got(odd, f"datasets/{row['id']}") == big(odd)
    assert row == {
        "id": row["id"],
        "name": BIG_BENCHMARK,
        "slug": "lantern-reading",
        "full_name": "Lantern Reading Comprehension Suite",
        "description": ("Read by lantern light. " * 300).strip(),
        "hf_url": "https://huggingface.co/datasets/example/lantern-reading",
        "paper_count": row["paper_count"],
        "evaluation_count": BIG_BENCHMARK_ROWS,
        "metric_directions": {"Accuracy": "higher"},
    }
    assert detail(odd, "datasets/LRC", 404)["code"] == "not_found"
    assert detail(odd, "datasets/1", 404)["code"] == "not_found"


def test_dataset_filters_are_applied_and_echoed(odd: httpx.Client) -> None:
    busy = got(odd, "datasets/", task="lantern tracking", min_eval_count=2, is_open="true", q="lanterntrack")
    assert busy["applied_filters"] == {
        "q": "lanterntrack",
        "task": "lantern tracking",
        "min_eval_count": "2",
        "is_open": "true",
    }
    assert busy["count"] == sum(n % 2 == 0 and n % 3 > 0 for n in range(BUSY_TASK_BENCHMARKS))
    below = got(odd, "datasets/", task="lantern tracking", include_descendants="true")
    assert below["applied_filters"] == {"task": "lantern tracking", "include_descendants": "true"}
    assert below["count"] == BUSY_TASK_BENCHMARKS + 2
    assert got(odd, "datasets/", include_descendants="true")["applied_filters"] == {}


def test_datasets_are_ordered_by_any_field_both_ways(odd: httpx.Client) -> None:
    counts = [row["paper_count"] for row in everything(odd, "datasets/", ordering="-paper_count")]
    assert counts == sorted(counts, reverse=True)
    assert everything(odd, "datasets/", ordering="-name")[0]["name"] == "Wide Board"
    assert detail(odd, "datasets/", 422, ordering="colour")["message"].startswith("ordering must be one of trending,")


def test_a_leaderboard_is_served_raw_by_best_rank(odd: httpx.Client) -> None:
    rows = everything(odd, f"datasets/{big(odd)['id']}/evaluations/", ordering="best_rank")
    assert len(rows) == BIG_BENCHMARK_ROWS
    assert all(set(row) == EVALUATION_ROW for row in rows)
    ranks = [row["best_rank"] for row in rows]
    assert ranks == sorted(ranks, key=lambda rank: (rank is None, rank or 0))
    first = rows[0]
    ids = {"id", "paper_id", "task_id", "dataset_id", "paper_title"}
    assert {name: first[name] for name in EVALUATION_ROW - ids} == {
        "task_name": first["task_name"],
        "task_slug": first["task_slug"],
        "dataset_name": BIG_BENCHMARK,
        "dataset_slug": "lantern-reading",
        "model_name": "Lantern-0",
        "harness": None,
        "metrics": first["metrics"],
        "best_metric": "Accuracy",
        "best_rank": 1,
        "is_open": True,
        "num_parameters": 125_000_000,
        "paper_arxiv_id": "2506.90000",
        "paper_published_date": "2025-06-30",
        "methodology": "0-shot, greedy decoding",
        "split": None,
        "split_name": None,
        "evaluated_on": None,
        "result_url": None,
        "source_url": None,
        "external_source_url": None,
        "code_url": None,
        "hf_model_url": None,
        "updated_at": None,
        "uses_additional_data": None,
    }  # fmt: skip
    assert first["metrics"]["Accuracy"] == 95
    assert rows == everything(odd, "evaluations/", dataset_id=big(odd)["id"])


def test_openness_keeps_rows_that_say_so(odd: httpx.Client) -> None:
    path = "datasets/lantern-reading/evaluations/"
    every = everything(odd, path)
    for value in (True, False):
        kept = everything(odd, path, is_open=str(value).lower())
        assert kept == [row for row in every if row["is_open"] is value]
    assert got(odd, path, is_open="true")["applied_filters"] == {"is_open": "true"}


def test_the_size_filter_goes_by_merged_rows_and_tells_the_coverage(odd: httpx.Client) -> None:
    # catalog 12.5 and 16.2
    params = {"dataset_id": "lantern-reading", "max_parameters_exclusive": 1_000_000_001}
    found = got(odd, "evaluations/", **params, page_size=100)
    assert found["applied_filters"] == {"dataset_id": "lantern-reading", "max_parameters_exclusive": "1000000001"}
    assert found["parameter_coverage_total"] == BIG_BENCHMARK_MERGED
    assert found["parameter_coverage_known"] == sum(n % 3 < 2 for n in range(60)) + sum(n % 3 < 2 for n in range(40))
    models = {row["model_name"] for row in found["results"]}
    assert models == {f"Lantern-{n}" for n in range(8) if n % 3 < 2}
    assert all(0 < row["num_parameters"] <= 1_000_000_000 for row in found["results"])
    assert len(found["results"]) == found["count"]
    both = got(odd, "evaluations/", **params, is_open="true")
    assert {row["is_open"] for row in both["results"]} == {True}
    assert got(odd, "evaluations/", dataset_id="2048", max_parameters_exclusive=2)["count"] == 0


def test_the_rows_of_a_paper_come_by_benchmark_popularity_or_rank(odd: httpx.Client) -> None:
    rows = everything(odd, "evaluations/", paper_id=QUILLFISH, ordering="-benchmark_popularity")
    assert [row["model_name"] for row in rows] and {row["paper_arxiv_id"] for row in rows} == {QUILLFISH}
    by_rank = everything(odd, "evaluations/", paper_id=rows[0]["paper_id"], ordering="best_rank")
    assert [row["best_rank"] for row in by_rank] == [1, 2, 3, 4, 5]
    assert sorted(row["id"] for row in by_rank) == sorted(row["id"] for row in rows)
    assert by_rank[0]["metrics"] == {"WER": 2.5, "wer": "3%", "Acc, top=1:x": 90, "Frobnication": 0}
    assert by_rank[0]["split"] == by_rank[0]["split_name"] == by_rank[0]["evaluated_on"] == "test"
    page = got(odd, "evaluations/", paper_id=QUILLFISH, page_size=2, page=3)
    assert (page["count"], page["next_page"], len(page["results"])) == (5, None, 1)


def test_evaluations_need_one_owner_that_exists(odd: httpx.Client) -> None:
    assert detail(odd, "evaluations/", 422)["message"] == "Send either paper_id or dataset_id."
    assert detail(odd, "evaluations/", 422, paper_id=QUILLFISH, dataset_id="2048")["code"] == "invalid_argument"
    assert detail(odd, "evaluations/", 404, paper_id="2401.99999")["code"] == "not_found"
    assert detail(odd, "evaluations/", 404, dataset_id="nothing")["code"] == "not_found"
    assert detail(odd, "datasets/nothing/evaluations/", 404)["code"] == "not_found"
    assert detail(odd, "evaluations/", 422, dataset_id="2048", ordering="-benchmark_popularity")["code"]
    assert detail(odd, "datasets/2048/evaluations/", 422, ordering="-best_rank")["code"] == "invalid_argument"


def test_trending_benchmarks_carry_their_figures_and_their_best_row(odd: httpx.Client) -> None:
    # catalog 16.4
    found = got(odd, "tasks/Lantern%20Tracking/trending-benchmarks", limit=100, min_recent_papers=0)
    assert {name: found[name] for name in found if name not in ("results", "task_id")} == {
        "task_slug": "lantern-tracking",
        "recent_days": 90,
        "support_prior_papers": 10,
    }
    rows = found["results"]
    assert len(rows) == BUSY_TASK_BENCHMARKS
    assert all(set(row) == TREND_ROW for row in rows)
    assert [row["recent_paper_count"] for row in rows] == sorted((r["recent_paper_count"] for r in rows), reverse=True)
    for row in rows:
        recent, every = row["recent_paper_count"], row["all_time_paper_count"]
        assert every == row["paper_count"]
        assert row["trend_score"] == recent / max(1, every)
        assert row["support_weighted_score"] == recent / (every + 10)
        assert row["best_model_name"] == "Tracker 0"
    by_id = {row["id"]: row for row in everything(odd, "datasets/", task="lantern-tracking")}
    assert all(row["name"] == by_id[row["id"]]["name"] for row in rows)


def test_trending_benchmarks_are_narrowed(odd: httpx.Client) -> None:
    path = "tasks/lantern-tracking/trending-benchmarks"
    every = got(odd, path, limit=100, min_recent_papers=0)["results"]
    assert got(odd, path, limit=3, min_recent_papers=0)["results"] == every[:3]
    recent = [row for row in every if row["recent_paper_count"]]
    assert got(odd, path, limit=100)["results"] == recent
    opened = got(odd, path, limit=100, min_recent_papers=0, is_open="true")["results"]
    assert len(opened) == BUSY_TASK_BENCHMARKS / 2
    below = got(odd, path, limit=100, min_recent_papers=0, include_descendants="true")["results"]
    assert len(below) == BUSY_TASK_BENCHMARKS + 2
    wide = next(row for row in below if row["name"] == "Wide Board")
    assert wide["best_code_url"] == "https://example.org/code/wide"
    task = quote("Überraschung—未分類", safe="")
    (empty,) = got(odd, f"tasks/{task}/trending-benchmarks", min_recent_papers=0)["results"]
    assert empty == empty | {
        "name": "Empty Board",
        "trend_score": 0,
        "support_weighted_score": 0,
        "best_model_name": None,
        "best_paper_title": None,
        "best_code_url": None,
    }
