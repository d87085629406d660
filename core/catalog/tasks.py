"""Research tasks: the overview of one and the listing (catalog contract 6.8 and 6.9)."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import anyio

from core.catalog import api_rows, api_taxonomy
from core.catalog.backend import CatalogBackend
from core.catalog.models import NO_AREA, BenchmarkRows, Direction, EntityKind, PaperRow
from core.catalog.notices import noted
from core.catalog.paging import applied, next_page, page_notes
from core.catalog.present import DESCRIPTION_MAX, NAME_MAX, benchmark_summary, cut, cut_or_none, link_url, paper_summary
from core.catalog.present import reference as link_reference
from core.catalog.resolve import Resolver
from core.catalog.results import AreaReference
from core.catalog.taxonomy_models import Task, TaskFilters, TaskOrder, TaskPageParts
from core.catalog.taxonomy_results import (
    CountedReference,
    FrameworkLink,
    SubtaskBenchmarks,
    TaskAreaGroup,
    TaskDetail,
    TaskPage,
    TaskResult,
    TaskSummary,
)
from core.errors import PaperdeskError

RELATIVES_MAX = 25
SISTERS_MAX = 15
FRAMEWORKS_MAX = 10
SUBTASKS_MAX = 5
SUBTASK_BENCHMARKS_MAX = 3
COMMON_METHODS_MAX = 8
PAPERS_SHOWN = 10
PAPER_SAMPLE = 100

# With a letter: digits alone are an id first.
_SLUG = re.compile(r"(?=[0-9-]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)


class Tasks:
    """The tasks of one backend."""

    def __init__(self, backend: CatalogBackend, resolver: Resolver, *, site_url: str) -> None:
        self._backend = backend
        self._resolver = resolver
        self._site_url = site_url

    @noted
    async def get(self, task: str, *, benchmark_limit: int) -> TaskResult:
        """One task with its place in the taxonomy, benchmarks, methods and papers.

        The parts are read together; one that fails is left out and named in a note, but without the task itself the
        call fails.
        """
        note, parts = await self._found(task, benchmark_limit)
        if isinstance(parts["page"], PaperdeskError):
            raise parts["page"]
        page: TaskPageParts = parts["page"]
        missing = [name for name, part in parts.items() if isinstance(part, PaperdeskError)]
        notes = [note] if note else []
        notes += [f"The task's {name} could not be read; they are left out, not empty." for name in missing]
        papers = None if "papers" in missing else parts["papers"]
        benchmarks = None if "benchmarks" in missing else parts["benchmarks"]
        if benchmarks and benchmarks.count != len(benchmarks.rows):
            total = "more" if benchmarks.count is None else f"{benchmarks.count}"
            notes.append(
                f"The first {len(benchmarks.rows)} of {total} benchmarks are shown;"
                " list_benchmarks with this task pages through all of them."
            )
        notes += _cut_notes(page)
        methods = None if papers is None else _common_methods(papers)
        shown = _capped(page)
        return TaskResult(
            task=self._detail(shown, benchmarks, papers, methods),
            notes=notes or None,
            data=api_taxonomy.task_data(shown, benchmarks, papers, methods),
        )

    async def _found(self, task: str, benchmark_limit: int) -> tuple[str | None, dict[str, Any]]:
        """The parts of the task that a reference names, and how it was read.

        Where the backend takes slugs for ids, a slug is no question of its own: it is the first level of a name's
        match (catalog contract 9.1), so the parts themselves say whether there is such a task, in one round trip.
        """
        guess = task.strip().casefold()
        if self._backend.capabilities().takes_task_slugs and _SLUG.fullmatch(guess):
            parts = await self._parts(guess, benchmark_limit)
            page = parts["page"]
            if isinstance(page, TaskPageParts) and page.task.slug == guess:
                return None, parts
        entity, note = await self._resolver.entity(EntityKind.TASK, task)
        return note, await self._parts(entity.id, benchmark_limit)

    async def _parts(self, task_id: str, benchmark_limit: int) -> dict[str, Any]:
        """What was read, or the failure, by name."""
        parts: dict[str, Any] = {}

        async def read(name: str, ask: Callable[[], Awaitable[Any]]) -> None:
            try:
                parts[name] = await ask()
            except PaperdeskError as error:
                parts[name] = error

        async with anyio.create_task_group() as group:
            group.start_soon(read, "page", lambda: self._backend.task_page(task_id))
            group.start_soon(read, "benchmarks", lambda: self._backend.task_benchmarks(task_id, benchmark_limit))
            group.start_soon(read, "papers", lambda: self._backend.task_papers(task_id, PAPER_SAMPLE))
        return parts

    def _detail(
        self,
        page: TaskPageParts,
        benchmarks: BenchmarkRows | None,
        papers: Sequence[PaperRow] | None,
        methods: list[CountedReference] | None,
    ) -> TaskDetail:
        task = page.task
        return TaskDetail(
            id=task.id,
            name=cut(task.name, NAME_MAX),
            slug=task.slug,
            description=task.description,
            paper_count=task.paper_count,
            area=_area(task),
            parents=[link_reference(link) for link in page.parents],
            children=[link_reference(link) for link in page.children],
            benchmarks=[benchmark_summary(row, self._site_url) for row in (benchmarks.rows if benchmarks else ())],
            benchmark_count=task.benchmark_count,
            evaluation_count=task.evaluation_count,
            sisters=[link_reference(link) for link in page.sisters],
            recommended_frameworks=[
                FrameworkLink(
                    id=found.id,
                    name=cut(found.name, NAME_MAX),
                    owner=found.owner,
                    url=link_url(found.url, self._site_url),
                    num_stars=found.num_stars,
                )
                for found in page.recommended_frameworks
            ],
            subtask_benchmarks=[
                SubtaskBenchmarks(
                    subtask=link_reference(link),
                    benchmarks=[benchmark_summary(row, self._site_url) for row in rows],
                )
                for link, rows in page.subtask_benchmarks
            ],
            common_methods=methods,
            papers=None if papers is None else [paper_summary(row, self._site_url) for row in papers[:PAPERS_SHOWN]],
            paper_sample_size=None if papers is None else len(papers),
        )

    @noted
    async def listing(
        self,
        *,
        search: str | None,
        area: str | None,
        level: int | None,
        visible_only: bool,
        group_by_area: bool,
        order: TaskOrder,
        direction: Direction,
        page: int,
        limit: int,
    ) -> TaskPage:
        """One page of the tasks that pass every filter; grouping sorts by area first and shows the same rows twice."""
        ran = applied(search=search, level=level, visible_only=True if visible_only else None)
        notes: list[str] = []
        area_id = None
        if area is not None:
            entity, note = await self._resolver.entity(EntityKind.AREA, area)
            area_id, ran["area"] = entity.id, entity.name
            notes += [note] if note else []
        filters = TaskFilters(search=search, area_id=area_id, level=level, visible_only=visible_only)
        found = await self._backend.tasks(filters, order, direction, page, limit, by_area=group_by_area)
        following = next_page(found.count, page, limit, has_more=found.has_more)
        items = [task_summary(row) for row in found.rows]
        return TaskPage(
            items=items,
            groups=_groups(items) if group_by_area else None,
            count=found.count,
            page=page,
            next_page=following,
            applied_filters=ran,
            as_of=self._backend.capabilities().as_of,
            notes=[*notes, *page_notes(found.count, page, limit)] or None,
            data=api_rows.envelope(
                map(api_taxonomy.task_row, found.rows),
                count=found.count,
                page=page,
                page_size=limit,
                next_page=following,
                applied=api_rows.applied_filters(ran, search="q"),
            ),
        )


def task_summary(task: Task) -> TaskSummary:
    """A task as lists show it."""
    return TaskSummary(
        id=task.id,
        name=cut(task.name, NAME_MAX),
        slug=task.slug,
        area=_area(task),
        level=task.level,
        paper_count=task.paper_count,
        benchmark_count=task.benchmark_count,
        evaluation_count=task.evaluation_count,
    )


def _area(task: Task) -> AreaReference | None:
    return AreaReference(id=task.area.id, name=cut(task.area.name, NAME_MAX)) if task.area else None


def _groups(items: Sequence[TaskSummary]) -> list[TaskAreaGroup]:
    nowhere = AreaReference(id=NO_AREA.id, name=NO_AREA.name)
    grouped = groupby(items, key=lambda task: task.area or nowhere)
    return [TaskAreaGroup(area=area, tasks=list(tasks)) for area, tasks in grouped]


def _common_methods(papers: Sequence[PaperRow]) -> list[CountedReference]:
    """The methods that most of the papers use; ties by name."""
    links = {link.id: link for row in papers for link in row.methods or ()}
    counts = Counter(link.id for row in papers for link in set(row.methods or ()))
    ranked = sorted(counts, key=lambda found: (-counts[found], links[found].name.casefold(), found))
    return [
        CountedReference(id=found, name=cut(links[found].name, NAME_MAX), slug=links[found].slug, count=counts[found])
        for found in ranked[:COMMON_METHODS_MAX]
    ]


def _capped(page: TaskPageParts) -> TaskPageParts:
    """The page with every text and list at its cap: what both the detail and its `data` show."""
    return replace(
        page,
        task=replace(page.task, description=cut_or_none(page.task.description, DESCRIPTION_MAX)),
        parents=page.parents[:RELATIVES_MAX],
        children=page.children[:RELATIVES_MAX],
        sisters=page.sisters[:SISTERS_MAX],
        recommended_frameworks=page.recommended_frameworks[:FRAMEWORKS_MAX],
        subtask_benchmarks=tuple(
            (link, rows[:SUBTASK_BENCHMARKS_MAX]) for link, rows in page.subtask_benchmarks[:SUBTASKS_MAX]
        ),
    )


def _cut_notes(page: TaskPageParts) -> list[str]:
    """A note for each list of a task's page that is cut."""
    lists: tuple[tuple[str, Sequence[object], int], ...] = (
        ("parents", page.parents, RELATIVES_MAX),
        ("children", page.children, RELATIVES_MAX),
        ("sisters", page.sisters, SISTERS_MAX),
        ("recommended frameworks", page.recommended_frameworks, FRAMEWORKS_MAX),
        ("subtasks with benchmarks", page.subtask_benchmarks, SUBTASKS_MAX),
    )
    notes = [f"The first {most} of {len(found)} {name} are shown." for name, found, most in lists if len(found) > most]
    if any(len(rows) > SUBTASK_BENCHMARKS_MAX for _, rows in page.subtask_benchmarks[:SUBTASKS_MAX]):
        notes.append(f"The first {SUBTASK_BENCHMARKS_MAX} benchmarks of each subtask are shown.")
    return notes
