"""What a catalog backend returns: frozen values, never wire JSON. Missing means unknown: `None`, never 0 or empty.

Ids are text. A paper has two: `id`, the numeric catalog id in decimal, and `canonical_id`, the arXiv id without version
where there is one, else `id`. Dates are text at the precision they are known to: `2019`, `2019-03` or `2019-03-05`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

MetricValue = int | float | str


class EntityKind(StrEnum):
    """Things other than papers that a caller may name."""

    AREA = "area"
    TASK = "task"
    METHOD = "method"
    CONFERENCE = "conference"
    ORGANIZATION = "organization"
    FRAMEWORK = "framework"
    BENCHMARK = "benchmark"


class SearchMode(StrEnum):
    """Ways to search, in the order of the wire's enum."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"


class CountKind(StrEnum):
    """What a search's count counts: all matches, or a ranked pool."""

    TOTAL = "total"
    POOL = "pool"


class PaperOrder(StrEnum):
    """First keys of a paper listing; catalog contract 11.3 gives the tie-breakers."""

    TRENDING = "trending"
    DATE_PUBLISHED = "date_published"
    CITATION_COUNT = "citation_count"


class Direction(StrEnum):
    """Order of the first key of a listing."""

    ASC = "asc"
    DESC = "desc"


class BenchmarkOrder(StrEnum):
    """First keys of a benchmark listing; catalog contract 11.3 gives the tie-breakers."""

    TRENDING = "trending"
    NAME = "name"
    FULL_NAME = "full_name"
    CREATED_AT = "created_at"
    PAPER_COUNT = "paper_count"


class MatchLevel(StrEnum):
    """How a name matched, best first; the values of papers are wire values of `matched_by`."""

    ID = "id"
    SLUG = "slug"
    NAME = "name"
    FULL_NAME = "full_name"
    ALIAS = "alias"
    FOLDED = "folded"
    TITLE = "title"
    NORMALIZED_TITLE = "normalized_title"
    SHORT_NAME = "short_name"


@dataclass(frozen=True, slots=True)
class Link:
    """A named thing that a record points to."""

    id: str
    name: str
    slug: str | None = None


NO_AREA = Link(id="0", name="No area")
"""Stands for the area of tasks that no source gives one; no area has the id 0."""


@dataclass(frozen=True, slots=True)
class PaperLink:
    """A paper that a record points to; `reference` is its canonical id."""

    id: str
    title: str
    reference: str | None = None
    published: str | None = None


@dataclass(frozen=True, slots=True)
class Repository:
    """A code repository of a paper."""

    url: str
    is_official: bool
    framework: str | None = None


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A paper as lists show it. `authors` holds at most the first 10 names; `author_count` is the true number."""

    id: str
    title: str
    arxiv_id: str | None = None
    slug: str | None = None
    authors: tuple[str, ...] = ()
    author_count: int = 0
    published: str | None = None
    citation_count: int | None = None
    url_abs: str | None = None
    source_url: str | None = None
    has_official_implementation: bool = False
    code_repository_count: int | None = None
    methods: tuple[Link, ...] | None = None
    repositories: tuple[Repository, ...] | None = None

    @property
    def canonical_id(self) -> str:
        """The arXiv id without version, else the catalog id."""
        return self.arxiv_id or self.id


@dataclass(frozen=True, slots=True)
class PaperRecord:
    """All that the catalog holds on one paper; `authors` is the whole list. Repositories: official first."""

    row: PaperRow
    authors: tuple[str, ...] = ()
    abstract: str | None = None
    url_pdf: str | None = None
    doi: str | None = None
    venue: str | None = None
    conference: Link | None = None
    tasks: tuple[Link, ...] = ()
    methods: tuple[Link, ...] = ()
    organizations: tuple[Link, ...] = ()
    repositories: tuple[Repository, ...] = ()
    project_pages: tuple[str, ...] = ()
    hf_models: tuple[str, ...] = ()
    hf_datasets: tuple[str, ...] = ()
    hf_spaces: tuple[str, ...] = ()
    predecessors: tuple[PaperLink, ...] = ()
    successors: tuple[PaperLink, ...] = ()
    identifiers: tuple[tuple[str, str], ...] = ()
    source: str = "external"
    has_markdown: bool | None = None
    is_retracted: bool | None = None


@dataclass(frozen=True, slots=True)
class EvaluationRow:
    """One raw evaluation: a model's metric values on one benchmark in the scope of one task."""

    id: str
    benchmark: Link
    task: Link | None
    model_name: str
    metrics: Mapping[str, MetricValue]
    paper_id: str | None = None
    paper_title: str | None = None
    paper_arxiv_id: str | None = None
    paper_published: str | None = None
    harness: str | None = None
    best_metric: str | None = None
    best_rank: int | None = None
    is_open: bool | None = None
    num_parameters: int | None = None
    split: str | None = None
    methodology: str | None = None
    result_url: str | None = None
    source_url: str | None = None
    external_source_url: str | None = None
    code_url: str | None = None
    hf_model_url: str | None = None
    updated_at: str | None = None
    uses_additional_data: bool | None = None


