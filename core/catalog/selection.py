"""What a caller may ask of a leaderboard, and its parsing: sizes, sort and Pareto suffixes, metric names."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from core.catalog.metrics import MetricMatch, MetricNames
from core.errors import InvalidInput

MAX_SIZE = 2**63 - 2

_WHOLE_SIZE = re.compile(r"[0-9]+(?:_[0-9]+)*")
_SHORT_SIZE = re.compile(r"([0-9]+(?:\.[0-9]+)?)([MB])", re.IGNORECASE)
_UNITS = {"m": 10**6, "b": 10**9}
_MAX_SIZE_CHARS = 32
_MAX_PLAIN = 1e15

Number = int | float


@dataclass(frozen=True, slots=True)
class Selection:
    """What a caller asks of a leaderboard, as sent; absent parts do not filter (catalog contract 6.12)."""

    is_open: bool | None = None
    max_parameters: str | None = None
    require_metrics: tuple[str, ...] = ()
    minimum_metrics: Mapping[str, Number] = field(default_factory=dict)
    maximum_metrics: Mapping[str, Number] = field(default_factory=dict)
    sort_metric: str | None = None
    pareto: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sort:
    """A metric to sort by; `is_stated` tells whether the caller named the direction."""

    match: MetricMatch
    descending: bool
    is_stated: bool


@dataclass(frozen=True, slots=True)
class Objective:
    """A metric of a Pareto selection and which way is better."""

    match: MetricMatch
    is_higher: bool


@dataclass(frozen=True, slots=True)
class Bound:
    """An inclusive bound on a metric."""

    match: MetricMatch
    value: Number


@dataclass(frozen=True, slots=True)
class Plan:
    """A selection with its size parsed and its metric names resolved."""

    is_open: bool | None
    max_size: int | None
    required: tuple[MetricMatch, ...]
    minima: tuple[Bound, ...]
    maxima: tuple[Bound, ...]
    sort: Sort | None
    objectives: tuple[Objective, ...]

    @property
    def matches(self) -> tuple[MetricMatch, ...]:
        """Every metric that the selection names, in the order of its parameters."""
        bounds = tuple(bound.match for bound in (*self.minima, *self.maxima))
        sort = (self.sort.match,) if self.sort else ()
        return (*self.required, *bounds, *sort, *(objective.match for objective in self.objectives))

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The metrics themselves, each once; a selected row needs a number for all of them."""
        return tuple(dict.fromkeys(match.name for match in self.matches))

    def applied(self) -> dict[str, str]:
        """What runs, as text, by parameter."""
        parts = {
            "is_open": "" if self.is_open is None else str(self.is_open).lower(),
            "max_parameters": "" if self.max_size is None else str(self.max_size),
            "require_metrics": ", ".join(match.name for match in self.required),
            "minimum_metrics": ", ".join(f"{bound.match.name} >= {_plain(bound.value)}" for bound in self.minima),
            "maximum_metrics": ", ".join(f"{bound.match.name} <= {_plain(bound.value)}" for bound in self.maxima),
            "sort_metric": f"{self.sort.match.name}:{'desc' if self.sort.descending else 'asc'}" if self.sort else "",
            "pareto": ", ".join(
                f"{objective.match.name}:{'higher' if objective.is_higher else 'lower'}"
                for objective in self.objectives
            ),
        }
        return {name: text for name, text in parts.items() if text}


def _plain(value: Number) -> str:
    """A bound as a caller would write it: `90` for 90.0."""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < _MAX_PLAIN
    return str(int(value) if is_whole else value)


def plan(selection: Selection, names: MetricNames) -> Plan:
    """Parses and resolves a selection; syntax is checked before any name is looked up.

    Raises `InvalidInput` for bad syntax, for an unknown metric and for one named twice in a parameter, `Ambiguous` for
    a name of several metrics.
    """
    max_size = None if selection.max_parameters is None else parse_size(selection.max_parameters)
    sort_parts = None if selection.sort_metric is None else _split(selection.sort_metric, ("asc", "desc"))
    pareto_parts = [_pareto_parts(text) for text in selection.pareto]
    return Plan(
        is_open=selection.is_open,
        max_size=max_size,
        required=names.match_all(selection.require_metrics, "require_metrics"),
        minima=_bounds(selection.minimum_metrics, names, "minimum_metrics"),
        maxima=_bounds(selection.maximum_metrics, names, "maximum_metrics"),
        sort=_sort(sort_parts, names) if sort_parts else None,
        objectives=tuple(
            Objective(match, suffix == "higher")
            for match, (_, suffix) in zip(
                names.match_all([name for name, _ in pareto_parts], "pareto"), pareto_parts, strict=True
            )
        ),
    )


def check_syntax(selection: Selection) -> None:
    """Raises `InvalidInput` for what is wrong whatever the leaderboard: a size or a Pareto objective."""
    if selection.max_parameters is not None:
        parse_size(selection.max_parameters)
    for text in selection.pareto:
        _pareto_parts(text)


def parse_size(text: str) -> int:
    """A number of parameters: `4_000_000`, `500M` or `1.5B`, from 1 to 2^63-2."""
    size: Fraction | None = None
    value = text.strip()
    if len(value) <= _MAX_SIZE_CHARS:
        if _WHOLE_SIZE.fullmatch(value):
            size = Fraction(value.replace("_", ""))
        elif match := _SHORT_SIZE.fullmatch(value):
            size = Fraction(match.group(1)) * _UNITS[match.group(2).lower()]
    if size is None or size.denominator != 1 or not 1 <= size <= MAX_SIZE:
        raise InvalidInput(
            "max_parameters must be a whole number of parameters from 1 to 2^63-2, such as 4_000_000, 500M or 1.5B."
        )
    return int(size)


def _split(text: str, suffixes: Sequence[str]) -> tuple[str, str | None]:
    """A metric name and its suffix; a name may hold colons itself."""
    name, colon, suffix = text.rpartition(":")
    return (name, suffix) if colon and name.strip() and suffix in suffixes else (text, None)


def _pareto_parts(text: str) -> tuple[str, str]:
    name, suffix = _split(text, ("higher", "lower"))
    if suffix is None:
        raise InvalidInput("Each pareto objective must be METRIC:higher or METRIC:lower, such as Accuracy:higher.")
    return name, suffix


def _sort(parts: tuple[str, str | None], names: MetricNames) -> Sort:
    name, suffix = parts
    return Sort(names.match(name), descending=suffix != "asc", is_stated=suffix is not None)


def _bounds(asked: Mapping[str, Number], names: MetricNames, parameter: str) -> tuple[Bound, ...]:
    matches = names.match_all(tuple(asked), parameter)
    return tuple(Bound(match, asked[match.asked]) for match in matches)
