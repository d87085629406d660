from typing import Any

import pytest

from core.ingest.parameters import parameters_of


@pytest.mark.parametrize(
    ("metrics", "size"),
    [
        ({"Number of params": "340M"}, 340_000_000),
        ({"Params": "1.5B"}, 1_500_000_000),
        ({"#Params": "3.0m"}, 3_000_000),
        ({"Parameters (M)": 110}, 110_000_000),
        ({"Parameters (M)": "66.5"}, 66_500_000),
        ({"Params (B)": "7"}, 7_000_000_000),
        ({"Params(M)": "1.2B"}, 1_200_000_000),
        ({"Number of parameters": "340,000,000"}, 340_000_000),
        ({"PARAMS": 23_500_000.0}, 23_500_000),
        ({"Params": "n/a", "Number of params": "24M"}, 24_000_000),
        ({"Params": "24"}, None),
        ({"Params": "~257M"}, None),
        ({"Params": "220k"}, None),
        ({"Params": "50%"}, None),
        ({"Params": "1000 ± 5"}, None),
        ({"Params (MB)": "24"}, None),
        ({"Trainable layers": "24M"}, None),
        ({"Accuracy": 91.5}, None),
        ({"Params": 0}, None),
        ({"Params": "1.0000000001B"}, None),
    ],
)
def test_sizes_are_read_by_the_size_syntax(metrics: dict[str, Any], size: int | None) -> None:
    assert parameters_of(metrics) == size
