"""Selections over a leaderboard: filters, Pareto fronts, order, paging, notes."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.catalog.leaderboard import Leaderboard, ParameterCoverage, build, non_dominated, select
from core.catalog.models import Benchmark, EvaluationRow, Link, MetricValue
from core.catalog.selection import Selection, parse_size
from core.errors import Ambiguous, InvalidInput, Unavailable

BENCHMARK = Benchmark("1", "LibriSpeech", metric_directions={"Score": "lower"})


def row(number: int, metrics: Mapping[str, MetricValue] | None = None, **fields: Any) -> EvaluationRow:
    defaults = {"benchmark": Link("1", "LibriSpeech"), "task": Link("2", "ASR"), "model_name": f"model {number}"}
    return EvaluationRow(id=str(number), metrics=metrics or {}, **(defaults | fields))


def board(*rows: EvaluationRow, count: int | None = None) -> Leaderboard:
    return build(BENCHMARK, rows, len(rows) if count is None else count)


def ids(leaderboard: Leaderboard, **selection: Any) -> list[str]:
    return [one.id for one in select(leaderboard, Selection(**selection)).rows]


MIXED = board(
    row(1, {"WER": 2.0, "Accuracy": "90%"}, best_rank=1, is_open=True, num_parameters=500_000_000),
    row(2, {"WER": "3.5", "Accuracy": 95}, best_rank=2, is_open=False, num_parameters=1_500_000_000),
    row(3, {"WER": "n/a", "Accuracy": 80}, best_rank=3, num_parameters=3_000_000_000),
    row(4, {"WER": 1.0}, best_rank=4, is_open=True),
)


def test_leaderboard_counts_rows_metrics_and_directions() -> None:
    # catalog A58
    leaderboard = board(row(1, {"WER": 2}), row(1, {"Score": 1}), row(2, {"Frobnication": 1}), count=7)
    assert (leaderboard.evaluation_count, leaderboard.merged_count, leaderboard.complete) == (7, 2, False)
    assert leaderboard.metrics == ("WER", "Score", "Frobnication")
    assert leaderboard.directions == {"WER": "lower", "Score": "lower", "Frobnication": "unknown"}
    assert "best-ranked part" in select(leaderboard, Selection()).notes[0]
    assert MIXED.complete
    assert select(MIXED, Selection()).notes == ()


def test_openness_matches_only_where_it_is_known() -> None:
    # catalog A68
    assert ids(MIXED, is_open=True) == ["1", "4"]
    assert ids(MIXED, is_open=False) == ["2"]
    assert ids(MIXED) == ["1", "2", "3", "4"]


def test_size_filter_is_inclusive_and_states_its_coverage() -> None:
    # catalog A67
    selected = select(MIXED, Selection(max_parameters="1.5b", is_open=False))
    assert [one.id for one in selected.rows] == ["2"]
    assert selected.parameter_coverage == ParameterCoverage(known=3, total=4)
    assert selected.applied_filters == {"is_open": "false", "max_parameters": "1500000000"}
    assert selected.notes == ("3 of 4 rows state a number of parameters; the others are left out.",)
    assert select(MIXED, Selection()).parameter_coverage is None


def test_size_filter_without_any_size_is_unavailable() -> None:
    # catalog A67
    with pytest.raises(Unavailable):
        select(board(row(1, {"WER": 1})), Selection(max_parameters="3B"))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500M", 500_000_000),
        ("1.5b", 1_500_000_000),
        ("3B", 3_000_000_000),
        ("4_000_000", 4_000_000),
        (" 7m ", 7_000_000),
        ("1", 1),
        ("0.000001M", 1),
        ("9223372036854775806", 2**63 - 2),
    ],
)
def test_size_is_read(text: str, size: int) -> None:
    # catalog A67
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text",
    [
        "1.5", "0", "-1", "1.0000000001B", "", "M", "1e9", "+5", "5K", "5 M", "4__0", "_4", "4_", "1_0M", "1.M", ".5B",
        "9223372036854775807", "10000000000B", "0B", "٣B", "1" * 33,
    ],
)  # fmt: skip
def test_size_is_refused(text: str) -> None:
    # catalog A67
    with pytest.raises(InvalidInput):
        parse_size(text)


def test_required_metric_needs_a_number() -> None:
    # catalog A63
    assert ids(MIXED, require_metrics=("WER",)) == ["1", "2", "4"]
    assert ids(MIXED, require_metrics=("WER", "Accuracy")) == ["1", "2"]


def test_thresholds_are_inclusive_and_need_a_number() -> None:
    # catalog A63
    assert ids(MIXED, minimum_metrics={"Accuracy": 90}) == ["1", "2"]
    assert ids(MIXED, maximum_metrics={"WER": 2.0}) == ["1", "4"]
    assert ids(MIXED, minimum_metrics={"acc": 80}, maximum_metrics={"Accuracy": 90}) == ["1", "3"]
    assert ids(MIXED, minimum_metrics={"Accuracy": 95.0001}) == []


def test_pareto_keeps_exactly_the_rows_that_none_dominates_equal_ones_included() -> None:
    # catalog A64
    leaderboard = board(
        row(1, {"Accuracy": 90, "Params": 100}),
        row(2, {"Accuracy": "90%", "Params": 100.0}),
        row(3, {"Accuracy": 80, "Params": 100}),
        row(4, {"Accuracy": 80, "Params": 50}),
        row(5, {"Accuracy": 95, "Params": 900}),
        row(6, {"Accuracy": 95, "Params": 901}),
        row(7, {"Accuracy": 99}),
    )
    assert ids(leaderboard, pareto=("accuracy:higher", "params:lower")) == ["5", "1", "2", "4"]
    assert ids(leaderboard, pareto=("params:lower", "accuracy:higher")) == ["4", "1", "2", "5"]
    assert ids(leaderboard, pareto=("params:lower", "accuracy:higher"), sort_metric="accuracy:asc") == [
        "4",
        "1",
        "2",
        "5",
    ]
    assert ids(leaderboard, pareto=("params:lower", "accuracy:higher"), maximum_metrics={"Accuracy": 80}) == ["4"]


POINTS = st.lists(st.tuples(*[st.integers(0, 3) | st.sampled_from([1.0, 2.5])] * 3), max_size=30)


@given(POINTS)
def test_front_equals_the_plain_definition(points: list[tuple[float, ...]]) -> None:
    def dominates(one: Sequence[float], other: Sequence[float]) -> bool:
        return all(a >= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)

    assert non_dominated(points) == [not any(dominates(other, point) for other in points) for point in points]


def test_sorting_a_lower_is_better_metric_without_a_suffix_sorts_down_with_a_note() -> None:
    # catalog A65
    selected = select(MIXED, Selection(sort_metric="wer"))
    assert [one.id for one in selected.rows] == ["2", "1", "4"]
    assert selected.metric_matches == {"wer": "WER"}
    assert selected.metrics_named == ("WER",)
    assert selected.applied_filters == {"sort_metric": "WER:desc"}
    assert selected.notes == (
        "'wer' was read as the metric 'WER'.",
        "Lower is better for 'WER', and the highest come first. For the best, sort by 'WER:asc'.",
    )


@pytest.mark.parametrize(
    ("sort", "order"), [("WER:asc", ["4", "1", "2"]), ("WER:desc", ["2", "1", "4"]), ("Accuracy", ["2", "1", "3"])]
)
def test_stated_direction_has_no_note(sort: str, order: list[str]) -> None:
    # catalog A65
    selected = select(MIXED, Selection(sort_metric=sort))
    assert ([one.id for one in selected.rows], selected.notes, selected.metric_matches) == (order, (), {})


def test_metric_name_may_hold_colons_commas_and_equals_signs() -> None:
    # catalog A9
    leaderboard = board(row(1, {"Acc, top=1:x": 1, "a:ASC": 1}), row(2, {"Acc, top=1:x": 2, "a:ASC": 2}))
    assert ids(leaderboard, sort_metric="Acc, top=1:x") == ["2", "1"]
    assert ids(leaderboard, sort_metric="Acc, top=1:x:asc") == ["1", "2"]
    assert ids(leaderboard, sort_metric="a:ASC") == ["2", "1"]
    assert ids(leaderboard, pareto=("Acc, top=1:x:higher", "a:ASC:higher")) == ["2"]
    assert ids(leaderboard, require_metrics=("Acc, top=1:x",)) == ["1", "2"]


@pytest.mark.parametrize("objective", ["WER", "WER:", "WER:up", "WER:asc", ":higher", "WER:Higher", ""])
def test_objective_without_its_direction_is_refused(objective: str) -> None:
    with pytest.raises(InvalidInput):
        select(MIXED, Selection(pareto=("Accuracy:higher", objective)))


@pytest.mark.parametrize(
    "selection",
    [
        Selection(pareto=("WER:lower", "wer:higher")),
        Selection(pareto=("WER:lower", "WER:higher")),
        Selection(require_metrics=("acc", "Accuracy")),
        Selection(minimum_metrics={"acc": 1, "Accuracy": 2}),
        Selection(sort_metric=":asc"),
        Selection(sort_metric="Frobnication"),
    ],
)
def test_selection_that_names_no_metric_or_one_twice_is_refused(selection: Selection) -> None:
    # catalog A66
    with pytest.raises(InvalidInput):
        select(MIXED, selection)


def test_ambiguous_metric_is_ambiguous_in_every_parameter() -> None:
    # catalog A66
    leaderboard = board(row(1, {"WER": 1, "wer": 2, "Acc": 1}))
    for selection in (
        Selection(sort_metric="Wer:asc"),
        Selection(require_metrics=("Wer",)),
        Selection(minimum_metrics={"Wer": 1}),
        Selection(pareto=("Acc:higher", "Wer:lower")),
    ):
        with pytest.raises(Ambiguous):
            select(leaderboard, selection)
    assert ids(leaderboard, sort_metric="wer") == ["1"]


def test_everything_at_once_is_applied_and_told() -> None:
    selected = select(
        MIXED,
        Selection(
            is_open=True,
            max_parameters="1B",
            require_metrics=("LibriSpeech WER",),
            minimum_metrics={"top-1": 90},
            maximum_metrics={"WER": 2.5},
            sort_metric="Accuracy:asc",
            pareto=("WER:lower", "Accuracy:higher"),
        ),
    )
    assert [one.id for one in selected.rows] == ["1"]
    assert selected.metrics_named == ("WER", "Accuracy")
    assert selected.metric_matches == {"LibriSpeech WER": "WER", "top-1": "Accuracy"}
    assert selected.applied_filters == {
        "is_open": "true",
        "max_parameters": "1000000000",
        "require_metrics": "WER",
        "minimum_metrics": "Accuracy >= 90",
        "maximum_metrics": "WER <= 2.5",
        "sort_metric": "Accuracy:asc",
        "pareto": "WER:lower, Accuracy:higher",
    }


def test_equal_sort_values_fall_in_leaderboard_order() -> None:
    rows = [row(n, {"WER": 1}, best_rank=rank) for n, rank in [(1, None), (2, 3), (3, 1), (4, 3)]]
    assert ids(board(*rows), sort_metric="WER:asc") == ids(board(*rows), sort_metric="WER:desc") == ["3", "2", "4", "1"]


def test_merged_row_is_counted_once_and_pages_are_full() -> None:
    # catalog A57, A58
    rows = [row(n, {"WER": n % 200}, model_name=f"model {n % 200}", best_rank=n) for n in range(1, 251)]
    leaderboard = board(*random.Random(3).sample(rows, len(rows)))
    selected = select(leaderboard, Selection(minimum_metrics={"WER": 50}))
    assert (leaderboard.evaluation_count, leaderboard.merged_count, selected.matched_count) == (250, 200, 150)
    pages = [selected.page(page, 20) for page in range(1, 10)]
    assert [len(page) for page in pages] == [20] * 7 + [10, 0]
    assert len({one.model_name for page in pages for one in page}) == 150


ROWS = st.lists(
    st.builds(
        lambda **fields: fields,
        metrics=st.dictionaries(
            st.sampled_from(["WER", "Accuracy", "F1"]), st.sampled_from([1, 2.5, "3%", "n/a", "4 ± 1"])
        ),
        model_name=st.sampled_from(["A", "B", "C"]),
        best_rank=st.none() | st.integers(1, 4),
        is_open=st.sampled_from([None, True, False]),
        num_parameters=st.sampled_from([None, 5, 6]),
    ),
    max_size=15,
).map(
    lambda found: [row(0, {"WER": 1, "Accuracy": 1, "F1": 1}), *(row(n, **fields) for n, fields in enumerate(found, 1))]
)
SELECTIONS = st.builds(
    Selection,
    is_open=st.sampled_from([None, True, False]),
    require_metrics=st.sampled_from([(), ("F1",)]),
    minimum_metrics=st.sampled_from([{}, {"Accuracy": 2.5}]),
    maximum_metrics=st.sampled_from([{}, {"WER": 3}]),
    sort_metric=st.sampled_from([None, "WER", "Accuracy:asc"]),
    pareto=st.sampled_from([(), ("WER:lower", "Accuracy:higher"), ("WER:lower", "Accuracy:higher", "F1:higher")]),
)


@given(ROWS, SELECTIONS, st.integers(1, 7))
def test_pages_joined_are_the_whole_selection(rows: list[EvaluationRow], selection: Selection, limit: int) -> None:
    leaderboard = board(*rows)
    selected = select(leaderboard, selection)
    pages = -(-selected.matched_count // limit)
    joined = [one for page in range(1, pages + 1) for one in selected.page(page, limit)]
    assert joined == list(selected.rows)
    assert selected.page(pages + 1, limit) == ()
    assert leaderboard.evaluation_count >= leaderboard.merged_count >= selected.matched_count


@given(ROWS, SELECTIONS, st.randoms(use_true_random=False))
def test_shuffling_the_raw_rows_changes_no_selection(
    rows: list[EvaluationRow], selection: Selection, order: random.Random
) -> None:
    # catalog A59
    shuffled = board(*order.sample(rows, len(rows)))
    assert (shuffled, select(shuffled, selection)) == (board(*rows), select(board(*rows), selection))
