"""The benchmarks and evaluations of the test catalog: a big leaderboard, a busy task, and odd names and values."""

from collections.abc import Iterable

from tests.odd_papers import LONG_URL, Record

BUSY_TASK_BENCHMARKS = 60
BIG_BENCHMARK = "Lantern Reading"
BIG_BENCHMARK_ROWS = 133
BIG_BENCHMARK_MERGED = 103
NUMBER_BENCHMARK = "2048"
SPELLING_BENCHMARK = "Foghorn Speech"
ODD_METRIC = "Acc, top=1:x"


def benchmarks() -> list[Record]:
    """Every benchmark of the test catalog."""
    wide = [{"name": f"Metric {number:02}"} for number in range(25)]
    benchmarks: list[Record] = [
        {
            "key": "big",
            "name": BIG_BENCHMARK,
            "full_name": "Lantern Reading Comprehension Suite",
            "description": "Read by lantern light. " * 300,
            "aliases": ["LRC", "Lantern-RC"],
            "tasks": ["reading", "answering"],
            "metrics": [{"name": "Accuracy", "direction": "higher"}, {"name": "F1"}, {"name": "Params (M)"}],
            "hf_url": "https://huggingface.co/datasets/example/lantern-reading",
            "created_at": "2020-02-02",
        },
        {"key": "2048", "name": NUMBER_BENCHMARK, "tasks": ["puzzles"], "metrics": [{"name": "Score"}]},
        {
            "key": "spelling",
            "name": SPELLING_BENCHMARK,
            "tasks": ["speech"],
            "metrics": [{"name": "WER"}, {"name": "wer"}, {"name": ODD_METRIC}, {"name": "Frobnication"}],
        },
        {
            "key": "backwards",
            "name": "Backwards Board",
            "tasks": ["speech"],
            "metrics": [{"name": "Accuracy", "direction": "lower"}, {"name": "Latency", "direction": "higher"}],
        },
        {"key": "wide", "name": "Wide Board", "tasks": [f"child-{n}" for n in range(7)], "metrics": wide},
        {"key": "twin-vision", "name": "Twin Board", "tasks": ["seg-vision"], "slug": "twin-board-vision", "id": 501},
        {"key": "twin-speech", "name": "Twin Board", "tasks": ["seg-speech"], "slug": "twin-board-speech", "id": 502},
        {"key": "empty", "name": "Empty Board", "tasks": ["no-area"]},
        {"key": "grandchild", "name": "Dusk Board", "tasks": ["grandchild"], "metrics": [{"name": "mAP@0.5"}]},
    ]
    for number in range(BUSY_TASK_BENCHMARKS):
        name = {
            "key": f"busy-{number}",
            "name": f"LanternTrack {number:02}",
            "created_at": f"2022-01-{number % 28 + 1:02}",
        }
        benchmarks.append(name | {"tasks": ["busy"], "metrics": [{"name": "Accuracy"}]})
    return benchmarks


def evaluations() -> list[Record]:
    """Every raw evaluation row of the test catalog."""
    return [*_big_rows(), *_odd_rows(), *_busy_rows()]


def _big_rows() -> Iterable[Record]:
    """One leaderboard of many raw rows: two tasks, two shot counts, open, closed and unknown, sized and unsized."""
    for number in range(60):
        row: Record = {"benchmark": "big", "model_name": f"Lantern-{number}", "paper": f"filler-{number}"}
        accuracy = 95 - number / 2
        if number % 3 < 2:
            row |= {"is_open": number % 3 == 0, "num_parameters": (number + 1) * 125_000_000}
        zero_shot = {"protocol": "0-shot, greedy decoding", "rank": number + 1, "best_metric": "Accuracy"}
        written = f"{accuracy}%" if number % 2 else accuracy
        yield row | zero_shot | {"task": "reading", "metrics": {"Accuracy": written, "Params (M)": number * 125 + 125}}
        if number < 40:
            five_shot = {"protocol": "5-shot", "rank": number + 61, "harness": "house harness"}
            yield (
                row | five_shot | {"task": "reading", "metrics": {"Accuracy": accuracy + 2, "F1": f"{accuracy} ± 0.3"}}
            )
        if number < 30:
            yield row | zero_shot | {"task": "answering", "metrics": {"Accuracy": accuracy, "F1": accuracy - 1}}
    # The same model again with another value, one known by its title only, and one by nothing.
    bare: Record = {"benchmark": "big", "task": "reading"}
    yield bare | {"model_name": "lantern-0", "paper": "filler-0", "protocol": "0-shot", "metrics": {"Accuracy": 11.5}}
    yield bare | {
        "model_name": "Stray",
        "paper_title": "A Paper Held Nowhere",
        "metrics": {"Accuracy": "n/a", "F1": "1,234.5"},
    }
    yield bare | {"model_name": "Nameless 灯", "metrics": {"Accuracy": "1,5"}}


def _odd_rows() -> Iterable[Record]:
    for number in range(3):
        model = {"model_name": f"Tiler {number}", "paper": f"filler-{number}", "rank": number + 1}
        yield {"benchmark": "2048", "task": "puzzles", "metrics": {"Score": f"{4 - number},096"}, **model}
    for number in range(5):
        metrics = {"WER": 2.5 + number, "wer": f"{3 + number}%", ODD_METRIC: 90 - number, "Frobnication": number}
        row = {"benchmark": "spelling", "task": "speech", "model_name": f"Horn {number}", "metrics": metrics}
        yield row | {"paper": "unique-name", "rank": number + 1, "split": "test", "is_open": True}
    yield {"benchmark": "backwards", "task": "speech", "model_name": "Turned", "metrics": {"Accuracy": 1, "Latency": 2}}
    for number in range(7):
        yield {
            "benchmark": "wide",
            "task": f"child-{number}",
            "model_name": "Wide Load " + "and wider " * 25,
            "paper": "long-names",
            "rank": number + 1,
            "protocol": "A protocol told at length. " * 20,
            "source_url": LONG_URL,
            "code_url": "https://example.org/code/wide",
            "hf_model_url": "https://huggingface.co/example/wide",
            "updated_at": "2025-01-02",
            "uses_additional_data": True,
            "metrics": {f"Metric {n:02}": n + 0.5 for n in range(25)},
        }
    for key, task in (("twin-vision", "seg-vision"), ("twin-speech", "seg-speech")):
        yield {
            "benchmark": key,
            "task": task,
            "model_name": "Twin",
            "paper": "twin-1",
            "rank": 1,
            "metrics": {"IoU": 50},
        }
    yield {
        "benchmark": "grandchild",
        "task": "grandchild",
        "model_name": "Dusk",
        "paper": "dash",
        "metrics": {"mAP@0.5": 0.5},
    }


def _busy_rows() -> Iterable[Record]:
    for number in range(BUSY_TASK_BENCHMARKS):
        for place in range(1 + number % 3):
            row = {"benchmark": f"busy-{number}", "task": "busy", "model_name": f"Tracker {place}", "rank": place + 1}
            yield row | {
                "paper": f"filler-{number + place}",
                "metrics": {"Accuracy": 90 - place},
                "is_open": number % 2 == 0,
            }
