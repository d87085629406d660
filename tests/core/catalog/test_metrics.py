"""Metric values, metric names and directions."""

import pytest

from core.catalog.directions import direction
from core.catalog.metrics import MetricMatch, MetricNames, clean_value, numeric_value
from core.errors import Ambiguous, Entry, InvalidInput


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("90.1", 90.1),
        ("90.1%", 90.1),
        ("1,234.5", 1234.5),
        ("90.1 ± 0.2", 90.1),
        ("90.1% ± 0.2", 90.1),
        ("90.1±0.2 %", 90.1),
        (" 90 % ", 90),
        ("-3.5", -3.5),
        ("+3", 3),
        (".5", 0.5),
        ("5.", 5.0),
        ("1,234,567", 1234567),
        ("12345678901234567890", 1.2345678901234567e19),
        (90.1, 90.1),
        (0, 0),
    ],
)
def test_value_is_numeric(value: object, number: float) -> None:
    # catalog A61
    assert numeric_value(value) == number
    assert type(numeric_value(value)) is type(number)


@pytest.mark.parametrize(
    "value",
    [
        "1,5", "n/a", True, False, float("nan"), float("inf"), "NaN", "inf", None, "", " ", "%", "±0.2", ".", "-",
        "1e5", "0x10", "1,2345", "12,34", "1 234", "90.1%%", "86M", "１２", "9" * 400 + ".5", [], "1.2.3", ",123",
    ],
    ids=repr,
)  # fmt: skip
def test_value_is_not_numeric(value: object) -> None:
    # catalog A61
    assert numeric_value(value) is None


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ("90.1 ± 0.2", 90.1),
        ("n/a", "n/a"),
        (True, "true"),
        (False, "false"),
        (float("inf"), "inf"),
        ([1], "[1]"),
        (7, 7),
    ],
)
def test_numeric_text_is_shown_as_a_number_and_all_else_as_text(value: object, clean: object) -> None:
    assert clean_value(value) == clean
    assert type(clean_value(value)) is type(clean)


NAMES = MetricNames(
    [
        "Accuracy",
        "WER",
        "Top-5 Accuracy",
        "F1",
        "f1",
        "Acc, top=1:x",
        "Score",
        "Params (M)",
        "↑",
        "BLEU-4",
        "mIoU (val)",
    ],
    "GenEval",
)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Accuracy", "Accuracy"),
        ("F1", "F1"),
        ("f1", "f1"),
        ("Acc, top=1:x", "Acc, top=1:x"),
        ("wer", "WER"),
        ("top 5 ACCURACY", "Top-5 Accuracy"),
        ("acc - top 1 x", "Acc, top=1:x"),
        ("Top-1", "Accuracy"),
        ("percentage correct", "Accuracy"),
        ("Word Error Rate", "WER"),
        ("overall", "Score"),
        ("GenEval Score", "Score"),
        ("WER on GenEval", "WER"),
        ("GenEval: average", "Score"),
        ("#params", "Params (M)"),
        ("mean IoU", "mIoU (val)"),
        ("bleu 4 (test)", "BLEU-4"),
        ("↑", "↑"),
    ],
)
def test_request_names_a_metric(asked: str, name: str) -> None:
    # catalog A65
    assert NAMES.match(asked) == MetricMatch(asked, name)
    assert NAMES.match(asked).is_exact is (asked == name)


@pytest.mark.parametrize(
    ("names", "asked", "candidates"),
    [
        (["Acc", "Top-1"], "accuracy", ["Acc", "Top-1"]),
        (["F1", "f1"], "F1 Score", ["F1", "f1"]),
        (["WER", "wer"], "Wer", ["WER", "wer"]),
        (["BLEU (en-de)", "BLEU (en-fr)"], "bleu", ["BLEU (en-de)", "BLEU (en-fr)"]),
        (["Top-1 Error", "Top-1 Precision"], "top-1", ["Top-1 Error", "Top-1 Precision"]),
    ],
)
def test_request_for_several_metrics_is_ambiguous(names: list[str], asked: str, candidates: list[str]) -> None:
    # catalog A66
    with pytest.raises(Ambiguous) as failure:
        MetricNames(names, "Any").match(asked)
    assert failure.value.candidates == tuple(Entry(name, name=name) for name in candidates)


@pytest.mark.parametrize("asked", ["Frobnication", "", " ", "?", "cc", "Accurac", "↓", "GenEval"])
def test_unknown_metric_lists_all_names(asked: str) -> None:
    # catalog A66
    with pytest.raises(InvalidInput) as failure:
        NAMES.match(asked)
    assert failure.value.suggestions == tuple(Entry(name, name=name) for name in NAMES.names)


def test_earlier_level_decides_over_a_later_one() -> None:
    names = MetricNames(["acc", "Accuracy", "Top-1 Accuracy"], "Any")
    assert [names.match(asked).name for asked in ("Acc", "ACCURACY", "top 1 accuracy")] == [
        "acc",
        "Accuracy",
        "Top-1 Accuracy",
    ]
    assert MetricNames(["F-1", "f 1"], "Any").match("F 1").name == "f 1"


def test_benchmark_without_a_word_in_its_name_is_no_part_of_a_request() -> None:
    names = MetricNames(["Score"], "∞")
    assert names.match("∞ Score") == MetricMatch("∞ Score", "Score")
    with pytest.raises(InvalidInput):
        names.match("∞")


def test_two_names_for_one_metric_in_a_parameter_are_refused() -> None:
    for asked in (["Accuracy", "acc"], ["WER", "WER"]):
        with pytest.raises(InvalidInput) as failure:
            MetricNames(["Accuracy", "WER"], "Any").match_all(asked, "require_metrics")
        assert "require_metrics" in failure.value.message


@pytest.mark.parametrize(
    "name",
    [
        "Accuracy", "mAP@0.5", "Pass@1", "FPS", "δ<1.25", "Delta < 1.25", "δ<1.25^2", "R@5", "Hits@10", "P@1", "BLEU-4",
        "Samples per second", "Success Rate", "Log Likelihood", "Average Precision Error", "MS-SSIM", "Rank-1",
        "δ↑ loss", "Loss (higher is better)", "ROUGE-L (F)", "AP50", "Top 1", "Elo", "R²", "Explained Variance",
    ],
)  # fmt: skip
def test_more_is_better(name: str) -> None:
    # catalog A62
    assert direction(name, {}) == "higher"


@pytest.mark.parametrize(
    "name",
    [
        "WER", "FID score", "Top-1 error", "bits per byte", "GFLOPs", "PER", "Negative Log-Likelihood", "Accuracy ↓",
        "Accuracy (lower is better)", "False Positive Rate", "Mean Rank", "Number of params", "Params (M)", "Med.R",
        "Inference Time (ms)", "FID-10k", "Equal Error Rate", "KL divergence", "word_error", "MAE2",
    ],
)  # fmt: skip
def test_less_is_better(name: str) -> None:
    # catalog A62
    assert direction(name, {}) == "lower"


@pytest.mark.parametrize("name", ["Frobnication", "", "Errors", "Xaccuracy", "per person", "δ", "42"])
def test_direction_is_unknown(name: str) -> None:
    # catalog A62
    assert direction(name, {}) == "unknown"


def test_recorded_direction_beats_the_name() -> None:
    # catalog A62
    recorded = {"Accuracy": "lower", "WER ↑": "lower", "Frobnication": "higher", "FPS": "sideways"}
    assert [direction(name, recorded) for name in ("Accuracy", "WER ↑", "Frobnication", "FPS", "Recall")] == [
        "lower",
        "lower",
        "higher",
        "higher",
        "higher",
    ]
