"""The number of parameters of a model, read from a metric that counts them (catalog contract 20.1)."""

import re
from collections.abc import Mapping

from core.catalog.metrics import numeric_value
from core.catalog.models import MetricValue
from core.catalog.selection import MAX_SIZE, parse_size
from core.errors import InvalidInput
from core.folds import key_fold

_UNIT = re.compile(r"\(\s*(?:in\s+)?(?P<unit>m|mb|million|millions|b|bn|billion|billions)\s*\)", re.IGNORECASE)
_NAMES = frozenset(
    {"params", "param", "parameters", "number of params", "number of parameters", "num params", "num parameters"}
    | {"model params", "model parameters", "no of params", "no of parameters", "parameter count", "total parameters"}
)
_LEAST_WITHOUT_UNIT = 1000
"""A smaller bare number is a count of millions or billions whose unit was left out: which one is not known."""


def _suffix_of(unit: str) -> str:
    # `MB` after "params" is an often seen slip for millions of parameters, but it may also be bytes: not read.
    return {"m": "M", "b": "B"}.get(unit[0].lower(), "") if unit.lower() != "mb" else ""


def counts_parameters(metric: str) -> bool:
    """Whether a metric's name, its unit aside, says that it counts parameters."""
    return key_fold(_UNIT.sub(" ", metric)) in _NAMES


def parameters_of(metrics: Mapping[str, MetricValue]) -> int | None:
    """The size of the first such metric that can be read; a unit at the value beats the one in the name."""
    for metric, value in metrics.items():
        if counts_parameters(metric) and (size := _size(metric, value)) is not None:
            return size
    return None


def _size(metric: str, value: MetricValue) -> int | None:
    text = str(value).strip()
    number = numeric_value(text)
    if number is None:
        return _parsed_size(text)
    if unit := _UNIT.search(metric):
        return _parsed_size(f"{number}{suffix}") if (suffix := _suffix_of(unit["unit"])) else None
    is_count = number == int(number) and _LEAST_WITHOUT_UNIT <= number <= MAX_SIZE
    return int(number) if is_count and "%" not in text and "±" not in text else None


def _parsed_size(text: str) -> int | None:
    try:
        return parse_size(text)
    except InvalidInput:
        return None
