"""The text block of a leaderboard: a Markdown table of the rows of one page (catalog contract 2.2)."""

from collections import Counter
from collections.abc import Sequence

from core.catalog.present import cut
from core.catalog.results import BenchmarkResult, Evaluation
from server.toolsets.catalog.text import compose, counted, page_of, single_line

_METRICS_SHOWN = 5
_ARROWS = {"higher": " ↑", "lower": " ↓", "unknown": ""}


def benchmark(result: BenchmarkResult) -> tuple[str, ...]:
    """The text of BenchmarkResult."""
    ran = "; ".join(f"{name} {single_line(text, 80)}" for name, text in (result.applied_filters or {}).items())
    total = counted(result.merged_count, "row")
    head = (
        f"{single_line(result.benchmark.name, 120)} ({result.benchmark.slug or result.benchmark.id}):"
        f" {f'{result.matched_count} of {total} ({ran})' if ran else total}."
    )
    head += page_of(result.page, result.next_page, result.matched_count, len(result.evaluations))
    if not result.matched_count and ran:
        head += " Loosen a threshold or a filter first."
    names = _columns(result)
    tail = [single_line(note, 400) for note in result.notes or []]
    if result.evaluations:
        tail += _hidden(result, names)
        tail.append(result.ranking_note)
        if len(result.evaluations) < result.merged_count:
            tail.append("Bold marks the best value among the rows shown.")
    if result.next_page is not None:
        tail.append(f"Next page: page={result.next_page}.")
    return (compose(head, _table(result, names), tail),)


def _columns(result: BenchmarkResult) -> list[str]:
    """The metrics to show, in leaderboard order: those with the most values on this page.

    Each row names the metrics of the call first and has a value for all of them, so they win among equals.
    """
    values = Counter(name for row in result.evaluations for name in row.metrics)
    chosen = {name for name, _ in values.most_common(_METRICS_SHOWN)}
    return [name for name in result.metric_directions if name in chosen]


def _hidden(result: BenchmarkResult, names: list[str]) -> list[str]:
    total = len(result.metric_directions)
    if len(names) == total:
        return []
    return [f"{len(names)} of {total} metrics shown, those with the most values here; metric_directions names all."]


def _table(result: BenchmarkResult, names: list[str]) -> list[str]:
    """The rows as a Markdown table; ↑ and ↓ give each metric's better direction, bold its best value on this page."""
    if not result.evaluations:
        return []
    by_task = _has_ranks_of_several_tasks(result.evaluations)
    metrics = [f"{_cell(name, 40)}{_ARROWS[result.metric_directions[name]]}" for name in names]
    best = {name: _best(result, name) for name in names}
    lines = [["rank", *(["task"] if by_task else []), "model", *metrics, "paper"]]
    lines.append(["---"] * len(lines[0]))
    for row in result.evaluations:
        rank = str(row.best_rank) if row.best_rank is not None else ""
        task = [_cell(row.task or "", 60)] if by_task else []
        values = [_value(row.metrics.get(name), best[name]) for name in names]
        paper = row.paper_arxiv_id or row.paper_id or _cell(row.paper_title or "", 60)
        lines.append([rank, *task, _cell(_model(row), 120), *values, paper])
    return ["", *(f"| {' | '.join(cells)} |" for cells in lines), ""]


def _has_ranks_of_several_tasks(rows: Sequence[Evaluation]) -> bool:
    """Whether no one task is where all these rows have their best rank; a bare rank would say little then."""
    places = [
        {row.task, *(scope.task_name for scope in row.rank_scopes if scope.rank == row.best_rank)}
        for row in rows
        if row.best_rank is not None
    ]
    return bool(places) and not set.intersection(*places)


def _model(row: Evaluation) -> str:
    """A row's model and what keeps it apart from other rows of that model."""
    shots = None if row.shots is None else f"{row.shots}-shot"
    apart = [cut(text, 40) for text in (shots, row.harness, row.split) if text]
    return cut(row.model_name, 80) + (f" ({', '.join(apart)})" if apart else "")


def _best(result: BenchmarkResult, name: str) -> float | None:
    """The best number of a metric on this page; None where its direction is unknown."""
    numbers = [value for row in result.evaluations if isinstance(value := row.metrics.get(name), int | float)]
    direction = result.metric_directions[name]
    if not numbers or direction == "unknown":
        return None
    return max(numbers) if direction == "higher" else min(numbers)


def _value(value: int | float | str | None, best: float | None) -> str:
    if value is None:
        return ""
    shown = _cell(str(value), 24)
    return f"**{shown}**" if best is not None and value == best else shown


def _cell(text: str, most: int) -> str:
    return single_line(text, most).replace("|", "\\|")
