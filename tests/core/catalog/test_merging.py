"""Equivalent evaluation rows become one."""

import random
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalog.merging import MergedEvaluation, RankScope, merge_leaderboard, merge_paper, shots_of
from core.catalog.metrics import clean_value
from core.catalog.models import EvaluationRow, Link

BENCHMARK = Link("1", "ImageNet", "imagenet")
TASKS = [Link("10", "Classification"), Link("11", "Recognition"), Link("9", "classification")]


def row(number: int, **fields: Any) -> EvaluationRow:
    defaults = {"benchmark": BENCHMARK, "task": TASKS[0], "model_name": "ViT", "paper_id": "7", "metrics": {}}
    return EvaluationRow(id=str(number), **(defaults | fields))


def test_rows_of_one_model_under_two_tasks_are_one_row() -> None:
    # catalog A56
    first = row(
        1, metrics={"Accuracy": "90.1%", "F1": 80}, best_rank=3, best_metric="F1", is_open=True,
        num_parameters=86_000_000, methodology="Fine-tuned", source_url="https://example.org/a",
        updated_at="2024-01-02", paper_title="A Title",
    )  # fmt: skip
    second = row(
        2, metrics={"Accuracy": 90.1, "Top-5": 99}, best_rank=2, task=TASKS[1], model_name="vit ",
        num_parameters=86_000_000, result_url="https://example.org/result", source_url="https://example.org/b",
        code_url="https://example.org/code", updated_at="2023-12-31", paper_arxiv_id="2010.11929",
        uses_additional_data=False,
    )  # fmt: skip
    assert merge_leaderboard([first, second]) == (
        MergedEvaluation(
            id="2",
            model_name="vit ",
            metrics={"Accuracy": 90.1, "Top-5": 99, "F1": 80},
            benchmark=BENCHMARK,
            task=TASKS[1],
            rank_scopes=(RankScope(TASKS[1], 2), RankScope(TASKS[0], 3)),
            best_rank=2,
            best_metric="F1",
            paper_id="7",
            paper_title="A Title",
            paper_arxiv_id="2010.11929",
            is_open=True,
            num_parameters=86_000_000,
            evaluation_protocol="Fine-tuned",
            source_url="https://example.org/result",
            code_url="https://example.org/code",
            updated_at="2024-01-02",
            uses_additional_data=False,
        ),
    )


def test_zero_shot_and_five_shot_rows_stay_apart() -> None:
    # catalog A56
    merged = merge_leaderboard([row(1, methodology="0-shot, greedy"), row(2, methodology="5 shot"), row(3)])
    assert [(one.id, one.shots) for one in merged] == [("1", 0), ("2", 5), ("3", None)]


def test_conflicting_metric_value_keeps_rows_apart() -> None:
    # catalog A56
    rows = [
        row(1, metrics={"Acc": 90.1, "F1": 1}),
        row(2, metrics={"Acc": 90.2}),
        row(3, metrics={"Acc": "90.2", "F1": 2}),
    ]
    assert [(one.id, one.metrics) for one in merge_leaderboard(rows)] == [
        ("1", {"Acc": 90.1, "F1": 1}),
        ("2", {"Acc": 90.2, "F1": 2}),
    ]


def test_row_that_fits_several_joins_the_best_ranked() -> None:
    rows = [row(3, metrics={"F1": 5}), row(1, metrics={"Acc": 1}, best_rank=1), row(2, metrics={"Acc": 2}, best_rank=2)]
    assert [one.metrics for one in merge_leaderboard(rows)] == [{"Acc": 1, "F1": 5}, {"Acc": 2}]


def test_text_values_must_be_equal_too() -> None:
    rows = [row(1, metrics={"Acc": "n/a"}), row(2, metrics={"Acc": "N/A"}), row(3, metrics={"Acc": "n/a"})]
    assert [one.id for one in merge_leaderboard(rows)] == ["1", "2"]


