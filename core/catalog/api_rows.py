"""Catalog values in the shape of the `/api/v1` rows (catalog contract 16.4); what a tool result carries as `data`."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.catalog.merging import MergedEvaluation
from core.catalog.models import Author, Benchmark, Link, MetricValue, PaperLink, PaperRecord, PaperRow, Repository

Json = dict[str, Any]

_FILTER_NAMES = {
    "query": "q",
    "published_after": "start_date",
    "published_before": "end_date",
    "minimum_evaluations": "min_eval_count",
}


def link(value: Link) -> Json:
    """`{id, slug, name}`."""
    return {"id": value.id, "slug": value.slug, "name": value.name}


def _repository(value: Repository) -> Json:
    return {"url": value.url, "is_official": value.is_official, "framework": value.framework}


def _paper_link(value: PaperLink) -> Json:
    return {"title": value.title, "route_identifier": value.reference or value.id, "published": value.published}


def lineage_link(value: PaperLink) -> Json:
    """`{id, reference, title}` of a lineage answer."""
    return {"id": value.id, "reference": value.reference or value.id, "title": value.title}


def paper_row(row: PaperRow) -> Json:
    """PaperRow; methods and repositories only where the row carries them."""
    wire: Json = {
        "id": row.id,
        "arxiv_id": row.arxiv_id,
        "slug": row.slug,
        "title": row.title,
        "authors": list(row.authors),
        "published": row.published,
        "citation_count": row.citation_count,
        "url_abs": row.url_abs,
        "source_url": row.source_url,
        "has_official_implementation": row.has_official_implementation,
        "code_repository_count": row.code_repository_count,
        "route_identifier": row.canonical_id,
    }
    if row.methods is not None:
        wire["methods"] = [link(method) for method in row.methods]
    if row.repositories is not None:
        wire["repositories"] = [_repository(repository) for repository in row.repositories]
    return wire


def paper_record(record: PaperRecord) -> Json:
    """PaperRecord."""
    wire = paper_row(record.row)
    wire |= {
        "authors": list(record.authors),
        "abstract": record.abstract,
        "url_pdf": record.url_pdf,
        "tasks": [link(task) for task in record.tasks],
        "methods": [link(method) for method in record.methods],
        "organizations": [link(organization) for organization in record.organizations],
        "conference": link(record.conference) if record.conference else None,
        "conference_name": record.conference.name if record.conference else None,
        "repositories": [_repository(repository) for repository in record.repositories],
        "project_pages": list(record.project_pages),
        "hf_models": list(record.hf_models),
        "hf_datasets": list(record.hf_datasets),
        "hf_spaces": list(record.hf_spaces),
        "predecessor_papers": [_paper_link(paper) for paper in record.predecessors],
        "successor_papers": [_paper_link(paper) for paper in record.successors],
        "source": record.source,
        "doi": record.doi,
        "venue": record.venue,
        "identifiers": dict(record.identifiers),
        "has_markdown": record.has_markdown,
        "is_retracted": record.is_retracted,
    }
    return wire


def merged_row(row: MergedEvaluation, metrics: Mapping[str, MetricValue]) -> Json:
    """EvaluationRow of a merged row, with the metrics to show of it."""
    return {
        "id": row.id,
        "paper_id": row.paper_id,
        "task_id": row.task.id if row.task else None,
        "task_name": row.task.name if row.task else None,
        "task_slug": row.task.slug if row.task else None,
        "dataset_id": row.benchmark.id,
        "dataset_name": row.benchmark.name,
        "model_name": row.model_name,
        "harness": row.harness,
        "metrics": dict(metrics),
        "best_metric": row.best_metric,
        "best_rank": row.best_rank,
        "is_open": row.is_open,
        "num_parameters": row.num_parameters,
        "paper_title": row.paper_title,
        "paper_arxiv_id": row.paper_arxiv_id,
        "paper_published_date": row.paper_published,
        "methodology": row.evaluation_protocol,
        "split": row.split,
        "split_name": row.split,
        "evaluated_on": row.split,
        "result_url": row.source_url,
        "source_url": row.source_url,
        "external_source_url": None,
        "code_url": row.code_url,
        "hf_model_url": row.hf_model_url,
        "updated_at": row.updated_at,
        "uses_additional_data": row.uses_additional_data,
    }


def dataset_row(benchmark: Benchmark) -> Json:
    """DatasetRow."""
    return {
        "id": benchmark.id,
        "name": benchmark.name,
        "slug": benchmark.slug,
        "full_name": benchmark.full_name,
        "description": benchmark.description,
        "hf_url": benchmark.hf_url,
        "paper_count": benchmark.paper_count,
        "evaluation_count": benchmark.evaluation_count,
        "metric_directions": dict(benchmark.metric_directions),
    }


def author(value: Author) -> Json:
    """An author as `applied_filters` shows one."""
    return {"id": value.id, "name": value.name, "hf_username": value.hf_username}


def applied_filters(ran: Mapping[str, str], *, search: str = "search") -> Json:
    """The filters of a tool under the names of the API; `search` is the name of the text filter there."""
    names = _FILTER_NAMES | {"search": search}
    wire: Json = {names.get(name, name): text for name, text in ran.items() if name != "all_versions"}
    return wire | ({"latest_only": "false"} if "all_versions" in ran else {})


def envelope(
    rows: Iterable[Json],
    *,
    count: int | None,
    page: int,
    page_size: int,
    next_page: int | None,
    applied: Mapping[str, Any],
) -> Json:
    """The page envelope of `/api/v1` collections."""
    return {
        "results": list(rows),
        "count": count,
        "page": page,
        "page_size": page_size,
        "next_page": next_page,
        "previous_page": page - 1 if page > 1 else None,
        "applied_filters": dict(applied),
    }
