"""What the taxonomy tools return: tasks, methods, conferences, organizations and frameworks (catalog contract 7)."""

from core.catalog.results import (
    AreaReference,
    BenchmarkSummary,
    CatalogReference,
    PagedResult,
    PaperSummary,
    QueryResult,
    Result,
)


class FrameworkLink(Result):
    """A framework that a task recommends."""

    id: str
    name: str
    owner: str | None = None
    url: str | None = None
    num_stars: int | None = None


class CountedReference(Result):
    """A method and how many of the sampled papers use it."""

    id: str
    name: str
    slug: str | None = None
    count: int


class SubtaskBenchmarks(Result):
    """A subtask with its first benchmarks."""

    subtask: CatalogReference
    benchmarks: list[BenchmarkSummary]


class TaskDetail(Result):
    """One task; the parts from `sisters` on are left out where they could not be read."""

    id: str
    name: str
    slug: str
    description: str | None = None
    paper_count: int | None = None
    area: AreaReference | None = None
    parents: list[CatalogReference]
    children: list[CatalogReference]
    benchmarks: list[BenchmarkSummary]
    benchmark_count: int | None = None
    evaluation_count: int | None = None
    sisters: list[CatalogReference] | None = None
    recommended_frameworks: list[FrameworkLink] | None = None
    subtask_benchmarks: list[SubtaskBenchmarks] | None = None
    common_methods: list[CountedReference] | None = None
    papers: list[PaperSummary] | None = None
    paper_sample_size: int | None = None


class TaskResult(QueryResult):
    """One task."""

    task: TaskDetail


class TaskSummary(Result):
    """A task in a list; `level` is its depth in the taxonomy, 0 at the top."""

    id: str
    name: str
    slug: str
    area: AreaReference | None = None
    level: int | None = None
    paper_count: int | None = None
    benchmark_count: int | None = None
    evaluation_count: int | None = None


class TaskAreaGroup(Result):
    """An area with the tasks of this page."""

    area: AreaReference
    tasks: list[TaskSummary]


class TaskPage(PagedResult):
    """A list of tasks, grouped by area when asked for."""

    items: list[TaskSummary]
    groups: list[TaskAreaGroup] | None = None


class MethodSummary(Result):
    """A method in a list."""

    id: str
    name: str
    slug: str
    full_name: str | None = None
    area: AreaReference | None = None
    introduced_year: int | None = None
    paper_count: int | None = None


class MethodPage(PagedResult):
    """A list of methods."""

    items: list[MethodSummary]


class MethodDetail(Result):
    """One method and the paper or page that introduced it."""

    id: str
    name: str
    slug: str
    full_name: str | None = None
    description: str | None = None
    introduced_year: int | None = None
    source_paper_id: str | None = None
    source_url: str | None = None
    source_title: str | None = None
    paper_count: int | None = None
    area: AreaReference | None = None


class MethodResult(QueryResult):
    """One method."""

    method: MethodDetail


class ConferenceSummary(Result):
    """One edition of a conference in a list."""

    id: str
    name: str
    slug: str
    year: int | None = None
    location: str | None = None
    paper_count: int | None = None


class ConferenceDetail(ConferenceSummary):
    """One edition of a conference."""

    start_date: str | None = None
    end_date: str | None = None
    venue: str | None = None
    description: str | None = None
    tier: str | None = None
    url: str | None = None
    hf_url: str | None = None


class ConferencePage(PagedResult):
    """A list of conference editions."""

    items: list[ConferenceSummary]


class ConferenceResult(QueryResult):
    """One edition of a conference."""

    conference: ConferenceDetail


class OrganizationSummary(Result):
    """An organization in a list."""

    id: str
    name: str
    slug: str
    paper_count: int | None = None
    is_featured: bool | None = None
    trending_rank: int | None = None


class OrganizationDetail(OrganizationSummary):
    """One organization."""

    first_paper_year: int | None = None
    latest_paper_year: int | None = None
    description: str | None = None
    website_url: str | None = None
    github_url: str | None = None
    hf_url: str | None = None


class OrganizationPage(PagedResult):
    """A list of organizations."""

    items: list[OrganizationSummary]


class OrganizationResult(QueryResult):
    """One organization."""

    organization: OrganizationDetail


class FrameworkSummary(Result):
    """A code framework in a list."""

    id: str
    name: str
    slug: str
    description: str | None = None
    platforms: list[str]
    paper_count: int | None = None
    domain_slug: str | None = None
    domain_name: str | None = None
    category_slug: str | None = None
    category_name: str | None = None
    organization_name: str | None = None
    github_url: str | None = None
    docs_url: str | None = None


class FrameworkDetail(FrameworkSummary):
    """One code framework."""

    when_to_use: str | None = None
    introducing_paper_arxiv_id: str | None = None


class FrameworkPage(PagedResult):
    """A list of code frameworks."""

    items: list[FrameworkSummary]


class FrameworkResult(QueryResult):
    """One code framework."""

    framework: FrameworkDetail