@pytest.mark.parametrize(
    "other",
    [
        {"paper_id": "8"},
        {"paper_id": None},
        {"benchmark": Link("2", "ImageNet")},
        {"model_name": "ViT-L"},
        {"harness": "lm-eval"},
        {"split": "test"},
    ],
)
def test_rows_that_differ_in_the_group_key_stay_apart(other: dict[str, Any]) -> None:
    assert len(merge_leaderboard([row(1), row(2, **other)])) == 2


def test_rows_without_a_paper_join_by_its_title() -> None:
    rows = [
        row(1, paper_id=None, paper_title="A  Title"),
        row(2, paper_id=None, paper_title="a title"),
        row(3, paper_id=None, paper_title="Another"),
        row(4, paper_id=None),
        row(5, paper_id=None),
    ]
    assert [one.id for one in merge_leaderboard(rows)] == ["1", "3", "4"]


def test_same_task_keeps_its_smaller_rank_and_a_missing_rank_comes_last() -> None:
    rows = [
        row(1, best_rank=None, task=TASKS[0]),
        row(2, best_rank=4, task=TASKS[1]),
        row(3, best_rank=6, task=TASKS[1]),
        row(4, best_rank=4, task=TASKS[2]),
        row(5, best_rank=9, task=None),
    ]
    (merged,) = merge_leaderboard(rows)
    assert merged.rank_scopes == (RankScope(TASKS[2], 4), RankScope(TASKS[1], 4), RankScope(TASKS[0], None))
    assert (merged.id, merged.best_rank, merged.task) == ("2", 4, TASKS[1])


@pytest.mark.parametrize(
    ("sizes", "merged"),
    [
        ([None, None], None),
        ([5, None], 5),
        ([None, 5], 5),
        ([5, 5], 5),
        ([5, 6], None),
        ([0, None], None),
        ([5, 0], None),
        ([-5, -5], None),
    ],
)
def test_size_is_kept_where_all_who_state_one_agree(sizes: list[int | None], merged: int | None) -> None:
    rows = [row(number, num_parameters=size) for number, size in enumerate(sizes)]
    assert [one.num_parameters for one in merge_leaderboard(rows)] == [merged]


@pytest.mark.parametrize(
    ("stated", "merged"),
    [([None, None], None), ([True, None], True), ([None, False], False), ([True, True], True), ([True, False], None)],
)
def test_openness_and_data_use_are_kept_where_all_who_state_them_agree(
    stated: list[bool | None], merged: bool | None
) -> None:
    # catalog A68
    rows = [row(number, is_open=value, uses_additional_data=value) for number, value in enumerate(stated)]
    assert [(one.is_open, one.uses_additional_data) for one in merge_leaderboard(rows)] == [(merged, merged)]


def test_links_are_the_first_in_rank_order() -> None:
    rows = [
        row(
            1, best_rank=2, source_url="https://example.org/2", code_url="https://example.org/code2", hf_model_url="x/2"
        ),
        row(2, best_rank=1, external_source_url="https://example.org/1", code_url="", paper_published="2020-10"),
    ]
    (merged,) = merge_leaderboard(rows)
    assert merged.source_url == "https://example.org/1"
    assert merged.code_url == "https://example.org/code2"
    assert merged.hf_model_url == "x/2"
    assert merged.paper_published == "2020-10"


def test_leaderboard_comes_by_rank_then_model_then_paper_then_id() -> None:
    rows = [
        row(1, model_name="c"),
        row(2, model_name="B", best_rank=2),
        row(3, model_name="a", best_rank=2),
        row(10, model_name="z", best_rank=1, paper_id="10"),
        row(4, model_name="z", best_rank=1, paper_id="9"),
        row(5, model_name="z", best_rank=1, paper_id=None),
        row(11, model_name="z", best_rank=1, paper_id="9", split="test"),
        row(6, model_name="z", best_rank=1, paper_id="x"),
    ]
    assert [one.id for one in merge_leaderboard(rows)] == ["4", "11", "10", "6", "5", "3", "2", "1"]


