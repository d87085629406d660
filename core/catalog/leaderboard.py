"""Leaderboards: all merged rows of a benchmark, and what a selection leaves of them, in order (catalog contract 12)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from core.catalog.directions import LOWER, MetricDirection, direction
from core.catalog.merging import MergedEvaluation, merge_leaderboard
from core.catalog.metrics import MetricNames, numeric_value
from core.catalog.models import Benchmark, EvaluationRow
from core.catalog.selection import Number, Plan, Selection, plan
from core.errors import Unavailable

MAX_RAW_ROWS = 5000


@dataclass(frozen=True, slots=True)
class ParameterCoverage:
    """How many merged rows state their number of parameters, out of how many."""

    known: int
    total: int


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All merged rows of a benchmark, best rank first; what a cache keeps.

    `metrics` and `directions` cover every metric, in order of first appearance. `evaluation_count` counts the raw rows
    at the source, also those that are missing here where `complete` is false. `parameter_coverage` is over these rows,
    unless the source has counted over all of them and the caller has put that in its place.
    """

    benchmark: Benchmark
    rows: tuple[MergedEvaluation, ...]
    evaluation_count: int
    complete: bool
    metrics: tuple[str, ...]
    directions: Mapping[str, MetricDirection]
    parameter_coverage: ParameterCoverage

    @property
    def merged_count(self) -> int:
        """The number of rows after merging."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Selected:
    """All chosen rows in order, before paging; `metrics_named` are the metrics of the call, in its order."""

    rows: tuple[MergedEvaluation, ...]
    metrics_named: tuple[str, ...] = ()
    metric_matches: Mapping[str, str] = field(default_factory=dict)
    parameter_coverage: ParameterCoverage | None = None
    applied_filters: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def matched_count(self) -> int:
        """The number of rows after all selections."""
        return len(self.rows)

    def page(self, page: int, limit: int) -> tuple[MergedEvaluation, ...]:
        """The rows of one page, counted from 1; empty past the end."""
        return self.rows[(page - 1) * limit : page * limit]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A row with the numbers of the metrics that a selection names."""

    row: MergedEvaluation
    numbers: Mapping[str, Number]


def build(
    benchmark: Benchmark, rows: Sequence[EvaluationRow], evaluation_count: int, *, is_cut: bool = False
) -> Leaderboard:
    """Merges the raw rows of a benchmark; `evaluation_count` is how many the source has.

    `is_cut` says that rows are missing where the count does not show it.
    """
    merged = merge_leaderboard(rows)
    metrics = tuple(dict.fromkeys(name for row in merged for name in row.metrics))
    sized = sum(row.num_parameters is not None for row in merged)
    return Leaderboard(
        benchmark=benchmark,
        rows=merged,
        evaluation_count=max(evaluation_count, len(rows)),
        complete=len(rows) >= evaluation_count and not is_cut,
        metrics=metrics,
        directions={name: direction(name, benchmark.metric_directions) for name in metrics},
        parameter_coverage=ParameterCoverage(sized, len(merged)),
    )


def select(leaderboard: Leaderboard, selection: Selection) -> Selected:
    """The rows that pass every part of a selection, in the order it asks for.

    Raises what `core.catalog.selection.plan` raises, and `Unavailable` for a size filter where no row states a size.
    """
    chosen = plan(selection, MetricNames(leaderboard.metrics, leaderboard.benchmark.name))
    coverage = None if chosen.max_size is None else leaderboard.parameter_coverage
    if coverage is not None and not coverage.known:
        raise Unavailable("No row of this leaderboard states a number of parameters. Leave out max_parameters.")
    candidates = _front([row for row in _candidates(leaderboard.rows, chosen) if _is_within(row, chosen)], chosen)
    return Selected(
        rows=tuple(candidate.row for candidate in _ordered(candidates, chosen)),
        metrics_named=chosen.metric_names,
        metric_matches={match.asked: match.name for match in chosen.matches if not match.is_exact},
        parameter_coverage=coverage,
        applied_filters=chosen.applied(),
        notes=tuple(_notes(leaderboard, chosen)),
    )


