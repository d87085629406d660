"""Raw evaluation rows of a paper or of a benchmark (catalog contract 12.5 and 16.2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.catalog import api_rows
from core.catalog.merging import merged_sources, raw_key
from core.catalog.models import EntityKind, EvaluationRow
from core.errors import InvalidInput
from server.api.naming import Desk
from server.api.parameters import Parameters
from server.api.replies import Reply, page_reply

POPULARITY = "-benchmark_popularity"
BEST_RANK = "best_rank"
SIZE_MAX = 2**63 - 1

_PART_ROWS = 5000


async def listing(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of the rows of the paper or the benchmark that the query names; one of the two must be there."""
    query.one_ordering((POPULARITY, BEST_RANK))
    paper, dataset = query.text("paper_id"), query.text("dataset_id")
    if (paper is None) == (dataset is None):
        raise InvalidInput("Send either paper_id or dataset_id.")
    if dataset is not None:
        benchmark_id = await desk.entity_id(EntityKind.BENCHMARK, dataset)
        query.echo("dataset_id", dataset)
        return await _of_benchmark(desk, benchmark_id, query)
    record = await desk.backend.paper(await desk.paper_id(paper or ""))
    query.echo("paper_id", paper)
    return await _of_paper(desk, record.row.id, query)


async def of_dataset(desk: Desk, path: tuple[str, ...], query: Parameters) -> Reply:
    """One page of a benchmark's rows by best rank."""
    query.one_ordering((BEST_RANK,))
    return await _of_benchmark(desk, await desk.entity_id(EntityKind.BENCHMARK, path[0]), query)


async def _of_benchmark(desk: Desk, benchmark_id: str, query: Parameters) -> Reply:
    page, size = query.page()
    if _chosen(query):
        return _selected(await _whole_leaderboard(desk, benchmark_id), query)
    if query.text("ordering") == POPULARITY:
        raise InvalidInput(f"ordering={POPULARITY} goes with paper_id; leave it out or send {BEST_RANK}.")
    found = await desk.backend.leaderboard(benchmark_id, page, size)
    return _page(found.rows, found.count, query)


async def _of_paper(desk: Desk, paper_id: str, query: Parameters) -> Reply:
    page, size = query.page()
    by_rank = query.text("ordering") == BEST_RANK
    if not by_rank and not _chosen(query):
        found = await desk.backend.evaluations_of_paper(paper_id, page, size)
        return _page(found.rows, found.count, query)
    rows = await _all_of_paper(desk, paper_id)
    return _selected(sorted(rows, key=raw_key) if by_rank else rows, query)


def _chosen(query: Parameters) -> bool:
    return query.flag("is_open") is not None or _below(query) is not None


def _below(query: Parameters) -> int | None:
    return query.integer("max_parameters_exclusive", low=2, high=SIZE_MAX)


async def _whole_leaderboard(desk: Desk, benchmark_id: str) -> list[EvaluationRow]:
    rows: list[EvaluationRow] = []
    while True:
        found = await desk.backend.leaderboard(benchmark_id, len(rows) // _PART_ROWS + 1, _PART_ROWS)
        rows += found.rows
        if len(found.rows) < _PART_ROWS:
            return rows


async def _all_of_paper(desk: Desk, paper_id: str) -> list[EvaluationRow]:
    rows: list[EvaluationRow] = []
    while True:
        found = await desk.backend.evaluations_of_paper(paper_id, len(rows) // _PART_ROWS + 1, _PART_ROWS)
        rows += found.rows
        if len(found.rows) < _PART_ROWS:
            return rows


def _selected(rows: Sequence[EvaluationRow], query: Parameters) -> Reply:
    """One page of the rows that pass `is_open` and the size filter.

    Sizes are those of merged rows (contract 12.1): a row passes when the row that it merges into has a known size below
    the bound, and then states that size. The coverage counts merged rows, before the size filter.
    """
    is_open, below = query.flag("is_open"), _below(query)
    query.echo("is_open", is_open)
    query.echo("max_parameters_exclusive", below)
    passing = [row for row in rows if is_open is None or row.is_open is is_open]
    if below is None:
        return _page(_slice(passing, query), len(passing), query)
    merged = merged_sources(passing)
    sizes = {
        id(row): one.num_parameters
        for one, sources in merged
        for row in sources
        if one.num_parameters is not None and one.num_parameters < below
    }
    fitting = [replace(row, num_parameters=sizes[id(row)]) for row in passing if id(row) in sizes]
    known = sum(one.num_parameters is not None for one, _ in merged)
    coverage: api_rows.Json = {"parameter_coverage_known": known, "parameter_coverage_total": len(merged)}
    return _page(_slice(fitting, query), len(fitting), query, **coverage)


def _slice(rows: Sequence[EvaluationRow], query: Parameters) -> Sequence[EvaluationRow]:
    page, size = query.page()
    return rows[(page - 1) * size : page * size]


def _page(rows: Sequence[EvaluationRow], count: int, query: Parameters, **more: Any) -> Reply:
    page, size = query.page()
    return page_reply(
        map(api_rows.evaluation_row, rows),
        count=count,
        page=page,
        page_size=size,
        applied=query.applied,
        **more,
    )
