"""From catalog values to output models: the caps of catalog contract 2.3 rule 5 and the field sources of section 7."""

from collections.abc import Iterable
from dataclasses import replace

from core.catalog.metrics import clean_value
from core.catalog.models import Benchmark, EvaluationRow, Link, PaperLink, PaperRecord, PaperRow, Repository
from core.catalog.results import (
    BenchmarkSummary,
    CatalogReference,
    PaperDetail,
    PaperEvaluation,
    PaperReference,
    PaperSummary,
    RepositoryReference,
)

TITLE_MAX = 500
NAME_MAX = 150
ABSTRACT_MAX = 8_000
DESCRIPTION_MAX = 4_000
ROW_DESCRIPTION_MAX = 300
MODEL_NAME_MAX = 200
PROTOCOL_MAX = 300
URL_MAX = 500
SUMMARY_AUTHORS_MAX = 10
DETAIL_AUTHORS_MAX = 100
LINKS_MAX = 25
METRICS_MAX = 20
RANK_SCOPES_MAX = 5
LINEAGE_MAX = 50

UNTITLED = "Untitled paper"


def cut(text: str, most: int) -> str:
    """At most `most` characters; a cut text ends with an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def cut_or_none(text: str | None, most: int) -> str | None:
    """`cut` for a text that may be missing; an empty one is missing."""
    return cut(text, most) if text else None


def link_url(url: str | None, site_url: str) -> str | None:
    """An absolute URL of at most 500 characters; a site-relative one is completed, a longer one is left out."""
    if not url:
        return None
    absolute = site_url.rstrip("/") + url if url.startswith("/") else url
    return absolute if len(absolute) <= URL_MAX else None


def reference(value: Link) -> CatalogReference:
    """A link with its name, else its slug, else `Unknown`."""
    return CatalogReference(
        id=value.id,
        name=cut(value.name or value.slug or "Unknown", NAME_MAX),
        slug=cut_or_none(value.slug, NAME_MAX),
    )


def paper_reference(value: PaperLink) -> PaperReference:
    """A paper that another one points to."""
    return PaperReference(
        id=value.id, reference=value.reference or value.id, title=cut(value.title or UNTITLED, TITLE_MAX)
    )


def repository(value: Repository) -> RepositoryReference:
    """A repository; its framework is left out where unknown."""
    return RepositoryReference(url=value.url, is_official=value.is_official, framework=value.framework)


def paper_summary(row: PaperRow, site_url: str) -> PaperSummary:
    """A paper as lists show it."""
    return PaperSummary(
        id=row.id,
        arxiv_id=row.arxiv_id,
        title=cut(row.title or UNTITLED, TITLE_MAX),
        authors=[cut(name, NAME_MAX) for name in row.authors[:SUMMARY_AUTHORS_MAX]],
        author_count=row.author_count,
        published=row.published,
        citation_count=row.citation_count,
        url=link_url(row.url_abs, site_url) or link_url(row.source_url, site_url),
        has_official_implementation=row.has_official_implementation,
        code_repository_count=row.code_repository_count,
        slug=cut_or_none(row.slug, NAME_MAX),
    )


def capped(record: PaperRecord, *, include_resources: bool, limit: int, site_url: str) -> PaperRecord:
    """The record with every list at its cap: what both the detail and its `data` show.

    Repositories: official first and at most `limit`; without `include_resources` only official ones, and the resource
    lists are empty, since nobody asked.
    """
    most = limit if include_resources else 0
    repositories = [
        found
        for found in sorted(record.repositories, key=lambda found: not found.is_official)
        if (include_resources or found.is_official) and link_url(found.url, site_url)
    ]
    return replace(
        record,
        authors=tuple(cut(name, NAME_MAX) for name in record.authors[:DETAIL_AUTHORS_MAX]),
        abstract=cut_or_none(record.abstract, ABSTRACT_MAX),
        tasks=record.tasks[:LINKS_MAX],
        methods=record.methods[:LINKS_MAX],
        organizations=record.organizations[:LINKS_MAX],
        repositories=tuple(repositories[:limit]),
        project_pages=_urls(record.project_pages, most, site_url),
        hf_models=record.hf_models[:most],
        hf_datasets=record.hf_datasets[:most],
        hf_spaces=record.hf_spaces[:most],
        predecessors=record.predecessors[:LINEAGE_MAX],
        successors=record.successors[:LINEAGE_MAX],
    )


def cap_notes(record: PaperRecord, *, resources_max: int | None) -> list[str]:
    """A note for each list of a record that its detail cuts without a count beside it.

    `resources_max` is the cap of the resource lists, None where nobody asked for them.
    """
    lists = {
        "tasks": (len(record.tasks), LINKS_MAX),
        "methods": (len(record.methods), LINKS_MAX),
        "organizations": (len(record.organizations), LINKS_MAX),
        "predecessors": (len(record.predecessors), LINEAGE_MAX),
        "successors": (len(record.successors), LINEAGE_MAX),
    }
    if resources_max is not None:
        lists |= {
            "project_pages": (len(record.project_pages), resources_max),
            "hf_models": (len(record.hf_models), resources_max),
            "hf_datasets": (len(record.hf_datasets), resources_max),
            "hf_spaces": (len(record.hf_spaces), resources_max),
        }
    return [f"The first {most} of {count} {name} are shown." for name, (count, most) in lists.items() if count > most]


def metric_notes(rows: Iterable[EvaluationRow]) -> list[str]:
    """A note where rows of a paper's record have more metrics than are shown of each."""
    most = max((len(row.metrics) for row in rows), default=0)
    return [f"At most {METRICS_MAX} of up to {most} metrics of a row are shown."] if most > METRICS_MAX else []


