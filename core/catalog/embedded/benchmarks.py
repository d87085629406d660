"""Benchmarks: their listing by filters and orders, held in memory, and their records."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import numeric_id
from core.catalog.models import (
    NO_AREA,
    Benchmark,
    BenchmarkFilters,
    BenchmarkGroup,
    BenchmarkGroupTask,
    BenchmarkOrder,
    Direction,
    Link,
)
from core.catalog.ordering import NameKey, has_words, name_key, ordered, text_key
from core.errors import NotFound
from core.folds import plain_fold

_COLUMNS = (
    "id, name, slug, full_name, description, hf_url, paper_count, evaluation_count, metrics, metric_directions, "
    "recent_paper_count"
)


def benchmark(connection: Connection, benchmark_id: str) -> Benchmark:
    """One benchmark by catalog id; raises `NotFound`."""
    number = numeric_id(benchmark_id)
    found = () if number is None else records(connection, [number])
    if not found:
        raise NotFound(f"No benchmark in this catalog has the id {benchmark_id[:200]!r}. List benchmarks to find it.")
    return found[0]


def records(connection: Connection, ids: Sequence[int]) -> tuple[Benchmark, ...]:
    """Benchmarks in the order given."""
    statement = f"SELECT {_COLUMNS} FROM benchmark WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608
    found = {row[0]: _benchmark(row) for row in connection.execute(statement, (orjson.dumps(ids).decode(),))}
    return tuple(found[each] for each in ids if each in found)


def _benchmark(row: Sequence[Any]) -> Benchmark:
    id_, name, slug, full_name, description, hf_url, papers, evaluations, metrics, directions, recent = row
    return Benchmark(
        id=str(id_),
        name=name,
        slug=slug,
        full_name=full_name,
        description=description,
        hf_url=hf_url,
        paper_count=papers,
        evaluation_count=evaluations,
        metrics=tuple(orjson.loads(metrics)),
        metric_directions=orjson.loads(directions),
        recent_paper_count=recent,
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """What listing needs to know of a benchmark. `name_key` is its place by name, then id."""

    id: int
    name_key: NameKey
    full_name: str | None
    created_at: str | None
    paper_count: int
    evaluation_count: int
    open_count: int
    closed_count: int
    words: str
    trending_rank: int
    recent_paper_count: int


@dataclass(frozen=True, slots=True)
class _Task:
    id: int
    name: str
    slug: str
    area_id: int | None
    paper_count: int


class BenchmarkTable:
    """All benchmarks, tasks and areas of a catalog as far as listing needs them."""

    def __init__(self, connection: Connection) -> None:
        self._entries = {row[0]: _entry(row) for row in connection.execute(_ENTRIES)}
        self._areas = dict(connection.execute("SELECT id, name FROM area"))
        self._tasks = {
            row[0]: _Task(*row) for row in connection.execute("SELECT id, name, slug, area_id, paper_count FROM task")
        }
        self._of_task: defaultdict[int, list[int]] = defaultdict(list)
        for benchmark_id, task_id in connection.execute("SELECT benchmark_id, task_id FROM benchmark_task"):
            self._of_task[task_id].append(benchmark_id)
        self._children: defaultdict[int, list[int]] = defaultdict(list)
        for task_id, parent_id in connection.execute("SELECT task_id, parent_id FROM task_parent"):
            self._children[parent_id].append(task_id)

    def listing(self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction) -> list[int]:
        """Ids of the benchmarks that pass, in order; missing values last, ties by name, then id."""
        passing = (entry for entry in self._candidates(filters) if _passes(entry, filters))
        return [entry.id for entry in _ordered(passing, order, direction)]

    def groups(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, per_task: int
    ) -> list[tuple[Link, list[tuple[_Task, list[int]]]]]:
        """Areas by name, `NO_AREA` last; their tasks by name; the first benchmarks of each as ordered."""
        by_area: defaultdict[int | None, list[tuple[_Task, list[int]]]] = defaultdict(list)
        for task in sorted(self._chosen_tasks(filters), key=lambda each: (plain_fold(each.name), each.name, each.id)):
            entries = (self._entries[each] for each in self._of_task.get(task.id, ()))
            passing = _ordered((each for each in entries if _passes(each, filters)), order, direction)
            if passing:
                area = task.area_id if task.area_id in self._areas else None
                by_area[area].append((task, [entry.id for entry in passing[:per_task]]))
        known = [area for area in by_area if area is not None]
        known.sort(key=lambda area: (plain_fold(self._areas[area]), self._areas[area], area))
        groups = [(Link(str(area), self._areas[area]), by_area[area]) for area in known]
        return [*groups, (NO_AREA, by_area[None])] if None in by_area else groups

    def of_task(self, task_id: str) -> list[int]:
        """Ids of a task's own benchmarks: those with papers of late by trend, then the others by name."""
        number = numeric_id(task_id)
        entries = [] if number is None else [self._entries[each] for each in self._of_task.get(number, ())]
        recent = sorted((each for each in entries if each.recent_paper_count), key=lambda entry: entry.trending_rank)
        others = sorted((each for each in entries if not each.recent_paper_count), key=lambda entry: entry.name_key)
        return [entry.id for entry in (*recent, *others)]

    def by_trend(self, task_id: int) -> list[int]:
        """Ids of a task's own benchmarks, the most trending first."""
        entries = (self._entries[each] for each in self._of_task.get(task_id, ()))
        return [entry.id for entry in sorted(entries, key=lambda entry: entry.trending_rank)]

    def _candidates(self, filters: BenchmarkFilters) -> Iterator[_Entry]:
        if filters.task_id is None and filters.area_id is None:
            yield from self._entries.values()
            return
        chosen = (each for task in self._chosen_tasks(filters) for each in self._of_task.get(task.id, ()))
        for each in dict.fromkeys(chosen):
            yield self._entries[each]

    def _chosen_tasks(self, filters: BenchmarkFilters) -> list[_Task]:
        chosen = list(self._tasks.values())
        if filters.task_id is not None:
            ids = self._descendants(filters.task_id) if filters.include_descendants else {numeric_id(filters.task_id)}
            chosen = [task for task in chosen if task.id in ids]
        if filters.area_id is not None:
            chosen = [task for task in chosen if task.area_id == numeric_id(filters.area_id)]
        return chosen

    def _descendants(self, task_id: str) -> set[int]:
        """The task and everything under it; a task may have several parents, and a circle ends where it closes."""
        found: set[int] = set()
        waiting = [number] if (number := numeric_id(task_id)) is not None else []
        while waiting:
            task = waiting.pop()
            if task not in found:
                found.add(task)
                waiting += self._children.get(task, ())
        return found


