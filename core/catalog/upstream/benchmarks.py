"""Benchmarks of an upstream: one, the flat list, a task's trend and the grouped tree (catalog contract 6.13, 9.1.5)."""

from collections.abc import Iterable
from dataclasses import replace

from core.catalog.models import (
    NO_AREA,
    Benchmark,
    BenchmarkFilters,
    BenchmarkGroup,
    BenchmarkOrder,
    BenchmarkRows,
    Direction,
)
from core.catalog.notices import notice
from core.catalog.ordering import has_words, searchable
from core.catalog.upstream import taxonomy_rows
from core.catalog.upstream.about import AboutUpstream
from core.catalog.upstream.api import Api, item
from core.catalog.upstream.communities import name_order
from core.catalog.upstream.confirm import confirm_echo, confirm_if_echoed
from core.catalog.upstream.pages import ROWS_PER_PAGE, WirePage, gather, sliced
from core.catalog.upstream.taxonomy import UpstreamTaxonomy, ordering, read_rows
from core.catalog.upstream.values import identifier, text
from core.errors import InvalidInput, NotFound

TREND_MAX = 100
LOOKUP_ROWS_MAX = 10 * ROWS_PER_PAGE

_NO_SUCH = "There is no such benchmark."


class UpstreamBenchmarks:
    """Benchmarks of one API."""

    def __init__(self, api: Api, about: AboutUpstream, taxonomy: UpstreamTaxonomy) -> None:
        self._api = api
        self._about = about
        self._taxonomy = taxonomy

    async def one(self, benchmark_id: str) -> Benchmark:
        """A benchmark by id; a plain upstream is asked for the name in its rows, then for that name (9.1.5)."""
        if (await self._about.get()).has("datasets.detail"):
            found = taxonomy_rows.benchmark(await self._api.answer(item("datasets", benchmark_id)))
            if found is None:
                raise self._api.malformed()
            return found
        path = (*item("datasets", benchmark_id, "evaluations"), "")
        page = await self._api.page(path, {"page_size": 1}, 1)
        name = text(page.rows[0].get("dataset_name")) if page.rows else None
        if name is None:
            raise NotFound(_NO_SUCH)
        rows = await self.searched(name)
        found = next((row for row in rows if row.id == benchmark_id), None)
        if found is None:
            raise NotFound(_NO_SUCH)
        return found

    async def searched(self, words: str | None) -> tuple[Benchmark, ...]:
        """The benchmarks that the upstream finds by words, at most ten pages of them; all without words."""
        found = await gather(
            lambda page: self._api.page(("datasets", ""), {"q": words, "page_size": ROWS_PER_PAGE}, page),
            LOOKUP_ROWS_MAX,
        )
        return read_rows(found.rows, taxonomy_rows.benchmark)

    async def listing(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, page: int, size: int
    ) -> BenchmarkRows:
        """One page of the benchmarks that pass; raises `InvalidInput` for what an upstream cannot combine."""
        if filters.area_id is not None and not await self._is_in_area(filters):
            return BenchmarkRows((), 0)
        if order is BenchmarkOrder.TRENDING and filters.task_id is not None:
            found = self._filtered(await self._trend(filters), filters)
            return BenchmarkRows(sliced(found, page, size), len(found))
        if order is BenchmarkOrder.TRENDING:
            notice("This catalog cannot list all benchmarks by trend; they come by name. Pass task for its trend.")
            order, direction = BenchmarkOrder.NAME, Direction.ASC
        return await self._page(filters, order, direction, page, size)

    async def _is_in_area(self, filters: BenchmarkFilters) -> bool:
        if filters.task_id is None:
            raise InvalidInput("This catalog cannot filter benchmarks by area alone; leave out area, or pass task.")
        area = (await self._taxonomy.task(filters.task_id)).area
        return area is not None and area.id == filters.area_id

    async def _page(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, page: int, size: int
    ) -> BenchmarkRows:
        strict = {"task": filters.task_id} if filters.task_id is not None else {}
        loose = {
            "include_descendants": True if filters.include_descendants else None,
            "min_eval_count": filters.minimum_evaluations,
            "is_open": filters.is_open,
            "ordering": ordering(order.value, direction),
        }
        sent = {**strict, **loose, "q": filters.search, "page_size": size}
        found = await self._taxonomy.page_or_end(("datasets", ""), sent, page)
        confirm_echo(self._api, found, strict, is_first=page == 1)
        confirm_if_echoed(self._api, found, {**loose, "q": filters.search, "search": filters.search})
        rows = read_rows(found.rows, taxonomy_rows.benchmark)
        self._confirm_evaluations(rows, found, filters.minimum_evaluations)
        return BenchmarkRows(rows, found.count, found.has_more)

    def _confirm_evaluations(self, rows: Iterable[Benchmark], page: WirePage, least: int | None) -> None:
        """Each row must have the evaluations asked for; where rows do not tell, a note says what may be counted."""
        if least is None:
            return
        counts = [row.evaluation_count for row in rows]
        if any(count is not None and count < least for count in counts):
            raise self._api.unconfirmed("minimum_evaluations")
        if None in counts and "min_eval_count" not in page.applied:
            notice("This catalog does not tell numbers of evaluations; minimum_evaluations may count papers instead.")

    async def _trend(self, filters: BenchmarkFilters) -> tuple[Benchmark, ...]:
        """A task's benchmarks, the most trending first; at most 100."""
        sent = {
            "limit": TREND_MAX,
            "min_recent_papers": 0,
            "include_descendants": True if filters.include_descendants else None,
            "is_open": filters.is_open,
        }
        page = await self._api.whole(item("tasks", filters.task_id or "", "trending-benchmarks"), sent)
        confirm_if_echoed(self._api, page, sent)
        answered = identifier(page.envelope.get("task_id"))
        if answered is not None and filters.task_id not in (answered, page.envelope.get("task_slug")):
            raise self._api.unconfirmed("task")
        rows = read_rows(page.rows, taxonomy_rows.benchmark)
        if len(rows) == TREND_MAX:
            notice(f"The trend of a task reaches {TREND_MAX} benchmarks here; more may exist. order_by=name lists all.")
        return rows

    def _filtered(self, rows: tuple[Benchmark, ...], filters: BenchmarkFilters) -> list[Benchmark]:
        least = filters.minimum_evaluations or 0
        if least and any(row.evaluation_count is None for row in rows):
            notice("Some benchmarks do not tell their evaluations; minimum_evaluations counts their papers instead.")
        return [
            row
            for row in rows
            if has_words(searchable(row.name, row.full_name, row.slug), filters.search)
            and (row.paper_count or 0 if row.evaluation_count is None else row.evaluation_count) >= least
        ]

    async def of_task(self, task_id: str, limit: int) -> BenchmarkRows:
        """A task's benchmarks: those with papers of late by trend, then the others by name."""
        try:
            rows = await self._trend(BenchmarkFilters(task_id=task_id))
        except NotFound:
            return BenchmarkRows((), 0)
        recent = [row for row in rows if row.recent_paper_count != 0]
        others = sorted(
            (row for row in rows if row.recent_paper_count == 0), key=lambda row: name_order(row.name, row.id)
        )
        total = len(rows) if len(rows) < TREND_MAX else None
        return BenchmarkRows((*recent, *others)[:limit], total, total is None)

    async def grouped(self, filters: BenchmarkFilters, per_task: int) -> tuple[BenchmarkGroup, ...]:
        """The tree of areas and tasks, each ordered by name here; `NO_AREA` comes last."""
        if filters.search is not None or filters.task_id is not None or filters.is_open is not None:
            raise InvalidInput("This catalog cannot group and filter at once; leave out group_by_area, or the filters.")
        sent = {"benchmarks_per_task": per_task, "min_eval_count": filters.minimum_evaluations or 0}
        page = await self._api.whole(("areas", "with-task-benchmarks", ""), sent)
        confirm_if_echoed(self._api, page, sent)
        groups = [
            _ordered_group(group, per_task)
            for group in read_rows(page.rows, taxonomy_rows.benchmark_group)
            if filters.area_id in (None, group.area.id)
        ]
        rows = [row for group in groups for task in group.tasks for row in task.benchmarks]
        self._confirm_evaluations(rows, page, filters.minimum_evaluations)
        groups.sort(key=lambda group: (group.area.id == NO_AREA.id, name_order(group.area.name, group.area.id)))
        return tuple(group for group in groups if group.tasks)


def _ordered_group(group: BenchmarkGroup, per_task: int) -> BenchmarkGroup:
    tasks = sorted(group.tasks, key=lambda task: name_order(task.name, task.id))
    shown = (replace(task, benchmarks=task.benchmarks[:per_task]) for task in tasks)
    return BenchmarkGroup(group.area, tuple(task for task in shown if task.benchmarks))
