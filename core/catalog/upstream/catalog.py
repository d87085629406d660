"""A `CatalogBackend` over a Papers-With-Code-compatible HTTP API."""

from collections.abc import Sequence

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
from core.catalog.together import together
from core.catalog.upstream.about import AboutUpstream
from core.catalog.upstream.api import Api
from core.catalog.upstream.benchmarks import UpstreamBenchmarks
from core.catalog.upstream.boards import UpstreamBoards
from core.catalog.upstream.communities import UpstreamCommunities
from core.catalog.upstream.lookup import PaperLookup
from core.catalog.upstream.names import UpstreamNames
from core.catalog.upstream.papers import UpstreamPapers
from core.catalog.upstream.public import UpstreamPublicMetadata
from core.catalog.upstream.reading import UpstreamTexts
from core.catalog.upstream.taxonomy import UpstreamTaxonomy
from core.clock import Clock
from core.http.upstream import Upstream
from core.identifiers import Identifier


class UpstreamCatalog:
    """Each operation is one or a few requests; nothing is remembered but what the upstream says of itself."""

    def __init__(self, upstream: Upstream, clock: Clock) -> None:
        self._api = api = Api(upstream)
        self._about = about = AboutUpstream(api, clock)
        self._papers = UpstreamPapers(api, about)
        self._lookup = PaperLookup(api, about, self._papers)
        self._boards = UpstreamBoards(api, self._papers)
        self._taxonomy = UpstreamTaxonomy(api, about)
        self._benchmarks = UpstreamBenchmarks(api, about, self._taxonomy)
        self._communities = UpstreamCommunities(api)
        self._names = UpstreamNames(api, about, self._taxonomy, self._benchmarks, self._communities)
        self._texts = UpstreamTexts(api, self._papers)
        self._public = UpstreamPublicMetadata(api)

    def capabilities(self) -> Capabilities:
        """What the upstream has said of itself so far; a plain one says nothing."""
        about = self._about.last
        return Capabilities(
            kind="http",
            has_vectors=about.has("vectors"),
            as_of=about.as_of,
            counts=dict(about.counts),
            combines_benchmark_filters=False,
            records_directions=about.has("datasets.detail"),
            takes_task_slugs=about.is_ours,
        )

    async def ping(self) -> None:
        """Reads one task, and once an hour what the upstream says of itself."""
        await together(lambda: self._api.page(("tasks", ""), {"page_size": 1}, 1), self._about.get)

    async def search(
        self,
        query: str,
        mode: SearchMode,
        filters: PaperFilters,
        pinned: Sequence[str],  # the order is the upstream's (10.4), which puts named papers first by its own rules
        page: int,
        size: int,
    ) -> SearchRows:
        """One page of a search in the upstream's order."""
        return await self._papers.search(query, mode, filters, page, size)

    async def list_papers(
        self, filters: PaperFilters, order: PaperOrder, direction: Direction, page: int, size: int, with_resources: bool
    ) -> PaperRows:
        """One page of the papers that pass the filters."""
        return await self._papers.listing(filters, order, direction, page, size, with_resources)

    async def paper(self, paper_id: str) -> PaperRecord:
        """The record of a canonical or catalog id."""
        return await self._papers.record(paper_id)

    async def find(self, identifier: Identifier) -> PaperRow | None:
        """The paper that an identifier names."""
        return await self._lookup.find(identifier)

    async def find_titles(self, text: str) -> TitleMatches:
        """Papers of the first title level with a hit."""
        return await self._lookup.find_titles(text)

    async def near_titles(self, text: str, limit: int) -> tuple[PaperRow, ...]:
        """Papers with the most alike titles."""
        return await self._lookup.near_titles(text, limit)

    async def find_entity(self, kind: EntityKind, text: str) -> EntityMatches:
        """Entities of the first level with a hit."""
        return await self._names.find(kind, text)

    async def near_entities(self, kind: EntityKind, text: str, limit: int) -> tuple[Entity, ...]:
        """Entities with the most alike names."""
        return await self._names.nearest(kind, text, limit)

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All entities of a kind by name, then id."""
        return await self._names.entities(kind)

    async def find_authors(self, text: str) -> tuple[Author, ...]:
        """The text itself as an author: an upstream tells who is meant only when it lists their papers (9.2)."""
        name = text.strip()
        return (Author(name, name),) if name else ()

    async def near_authors(self, text: str, limit: int) -> tuple[Author, ...]:
        """Nobody: an upstream has no list of authors."""
        return ()

    async def evaluations_of_paper(self, paper_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one paper."""
        return await self._boards.of_paper(paper_id, page, size)

    async def leaderboard(self, benchmark_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one benchmark."""
        return await self._boards.leaderboard(benchmark_id, page, size)

    async def leaderboard_within(self, benchmark_id: str, max_parameters: int) -> EvaluationRows:
        """Raw rows of one benchmark of at most that many parameters."""
        return await self._boards.within(benchmark_id, max_parameters)

    async def benchmark(self, benchmark_id: str) -> Benchmark:
        """One benchmark."""
        return await self._benchmarks.one(benchmark_id)

    async def benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, page: int, size: int
    ) -> BenchmarkRows:
        """One page of the benchmarks that pass the filters."""
        return await self._benchmarks.listing(filters, order, direction, page, size)

    async def grouped_benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, per_task: int
    ) -> tuple[BenchmarkGroup, ...]:
        """The whole grouped listing, the first benchmarks of a task in the upstream's order."""
        return await self._benchmarks.grouped(filters, per_task)

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        """One chunk of the stored text, as the upstream cut it."""
        return await self._texts.read(paper_id, offset, limit, version)

    async def recent(self, limit: int) -> tuple[PaperRow, ...]:
        """The newest papers."""
        return await self._papers.recent(limit)

    async def trending(self, limit: int, max_age_days: int, min_velocity: float | None) -> tuple[PaperRow, ...]:
        """Papers of late in trending order."""
        return await self._papers.trending(limit, max_age_days, min_velocity)

    async def has_velocities(self) -> bool:
        """What an upstream of ours says; of a plain one it is taken to be so, since its trending order is its own."""
        about = await self._about.get()
        return about.has("velocities") or not about.is_ours

    async def related(self, paper_id: str, limit: int) -> RelatedRows:
        """Papers most like one paper."""
        return await self._papers.related(paper_id, limit)

    async def lineage(self, paper_id: str) -> Lineage:
        """Predecessors and successors of one paper."""
        return await self._papers.lineage(paper_id)

    async def tasks(
        self, filters: TaskFilters, order: TaskOrder, direction: Direction, page: int, size: int, *, by_area: bool
    ) -> TaskRows:
        """One page of the tasks that pass the filters."""
        return await self._taxonomy.tasks(filters, order, direction, page, size, by_area=by_area)

    async def task_page(self, task_id: str) -> TaskPageParts:
        """A task with its place in the taxonomy."""
        return await self._taxonomy.task_page(task_id)

    async def task_papers(self, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        """The task's papers in trending order."""
        return await self._papers.of_task(task_id, limit)

    async def task_benchmarks(self, task_id: str, limit: int) -> BenchmarkRows:
        """The task's benchmarks and their total."""
        return await self._benchmarks.of_task(task_id, limit)

    async def methods(
        self, filters: MethodFilters, order: MethodOrder, direction: Direction, page: int, size: int
    ) -> MethodRows:
        """One page of the methods that pass the filters."""
        return await self._taxonomy.methods(filters, order, direction, page, size)

    async def method(self, method_id: str) -> Method:
        """One method."""
        return await self._taxonomy.method(method_id)

    async def conferences(self, year: int | None, page: int, size: int) -> ConferenceRows:
        """One page of conferences."""
        return await self._communities.conferences(year, page, size)

    async def conference(self, conference_id: str) -> Conference:
        """One conference."""
        return await self._communities.conference(conference_id)

    async def organizations(self, *, featured_only: bool, page: int, size: int) -> OrganizationRows:
        """One page of organizations."""
        return await self._communities.organizations(featured_only=featured_only, page=page, size=size)

    async def organization(self, organization_id: str) -> Organization:
        """One organization."""
        return await self._communities.organization(organization_id)

    async def frameworks(self, filters: FrameworkFilters, page: int, size: int) -> FrameworkRows:
        """One page of the frameworks that pass the filters."""
        return await self._communities.frameworks(filters, page, size)

    async def framework(self, framework_id: str) -> Framework:
        """One framework."""
        return await self._communities.framework(framework_id)

    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        """Entities whose names begin with a text or contain it, and their number."""
        return await self._names.complete(kind, text, limit)

    async def public_metadata(self, identifier: Identifier) -> PublicMetadata:
        """What the upstream knows publicly of a paper."""
        return await self._public.look_up(identifier)