_ENTRIES = (
    "SELECT id, name, full_name, created_at, paper_count, evaluation_count, open_count, closed_count, search_text, "
    "trending_rank, recent_paper_count FROM benchmark"
)


def _entry(row: Sequence[Any]) -> _Entry:
    id_, name, full_name, created_at, papers, evaluations, opened, closed, words, rank, recent = row
    key = name_key(name, id_)
    return _Entry(id_, key, full_name, created_at, papers, evaluations, opened, closed, f" {words}", rank, recent)


def _ordered(entries: Iterable[_Entry], order: BenchmarkOrder, direction: Direction) -> list[_Entry]:
    """Entries by the first key, missing values last, ties by name, then id; trending order never turns round."""
    if order is BenchmarkOrder.TRENDING:
        return sorted(entries, key=lambda entry: entry.trending_rank)
    return ordered(entries, lambda entry: _first_key(entry, order), direction)


def _first_key(entry: _Entry, order: BenchmarkOrder) -> Any:
    match order:
        case BenchmarkOrder.NAME:
            return entry.name_key[:2]
        case BenchmarkOrder.FULL_NAME:
            return text_key(entry.full_name)
        case BenchmarkOrder.CREATED_AT:
            return entry.created_at
        case BenchmarkOrder.PAPER_COUNT:
            return entry.paper_count
        case BenchmarkOrder.TRENDING:
            return entry.trending_rank


def _passes(entry: _Entry, filters: BenchmarkFilters) -> bool:
    """Whether an entry passes what is asked of the benchmark itself; a word matches where a word begins with it."""
    if filters.minimum_evaluations is not None and entry.evaluation_count < filters.minimum_evaluations:
        return False
    if filters.is_open is not None and not (entry.open_count if filters.is_open else entry.closed_count):
        return False
    return has_words(entry.words, filters.search)


def grouped(
    connection: Connection,
    table: BenchmarkTable,
    filters: BenchmarkFilters,
    order: BenchmarkOrder,
    direction: Direction,
    per_task: int,
) -> tuple[BenchmarkGroup, ...]:
    """The grouped listing with the benchmarks' records in it."""
    groups = table.groups(filters, order, direction, per_task)
    ids = sorted({each for _, tasks in groups for _, found in tasks for each in found})
    found = {each.id: each for each in records(connection, ids)}
    return tuple(
        BenchmarkGroup(
            area,
            tuple(
                BenchmarkGroupTask(
                    str(task.id), task.name, task.slug, task.paper_count, tuple(found[str(each)] for each in chosen)
                )
                for task, chosen in tasks
            ),
        )
        for area, tasks in groups
    )