def test_results_of_a_paper_come_by_rank_then_benchmark_then_model() -> None:
    rows = [
        row(1, benchmark=Link("1", "b"), best_rank=1, model_name="y"),
        row(2, benchmark=Link("1", "b"), best_rank=1, model_name="x"),
        row(3, benchmark=Link("2", "A"), best_rank=1, model_name="z"),
        row(4, benchmark=Link("3", "c")),
    ]
    assert [one.id for one in merge_paper(rows)] == ["3", "2", "1", "4"]


@pytest.mark.parametrize(
    ("protocol", "shots"),
    [
        ("5-shot", 5), ("10 Shot CoT", 10), ("0-SHOT", 0), ("k=3-shots", 3), ("few-shot", None), ("a5-shot", None),
        ("shot 5", None), ("", None), (None, None), ("5-shotgun", None),
    ],
)  # fmt: skip
def test_shots_are_read_from_the_protocol(protocol: str | None, shots: int | None) -> None:
    assert shots_of(protocol) == shots


VALUES = st.sampled_from([1, 1.0, 2, "2", "2.0%", "n/a", "90 ± 1", 90])
ROWS = st.lists(
    st.builds(
        lambda **fields: fields,
        task=st.sampled_from([*TASKS, None]),
        model_name=st.sampled_from(["A", "a ", "B"]),
        paper_id=st.sampled_from(["1", None]),
        paper_title=st.sampled_from(["t", None]),
        methodology=st.sampled_from(["5-shot", "0-shot", None]),
        metrics=st.dictionaries(st.sampled_from(["Acc", "F1", "WER"]), VALUES),
        best_rank=st.none() | st.integers(1, 3),
        best_metric=st.sampled_from(["Acc", None]),
        num_parameters=st.sampled_from([None, 0, 5, 6]),
        is_open=st.sampled_from([None, True, False]),
        updated_at=st.sampled_from([None, "2024", "2025"]),
        code_url=st.sampled_from([None, "u", "v"]),
    ),
    max_size=12,
).map(lambda found: [row(number, **fields) for number, fields in enumerate(found, 1)])


def exact(rows: Sequence[MergedEvaluation]) -> list[str]:
    """With every type and the order of metrics, which equality of mappings does not see."""
    return [repr(one) for one in rows]


@given(ROWS, st.randoms(use_true_random=False))
def test_shuffling_the_raw_rows_changes_nothing(rows: list[EvaluationRow], order: random.Random) -> None:
    # catalog A59
    shuffled = order.sample(rows, len(rows))
    assert exact(merge_leaderboard(shuffled)) == exact(merge_leaderboard(rows))
    assert exact(merge_paper(shuffled)) == exact(merge_paper(rows))


@given(ROWS)
def test_merging_loses_no_metric_value(rows: list[EvaluationRow]) -> None:
    merged = merge_leaderboard(rows)
    assert len(merged) <= len(rows)
    for raw in rows:
        clean = {name: clean_value(value) for name, value in raw.metrics.items()}
        assert any(clean.items() <= one.metrics.items() for one in merged)


@given(ROWS)
def test_every_rank_is_found_in_a_scope_or_beaten_there(rows: list[EvaluationRow]) -> None:
    scopes = [(scope.task.id, scope.rank) for one in merge_leaderboard(rows) for scope in one.rank_scopes]
    for raw in rows:
        if raw.task is not None and raw.best_rank is not None:
            assert any(task == raw.task.id and rank is not None and rank <= raw.best_rank for task, rank in scopes)


def test_five_thousand_rows_that_contradict_each_other_merge_quickly() -> None:
    rows = [row(number, metrics={"Acc": number, "F1": number % 7}) for number in range(5_000)]
    started_s = time.process_time()
    merged = merge_leaderboard(rows)
    assert len(merged) == 5_000
    # Comparing each row with each cluster would take tens of seconds; the bound leaves room for a slow machine.
    assert time.process_time() - started_s < 2


def test_rows_are_left_as_they_were() -> None:
    raw = row(1, metrics={"Acc": "90%"})
    kept = replace(raw, metrics=dict(raw.metrics))
    merge_leaderboard([raw, row(2, metrics={"F1": 1})])
    assert raw == kept