def non_dominated(points: Sequence[Sequence[Number]]) -> list[bool]:
    """Which points no other point dominates, more being better everywhere; equal points all stay or all go.

    For each point a bit mask gathers who is at least as good on every objective so far. Whoever is left there in the
    end, beyond the point's equals, dominates it.
    """
    at_least_as_good = [(1 << len(points)) - 1] * len(points)
    for objective in range(len(points[0]) if points else 0):
        values = [point[objective] for point in points]
        better_or_equal = 0
        for _, level in groupby(sorted(range(len(points)), key=values.__getitem__, reverse=True), values.__getitem__):
            indexes = list(level)
            for index in indexes:
                better_or_equal |= 1 << index
            for index in indexes:
                at_least_as_good[index] &= better_or_equal
    equals: dict[tuple[Number, ...], int] = {}
    for index, point in enumerate(points):
        equals[tuple(point)] = equals.get(tuple(point), 0) | 1 << index
    return [mask == equals[tuple(point)] for mask, point in zip(at_least_as_good, points, strict=True)]


def _candidates(rows: Sequence[MergedEvaluation], chosen: Plan) -> list[_Candidate]:
    """The rows with a number for every metric that the selection names."""
    names = chosen.metric_names
    candidates = []
    for row in rows:
        numbers = {
            name: number
            for name in names
            if name in row.metrics and (number := numeric_value(row.metrics[name])) is not None
        }
        if len(numbers) == len(names):
            candidates.append(_Candidate(row, numbers))
    return candidates


def _is_within(candidate: _Candidate, chosen: Plan) -> bool:
    row, numbers = candidate.row, candidate.numbers
    return (
        (chosen.is_open is None or row.is_open is chosen.is_open)
        and (chosen.max_size is None or (row.num_parameters is not None and row.num_parameters <= chosen.max_size))
        and all(numbers[bound.match.name] >= bound.value for bound in chosen.minima)
        and all(numbers[bound.match.name] <= bound.value for bound in chosen.maxima)
    )


def _front(candidates: list[_Candidate], chosen: Plan) -> list[_Candidate]:
    """The candidates on the Pareto front of the objectives; all of them without objectives."""
    if not chosen.objectives:
        return candidates
    points = [
        [
            candidate.numbers[objective.match.name] * (1 if objective.is_higher else -1)
            for objective in chosen.objectives
        ]
        for candidate in candidates
    ]
    return [candidate for candidate, stays in zip(candidates, non_dominated(points), strict=True) if stays]


def _ordered(candidates: list[_Candidate], chosen: Plan) -> list[_Candidate]:
    # Candidates come in leaderboard order and sorting is stable, so ties fall as the leaderboard has them.
    if chosen.sort is not None:
        name, descending = chosen.sort.match.name, chosen.sort.descending
    elif chosen.objectives:
        name, descending = chosen.objectives[0].match.name, chosen.objectives[0].is_higher
    else:
        return candidates
    return sorted(candidates, key=lambda candidate: candidate.numbers[name] * (-1 if descending else 1))


def _notes(leaderboard: Leaderboard, chosen: Plan) -> list[str]:
    notes = []
    if not leaderboard.complete:
        notes.append("Not all rows of this leaderboard could be read; the selection covers the best-ranked part.")
    renamed = {match.asked: match.name for match in chosen.matches if not match.is_exact}
    notes.extend(f"'{asked}' was read as the metric '{name}'." for asked, name in renamed.items())
    sort = chosen.sort
    if sort is not None and not sort.is_stated and leaderboard.directions[sort.match.name] == LOWER:
        name = sort.match.name
        notes.append(f"Lower is better for '{name}', and the highest come first. For the best, sort by '{name}:asc'.")
    if chosen.max_size is not None:
        coverage = leaderboard.parameter_coverage
        notes.append(
            f"{coverage.known} of {coverage.total} rows state a number of parameters; the others are left out."
        )
    return notes
