"""Tasks and methods in the shape of the `/api/v1` rows (catalog contract 16.4)."""

from collections.abc import Sequence
from dataclasses import asdict, replace

from core.catalog.api_rows import Json, dataset_row, link, paper_row
from core.catalog.models import Benchmark, BenchmarkRows, EvaluationRow, PaperRow
from core.catalog.present import ROW_DESCRIPTION_MAX, cut_or_none
from core.catalog.taxonomy_models import Conference, Method, Organization, Task, TaskPageParts
from core.catalog.taxonomy_results import CountedReference
from core.catalog.trends import support_weighted_score, trend_score

_SAMPLE_SHOWN = 10
_SUBTASK_BENCHMARKS_SERVED = 10


def task_row(task: Task) -> Json:
    """TaskRow."""
    return {
        "id": task.id,
        "slug": task.slug,
        "name": task.name,
        "area_id": task.area.id if task.area else None,
        "level": task.level,
        "paper_count": task.paper_count,
        "benchmark_count": task.benchmark_count,
        "evaluation_count": task.evaluation_count,
    }


def task_data(
    page: TaskPageParts,
    benchmarks: BenchmarkRows | None,
    papers: Sequence[PaperRow] | None,
    common_methods: Sequence[CountedReference] | None,
) -> Json:
    """One object with a task's page and what belongs to it; a part that could not be read is null."""
    task = page.task
    return {
        "task": task_row(task) | {"description": task.description, "research_trends": list(task.research_trends)},
        "area": {"id": task.area.id, "name": task.area.name} if task.area else None,
        "parents": [link(found) for found in page.parents],
        "sisters": [link(found) for found in page.sisters],
        "children": [link(found) for found in page.children],
        "recommended_frameworks": _frameworks(page),
        "benchmarks": None if benchmarks is None else [short_dataset_row(row) for row in benchmarks.rows],
        "subtask_benchmarks": [
            {"subtask": link(found), "benchmarks": [short_dataset_row(row) for row in rows]}
            for found, rows in page.subtask_benchmarks
        ],
        "common_methods": None if common_methods is None else [found.model_dump() for found in common_methods],
        "paper_sample_size": None if papers is None else len(papers),
        "paper_count": task.paper_count,
        "papers": None if papers is None else [paper_row(row) for row in papers[:_SAMPLE_SHOWN]],
    }


def task_page(page: TaskPageParts, benchmarks: Sequence[Benchmark]) -> Json:
    """The page of a task as the API serves it: texts whole, all benchmarks of the task, the first of each subtask."""
    task = page.task
    return {
        "task": task_row(task) | {"description": task.description, "research_trends": list(task.research_trends)},
        "parents": [link(found) for found in page.parents],
        "sisters": [link(found) for found in page.sisters],
        "children": [link(found) for found in page.children],
        "recommended_frameworks": _frameworks(page),
        "benchmarks": [short_dataset_row(row) for row in benchmarks],
        "subtask_benchmarks": [
            {
                "subtask_id": found.id,
                "subtask": link(found),
                "benchmarks": [short_dataset_row(row) for row in rows[:_SUBTASK_BENCHMARKS_SERVED]],
            }
            for found, rows in page.subtask_benchmarks
        ],
    }


def _frameworks(page: TaskPageParts) -> list[Json]:
    return [
        {"id": found.id, "name": found.name, "owner": found.owner, "url": found.url, "num_stars": found.num_stars}
        for found in page.recommended_frameworks
    ]


def short_dataset_row(benchmark: Benchmark, *, described: bool = True) -> Json:
    """DatasetRow with its description as rows show it, or without one."""
    text = cut_or_none(benchmark.description, ROW_DESCRIPTION_MAX) if described else None
    return dataset_row(replace(benchmark, description=text))


def trend_row(benchmark: Benchmark, best: EvaluationRow | None) -> Json:
    """TrendRow; `best` is the benchmark's row of best rank, where one has a rank."""
    recent, all_time = benchmark.recent_paper_count or 0, benchmark.paper_count or 0
    return short_dataset_row(benchmark) | {
        "recent_paper_count": recent,
        "all_time_paper_count": all_time,
        "trend_score": trend_score(recent, all_time),
        "support_weighted_score": support_weighted_score(recent, all_time),
        "best_model_name": best.model_name if best else None,
        "best_paper_title": best.paper_title if best else None,
        "best_code_url": best.code_url if best else None,
    }


def community_row(row: Conference | Organization) -> Json:
    """A conference or an organization with its description as rows show it."""
    return asdict(replace(row, description=cut_or_none(row.description, ROW_DESCRIPTION_MAX)))


def method_row(method: Method) -> Json:
    """MethodRow."""
    return {
        "id": method.id,
        "slug": method.slug,
        "name": method.name,
        "full_name": method.full_name,
        "area_id": method.area.id if method.area else None,
        "introduced_year": method.introduced_year,
        "paper_count": method.paper_count,
    }


def method_record(method: Method) -> Json:
    """MethodRecord."""
    return method_row(method) | {
        "description": method.description,
        "source_paper_id": method.source_paper_id,
        "source_url": method.source_url,
        "source_title": method.source_title,
    }
