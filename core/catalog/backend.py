"""The catalog port: one protocol that every backend fulfils, proved by one contract suite (tests/contracts)."""

from collections.abc import Sequence
from typing import Protocol

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
from core.identifiers import Identifier


class CatalogBackend(Protocol):
    """Read access to one catalog. Rows come in the orders of catalog contract section 11; `page` counts from 1.

    Every operation may raise `SourceError`; beyond that only what it names.
    """

    def capabilities(self) -> Capabilities:
        """What this backend can do; known since it was opened."""
        ...

    async def ping(self) -> None:
        """Returns when the catalog can answer; raises `SourceError` when not."""
        ...

    async def search(
        self, query: str, mode: SearchMode, filters: PaperFilters, pinned: Sequence[str], page: int, size: int
    ) -> SearchRows:
        """One page of a search (contract section 10).

        `pinned` holds canonical ids of the papers that the query names by identifier, put first if they pass the
        filters; exact, normalized and short-name title hits follow them (at most ten pins in all). Falls back from
        hybrid to keyword with a reason. Raises `InvalidInput` for a query without a searchable term or with over 64
        terms, `Unavailable` for semantic search without vectors or embedder.
        """
        ...

    async def list_papers(
        self, filters: PaperFilters, order: PaperOrder, direction: Direction, page: int, size: int, with_resources: bool
    ) -> PaperRows:
        """One page of the papers that pass the filters; methods and repositories are filled when asked for."""
        ...

    async def paper(self, paper_id: str) -> PaperRecord:
        """The record of a canonical or catalog id; raises `NotFound`."""
        ...

    async def find(self, identifier: Identifier) -> PaperRow | None:
        """The paper that an identifier (any kind but title) names, also by its alternates; None when there is none."""
        ...

    async def find_titles(self, text: str) -> TitleMatches:
        """Papers by title (contract 8.2 step 6): plain fold, then key fold, then short name before the colon."""
        ...

    async def near_titles(self, text: str, limit: int) -> tuple[PaperRow, ...]:
        """Papers whose titles are nearest to a text that matched none, best first."""
        ...

    async def find_entity(self, kind: EntityKind, text: str) -> EntityMatches:
        """Entities by id, slug, name, full name, alias or key fold (contract 9.1); the first level with a hit."""
        ...

    async def near_entities(self, kind: EntityKind, text: str, limit: int) -> tuple[Entity, ...]:
        """Entities whose names are nearest by trigram similarity, best first."""
        ...

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All entities of a kind, by name, then id. Meant for areas and other short lists."""
        ...

    async def find_authors(self, text: str) -> tuple[Author, ...]:
        """Authors by exact name (plain fold), numeric id, or `@hf_username`; ordered by numeric id."""
        ...

    async def near_authors(self, text: str, limit: int) -> tuple[Author, ...]:
        """Authors whose names are nearest by trigram similarity, best first."""
        ...

    async def evaluations_of_paper(self, paper_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one paper in order of benchmark popularity, then id; `size` up to 1,000."""
        ...

    async def leaderboard(self, benchmark_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one benchmark by best rank (missing last), then id; `size` up to 5,000."""
        ...

    async def benchmark(self, benchmark_id: str) -> Benchmark:
        """One benchmark by catalog id; raises `NotFound`."""
        ...

    async def benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, page: int, size: int
    ) -> BenchmarkRows:
        """One page of the benchmarks that pass the filters; trending order starts with the most trending."""
        ...

    async def grouped_benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, per_task: int
    ) -> tuple[BenchmarkGroup, ...]:
        """Whole grouped listing: area name, task name, then the first `per_task` benchmarks of each task as ordered.

        Tasks without an area come last, under `NO_AREA`.
        """
        ...

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        """One chunk of the stored text (contract 13.1), `limit` in bytes.

        Raises `NotFound`, `NoFullText`, and `ContentChanged` when `version` is given and no longer current.
        """
        ...

    async def recent(self, limit: int) -> tuple[PaperRow, ...]:
        """The newest papers, latest records only: published desc, id."""
        ...

    async def trending(self, limit: int, max_age_days: int, min_velocity: float | None) -> tuple[PaperRow, ...]:
        """Papers of the last `max_age_days` before the as-of date in trending order (contract 11.3).

        Both ends inclusive, latest records only. With `min_velocity` only papers whose known velocity is at least that.
        """
        ...

    async def has_velocities(self) -> bool:
        """Whether any paper carries a measured velocity; else trending goes by citations and age alone."""
        ...

    async def related(self, paper_id: str, limit: int) -> RelatedRows:
        """Papers most like one, itself and superseded records excluded (contract 10.5); raises `NotFound`."""
        ...

    async def lineage(self, paper_id: str) -> Lineage:
        """Explicit predecessor and successor links of one paper; raises `NotFound`."""
        ...

    async def tasks(
        self, filters: TaskFilters, order: TaskOrder, direction: Direction, page: int, size: int, *, by_area: bool
    ) -> TaskRows:
        """One page of tasks; `by_area` sorts by area name first (tasks without an area last)."""
        ...

    async def task_page(self, task_id: str) -> TaskPageParts:
        """A task with its place in the taxonomy, frameworks and its subtasks' benchmarks; raises `NotFound`."""
        ...

    async def task_papers(self, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        """The task's own papers in trending order, latest records only, with their methods."""
        ...

    async def task_benchmarks(self, task_id: str, limit: int) -> BenchmarkRows:
        """The task's benchmarks, trending ones first, then by name, and their total."""
        ...

    async def methods(
        self, filters: MethodFilters, order: MethodOrder, direction: Direction, page: int, size: int
    ) -> MethodRows:
        """One page of methods."""
        ...

    async def method(self, method_id: str) -> Method:
        """One method by catalog id; raises `NotFound`."""
        ...

    async def conferences(self, year: int | None, page: int, size: int) -> ConferenceRows:
        """One page of conferences: year desc (missing last), name, id."""
        ...

    async def conference(self, conference_id: str) -> Conference:
        """One conference by catalog id; raises `NotFound`."""
        ...

    async def organizations(self, *, featured_only: bool, page: int, size: int) -> OrganizationRows:
        """One page of organizations: trending rank (missing last), paper count desc, name, id."""
        ...

    async def organization(self, organization_id: str) -> Organization:
        """One organization by catalog id; raises `NotFound`."""
        ...

    async def frameworks(self, filters: FrameworkFilters, page: int, size: int) -> FrameworkRows:
        """One page of frameworks: domain, category, name, id."""
        ...

    async def framework(self, framework_id: str) -> Framework:
        """One framework by catalog id; raises `NotFound`."""
        ...

    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        """Entities whose names begin with a text (key fold), then those that contain it, and the number of all.

        Within each: paper count desc, name.
        """
        ...
