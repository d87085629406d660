"""What the catalog's tools return: the output models of catalog contract section 7, field for field.

A field without a value is left out of the wire form, never `null`; `0`, `false` and `[]` are statements of fact.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from core.catalog.directions import MetricDirection

MetricNumber = int | float | str


class Result(BaseModel):
    """Base of all output models: frozen, closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class QueryResult(Result):
    """Base of every result but a read chunk."""

    schema_version: Literal["v1"] = "v1"
    data: Any | None = None
    data_omitted: Literal["size"] | None = None
    notes: list[str] | None = None


class PagedResult(QueryResult):
    """Base of the listings: `count` is the true total of the filtered set."""

    count: int | None = None
    page: int | None = None
    next_page: int | None = None
    applied_filters: dict[str, str] | None = None
    as_of: str | None = None


class CatalogReference(Result):
    """A task, method, benchmark, conference or organization that a record points to."""

    id: str
    name: str
    slug: str | None = None


class AreaReference(Result):
    """A research area."""

    id: str
    name: str


class RepositoryReference(Result):
    """A code repository of a paper."""

    url: str
    is_official: bool
    framework: str | None = None


class AvailableAt(Result):
    """A labelled place where a paper can be found."""

    label: str
    url: str


MatchedBy = Literal[
    "arxiv_id",
    "catalog_id",
    "doi",
    "pmid",
    "pmcid",
    "openalex_id",
    "semantic_scholar_id",
    "slug",
    "title",
    "normalized_title",
    "short_name",
    "public_metadata",
]


class Resolution(Result):
    """How a reference became a paper; `paper` is the canonical id."""

    reference: str
    paper: str
    matched_by: MatchedBy
    requested_version: str | None = None


class PaperSummary(Result):
    """A paper in a list: at most 10 authors."""

    id: str
    arxiv_id: str | None = None
    title: str
    authors: list[str]
    author_count: int | None = None
    published: str | None = None
    citation_count: int | None = None
    url: str | None = None
    has_official_implementation: bool
    code_repository_count: int | None = None
    slug: str | None = None


class PaperPage(PagedResult):
    """A list of papers: what the contract calls PaperPage, as far as a listing has it."""

    items: list[PaperSummary]


class SearchPage(PaperPage):
    """A PaperPage of a search."""

    search_mode_used: Literal["keyword", "semantic", "hybrid"] | None = None
    count_kind: Literal["total", "pool"] | None = None


class PaperWindow(QueryResult):
    """A PaperPage without paging: the first papers of an order."""

    items: list[PaperSummary]
    applied_filters: dict[str, str] | None = None
    as_of: str | None = None


class RelatedPapers(PaperWindow):
    """A PaperPage around one paper."""

    resolution: Resolution | None = None


class PaperReference(Result):
    """A paper that another one points to; `reference` is what to pass on."""

    id: str
    reference: str | None = None
    title: str


class PaperDetail(Result):
    """One paper: at most 100 authors. Tasks to hf_spaces are present exactly when `in_catalog` is true."""

    id: str
    arxiv_id: str | None = None
    title: str
    abstract: str | None = None
    authors: list[str]
    author_count: int | None = None
    published: str | None = None
    citation_count: int | None = None
    url: str | None = None
    pdf_url: str | None = None
    code_repository_count: int | None = None
    tasks: list[CatalogReference] | None = None
    methods: list[CatalogReference] | None = None
    repositories: list[RepositoryReference] | None = None
    project_pages: list[str] | None = None
    hf_models: list[str] | None = None
    hf_datasets: list[str] | None = None
    hf_spaces: list[str] | None = None
    in_catalog: bool
    available_at: list[AvailableAt] | None = None
    metadata_source: str | None = None
    doi: str | None = None
    venue: str | None = None
    conference: CatalogReference | None = None
    organizations: list[CatalogReference] | None = None
    predecessors: list[PaperReference] | None = None
    successors: list[PaperReference] | None = None
    has_markdown: bool | None = None
    is_retracted: bool | None = None


