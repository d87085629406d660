"""Listing benchmarks, flat or grouped by area and task (catalog contract 6.13)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.catalog import api_rows
from core.catalog.backend import CatalogBackend
from core.catalog.models import (
    Benchmark,
    BenchmarkFilters,
    BenchmarkGroup,
    BenchmarkGroupTask,
    BenchmarkOrder,
    Direction,
    EntityKind,
)
from core.catalog.paging import applied, next_page, page_notes
from core.catalog.present import NAME_MAX, benchmark_summary, cut
from core.catalog.resolve import Resolver
from core.catalog.results import AreaReference, BenchmarkAreaGroup, BenchmarkPage, BenchmarkTaskGroup

GROUPED_MINIMUM_EVALUATIONS = 2
GROUPED_PER_TASK = 3
_EMPTY_NOTE = "A benchmark with 0 evaluations has no leaderboard here; minimum_evaluations=1 leaves those out."


@dataclass(frozen=True, slots=True)
class BenchmarkSelection:
    """What a caller asks of a benchmark listing, as sent; absent parts do not filter, all others must hold."""

    search: str | None = None
    task: str | None = None
    include_descendants: bool = False
    minimum_evaluations: int | None = None
    is_open: bool | None = None
    group_by_area: bool = False
    area: str | None = None
    benchmarks_per_task: int | None = None

    def is_grouped(self, order: BenchmarkOrder | None) -> bool:
        """When asked for, and when `area` comes without any of search, task, is_open and an order."""
        alone = self.search is None and self.task is None and self.is_open is None and order is None
        return self.group_by_area or (self.area is not None and alone)


class Benchmarks:
    """The benchmarks of one backend."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, site_url: str) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url

    async def listing(
        self,
        asked: BenchmarkSelection,
        *,
        order: BenchmarkOrder | None,
        direction: Direction,
        page: int,
        limit: int,
    ) -> BenchmarkPage:
        """One page of the benchmarks that pass every filter, grouped where `BenchmarkSelection.is_grouped` says so."""
        grouped = asked.is_grouped(order)
        filters, names, notes = await self._filters(asked)
        if asked.include_descendants and asked.task is None:
            notes.append("include_descendants changes nothing without task.")
        if asked.benchmarks_per_task is not None and not grouped:
            notes.append("benchmarks_per_task changes nothing on a flat listing; set group_by_area for a grouped one.")
        ran = names | applied(
            search=asked.search,
            minimum_evaluations=asked.minimum_evaluations,
            is_open=asked.is_open,
            include_descendants=True if filters.include_descendants else None,
        )
        if grouped:
            chosen = order or BenchmarkOrder.TRENDING
            per_task = asked.benchmarks_per_task or GROUPED_PER_TASK
            return await self._grouped(filters, chosen, direction, per_task, page, limit, ran, notes)
        chosen = order or (BenchmarkOrder.TRENDING if asked.task else BenchmarkOrder.NAME)
        found = await self._backend.benchmarks(filters, chosen, direction, page, limit)
        return self._page(found.rows, found.count, page, limit, ran, notes)

    async def _filters(self, asked: BenchmarkSelection) -> tuple[BenchmarkFilters, dict[str, str], list[str]]:
        """The filters with their names resolved, the names as the catalog has them, and notes on how they were read."""
        ids: dict[EntityKind, str] = {}
        names: dict[str, str] = {}
        notes: list[str] = []
        for kind, text in ((EntityKind.TASK, asked.task), (EntityKind.AREA, asked.area)):
            if text is None:
                continue
            entity, note = await self._resolver.entity(kind, text)
            ids[kind] = entity.id
            names[kind.value] = entity.name
            notes += [note] if note else []
        filters = BenchmarkFilters(
            search=asked.search,
            task_id=ids.get(EntityKind.TASK),
            include_descendants=asked.include_descendants and asked.task is not None,
            area_id=ids.get(EntityKind.AREA),
            minimum_evaluations=asked.minimum_evaluations,
            is_open=asked.is_open,
        )
        return filters, names, notes

    async def _grouped(
        self,
        filters: BenchmarkFilters,
        order: BenchmarkOrder,
        direction: Direction,
        per_task: int,
        page: int,
        limit: int,
        ran: dict[str, str],
        notes: list[str],
    ) -> BenchmarkPage:
        if filters.minimum_evaluations is None:
            filters = replace(filters, minimum_evaluations=GROUPED_MINIMUM_EVALUATIONS)
            ran = ran | {"minimum_evaluations": str(GROUPED_MINIMUM_EVALUATIONS)}
            notes.append(
                f"Grouped listings show benchmarks with at least {GROUPED_MINIMUM_EVALUATIONS} evaluations"
                " unless minimum_evaluations says otherwise."
            )
        notes.append(f"At most {per_task} benchmarks of each task are listed; pass task for all of one.")
        groups = await self._backend.grouped_benchmarks(filters, order, direction, per_task)
        total = sum(len(task.benchmarks) for group in groups for task in group.tasks)
        shown = _slice(groups, (page - 1) * limit, page * limit)
        rows = [benchmark for group in shown for task in group.tasks for benchmark in task.benchmarks]
        result = self._page(rows, total, page, limit, ran, notes)
        return result.model_copy(update={"groups": [self._group(group) for group in shown]})

    def _group(self, group: BenchmarkGroup) -> BenchmarkAreaGroup:
        return BenchmarkAreaGroup(
            area=AreaReference(id=group.area.id, name=cut(group.area.name, NAME_MAX)),
            tasks=[
                BenchmarkTaskGroup(
                    id=task.id,
                    name=cut(task.name, NAME_MAX),
                    slug=task.slug,
                    paper_count=task.paper_count,
                    benchmarks=[benchmark_summary(found, self._site_url) for found in task.benchmarks],
                )
                for task in group.tasks
            ],
        )

    def _page(
        self,
        rows: Sequence[Benchmark],
        count: int,
        page: int,
        limit: int,
        ran: dict[str, str],
        notes: Sequence[str],
    ) -> BenchmarkPage:
        following = next_page(count, page, limit)
        if "minimum_evaluations" not in ran and any(row.evaluation_count == 0 for row in rows):
            notes = [*notes, _EMPTY_NOTE]
        return BenchmarkPage(
            items=[benchmark_summary(row, self._site_url) for row in rows],
            count=count,
            page=page,
            next_page=following,
            applied_filters=ran,
            as_of=self._backend.capabilities().as_of,
            notes=[*notes, *page_notes(count, page, limit)] or None,
            data=api_rows.envelope(
                map(api_rows.dataset_row, rows),
                count=count,
                page=page,
                page_size=limit,
                next_page=following,
                applied=api_rows.applied_filters(ran, search="q"),
            ),
        )


def _slice(groups: Sequence[BenchmarkGroup], start: int, stop: int) -> list[BenchmarkGroup]:
    """The groups that hold rows `start` to `stop` of the flattened listing, with only those rows."""
    shown: list[BenchmarkGroup] = []
    position = 0
    for group in groups:
        tasks: list[BenchmarkGroupTask] = []
        for task in group.tasks:
            first, last = max(start - position, 0), max(stop - position, 0)
            kept = task.benchmarks[first:last]
            position += len(task.benchmarks)
            if kept:
                tasks.append(replace(task, benchmarks=kept))
        if tasks:
            shown.append(BenchmarkGroup(group.area, tuple(tasks)))
    return shown
