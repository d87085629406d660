"""One benchmark's leaderboard: merged once and kept, then selected and paged (catalog contract 6.12)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from core.cache import Counters, Tier
from core.catalog import api_rows
from core.catalog.backend import CatalogBackend
from core.catalog.cached.noted import NotedCache
from core.catalog.directions import UNKNOWN, MetricDirection, direction
from core.catalog.leaderboard import MAX_RAW_ROWS, Leaderboard, ParameterCoverage, Selected, build, select
from core.catalog.merging import MergedEvaluation, merge_paper
from core.catalog.models import EntityKind, EvaluationRows
from core.catalog.notices import noted
from core.catalog.paging import next_page, page_notes
from core.catalog.present import (
    DESCRIPTION_MAX,
    METRICS_MAX,
    MODEL_NAME_MAX,
    NAME_MAX,
    PROTOCOL_MAX,
    RANK_SCOPES_MAX,
    TITLE_MAX,
    benchmark_summary,
    cut,
    cut_or_none,
    link_url,
    reference,
)
from core.catalog.resolve import Resolver
from core.catalog.results import BenchmarkResult, Evaluation, EvaluationPage, EvaluationRankScope, PaperScopedEvaluation
from core.catalog.selection import Selection, check_syntax, parse_size
from core.catalog.together import all_of, in_order
from core.clock import Clock
from core.errors import SourceMalformed

RANKING_NOTE = "A rank holds among the rows of one task; rank_scopes lists each task's own."

MAX_PAPER_ROWS = 1_000

# What a merged row and one metric of it take in memory, about; measured on CPython 3.11.
_ROW_BYTES = 1_000
_METRIC_BYTES = 100


class Leaderboards:
    """The leaderboards of one backend; merged ones are kept within the bounds of `tier`."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, clock: Clock, site_url: str, tier: Tier) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url
        self._merged: NotedCache[Leaderboard] = NotedCache(tier, clock, _size_bytes)

    def counters(self) -> Counters:
        """What the memory of merged leaderboards has done and holds."""
        return self._merged.counters()

    @noted
    async def get(
        self,
        benchmark: str,
        *,
        page: int,
        limit: int,
        is_open: bool | None,
        max_parameters: str | None,
        require_metrics: Sequence[str],
        minimum_metrics: Mapping[str, float],
        maximum_metrics: Mapping[str, float],
        sort_metric: str | None,
        pareto: Sequence[str],
    ) -> BenchmarkResult:
        """One page of what a selection leaves of a leaderboard; all counts are over the whole leaderboard."""
        selection = Selection(
            is_open=is_open,
            max_parameters=max_parameters,
            require_metrics=tuple(require_metrics),
            minimum_metrics=minimum_metrics,
            maximum_metrics=maximum_metrics,
            sort_metric=sort_metric,
            pareto=tuple(pareto),
        )
        check_syntax(selection)
        entity, note = await self._resolver.entity(EntityKind.BENCHMARK, benchmark)
        board = await self._merged.get(entity.id, lambda: self._load(entity.id), what="the leaderboard")
        if max_parameters is not None and not board.complete:
            board = await self._within(board, parse_size(max_parameters))
        return self._result(board, select(board, selection), page, limit, [note] if note else [])

    @noted
    async def of_paper(self, paper: str, *, page: int, limit: int) -> EvaluationPage:
        """One page of a paper's results over all benchmarks, merged whole before paging (catalog contract 6.3)."""

        async def read(canonical_id: str) -> EvaluationRows:
            record = await self._backend.paper(canonical_id)
            return await self._backend.evaluations_of_paper(record.row.id, 1, MAX_PAPER_ROWS)

        found, resolution = await self._resolver.with_paper(paper, read)
        merged = merge_paper(found.rows)
        rows = merged[(page - 1) * limit : page * limit]
        shown = [_shown_metrics(row, ()) for row in rows]
        following = next_page(len(merged), page, limit)
        complete = len(found.rows) >= found.count and not found.is_cut
        notes = [] if complete else [f"Only the first {len(found.rows)} of {found.count} raw rows were read."]
        return EvaluationPage(
            paper=paper,
            evaluation_count=found.count,
            merged_count=len(merged),
            complete=complete,
            page=page,
            next_page=following,
            evaluations=[paper_scoped(row, metrics, self._site_url) for row, metrics in zip(rows, shown, strict=True)],
            metric_directions=await self._directions(rows),
            resolution=resolution,
            notes=[*notes, *page_notes(len(merged), page, limit)] or None,
            data=api_rows.envelope(
                (api_rows.merged_row(row, metrics) for row, metrics in zip(rows, shown, strict=True)),
                count=len(merged),
                page=page,
                page_size=limit,
                next_page=following,
                applied={},
            ),
        )

    async def _directions(self, rows: Sequence[MergedEvaluation]) -> dict[str, MetricDirection]:
        """Directions of the metrics of some rows; a name that two benchmarks record differently is unknown."""
        ids = list(dict.fromkeys(row.benchmark.id for row in rows))
        if not self._backend.capabilities().records_directions:
            ids = []
        boards = await all_of([partial(self._backend.benchmark, benchmark_id) for benchmark_id in ids])
        recorded = {board.id: board.metric_directions for board in boards}
        directions: dict[str, MetricDirection] = {}
        for row in rows:
            for name in row.metrics:
                here = direction(name, recorded.get(row.benchmark.id, {}))
                directions[name] = here if directions.get(name, here) == here else UNKNOWN
        return directions

    async def _load(self, benchmark_id: str) -> Leaderboard:
        # What is gone is not stood in for by an old answer, whatever the reading of its rows came to.
        found, rows = await in_order(
            lambda: self._backend.benchmark(benchmark_id),
            lambda: self._backend.leaderboard(benchmark_id, 1, MAX_RAW_ROWS),
        )
        return build(found, rows.rows, rows.count, is_cut=rows.is_cut)

    async def _within(self, board: Leaderboard, max_parameters: int) -> Leaderboard:
        """The rows of at most that many parameters, chosen at the source where not all rows could be read (12.5)."""
        benchmark_id = board.benchmark.id
        rows = await self._backend.leaderboard_within(benchmark_id, max_parameters)
        found = build(board.benchmark, rows.rows, rows.count, is_cut=rows.is_cut)
        oversized = any(row.num_parameters is None or row.num_parameters > max_parameters for row in found.rows)
        if rows.size_coverage is None or oversized:
            raise SourceMalformed(
                "The catalog's service did not confirm the filter max_parameters; leave it out.", source="catalog"
            )
        coverage = ParameterCoverage(rows.size_coverage.known, rows.size_coverage.total)
        return replace(found, evaluation_count=board.evaluation_count, parameter_coverage=coverage)

    def _result(
        self, board: Leaderboard, selected: Selected, page: int, limit: int, notes: list[str]
    ) -> BenchmarkResult:
        rows = selected.page(page, limit)
        following = next_page(selected.matched_count, page, limit)
        coverage = selected.parameter_coverage
        shown = {id(row): _shown_metrics(row, selected.metrics_named) for row in rows}
        notes = [*notes, *selected.notes, *_scope_notes(rows), *page_notes(selected.matched_count, page, limit)]
        return BenchmarkResult(
            benchmark=benchmark_summary(board.benchmark, self._site_url, description_max=DESCRIPTION_MAX),
            evaluation_count=board.evaluation_count,
            merged_count=board.merged_count,
            matched_count=selected.matched_count,
            complete=board.complete,
            evaluations=[evaluation(row, shown[id(row)], self._site_url) for row in rows],
            metric_directions=dict(board.directions),
            metric_matches=dict(selected.metric_matches) or None,
            parameter_coverage_known=coverage.known if coverage else None,
            parameter_coverage_total=coverage.total if coverage else None,
            applied_filters=dict(selected.applied_filters),
            page=page,
            next_page=following,
            ranking_note=RANKING_NOTE,
            notes=notes or None,
            data={
                **api_rows.dataset_row(board.benchmark),
                "evaluations": api_rows.envelope(
                    (api_rows.merged_row(row, shown[id(row)]) for row in rows),
                    count=selected.matched_count,
                    page=page,
                    page_size=limit,
                    next_page=following,
                    applied=dict(selected.applied_filters),
                ),
            },
        )


