"""The whole catalog port around another backend, answering from memory while that is fresh (catalog contract 15)."""

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import TypeVar

from core.cache import Counters
from core.catalog.backend import CatalogBackend
from core.catalog.cached.keys import frameworks_key, papers_key, searched_key
from core.catalog.cached.memory import Memory
from core.catalog.cached.operations import OPERATIONS
from core.catalog.cached.texts import RememberedTexts
from core.catalog.models import (
    Author,
    Benchmark,
    BenchmarkFilters,
    BenchmarkGroup,
    BenchmarkOrder,
    BenchmarkRows,
    Capabilities,
    Direction,
    Entity,
    EntityKind,
    EntityMatches,
    EvaluationRows,
    PaperFilters,
    PaperOrder,
    PaperRecord,
    PaperRow,
    PaperRows,
    SearchMode,
    SearchRows,
    TextChunk,
    TitleMatches,
)
from core.catalog.public_models import PublicMetadata
from core.catalog.taxonomy_models import (
    Conference,
    ConferenceRows,
    Framework,
    FrameworkFilters,
    FrameworkRows,
    Lineage,
    Method,
    MethodFilters,
    MethodOrder,
    MethodRows,
    Organization,
    OrganizationRows,
    RelatedRows,
    TaskFilters,
    TaskOrder,
    TaskPageParts,
    TaskRows,
)
from core.clock import Clock
from core.folds import plain_fold
from core.identifiers import Identifier

V = TypeVar("V")


