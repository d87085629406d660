"""One call of every remembered operation of the catalog port over the test catalog."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from core.catalog.backend import CatalogBackend
from core.catalog.models import BenchmarkFilters, BenchmarkOrder, Direction, EntityKind, PaperFilters, PaperOrder
from core.catalog.models import SearchMode as Mode
from core.catalog.taxonomy_models import FrameworkFilters, MethodFilters, MethodOrder, TaskFilters, TaskOrder
from core.identifiers import parse
from tests.odd_papers import DOI_TEXT_DOI, EXTERNAL_ID, LONG_TEXT_ID, NAMESAKE, TWIN_TITLE

Call = Callable[[CatalogBackend], Awaitable[Any]]

ASC, ANY = Direction.ASC, PaperFilters()

PORT_CALLS: Mapping[str, Call] = {
    "search": lambda port: port.search("lantern", Mode.KEYWORD, ANY, (), 1, 5),
    "list_papers": lambda port: port.list_papers(ANY, PaperOrder.TRENDING, ASC, 1, 5, True),
    "recent": lambda port: port.recent(5),
    "trending": lambda port: port.trending(5, 30, None),
    "has_velocities": lambda port: port.has_velocities(),
    "paper": lambda port: port.paper(LONG_TEXT_ID),
    "related": lambda port: port.related(LONG_TEXT_ID, 5),
    "lineage": lambda port: port.lineage(LONG_TEXT_ID),
    "evaluations_of_paper": lambda port: port.evaluations_of_paper(EXTERNAL_ID, 1, 50),
    "leaderboard_within": lambda port: port.leaderboard_within("501", 10**9),
    "benchmark": lambda port: port.benchmark("501"),
    "benchmarks": lambda port: port.benchmarks(BenchmarkFilters(), BenchmarkOrder.NAME, ASC, 1, 5),
    "grouped_benchmarks": lambda port: port.grouped_benchmarks(BenchmarkFilters(), BenchmarkOrder.NAME, ASC, 2),
    "task_benchmarks": lambda port: port.task_benchmarks("81", 5),
    "entities": lambda port: port.entities(EntityKind.AREA),
    "complete_entity": lambda port: port.complete_entity(EntityKind.TASK, "lan", 5),
    "tasks": lambda port: port.tasks(TaskFilters(), TaskOrder.NAME, ASC, 1, 5, by_area=False),
    "task_page": lambda port: port.task_page("81"),
    "task_papers": lambda port: port.task_papers("81", 5),
    "methods": lambda port: port.methods(MethodFilters(), MethodOrder.NAME, ASC, 1, 5),
    "method": lambda port: first_of(port, EntityKind.METHOD, port.method),
    "conferences": lambda port: port.conferences(None, 1, 5),
    "conference": lambda port: first_of(port, EntityKind.CONFERENCE, port.conference),
    "organizations": lambda port: port.organizations(featured_only=False, page=1, size=5),
    "organization": lambda port: first_of(port, EntityKind.ORGANIZATION, port.organization),
    "frameworks": lambda port: port.frameworks(FrameworkFilters(), 1, 5),
    "framework": lambda port: first_of(port, EntityKind.FRAMEWORK, port.framework),
    "find": lambda port: port.find(parse(DOI_TEXT_DOI, titles=False, bare_digits="catalog")),
    "find_titles": lambda port: port.find_titles(TWIN_TITLE),
    "near_titles": lambda port: port.near_titles("The Art of Measuring Frogs", 3),
    "find_entity": lambda port: port.find_entity(EntityKind.TASK, "Segmentation"),
    "near_entities": lambda port: port.near_entities(EntityKind.TASK, "Segmentatoin", 3),
    "find_authors": lambda port: port.find_authors(NAMESAKE),
    "near_authors": lambda port: port.near_authors("Ada Quil", 3),
    "read": lambda port: port.read(LONG_TEXT_ID, 0, 2048, None),
}
"""By operation. `leaderboard`, `ping` and `capabilities` are not here: nothing remembers them. Nor is
`public_metadata`, whose answer over a directory is that nobody can be asked."""


async def first_of(port: CatalogBackend, kind: EntityKind, read: Callable[[str], Awaitable[Any]]) -> Any:
    """Reads the first entity of a kind."""
    return await read((await port.entities(kind))[0].id)