def paper_scoped(row: MergedEvaluation, metrics: dict[str, int | float | str], site_url: str) -> PaperScopedEvaluation:
    """A merged row among all results of its paper."""
    return PaperScopedEvaluation(**dict(evaluation(row, metrics, site_url)), benchmark=reference(row.benchmark))


def evaluation(row: MergedEvaluation, metrics: dict[str, int | float | str], site_url: str) -> Evaluation:
    """A merged row with the metrics to show of it; scopes by rank, at most five."""
    return Evaluation(
        id=row.id,
        model_name=cut(row.model_name, MODEL_NAME_MAX),
        harness=cut_or_none(row.harness, NAME_MAX),
        metrics=metrics,
        metrics_omitted=len(row.metrics) - len(metrics) or None,
        best_metric=row.best_metric,
        best_rank=row.best_rank,
        task=cut(row.task.name, NAME_MAX) if row.task else None,
        paper_id=row.paper_id,
        paper_title=cut_or_none(row.paper_title, TITLE_MAX),
        paper_arxiv_id=row.paper_arxiv_id,
        paper_published=row.paper_published,
        rank_scopes=[
            EvaluationRankScope(
                task_id=scope.task.id,
                task_name=cut(scope.task.name, NAME_MAX),
                task_slug=scope.task.slug,
                rank=scope.rank,
            )
            for scope in row.rank_scopes[:RANK_SCOPES_MAX]
        ],
        is_open=row.is_open,
        num_parameters=row.num_parameters,
        split=cut_or_none(row.split, NAME_MAX),
        shots=row.shots,
        evaluation_protocol=cut_or_none(row.evaluation_protocol, PROTOCOL_MAX),
        source_url=link_url(row.source_url, site_url),
        code_url=link_url(row.code_url, site_url),
        hf_model_url=link_url(row.hf_model_url, site_url),
        updated_at=row.updated_at,
        uses_additional_data=row.uses_additional_data,
    )


def _shown_metrics(row: MergedEvaluation, named: Sequence[str]) -> dict[str, int | float | str]:
    """At most 20 metrics of a row: those that the call names first, then in leaderboard order."""
    ordered = dict.fromkeys([*(name for name in named if name in row.metrics), *row.metrics])
    return {name: row.metrics[name] for name in list(ordered)[:METRICS_MAX]}


def _scope_notes(rows: Sequence[MergedEvaluation]) -> list[str]:
    """A note where rows have more rank scopes than are shown of each."""
    most = max((len(row.rank_scopes) for row in rows), default=0)
    return (
        [f"The best {RANK_SCOPES_MAX} of up to {most} rank scopes of a row are shown."]
        if most > RANK_SCOPES_MAX
        else []
    )


def _size_bytes(board: Leaderboard) -> int:
    return sum(_ROW_BYTES + _METRIC_BYTES * len(row.metrics) for row in board.rows)
