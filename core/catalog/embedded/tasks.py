"""Research tasks: their listing and places in the taxonomy, held in memory, and their records."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from core.catalog.embedded.benchmarks import BenchmarkTable, records
from core.catalog.embedded.connection import Connection
from core.catalog.embedded.papers import numeric_id
from core.catalog.models import Benchmark, Direction, Link
from core.catalog.ordering import NameKey, has_words, name_key, ordered, searchable
from core.catalog.taxonomy_models import RecommendedFramework, Task, TaskFilters, TaskOrder, TaskPageParts
from core.errors import NotFound
from core.folds import key_fold

_COLUMNS = (
    "t.id, t.name, t.slug, t.description, a.id, a.name, t.level, t.paper_count, t.benchmark_count, t.evaluation_count, "
    "t.research_trends"
)
_ENTRIES = (
    "SELECT t.id, t.name, t.slug, t.description, a.id, a.name, t.level, t.paper_count, t.benchmark_count, t.visible, "
    "t.created_at FROM task t LEFT JOIN area a ON a.id = t.area_id"
)


def tasks(connection: Connection, ids: Sequence[int]) -> tuple[Task, ...]:
    """Tasks in the order given."""
    statement = (
        f"SELECT {_COLUMNS} FROM task t LEFT JOIN area a ON a.id = t.area_id "  # noqa: S608
        "WHERE t.id IN (SELECT value FROM json_each(?))"
    )
    found = {row[0]: _task(row) for row in connection.execute(statement, (orjson.dumps(ids).decode(),))}
    return tuple(found[each] for each in ids if each in found)


def _task(row: Sequence[Any]) -> Task:
    id_, name, slug, description, area_id, area, level, papers, benchmarks, evaluations, trends = row
    return Task(
        id=str(id_),
        name=name,
        slug=slug,
        description=description,
        area=None if area_id is None else Link(str(area_id), area),
        level=level,
        paper_count=papers,
        benchmark_count=benchmarks,
        evaluation_count=evaluations,
        research_trends=tuple(orjson.loads(trends)),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """What listing needs to know of a task."""

    id: int
    name_key: NameKey
    slug: str
    words: str
    area_key: NameKey | None
    level: int
    paper_count: int
    is_visible: bool
    created_at: str | None

    @property
    def link(self) -> Link:
        return Link(str(self.id), self.name_key[1], self.slug)


def _entry(row: Sequence[Any]) -> _Entry:
    id_, name, slug, description, area_id, area, level, papers, benchmarks, visible, created_at = row
    return _Entry(
        id=id_,
        name_key=name_key(name, id_),
        slug=slug,
        words=searchable(name, slug, description),
        area_key=None if area_id is None else name_key(area, area_id),
        level=level,
        paper_count=papers,
        is_visible=bool(visible) and bool(papers or benchmarks),
        created_at=created_at,
    )


class TaskTable:
    """All tasks of a catalog as far as listing and the taxonomy need them."""

    def __init__(self, connection: Connection) -> None:
        self._entries = {row[0]: _entry(row) for row in connection.execute(_ENTRIES)}
        parents: defaultdict[int, list[int]] = defaultdict(list)
        children: defaultdict[int, list[int]] = defaultdict(list)
        for task_id, parent_id in connection.execute("SELECT task_id, parent_id FROM task_parent"):
            parents[task_id].append(parent_id)
            children[parent_id].append(task_id)
        self._parents, self._children = dict(parents), dict(children)

    def listing(self, filters: TaskFilters, order: TaskOrder, direction: Direction, *, by_area: bool) -> list[int]:
        """Ids of the tasks that pass, in order; `by_area` sorts by area name first, tasks without one last."""
        passing = [entry for entry in self._entries.values() if _passes(entry, filters)]
        found = ordered(passing, lambda entry: _first_key(entry, order), direction)
        if by_area:
            found.sort(key=lambda entry: (entry.area_key is None, entry.area_key or ()))
        return [entry.id for entry in found]

    def parents(self, task_id: int) -> tuple[Link, ...]:
        """The tasks above one, by name, then id."""
        return self._links(self._parents.get(task_id, ()))

    def children(self, task_id: int) -> tuple[Link, ...]:
        """The tasks under one, by name, then id."""
        return self._links(self._children.get(task_id, ()))

    def sisters(self, task_id: int) -> tuple[Link, ...]:
        """The other children of the same parents, each once, by name, then id."""
        found = {child for parent in self._parents.get(task_id, ()) for child in self._children[parent]}
        return self._links(found - {task_id})

    def _links(self, ids: Iterable[int]) -> tuple[Link, ...]:
        entries = (self._entries[each] for each in ids if each in self._entries)
        return tuple(entry.link for entry in sorted(entries, key=lambda entry: entry.name_key))


def _passes(entry: _Entry, filters: TaskFilters) -> bool:
    if filters.area_id is not None and (entry.area_key is None or entry.area_key[2] != numeric_id(filters.area_id)):
        return False
    if filters.level is not None and entry.level != filters.level:
        return False
    if filters.visible_only and not entry.is_visible:
        return False
    return has_words(entry.words, filters.search)


def _first_key(entry: _Entry, order: TaskOrder) -> Any:
    match order:
        case TaskOrder.NAME:
            return entry.name_key[:2]
        case TaskOrder.CREATED_AT:
            return entry.created_at
        case TaskOrder.LEVEL:
            return entry.level
        case TaskOrder.PAPER_COUNT:
            return entry.paper_count


def page_parts(connection: Connection, table: TaskTable, benchmarks: BenchmarkTable, task_id: str) -> TaskPageParts:
    """A task's page; subtasks without benchmarks have no place among the subtask benchmarks. Raises `NotFound`."""
    number = numeric_id(task_id)
    found = () if number is None else tasks(connection, [number])
    if number is None or not found:
        raise NotFound(f"No task in this catalog has the id {task_id[:200]!r}. List tasks to find it.")
    children = table.children(number)
    return TaskPageParts(
        task=found[0],
        parents=table.parents(number),
        sisters=table.sisters(number),
        children=children,
        recommended_frameworks=_recommended(connection, number),
        subtask_benchmarks=_of_subtasks(connection, benchmarks, children),
    )


def _of_subtasks(
    connection: Connection, table: BenchmarkTable, subtasks: Sequence[Link]
) -> tuple[tuple[Link, tuple[Benchmark, ...]], ...]:
    ids = {link.id: table.by_trend(int(link.id)) for link in subtasks}
    found = {each.id: each for each in records(connection, sorted({each for some in ids.values() for each in some}))}
    return tuple((link, tuple(found[str(each)] for each in ids[link.id])) for link in subtasks if ids[link.id])


def _recommended(connection: Connection, task_id: int) -> tuple[RecommendedFramework, ...]:
    """Recommended frameworks in the source's order; one that the catalog holds under that name has the catalog's id."""
    (text,) = connection.execute("SELECT recommended_frameworks FROM task WHERE id = ?", (task_id,)).fetchone()
    return tuple(
        RecommendedFramework(
            id=_framework_id(connection, each["name"], each.get("owner")),
            name=each["name"],
            owner=each.get("owner"),
            url=each.get("url"),
            num_stars=each.get("num_stars"),
        )
        for each in orjson.loads(text)
    )


def _framework_id(connection: Connection, name: str, owner: str | None) -> str:
    statement = "SELECT id FROM entity_name WHERE kind = 'framework' AND level = 'folded' AND fold = ? LIMIT 2"
    found = connection.execute(statement, (key_fold(name),)).fetchall()
    if len(found) == 1:
        return str(found[0][0])
    return f"{owner}/{name}" if owner else name