@dataclass(frozen=True, slots=True)
class SizeCoverage:
    """How many rows state their number of parameters, out of how many."""

    known: int
    total: int


@dataclass(frozen=True, slots=True)
class EvaluationRows:
    """One page of raw evaluations and the total over all pages; `is_cut` when rows that were asked for are missing.

    `size_coverage` is over the whole leaderboard, before a size filter; only filtered rows carry it.
    """

    rows: tuple[EvaluationRow, ...]
    count: int
    is_cut: bool = False
    size_coverage: SizeCoverage | None = None


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A dataset with evaluation rows. `metrics` in the catalog's order; `metric_directions` only what is recorded."""

    id: str
    name: str
    slug: str | None = None
    full_name: str | None = None
    description: str | None = None
    hf_url: str | None = None
    paper_count: int | None = None
    evaluation_count: int | None = None
    metrics: tuple[str, ...] = ()
    metric_directions: Mapping[str, str] = field(default_factory=dict)
    recent_paper_count: int | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkGroupTask:
    """A task with the first benchmarks of it, in a grouped listing."""

    id: str
    name: str
    slug: str | None
    paper_count: int | None
    benchmarks: tuple[Benchmark, ...]


@dataclass(frozen=True, slots=True)
class BenchmarkGroup:
    """An area with its tasks, in a grouped listing; ordered by area name, then task name."""

    area: Link
    tasks: tuple[BenchmarkGroupTask, ...]


@dataclass(frozen=True, slots=True)
class Entity:
    """An area, task, method, conference, organization, framework or benchmark, as name resolution needs it.

    `note` tells equal names apart: a slug, a year or an area.
    """

    kind: EntityKind
    id: str
    name: str
    slug: str | None = None
    note: str | None = None

    @property
    def link(self) -> Link:
        """The entity as a record points to it."""
        return Link(self.id, self.name, self.slug)


@dataclass(frozen=True, slots=True)
class EntityMatches:
    """Hits of the first level that had any; `level` is None exactly when there are none."""

    level: MatchLevel | None
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class Author:
    """A person as the catalog knows them."""

    id: str
    name: str
    hf_username: str | None = None
    paper_count: int | None = None


@dataclass(frozen=True, slots=True)
class TitleMatches:
    """Papers of the first title level that had any, ordered by published desc, id; `level` None when there are none.

    `near` holds the nearest titles after a miss where the look-up came by them; None where they must be asked for.
    """

    level: MatchLevel | None
    rows: tuple[PaperRow, ...]
    near: tuple[PaperRow, ...] | None = None


@dataclass(frozen=True, slots=True)
class PaperFilters:
    """Filters of searches and lists; entity and author values are catalog ids. All must hold."""

    published_after: str | None = None
    published_before: str | None = None
    has_official_implementation: bool = False
    task_id: str | None = None
    method_id: str | None = None
    conference_id: str | None = None
    framework_id: str | None = None
    organization_id: str | None = None
    author_ids: tuple[str, ...] = ()
    search: str | None = None
    latest_only: bool = False


@dataclass(frozen=True, slots=True)
class PaperRows:
    """One page of papers and the total of the filtered set.

    In all pages `count` is None where the source does not tell it, and `has_more` then says whether a page follows.
    `authors` are the people that the source itself took author filters for.
    """

    rows: tuple[PaperRow, ...]
    count: int | None
    has_more: bool = False
    authors: tuple[Author, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRows:
    """One page of a search. `mode_used` may be weaker than the one asked for; `fallback_reason` then says why.

    `count_kind` and `mode_used` are None where the source does not tell.
    """

    rows: tuple[PaperRow, ...]
    count: int | None
    count_kind: CountKind | None
    mode_used: SearchMode | None
    fallback_reason: str | None = None
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class BenchmarkFilters:
    """Filters of a benchmark listing; entity values are catalog ids. All must hold."""

    search: str | None = None
    task_id: str | None = None
    include_descendants: bool = False
    area_id: str | None = None
    minimum_evaluations: int | None = None
    is_open: bool | None = None


@dataclass(frozen=True, slots=True)
class BenchmarkRows:
    """One page of benchmarks and the total of the filtered set."""

    rows: tuple[Benchmark, ...]
    count: int | None
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A piece of a stored Markdown text. Offsets count bytes; `next_offset` is None at the end.

    `paper_id` is the canonical id of the paper that was read; `title` its title where the backend has it at hand.
    """

    body: bytes
    version: str
    offset: int
    next_offset: int | None
    total_bytes: int | None
    paper_id: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a backend can do and what it describes. `kind` is `sample`, `file` or `http`.

    `combines_benchmark_filters` says that a grouped or area-wide benchmark listing takes every other filter too;
    `records_directions` that benchmarks may state directions of their metrics, so that it is worth asking for them;
    `takes_task_slugs` that operations on a task take its slug where they take its id. `built_at` is when the papers
    were taken in, `YYYY-MM-DDTHH:MM:SSZ`, where that is known.
    """

    kind: str
    has_vectors: bool
    as_of: str | None = None
    content_id: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    combines_benchmark_filters: bool = True
    records_directions: bool = True
    takes_task_slugs: bool = False
    built_at: str | None = None
