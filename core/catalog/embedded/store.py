"""The embedded catalog: a built directory, opened read-only, as a `CatalogBackend`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from core.catalog.embedded import (
    benchmarks,
    communities,
    evaluations,
    fulltexts,
    lineage,
    methods,
    names,
    papers,
    tasks,
    windows,
)
from core.catalog.embedded.connection import Connection, Records
from core.catalog.embedded.embedding import Embedder
from core.catalog.embedded.manifest import Manifest, open_manifest
from core.catalog.embedded.related import Related
from core.catalog.embedded.search import Search, document_filters
from core.catalog.embedded.tables import Tables
from core.catalog.embedded.text_search import TextIndex
from core.catalog.embedded.vectors import Vectors
from core.catalog.embedded.windows import Windows
from core.catalog.likeness import MIN_SIMILARITY, similarity, trigrams
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
    EvaluationRow,
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
from core.catalog.public_models import PUBLIC_NOT_ASKED, PublicMetadata
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
from core.errors import CatalogUnusable
from core.identifiers import Identifier

T = TypeVar("T")

RECORDS_NAME = "catalog.sqlite"
TEXT_NAME = "text"
VECTORS_NAME = "vectors"

_NEAR_CANDIDATES = 200
_SIZED_ROWS_MAX = 5_000
_RANK_FIELDS = {
    PaperOrder.TRENDING: "trending_rank",
    PaperOrder.DATE_PUBLISHED: "published_rank",
    PaperOrder.CITATION_COUNT: "citation_rank",
}


class EmbeddedCatalog:
    """A `CatalogBackend` over a built directory. Each operation is one hop to a worker thread."""

    def __init__(
        self,
        manifest: Manifest,
        kind: str,
        records: Records,
        text: TextIndex,
        *,
        vectors: Vectors | None,
        embedder: Embedder | None,
    ) -> None:
        self._manifest = manifest
        self._kind = kind
        self._records = records
        self._text = text
        self._search = Search(text, vectors, embedder)
        self._windows = Windows(text, manifest.as_of)
        self._related = Related(text, vectors)
        self._tables = Tables()

    @classmethod
    def open(cls, directory: Path, *, kind: str, embedder: Embedder | None = None) -> "EmbeddedCatalog":
        """Opens a catalog after its files were found whole; blocking. Raises `CatalogUnusable`."""
        manifest = open_manifest(directory)
        try:
            text = TextIndex(directory / TEXT_NAME)
            vectors = None if manifest.embedding is None else Vectors(directory / VECTORS_NAME)
        except (OSError, ValueError, KeyError) as error:
            raise CatalogUnusable(
                f"The index of the catalog at {directory} cannot be opened. "
                "Make sure that there is a writable temporary directory (TMPDIR); else rebuild the catalog."
            ) from error
        records = Records(directory / RECORDS_NAME)
        return cls(manifest, kind, records, text, vectors=vectors, embedder=embedder)

    @property
    def manifest(self) -> Manifest:
        """What the catalog says of itself."""
        return self._manifest

    def close(self) -> None:
        """Closes the records."""
        self._records.close()

    def capabilities(self) -> Capabilities:
        """What this catalog can do."""
        manifest = self._manifest
        return Capabilities(
            self._kind,
            self._search.has_vectors,
            manifest.as_of,
            manifest.content_id,
            dict(manifest.counts),
            built_at=manifest.built_at,
        )

    async def ping(self) -> None:
        """Reads one record."""
        await self._run(lambda connection: connection.execute("SELECT pid FROM paper LIMIT 1").fetchone())

    async def search(
        self, query: str, mode: SearchMode, filters: PaperFilters, pinned: Sequence[str], page: int, size: int
    ) -> SearchRows:
        """One page of a search."""
        return await self._run(
            lambda connection: self._search.run(connection, query, mode, filters, pinned, page, size)
        )

    async def list_papers(
        self, filters: PaperFilters, order: PaperOrder, direction: Direction, page: int, size: int, with_resources: bool
    ) -> PaperRows:
        """One page of the papers that pass the filters."""
        rank_field = _RANK_FIELDS[order] + ("_asc" if direction is Direction.ASC else "")

        def work(connection: Connection) -> PaperRows:
            chosen = document_filters(filters)
            if chosen is None:
                return PaperRows((), 0)
            pids, count = self._text.listing(chosen, rank_field, (page - 1) * size, size)
            return PaperRows(papers.rows(connection, pids, with_resources=with_resources), count)

        return await self._run(work)

    async def paper(self, paper_id: str) -> PaperRecord:
        """The record of a canonical or catalog id."""
        return await self._run(lambda connection: papers.record(connection, paper_id))

    async def find(self, identifier: Identifier) -> PaperRow | None:
        """The paper that an identifier names."""

        def work(connection: Connection) -> PaperRow | None:
            pid = papers.find_pid(connection, identifier)
            return None if pid is None else papers.rows(connection, [pid])[0]

        return await self._run(work)

    async def find_titles(self, text: str) -> TitleMatches:
        """Papers of the first title level with a hit."""
        return await self._run(lambda connection: papers.find_titles(connection, text))

    async def near_titles(self, text: str, limit: int) -> tuple[PaperRow, ...]:
        """Papers with the most alike titles; those with a rare word in common are compared."""

        def work(connection: Connection) -> tuple[PaperRow, ...]:
            titles = papers.titles(connection, self._text.candidates(("title",), text, _NEAR_CANDIDATES))
            wanted = trigrams(text)
            scored = sorted((-similarity(wanted, trigrams(title)), pid) for pid, title in titles.items())
            return papers.rows(connection, [pid for score, pid in scored if -score >= MIN_SIMILARITY][:limit])

        return await self._run(work)

    async def find_entity(self, kind: EntityKind, text: str) -> EntityMatches:
        """Entities of the first level with a hit."""
        return await self._run(lambda connection: names.find_entity(connection, kind, text))

    async def near_entities(self, kind: EntityKind, text: str, limit: int) -> tuple[Entity, ...]:
        """Entities with the most alike names."""
        return await self._run(lambda connection: self._tables.names(connection, kind).nearest(text, limit))

    async def entities(self, kind: EntityKind) -> tuple[Entity, ...]:
        """All entities of a kind by name, then id."""
        return await self._run(lambda connection: self._tables.names(connection, kind).entities)

    async def find_authors(self, text: str) -> tuple[Author, ...]:
        """Authors by name, id or user name."""
        return await self._run(lambda connection: names.find_authors(connection, text))

    async def near_authors(self, text: str, limit: int) -> tuple[Author, ...]:
        """Authors with the most alike names, among those of papers that share a part of the name."""

        def work(connection: Connection) -> tuple[Author, ...]:
            pids = self._text.candidates(("authors",), text, _NEAR_CANDIDATES)
            return names.near_authors(connection, text, pids, limit)

        return await self._run(work)

    async def evaluations_of_paper(self, paper_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one paper."""
        return await self._run(lambda connection: evaluations.of_paper(connection, paper_id, page, size))

    async def leaderboard(self, benchmark_id: str, page: int, size: int) -> EvaluationRows:
        """Raw rows of one benchmark."""
        return await self._run(lambda connection: evaluations.leaderboard(connection, benchmark_id, page, size))

    async def leaderboard_within(self, benchmark_id: str, max_parameters: int) -> EvaluationRows:
        """Raw rows of one benchmark of at most that many parameters."""
        return await self._run(
            lambda connection: evaluations.leaderboard_within(connection, benchmark_id, max_parameters, _SIZED_ROWS_MAX)
        )

    async def benchmark(self, benchmark_id: str) -> Benchmark:
        """One benchmark."""
        return await self._run(lambda connection: benchmarks.benchmark(connection, benchmark_id))

    async def benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, page: int, size: int
    ) -> BenchmarkRows:
        """One page of the benchmarks that pass the filters."""

        def work(connection: Connection) -> BenchmarkRows:
            ids = self._tables.benchmarks(connection).listing(filters, order, direction)
            return BenchmarkRows(benchmarks.records(connection, ids[(page - 1) * size : page * size]), len(ids))

        return await self._run(work)

    async def best_rows(self, benchmark_ids: Sequence[str]) -> dict[str, EvaluationRow]:
        """The best ranked raw row of each benchmark that has one."""
        return await self._run(lambda connection: evaluations.best_rows(connection, benchmark_ids))

    async def grouped_benchmarks(
        self, filters: BenchmarkFilters, order: BenchmarkOrder, direction: Direction, per_task: int
    ) -> tuple[BenchmarkGroup, ...]:
        """The whole grouped listing."""
        return await self._run(
            lambda connection: benchmarks.grouped(
                connection, self._tables.benchmarks(connection), filters, order, direction, per_task
            )
        )

    async def read(self, paper_id: str, offset: int, limit: int, version: str | None) -> TextChunk:
        """One chunk of the stored text."""
        return await self._run(lambda connection: fulltexts.read(connection, paper_id, offset, limit, version))

    async def recent(self, limit: int) -> tuple[PaperRow, ...]:
        """The newest papers."""
        return await self._run(lambda connection: self._windows.recent(connection, limit))

    async def trending(self, limit: int, max_age_days: int, min_velocity: float | None) -> tuple[PaperRow, ...]:
        """Papers of late in trending order."""
        return await self._run(lambda connection: self._windows.trending(connection, limit, max_age_days, min_velocity))

    async def has_velocities(self) -> bool:
        """Whether any paper carries a measured velocity."""
        return await self._run(windows.has_velocities)

    async def related(self, paper_id: str, limit: int) -> RelatedRows:
        """Papers most like one paper."""
        return await self._run(lambda connection: self._related.run(connection, paper_id, limit))

    async def lineage(self, paper_id: str) -> Lineage:
        """Predecessors and successors of one paper."""
        return await self._run(lambda connection: lineage.lineage(connection, paper_id))

    async def tasks(
        self, filters: TaskFilters, order: TaskOrder, direction: Direction, page: int, size: int, *, by_area: bool
    ) -> TaskRows:
        """One page of the tasks that pass the filters."""

        def work(connection: Connection) -> TaskRows:
            ids = self._tables.tasks(connection).listing(filters, order, direction, by_area=by_area)
            return TaskRows(tasks.tasks(connection, _paged(ids, page, size)), len(ids))

        return await self._run(work)

    async def task_page(self, task_id: str) -> TaskPageParts:
        """A task with its place in the taxonomy."""

        def work(connection: Connection) -> TaskPageParts:
            table, boards = self._tables.tasks(connection), self._tables.benchmarks(connection)
            return tasks.page_parts(connection, table, boards, task_id)

        return await self._run(work)

    async def task_papers(self, task_id: str, limit: int) -> tuple[PaperRow, ...]:
        """The task's papers in trending order."""
        return await self._run(lambda connection: self._windows.of_task(connection, task_id, limit))

    async def task_benchmarks(self, task_id: str, limit: int) -> BenchmarkRows:
        """The task's benchmarks and their total."""

        def work(connection: Connection) -> BenchmarkRows:
            ids = self._tables.benchmarks(connection).of_task(task_id)
            return BenchmarkRows(benchmarks.records(connection, ids[:limit]), len(ids))

        return await self._run(work)

    async def methods(
        self, filters: MethodFilters, order: MethodOrder, direction: Direction, page: int, size: int
    ) -> MethodRows:
        """One page of the methods that pass the filters."""

        def work(connection: Connection) -> MethodRows:
            ids = self._tables.methods(connection).listing(filters, order, direction)
            return MethodRows(methods.methods(connection, _paged(ids, page, size)), len(ids))

        return await self._run(work)

    async def method(self, method_id: str) -> Method:
        """One method."""
        return await self._run(lambda connection: methods.method(connection, method_id))

    async def conferences(self, year: int | None, page: int, size: int) -> ConferenceRows:
        """One page of conferences."""

        def work(connection: Connection) -> ConferenceRows:
            ids = self._tables.conferences(connection).listing(year)
            return ConferenceRows(communities.conferences(connection, _paged(ids, page, size)), len(ids))

        return await self._run(work)

    async def conference(self, conference_id: str) -> Conference:
        """One conference."""
        return await self._run(lambda connection: communities.conference(connection, conference_id))

    async def organizations(self, *, featured_only: bool, page: int, size: int) -> OrganizationRows:
        """One page of organizations."""

        def work(connection: Connection) -> OrganizationRows:
            ids = self._tables.organizations(connection).listing(featured_only=featured_only)
            return OrganizationRows(communities.organizations(connection, _paged(ids, page, size)), len(ids))

        return await self._run(work)

    async def organization(self, organization_id: str) -> Organization:
        """One organization."""
        return await self._run(lambda connection: communities.organization(connection, organization_id))

    async def frameworks(self, filters: FrameworkFilters, page: int, size: int) -> FrameworkRows:
        """One page of the frameworks that pass the filters."""

        def work(connection: Connection) -> FrameworkRows:
            found = self._tables.frameworks(connection).listing(filters)
            return FrameworkRows(tuple(_paged(found, page, size)), len(found))

        return await self._run(work)

    async def framework(self, framework_id: str) -> Framework:
        """One framework."""
        return await self._run(lambda connection: communities.framework(connection, framework_id))

    async def complete_entity(self, kind: EntityKind, text: str, limit: int) -> tuple[tuple[Entity, ...], int]:
        """Entities whose names begin with a text or contain it, and their number."""
        return await self._run(lambda connection: self._tables.completion(connection, kind).complete(text, limit))

    async def public_metadata(self, identifier: Identifier) -> PublicMetadata:
        """Nobody outside is asked."""
        return PUBLIC_NOT_ASKED

    async def _run(self, work: Callable[[Connection], T]) -> T:
        return await self._records.run(work)


def _paged(found: Sequence[T], page: int, size: int) -> Sequence[T]:
    return found[(page - 1) * size : page * size]