def _urls(urls: Iterable[str], limit: int, site_url: str) -> tuple[str, ...]:
    return tuple(url for url in (link_url(raw, site_url) for raw in urls) if url)[:limit]


def paper_detail(record: PaperRecord, site_url: str) -> PaperDetail:
    """One catalog paper, from a record that `capped` has cut."""
    row = record.row
    return PaperDetail(
        id=row.id,
        arxiv_id=row.arxiv_id,
        title=cut(row.title or UNTITLED, TITLE_MAX),
        abstract=record.abstract,
        authors=list(record.authors),
        author_count=row.author_count,
        published=row.published,
        citation_count=row.citation_count,
        url=link_url(row.url_abs, site_url) or link_url(row.source_url, site_url),
        pdf_url=link_url(record.url_pdf, site_url),
        code_repository_count=row.code_repository_count,
        tasks=[reference(task) for task in record.tasks],
        methods=[reference(method) for method in record.methods],
        repositories=[repository(found) for found in record.repositories],
        project_pages=list(record.project_pages),
        hf_models=list(record.hf_models),
        hf_datasets=list(record.hf_datasets),
        hf_spaces=list(record.hf_spaces),
        in_catalog=True,
        doi=record.doi,
        venue=cut_or_none(record.venue, NAME_MAX),
        conference=reference(record.conference) if record.conference else None,
        organizations=[reference(found) for found in record.organizations],
        predecessors=[paper_reference(paper) for paper in record.predecessors],
        successors=[paper_reference(paper) for paper in record.successors],
        has_markdown=record.has_markdown,
        is_retracted=record.is_retracted,
    )


def evaluation_source_url(row: EvaluationRow, site_url: str) -> str | None:
    """`result_url`, else `source_url`, else `external_source_url` (contract section 7)."""
    for url in (row.result_url, row.source_url, row.external_source_url):
        if found := link_url(url, site_url):
            return found
    return None


def paper_evaluation(row: EvaluationRow, site_url: str) -> PaperEvaluation:
    """A raw evaluation in a paper's record: at most 20 metrics, in the source's order."""
    return PaperEvaluation(
        id=row.id,
        benchmark=cut(row.benchmark.name, NAME_MAX),
        task=cut(row.task.name, NAME_MAX) if row.task else None,
        model_name=cut(row.model_name, MODEL_NAME_MAX),
        harness=cut_or_none(row.harness, NAME_MAX),
        metrics={name: clean_value(value) for name, value in list(row.metrics.items())[:METRICS_MAX]},
        best_metric=row.best_metric,
        best_rank=row.best_rank,
        is_open=row.is_open,
        num_parameters=row.num_parameters,
        source_url=evaluation_source_url(row, site_url),
    )


def benchmark_summary(
    benchmark: Benchmark, site_url: str, *, description_max: int = ROW_DESCRIPTION_MAX
) -> BenchmarkSummary:
    """A benchmark in a list, or with a longer description at the head of its leaderboard."""
    return BenchmarkSummary(
        id=benchmark.id,
        name=cut(benchmark.name or benchmark.slug or "Unknown", NAME_MAX),
        slug=cut_or_none(benchmark.slug, NAME_MAX),
        full_name=cut_or_none(benchmark.full_name, NAME_MAX),
        description=cut_or_none(benchmark.description, description_max),
        hf_url=link_url(benchmark.hf_url, site_url),
        paper_count=benchmark.paper_count,
        evaluation_count=benchmark.evaluation_count,
    )