class PaperEvaluation(Result):
    """One raw evaluation of a paper."""

    id: str
    benchmark: str | None = None
    task: str | None = None
    model_name: str
    harness: str | None = None
    metrics: dict[str, MetricNumber]
    best_metric: str | None = None
    best_rank: int | None = None
    is_open: bool | None = None
    num_parameters: int | None = None
    source_url: str | None = None


class PaperInfoResult(QueryResult):
    """One paper's record, with its evaluations when asked for."""

    paper: PaperDetail
    evaluation_count: int | None = None
    evaluations: list[PaperEvaluation] | None = None
    resolution: Resolution | None = None


class PaperReadResult(Result):
    """One chunk of a paper's stored Markdown. Offsets and sizes count bytes."""

    schema_version: Literal["v1"] = "v1"
    paper: str
    markdown: str
    truncated: bool
    next_cursor: str | None = None
    canonical: str
    title: str | None = None
    offset: int
    bytes: int
    total_bytes: int | None = None
    content_version: str
    cursor_expires_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})] | None = None


class BenchmarkSummary(Result):
    """A benchmark in a list."""

    id: str
    name: str
    slug: str | None = None
    full_name: str | None = None
    description: str | None = None
    split: str | None = None
    hf_url: str | None = None
    paper_count: int | None = None
    evaluation_count: int | None = None


class BenchmarkTaskGroup(Result):
    """A task with its first benchmarks."""

    id: str
    name: str
    slug: str | None = None
    paper_count: int | None = None
    benchmarks: list[BenchmarkSummary]


class BenchmarkAreaGroup(Result):
    """An area with its tasks."""

    area: AreaReference
    tasks: list[BenchmarkTaskGroup]


class BenchmarkPage(PagedResult):
    """A list of benchmarks, grouped by area and task when asked for."""

    items: list[BenchmarkSummary]
    groups: list[BenchmarkAreaGroup] | None = None


class EvaluationRankScope(Result):
    """A model's rank among the rows of one task."""

    task_id: str
    task_name: str
    task_slug: str | None = None
    rank: int | None = None


class Evaluation(Result):
    """One merged row of a leaderboard."""

    id: str
    model_name: str
    harness: str | None = None
    metrics: dict[str, MetricNumber]
    metrics_omitted: int | None = None
    best_metric: str | None = None
    best_rank: int | None = None
    task: str | None = None
    paper_id: str | None = None
    paper_title: str | None = None
    paper_arxiv_id: str | None = None
    paper_published: str | None = None
    rank_scopes: list[EvaluationRankScope]
    is_open: bool | None = None
    num_parameters: int | None = None
    split: str | None = None
    shots: int | None = None
    evaluation_protocol: str | None = None
    source_url: str | None = None
    code_url: str | None = None
    hf_model_url: str | None = None
    updated_at: str | None = None
    uses_additional_data: bool | None = None


class PaperScopedEvaluation(Evaluation):
    """One merged row among all results of a paper, with its benchmark."""

    benchmark: CatalogReference | None = None


class BenchmarkResult(QueryResult):
    """A leaderboard: `evaluation_count` raw rows >= `merged_count` >= `matched_count`, then one page of them."""

    benchmark: BenchmarkSummary
    evaluation_count: int
    merged_count: int
    matched_count: int
    complete: bool
    evaluations: list[Evaluation]
    metric_directions: dict[str, MetricDirection]
    metric_matches: dict[str, str] | None = None
    parameter_coverage_known: int | None = None
    parameter_coverage_total: int | None = None
    applied_filters: dict[str, str] | None = None
    page: int
    next_page: int | None = None
    ranking_note: str


class EvaluationPage(QueryResult):
    """All results of one paper: `evaluation_count` raw rows, `merged_count` after merging, one page of them."""

    paper: str
    evaluation_count: int
    merged_count: int
    complete: bool
    page: int
    next_page: int | None = None
    evaluations: list[PaperScopedEvaluation]
    metric_directions: dict[str, MetricDirection] | None = None
    resolution: Resolution | None = None


class PaperLineageResult(QueryResult):
    """Explicit links only: an empty list does not prove that there is none."""

    paper: PaperReference
    predecessors: list[PaperReference]
    successors: list[PaperReference]
    coverage: Literal["explicit_catalog_links_only"] = "explicit_catalog_links_only"
    coverage_note: str
