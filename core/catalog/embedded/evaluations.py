"""Raw evaluation rows, by paper and by benchmark."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import orjson

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import numeric_id, pid_of
from core.catalog.models import EvaluationRow, EvaluationRows, Link, SizeCoverage

_COLUMNS = (
    "e.id, b.id, b.name, b.slug, t.id, t.name, t.slug, e.model_name, e.metrics, p.id, "
    "COALESCE(p.title, e.paper_title), p.arxiv_id, COALESCE(p.published, e.paper_published), e.harness, "
    "e.best_metric, e.best_rank, e.is_open, "
    "e.num_parameters, e.split, e.methodology, e.result_url, e.source_url, e.external_source_url, e.code_url, "
    "e.hf_model_url, e.updated_at, e.uses_additional_data"
)
_TABLES = (
    "evaluation e JOIN benchmark b ON b.id = e.benchmark_id LEFT JOIN task t ON t.id = e.task_id "
    "LEFT JOIN paper p ON p.pid = e.pid"
)


def of_paper(connection: Connection, paper_id: str, page: int, size: int) -> EvaluationRows:
    """One page of a paper's rows: benchmarks with more papers first, then id; none for an unknown paper."""
    pid = pid_of(connection, paper_id)
    if pid is None:
        return EvaluationRows((), 0)
    return _page(connection, "e.pid = ?", "b.paper_count DESC, e.id", pid, page, size)


def leaderboard(connection: Connection, benchmark_id: str, page: int, size: int) -> EvaluationRows:
    """One page of a benchmark's rows: best rank (missing last), then id; none for an unknown benchmark."""
    number = numeric_id(benchmark_id)
    if number is None:
        return EvaluationRows((), 0)
    return _page(connection, "e.benchmark_id = ?", "e.best_rank IS NULL, e.best_rank, e.id", number, page, size)


def leaderboard_within(connection: Connection, benchmark_id: str, max_parameters: int, size: int) -> EvaluationRows:
    """The first rows of a benchmark that state at most that many parameters, and how many rows state any."""
    number = numeric_id(benchmark_id)
    if number is None:
        return EvaluationRows((), 0, size_coverage=SizeCoverage(0, 0))
    statement = "SELECT COUNT(num_parameters), COUNT(*) FROM evaluation WHERE benchmark_id = ?"
    known, total = connection.execute(statement, (number,)).fetchone()
    condition = f"e.num_parameters <= {int(max_parameters)} AND e.benchmark_id = ?"
    found = _page(connection, condition, "e.best_rank IS NULL, e.best_rank, e.id", number, 1, size)
    return replace(found, is_cut=len(found.rows) < found.count, size_coverage=SizeCoverage(known, total))


def _page(connection: Connection, condition: str, order: str, owner: int, page: int, size: int) -> EvaluationRows:
    (count,) = connection.execute(f"SELECT COUNT(*) FROM evaluation e WHERE {condition}", (owner,)).fetchone()  # noqa: S608
    statement = f"SELECT {_COLUMNS} FROM {_TABLES} WHERE {condition} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608
    found = connection.execute(statement, (owner, size, (page - 1) * size))
    return EvaluationRows(tuple(map(_row, found)), count)


def best_rows(connection: Connection, benchmark_ids: Sequence[str]) -> dict[str, EvaluationRow]:
    """The row of best rank, then smallest id, of each benchmark that has a ranked one."""
    numbers = [number for text in benchmark_ids if (number := numeric_id(text)) is not None]
    best = (
        "SELECT (SELECT r.id FROM evaluation r WHERE r.benchmark_id = each.value AND r.best_rank IS NOT NULL "
        "ORDER BY r.best_rank, r.id LIMIT 1) FROM json_each(?) each"
    )
    statement = f"SELECT {_COLUMNS} FROM {_TABLES} WHERE e.id IN ({best})"  # noqa: S608
    rows = map(_row, connection.execute(statement, (orjson.dumps(numbers).decode(),)))
    return {row.benchmark.id: row for row in rows}


def _row(row: Sequence[Any]) -> EvaluationRow:
    id_, benchmark_id, benchmark, benchmark_slug, task_id, task, task_slug, model, metrics, paper_id, title, *rest = row
    arxiv_id, published, harness, best_metric, best_rank, is_open, parameters, *rest = rest
    split, methodology, result_url, source_url, external_url, code_url, hf_url, updated_at, additional = rest
    return EvaluationRow(
        id=str(id_),
        benchmark=Link(str(benchmark_id), benchmark, benchmark_slug),
        task=None if task_id is None else Link(str(task_id), task, task_slug),
        model_name=model,
        metrics=orjson.loads(metrics),
        paper_id=None if paper_id is None else str(paper_id),
        paper_title=title,
        paper_arxiv_id=arxiv_id,
        paper_published=published,
        harness=harness,
        best_metric=best_metric,
        best_rank=best_rank,
        is_open=_flag(is_open),
        num_parameters=parameters,
        split=split,
        methodology=methodology,
        result_url=result_url,
        source_url=source_url,
        external_source_url=external_url,
        code_url=code_url,
        hf_model_url=hf_url,
        updated_at=updated_at,
        uses_additional_data=_flag(additional),
    )


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
