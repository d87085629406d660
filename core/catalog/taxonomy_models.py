"""Taxonomy values of a catalog backend: tasks, methods, conferences, organizations and frameworks."""

from dataclasses import dataclass
from enum import StrEnum

from core.catalog.models import Benchmark, Link, PaperLink, PaperRow


class TaskOrder(StrEnum):
    """First keys of a task listing; name, then id break ties."""

    NAME = "name"
    CREATED_AT = "created_at"
    LEVEL = "level"
    PAPER_COUNT = "paper_count"


class MethodOrder(StrEnum):
    """First keys of a method listing; name, then id break ties."""

    NAME = "name"
    FULL_NAME = "full_name"
    INTRODUCED_YEAR = "introduced_year"
    CREATED_AT = "created_at"
    PAPER_COUNT = "paper_count"


@dataclass(frozen=True, slots=True)
class Task:
    """A research task; `level` is its depth in the taxonomy, 0 at the top."""

    id: str
    name: str
    slug: str
    description: str | None = None
    area: Link | None = None
    level: int | None = None
    paper_count: int | None = None
    benchmark_count: int | None = None
    evaluation_count: int | None = None
    research_trends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskFilters:
    """Filters of a task listing. All must hold."""

    search: str | None = None
    area_id: str | None = None
    level: int | None = None
    visible_only: bool = False


@dataclass(frozen=True, slots=True)
class TaskRows:
    """One page of tasks and the total of the filtered set."""

    rows: tuple[Task, ...]
    count: int


@dataclass(frozen=True, slots=True)
class RecommendedFramework:
    """A framework that a task recommends."""

    id: str
    name: str
    owner: str | None = None
    url: str | None = None
    num_stars: int | None = None


@dataclass(frozen=True, slots=True)
class TaskPageParts:
    """What a task's page shows beside its papers. Links by name, then id; subtask benchmarks by trend."""

    task: Task
    parents: tuple[Link, ...]
    sisters: tuple[Link, ...]
    children: tuple[Link, ...]
    recommended_frameworks: tuple[RecommendedFramework, ...]
    subtask_benchmarks: tuple[tuple[Link, tuple[Benchmark, ...]], ...]


@dataclass(frozen=True, slots=True)
class Method:
    """A method. `source_paper_id` is the canonical id of the paper that introduced it."""

    id: str
    name: str
    slug: str
    full_name: str | None = None
    description: str | None = None
    area: Link | None = None
    introduced_year: int | None = None
    source_paper_id: str | None = None
    source_url: str | None = None
    source_title: str | None = None
    paper_count: int | None = None


@dataclass(frozen=True, slots=True)
class MethodFilters:
    """Filters of a method listing. All must hold."""

    search: str | None = None
    area_id: str | None = None
    introduced_year: int | None = None


@dataclass(frozen=True, slots=True)
class MethodRows:
    """One page of methods and the total of the filtered set."""

    rows: tuple[Method, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Conference:
    """One edition of a conference."""

    id: str
    name: str
    slug: str
    year: int | None = None
    location: str | None = None
    start_date: str | None = None
    end_date: str | None = None
    venue: str | None = None
    description: str | None = None
    tier: str | None = None
    url: str | None = None
    hf_url: str | None = None
    paper_count: int | None = None


@dataclass(frozen=True, slots=True)
class ConferenceRows:
    """One page of conferences and the total of the filtered set."""

    rows: tuple[Conference, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Organization:
    """An organization that papers come from."""

    id: str
    name: str
    slug: str
    is_featured: bool | None = None
    trending_rank: int | None = None
    description: str | None = None
    website_url: str | None = None
    github_url: str | None = None
    hf_url: str | None = None
    first_paper_year: int | None = None
    latest_paper_year: int | None = None
    paper_count: int | None = None


@dataclass(frozen=True, slots=True)
class OrganizationRows:
    """One page of organizations and the total of the filtered set."""

    rows: tuple[Organization, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Framework:
    """A code framework."""

    id: str
    name: str
    slug: str
    description: str | None = None
    platforms: tuple[str, ...] = ()
    domain_slug: str | None = None
    domain_name: str | None = None
    category_slug: str | None = None
    category_name: str | None = None
    organization_name: str | None = None
    github_url: str | None = None
    docs_url: str | None = None
    when_to_use: str | None = None
    introducing_paper_arxiv_id: str | None = None
    paper_count: int | None = None


@dataclass(frozen=True, slots=True)
class FrameworkFilters:
    """Filters of a framework listing; domain and category by slug or name, all ignoring case. All must hold."""

    domain: str | None = None
    category: str | None = None
    platform: str | None = None


@dataclass(frozen=True, slots=True)
class FrameworkRows:
    """One page of frameworks and the total of the filtered set."""

    rows: tuple[Framework, ...]
    count: int


class RelatedBasis(StrEnum):
    """What made papers related."""

    VECTORS = "vectors"
    SHARED = "shared"


@dataclass(frozen=True, slots=True)
class RelatedRows:
    """Related papers, most similar first, and what they were found by."""

    rows: tuple[PaperRow, ...]
    basis: RelatedBasis


@dataclass(frozen=True, slots=True)
class Lineage:
    """Explicit links of one paper, each list by published date, then id."""

    paper: PaperLink
    predecessors: tuple[PaperLink, ...]
    successors: tuple[PaperLink, ...]