class CachedCatalog:
    """`backend` with a memory, for one event loop; answers and failures are those of the port.

    Equal concurrent calls share one call of `backend`. After a passing failure an older answer may stand in; a notice
    (core.catalog.notices) then gives its age. `capabilities`, `ping` and raw `leaderboard` rows are never remembered:
    the merged leaderboard is, where it is made.
    """

    def __init__(self, backend: CatalogBackend, clock: Clock) -> None:
        self._inner = backend
        self._memory = Memory(clock)
        self._texts = RememberedTexts(backend, self._memory)

    def counters(self) -> Mapping[str, Counters]:
        """What each tier has done and holds, by its name; without `leaderboard`."""
        return self._memory.counters()

    def capabilities(self) -> Capabilities:
        """What the backend can do."""
        return self._inner.capabilities()

    async def ping(self) -> None:
        """Asks the backend itself."""
        await self._inner.ping()

    async def search(
        self, query: str, mode: SearchMode, filters: PaperFilters, pinned: Sequence[str], page: int, size: int
    ) -> SearchRows:
        """One page of a search."""
        key = plain_fold(query), mode, papers_key(filters), tuple(pinned), page, size
        return await self._recall("search", key, lambda: self._inner.search(query, mode, filters, pinned, page, size))

    async def list_papers(
        self, filters: PaperFilters, order: PaperOrder, direction: Direction, page: int, size: int, with_resources: bool
    ) -> PaperRows:
        """One page of the papers that pass the filters."""
        key = papers_key(filters), order, direction, page, size, with_resources
        return await self._recall(
            "list_papers",
            key,
            lambda: self._inner.list_papers(filters, order, direction, page, size, with_resources),
        )

    async def paper(self, paper_id: str) -> PaperRecord:
        """The record of a canonical or catalog id."""
        return await self._recall("paper", (paper_id,), lambda: self._inner.paper(paper_id))

    async def find(self, identifier: Identifier) -> PaperRow | None:
        """The paper that an identifier names."""
        key = identifier.key, identifier.alternates, identifier.plausible
        return await self._recall("find", key, lambda: self._inner.find(identifier), lambda found: found is None)

    async def find_titles(self, text: str) -> TitleMatches:
        """Papers of the first title level with a hit."""
        key = (plain_fold(text),)
        return await self._recall(
            "find_titles", key, lambda: self._inner.find_titles(text), lambda found: not found.rows
        )

    async def near_titles(self, text: str, limit: int) -> tuple[PaperRow, ...]:
        """Papers whose titles are nearest to a text."""
        key = plain_fold(text), limit
        return await self._recall("near_titles", key, lambda: self._inner.near_titles(text, limit))

    async def find_entity(self, kind: EntityKind, text: str) -> EntityMatches:
        """Entities of the first level with a hit."""
        key = kind, plain_fold(text)
        return await self._recall(
            "find_entity", key, lambda: self._inner.find_entity(kind, text), lambda found: not found.entities
        )

    async def near_entities(self, kind: EntityKind, text: str, limit: int) -> tuple[Entity, ...]:
        """Entities whose names are nearest to a text."""
        key = kind, plain_fold(text), limit
        return await self._recall("near_entities", key, lambda: self._inner.near_entities(kind, text, limit))

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All entities of a kind."""
        operation = "benchmark_names" if kind is EntityKind.BENCHMARK else "entities"
        return await self._recall(operation, (kind,), lambda: self._inner.entities(kind))

    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        """Entities whose names begin with a text or contain it, and the number of all."""
        operation = "benchmark_names" if kind is EntityKind.BENCHMARK else "complete_entity"
        key = kind, plain_fold(text), limit
        return await self._recall(operation, key, lambda: self._inner.complete_entity(kind, text, limit))

    async def find_authors(self, text: str) -> tuple[Author, ...]:
        """Authors by exact name, numeric id or user name."""
        key = (plain_fold(text),)
        return await self._recall("find_authors", key, lambda: self._inner.find_authors(text), lambda found: not found)

    async def near_authors(self, text: str, limit: int) -> tuple[Author, ...]:
        """Authors whose names are nearest to a text."""
        key = plain_fold(text), limit
        return await self._recall("near_authors", key, lambda: self._inner.near_authors(text, limit))

    async def evaluations_of_paper(self, paper_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one paper."""
        key = paper_id, page, size
        return await self._recall(
            "evaluations_of_paper", key, lambda: self._inner.evaluations_of_paper(paper_id, page, size)
        )

    async def leaderboard(self, benchmark_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one benchmark, from the backend itself."""
        return await self._inner.leaderboard(benchmark_id, page, size)

    async def benchmark(self, benchmark_id: str) -> Benchmark:
        """One benchmark."""
        return await self._recall("benchmark", (benchmark_id,), lambda: self._inner.benchmark(benchmark_id))

    async def benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, page: int, size: int
    ) -> BenchmarkRows:
        """One page of the benchmarks that pass the filters."""
        key = searched_key(filters), order, direction, page, size
        return await self._recall(
            "benchmarks", key, lambda: self._inner.benchmarks(filters, order, direction, page, size)
        )

    async def grouped_benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, per_task: int
    ) -> tuple[BenchmarkGroup, ...]:
        """The whole grouped listing."""
        key = searched_key(filters), order, direction, per_task
        return await self._recall(
            "grouped_benchmarks", key, lambda: self._inner.grouped_benchmarks(filters, order, direction, per_task)
        )

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        """One chunk of the stored text."""
        return await self._texts.read(paper_id, offset, limit, version)

    async def recent(self, limit: int) -> tuple[PaperRow, ...]:
        """The newest papers."""
        return await self._recall("recent", (limit,), lambda: self._inner.recent(limit))

    async def trending(self, limit: int, max_age_days: int, min_velocity: float | None) -> tuple[PaperRow, ...]:
        """Papers of the last days in trending order."""
        key = limit, max_age_days, min_velocity
        return await self._recall("trending", key, lambda: self._inner.trending(limit, max_age_days, min_velocity))

    async def has_velocities(self) -> bool:
        """Whether any paper carries a measured velocity."""
        return await self._recall("has_velocities", (), self._inner.has_velocities)

    async def related(self, paper_id: str, limit: int) -> RelatedRows:
        """Papers most like one."""
        return await self._recall("related", (paper_id, limit), lambda: self._inner.related(paper_id, limit))

    async def lineage(self, paper_id: str) -> Lineage:
        """Explicit links of one paper."""
        return await self._recall("lineage", (paper_id,), lambda: self._inner.lineage(paper_id))

    async def tasks(
        self, filters: TaskFilters, order: TaskOrder, direction: Direction, page: int, size: int, *, by_area: bool
    ) -> TaskRows:
        """One page of tasks."""
        key = searched_key(filters), order, direction, page, size, by_area
        return await self._recall(
            "tasks", key, lambda: self._inner.tasks(filters, order, direction, page, size, by_area=by_area)
        )

    async def task_page(self, task_id: str) -> TaskPageParts:
        """A task with its place in the taxonomy."""
        return await self._recall("task_page", (task_id,), lambda: self._inner.task_page(task_id))

    async def task_papers(self, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        """The task's own papers."""
        return await self._recall("task_papers", (task_id, limit), lambda: self._inner.task_papers(task_id, limit))

    async def task_benchmarks(self, task_id: str, limit: int) -> BenchmarkRows:
        """The task's benchmarks."""
        key = task_id, limit
        return await self._recall("task_benchmarks", key, lambda: self._inner.task_benchmarks(task_id, limit))

    async def methods(
        self, filters: MethodFilters, order: MethodOrder, direction: Direction, page: int, size: int
    ) -> MethodRows:
        """One page of methods."""
        key = searched_key(filters), order, direction, page, size
        return await self._recall("methods", key, lambda: self._inner.methods(filters, order, direction, page, size))

    async def method(self, method_id: str) -> Method:
        """One method."""
        return await self._recall("method", (method_id,), lambda: self._inner.method(method_id))

    async def conferences(self, year: int | None, page: int, size: int) -> ConferenceRows:
        """One page of conferences."""
        return await self._recall("conferences", (year, page, size), lambda: self._inner.conferences(year, page, size))

    async def conference(self, conference_id: str) -> Conference:
        """One conference."""
        return await self._recall("conference", (conference_id,), lambda: self._inner.conference(conference_id))

    async def organizations(self, *, featured_only: bool, page: int, size: int) -> OrganizationRows:
        """One page of organizations."""
        key = featured_only, page, size
        return await self._recall(
            "organizations",
            key,
            lambda: self._inner.organizations(featured_only=featured_only, page=page, size=size),
        )

    async def organization(self, organization_id: str) -> Organization:
        """One organization."""
        key = (organization_id,)
        return await self._recall("organization", key, lambda: self._inner.organization(organization_id))

    async def frameworks(self, filters: FrameworkFilters, page: int, size: int) -> FrameworkRows:
        """One page of frameworks."""
        key = frameworks_key(filters), page, size
        return await self._recall("frameworks", key, lambda: self._inner.frameworks(filters, page, size))

    async def framework(self, framework_id: str) -> Framework:
        """One framework."""
        return await self._recall("framework", (framework_id,), lambda: self._inner.framework(framework_id))

    async def leaderboard_within(self, benchmark_id: str, max_parameters: int) -> EvaluationRows:
        """Raw rows of one benchmark of at most that many parameters."""
        key = benchmark_id, max_parameters
        return await self._recall(
            "leaderboard_within", key, lambda: self._inner.leaderboard_within(benchmark_id, max_parameters)
        )

    async def public_metadata(self, identifier: Identifier) -> PublicMetadata:
        """What is publicly known of a paper; that nobody could be asked is remembered as briefly as a miss."""
        key = identifier.key, identifier.alternates
        return await self._recall(
            "public_metadata",
            key,
            lambda: self._inner.public_metadata(identifier),
            lambda found: not found.is_available,
        )

    async def _recall(
        self,
        operation: str,
        parameters: tuple[Hashable, ...],
        load: Callable[[], Awaitable[V]],
        is_miss: Callable[[V], bool] | None = None,
    ) -> V:
        tier, what = OPERATIONS[operation]
        return await self._memory.recall(tier, (operation, *parameters), load, what=what, is_miss=is_miss)
